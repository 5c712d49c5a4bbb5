//! The test of a crowd: what is claimed by declaring one is asked of the reachable states with few members.

use std::collections::HashSet;
use std::fmt::Debug;

use super::declaration::{Crowd, CrowdParts, CrowdState, PartsOf, SystemOf, moved};
use super::fault::{CrowdFault, FaultOf};
use super::outcome::TestedCrowd;
use crate::explore::{Limit, Limits};
use crate::invariant::Invariant;
use crate::model_call::{Panic, catch};
use crate::refinement::Refinement;
use crate::visit::{visit_initial, visit_steps};

/// States that are tested of an instance with as many members as a view has, or more: every state has many parts that are compared.
const MOST_TESTED: usize = 1 << 12;

/// CrowdAnswer of instances with fewer members than a view has.
pub(super) enum Small<Shared, Member> {
    Holds,
    Violated {
        invariant: String,
        state: CrowdParts<Shared, Member>,
    },
    Limit(Limit),
    Panicked {
        at: CrowdParts<Shared, Member>,
        panic: Panic,
    },
}

pub(super) type SmallOf<C> = Small<<C as Crowd>::Shared, <C as Crowd>::Member>;

/// Tests a crowd with one member, two, and so on, up to one more than a view has; and asks the invariants with fewer than a view has.
///
/// # Errors
///
/// If the crowd is none.
pub(super) fn test<C: Crowd>(
    crowd: &C,
    instances: &[C::Instance],
    limits: &Limits,
    out_of_time: &dyn Fn() -> Option<Limit>,
) -> Result<(TestedCrowd, SmallOf<C>), FaultOf<C>> {
    let mut tested = TestedCrowd::default();
    for members in 1..=instances.len() {
        let of = TestedInstance {
            crowd,
            instances,
            members,
        };
        let is_small = members + 1 < instances.len();
        let most = limits.states.map_or(usize::MAX, |most| most as usize);
        let most = if is_small {
            most
        } else {
            most.min(MOST_TESTED)
        };
        let mut states = of.initial()?;
        let mut seen: HashSet<_> = states.iter().cloned().collect();
        let mut at = 0;
        let is_cut = loop {
            let Some(state) = states.get(at).cloned() else {
                break None;
            };
            if let Some(limit) = out_of_time() {
                break Some(limit);
            }
            if at == most {
                break Some(Limit::States(most as u64));
            }
            at += 1;
            match catch(|| of.test(&state, is_small)) {
                Ok(Ok(OfState::Targets(targets))) => {
                    let new = targets.into_iter().filter(|to| seen.insert(to.clone()));
                    states.extend(new);
                }
                Ok(Ok(OfState::Violated(invariant))) => {
                    return Ok((tested, Small::Violated { invariant, state }));
                }
                Ok(Err(fault)) => return Err(fault),
                Err(panic) => return Ok((tested, Small::Panicked { at: state, panic })),
            }
        };
        tested.states += at as u64;
        match is_cut {
            None => tested.members = members,
            Some(limit) if is_small => return Ok((tested, Small::Limit(limit))),
            Some(_) => break,
        }
    }
    Ok((tested, Small::Holds))
}

/// Findings at a state.
enum OfState<P> {
    Targets(Vec<P>),
    /// An invariant is false.
    Violated(String),
}

/// An instance that is tested, beside those with fewer members.
struct TestedInstance<'c, C: Crowd> {
    crowd: &'c C,
    instances: &'c [C::Instance],
    members: usize,
}

impl<C: Crowd> TestedInstance<'_, C> {
    /// Initial states with so many members.
    fn initial_with(&self, members: usize) -> Result<HashSet<PartsOf<C>>, FaultOf<C>> {
        let mut initial = HashSet::new();
        let system = self.instances[members - 1].implementation();
        let shown = catch(|| {
            visit_initial(system, &mut |state| {
                initial.insert(self.parts(&state));
            });
        });
        shown.map_err(FaultOf::<C>::Panicked)?;
        Ok(initial)
    }

    fn initial(&self) -> Result<Vec<PartsOf<C>>, FaultOf<C>> {
        let initial = self.initial_with(self.members)?;
        for state in &initial {
            for one in 1..self.members {
                if !initial.contains(&exchanged(state, one)) {
                    return Err(not_alike(state, one, "what is initial"));
                }
            }
        }
        if self.members > 1 {
            let fewer = self.initial_with(self.members - 1)?;
            let all = (1 << (self.members - 1)) - 1;
            if let Some(state) = initial
                .iter()
                .find(|state| !fewer.contains(&part(state, all)))
            {
                return Err(FaultOf::<C>::InitialNeedsOthers {
                    state: state.clone(),
                });
            }
        }
        Ok(initial.into_iter().collect())
    }

    fn parts(&self, state: &CrowdState<C>) -> PartsOf<C> {
        let (shared, members) = self.crowd.apart(state);
        CrowdParts { shared, members }
    }

    fn assembled(&self, parts: &PartsOf<C>) -> CrowdState<C> {
        self.crowd.assembled(&parts.shared, &parts.members)
    }

    /// Targets of the steps of a state, of the instance with as many members.
    fn targets(&self, of: &PartsOf<C>) -> Vec<PartsOf<C>> {
        let system = self.instances[of.members.len() - 1].implementation();
        let mut targets = Vec::new();
        visit_steps(system, &self.assembled(of), &mut |_, to| {
            targets.push(self.parts(&to));
        });
        targets
    }

    /// Names of the invariants that are false.
    fn violated(&self, parts: &PartsOf<C>) -> Vec<String> {
        let state = self.assembled(parts);
        let invariants = self.instances[parts.members.len() - 1].invariants();
        let violated = invariants.iter().filter(|one| !one.holds(&state));
        violated.map(|one| one.name().to_owned()).collect()
    }

    fn test(&self, state: &PartsOf<C>, is_small: bool) -> Result<OfState<PartsOf<C>>, FaultOf<C>> {
        if state.members.len() != self.members || self.parts(&self.assembled(state)) != *state {
            return Err(FaultOf::<C>::OtherParts {
                parts: state.clone(),
                members: self.members,
            });
        }
        let targets = self.targets(state);
        let violated = self.violated(state);
        for one in 1..self.members {
            let exchanged_state = exchanged(state, one);
            let there: HashSet<_> = self.targets(&exchanged_state).into_iter().collect();
            let here: HashSet<_> = targets.iter().map(|to| exchanged(to, one)).collect();
            if here != there {
                return Err(not_alike(state, one, "the steps"));
            }
            if self.violated(&exchanged_state) != violated {
                return Err(not_alike(state, one, "the invariants that hold"));
            }
        }
        self.test_steps(state, &targets)?;
        for invariant in &violated {
            let members = self.crowd.speaks_of(invariant).clamp(1, self.members);
            let of_so_many =
                (1..1 << self.members).filter(|mask: &u32| mask.count_ones() as usize == members);
            let is_shown = |mask| self.violated(&part(state, mask)).contains(invariant);
            if !of_so_many.into_iter().any(is_shown) {
                return Err(FaultOf::<C>::SpeaksOfMore {
                    invariant: invariant.clone(),
                    state: state.clone(),
                    members,
                });
            }
        }
        match violated.into_iter().next().filter(|_| is_small) {
            Some(invariant) => Ok(OfState::Violated(invariant)),
            None => Ok(OfState::Targets(targets)),
        }
    }

    /// Tests that each step is one of whatever members there are beside the one that takes it.
    fn test_steps(&self, state: &PartsOf<C>, targets: &[PartsOf<C>]) -> Result<(), FaultOf<C>> {
        let all = (1u32 << self.members) - 1;
        let mut steps_of = vec![None; 1 << self.members];
        // What changes nothing leads to no view.
        for to in targets.iter().filter(|to| *to != state) {
            let step = || (state.clone(), to.clone());
            if to.members.len() != self.members || moved(&state.members, &to.members) > 1 {
                let (from, to) = step();
                return Err(FaultOf::<C>::MovesSeveral { from, to });
            }
            let mut is_step = |mask: u32| {
                let steps = steps_of[mask as usize].get_or_insert_with(|| {
                    let targets = self.targets(&part(state, mask));
                    targets.into_iter().collect::<HashSet<_>>()
                });
                steps.contains(&part(to, mask))
            };
            let mut is_taken_by = |taker: usize| {
                let masks = (1..=all).filter(|mask| mask >> taker & 1 == 1);
                masks.into_iter().all(&mut is_step)
            };
            let mover = (0..self.members).find(|at| state.members[*at] != to.members[*at]);
            let is_taken = match mover {
                Some(mover) => is_taken_by(mover),
                // Whoever changes the shared part alone may be any of them.
                None => (0..self.members).any(is_taken_by),
            };
            if !is_taken {
                let (from, to) = step();
                return Err(FaultOf::<C>::NeedsOthers { from, to });
            }
        }
        Ok(())
    }
}

/// A state with a member and the one before it exchanged.
fn exchanged<S: Clone, M: Clone>(state: &CrowdParts<S, M>, one: usize) -> CrowdParts<S, M> {
    let mut state = state.clone();
    state.members.swap(one - 1, one);
    state
}

/// A state with the members alone that have a bit.
fn part<S: Clone, M: Clone>(state: &CrowdParts<S, M>, mask: u32) -> CrowdParts<S, M> {
    let members = state.members.iter().enumerate();
    let members = members.filter(|(place, _)| mask >> place & 1 == 1);
    CrowdParts {
        shared: state.shared.clone(),
        members: members.map(|(_, member)| member.clone()).collect(),
    }
}

fn not_alike<S: Clone + Debug, M: Clone + Debug>(
    state: &CrowdParts<S, M>,
    one: usize,
    what: &'static str,
) -> CrowdFault<S, M> {
    CrowdFault::NotAlike {
        one: one - 1,
        other: one,
        state: state.clone(),
        what,
    }
}

/// Name of an invariant that is false of some members of a view, of as many as it speaks of. `invariants` are those of the instances
/// with one member, two, and so on.
pub(super) fn false_of_some<C: Crowd>(
    crowd: &C,
    invariants: &[Vec<Invariant<SystemOf<C>>>],
    view: &PartsOf<C>,
) -> Option<String> {
    for mask in 1u32..1 << view.members.len() {
        let some = part(view, mask);
        let state = crowd.assembled(&some.shared, &some.members);
        for invariant in &invariants[some.members.len() - 1] {
            let members = crowd.speaks_of(invariant.name()).max(1);
            if members == some.members.len() && !invariant.holds(&state) {
                return Some(invariant.name().to_owned());
            }
        }
    }
    None
}
