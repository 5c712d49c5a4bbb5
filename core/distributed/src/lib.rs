//! Transport of a search that is distributed over several processes, on [timely dataflow](timely).
//!
//! [`connect`] meets the processes of a list of [`Hosts`], and agrees with each on a [`Greeting`]; the [`Connected`] process then is
//! one of the [`Peers`](refmap::internal::explore::Peers) of a search. The dataflow has an input, an exchange and an inbox, and no loop. An
//! epoch of it is one exchange, and ends when no words of it are on their way any more.
//!
//! Trust: connections are neither authenticated nor encrypted. A greeting keeps out strangers and mistakes, not an adversary: who can
//! reach the port can join the search, read its states and change its outcome. Use it on the loopback interface or a private network.
//!
//! Memory: an exchange holds the words that it sends once more, until the network has taken them, and a process can be at most one
//! exchange ahead of another one. Nothing else grows.
//!
//! Silence: each process gives signs of life all the time, whatever it does. One that gives none for a while, since it is stopped, its
//! machine has lost power or the network drops its packets, is lost as one is that has ended. One that gives them is waited for as
//! long as it takes; whoever waits can ask it to hurry, and give up ([`Peers`](refmap::internal::explore::Peers)).
//!
//! No process joins later, and none is replaced.

mod connect;
mod connected;
mod error;
mod greeting;
mod hello;
mod hosts;
mod inbox;
mod panics;
mod piece;
mod silence;
mod status;
mod wire;
mod worker;

pub use connect::{Patience, connect, connect_on};
pub use connected::Connected;
pub use error::ConnectError;
pub use greeting::Greeting;
pub use hosts::Hosts;
