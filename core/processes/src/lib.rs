//! A small language of processes that meet in a rendezvous, for stating systems.
//!
//! Source: Gammie, Hosking & Engelhardt, *Relaxing Safely: Verified On-the-Fly Garbage Collection for
//! x86-TSO* (PLDI 2015), section 3.1, Figs. 7 and 8, where it is called CIMP: commands that change
//! the state of one process, sequence, choice, conditionals and loops; requests and responses, by
//! which two processes take one step together; and processes side by side, with nothing else in common.
//!
//! A [`Command`] is stated over the data state of its own process alone, so that a process which
//! looks at another one's variables does not compile. A [`Composition`] places processes into a state
//! of the model's, which stays plain data, and gives its steps.
//!
//! Size of a step: a local operation is one step; so is a request with the response that meets it; so
//! is the evaluation of a guard. Sequencing takes none, and a choice is made by the first step of the
//! branch. Under [`Granularity::Coarse`] the commands said to be quiet are run together with the step
//! before them, and choices said to be late with the step behind them.
//!
//! Deviation D1: the paper's processes take any number of responses at once; here a command has one
//! label, and labels are unique within a process, so that an action names its commands. A label is a text
//! ([`Label`]) or a value of a type of the model's own ([`CommandLabel`]).
//!
//! ```
//! use refmap::Process;
//! use refmap_processes::{At, Composition, Configuration, Data, Location, assign, forever, request,
//!     respond, sequence};
//!
//! // A counter, and a client that adds to it.
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! struct Counter { value: u8 }
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! struct Client { seen: u8 }
//! impl Data for Counter {}
//! impl Data for Client {}
//!
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! struct State { at: At<2>, counter: Counter, client: Client }
//! impl Configuration for State {
//!     fn location(&self, process: usize) -> Location { self.at[process] }
//!     fn go_to(&mut self, process: usize, location: Location) { self.at[process] = location }
//! }
//!
//! let mut both = Composition::<State, u8, u8>::new();
//! both.process(
//!     Process::new("client"),
//!     &forever(sequence([
//!         request("add", |_: &Client| 1, |client, value: &u8| client.seen = *value),
//!         assign("forget", |client: &mut Client| client.seen = 0),
//!     ])),
//!     |s| &s.client,
//!     |s| &mut s.client,
//! )?;
//! both.process(
//!     Process::new("counter"),
//!     &forever(respond("added", |by: &u8, counter: &mut Counter| {
//!         let room = counter.value < 3;
//!         counter.value += u8::from(room) * by;
//!         room.then_some(counter.value)
//!     })),
//!     |s| &s.counter,
//!     |s| &mut s.counter,
//! )?;
//!
//! let data = State {
//!     at: At::default(),
//!     counter: Counter { value: 2 },
//!     client: Client { seen: 0 },
//! };
//! let (mut initial, mut steps) = (Vec::new(), Vec::new());
//! both.start(data, &mut |state| initial.push(state));
//! both.steps(&initial[0], &mut |act, to| steps.push((act.to_string(), to)));
//! assert_eq!(steps.len(), 1);
//! assert_eq!(steps[0].0, "client: add, counter: added");
//! assert_eq!((steps[0].1.counter.value, steps[0].1.client.seen), (3, 3));
//! # Ok::<(), refmap_processes::ProcessError>(())
//! ```

mod act;
mod command;
mod composition;
mod flow;
mod label;
mod liveness;
mod party;

pub use act::Act;
pub use command::{
    Command, assign, choice, forever, guess, request, respond, respond_any, sequence, when,
    when_else, while_do,
};
pub use composition::{
    At, Choices, Composition, Configuration, Granularity, Locations, Undeclared,
};
pub use flow::{Location, ProcessError};
pub use label::{CommandLabel, Label};
pub use liveness::{Data, DeadRegisters, Register, Registers};
