//! Crowds: systems of any number of members that are alike, and what holds for every number of them.
//!
//! An exhaustive check of two members says nothing of three. View abstraction keeps of each state only its *views*: the shared part with any *k*
//! of the members. A *configuration* of *k* + 1 members is supposed to be reachable if all its views are; its steps are taken by
//! the model itself, and what they lead to is cut to views, until nothing is new. What is true of all these configurations is true for
//! every number of members, since a step is that of one of them, or of none, and needs of the others at most that *some* member of a [kind](Crowd::kind) is there: which
//! kinds are among the members that a view leaves out is kept with it, and when steps are taken, one member stands for all of a kind.
//!
//! A crowd is declared by [`Crowd`], and checked by [`Checker::crowd`](crate::obligation::Checker::crowd) or
//! [`check_any_number`](crate::check_any_number).
//!
//! Source: Abdulla, Haziza & Holík, *All for the Price of Few (Parameterized Verification through View Abstraction)*, VMCAI 2013, Algorithm 1 with
//! the abstraction of section 4, Theorem 1; the kinds that are left out are the contexts of Abdulla, Haziza & Holík, *Block Me If You Can!
//! (Context-Sensitive Parameterized Verification)*, SAS 2014, one for a view and not one for each gap between its members.
//! Left out: systems with fewer members than a configuration (they are searched as they are), and members that know each other by name.

mod composition;
mod counters;
mod declaration;
mod declared;
mod fault;
mod judge;
mod members;
mod parts;
mod search;
mod seen;
mod stand_ins;
mod tested;
mod untested;
mod views;

pub use declaration::{Crowd, MemberOf};
pub(crate) use declared::{Declared, DeclaredBy, ErasedParts};
pub use fault::CrowdFault;
pub(crate) use judge::{FewMembers, Judge};
pub use members::Members;
pub use parts::CrowdParts;
pub(crate) use search::{Posed, StatedMembers, ViewSearch};
pub(crate) use tested::{CrowdTest, TestedCrowd, test};
