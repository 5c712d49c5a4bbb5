//! Crowds: systems of any number of members that are alike, and what holds for every number of them.
//!
//! An exhaustive check of two members says nothing of three. View abstraction keeps of each state only its *views*: the shared part with any *k*
//! of the members. A *configuration* of *k* + 1 members is supposed to be reachable if all its views are; its steps are taken by
//! the model itself, and what they lead to is cut to views, until nothing is new. What is true of all these configurations is true for
//! every number of members, since a step moves one of them, and needs of the others at most a few to be there: as many members more as these
//! [witnesses](Crowd::witnesses) are then in a configuration.
//!
//! A crowd is declared by [`Crowd`], and checked by [`Checker::crowd`](crate::obligation::Checker::crowd) or
//! [`check_any_number`](crate::check_any_number).
//!
//! Source: Abdulla, Haziza & Holík, *All for the Price of Few (Parameterized Verification through View Abstraction)*, VMCAI 2013, Algorithm 1 with
//! the abstraction of section 4, Theorem 1.
//! Left out: systems with fewer members than a configuration (they are searched as they are), contexts of views, and members that know each
//! other by name.

mod composition;
mod counters;
mod declaration;
mod declared;
mod fault;

mod judge;
mod members;
mod parts;
mod search;
mod tested;
mod views;

pub use declaration::Crowd;
pub(crate) use declared::{Declared, DeclaredBy};
pub use fault::CrowdFault;
pub(crate) use judge::{FewMembers, Judge};
pub use members::Members;
pub use parts::CrowdParts;
pub(crate) use search::ViewSearch;
pub(crate) use tested::{CrowdTest, TestedCrowd, test};
