//! Statement of a model: a system and its rules, a refinement of it, and what is claimed of its states and behaviours.
//!
//! Left out: the state, which is words, and has a module of its own ([`state`](crate::state)).

pub mod abstract_steps;
pub mod action;
pub mod asked;
pub mod compose;
pub mod constraint;
pub mod drawing;
pub(crate) mod erased;
pub mod fairness;
pub mod guard;
pub mod invariant;
pub mod kind;
pub mod property;
pub mod refinement;
pub mod round_trip;
pub mod rule;
pub mod shown;
pub mod system;
pub mod trace;
