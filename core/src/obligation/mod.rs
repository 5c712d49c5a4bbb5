//! Obligations, and the check that decides them.
//!
//! Source: Havelund & Shankar, Definitions 3 and 6, and section 2 on the nondeterminism of the
//! mutator. The obligations and their names:
//!
//! | name | what must hold |
//! |---|---|
//! | `observation` | a state and its image show the same |
//! | `initiality` | initial states map to initial states, and there is one |
//! | `simulation` | each step maps to the abstract steps that `abstract_steps` names, or to a stutter |
//! | `agency` | an action of the environment is answered only by its own process |
//! | `invariant:NAME` | the invariant holds in every reachable state |
//! | `inductive:NAME` | each step from a type-correct state that satisfies all the invariants leads to one that satisfies this one |
//! | `inductive:simulation` | observation, initiality and simulation hold from every type-correct state that satisfies the invariants |
//! | `environment:RULE` | the implementation never takes the rule away from its process for good |
//! | `environment:at_rest` | an environment process can always come to rest, and only its steps change whether it does |
//! | `fairness:NAME` | the fairness condition of the specification follows from those of the implementation, through the mapping |
//! | `leads-to:NAME` | whenever the premise holds, the conclusion holds then or later |
//! | `eventually:NAME` | the conclusion holds at some time |
//! | `always-eventually:NAME` | the conclusion holds infinitely often |
//! | `eventually-always:NAME` | from some time on the conclusion holds for ever, if the premise, where there is one, holds at some time |
//! | `deadlock` | every state has a step, or is one where the system may stop |
//! | `coverage` | what the specification can do, the implementation does somewhere |
//! | `model` | the functions of the model return, and are functions; no state offers an action twice; what is overridden agrees with the rest; states survive packing; listed only if violated |
//! | `warnings` | nothing makes the verdict say less than it seems to; listed only if that was asked for and fails |

mod check;
mod judge;
pub mod stepper;
mod subject;
mod walks;
mod warnings;

mod counts;
mod obligations;
mod visitor;

mod agency;
mod constraint;
mod coverage;
mod deadlock;
mod environment;
mod induction;
mod initiality;
mod invariant;
mod liveness;
mod model;
mod observation;
mod simulation;

mod choice;
mod counterexample;
mod error;
mod fault;
mod found;
mod kind;
mod known_steps;
mod label;
mod pattern;
mod recorded;
mod row;
mod rules;
mod sample;
mod selection;
mod settings;
mod tested;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use check::check_erased;
pub use check::{Checkable, Checker, check};
pub use error::CheckError;
pub use kind::ObligationKind;
pub use selection::Selection;
pub use settings::{Induction, Liveness, Search, Settings, Symmetry, Until, Warnings};
