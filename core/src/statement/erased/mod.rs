//! Models without their types: one compilation of all that asks a model seldom.
//!
//! The exhaustive search and the pass of induction run a model as one program with their own, so they are compiled anew for each
//! model. All else (what is asked again on a sample, traces, explanations, liveness, random walks, what shortens them, the
//! stepper) is written against the traits of a system and a refinement as well, and is compiled once, for the types here: a
//! state, an action, an observation behind a pointer, and systems and refinements that hand each question on to the model.
//!
//! PERF: a state costs an allocation here, and a question a call through a table. That is little beside what a model computes
//! and much beside what a search does at a step.

mod object;
mod refinement;
mod system;
mod value;

pub use object::Caveats;
pub(crate) use object::{Outcome, SideCondition, SystemObject, Tell, View, ViewObject};
pub(crate) use refinement::{ErasedRefinement, RefinementObject};
pub(crate) use system::ErasedSystem;
pub use system::without_types;
pub(crate) use value::{
    ErasedAction, ErasedObservation, ErasedState, ErasedStep, Plain, erased_states,
};
