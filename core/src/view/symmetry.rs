//! Symmetry: identities that can be exchanged without changing what happens, and exploring one state
//! of each class of states that differ only by such an exchange.
//!
//! Source: Ip & Dill, *Better Verification Through Symmetry*, FMSD 9, 1996; Clarke, Enders, Filkorn &
//! Jha, *Exploiting Symmetry in Temporal Logic Model Checking*, FMSD 9, 1996.
//!
//! Which exchanges there are follows from the names in the states of a model: members that are alike, of one group or of several, and counters
//! of which only the differences matter ([`State::visit_names`](crate::State::visit_names)). That they really change nothing is tested, on the states
//! explored, by [`asymmetry`](crate::asymmetry). A quotient decides what is asked of states and steps, where the
//! question is the same of all members of a class. It cannot decide what is asked of one process of
//! several, as `environment` is.

mod by_name;
mod canonical;
mod colours;
mod initial;
mod named;
mod rows;
mod tested;

pub(crate) use by_name::ByName;
pub use by_name::Quotient;
pub(crate) use tested::{ExchangesTested, is_in_turn};
