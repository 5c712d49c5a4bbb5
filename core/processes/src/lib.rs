//! A small language of processes that communicate by rendezvous, for stating systems.
//!
//! Source: Gammie, Hosking & Engelhardt, *Relaxing Safely: Verified On-the-Fly Garbage Collection for
//! x86-TSO* (PLDI 2015), section 3.1, Figs. 7 and 8, where it is called CIMP. The language has commands
//! that change the state of one process, sequence, choice, conditionals and loops; requests and responses,
//! by which two processes take one step together; and parallel composition. Processes share nothing else.
//!
//! A [`Command`] ranges over the data state of its own process only: a process that reads another one's
//! variables does not compile. A [`Composition`] places processes into the model's own state, which stays
//! plain data, and generates its steps.
//!
//! Size of a step: one step is a local operation, or the evaluation of a guard, or a request together with
//! the response to it. Sequencing takes no step, and the first step of a branch makes the choice. Under
//! [`Granularity::Fused`], local fusion, a command marked by [`Command::fuse_with_previous`] runs in one
//! step with the previous command, and a choice marked by [`Command::fuse_with_next`] with the next one.
//!
//! Deviation D1: the paper's processes take any number of responses at once; here a command has one
//! label, and labels are unique within a process, so that an action names its commands. A label is a text
//! ([`Label`]) or a value of a type of the model's own ([`CommandLabel`]).
//!
//! A system made of a composition returns [`Composition::show`] from its `show`; then a report says where a process is by the
//! labels of what it does there.
//!
//! The tutorial `leases` in the repository (`examples/src/leases.rs`) checks a refinement of such a system, and the book,
//! `examples/book`, begins with a project of your own.
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
//! both.steps(&initial[0], &mut |act, to| steps.push((act.to_string(), to.clone())));
//! assert_eq!(steps.len(), 1);
//! assert_eq!(steps[0].0, "client: add, counter: added");
//! assert_eq!((steps[0].1.counter.value, steps[0].1.client.seen), (3, 3));
//! # Ok::<(), refmap_processes::ProcessError>(())
//! ```

mod act;
mod command;
mod composition;
mod configuration;
mod data;
mod flow;
mod instance;
mod label;
mod liveness;

pub use act::Act;
pub use command::{
    Command, assign, choice, choose, forever, request, respond, respond_any, sequence, when,
    when_else, while_do,
};
pub use composition::{Choices, Composition, Granularity, Locations, Undeclared};
pub use configuration::{At, Configuration};
pub use data::{Data, Register, Registers};
pub use flow::{Location, ProcessError};
pub use label::{CommandLabel, Label};
pub use liveness::DeadRegisters;
