//! Exchanges that follow from the names in the states of a system: of members that are alike, and of how far counters have come.

use std::marker::PhantomData;

use super::asymmetry::Asymmetry;
use super::canonical::{Renaming, make_canonical, move_members, undo};
use super::exchange::Exchange;
use super::exchanges::{Exchanges, Identifies, shifts};
use super::initial::initial_of;
use super::named::{Named, NamedErased, NamedState};
use super::quotienting::{Lifting, Quotienting};
use super::rows::{Census, Survey};
use crate::erased::{ErasedAction, ErasedState, ErasedSystem};
use crate::random::Generator;
use crate::state::{VisitNames, shift};
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::some_initial;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;

const VISIT_NAMES: &str = "`visit_names`, `cmp`, `hash` or `clone` of a state or an action";

/// Members of which all permutations are tried.
const FEW: usize = 5;
/// Of more, so many exchanges of two of them and so many permutations are tried,
const SOME: usize = 60;
/// and fewer of very many, whose states have as many steps.
const MANY: usize = 8;
const FEWER: usize = 12;
/// Initial states that are looked at for names.
const LOOKED_AT: usize = 1024;

/// The names in the states of a system.
pub(crate) struct ByName {
    /// Number of members, which is 0 where there are none.
    members: usize,
    groups: Vec<u8>,
    /// The permutations that are tried, the one that exchanges nothing first: the place to which each member goes.
    tried: Vec<Vec<usize>>,
    shifts: Vec<(u8, u64)>,
}

impl ByName {
    /// The names in the initial states of a system, if there are any.
    pub fn of(system: &ErasedSystem<'_>) -> Option<Self> {
        let mut census = Census::default();
        for state in some_initial(system, LOOKED_AT).0 {
            let mut state = NamedErased(state, system);
            named(VISIT_NAMES, || state.visit(&mut census));
        }
        census.groups.sort_unstable();
        let members = census.members.unwrap_or(0);
        (census.members.is_some() || !census.groups.is_empty()).then(|| Self {
            members,
            tried: tried(members),
            shifts: shifts(&census.groups),
            groups: census.groups,
        })
    }

    fn exchange_names(&self, by: usize, visit: &mut VisitNames<'_>) {
        match self.tried.get(by) {
            Some(places) => move_members(visit, places),
            None => {
                let at = by - self.tried.len();
                shift(visit, &self.shifts[at..=at]);
            }
        }
    }
}

/// Permutations of so many members: all, if they are few; otherwise random ones.
fn tried(members: usize) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..members).collect();
    let mut tried = vec![identity.clone()];
    if members <= FEW {
        for longest in 1..members {
            // Each permutation of so many, with the next member at each place.
            let shorter = tried.clone();
            for one in shorter {
                for place in 0..longest {
                    let mut longer = one.clone();
                    longer.swap(place, longest);
                    tried.push(longer);
                }
            }
        }
        return tried;
    }
    let mut generator = Generator::new(members as u64);
    for _ in 0..if members > MANY { FEWER } else { SOME } {
        let mut exchanged = identity.clone();
        let one = generator.below(members);
        exchanged.swap(one, (one + 1 + generator.below(members - 1)) % members);
        tried.push(exchanged);
        let mut random = identity.clone();
        for place in 1..members {
            random.swap(place, generator.below(place + 1));
        }
        tried.push(random);
    }
    tried
}

/// A state that was changed.
fn changed(
    system: &ErasedSystem<'_>,
    state: &ErasedState,
    change: impl FnOnce(&mut dyn Named),
) -> ErasedState {
    let mut state = NamedErased(state.clone(), system);
    named(VISIT_NAMES, || change(&mut state));
    state.0
}

/// An action of which the names were changed.
fn changed_action(
    system: &ErasedSystem<'_>,
    action: &ErasedAction,
    change: impl FnOnce(&mut VisitNames<'_>),
) -> ErasedAction {
    let mut action = action.clone();
    named(VISIT_NAMES, || {
        change(&mut |visit| system.0.visit_action_names(&mut action, visit));
    });
    action
}

impl<'x> Exchanges<ErasedSystem<'x>> for ByName {
    fn exchange(&self, system: &ErasedSystem<'x>, by: usize, state: &ErasedState) -> ErasedState {
        changed(system, state, |state| {
            self.exchange_names(by, &mut |visit| state.visit(visit));
        })
    }

    fn exchange_action(
        &self,
        system: &ErasedSystem<'x>,
        by: usize,
        _: &ErasedState,
        action: &ErasedAction,
        _: &ErasedState,
    ) -> ErasedAction {
        changed_action(system, action, |visit| self.exchange_names(by, visit))
    }
}

impl<'x> Identifies<ErasedSystem<'x>> for ByName {
    fn other_members(&self, system: &ErasedSystem<'x>, state: &ErasedState) -> Option<Asymmetry> {
        let mut survey = Survey::new(self.members);
        changed(system, state, |state| state.visit(&mut survey));
        survey.is_odd.then(|| Asymmetry::OtherMembers {
            about: format!("{state:?}"),
            members: self.members,
        })
    }

    fn count(&self) -> usize {
        self.tried.len() + self.shifts.len()
    }

    fn told(&self, by: usize) -> Exchange {
        if let Some(places) = self.tried.get(by) {
            return Exchange::Members(places.clone());
        }
        let (group, by) = self.shifts[by - self.tried.len()];
        Exchange::Shift { group, by }
    }

    fn canonical(&self, system: &ErasedSystem<'x>, state: &ErasedState) -> ErasedState {
        changed(system, state, |state| {
            make_canonical(state, self.members, &self.groups);
        })
    }

    fn is_member(
        &self,
        system: &ErasedSystem<'x>,
        state: &ErasedState,
        other: &ErasedState,
    ) -> bool {
        let mut renaming = None;
        let made = changed(system, state, |state| {
            renaming = Some(make_canonical(state, self.members, &self.groups));
        });
        let back = changed(system, &made, |made| {
            if let Some(renaming) = &renaming {
                undo(&mut |visit| made.visit(visit), renaming);
            }
        });
        made == *other && back == *state
    }
}

impl<'x> Quotienting<ErasedSystem<'x>> for ByName {
    fn canonical(&self, system: &ErasedSystem<'x>, state: &ErasedState) -> ErasedState {
        Identifies::canonical(self, system, state)
    }

    fn strange(&self) -> Option<Asymmetry> {
        None
    }
}

impl<'x> Lifting<ErasedSystem<'x>> for ByName {
    fn lift(
        &self,
        system: &ErasedSystem<'x>,
        representatives: Trace<ErasedSystem<'x>>,
    ) -> Result<Trace<ErasedSystem<'x>>, Asymmetry> {
        let mut from = representatives.initial;
        let mut lifted = Trace {
            initial: initial_of(self, system, &from),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The renaming that makes the state that the behaviour has come to its representative.
            let mut renaming = Renaming::default();
            let last = changed(system, lifted.last(), |last| {
                renaming = make_canonical(last, self.members, &self.groups);
            });
            if last != from {
                return Err(Asymmetry::NoGroup {
                    from: format!("{from:?}"),
                    to: format!("{:?}", lifted.last()),
                });
            }
            from = Identifies::canonical(self, system, &to);
            let action = changed_action(system, &action, |visit| undo(visit, &renaming));
            let to = changed(system, &to, |to| {
                undo(&mut |visit| to.visit(visit), &renaming);
            });
            lifted.steps.push((action, to));
        }
        Ok(lifted)
    }

    /// Or the greatest number, if there are more.
    fn permutations(&self) -> usize {
        (1..=self.members).fold(1, usize::saturating_mul)
    }

    fn shifts(&self) -> bool {
        !self.groups.is_empty()
    }
}

/// The same names, for a search that knows the type of the states.
pub(crate) struct ByNameOf<S> {
    members: usize,
    groups: Vec<u8>,
    of: PhantomData<fn(&S)>,
}

impl<S> ByNameOf<S> {
    /// These names.
    pub fn new(names: &ByName) -> Self {
        Self {
            members: names.members,
            groups: names.groups.clone(),
            of: PhantomData,
        }
    }
}

impl<S: TransitionSystem> Quotienting<S> for ByNameOf<S> {
    fn canonical(&self, _: &S, state: &StateOf<S>) -> StateOf<S> {
        let mut named_state = NamedState::<S>(state.clone());
        named(VISIT_NAMES, || {
            make_canonical(&mut named_state, self.members, &self.groups)
        });
        named_state.0
    }

    fn strange(&self) -> Option<Asymmetry> {
        None
    }
}
