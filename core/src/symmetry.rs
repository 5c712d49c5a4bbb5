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

use crate::invariant::Invariant;
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem, steps};
use crate::trace::Trace;

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

/// How states are identified, whatever the permutations are. Made by [`Quotient::of`].
pub trait Quotienting<S: TransitionSystem>: Sync {
    /// The state that stands for `state`.
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S>;
    /// The behaviour of the system that a sequence of steps between representatives stands for: each
    /// step begins where the one before it ended, up to an exchange.
    fn lift(&self, system: &S, representatives: Trace<S>) -> Trace<S>;
    /// How many permutations there are.
    fn permutations(&self) -> usize;
}

/// The quotient of a system by its permutations.
pub struct Quotient<S: Symmetric> {
    permutations: Vec<S::Permutation>,
}

impl<S: Symmetric> Quotient<S> {
    /// The quotient by all permutations.
    pub fn of(system: &S) -> Self {
        Self {
            permutations: system.permutations(),
        }
    }
}

impl<S: Symmetric> Quotienting<S> for Quotient<S> {
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S> {
        system.canonical(&self.permutations, state)
    }

    fn lift(&self, system: &S, representatives: Trace<S>) -> Trace<S> {
        let mut from = representatives.initial;
        // The representative of an initial state need not be initial itself.
        let mut initial = None;
        system.initial(&mut |state| {
            if initial.is_none() && self.canonical(system, &state) == from {
                initial = Some(state);
            }
        });
        let mut lifted = Trace {
            initial: initial.unwrap_or_else(|| from.clone()),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The exchange that makes the representative the state that the behaviour has come to.
            let by = self
                .permutations
                .iter()
                .find(|by| system.permute(by, &from) == *lifted.last())
                .expect("the behaviour is in a state of the representative's class");
            let permuted = system.permute_action(by, &from, &action, &to);
            let step = (permuted, system.permute(by, &to));
            lifted.steps.push(step);
            from = self.canonical(system, &to);
        }
        lifted
    }

    fn permutations(&self) -> usize {
        self.permutations.len()
    }
}

/// How a supposed symmetry changes something after all: what [`asymmetry`] finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Asymmetry {
    /// A function of the system or of the refinement does not commute with a permutation.
    #[error("{what} does not commute with permutation {permutation}: {about}")]
    DoesNotCommute {
        /// The function.
        what: &'static str,
        /// Which permutation, counted from 0.
        permutation: usize,
        /// The state or action it is wrong about, as `Debug` shows it.
        about: String,
    },
    /// Two members of a class have different representatives.
    #[error(
        "the representative of {about} is not that of its image under permutation {permutation}"
    )]
    NotCanonical {
        /// Which permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// What stands for a state is no member of its class, so that the state itself is never looked at.
    #[error("the representative of {about} is {representative}, which no permutation makes of it")]
    NotAMember {
        /// The state, as `Debug` shows it.
        about: String,
        /// What is said to stand for it.
        representative: String,
    },
    /// Not as many invariants hold in a state as in its image.
    #[error("permutation {permutation} changes how many invariants hold in {about}")]
    InvariantsChange {
        /// Which permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
}

/// Looks for a state of `states` in which the permutations of the implementation, together with those
/// of the specification, change something: `next`, `may_stop`, `map`, `answer`, `observe` and the specification's
/// `is_initial` have to commute with them, invariants may only change places with each other, and what stands for
/// a state has to be of its class. Of several answers between the same abstract states any will do, if they are of
/// one rule and one process, and simulate as little or as much.
/// Not every exchanged initial state of the implementation need be initial: what is reached from it is what
/// is reached from the other one, exchanged.
///
/// What is observed is permuted by permuting the mapped state, so it needs no permutations of its own.
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
    let system = refinement.implementation();
    let strange = strange_initial(system, &permutations);
    strange.or_else(|| {
        states.into_iter().find_map(|state| {
            let mut numbers = 1..permutations.len();
            let changed = numbers
                .find_map(|number| changed(refinement, &invariants, &permutations, number, state));
            changed.or_else(|| strange_target(system, &permutations, state))
        })
    })
}

/// Whether what stands for `state` is none of its class.
fn strange<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    state: &StateOf<S>,
) -> Option<Asymmetry> {
    let representative = system.canonical(permutations, state);
    let mut members = permutations.iter().map(|by| system.permute(by, state));
    (representative != *state && !members.any(|member| member == representative)).then(|| {
        Asymmetry::NotAMember {
            about: format!("{state:?}"),
            representative: format!("{representative:?}"),
        }
    })
}

/// The same of the first initial states,
fn strange_initial<S: Symmetric>(system: &S, permutations: &[S::Permutation]) -> Option<Asymmetry> {
    let mut found = None;
    let mut left = EVERY_STATE;
    system.initial(&mut |state| {
        if found.is_none() && left > 0 {
            left -= 1;
            found = strange(system, permutations, &state);
        }
    });
    found
}

/// and of the states to which the steps of a state lead: the search has only what stands for them.
fn strange_target<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    from: &StateOf<S>,
) -> Option<Asymmetry> {
    let mut targets = steps(system, from).into_iter();
    targets.find_map(|(_, to)| strange(system, permutations, &to))
}

/// The states tested with all permutations; the others are tested with one each.
const ALL_PERMUTATIONS: usize = 64;
/// The states tested one after the other; of the others, one in so many.
const EVERY_STATE: u32 = 1024;
const ONE_IN: u32 = 1021;

/// Whether [`asymmetry_in_turn`] is to be asked of a state: of the first ones, and now and then.
pub(crate) fn is_in_turn(state: u32) -> bool {
    state < EVERY_STATE || state.is_multiple_of(ONE_IN)
}

/// The same of one of many states: of the first ones with all permutations, and of the others with one,
/// by turns. `turn` is the number of the state.
///
/// PERF: the invariants are made once, since making them takes longer than the test.
pub(crate) fn asymmetry_in_turn<R>(
    refinement: &R,
    invariants: &[Invariant<R::Concrete>],
    state: &StateOf<R::Concrete>,
    turn: usize,
) -> Option<Asymmetry>
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    let permutations = refinement.implementation().permutations();
    let others = 1..permutations.len();
    let mut tested = match turn < ALL_PERMUTATIONS || others.is_empty() {
        true => others,
        false => {
            let one = 1 + turn % others.len();
            one..one + 1
        }
    };
    let changed =
        tested.find_map(|number| changed(refinement, invariants, &permutations, number, state));
    let system = refinement.implementation();
    let changed = changed.or_else(|| strange_target(system, &permutations, state));
    match turn {
        0 => changed.or_else(|| strange_initial(system, &permutations)),
        _ => changed,
    }
}

fn changed<R>(
    refinement: &R,
    invariants: &[Invariant<R::Concrete>],
    permutations: &[<R::Concrete as Symmetric>::Permutation],
    permutation: usize,
    state: &StateOf<R::Concrete>,
) -> Option<Asymmetry>
where
    R: Refinement,
    R::Concrete: Symmetric,
    R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
{
    let by = &permutations[permutation];
    let (system, specification) = (refinement.implementation(), refinement.specification());
    let does_not_commute = |what, about: &dyn std::fmt::Debug| {
        Some(Asymmetry::DoesNotCommute {
            what,
            permutation,
            about: format!("{about:?}"),
        })
    };
    let image = system.permute(by, state);
    if system.canonical(permutations, state) != system.canonical(permutations, &image) {
        return Some(Asymmetry::NotCanonical {
            permutation,
            about: format!("{state:?}"),
        });
    }
    if system.may_stop(state) != system.may_stop(&image) {
        return does_not_commute("may_stop", state);
    }
    let mapped = refinement.map(state);
    if specification.is_initial(&mapped)
        != specification.is_initial(&specification.permute(by, &mapped))
    {
        return does_not_commute("is_initial", state);
    }
    if specification.permute(by, &mapped) != refinement.map(&image) {
        return does_not_commute("map", state);
    }
    // Two states that show the same still do, and two that do not, do not.
    let alike = system.observe(state) == specification.observe(&mapped);
    let image_shows = system.observe(&image);
    if alike != (image_shows == specification.observe(&specification.permute(by, &mapped))) {
        return does_not_commute("observe", state);
    }
    let holding = |state: &StateOf<R::Concrete>| {
        let holding = invariants.iter().filter(|one| one.holds(state));
        holding.count()
    };
    if holding(state) != holding(&image) {
        return Some(Asymmetry::InvariantsChange {
            permutation,
            about: format!("{state:?}"),
        });
    }
    let mut of_image = steps(system, &image);
    for (action, to) in steps(system, state) {
        let by_step = system.permute_action(by, state, &action, &to);
        let permuted = (by_step, system.permute(by, &to));
        let Some(place) = of_image.iter().position(|step| *step == permuted) else {
            return does_not_commute("next", &action);
        };
        of_image.swap_remove(place);
        let answer = refinement.answer(state, &action, &to);
        let target = refinement.map(&to);
        let simulates = |answer: &Option<ActionOf<R::Abstract>>, from: &_, to: &_| match answer {
            Some(answer) => specification.allows(from, answer, to),
            None => from == to,
        };
        let is_simulated = simulates(&answer, &mapped, &target);
        let answer =
            answer.map(|answer| specification.permute_action(by, &mapped, &answer, &target));
        let kind = |answer: &ActionOf<R::Abstract>| {
            let process = specification.process_of(answer);
            (specification.rule_of(answer), process)
        };
        let of_image = refinement.answer(&image, &permuted.0, &permuted.1);
        let of_ends = [&mapped, &target].map(|end| specification.permute(by, end));
        if answer.as_ref().map(kind) != of_image.as_ref().map(kind)
            || is_simulated != simulates(&of_image, &of_ends[0], &of_ends[1])
        {
            return does_not_commute("answer", &action);
        }
    }
    match of_image.first() {
        Some((action, _)) => does_not_commute("next", action),
        None => None,
    }
}

#[cfg(test)]
mod tests;
