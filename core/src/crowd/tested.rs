//! The test of a crowd: what is claimed by declaring one is asked of the reachable states with few members.

use std::collections::HashSet;

use super::apart::{apart, assembled};
use super::declaration::{Crowd, MemberOf, PartsOf, SharedOf};
use super::fault::FaultOf;
use super::outcome::TestedCrowd;
use super::parts::CrowdParts;
use crate::explore::{Limit, Limits};
use crate::model_call::{Panic, catch};
use crate::refinement::Refinement;
use crate::visit::{visit_initial, visit_steps};

/// States that are tested of an instance with as many members as a view has, or more: every state has many parts that are compared.
const MOST_TESTED: usize = 1 << 12;

/// Answer of instances with fewer members than a view has.
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

pub(super) type SmallOf<C> = Small<SharedOf<C>, MemberOf<C>>;

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
    /// Initial states with so many members, each once, in the order of the model.
    fn initial_with(&self, members: usize) -> Result<Vec<PartsOf<C>>, FaultOf<C>> {
        let mut initial = Vec::new();
        let system = self.instances[members - 1].implementation();
        let shown = catch(|| {
            visit_initial(system, &mut |state| {
                initial.push(apart::<C>(&state, members))
            });
        });
        shown.map_err(FaultOf::<C>::Panicked)?;
        let initial: Vec<_> = initial.into_iter().collect::<Result<_, _>>()?;
        let mut seen = HashSet::new();
        let is_new = |state: &PartsOf<C>| seen.insert(state.clone());
        Ok(initial.into_iter().filter(is_new).collect())
    }

    fn initial(&self) -> Result<Vec<PartsOf<C>>, FaultOf<C>> {
        let initial = self.initial_with(self.members)?;
        let all: HashSet<_> = initial.iter().collect();
        for state in &initial {
            for one in 1..self.members {
                if !all.contains(&state.exchanged(one)) {
                    return Err(not_alike::<C>(state, one, "what is initial"));
                }
            }
        }
        if self.members > 1 {
            let fewer = self.initial_with(self.members - 1)?;
            let fewer: HashSet<_> = fewer.iter().collect();
            let but_the_last = (1 << (self.members - 1)) - 1;
            let is_none = |state: &&PartsOf<C>| !fewer.contains(&state.some(but_the_last));
            if let Some(state) = initial.iter().find(is_none) {
                return Err(FaultOf::<C>::InitialNeedsOthers {
                    state: state.clone(),
                });
            }
        }
        Ok(initial)
    }

    /// Targets of the steps of a state, of the instance with as many members.
    fn targets(&self, of: &PartsOf<C>) -> Result<Vec<PartsOf<C>>, FaultOf<C>> {
        let count = of.members.len();
        let system = self.instances[count - 1].implementation();
        let mut targets = Vec::new();
        visit_steps(system, &assembled::<C>(of), &mut |_, to| {
            targets.push(apart::<C>(&to, count));
        });
        targets.into_iter().collect()
    }

    /// Names of the invariants that are false.
    fn violated(&self, parts: &PartsOf<C>) -> Vec<String> {
        let state = assembled::<C>(parts);
        let invariants = self.instances[parts.members.len() - 1].invariants();
        let violated = invariants.iter().filter(|one| !one.holds(&state));
        violated.map(|one| one.name().to_owned()).collect()
    }

    fn test(&self, state: &PartsOf<C>, is_small: bool) -> Result<OfState<PartsOf<C>>, FaultOf<C>> {
        let targets = self.targets(state)?;
        let violated = self.violated(state);
        for one in 1..self.members {
            let exchanged = state.exchanged(one);
            let there: HashSet<_> = self.targets(&exchanged)?.into_iter().collect();
            let here: HashSet<_> = targets.iter().map(|to| to.exchanged(one)).collect();
            if here != there {
                return Err(not_alike::<C>(state, one, "the steps"));
            }
            if self.violated(&exchanged) != violated {
                return Err(not_alike::<C>(state, one, "the invariants that hold"));
            }
        }
        self.test_steps(state, &targets)?;
        for invariant in &violated {
            let members = self.crowd.speaks_of(invariant).clamp(1, self.members);
            let of_so_many =
                (1..1 << self.members).filter(|mask: &u32| mask.count_ones() as usize == members);
            let is_shown = |mask| self.violated(&state.some(mask)).contains(invariant);
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
        let mut steps_of = Vec::with_capacity(1 << self.members);
        // Without members there are no steps to be asked for.
        steps_of.push(HashSet::new());
        for mask in 1..1 << self.members {
            let targets = self.targets(&state.some(mask))?;
            steps_of.push(targets.into_iter().collect());
        }
        // A step that changes nothing leads to no view.
        for to in targets.iter().filter(|to| *to != state) {
            let (from, to) = (state.clone(), to.clone());
            if from.moved(&to) > 1 {
                return Err(FaultOf::<C>::MovesSeveral { from, to });
            }
            let is_taken_by = |taker: usize| {
                let mut masks = (1u32..1 << self.members).filter(|mask| mask >> taker & 1 == 1);
                masks.all(|mask| steps_of[mask as usize].contains(&to.some(mask)))
            };
            let mover = (0..self.members).find(|at| from.members[*at] != to.members[*at]);
            let is_taken = match mover {
                Some(mover) => is_taken_by(mover),
                // A step that changes the shared part alone may be one of any of them.
                None => (0..self.members).any(is_taken_by),
            };
            if !is_taken {
                return Err(FaultOf::<C>::NeedsOthers { from, to });
            }
        }
        Ok(())
    }
}

fn not_alike<C: Crowd>(state: &PartsOf<C>, one: usize, what: &'static str) -> FaultOf<C> {
    FaultOf::<C>::NotAlike {
        one: one - 1,
        other: one,
        state: state.clone(),
        what,
    }
}
