//! `invariant:NAME`: the named invariant holds in every reachable state.
//!
//! Source: Havelund & Shankar, Definition 3.

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::counterexample::counterexample;
use super::error::CheckError;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::Tested;
use crate::report::Counterexample;
use crate::statement::asked::model_call::named_invariant;
use crate::statement::invariant::{Invariant, PredicateOf};
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::Place;

/// Stands for the rows of all invariants.
const KIND: ObligationKind = ObligationKind::Invariant;

/// The invariants of a refinement, by a row each.
#[derive(Clone)]
pub(super) struct Invariants {
    pub rows: Vec<ObligationRow>,
}

/// Number of times that an invariant was tested, and of the states in which it claims something.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct InvariantCounts {
    /// Its place among all invariants.
    pub place: usize,
    pub tested: Tested,
    applied: u64,
}

impl InvariantCounts {
    /// Adds what another worker counted of the same invariants.
    pub fn add(into: &mut [Self], other: &[Self]) {
        for (into, other) in into.iter_mut().zip(other) {
            into.tested.add(other.tested);
            into.applied += other.applied;
        }
    }
}

/// An invariant that is checked.
///
/// PERF: its predicates are asked of every state, and found here without a detour.
pub(super) struct CheckedInvariant<'a, S: TransitionSystem> {
    /// Its place among all invariants.
    place: usize,
    name: &'a str,
    premise: Option<&'a PredicateOf<S>>,
    conclusion: &'a PredicateOf<S>,
}

/// Tests the chosen invariants in a state; `hear` is told of each whether it holds.
#[inline(always)]
pub(super) fn test<S: TransitionSystem>(
    chosen: &[CheckedInvariant<'_, S>],
    counts: &mut [InvariantCounts],
    place: Place,
    state: &StateOf<S>,
    mut hear: impl FnMut(bool),
) {
    for (invariant, counts) in chosen.iter().zip(counts) {
        let (applies, holds) = named_invariant(invariant.name, || {
            let applies = invariant.premise.is_none_or(|premise| premise(state));
            (applies, !applies || (invariant.conclusion)(state))
        });
        counts.applied += u64::from(applies);
        counts.tested.note(place, holds);
        hear(holds);
    }
}

/// Nothing, of these invariants.
pub(super) fn no_counts<S: TransitionSystem>(
    chosen: &[CheckedInvariant<'_, S>],
) -> Vec<InvariantCounts> {
    let none = |chosen: &CheckedInvariant<'_, S>| InvariantCounts {
        place: chosen.place,
        tested: Tested::default(),
        applied: 0,
    };
    chosen.iter().map(none).collect()
}

impl Invariants {
    pub fn new<S: TransitionSystem>(
        all: &[Invariant<S>],
        choice: &Choice<'_>,
    ) -> Result<Self, CheckError> {
        let mut rows = Vec::with_capacity(all.len());
        for (index, invariant) in all.iter().enumerate() {
            let name = invariant.name();
            if all[..index].iter().any(|other| other.name() == name) {
                return Err(CheckError::DuplicateInvariant {
                    name: name.to_owned(),
                });
            }
            rows.push(choice.by_default(format!("{KIND}:{name}")));
        }
        Ok(Self { rows })
    }

    /// Invariants, of `all`, that are checked.
    pub fn chosen<'a, S: TransitionSystem>(
        &self,
        all: &'a [Invariant<S>],
    ) -> Vec<CheckedInvariant<'a, S>> {
        let rows = all.iter().zip(&self.rows).enumerate();
        let chosen = rows.filter(|(_, (_, row))| row.selected);
        let predicates = |(place, (invariant, _)): (usize, (&'a Invariant<S>, _))| {
            let (premise, conclusion) = invariant.predicates();
            CheckedInvariant {
                place,
                name: invariant.name(),
                premise,
                conclusion,
            }
        };
        chosen.map(predicates).collect()
    }

    pub fn judge<R: Refinement>(
        &self,
        all: &[Invariant<R::Implementation>],
        counts: &[InvariantCounts],
        found: &SearchResult<'_, R>,
    ) -> Vec<Judged> {
        let refinement = found.refinement;
        let violated = counts.iter().any(|counts| counts.tested.first.is_some());
        let mut counts = counts.iter();
        let judge = |(invariant, row): (&Invariant<_>, &ObligationRow)| {
            row.judged(Weight::Behaviour, || {
                let tested = counts.next().map(|counts| counts.tested);
                let tested = tested.expect("an invariant that is chosen is tested");
                let fails = |trace: &Trace<_>| !invariant.holds(trace.last());
                let judged = found.judge(row, tested, &fails, &|trace| {
                    explain(refinement, trace, invariant)
                });
                let of_representatives =
                    found.symmetry.is_some() && violated && tested.first.is_none();
                if of_representatives && judged.note.is_none() {
                    judged.noted(
                        "of representatives only: a permutation may exchange it with an invariant that is violated",
                    )
                } else {
                    judged
                }
            })
        };
        all.iter().zip(&self.rows).filter_map(judge).collect()
    }
}

/// The premises of those of `all` that are checked which are true nowhere.
pub(super) fn unexercised<S: TransitionSystem>(
    all: &[Invariant<S>],
    counts: &[InvariantCounts],
) -> impl Iterator<Item = String> {
    let never = counts.iter().filter(|counts| counts.applied == 0);
    never.map(|counts| format!("premise:{}", all[counts.place].name()))
}

/// Explanation that an invariant is false of the last state of a behaviour. Of a counterexample to induction too.
pub(super) fn explain<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
    invariant: &Invariant<R::Implementation>,
) -> Counterexample {
    let (name, source) = (invariant.name(), invariant.source());
    counterexample(
        refinement,
        trace,
        format!("`{name}` is false here [{source}]"),
    )
}
