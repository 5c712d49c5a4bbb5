//! Refinement without a mapping: whether one is possible, and what it lacks where none is.
//!
//! Three questions make a ladder, and the first that is answered by yes is its rung.
//!
//! | rung | question |
//! |---|---|
//! | 1 | does a state of the specification simulate each state reached, a step for at most one abstract step? |
//! | 2 | the same, a step for several abstract steps of which at most one shows something |
//! | 3 | is what can be observed of the implementation included in what can be observed of the specification? |
//!
//! A [`Refinement`](crate::Refinement) has one image a state, and a step may be several abstract steps. So on the first two rungs such a mapping is looked
//! for, and what is missing of it is told ([`Evidence`]):
//!
//! | there is | missing |
//! |---|---|
//! | a mapping of which each step is at most one abstract step | nothing |
//! | one of which some steps are several | no variable: these steps by name, or a stuttering variable |
//! | none | a history variable, which remembers the image, unless a prophecy variable will do |
//!
//! On the third rung no image serves all futures, so that a prophecy variable is missing.
//!
//! If none is, the implementation does not refine the specification, and a shortest trace shows it.
//!
//! Sources: Abadi & Lamport, *The Existence of Refinement Mappings*; Lynch & Vaandrager, *Forward and Backward Simulations I*;
//! Laveaux, Groote & Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking*.
//!
//! An inclusion speaks of finite observations, hence of safety alone: nothing is said of fairness, deadlock, or what an
//! environment may still do. The steps of a specification are those that its `next` visits. Before anything is claimed both systems are
//! asked again about some states; of a model that contradicts itself nothing is.

mod after;
mod asked_again;
mod automaton;
mod bounds;
mod candidates;
pub(crate) mod compare;
mod comparison;
mod decide;
pub(crate) mod edge;
mod evidence;
pub(crate) mod explicit;
mod futures;
#[expect(
    clippy::module_inception,
    reason = "the folder and its outcome are one concept"
)]
pub(crate) mod inclusion;
mod mapping;
mod met;
mod minimal;
mod observations;
mod observed;
mod pair_search;
mod pairs;
mod sets;
mod several_steps;
mod sides;
mod simulation;
pub(crate) mod table;
mod text;
mod walk;

pub use compare::check_inclusion;
pub(crate) use compare::of_refinement;
pub use comparison::Comparison;
pub use inclusion::{Evidence, Included, Inclusion, InclusionError};
