//! Crowds: systems of any number of members that are alike, and what holds for every number of them.
//!
//! An exhaustive check of two members says nothing of three. View abstraction keeps of each state only its *views*: the shared part with any *k*
//! of the members. A *configuration* of *k* + 1 members is supposed to be reachable if all its views are; its steps are taken by
//! the model itself, and what they lead to is cut to views, until nothing is new. What is true of all these views is true for
//! every number of members, since a step moves one of them, and reads of the others nothing that needs them to be there.
//!
//! Source: Abdulla, Haziza & Holík, *All for the Price of Few (Parameterized Verification through View Abstraction)*, VMCAI 2013, Algorithm 1 with
//! the abstraction of section 4, Theorem 1.
//! Left out: views of fewer members than *k* (systems of so few are searched as they are), contexts of views, and members that know each
//! other by name.

mod apart;
mod declaration;
mod fault;
mod members;
mod outcome;
mod parts;
mod search;
mod tested;
mod views;

pub use declaration::{Crowd, MemberOf, PartsOf, SharedOf};
pub use fault::{CrowdFault, FaultOf};
pub use members::Members;
pub use outcome::{AnswerOf, AnyNumber, CrowdAnswer, TestedCrowd};
pub use parts::CrowdParts;
pub use search::any_number;
