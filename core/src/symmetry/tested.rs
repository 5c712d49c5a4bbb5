//! Test that permutations change nothing, on the states explored.

use std::fmt::Debug;
use std::ops::Range;

use super::{Asymmetry, Quotient, Quotienting, Symmetric, SymmetricFunctions, is_member};
use crate::answer::{answer, unsimulated};
use crate::constraint::Constraint;
use crate::erased::ErasedSystem;
use crate::functions::{Functions, RefinementFunctions};
use crate::invariant::Invariant;
use crate::random::generator::mix;
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem, steps};
use crate::visit::some_initial;
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
    states: impl IntoIterator<Item = &'a StateOf<R::Concrete>>,
) -> Option<Asymmetry>
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    let invariants = refinement.invariants();
    let permutations = refinement.implementation().permutations();
    let found = |tested| match tested {
        Tested::Changed(asymmetry) => Some(asymmetry),
        Tested::Unchanged | Tested::CutShort => None,
    };
    let in_time = || false;
    let strange = strange_initial(refinement.implementation(), &permutations, &in_time);
    found(strange).or_else(|| {
        states.into_iter().find_map(|state| {
            let others = 1..permutations.len();
            found(changed(
                refinement,
                &invariants,
                &permutations,
                others,
                state,
                &in_time,
            ))
        })
    })
}

/// Asymmetry, if the representative of `state` is none of its class.
fn strange<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    state: &StateOf<S>,
) -> Option<Asymmetry> {
    let representative = system.call_canonical(permutations, state);
    let is_member =
        representative == *state || is_member(system, permutations, state, &representative);
    (!is_member).then(|| Asymmetry::NotAMember {
        about: format!("{state:?}"),
        representative: format!("{representative:?}"),
    })
}

/// The same of the first initial states.
fn strange_initial<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    out_of_time: &dyn Fn() -> bool,
) -> Tested {
    let (first, _) = some_initial(system, EVERY_STATE as usize);
    strange_one(system, permutations, first.iter(), out_of_time)
}

/// The same of any states: the search has only what stands for the targets of a state.
fn strange_one<'s, S: Symmetric + 's>(
    system: &S,
    permutations: &[S::Permutation],
    mut states: impl Iterator<Item = &'s StateOf<S>>,
    out_of_time: &dyn Fn() -> bool,
) -> Tested {
    let mut cut_short = false;
    let found = states.find_map(|state| {
        cut_short = cut_short || out_of_time();
        if cut_short {
            None
        } else {
            strange(system, permutations, state)
        }
    });
    match found {
        Some(asymmetry) => Tested::Changed(asymmetry),
        None if cut_short => Tested::CutShort,
        None => Tested::Unchanged,
    }
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
    fn quotient(&self) -> &dyn Quotienting<R::Concrete>;

    /// The same without the types of the system.
    fn erased<'x>(&self) -> &dyn Quotienting<ErasedSystem<'x>>;

    /// The same as [`asymmetry()`] of one of many states: of the first ones with all permutations, and of the others with
    /// one, as a hash says. `turn` is the number of the state.
    ///
    /// PERF: the invariants are made once, since making them takes longer than the test.
    fn asymmetry(
        &self,
        refinement: &R,
        invariants: &[Invariant<R::Concrete>],
        state: &StateOf<R::Concrete>,
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
        R: Refinement<Concrete = S>,
        R::Abstract: Symmetric<Permutation = S::Permutation>,
    {
        let permutations = &self.permutations;
        let others = 1..permutations.len();
        let tested = if turn < ALL_PERMUTATIONS || others.is_empty() {
            others
        } else {
            let one = 1 + (mix(!(turn as u64)) % others.len() as u64) as usize;
            one..one + 1
        };
        let system = refinement.implementation();
        if turn == 0 {
            let strange = strange_initial(system, permutations, out_of_time);
            if !matches!(strange, Tested::Unchanged) {
                return strange;
            }
        }
        changed(
            refinement,
            invariants,
            permutations,
            tested,
            state,
            out_of_time,
        )
    }
}

/// Tests some permutations, counted from 0, of one state.
fn changed<R>(
    refinement: &R,
    invariants: &[Invariant<R::Concrete>],
    permutations: &[<R::Concrete as Symmetric>::Permutation],
    mut tested: Range<usize>,
    state: &StateOf<R::Concrete>,
    out_of_time: &dyn Fn() -> bool,
) -> Tested
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    if out_of_time() {
        return Tested::CutShort;
    }
    // It is tested no further, and what stands for a state is looked for among the others.
    let system = refinement.implementation();
    if permutations
        .first()
        .is_some_and(|first| system.call_permute(first, state) != *state)
    {
        return Tested::Changed(Asymmetry::FirstExchanges {
            about: format!("{state:?}"),
        });
    }
    let original = Original::of(refinement, invariants, permutations, state);
    // There may be so many permutations that a state takes minutes.
    let mut cut_short = false;
    let found = tested.find_map(|permutation| {
        cut_short = cut_short || out_of_time();
        if cut_short {
            None
        } else {
            original.changed_by(permutation)
        }
    });
    match found {
        Some(asymmetry) => Tested::Changed(asymmetry),
        None if cut_short => Tested::CutShort,
        None => {
            let targets = original.steps.iter().map(|(_, to)| to);
            strange_one(system, permutations, targets, out_of_time)
        }
    }
}

/// An action, and the state to which it leads.
type StepOf<S> = (ActionOf<S>, StateOf<S>);

/// A state, and what is said of it that no permutation may change.
struct Original<'a, R: Refinement<Concrete: Symmetric>> {
    refinement: &'a R,
    invariants: &'a [Invariant<R::Concrete>],
    permutations: &'a [<R::Concrete as Symmetric>::Permutation],
    state: &'a StateOf<R::Concrete>,
    /// PERF: it takes as long to find as to test a permutation, or longer.
    canonical: StateOf<R::Concrete>,
    mapped: StateOf<R::Abstract>,
    /// True if what it maps to is initial,
    is_initial: bool,
    /// and shows the same.
    shows_the_same: bool,
    /// Number of invariants that hold.
    holding: usize,
    constraint: Option<Constraint<R::Concrete>>,
    steps: Vec<StepOf<R::Concrete>>,
}

impl<'a, R> Original<'a, R>
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    fn of(
        refinement: &'a R,
        invariants: &'a [Invariant<R::Concrete>],
        permutations: &'a [<R::Concrete as Symmetric>::Permutation],
        state: &'a StateOf<R::Concrete>,
    ) -> Self {
        let (system, specification) = (refinement.implementation(), refinement.specification());
        let mapped = refinement.call_map(state);
        Self {
            refinement,
            invariants,
            permutations,
            state,
            canonical: system.call_canonical(permutations, state),
            is_initial: specification.call_is_initial(&mapped),
            shows_the_same: system.call_observe(state) == specification.call_observe(&mapped),
            holding: holding(invariants, state),
            constraint: refinement.constraint(),
            steps: steps(system, state),
            mapped,
        }
    }

    /// Change that a permutation makes of something, if it does.
    fn changed_by(&self, permutation: usize) -> Option<Asymmetry> {
        let Self {
            refinement,
            state,
            mapped,
            ..
        } = self;
        let by = &self.permutations[permutation];
        let (system, specification) = (refinement.implementation(), refinement.specification());
        let does_not_commute = |what, about: &dyn Debug| {
            Some(Asymmetry::DoesNotCommute {
                what,
                permutation,
                about: format!("{about:?}"),
            })
        };
        let image = system.call_permute(by, state);
        if self.canonical != system.call_canonical(self.permutations, &image) {
            return Some(Asymmetry::NotCanonical {
                permutation,
                about: format!("{state:?}"),
            });
        }
        if system.call_may_stop(state) != system.call_may_stop(&image) {
            return does_not_commute("may_stop", state);
        }
        let mapped_image = specification.call_permute(by, mapped);
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
        if self.holding != holding(self.invariants, &image) {
            return Some(Asymmetry::InvariantsChange {
                permutation,
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
            let by_step = system.call_permute_action(by, state, action, to);
            let permuted = (by_step, system.call_permute(by, to));
            let Some(place) = of_image.iter().position(|step| *step == permuted) else {
                return does_not_commute("next", action);
            };
            of_image.swap_remove(place);
            let target = refinement.call_map(to);
            let target_image = specification.call_permute(by, &target);
            let kind = |action: &ActionOf<R::Abstract>| {
                let process = specification.call_process_of(action);
                (specification.call_rule_of(action), process)
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
                    kind(&specification.call_permute_action(by, from, action, to))
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
