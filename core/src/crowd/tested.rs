//! The test of a crowd: what is claimed by declaring one is asked of the reachable states with few members, and that obligations speak of few
//! members of states put together at random as well.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::declared::{Declared, ErasedParts};
use super::fault::CrowdFault;
use super::judge::FewMembers;
use super::seen::SeenParts;
use super::stand_ins::{OfKind, Supplied};
use super::untested::{Untested, Walk};
use crate::erased::{ErasedState, ErasedStep};
use crate::explore::Limit;
use crate::random::Generator;
use crate::statement::asked::model_call::{Panic, catch, take_tolerated, tolerated};
use crate::statement::asked::visit::visit_initial;
use crate::statement::system::steps;

/// Choices of members that are compared of the states that are tested of each instance,
const MOST_COMPARED: usize = 1 << 15;
/// and where there are counters, of each of which several values are compared.
const MOST_COUNTED: usize = 1 << 10;
/// States of each instance that are put together at random,
const MOST_MIXED: usize = 1 << 9;
/// and of those with more members than are needed.
const MOST_MIXED_BEYOND: usize = 1 << 5;
/// Seed of what is random.
const SEED: u64 = 1;

/// Account of the test of a crowd: of reachable states with one member, two, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestedCrowd {
    /// Number of reachable states.
    pub states: u64,
    /// Number of members up to which these were all that are reachable.
    pub members: usize,
    /// Number of states that were put together at random, and of which the model has an answer.
    pub mixed: u64,
}

/// Outcome of a test in which no fault was found.
pub(crate) enum CrowdTest {
    /// Account of it.
    All(TestedCrowd),
    /// A limit came first.
    Limit(Limit),
    /// A function of the model panicked where a reachable state with so many members was tested.
    Panicked(usize, Panic),
}

/// Tests a crowd on its instances with one member, two, and so on: of those with as many members as are needed, the reachable states in their order; of larger ones, and of
/// those that have more states than are tested, states on random walks.
///
/// # Errors
///
/// If the crowd is none.
pub(crate) fn test(
    crowd: &dyn Declared,
    instances: &[FewMembers<'_>],
    needed: usize,
    limit: &dyn Fn() -> Option<Limit>,
) -> Result<CrowdTest, CrowdFault> {
    let mut tested = TestedCrowd::default();
    let mut parts = SeenParts::default();
    let instances = Instances {
        crowd,
        all: instances,
        needed,
        targets: KnownTargets::default(),
    };
    let mut generator = Generator::new(SEED);
    let most = match crowd.far() {
        None => MOST_COMPARED,
        Some(_) => MOST_COUNTED,
    };
    for members in 1..=instances.all.len() {
        let initial = instances.with(members, &parts).initial()?;
        let most = if members <= needed {
            most >> members
        } else {
            0
        };
        let mut left = Untested::new(crowd, most);
        left.meet(initial.iter().cloned());
        let mut walk = Walk::new(&initial);
        loop {
            let mut next = left.next();
            if next.is_none() && !left.is_all() {
                let of = instances.with(members, &parts);
                let steps = |state: &ErasedParts| of.in_order(state);
                next = match catch(|| walk.next(crowd, &mut generator, &steps)) {
                    Ok(state) => state?,
                    Err(panic) => return Ok(CrowdTest::Panicked(members, panic)),
                };
            }
            let Some(state) = next else {
                break;
            };
            if let Some(limit) = limit() {
                return Ok(CrowdTest::Limit(limit));
            }
            parts.add(crowd, &state);
            let of = instances.with(members, &parts);
            match catch(|| of.test(&state, initial.contains(&state))) {
                Ok(targets) => left.meet(targets?),
                Err(panic) => return Ok(CrowdTest::Panicked(members, panic)),
            }
            tested.states += 1;
        }
        if left.is_all() && tested.members + 1 == members {
            tested.members = members;
        }
    }
    // Without a state there are no parts.
    let largest = match parts.shared.values() {
        [] => 0,
        _ => instances.all.len(),
    };
    for members in 2..=largest {
        let of = instances.with(members, &parts);
        let mut seen = HashSet::new();
        let most = if members <= needed {
            MOST_MIXED
        } else {
            MOST_MIXED_BEYOND
        };
        for _ in 0..most {
            if let Some(limit) = limit() {
                return Ok(CrowdTest::Limit(limit));
            }
            let state = parts.mixed(&mut generator, members);
            if !seen.insert(state.clone()) {
                continue;
            }
            // Of parts that never meet a model need not have an answer.
            if let Some(found) = tolerated(|| of.test_mixed(&state)) {
                found?;
                tested.mixed += 1;
            }
        }
    }
    take_tolerated();
    Ok(CrowdTest::All(tested))
}

/// Targets of the steps of states, as far as they are remembered. PERF: the same few members are left of many states.
type KnownTargets = RefCell<HashMap<ErasedParts, Rc<HashSet<ErasedParts>>>>;
/// States whose targets are remembered.
const MOST_KNOWN: usize = 1 << 14;

/// Step of a state, as the test compares it.
struct JudgedStep {
    to: ErasedParts,
    /// The obligations that it fails.
    fails: Vec<String>,
}

/// An instance that is tested, beside those with fewer members.
struct TestedInstance<'c> {
    of: &'c Instances<'c>,
    crowd: &'c dyn Declared,
    members: usize,
    known: &'c dyn OfKind,
}

/// Instances with one member, two, and so on.
struct Instances<'c> {
    crowd: &'c dyn Declared,
    all: &'c [FewMembers<'c>],
    /// Number of members up to which every choice of members is left out.
    needed: usize,
    targets: KnownTargets,
}

impl Instances<'_> {
    fn with<'i>(&'i self, members: usize, known: &'i dyn OfKind) -> TestedInstance<'i> {
        TestedInstance {
            of: self,
            crowd: self.crowd,
            members,
            known,
        }
    }
}

impl<'c> TestedInstance<'c> {
    fn instance(&self, of: &ErasedParts) -> &'c FewMembers<'c> {
        &self.of.all[of.members.len() - 1]
    }

    /// Initial states with so many members, each once, in the order of the model.
    fn initial_with(&self, members: usize) -> Result<Vec<ErasedParts>, CrowdFault> {
        let mut initial = Vec::new();
        visit_initial(&self.of.all[members - 1].system, &mut |state| {
            initial.push(self.crowd.apart(&state, members));
        });
        let initial: Vec<_> = initial.into_iter().collect::<Result<_, _>>()?;
        let mut seen = HashSet::new();
        let is_new = |state: &ErasedParts| seen.insert(state.clone());
        Ok(initial.into_iter().filter(is_new).collect())
    }

    fn initial(&self) -> Result<Vec<ErasedParts>, CrowdFault> {
        let initial = self.initial_with(self.members)?;
        let all: HashSet<_> = initial.iter().collect();
        for state in &initial {
            for one in self.exchangeable() {
                if !all.contains(&state.exchanged(one)) {
                    return Err(not_alike(state, one, "what is initial"));
                }
            }
        }
        if self.members > 1 {
            let fewer = self.initial_with(self.members - 1)?;
            let fewer: HashSet<_> = fewer.iter().collect();
            let is_none = |state: &&ErasedParts| {
                let mut rest = self.but_one().map(|(_, mask)| state.some(mask));
                rest.any(|rest| !fewer.contains(&rest))
            };
            if let Some(state) = initial.iter().find(is_none) {
                let state = state.to_string();
                return Err(CrowdFault::InitialNeedsOthers { state });
            }
        }
        Ok(initial)
    }

    fn taken(&self, of: &ErasedParts) -> (ErasedState, Vec<ErasedStep>) {
        let state = self.crowd.assembled(of);
        let taken = steps(&self.instance(of).system, &state);
        (state, taken)
    }

    /// Targets of the steps of a state, of the instance with as many members.
    fn targets(&self, of: &ErasedParts) -> Result<Rc<HashSet<ErasedParts>>, CrowdFault> {
        if let Some(known) = self.of.targets.borrow().get(of) {
            return Ok(Rc::clone(known));
        }
        let (_, taken) = self.taken(of);
        let count = of.members.len();
        let targets = taken.iter().map(|(_, to)| self.crowd.apart(to, count));
        let targets = Rc::new(targets.collect::<Result<HashSet<_>, _>>()?);
        let mut known = self.of.targets.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(of.clone(), Rc::clone(&targets));
        Ok(targets)
    }

    /// Targets of the steps of a state, in the order of the model.
    fn in_order(&self, of: &ErasedParts) -> Result<Vec<ErasedParts>, CrowdFault> {
        let (_, taken) = self.taken(of);
        let targets = taken
            .iter()
            .map(|(_, to)| self.crowd.apart(to, self.members));
        targets.collect()
    }

    /// Steps of a state, each judged.
    fn judged(&self, of: &ErasedParts) -> Result<Vec<JudgedStep>, CrowdFault> {
        let (state, taken) = self.taken(of);
        let count = of.members.len();
        let judge = self.instance(of).judge;
        let judged = taken.iter().map(|step| {
            let (_, to) = step;
            Ok(JudgedStep {
                to: self.crowd.apart(to, count)?,
                fails: judge.of_step(&state, step),
            })
        });
        judged.collect()
    }

    /// The obligations that are false of a state.
    fn fails(&self, state: &ErasedParts, is_initial: bool) -> Vec<String> {
        let of = self.instance(state);
        of.judge.of_state(&self.crowd.assembled(state), is_initial)
    }

    /// Tests all that is claimed, and says where the steps of the state lead to.
    fn test(&self, state: &ErasedParts, is_initial: bool) -> Result<Vec<ErasedParts>, CrowdFault> {
        let steps = self.judged(state)?;
        let fails = self.fails(state, is_initial);
        for one in self.exchangeable() {
            let exchanged = state.exchanged(one);
            let there = self.judged(&exchanged)?;
            let there: HashSet<_> = there
                .iter()
                .map(|step| (step.to.clone(), &step.fails))
                .collect();
            let here = steps
                .iter()
                .map(|step| (step.to.exchanged(one), &step.fails));
            if here.collect::<HashSet<_>>() != there {
                return Err(not_alike(state, one, "the steps, or which of them fail"));
            }
            if self.fails(&exchanged, is_initial) != fails {
                return Err(not_alike(state, one, "the obligations that fail"));
            }
        }
        self.test_needs(state, &steps)?;
        self.test_width(state, &steps, fails, is_initial)?;
        Ok(steps.into_iter().map(|step| step.to).collect())
    }

    /// Tests that obligations speak of few members, of a state that need not be one that is reached.
    fn test_mixed(&self, state: &ErasedParts) -> Result<(), CrowdFault> {
        let assembled = self.crowd.assembled(state);
        if self.crowd.parts(&assembled) != *state {
            // No state has these parts.
            return Ok(());
        }
        let steps = self.judged(state)?;
        self.test_width(state, &steps, self.fails(state, false), false)
    }

    /// Tests that each step is one of whatever members there are beside the one that takes it, if one of each kind stands for those of it that are left out.
    fn test_needs(&self, state: &ErasedParts, steps: &[JudgedStep]) -> Result<(), CrowdFault> {
        for JudgedStep { to, .. } in steps {
            if self.crowd.moves_too_many(state, to) {
                let (from, to) = (state.to_string(), to.to_string());
                return Err(CrowdFault::MovesSeveral { from, to });
            }
            let mut movers = (0..self.members).filter(|one| self.may_be_of(state, to, *one));
            let mut is_of = false;
            while let Some(mover) = movers.next().filter(|_| !is_of) {
                is_of = true;
                for stay in self.staying().filter(|stay| stay >> mover & 1 == 1) {
                    let is_there = |of: &ErasedParts, target: &ErasedParts| {
                        Ok(self.targets(of)?.contains(target))
                    };
                    is_of = is_of && self.is_beside_others(state, to, stay, &is_there)?;
                }
            }
            if !is_of {
                let (from, to) = (state.to_string(), to.to_string());
                let kinds = self.crowd.kinds();
                return Err(CrowdFault::NeedsOthers { from, to, kinds });
            }
        }
        Ok(())
    }

    /// True if a step may be one of a member. Where kinds are kept of those that are left out, it is the one that it changes, if it changes one.
    fn may_be_of(&self, from: &ErasedParts, to: &ErasedParts, member: usize) -> bool {
        let mut moved = from.moved(to);
        self.crowd.kinds() == 0 || moved.next().is_none_or(|moved| moved == member)
    }

    /// True if there are more members than are needed.
    fn is_beyond(&self) -> bool {
        self.members > self.of.needed
    }

    /// Masks of some members, one at least.
    fn masks(&self) -> Range<u32> {
        1..1 << self.members
    }

    /// Masks of the members that stay where others are left out: of more members than are needed, one is, or two, of which one may stand for both.
    fn staying(&self) -> impl Iterator<Item = u32> {
        let left_out = 1 + self.crowd.kinds().min(1) as usize;
        let least = if self.is_beyond() {
            self.members - left_out
        } else {
            1
        };
        self.masks()
            .filter(move |stay| stay.count_ones() as usize >= least)
    }

    /// True if a step is one of the members that stay, as is asked, beside some choice of one member of each kind of the others, whichever they are.
    fn is_beside_others(
        &self,
        state: &ErasedParts,
        to: &ErasedParts,
        stay: u32,
        is_it: &dyn Fn(&ErasedParts, &ErasedParts) -> Result<bool, CrowdFault>,
    ) -> Result<bool, CrowdFault> {
        for stand_ins in self.stand_ins(state, stay) {
            let mut is_one = true;
            let supplied = Supplied::chosen(state, stay, stand_ins);
            for varied in supplied.varied(self.crowd, self.known) {
                let target = varied.after(to, stay | stand_ins);
                is_one = is_one && is_it(&varied.parts, &target)?;
            }
            if is_one {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Masks of one member of each kind that is among those that do not stay.
    fn stand_ins(&self, state: &ErasedParts, stay: u32) -> impl Iterator<Item = u32> + use<> {
        let bits = state.members.iter();
        let bits: Vec<u32> = bits.map(|member| self.crowd.kinds_of([member])).collect();
        let kinds_of = move |mask: u32| {
            let members = bits.iter().enumerate();
            let members = members.filter(|(place, _)| mask >> place & 1 == 1);
            members.fold(0, |all, (_, bit)| all | bit)
        };
        let kinds = kinds_of(!stay);
        // PERF: mostly there are none.
        let masks = if kinds == 0 {
            0..1
        } else {
            0..1 << self.members
        };
        masks.filter(move |mask: &u32| {
            mask & stay == 0 && mask.count_ones() == kinds.count_ones() && kinds_of(*mask) == kinds
        })
    }

    /// Members that are alike to the one before them, of as many as are needed.
    fn exchangeable(&self) -> Range<usize> {
        if self.crowd.in_line() || self.is_beyond() {
            0..0
        } else {
            1..self.members
        }
    }

    /// Masks without one member, each with the member.
    fn but_one(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        let all = (1u32 << self.members) - 1;
        (0..self.members).map(move |one| (one, all & !(1 << one)))
    }

    /// Tests that what fails, and speaks of fewer members than there are, fails without some one of them.
    fn test_width(
        &self,
        state: &ErasedParts,
        steps: &[JudgedStep],
        fails: Vec<String>,
        is_initial: bool,
    ) -> Result<(), CrowdFault> {
        for obligation in fails {
            let members = self.crowd.speaks_of(&obligation);
            let fails_without = |(_, mask)| {
                self.fails(&state.some(mask), is_initial)
                    .contains(&obligation)
            };
            if self.members > members && !self.but_one().any(fails_without) {
                let state = state.to_string();
                return Err(CrowdFault::SpeaksOfMore {
                    obligation,
                    state,
                    members,
                });
            }
        }
        for step in steps {
            for obligation in &step.fails {
                let members = self.crowd.speaks_of(obligation);
                for width in members..self.members {
                    if !self.fails_with(state, step, obligation, width)? {
                        return Err(CrowdFault::SpeaksOfMore {
                            obligation: obligation.clone(),
                            state: state.to_string(),
                            members,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// True if a step fails an obligation with so many members of a state, the one that moves among them, whatever others there are.
    fn fails_with(
        &self,
        state: &ErasedParts,
        step: &JudgedStep,
        obligation: &String,
        width: usize,
    ) -> Result<bool, CrowdFault> {
        let fails = |of: &ErasedParts, target: &ErasedParts| {
            let steps = self.judged(of)?;
            let mut steps = steps.iter().filter(|step| step.to == *target);
            Ok(steps.any(|step| step.fails.contains(obligation)))
        };
        let is_wide = |stay: &u32| {
            let mut members = (0..self.members).filter(|one| stay >> one & 1 == 1);
            let has_mover = members.any(|one| self.may_be_of(state, &step.to, one));
            has_mover && stay.count_ones() as usize == width
        };
        for stay in self.masks().filter(is_wide) {
            if self.is_beside_others(state, &step.to, stay, &fails)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn not_alike(state: &ErasedParts, one: usize, what: &'static str) -> CrowdFault {
    CrowdFault::NotAlike {
        one: one - 1,
        other: one,
        state: state.to_string(),
        what,
    }
}
