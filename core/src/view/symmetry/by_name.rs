//! Exchanges that follow from the names in the states of a system: of members that are alike, and of how far counters have come.

use std::borrow::Cow;
use std::marker::PhantomData;

use super::canonical::{Renaming, make_canonical, rename};
use super::initial::initial_of;
use super::named::{HasNames, NamedErased, NamedState};
use super::rows::{Account, Census, Group, Groups, Permutation, Survey};
use crate::state::hiding::Hiding;
use crate::state::{CounterName, NameVisitor, Row, VisitNames};
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::some_initial;
use crate::statement::erased::{ErasedAction, ErasedState, ErasedStep, ErasedSystem};
use crate::statement::system::{StateOf, TransitionSystem, steps};
use crate::statement::trace::Trace;
use crate::walk::explore::Asymmetry;
use crate::walk::explore::Exchange;
use crate::walk::explore::{Lifting, Quotienting};
use crate::walk::random::Generator;

const VISIT_NAMES: &str = "`visit_names`, `cmp`, `hash` or `clone` of a state or an action";

/// Members of a group of which all permutations are tried,
const FEW: usize = 5;
/// if there are not more than so many with those of the other groups.
const ALL: usize = 720;
/// Of more, so many exchanges of two of them and so many permutations are tried,
const SOME: usize = 60;
/// and fewer of very many, whose states have as many steps.
const MANY: usize = 8;
const FEWER: usize = 12;
/// Initial states that are looked at for names.
const LOOKED_AT: usize = 1024;

/// The names in the states of a system.
pub(crate) struct ByName {
    groups: Groups,
    /// Groups of counters.
    counters: Vec<u8>,
    /// The permutations that are tried, the one that exchanges nothing first.
    tried: Vec<Permutation>,
}

impl ByName {
    /// The names in the initial states of a system, if there are any.
    pub fn of(system: &ErasedSystem<'_>) -> Option<Self> {
        let mut census = Census::default();
        for state in some_initial(system, LOOKED_AT).0 {
            let mut state = NamedErased(state, system);
            named(VISIT_NAMES, || state.visit(&mut census));
        }
        census.counters.sort_unstable();
        let groups = census.groups();
        (!groups.all.is_empty() || !census.counters.is_empty()).then(|| Self {
            tried: tried(&groups),
            groups,
            counters: census.counters,
        })
    }

    fn exchange_names(&self, by: usize, visit: &mut VisitNames<'_>) {
        visit(&mut self.tried[by].moved(&self.groups));
    }

    /// The state after the exchange of a number. The first of them exchanges nothing.
    pub(super) fn exchange(
        &self,
        system: &ErasedSystem<'_>,
        by: usize,
        state: &ErasedState,
    ) -> ErasedState {
        changed(system, state, |state| {
            self.exchange_names(by, &mut |visit| state.visit(visit));
        })
    }

    /// The action of a step after it. Where it has numbers that follow from its step, `around` is asked for the steps around it.
    pub(super) fn exchange_action<'l>(
        &self,
        system: &ErasedSystem<'_>,
        by: usize,
        step: (&ErasedAction, &ErasedState),
        around: impl FnOnce() -> Around<'l>,
    ) -> ErasedAction {
        let renamed = changed_action(system, step.0, |visit| self.exchange_names(by, visit));
        resolved(system, step, renamed, around)
    }

    /// The steps around one, and around it after an exchange.
    pub(super) fn around<'l>(
        &self,
        system: &ErasedSystem<'_>,
        by: usize,
        [from, to]: [&ErasedState; 2],
    ) -> Around<'l> {
        let [image, to_of_image] = [from, to].map(|state| self.exchange(system, by, state));
        Around {
            steps: Cow::Owned(steps(system, from)),
            of_image: Cow::Owned(steps(system, &image)),
            to_of_image: Cow::Owned(to_of_image),
        }
    }

    /// Fault of a state that has not the members that are exchanged, if it has one.
    pub(super) fn other_members(
        &self,
        system: &ErasedSystem<'_>,
        state: &ErasedState,
    ) -> Option<Asymmetry> {
        let mut account = Account::default();
        let mut survey = Survey::new(&self.groups, &mut account, false);
        changed(system, state, |state| state.visit(&mut survey));
        account.is_odd.then(|| Asymmetry::OtherMembers {
            about: format!("{state:?}"),
            members: self.groups.all.iter().map(|group| group.members).collect(),
        })
    }

    /// Number of exchanges that are tried.
    pub(super) fn count(&self) -> usize {
        self.tried.len()
    }

    /// Description of one.
    pub(super) fn told(&self, by: usize) -> Exchange {
        let Permutation { places, .. } = &self.tried[by];
        let groups = self.groups.all.iter();
        let places = groups.map(|group| (group.number, group.places(places)));
        Exchange {
            places: places.collect(),
        }
    }

    /// The state that stands for `state`, and true if the exchange that was found makes it of that one, and back.
    pub(super) fn representative(
        &self,
        system: &ErasedSystem<'_>,
        state: &ErasedState,
    ) -> (ErasedState, bool) {
        let mut renaming = Renaming::default();
        let made = changed(system, state, |state| {
            renaming = rename(state, &self.groups, &self.counters);
        });
        let back = changed(system, &made, |made| {
            renaming.undo(&mut |visit| made.visit(visit), &self.groups);
        });
        let representative = self.canonical(system, state);
        let is_member = made == representative && back == *state;
        (representative, is_member)
    }
}

/// Permutations of the members of groups: all, if they are few; otherwise random ones.
fn tried(groups: &Groups) -> Vec<Permutation> {
    let tried = places_tried(groups);
    let permutations = tried.into_iter().map(Permutation::to_places);
    permutations.collect()
}

/// The place to which each member goes in them.
fn places_tried(groups: &Groups) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..groups.members()).collect();
    let mut tried = vec![identity.clone()];
    let number = |group: &Group| (1..=group.members).fold(1, usize::saturating_mul);
    let numbers = groups.all.iter().map(number);
    if groups.all.iter().all(|group| group.members <= FEW)
        && numbers.fold(1, usize::saturating_mul) <= ALL
    {
        for group in &groups.all {
            for longest in 1..group.members {
                // Each permutation of so many, with the next member at each place.
                let shorter = tried.clone();
                for one in shorter {
                    for place in 0..longest {
                        let mut longer = one.clone();
                        longer.swap(group.before + place, group.before + longest);
                        tried.push(longer);
                    }
                }
            }
        }
        return tried;
    }
    let mut generator = Generator::new(groups.members() as u64);
    for _ in 0..if groups.members() > MANY { FEWER } else { SOME } {
        let mut random = identity.clone();
        for group in groups.all.iter().filter(|group| group.members > 1) {
            let mut exchanged = identity.clone();
            let one = generator.below(group.members);
            let other = (one + 1 + generator.below(group.members - 1)) % group.members;
            exchanged.swap(group.before + one, group.before + other);
            tried.push(exchanged);
            for place in 1..group.members {
                random.swap(
                    group.before + place,
                    group.before + generator.below(place + 1),
                );
            }
        }
        tried.push(random);
    }
    tried
}

/// A state that was changed.
fn changed(
    system: &ErasedSystem<'_>,
    state: &ErasedState,
    change: impl FnOnce(&mut dyn HasNames),
) -> ErasedState {
    let _shown = Hiding::suspend();
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

/// Puts 0 in the place of the numbers of an action that follow from its step.
#[derive(Default)]
struct Unchosen {
    /// True if there were some.
    found: bool,
}

impl NameVisitor for Unchosen {
    fn counter(&mut self, _: CounterName<'_>) {}

    fn member(&mut self, _: u8, _: &mut usize) {}

    fn rows(&mut self, _: u8, _: &mut [&mut dyn Row]) {}

    fn choice(&mut self, number: &mut usize) {
        *number = 0;
        self.found = true;
    }
}

/// Steps around one that is exchanged.
pub(super) struct Around<'l> {
    /// All steps from its source,
    pub steps: Cow<'l, [ErasedStep]>,
    /// and from the image of the source.
    pub of_image: Cow<'l, [ErasedStep]>,
    /// The image of its target.
    pub to_of_image: Cow<'l, ErasedState>,
}

/// The action of a step after an exchange, of which `renamed` has the names: one with numbers that follow from its step is that of
/// the step between the exchanged states. Of several, it is the one at the same position as the action.
fn resolved<'l>(
    system: &ErasedSystem<'_>,
    (action, to): (&ErasedAction, &ErasedState),
    renamed: ErasedAction,
    around: impl FnOnce() -> Around<'l>,
) -> ErasedAction {
    let mut unchosen = Unchosen::default();
    let wanted = changed_action(system, &renamed, |visit| visit(&mut unchosen));
    if !unchosen.found {
        return renamed;
    }
    let unchosen = |action: &ErasedAction| {
        changed_action(system, action, |visit| visit(&mut Unchosen::default()))
    };
    let like =
        |steps: &[ErasedStep], to: &ErasedState, wanted: &ErasedAction| -> Vec<ErasedAction> {
            let like = steps
                .iter()
                .filter(|(action, target)| target == to && unchosen(action) == *wanted);
            like.map(|(action, _)| action.clone()).collect()
        };
    let around = around();
    let mut images = like(&around.of_image, &around.to_of_image, &wanted);
    let position = if images.len() > 1 {
        let alike = like(&around.steps, to, &unchosen(action));
        alike.iter().position(|one| one == action)
    } else {
        Some(0)
    };
    match position {
        Some(at) if at < images.len() => images.swap_remove(at),
        _ => renamed,
    }
}

impl<'x> Quotienting<ErasedSystem<'x>> for ByName {
    fn canonical(&self, system: &ErasedSystem<'x>, state: &ErasedState) -> ErasedState {
        changed(system, state, |state| {
            make_canonical(state, &self.groups, &self.counters);
        })
    }
}

impl<'x> Lifting<ErasedSystem<'x>> for ByName {
    fn lift(
        &self,
        system: &ErasedSystem<'x>,
        representatives: Trace<ErasedSystem<'x>>,
    ) -> Result<Trace<ErasedSystem<'x>>, Asymmetry> {
        let mut from = representatives.initial;
        let mut lifted: Trace<ErasedSystem<'x>> = Trace {
            initial: initial_of(self, system, &from),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The renaming that makes the state that the behaviour has come to its representative.
            let mut renaming = Renaming::default();
            let last = changed(system, lifted.last(), |last| {
                renaming = rename(last, &self.groups, &self.counters);
            });
            if last != from {
                return Err(Asymmetry::NoExchange {
                    from: format!("{from:?}"),
                    to: format!("{:?}", lifted.last()),
                });
            }
            let renamed = changed_action(system, &action, |visit| {
                renaming.undo(visit, &self.groups);
            });
            let target = changed(system, &to, |to| {
                renaming.undo(&mut |visit| to.visit(visit), &self.groups);
            });
            let around = || Around {
                steps: Cow::Owned(steps(system, &from)),
                of_image: Cow::Owned(steps(system, lifted.last())),
                to_of_image: Cow::Borrowed(&target),
            };
            let lifted_action = resolved(system, (&action, &to), renamed, around);
            lifted.steps.push((lifted_action, target));
            from = self.canonical(system, &to);
        }
        Ok(lifted)
    }

    /// Or the greatest number, if there are more.
    fn permutations(&self) -> usize {
        let groups = self.groups.all.iter();
        let factors = groups.flat_map(|group| 1..=group.members);
        factors.fold(1, usize::saturating_mul)
    }

    fn shifts(&self) -> bool {
        !self.counters.is_empty()
    }
}

/// The names in the states of a system, by which states are identified: for a search that knows their type.
pub struct Quotient<S> {
    groups: Groups,
    counters: Vec<u8>,
    tried: Vec<Permutation>,
    of: PhantomData<fn(&S)>,
}

impl<S: TransitionSystem> Quotient<S> {
    /// The quotient by the names in the initial states of a system, if there are any.
    pub fn of(system: &S) -> Option<Self> {
        ByName::of(&ErasedSystem::alone(system)).map(|names| Self::by(&names))
    }

    /// The quotient by these names.
    pub(crate) fn by(names: &ByName) -> Self {
        Self {
            groups: names.groups.clone(),
            counters: names.counters.clone(),
            tried: names.tried.clone(),
            of: PhantomData,
        }
    }

    /// A state with its members exchanged in all ways, or in some of very many; in no way first.
    pub fn exchanged(&self, state: &StateOf<S>) -> Vec<StateOf<S>> {
        let exchanged = |permutation: &Permutation| {
            let mut state = NamedState::<S>(state.clone());
            state.visit(&mut permutation.moved(&self.groups));
            state.0
        };
        self.tried.iter().map(exchanged).collect()
    }
}

impl<S: TransitionSystem> Quotienting<S> for Quotient<S> {
    fn canonical(&self, _: &S, state: &StateOf<S>) -> StateOf<S> {
        let _shown = Hiding::suspend();
        let mut named_state = NamedState::<S>(state.clone());
        named(VISIT_NAMES, || {
            make_canonical(&mut named_state, &self.groups, &self.counters)
        });
        named_state.0
    }
}
