//! Crowds: systems of any number of members that are alike, and what holds for every number of them.
//!
//! An exhaustive check of two members says nothing of three. View abstraction keeps of each state only its *views*: the shared part with any *k*
//! of the members. A *configuration* of *k* + 1 members is supposed to be reachable if all its views are; its steps are taken by
//! the model itself, and what they lead to is cut to views, until nothing is new. What is true of all these configurations is true for
//! every number of members, since a step is that of one of them, or of none, and knows of the others only the answers to [questions](Others) about one at a time. Of
//! members that a view leaves out, either answer is supposed; where *yes* enables a step, it is kept with a view to which questions it is *yes* of some of them.
//! Configurations have one member more where steps choose another one.
//!
//! A crowd is stated by [`Crowd`], and a refinement of it by [`CrowdRefinement`], which is checked by [`Checker::crowd`](crate::obligation::Checker::crowd) or
//! [`check_any_number`](crate::check_any_number). There is nothing to declare: what a step can know is a matter of its type.
//!
//! Source: Abdulla, Haziza & Holík, *All for the Price of Few (Parameterized Verification through View Abstraction)*, VMCAI 2013, Algorithm 1 with
//! the abstraction of section 4, Theorem 1; what is kept of the members that are left out are the contexts of Abdulla, Haziza & Holík, *Block Me If You Can!
//! (Context-Sensitive Parameterized Verification)*, SAS 2014, one for a view and not one for each gap between its members.
//! Left out: systems with fewer members than a configuration (they are searched as they are), and members that know each other by name.

pub(crate) mod chosen;
mod configuration;
mod counters;
pub(crate) mod fault;
mod form;
pub(crate) mod instance;
mod known;
mod left_out;
mod others;
mod question;
mod refined;
mod search;
mod statement;

pub use chosen::Chosen;
pub(crate) use configuration::{Configuration, Part};
pub(crate) use fault::CrowdFault;
pub(crate) use form::{CrowdForm, Formed};
pub(crate) use instance::BESIDES;
pub use instance::{Instance, StateOfCrowd};
pub use others::Others;
pub use refined::{CrowdInvariant, CrowdRefinement, Moment};
pub(crate) use search::{Posed, Posing, ViewsOf};
pub use statement::Crowd;
