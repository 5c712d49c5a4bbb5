//! Obligations, and the check that decides them.
//!
//! Source: Havelund & Shankar, Definitions 3 and 6, and section 2 on the nondeterminism of the
//! mutator.
//! [`ObligationKind`] has the obligations, their names, and what each states; [`ObligationKind::sentence`] has the sentences of
//! single rows.

#[cfg(feature = "any-number")]
mod any_number;
#[cfg(not(feature = "any-number"))]
#[path = "no_number.rs"]
mod any_number;
#[cfg(feature = "quickcheck")]
mod arbitrary;
mod check;
mod identity;
mod judge;
pub(crate) mod stepper;
mod subject;
mod unreturned;
mod walks;
mod warnings;

mod obligations;
mod visitor;

mod agency;
mod auxiliary;
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
mod futures;
mod kept;
mod label;
mod pattern;
mod recorded;
mod row;
mod rules;
mod selection;
mod settings;
mod tested;
mod undecided;

#[cfg(test)]
mod tests;

pub use crate::statement::kind::ObligationKind;
#[cfg(feature = "any-number")]
pub use check::check_any_number;
#[cfg(feature = "any-number")]
#[doc(hidden)]
pub use check::check_by_views;
#[doc(hidden)]
pub use check::check_erased;
pub use check::{Checkable, Checker, check};
pub use error::CheckError;
pub use selection::Selection;
pub use settings::{Induction, Liveness, Search, Settings, Symmetry, Until, Warnings};
pub use subject::asymmetry;
#[cfg(test)]
pub(crate) use subject::tested_in_turn;
