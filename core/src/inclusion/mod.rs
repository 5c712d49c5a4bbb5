//! Refinement without a mapping: whether one is possible, and what it lacks where none is.
//!
//! Three questions make a ladder, and the first that is answered by yes names what is missing of a refinement mapping.
//!
//! | rung | question | if it is the first |
//! |---|---|---|
//! | 1 | does a state of the specification simulate each state reached, a step for at most one abstract step? | a mapping, if one image a state is enough; else a history variable is missing |
//! | 2 | the same, a step for several abstract steps of which at most one shows something | a stuttering variable is missing |
//! | 3 | is what can be observed of the implementation included in what can be observed of the specification? | a prophecy variable is missing |
//!
//! If none is, the implementation does not refine the specification, and a shortest trace shows it.
//!
//! Where a prophecy variable is missing, a *backward simulation* does without one: the user gives it as a relation
//! ([`BackwardSimulation`]), and [`check_backward_simulation`] checks it.
//!
//! Sources: Abadi & Lamport, *The Existence of Refinement Mappings*; Lynch & Vaandrager, *Forward and Backward Simulations I*;
//! Laveaux, Groote & Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking*.
//!
//! An inclusion speaks of finite observations, hence of safety alone: nothing is said of fairness, deadlock, or what an
//! environment may still do. The steps of a specification are those that its `next` visits.

mod antichain;
mod asked_again;
mod automaton;
mod backward;
mod candidates;
mod compare;
mod decide;
mod domains;
mod edge;
mod evidence;
mod explicit;
mod futures;
#[expect(
    clippy::module_inception,
    reason = "the folder and its outcome are one concept"
)]
mod inclusion;
mod likeness;
mod mapping;
mod observed;
mod relation;
mod sets;
mod shown;
mod simulation;
mod table;
mod text;
mod uniform;

pub use backward::{
    BackwardCounterexample, BackwardObligation, BackwardReport, BackwardRow, BackwardSimulation,
    BackwardVerdict, check_backward_simulation,
};
pub(crate) use compare::of_refinement;
pub use compare::{check_graphs, check_inclusion};
pub use edge::StepLabel;
pub use explicit::{Graph, GraphError, Labels, Step};
pub use inclusion::{Bound, Evidence, Future, Included, Inclusion, Past, Shown, Stutter};
pub use table::{Case, Image, Part, Table};
