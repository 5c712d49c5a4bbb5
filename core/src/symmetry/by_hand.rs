//! Permutations that a model lists, and shifts of the counters in its states.

use super::exchange::Exchange;
use super::exchanges::{Exchanges, Identifies, shifts};
use super::named::{Named, NamedState};
use super::rows::Census;
use super::symmetric::{Symmetric, SymmetricFunctions};
use crate::state::{normalise_groups, shift};
use crate::statement::action::Action;
use crate::statement::asked::model_call::tolerated;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem, first_initial};

/// Permutations, and the groups of counters that are shifted.
pub(super) struct ByHand<P> {
    pub permutations: Vec<P>,
    groups: Vec<u8>,
    shifts: Vec<(u8, u64)>,
}

impl<P> ByHand<P> {
    /// Those of a system, and the counters of its states.
    pub fn of<S: Symmetric<Permutation = P>>(system: &S) -> Self {
        let mut census = Census::default();
        // If there is none to be had the search tells why.
        if let Some(Some(state)) = tolerated(|| first_initial(system)) {
            NamedState::<S>(state).visit(&mut census);
        }
        Self {
            permutations: system.permutations(),
            shifts: shifts(&census.groups),
            groups: census.groups,
        }
    }

    /// True if counters are shifted.
    pub fn shifts(&self) -> bool {
        !self.shifts.is_empty()
    }

    /// The state with its counters shifted down, and by how much.
    pub fn normalised<S: TransitionSystem>(
        &self,
        state: &StateOf<S>,
    ) -> (StateOf<S>, Vec<(u8, u64)>) {
        let mut named = NamedState::<S>(state.clone());
        let by = if self.shifts() {
            normalise_groups(&mut |visit| named.visit(visit), &self.groups)
        } else {
            Vec::new()
        };
        (named.0, by)
    }

    /// The state with its counters shifted up.
    pub fn shifted<S: TransitionSystem>(state: StateOf<S>, by: &[(u8, u64)]) -> StateOf<S> {
        let mut named = NamedState::<S>(state);
        shift(&mut |visit| named.visit(visit), by);
        named.0
    }

    /// The action with its counters shifted up.
    pub fn shifted_action<S: TransitionSystem>(
        mut action: ActionOf<S>,
        by: &[(u8, u64)],
    ) -> ActionOf<S> {
        shift(&mut |visit| action.visit_names(visit), by);
        action
    }

    fn shift_of(&self, by: usize) -> &[(u8, u64)] {
        let at = by - self.permutations.len();
        &self.shifts[at..=at]
    }
}

impl<S: Symmetric> Exchanges<S> for ByHand<S::Permutation> {
    fn exchange(&self, system: &S, by: usize, state: &StateOf<S>) -> StateOf<S> {
        match self.permutations.get(by) {
            Some(by) => system.call_permute(by, state),
            None => Self::shifted::<S>(state.clone(), self.shift_of(by)),
        }
    }

    fn exchange_action(
        &self,
        system: &S,
        by: usize,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> ActionOf<S> {
        match self.permutations.get(by) {
            Some(by) => system.call_permute_action(by, from, action, to),
            None => Self::shifted_action::<S>(action.clone(), self.shift_of(by)),
        }
    }
}

impl<S: Symmetric> Identifies<S> for ByHand<S::Permutation> {
    fn count(&self) -> usize {
        self.permutations.len() + self.shifts.len()
    }

    fn told(&self, by: usize) -> Exchange {
        if by < self.permutations.len() {
            return Exchange::Permutation(by);
        }
        let (group, by) = self.shift_of(by)[0];
        Exchange::Shift { group, by }
    }

    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S> {
        if self.shifts() {
            let (normalised, _) = self.normalised::<S>(state);
            return system.call_canonical(&self.permutations, &normalised);
        }
        system.call_canonical(&self.permutations, state)
    }

    fn is_member(&self, system: &S, state: &StateOf<S>, other: &StateOf<S>) -> bool {
        // PERF: the first one exchanges nothing, and is the last that can be the one.
        let is_made_of = |state: &StateOf<S>| {
            let mut permutations = self.permutations.iter().rev();
            permutations.any(|by| system.call_permute(by, state) == *other)
        };
        if self.shifts() {
            return is_made_of(&self.normalised::<S>(state).0);
        }
        is_made_of(state)
    }
}
