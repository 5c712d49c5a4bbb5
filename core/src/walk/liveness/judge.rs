//! A second opinion on a lasso, from the definitions and from what is said of its states and steps alone.

use super::lasso::Lasso;
use crate::statement::fairness::Strength;

/// Facts about a lasso's states, by their places in it, and about its steps. Two places may hold one state.
pub trait Facts {
    /// True if the state is initial.
    fn is_initial(&self, at: usize) -> bool;
    /// True if the system has a step between two states.
    fn is_step(&self, from: usize, to: usize) -> bool;
    /// True if the action of a condition is enabled: a step by one of its rules changes the state.
    fn enabled(&self, at: usize, condition: usize) -> bool;
    /// True if going from a state to another is a step of a condition's action.
    fn takes(&self, from: usize, to: usize, condition: usize) -> bool;
    /// True if the property is violated by a behaviour of these places, and then those of the loop again and again.
    fn violates(&self, word: &Word) -> bool;
}

/// The places of a lasso's states in the order in which they are visited.
#[derive(Clone, Debug)]
pub struct Word {
    /// Number of places.
    pub places: usize,
    /// The first place of the loop.
    pub loop_start: usize,
}

impl Word {
    /// The places of the loop.
    pub fn around(&self) -> std::ops::Range<usize> {
        self.loop_start..self.places
    }

    /// The steps of the loop; none where the behaviour stutters.
    pub fn steps_around(&self) -> impl Iterator<Item = (usize, usize)> {
        let last = self.places - 1;
        let next = move |at| if at == last { self.loop_start } else { at + 1 };
        let steps = self.around().map(move |at| (at, next(at)));
        steps.filter(|(from, to)| from != to)
    }

    /// True if wherever `premise` is true, `conclusion` is true then or later.
    pub fn leads_to(
        &self,
        premise: impl Fn(usize) -> bool,
        conclusion: impl Fn(usize) -> bool,
    ) -> bool {
        let last = (0..self.places).rev().find(|at| conclusion(*at));
        // A place of the loop is followed by all of the loop.
        let follows = |from: usize| last.is_some_and(|last| from.min(self.loop_start) <= last);
        (0..self.places).filter(|at| premise(*at)).all(follows)
    }

    /// True if a place is visited at which `holds` is true.
    pub fn eventually(&self, holds: impl Fn(usize) -> bool) -> bool {
        (0..self.places).any(holds)
    }

    /// True if infinitely often a place is visited at which `holds` is true.
    pub fn always_eventually(&self, holds: impl Fn(usize) -> bool) -> bool {
        self.around().any(holds)
    }

    /// True if `premise` is true of no place, or from some time on only places are visited at which `conclusion` is true.
    pub fn eventually_always(
        &self,
        premise: impl Fn(usize) -> bool,
        conclusion: impl Fn(usize) -> bool,
    ) -> bool {
        !self.eventually(premise) || self.around().all(conclusion)
    }
}

/// Reason why a loop meets a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The action is never enabled in it.
    NeverEnabled,
    /// The action is not enabled at this place, and the condition is weak.
    NotEnabled(usize),
    /// The action is taken by the step from this place.
    Taken(usize),
}

/// Fault of a lasso that was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not begin where the system does.
    #[error("the lasso does not begin in an initial state")]
    NotInitial,
    /// There is no such step.
    #[error("the lasso goes from its state {from} to its state {to}, and no step does")]
    NoStep {
        /// The place of the source.
        from: usize,
        /// The place of the target.
        to: usize,
    },
    /// The loop is unfair.
    #[error("the loop does not meet fairness condition {condition}")]
    Unfair {
        /// The number of the condition.
        condition: usize,
    },
    /// The property holds of it.
    #[error("the behaviour does not violate the property")]
    NoViolation,
}

/// Judges a lasso under conditions of these strengths: for each the reason why the loop meets it.
///
/// # Errors
///
/// If it is no behaviour of the system, is unfair, or violates nothing.
pub fn judge(lasso: &Lasso, strengths: &[Strength], facts: &impl Facts) -> Result<Vec<Met>, Fault> {
    let word = Word {
        places: lasso.states.len(),
        loop_start: lasso.loop_start,
    };
    if !facts.is_initial(0) {
        return Err(Fault::NotInitial);
    }
    let ahead = (1..word.places).map(|to| (to - 1, to));
    for (from, to) in ahead.chain(word.steps_around()) {
        if !facts.is_step(from, to) {
            return Err(Fault::NoStep { from, to });
        }
    }
    let mut met = Vec::new();
    for (condition, strength) in strengths.iter().enumerate() {
        let mut steps = word.steps_around();
        let taken = steps.find(|(from, to)| facts.takes(*from, *to, condition));
        let mut states = word.around();
        let reason = match (taken, strength) {
            (Some((from, _)), _) => Some(Met::Taken(from)),
            (None, _) if !states.clone().any(|at| facts.enabled(at, condition)) => {
                Some(Met::NeverEnabled)
            }
            (None, Strength::Weak) => states
                .find(|at| !facts.enabled(*at, condition))
                .map(Met::NotEnabled),
            (None, Strength::Strong) => None,
        };
        met.push(reason.ok_or(Fault::Unfair { condition })?);
    }
    if facts.violates(&word) {
        Ok(met)
    } else {
        Err(Fault::NoViolation)
    }
}
