//! `deadlock`: every reachable state has a step, or is one where the system says that it may stop.
//!
//! Source: none; a program that has ended, or that a bound has cut off, may stop. Of a view it is asked whether the system below
//! it has a step: where a guess is wrong the view gets stuck, and the system does not.

use crate::statement::shown::number::counted;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::counterexample::counterexample;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::Tested;
use crate::report::{Counterexample, CutOff};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::visit::some_initial;
use crate::statement::erased::Caveats;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::{StateOf, TransitionSystem, steps};
use crate::statement::trace::Trace;
use crate::view::auxiliary::base_goes_on;
use crate::walk::explore::Place;

const KIND: ObligationKind = ObligationKind::Deadlock;

#[derive(Clone)]
pub(super) struct Deadlock {
    pub row: ObligationRow,
}

/// Counters of a worker.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct DeadlockCounts {
    pub tested: Tested,
    /// States without a step.
    pub deadlocks: u64,
    /// States without a step in which a bound has stopped a thread,
    cut_off: u64,
    /// and the names of all threads that it has stopped anywhere.
    stopped: BTreeSet<String>,
}

impl DeadlockCounts {
    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        self.tested.add(other.tested);
        self.deadlocks += other.deadlocks;
        self.cut_off += other.cut_off;
        self.stopped.extend(other.stopped);
    }

    /// Whether a bound has stopped a thread somewhere.
    pub fn is_cut_off(&self) -> bool {
        !self.stopped.is_empty()
    }

    fn note_cut_off(&mut self, threads: Vec<&str>, is_end: bool) {
        self.cut_off += u64::from(is_end && !threads.is_empty());
        for name in threads {
            if !self.stopped.contains(name) {
                self.stopped.insert(name.to_owned());
            }
        }
    }

    /// Entry of the report about a bound that has stopped threads.
    pub fn cut_off<T>(&self, caveats: &Caveats<'_, T>) -> Option<CutOff> {
        let bound = caveats.bound().filter(|_| self.is_cut_off())?;
        Some(CutOff {
            bound: bound.to_owned(),
            states: self.cut_off,
            threads: self.stopped.iter().cloned().collect(),
        })
    }
}

impl Deadlock {
    pub fn new(choice: &Choice<'_>) -> Self {
        Self {
            row: choice.by_default(KIND.to_string()),
        }
    }

    /// Tests a state of which it is known how many steps it has; `caveats` are those of the implementation.
    #[inline(always)]
    pub fn test<S: TransitionSystem>(
        &self,
        implementation: &S,
        caveats: &Caveats<'_, StateOf<S>>,
        counts: &mut DeadlockCounts,
        place: Place,
        state: &StateOf<S>,
        steps: u32,
    ) {
        let is_end = steps == 0 && !base_goes_on(caveats.view(), state);
        if is_end {
            counts.deadlocks += 1;
        }
        // Beside a thread that was stopped another one may go on for ever.
        if caveats.bound().is_some() {
            counts.note_cut_off(caveats.cut_off(state), is_end);
        }
        let may_stop = || implementation.call_may_stop(state);
        counts.tested.note(place, !is_end || may_stop());
    }

    pub fn judge<R: Refinement>(
        &self,
        counts: &DeadlockCounts,
        found: &SearchResult<'_, R>,
    ) -> Option<Judged> {
        let refinement = found.refinement;
        self.row.judged(Weight::Behaviour, || {
            let implementation = refinement.implementation();
            let caveats = implementation.call_caveats();
            let fails = |trace: &Trace<R::Implementation>| {
                let state = trace.last();
                steps(implementation, state).is_empty()
                    && !base_goes_on(caveats.view(), state)
                    && !implementation.call_may_stop(state)
            };
            found.judge(&self.row, counts.tested, &fails, &|trace| {
                explain(refinement, trace)
            })
        })
    }

    /// That `may_stop` is true of all states, if it is, and some of them are without a step.
    pub fn doubt<R: Refinement>(
        &self,
        counts: &DeadlockCounts,
        found: &SearchResult<'_, R>,
    ) -> Option<String> {
        let implementation = found.refinement.implementation();
        let deadlocks = counts.deadlocks;
        if !self.row.selected || deadlocks == 0 {
            return None;
        }
        let mut states = found.few().chain(found.kept().map(|(_, state)| state));
        let always = states.all(|state| implementation.call_may_stop(&state));
        (always && found.looked_at_all()).then(|| {
            format!(
                "`may_stop` is true of every state, so `deadlock` says nothing; without a step: {}",
                counted(deadlocks, "state")
            )
        })
    }
}

/// That the last state of a behaviour has no step.
pub(super) fn explain<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> Counterexample {
    let explanation = "no step is enabled, and the system may not stop here";
    counterexample(refinement, trace, explanation.to_owned())
}

/// That a bound has stopped the specification, if it has, and not the implementation: the specification allows less than
/// it states.
pub(super) fn doubt_of_bound<R: Refinement>(
    counts: &DeadlockCounts,
    refinement: &R,
) -> Option<String> {
    let specification = refinement.specification();
    let caveats = specification.call_caveats();
    let bound = caveats.bound()?;
    if counts.is_cut_off() {
        return None;
    }
    let (initial, _) = some_initial(specification, 1);
    let threads = caveats.cut_off(initial.first()?);
    (!threads.is_empty()).then(|| {
        format!(
            "the specification is cut off, {bound}: what {} would show after that is not among what it allows",
            threads.join(", ")
        )
    })
}
