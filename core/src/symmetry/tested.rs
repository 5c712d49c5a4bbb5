//! Test that permutations change nothing, on the states explored.

use std::fmt::Debug;
use std::ops::Range;

use super::asymmetry::Asymmetry;
use super::by_hand::ByHand;
use super::by_name::ByName;
use super::exchange::Exchange;
use super::exchanges::{Exchanges, Identifies};
use super::quotient::Quotient;
use super::quotienting::{Lifting, Quotienting};
use super::symmetric::Symmetric;
use crate::erased::{ErasedRefinement, ErasedState, ErasedSystem, RefinementObject};
use crate::random::generator::mix;
use crate::statement::asked::answer::{answer, unsimulated};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::visit::some_initial;
use crate::statement::constraint::Constraint;
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem, steps};

/// Looks for a state of `states` in which the permutations of the implementation, together with those
/// of the specification, change something: `next`, `may_stop`, `map`, `abstract_steps`, `observe`, the constraint and the
/// specification's `is_initial` have to commute with them, invariants may only change places with each other, and what stands for
/// a state has to be of its class. Of several answers between the same abstract states any will do, if they are of
/// one rule and one process, and simulate as little or as much.
/// Not every exchanged initial state of the implementation need be initial: what is reached from it is what
/// is reached from the other one, exchanged.
///
/// An observation is permuted by permuting the mapped state, so it needs no permutations of its own.
pub fn asymmetry<'a, R>(
    refinement: &R,
    states: impl IntoIterator<Item = &'a StateOf<R::Implementation>>,
) -> Option<Asymmetry>
where
    R: Refinement,
    R::Implementation: Symmetric,
    R::Specification: Symmetric<Permutation = <R::Implementation as Symmetric>::Permutation>,
{
    let exchanges = ByHand::of(refinement.implementation());
    let test = Test {
        refinement,
        invariants: &refinement.invariants(),
        exchanges: &exchanges,
        of_specification: &exchanges,
        out_of_time: &|| false,
    };
    let found = |tested| match tested {
        Tested::Changed(asymmetry) => Some(asymmetry),
        Tested::Unchanged | Tested::CutShort => None,
    };
    found(test.initial()).or_else(|| {
        let mut states = states.into_iter();
        states.find_map(|state| found(test.changed(1..test.exchanges.count(), state)))
    })
}

/// Outcome of a test of the permutations.
pub(crate) enum Tested {
    Unchanged,
    Changed(Asymmetry),
    /// The time was up.
    CutShort,
}

/// The states tested with all permutations; the others are tested with one each.
const ALL_PERMUTATIONS: usize = 64;
/// The states tested one after the other; of the others, one in so many.
const EVERY_STATE: u64 = 1024;
const ONE_IN: u64 = 1024;

/// True if a quotient's [`asymmetry`](TestedQuotient::asymmetry) is to be asked of a state: of the first ones, and of
/// some of the others. These go by a hash of the number: what is wrong may come back in step with the numbers.
pub(crate) fn is_in_turn(state: u64) -> bool {
    state < EVERY_STATE || (mix(state) >> 32).is_multiple_of(ONE_IN)
}

/// A quotient of the implementation of `R`, and the test of its symmetry. What is tested are the permutations that
/// the quotient is made of: a model that is asked for them again may answer otherwise.
pub(crate) trait TestedQuotient<R: Refinement>: Send + Sync {
    /// The quotient.
    fn quotient(&self) -> &dyn Quotienting<R::Implementation>;

    /// The same without the types of the system.
    fn erased<'x>(&self) -> &dyn Lifting<ErasedSystem<'x>>;

    /// The same as [`asymmetry()`] of one of many states: of the first ones with all permutations, and of the others with
    /// one, as a hash says. `turn` is the number of the state.
    ///
    /// PERF: the invariants are made once, since making them takes longer than the test.
    fn asymmetry(
        &self,
        refinement: &R,
        invariants: &[Invariant<R::Implementation>],
        state: &StateOf<R::Implementation>,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested;
}

impl<S: Symmetric> Quotient<S> {
    /// See [`TestedQuotient::asymmetry`].
    pub(crate) fn asymmetry<R>(
        &self,
        refinement: &R,
        invariants: &[Invariant<S>],
        state: &StateOf<S>,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested
    where
        R: Refinement<Implementation = S>,
        R::Specification: Symmetric<Permutation = S::Permutation>,
    {
        let test = Test {
            refinement,
            invariants,
            exchanges: &self.exchanges,
            of_specification: &self.exchanges,
            out_of_time,
        };
        test.in_turn(state, turn)
    }
}

impl ByName {
    /// See [`TestedQuotient::asymmetry`].
    pub(crate) fn asymmetry(
        &self,
        refinement: &dyn RefinementObject,
        state: &ErasedState,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested {
        let refinement = &ErasedRefinement::of(refinement);
        let test = Test {
            refinement,
            invariants: &refinement.invariants(),
            exchanges: self,
            of_specification: self,
            out_of_time,
        };
        test.in_turn(state, turn)
    }
}

/// A test of the exchanges of a refinement's systems.
struct Test<'a, R: Refinement> {
    refinement: &'a R,
    invariants: &'a [Invariant<R::Implementation>],
    exchanges: &'a dyn Identifies<R::Implementation>,
    of_specification: &'a dyn Exchanges<R::Specification>,
    out_of_time: &'a dyn Fn() -> bool,
}

impl<R: Refinement> Test<'_, R> {
    /// Tests a state, of which the number is `turn`: all exchanges of the first ones, and one of each of the others.
    fn in_turn(&self, state: &StateOf<R::Implementation>, turn: usize) -> Tested {
        let others = 1..self.exchanges.count();
        let tested = if turn < ALL_PERMUTATIONS || others.is_empty() {
            others
        } else {
            let one = 1 + (mix(!(turn as u64)) % others.len() as u64) as usize;
            one..one + 1
        };
        if turn == 0 {
            let initial = self.initial();
            if !matches!(initial, Tested::Unchanged) {
                return initial;
            }
        }
        self.changed(tested, state)
    }

    /// Looks for a state, of which the representative is none of its class: the search has only what stands for the targets of a state.
    fn one_by_one<'s>(
        &self,
        mut states: impl Iterator<Item = &'s StateOf<R::Implementation>>,
        asymmetry: impl Fn(&StateOf<R::Implementation>) -> Option<Asymmetry>,
    ) -> Tested
    where
        R::Implementation: 's,
    {
        let mut cut_short = false;
        let found = states.find_map(|state| {
            cut_short = cut_short || (self.out_of_time)();
            if cut_short { None } else { asymmetry(state) }
        });
        match found {
            Some(asymmetry) => Tested::Changed(asymmetry),
            None if cut_short => Tested::CutShort,
            None => Tested::Unchanged,
        }
    }

    /// Asymmetry, if the representative of `state` is none of its class.
    fn strange(&self, state: &StateOf<R::Implementation>) -> Option<Asymmetry> {
        let system = self.refinement.implementation();
        let representative = self.exchanges.canonical(system, state);
        let is_member =
            representative == *state || self.exchanges.is_member(system, state, &representative);
        (!is_member).then(|| Asymmetry::NotAMember {
            about: format!("{state:?}"),
            representative: format!("{representative:?}"),
        })
    }

    /// Tests the first initial states: the representative of each is of its class, and maps to an initial state as it does.
    fn initial(&self) -> Tested {
        let system = self.refinement.implementation();
        let specification = self.refinement.specification();
        let is_initial = |state: &StateOf<R::Implementation>| {
            specification.call_is_initial(&self.refinement.call_map(state))
        };
        let (first, _) = some_initial(system, EVERY_STATE as usize);
        self.one_by_one(first.iter(), |state| {
            self.strange(state).or_else(|| {
                let representative = self.exchanges.canonical(system, state);
                let is_changed =
                    representative != *state && is_initial(&representative) != is_initial(state);
                is_changed.then(|| Asymmetry::InitialChanges {
                    about: format!("{state:?}"),
                    representative: format!("{representative:?}"),
                })
            })
        })
    }

    /// Tests some exchanges, counted from 0, of one state.
    fn changed(&self, mut tested: Range<usize>, state: &StateOf<R::Implementation>) -> Tested {
        if (self.out_of_time)() {
            return Tested::CutShort;
        }
        // It is tested no further, and what stands for a state is looked for among the others.
        let system = self.refinement.implementation();
        if self.exchanges.count() > 0 && self.exchanges.exchange(system, 0, state) != *state {
            return Tested::Changed(Asymmetry::FirstExchanges {
                about: format!("{state:?}"),
            });
        }
        if let Some(other) = self.exchanges.other_members(system, state) {
            return Tested::Changed(other);
        }
        let original = Original::of(self, state);
        // There may be so many exchanges that a state takes minutes.
        let mut cut_short = false;
        let found = tested.find_map(|by| {
            cut_short = cut_short || (self.out_of_time)();
            if cut_short {
                None
            } else {
                original.changed_by(by)
            }
        });
        match found {
            Some(asymmetry) => Tested::Changed(asymmetry),
            None if cut_short => Tested::CutShort,
            None => {
                let targets = original.steps.iter().map(|(_, to)| to);
                self.one_by_one(targets, |state| self.strange(state))
            }
        }
    }
}

/// An action, and the state to which it leads.
type StepOf<S> = (ActionOf<S>, StateOf<S>);

/// A state, and what is said of it that no exchange may change.
struct Original<'a, R: Refinement> {
    test: &'a Test<'a, R>,
    state: &'a StateOf<R::Implementation>,
    /// PERF: it takes as long to find as to test a permutation, or longer.
    canonical: StateOf<R::Implementation>,
    mapped: StateOf<R::Specification>,
    /// True if what it maps to is initial,
    is_initial: bool,
    /// and shows the same.
    shows_the_same: bool,
    /// Number of invariants that hold.
    holding: usize,
    constraint: Option<Constraint<R::Implementation>>,
    steps: Vec<StepOf<R::Implementation>>,
}

impl<'a, R: Refinement> Original<'a, R> {
    fn of(test: &'a Test<'a, R>, state: &'a StateOf<R::Implementation>) -> Self {
        let refinement = test.refinement;
        let (system, specification) = (refinement.implementation(), refinement.specification());
        let mapped = refinement.call_map(state);
        Self {
            test,
            state,
            canonical: test.exchanges.canonical(system, state),
            is_initial: specification.call_is_initial(&mapped),
            shows_the_same: system.call_observe(state) == specification.call_observe(&mapped),
            holding: holding(test.invariants, state),
            constraint: refinement.constraint(),
            steps: steps(system, state),
            mapped,
        }
    }

    /// Change that an exchange makes of something, if it does.
    fn changed_by(&self, by: usize) -> Option<Asymmetry> {
        let Self {
            test,
            state,
            mapped,
            ..
        } = self;
        let Test {
            refinement,
            exchanges,
            of_specification,
            ..
        } = test;
        let (system, specification) = (refinement.implementation(), refinement.specification());
        let told = exchanges.told(by);
        let does_not_commute = |what, about: &dyn Debug| {
            Some(Asymmetry::DoesNotCommute {
                what,
                by: exchanges.told(by),
                about: format!("{about:?}"),
            })
        };
        let image = exchanges.exchange(system, by, state);
        let is_shift = matches!(told, Exchange::Shift { .. });
        if is_shift && image == **state {
            // It has no counters of the group: those that a step makes begin anew.
            return None;
        }
        if self.canonical != exchanges.canonical(system, &image) {
            return Some(Asymmetry::NotCanonical {
                by: told,
                about: format!("{state:?}"),
            });
        }
        if system.call_may_stop(state) != system.call_may_stop(&image) {
            return does_not_commute("may_stop", state);
        }
        let mapped_image = of_specification.exchange(specification, by, mapped);
        // Counters of initial states are those with which they begin; see `initial`.
        if !is_shift && self.is_initial != specification.call_is_initial(&mapped_image) {
            return does_not_commute("is_initial", state);
        }
        if mapped_image != refinement.call_map(&image) {
            return does_not_commute("map", state);
        }
        // Two states that show the same still do, and two that do not, do not.
        let image_shows_the_same =
            system.call_observe(&image) == specification.call_observe(&mapped_image);
        if self.shows_the_same != image_shows_the_same {
            return does_not_commute("observe", state);
        }
        if self.holding != holding(test.invariants, &image) {
            return Some(Asymmetry::InvariantsChange {
                by: told,
                about: format!("{state:?}"),
            });
        }
        if let Some(constraint) = &self.constraint
            && constraint.contains(state) != constraint.contains(&image)
        {
            return does_not_commute("the constraint", state);
        }
        let mut of_image = steps(system, &image);
        for (action, to) in &self.steps {
            let by_step = exchanges.exchange_action(system, by, state, action, to);
            let permuted = (by_step, exchanges.exchange(system, by, to));
            let Some(place) = of_image.iter().position(|step| *step == permuted) else {
                return does_not_commute("next", action);
            };
            of_image.swap_remove(place);
            let target = refinement.call_map(to);
            let target_image = of_specification.exchange(specification, by, &target);
            let kind = |action: &ActionOf<R::Specification>| {
                let process = specification.call_process(action);
                (specification.call_rule(action), process)
            };
            let told = answer(*refinement, mapped, state, action, to);
            let told_of_image =
                answer(*refinement, &mapped_image, &image, &permuted.0, &permuted.1);
            // What each abstract action is in the image, by its rule and its process.
            let permuted_kinds = told
                .with_source()
                .iter()
                .enumerate()
                .map(|(place, action)| {
                    let (from, to) = (told.source(mapped, place), told.target(&target, place));
                    kind(&of_specification.exchange_action(specification, by, from, action, to))
                });
            let wrong = unsimulated(specification, &told, mapped, &target);
            if !permuted_kinds.eq(told_of_image.with_source().iter().map(kind))
                || wrong != unsimulated(specification, &told_of_image, &mapped_image, &target_image)
            {
                return does_not_commute("answer", action);
            }
        }
        match of_image.first() {
            Some((action, _)) => does_not_commute("next", action),
            None => None,
        }
    }
}

fn holding<S: TransitionSystem>(invariants: &[Invariant<S>], state: &StateOf<S>) -> usize {
    invariants.iter().filter(|one| one.holds(state)).count()
}

#[cfg(test)]
mod tests;
