//! Whether equal states are the same state: a state that was reached again is looked at beside the one that was kept.
//!
//! A search keeps one of several equal states. If they differ in a variable that `Eq` leaves out, what the others would
//! have done is not seen. So targets of a sample of the states are compared with the states that were kept in their
//! place: by what they show of themselves, and by what the model makes of them.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};

use crate::obligation::found::SearchResult;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::steps;
use crate::view::consistency::sample::is_asked_again;
use crate::view::consistency::{Inconsistency, difference, told_apart};
use crate::walk::explore::{Place, StateId};

/// States by their hashes that are looked up in, all of them if they are not more.
const MOST_KEPT: u64 = 1 << 16;
/// States that are in it or left out of it together.
const BLOCK: u64 = 1 << 8;
/// Pairs of equal states that are compared, and those of which the model is asked as well.
const MOST_PAIRS: usize = 1 << 12;
const MOST_ASKED: usize = 1 << 8;

/// Answers by which equal states are compared.
pub(in crate::obligation) struct ComparedAnswers<'f, 'a> {
    pub found: &'f SearchResult<'f, ErasedRefinement<'a>>,
    pub invariants: &'f [Invariant<ErasedSystem<'a>>],
    /// The places of those that were true of every state when the search came by.
    pub held: &'f [usize],
    /// Whether the search asked for images.
    pub images: bool,
}

impl ComparedAnswers<'_, '_> {
    /// Two equal states that differ, and the place of the step to the one that was not kept.
    pub fn unequal(&self) -> Option<(Place, Inconsistency)> {
        let found = self.found;
        if !found.in_time() {
            return None;
        }
        let implementation = found.refinement.implementation();
        let states = found.states.len() as u64;
        let blocks = states.div_ceil(BLOCK);
        let every = blocks.div_ceil(MOST_KEPT / BLOCK).max(1);
        let hasher = FixedState::default();
        let mut kept: HashMap<u64, StateId> = HashMap::new();
        let ids = (0..blocks).step_by(every as usize);
        for id in ids.flat_map(|block| block * BLOCK..states.min((block + 1) * BLOCK)) {
            let state = found.state(StateId(id))?;
            kept.insert(hasher.hash_one(&state), StateId(id));
        }
        let complete = every == 1 && found.totals.complete;
        let mut pairs = 0;
        for id in (0..states).filter(|id| is_asked_again(*id)) {
            if id.is_multiple_of(64) && !found.in_time() || pairs >= MOST_PAIRS {
                return None;
            }
            let from = found.state(StateId(id))?;
            let place = found.states.place(StateId(id));
            if found.totals.complete
                && let Some(changed) = self.changed(&from)
            {
                return Some((place, changed));
            }
            if !found.is_expanded(&from) {
                continue;
            }
            for (position, (action, to)) in steps(implementation, &from).into_iter().enumerate() {
                let to = match found.symmetry {
                    None => to,
                    Some(symmetry) => symmetry.canonical(implementation, &to),
                };
                let place = place.of_step(position as u32);
                let same = kept.get(&hasher.hash_one(&to));
                let same = same.and_then(|id| found.state(*id));
                match same.filter(|same| *same == to) {
                    Some(same) => {
                        pairs += 1;
                        let shown = (!implementation.are_alike(&same, &to))
                            .then(|| difference(&same, &to))
                            .flatten();
                        let told = || (pairs <= MOST_ASKED).then(|| self.told_apart(&same, &to));
                        if let Some(difference) = shown.or_else(|| told().flatten()) {
                            let what = "states of the implementation";
                            return Some((place, Inconsistency::Equal { what, difference }));
                        }
                    }
                    // Two states may have one hash.
                    None if complete && !kept.contains_key(&hasher.hash_one(&to)) => {
                        let again =
                            format!("{action:?}, to {to:?}, which the search did not reach");
                        let function =
                            "`next` of the implementation, or `hash` of a state,".to_owned();
                        let first = "other steps".to_owned();
                        return Some((
                            found.states.place(StateId(id)),
                            Inconsistency::NotAFunction {
                                function,
                                first,
                                again,
                            },
                        ));
                    }
                    None => (),
                }
            }
        }
        None
    }

    /// An invariant that was true of a state when the search came by, and is not any more.
    fn changed(&self, state: &ErasedState) -> Option<Inconsistency> {
        let held = self.held.iter().map(|place| &self.invariants[*place]);
        let changed = held.into_iter().find(|invariant| !invariant.holds(state));
        let name = changed?.name();
        Some(Inconsistency::NotAFunction {
            function: format!("invariant `{name}`"),
            first: format!("true of {state:?}"),
            again: "when the search was over, false: states may share what a step changes"
                .to_owned(),
        })
    }

    /// Function of the model that tells two equal states apart, if one does.
    fn told_apart(&self, kept: &ErasedState, to: &ErasedState) -> Option<String> {
        let refinement = self.found.refinement;
        let implementation = refinement.implementation();
        let told = |function: &str| told_apart(function, kept, to);
        if implementation.call_observe(kept) != implementation.call_observe(to) {
            return Some(told("observe"));
        }
        if self.images && refinement.call_map(kept) != refinement.call_map(to) {
            return Some(told("map"));
        }
        let mut invariants = self.invariants.iter();
        if let Some(invariant) = invariants.find(|one| one.holds(kept) != one.holds(to)) {
            return Some(told(invariant.name()));
        }
        (steps(implementation, kept) != steps(implementation, to)).then(|| told("next"))
    }
}
