//! Symmetry: identities that can be exchanged without changing what happens, and exploring one state
//! of each class of states that differ only by such an exchange.
//!
//! Source: Ip & Dill, *Better Verification Through Symmetry*, FMSD 9, 1996; Clarke, Enders, Filkorn &
//! Jha, *Exploiting Symmetry in Temporal Logic Model Checking*, FMSD 9, 1996.
//!
//! A model says which exchanges there are ([`Symmetric`]), or they follow from the names in its states: members that are alike, and counters
//! of which only the differences matter ([`State::visit_names`](crate::State::visit_names)). That they really change nothing is tested, on the states
//! explored, by [`asymmetry`]. A quotient decides what is asked of states and steps, where the
//! question is the same of all members of a class. It cannot decide what is asked of one process of
//! several, as `environment` is.

mod asymmetry;
mod by_hand;
mod by_name;
mod canonical;
mod exchange;
mod exchanges;
mod initial;
mod named;
mod quotient;
mod quotienting;
mod rows;
mod symmetric;
mod tested;

pub use asymmetry::Asymmetry;
pub(crate) use by_name::{ByName, ByNameOf};
pub use exchange::Exchange;
pub use quotient::Quotient;
pub use quotienting::{Lifting, Quotienting};
pub use symmetric::Symmetric;
pub use tested::asymmetry;
pub(crate) use tested::{Tested, TestedQuotient, is_in_turn};
