//! Whether equal states are the same state: a state that was reached again is looked at beside the one that was kept.
//!
//! A search keeps one of several equal states. If they differ in a variable that `Eq` leaves out, what the others would
//! have done is not seen. So targets of a sample of the states are compared with the states that were kept in their
//! place: by what they show of themselves, and by what the model makes of them.

use super::consistency::difference;
use crate::explore::{Lookup, Place, StateId};
use crate::functions::{Functions, RefinementFunctions};
use crate::invariant::Invariant;
use crate::model_call::named;
use crate::obligation::fault::Inconsistency;
use crate::obligation::found::Found;
use crate::obligation::sample::{is_asked_again, some_of};
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, steps};

/// States that are looked up in, all of them if they are not more.
const MOST_KEPT: usize = 1 << 16;
/// Targets that are looked up, and pairs of equal states of which the model is asked as well.
const MOST_TARGETS: usize = 1 << 12;
const MOST_ASKED: usize = 1 << 8;
/// States between two looks at the clock.
const PATIENCE: usize = 64;

/// A step that was taken once more.
struct Met<R: Refinement> {
    /// Place of its source.
    from: Place,
    /// Its position among the steps from there.
    position: u32,
    action: ActionOf<R::Concrete>,
}

/// What equal states are compared by.
pub(in crate::obligation) struct Compared<'a, R: Refinement> {
    pub found: &'a Found<'a, R>,
    pub invariants: &'a [Invariant<R::Concrete>],
    /// The places of those that were true of every state when the search came by.
    pub held: &'a [usize],
    /// Whether the search asked for images.
    pub images: bool,
}

impl<R: Refinement> Compared<'_, R> {
    /// Two equal states that differ, and the place of the step to the one that was not kept.
    pub fn unequal(&self) -> Option<(Place, Inconsistency)> {
        let found = self.found;
        let implementation = found.refinement.implementation();
        let mut met: Vec<Met<R>> = Vec::new();
        let mut targets = Vec::new();
        let states = (0..found.states.len() as u32).filter(|id| is_asked_again(u64::from(*id)));
        for (count, id) in states.enumerate() {
            if count.is_multiple_of(PATIENCE) && !found.in_time() {
                return None;
            }
            if targets.len() >= MOST_TARGETS {
                break;
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
            let steps: Vec<_> = (0..).zip(steps(implementation, &from)).collect();
            for (position, (action, to)) in some_of(&steps, u64::from(id)) {
                targets.push(match found.symmetry {
                    None => named("`clone` of a state", || to.clone()),
                    Some(symmetry) => symmetry.canonical(implementation, to),
                });
                met.push(Met {
                    from: place,
                    position: *position,
                    action: named("`clone` of an action", || action.clone()),
                });
            }
        }
        let lookups = found.states.find(implementation, &targets, MOST_KEPT);
        let mut asked = 0;
        for ((met, to), lookup) in met.iter().zip(&targets).zip(lookups) {
            match lookup {
                Lookup::Reached(id) => {
                    let kept = found.state(id)?;
                    if let Some(difference) = self.difference(&kept, to, &mut asked) {
                        let what = "states of the implementation";
                        let place = met.from.of_step(met.position);
                        return Some((place, Inconsistency::Equal { what, difference }));
                    }
                }
                Lookup::NotReached if found.totals.complete => {
                    let action = &met.action;
                    let inconsistency = Inconsistency::NotAFunction {
                        function: "`next` of the implementation, or `hash` of a state,".to_owned(),
                        first: "other steps".to_owned(),
                        again: format!("{action:?}, to {to:?}, which the search did not reach"),
                    };
                    return Some((met.from, inconsistency));
                }
                Lookup::ReachedExactly | Lookup::NotReached | Lookup::Unknown => (),
            }
        }
        None
    }

    /// How two states that are kept alike differ, if they do. Of so many of those that may the model is asked.
    fn difference(
        &self,
        kept: &StateOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
        asked: &mut usize,
    ) -> Option<String> {
        if named("`eq` of a state", || kept != to) {
            return None;
        }
        difference(kept, to).or_else(|| {
            *asked += 1;
            (*asked <= MOST_ASKED)
                .then(|| self.told_apart(kept, to))
                .flatten()
        })
    }

    /// An invariant that was true of a state when the search came by, and is not any more.
    fn changed(&self, state: &StateOf<R::Concrete>) -> Option<Inconsistency> {
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

    /// What of the model tells two equal states apart, if something does.
    fn told_apart(&self, kept: &StateOf<R::Concrete>, to: &StateOf<R::Concrete>) -> Option<String> {
        let refinement = self.found.refinement;
        let implementation = refinement.implementation();
        let told =
            |function: &str| format!("`{function}` tells {kept:?} from {to:?}, and `Eq` does not");
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
