//! Test that exchanges of names change nothing, on the states explored.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use super::by_name::{Around, ByName};
use crate::statement::asked::answer::{answer, unsimulated};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::visit::some_initial;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{
    ErasedAction, ErasedRefinement, ErasedState, ErasedSystem, RefinementObject,
};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::steps;
use crate::walk::explore::Asymmetry;
use crate::walk::explore::Quotienting;
use crate::walk::random::generator::mix;

/// Outcome of a test of the exchanges.
pub(crate) enum ExchangesTested {
    Unchanged,
    Changed(Asymmetry),
    /// The time was up.
    CutShort,
}

/// The states tested with all exchanges; the others are tested with one each.
const ALL_EXCHANGES: usize = 64;
/// The states tested one after the other; of the others, one in so many.
const EVERY_STATE: u64 = 1024;
const ONE_IN: u64 = 1024;

/// True if [`ByName::asymmetry`] is to be asked of a state: of the first ones, and of
/// some of the others. These go by a hash of the number: what is wrong may come back in step with the numbers.
pub(crate) fn is_in_turn(state: u64) -> bool {
    state < EVERY_STATE || (mix(state) >> 32).is_multiple_of(ONE_IN)
}

impl ByName {
    /// Looks for a change that exchanges make after all, in one of many states: of the first ones with all exchanges, and of the others with
    /// one, as a hash says. `turn` is the number of the state.
    pub(crate) fn asymmetry(
        &self,
        refinement: &dyn RefinementObject,
        state: &ErasedState,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> ExchangesTested {
        let refinement = &ErasedRefinement::of(refinement);
        let test = Test {
            refinement,
            invariants: &refinement.invariants(),
            exchanges: self,
            out_of_time,
        };
        test.in_turn(state, turn)
    }

    /// The same in initial states and in these, with all exchanges.
    pub(crate) fn asymmetry_of(
        &self,
        refinement: &dyn RefinementObject,
        mut states: impl Iterator<Item = ErasedState>,
    ) -> Option<Asymmetry> {
        let refinement = &ErasedRefinement::of(refinement);
        let test = Test {
            refinement,
            invariants: &refinement.invariants(),
            exchanges: self,
            out_of_time: &|| false,
        };
        let found = |tested| match tested {
            ExchangesTested::Changed(asymmetry) => Some(asymmetry),
            ExchangesTested::Unchanged | ExchangesTested::CutShort => None,
        };
        let all = 1..self.count();
        found(test.initial())
            .or_else(|| states.find_map(|state| found(test.changed(all.clone(), &state))))
    }
}

/// A test of the exchanges of a refinement's systems.
struct Test<'a, 'x> {
    refinement: &'a ErasedRefinement<'x>,
    invariants: &'a [Invariant<ErasedSystem<'x>>],
    exchanges: &'a ByName,
    out_of_time: &'a dyn Fn() -> bool,
}

impl Test<'_, '_> {
    /// Tests a state, of which the number is `turn`: all exchanges of the first ones, and one of each of the others.
    fn in_turn(&self, state: &ErasedState, turn: usize) -> ExchangesTested {
        let others = 1..self.exchanges.count();
        let tested = if turn < ALL_EXCHANGES || others.is_empty() {
            others
        } else {
            let one = 1 + (mix(!(turn as u64)) % others.len() as u64) as usize;
            one..one + 1
        };
        if turn == 0 {
            let initial = self.initial();
            if !matches!(initial, ExchangesTested::Unchanged) {
                return initial;
            }
        }
        self.changed(tested, state)
    }

    /// Looks for a state, of which the representative is none of its class: the search has only what stands for the targets of a state.
    fn one_by_one<'s>(
        &self,
        mut states: impl Iterator<Item = &'s ErasedState>,
        asymmetry: impl Fn(&ErasedState) -> Option<Asymmetry>,
    ) -> ExchangesTested {
        let mut cut_short = false;
        let found = states.find_map(|state| {
            cut_short = cut_short || (self.out_of_time)();
            if cut_short { None } else { asymmetry(state) }
        });
        match found {
            Some(asymmetry) => ExchangesTested::Changed(asymmetry),
            None if cut_short => ExchangesTested::CutShort,
            None => ExchangesTested::Unchanged,
        }
    }

    /// Asymmetry, if the representative of `state` is none of its class.
    fn strange(&self, state: &ErasedState) -> Option<Asymmetry> {
        let system = self.refinement.implementation();
        let (representative, is_member) = self.exchanges.representative(system, state);
        (!is_member).then(|| Asymmetry::NotAMember {
            about: format!("{state:?}"),
            representative: format!("{representative:?}"),
        })
    }

    /// Tests the first initial states: the representative of each is of its class, and maps to an initial state as it does.
    fn initial(&self) -> ExchangesTested {
        let system = self.refinement.implementation();
        let specification = self.refinement.specification();
        let is_initial =
            |state: &ErasedState| specification.call_is_initial(&self.refinement.call_map(state));
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
    fn changed(&self, mut tested: Range<usize>, state: &ErasedState) -> ExchangesTested {
        if (self.out_of_time)() {
            return ExchangesTested::CutShort;
        }
        // It is tested no further, and what stands for a state is looked for among the others.
        let system = self.refinement.implementation();
        if self.exchanges.count() > 0 && self.exchanges.exchange(system, 0, state) != *state {
            return ExchangesTested::Changed(Asymmetry::ChangedByVisit {
                about: format!("{state:?}"),
            });
        }
        if let Some(other) = self.exchanges.other_members(system, state) {
            return ExchangesTested::Changed(other);
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
            Some(asymmetry) => ExchangesTested::Changed(asymmetry),
            None if cut_short => ExchangesTested::CutShort,
            None => {
                let targets = original.steps.iter().map(|(_, to)| to);
                self.one_by_one(targets, |state| self.strange(state))
            }
        }
    }
}

/// A state, and what is said of it that no exchange may change.
struct Original<'a, 'x> {
    test: &'a Test<'a, 'x>,
    state: &'a ErasedState,
    /// PERF: it takes as long to find as to test a permutation, or longer.
    canonical: ErasedState,
    mapped: ErasedState,
    /// True if what it maps to is initial,
    is_initial: bool,
    /// and shows the same.
    shows_the_same: bool,
    /// Number of invariants that hold.
    holding: usize,
    constraint: Option<Constraint<ErasedSystem<'x>>>,
    steps: Vec<(ErasedAction, ErasedState)>,
}

impl<'a, 'x> Original<'a, 'x> {
    fn of(test: &'a Test<'a, 'x>, state: &'a ErasedState) -> Self {
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
        if self.canonical != exchanges.canonical(system, &image) {
            return Some(Asymmetry::NotCanonical {
                by: told,
                about: format!("{state:?}"),
            });
        }
        if system.call_may_stop(state) != system.call_may_stop(&image) {
            return does_not_commute("may_stop", state);
        }
        let mapped_image = exchanges.exchange(specification, by, mapped);
        if self.is_initial != specification.call_is_initial(&mapped_image) {
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
        let of_image = steps(system, &image);
        let mut left: Vec<_> = of_image.iter().collect();
        for (action, to) in &self.steps {
            let to_of_image = exchanges.exchange(system, by, to);
            let around = || Around {
                steps: Cow::Borrowed(&self.steps),
                of_image: Cow::Borrowed(&of_image),
                to_of_image: Cow::Borrowed(&to_of_image),
            };
            let by_step = exchanges.exchange_action(system, by, (action, to), around);
            let permuted = (by_step, to_of_image);
            let Some(place) = left.iter().position(|step| **step == permuted) else {
                return does_not_commute("next", action);
            };
            left.swap_remove(place);
            let target = refinement.call_map(to);
            let target_image = exchanges.exchange(specification, by, &target);
            let kind = |action: &ErasedAction| {
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
                    let around = || exchanges.around(specification, by, [from, to]);
                    kind(&exchanges.exchange_action(specification, by, (action, to), around))
                });
            let wrong = unsimulated(specification, &told, mapped, &target);
            if !permuted_kinds.eq(told_of_image.with_source().iter().map(kind))
                || wrong != unsimulated(specification, &told_of_image, &mapped_image, &target_image)
            {
                return does_not_commute("answer", action);
            }
        }
        match left.first() {
            Some((action, _)) => does_not_commute("next", action),
            None => None,
        }
    }
}

fn holding(invariants: &[Invariant<ErasedSystem<'_>>], state: &ErasedState) -> usize {
    invariants.iter().filter(|one| one.holds(state)).count()
}

#[cfg(test)]
mod tests;
