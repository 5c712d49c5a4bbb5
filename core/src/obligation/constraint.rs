//! The constraint under which a refinement is checked: what it leaves out is counted on the way, and told with the figures.
//!
//! Source: TLC, whose counts are those of the states that satisfy its `CONSTRAINT`.

use serde::{Deserialize, Serialize};

use super::found::SearchResult;
use crate::report::Constrained;
use crate::statement::constraint::Constraint;
use crate::statement::refinement::Refinement;
use crate::statement::system::TransitionSystem;
use crate::walk::explore::Place;

/// Counters of a worker.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct ConstraintCounts {
    /// States that do not satisfy the constraint, each once,
    outside: u64,
    /// those of them that are initial,
    initial: u64,
    /// and the steps that lead to one.
    steps: u64,
    /// The greatest distance from an initial state of one that satisfies it.
    depth: u32,
}

impl ConstraintCounts {
    /// Adds what another worker counted.
    pub fn add(&mut self, other: &Self) {
        self.outside += other.outside;
        self.initial += other.initial;
        self.steps += other.steps;
        self.depth = self.depth.max(other.depth);
    }

    /// Counts a state, of which it is known whether it satisfies the constraint.
    pub fn note_state(&mut self, place: Place, is_within: bool) {
        if is_within {
            self.depth = self.depth.max(place.length);
        } else {
            self.outside += 1;
            self.initial += u64::from(place.length == 0);
        }
    }

    /// Counts a step by whether its target satisfies the constraint.
    pub fn note_step(&mut self, is_within: bool) {
        self.steps += u64::from(!is_within);
    }

    /// Distinct states outside of the constraint.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Those of them that are initial.
    pub fn initial(&self) -> u64 {
        self.initial
    }

    /// Steps to a state outside of it.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The greatest distance from an initial state of one within it.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Figures of the constraint for the report.
    pub fn told<S: TransitionSystem>(&self, constraint: &Constraint<S>) -> Constrained {
        Constrained {
            name: constraint.name().to_owned(),
            states_outside: self.outside,
            steps_outside: self.steps,
        }
    }
}

/// That no state satisfies the constraint, if that is so.
pub(super) fn doubt<R: Refinement>(
    counts: &ConstraintCounts,
    found: &SearchResult<'_, R>,
) -> Option<String> {
    let constraint = found.constraint?;
    let states = found.totals.states;
    (states == counts.outside).then(|| {
        format!(
            "no initial state satisfies the constraint `{}`, so no step was taken",
            constraint.name()
        )
    })
}
