//! Symmetry: identities that can be exchanged without changing what happens, and exploring one state
//! of each class of states that differ only by such an exchange.
//!
//! Source: Ip & Dill, *Better Verification Through Symmetry*, FMSD 9, 1996; Clarke, Enders, Filkorn &
//! Jha, *Exploiting Symmetry in Temporal Logic Model Checking*, FMSD 9, 1996.
//!
//! A model says which exchanges there are. That they really change nothing is tested, on the states
//! explored, by [`asymmetry`]. A quotient decides what is asked of states and steps, where the
//! question is the same of all members of a class. It cannot decide what is asked of one process of
//! several, as `environment` is.

use std::fmt::Debug;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;

use crate::answer::{answer, unsimulated};
use crate::constraint::Constraint;
use crate::functions::{Functions, RefinementFunctions};
use crate::invariant::Invariant;
use crate::model_call::{break_off, named, until_enough};
use crate::random::generator::mix;
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem, steps};
use crate::trace::Trace;
use crate::visit::{some_initial, visit_initial};

/// A system with interchangeable identities: mutators, references, threads.
pub trait Symmetric: TransitionSystem<State: Ord> {
    /// A way to exchange the identities.
    type Permutation: Clone + Send + Sync + 'static;

    /// All of them, the one that exchanges nothing first. They form a group.
    fn permutations(&self) -> Vec<Self::Permutation>;
    /// The state with the identities exchanged.
    fn permute(&self, by: &Self::Permutation, state: &StateOf<Self>) -> StateOf<Self>;
    /// The action of a step `from` … `to` with the identities exchanged: that of the step between the
    /// exchanged states.
    fn permute_action(
        &self,
        by: &Self::Permutation,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
        to: &StateOf<Self>,
    ) -> ActionOf<Self>;

    /// The member of the class of `state` that stands for all of them: the least, by default. A model
    /// may choose another one that is found sooner.
    fn canonical(&self, all: &[Self::Permutation], state: &StateOf<Self>) -> StateOf<Self> {
        let members = all[1..].iter().map(|by| self.permute(by, state));
        let least = members.min();
        match least {
            Some(least) if least < *state => least,
            _ => state.clone(),
        }
    }
}

/// Identification of states, whatever the permutations are. Made by [`Quotient::of`].
pub trait Quotienting<S: TransitionSystem>: Sync {
    /// The state that stands for `state`.
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S>;
    /// The behaviour of the system that a sequence of steps between representatives stands for: each
    /// step begins where the one before it ended, up to an exchange.
    ///
    /// # Errors
    ///
    /// If the permutations are none that identify these states.
    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry>;
    /// Number of permutations.
    fn permutations(&self) -> usize;
    /// Representative of a state that is no member of its class, of those asked about so far that were looked at.
    fn strange(&self) -> Option<Asymmetry>;
}

/// The quotient of a system by its permutations.
pub struct Quotient<S: Symmetric> {
    permutations: Vec<S::Permutation>,
    hasher: FixedState,
    /// The least state for which something stands that is none of its class, and what that is.
    strange: Mutex<Option<(StateOf<S>, StateOf<S>)>>,
}

impl<S: Symmetric> Quotient<S> {
    /// The quotient by all permutations.
    pub fn of(system: &S) -> Self {
        Self {
            permutations: system.permutations(),
            hasher: FixedState::default(),
            strange: Mutex::new(None),
        }
    }

    /// True if it is looked at that the representative of `state` is of its class.
    ///
    /// PERF: to find it takes a permutation after the other, so one state is looked at of as many as there are
    /// permutations.
    fn is_looked_at(&self, state: &StateOf<S>) -> bool {
        let permutations = self.permutations.len() as u64;
        permutations <= 2 || (self.hasher.hash_one(state) >> 16).is_multiple_of(permutations)
    }

    #[cold]
    fn note_strange(&self, state: &StateOf<S>, representative: &StateOf<S>) {
        let mut strange = self.strange.lock().unwrap_or_else(PoisonError::into_inner);
        if strange.as_ref().is_none_or(|(least, _)| state < least) {
            *strange = Some((state.clone(), representative.clone()));
        }
    }
}

impl<S: Symmetric> Quotienting<S> for Quotient<S> {
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S> {
        let representative = system.call_canonical(&self.permutations, state);
        if representative != *state
            && self.is_looked_at(state)
            && !is_member(system, &self.permutations, state, &representative)
        {
            self.note_strange(state, &representative);
        }
        representative
    }

    fn strange(&self) -> Option<Asymmetry> {
        let strange = self.strange.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, representative) = strange.as_ref()?;
        Some(Asymmetry::NotAMember {
            about: format!("{state:?}"),
            representative: format!("{representative:?}"),
        })
    }

    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry> {
        let mut from = representatives.initial;
        // The representative of an initial state need not be initial itself.
        let mut initial = None;
        until_enough(|| {
            visit_initial(system, &mut |state| {
                if self.canonical(system, &state) == from {
                    initial = Some(state);
                    break_off();
                }
            });
        });
        let mut lifted = Trace {
            initial: initial.unwrap_or_else(|| from.clone()),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The exchange that makes the representative the state that the behaviour has come to.
            let mut permutations = self.permutations.iter();
            let by = permutations.find(|by| system.call_permute(by, &from) == *lifted.last());
            let Some(by) = by else {
                return Err(Asymmetry::NoGroup {
                    from: format!("{from:?}"),
                    to: format!("{:?}", lifted.last()),
                });
            };
            let permuted = system.call_permute_action(by, &from, &action, &to);
            let step = (permuted, system.call_permute(by, &to));
            lifted.steps.push(step);
            from = self.canonical(system, &to);
        }
        Ok(lifted)
    }

    fn permutations(&self) -> usize {
        self.permutations.len()
    }
}

/// Change that a supposed symmetry makes after all: what [`asymmetry`] finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Asymmetry {
    /// A function of the system or of the refinement does not commute with a permutation.
    #[error("{what} does not commute with permutation {permutation}: {about}")]
    DoesNotCommute {
        /// The function.
        what: &'static str,
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state or action it is wrong about, as `Debug` shows it.
        about: String,
    },
    /// Two members of a class have different representatives.
    #[error(
        "the representative of {about} is not that of its image under permutation {permutation}"
    )]
    NotCanonical {
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The first permutation is not the one that exchanges nothing.
    #[error(
        "the first permutation exchanges something in {about}, and has to be the one that exchanges nothing"
    )]
    FirstExchanges {
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The representative of a state is no member of its class, so that the state itself is never looked at.
    #[error("the representative of {about} is {representative}, which no permutation makes of it")]
    NotAMember {
        /// The state, as `Debug` shows it.
        about: String,
        /// State that is said to stand for it.
        representative: String,
    },
    /// Two states were identified, and no permutation exchanges one for the other: of a group there is one.
    #[error(
        "{from} stands for {to}, and no permutation makes this of it: the permutations are no group"
    )]
    NoGroup {
        /// The representative, as `Debug` shows it.
        from: String,
        /// The state that a behaviour has come to, as `Debug` shows it.
        to: String,
    },
    /// Not as many invariants hold in a state as in its image.
    #[error("permutation {permutation} changes how many invariants hold in {about}")]
    InvariantsChange {
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
}

/// Looks for a state of `states` in which the permutations of the implementation, together with those
/// of the specification, change something: `next`, `may_stop`, `map`, `abstract_action`, `observe`, the constraint and the
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

/// True if a permutation makes `other` of `state`.
fn is_member<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    state: &StateOf<S>,
    other: &StateOf<S>,
) -> bool {
    // PERF: the first one exchanges nothing, and is the last that can be the one.
    let mut members = permutations
        .iter()
        .rev()
        .map(|by| system.call_permute(by, state));
    members.any(|member| member == *other)
}

/// The same of the first initial states,
fn strange_initial<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    out_of_time: &dyn Fn() -> bool,
) -> Tested {
    let (first, _) = some_initial(system, EVERY_STATE as usize);
    strange_one(system, permutations, first.iter(), out_of_time)
}

/// or of any states: the search has only what stands for the targets of a state.
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
const EVERY_STATE: u32 = 1024;
const ONE_IN: u64 = 1024;

/// True if a quotient's [`asymmetry`](TestedQuotient::asymmetry) is to be asked of a state: of the first ones, and of
/// some of the others. These go by a hash of the number: what is wrong may come back in step with the numbers.
pub(crate) fn is_in_turn(state: u32) -> bool {
    state < EVERY_STATE || (mix(u64::from(state)) >> 32).is_multiple_of(ONE_IN)
}

/// A quotient of the implementation of `R`, and the test of its symmetry. What is tested are the permutations that
/// the quotient is made of: a model that is asked for them again may answer otherwise.
pub(crate) trait TestedQuotient<R: Refinement>: Sync {
    /// The quotient.
    fn quotient(&self) -> &dyn Quotienting<R::Concrete>;

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

impl<R> TestedQuotient<R> for Quotient<R::Concrete>
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    fn quotient(&self) -> &dyn Quotienting<R::Concrete> {
        self
    }

    fn asymmetry(
        &self,
        refinement: &R,
        invariants: &[Invariant<R::Concrete>],
        state: &StateOf<R::Concrete>,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested {
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
            let told = answer(*refinement, state, action, to);
            let told_of_image = answer(*refinement, &image, &permuted.0, &permuted.1);
            // What each abstract action is in the image, by its rule and its process.
            let permuted_kinds = told.actions().enumerate().map(|(place, action)| {
                let (from, to) = (told.source(mapped, place), told.target(&target, place));
                kind(&specification.call_permute_action(by, from, action, to))
            });
            let wrong = unsimulated(specification, &told, (mapped, &target));
            if !permuted_kinds.eq(told_of_image.actions().map(kind))
                || wrong
                    != unsimulated(
                        specification,
                        &told_of_image,
                        (&mapped_image, &target_image),
                    )
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

const CANONICAL: &str =
    "`canonical`, or `permute`, `cmp` or `clone` of a state, of which it is made,";

/// Calls of the functions of a system with interchangeable identities, by their names.
pub(crate) trait SymmetricFunctions: Symmetric {
    #[inline(always)]
    fn call_permute(&self, by: &Self::Permutation, state: &StateOf<Self>) -> StateOf<Self> {
        named("`permute`", || self.permute(by, state))
    }

    #[inline(always)]
    fn call_permute_action(
        &self,
        by: &Self::Permutation,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
        to: &StateOf<Self>,
    ) -> ActionOf<Self> {
        named("`permute_action`", || {
            self.permute_action(by, from, action, to)
        })
    }

    #[inline(always)]
    fn call_canonical(&self, all: &[Self::Permutation], state: &StateOf<Self>) -> StateOf<Self> {
        named(CANONICAL, || self.canonical(all, state))
    }
}

impl<S: Symmetric + ?Sized> SymmetricFunctions for S {}

#[cfg(test)]
mod tests;
