//! Trace validation: decides whether a recorded history is a behaviour of a specification.
//!
//! A proof about a model does not cover the code that runs. Here threads record their events ([`Recorder`]) in a
//! file that a program in any language can write, and [`validate`] decides whether some order of the recorded
//! events is a behaviour of a specification. The specification is any
//! [`TransitionSystem`](refmap::TransitionSystem); an adapter ([`Observed`]) maps an event to the actions that it
//! shows. Those of queues, maps, locks and other objects are [ready](specifications).
//!
//! Two threads use a register. A read that begins after 2 was written cannot return 1:
//!
//! ```
//! use refmap::{Action, TransitionSystem, Verdict};
//! use refmap_histories::{Happening, Observed, Ordered, Recorder, Settings, validate};
//!
//! struct Register;
//! #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, Action)]
//! enum Access { Write(#[action(range = 0..3)] u8), Read(#[action(range = 0..3)] u8) }
//! impl TransitionSystem for Register {
//!     type State = u8;
//!     type Action = Access;
//!     type Observation = u8;
//!     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0) }
//!     fn fire(&self, access: &Access, value: &mut u8) -> Option<()> {
//!         match *access {
//!             Access::Write(new) => *value = new,
//!             Access::Read(read) => (read == *value).then_some(())?,
//!         }
//!         Some(())
//!     }
//!     fn observe(&self, value: &u8) -> u8 { *value }
//! }
//! impl Observed for Register {
//!     type Specification = Self;
//!     type Event = Access;
//!     fn specification(&self) -> &Self { self }
//!     fn shows(&self, _: &u8, access: &Happening<'_, Access>, visit: &mut impl FnMut(Option<Access>)) {
//!         visit(Some(access.event.clone()));
//!     }
//! }
//!
//! for (read, verdict) in [(2, Verdict::Holds), (1, Verdict::Violated)] {
//!     let recorder = Recorder::new();
//!     let (mut writer, mut reader) = (recorder.thread(), recorder.thread());
//!     for value in [1, 2] {
//!         let begin = writer.begin();
//!         writer.end(begin, Access::Write(value));
//!     }
//!     let begin = reader.begin();
//!     reader.end(begin, Access::Read(read));
//!     drop((writer, reader));
//!     let events = Ordered::of(recorder.finish());
//!     assert_eq!(validate(&Register, events, &Settings::default())?.verdict(), verdict);
//! }
//! # Ok::<(), refmap_histories::HistoryError>(())
//! ```
//!
//! The book in the repository, `examples/book`, has a page on histories of real threads.
//!
//! # What a verdict means
//!
//! `holds`: *this* history is a behaviour; nothing is claimed about other runs of the same program. `violated`: it
//! is not, provided that the clock and the record are correct; the [`Explanation`] shows the longest valid
//! prefixes. `incomplete`: a limit was reached, or there was nothing to decide, since a history without an event
//! that the adapter calls interesting never passes.
//!
//! An order of the events must respect
//!
//! - the order of each thread;
//! - the intervals: an event that ended before another one began precedes it (if one ends exactly when the other
//!   begins, either may be first);
//! - the memory model, as far as it delays effects ([`Effect`]): under TSO a store takes effect after its begin and
//!   before the next fence or locked access of its thread, in the order of its thread's stores, and until then only
//!   its own thread observes it. State a weaker memory as part of the specification, with its commits as
//!   [internal](Observed::internal) actions.
//!
//! Other orders count on request: those of threads alone, or those of quiescent times ([`Criterion`]).
//!
//! # The format
//!
//! JSON lines in UTF-8. The first line is the header, the last one the end, every other line an event:
//!
//! ```text
//! {"history":"refmap","version":1,"parameters":{"capacity":2}}
//! {"thread":0,"place":0,"begin":120,"end":180,"event":{"push":1}}
//! {"thread":1,"place":0,"begin":150,"end":310,"event":{"pop":1}}
//! {"thread":0,"place":1,"begin":200,"event":null}
//! {"history":"end","events":3}
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `history` | `"refmap"` |
//! | `version` | `1` |
//! | `parameters` | an object; what the validator has to know of the instance. May be left out |
//! | `thread` | who: a number below 2³²; at most 65 536 different ones |
//! | `place` | its place in what the thread did: 0, 1, 2, … without a gap |
//! | `begin` | nanoseconds on a clock that all threads share and that never runs backwards |
//! | `end` | when it had ended, on the same clock, at least `begin`. Left out if that was lost in a crash: then it is the last event of its thread, and may have come about or not |
//! | `event` | what happened, as the adapter's `Event` is written; `null` if that was not recorded: then it may be any one step of the specification within its interval, or none ([of its thread](Observed::unrecorded), where the specification knows threads). Of an event whose effect is delayed write at least what it was |
//!
//! The end says that all is recorded that happened, and gives the number of the events; nothing follows it. Without it the
//! history is read all the same, and the verdict says that it has none.
//!
//! Lines are sorted by `begin`, so that a history of any length is decided in little memory. An event begins no
//! earlier than the end of the preceding event of its thread. There are no other fields. A writer that lost events
//! writes a line with `null` for each. A line has at most a mebibyte. An event names nothing that the header's instance does
//! not have ([`Observed::check`]). Every error is reported with its line ([`HistoryError`]).
//!
//! [`Source`] reads a file or a pipe within the limits: who waits for a line that does not come can be interrupted.
//!
//! A trace in the Informal Trace Format is a history of one thread ([`validate_trace`]). Histories that Jepsen recorded are
//! read by [`foreign`].
//!
//! Not covered: orders between events that no clock shows (a message and its receipt), and clocks that differ
//! between threads.

mod apart;
mod call;
mod configuration;
mod event;
mod explain;
#[cfg(feature = "foreign")]
pub mod foreign;
mod history;
mod input;
mod itf;
mod needed;
pub mod object;
mod observed;
mod ordered;
mod outlook;
mod places;
mod problem;
mod recorder;
mod refused;
mod report;
mod search;
mod set;
mod settings;
mod smallest;
pub mod specifications;
mod strict;
mod validator;
mod window;
mod writer;

pub use apart::{validate_apart, validate_objects};
pub use call::Panicked;
pub use event::{Event, Header, MOST_THREADS, VERSION};
pub use history::{Events, History, LONGEST_LINE};
pub use itf::{TraceError, validate_trace};
pub use object::{Object, check};
pub use observed::{Effect, Happening, Observed};
pub use ordered::Ordered;
pub use problem::{HistoryError, NoSuch, Problem};
pub use recorder::{Begin, Recorder, ThreadLog};
pub use refmap::internal::explore::Clock;
pub use refmap::internal::input::{Interrupted, Source};
pub use refmap::report::history::{
    Assumption, Criterion, Explanation, NoEnd, Partial, Prefix, PrefixStep, Recorded, Refused,
    ShownEvent, Situation, SmallWindow, StepKind,
};
pub use settings::Settings;
pub use validator::{Outcome, Parts, Validation, validate};
pub use writer::Writer;
