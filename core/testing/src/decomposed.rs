//! Liveness of systems of hundreds of states, for which the [`textbook`](crate::textbook) has too many sets to try: plain
//! decomposition into the largest sets that a fair loop can visit.
//!
//! The states that reach each other, within where a loop may stay, are a candidate. If it takes no step of a weak condition's
//! action, which all its states enable, no part of it is fair. If it takes no step of a strong condition's action, a fair
//! loop visits none of its states that enable it, so these are taken out, and what is left is looked at again. It is held
//! against the textbook where that is small enough; it shares nothing with it, nor with what decides.

use std::collections::{HashSet, VecDeque};

use refmap::Strength;

use crate::textbook::{Pairs, Said, Small, has};

/// Set of states: of each whether it is in the set.
pub type Marks = Vec<bool>;

/// The set of these states.
pub fn marks(states: u32, of: impl IntoIterator<Item = u32>) -> Marks {
    let mut marks = vec![false; states as usize];
    of.into_iter().for_each(|at| marks[at as usize] = true);
    marks
}

/// System of any number of states.
#[derive(Clone, Debug)]
pub struct Large {
    /// Number of states.
    pub states: u32,
    pub initial: Vec<u32>,
    /// All pairs of different states that a step joins.
    pub steps: Pairs,
    /// The fairness conditions: strength and action.
    pub conditions: Vec<(Strength, Pairs)>,
}

/// Change of a system.
pub type Alteration = fn(&mut Large);

/// Alterations of a system that a fault of a program might make: tests see that each would have been noticed.
pub const ALTERED: [(&str, Alteration); 5] = [
    ("conditions from the 65th on", |of| {
        of.conditions.truncate(64)
    }),
    ("conditions 32 to 63", |of| {
        let later = of.conditions.split_off(of.conditions.len().min(64));
        of.conditions.truncate(32);
        of.conditions.extend(later);
    }),
    ("strong conditions", |of| {
        let conditions = of.conditions.iter_mut();
        conditions.for_each(|(strength, _)| *strength = Strength::Weak);
    }),
    ("weak conditions", |of| {
        let conditions = of.conditions.iter_mut();
        conditions.for_each(|(strength, _)| *strength = Strength::Strong);
    }),
    ("all initial states but one", |of| of.initial.truncate(1)),
];

/// Fairness condition, as a loop meets it or not.
struct Condition {
    strength: Strength,
    enabled: Marks,
    /// Of each state, where steps of the action lead that a loop may take.
    takes: Vec<Vec<u32>>,
}

/// Verdict on a set of states that reach each other.
enum Candidate {
    Fair,
    Unfair,
    /// A part of it may be fair.
    Left(Vec<u32>),
}

impl Large {
    /// The same system.
    pub fn of(small: &Small) -> Self {
        Self {
            states: small.states,
            initial: (0..small.states)
                .filter(|at| has(small.initial, *at))
                .collect(),
            steps: small.steps.clone(),
            conditions: small.conditions.clone(),
        }
    }

    /// The least stem of a fair lasso that violates a property, if there is one.
    pub fn stem(&self, said: &Said<Marks>) -> Option<usize> {
        let all = || vec![true; self.states as usize];
        let not = |of: &Marks| -> Marks { of.iter().map(|is_in| !is_in).collect() };
        let none = Pairs::new();
        // Where the loop stays, what it does not take, and what it has to visit.
        let (within, left_out, visits) = match said {
            Said::LeadsTo { conclusion, .. } => (not(conclusion), &none, all()),
            Said::Eventually(one) | Said::AlwaysEventually(one) => (not(one), &none, all()),
            Said::EventuallyAlways { conclusion, .. } => (all(), &none, not(conclusion)),
            Said::Always(_) => (all(), &none, all()),
            Said::Fair(Strength::Weak, enabled, taken) => (enabled.clone(), taken, all()),
            Said::Fair(Strength::Strong, enabled, taken) => (all(), taken, enabled.clone()),
        };
        let after = self.by_source(&self.steps, |_| true);
        let loops = self.fair_sets(&within, left_out);
        let loops = loops
            .iter()
            .filter(|around| around.iter().any(|at| visits[*at as usize]));
        let visits = |around: &[u32], set: &Marks| around.iter().any(|at| set[*at as usize]);
        let stems = loops.filter_map(|around| match said {
            Said::LeadsTo {
                premise,
                conclusion,
            } => self.way(&after, around, visits(around, premise), |waits, at| {
                Some((waits || premise[at]) && !conclusion[at])
            }),
            Said::EventuallyAlways { premise, .. } => {
                self.way(&after, around, visits(around, premise), |seen, at| {
                    Some(seen || premise[at])
                })
            }
            Said::Always(one) => self.way(&after, around, visits(around, &not(one)), |seen, at| {
                Some(seen || !one[at])
            }),
            Said::Eventually(one) => {
                self.way(&after, around, true, |_, at| (!one[at]).then_some(true))
            }
            Said::AlwaysEventually(_) | Said::Fair(..) => {
                self.way(&after, around, true, |_, _| Some(true))
            }
        });
        stems.min()
    }

    /// True if a lasso is a fair behaviour that violates a property: its states, and the place of the first one of the loop.
    /// A loop of one state is a stutter.
    pub fn is_violated_by(&self, said: &Said<Marks>, states: &[u32], loop_start: usize) -> bool {
        let has = |set: &Marks, at: &u32| set[*at as usize];
        let around = &states[loop_start..];
        let pairs = |of: &[u32]| of.windows(2).map(|two| (two[0], two[1])).collect::<Pairs>();
        let mut turn = pairs(around);
        if let [first, .., last] = around {
            turn.push((*last, *first));
        }
        let all = pairs(states);
        let is_behaviour = self.initial.contains(&states[0])
            && all
                .iter()
                .chain(&turn)
                .all(|step| self.steps.contains(step));
        let takes = |action: &Pairs| turn.iter().any(|step| action.contains(step));
        let is_fair = self.conditions.iter().all(|(strength, action)| {
            let mut enabled = around
                .iter()
                .map(|at| action.iter().any(|(from, _)| from == at));
            takes(action)
                || match strength {
                    Strength::Weak => !enabled.all(|enabled| enabled),
                    Strength::Strong => !enabled.any(|enabled| enabled),
                }
        });
        let violates = match said {
            Said::LeadsTo {
                premise,
                conclusion,
            } => (0..states.len()).any(|at| {
                // All of the loop comes after each of its states.
                let after = &states[at.min(loop_start)..];
                has(premise, &states[at]) && !after.iter().any(|at| has(conclusion, at))
            }),
            Said::Eventually(one) => !states.iter().any(|at| has(one, at)),
            Said::AlwaysEventually(one) => !around.iter().any(|at| has(one, at)),
            Said::EventuallyAlways {
                premise,
                conclusion,
            } => {
                states.iter().any(|at| has(premise, at))
                    && !around.iter().all(|at| has(conclusion, at))
            }
            Said::Always(one) => !states.iter().all(|at| has(one, at)),
            Said::Fair(Strength::Weak, enabled, taken) => {
                around.iter().all(|at| has(enabled, at)) && !takes(taken)
            }
            Said::Fair(Strength::Strong, enabled, taken) => {
                around.iter().any(|at| has(enabled, at)) && !takes(taken)
            }
        };
        is_behaviour && is_fair && violates
    }

    /// The states that are reached.
    pub fn reached(&self) -> Marks {
        let after = self.by_source(&self.steps, |_| true);
        let mut reached = marks(self.states, []);
        spread(&mut reached, &self.initial, &after, |_| true);
        reached
    }

    /// Of steps those that are kept: of each state the targets.
    fn by_source(&self, steps: &Pairs, keeps: impl Fn(&(u32, u32)) -> bool) -> Vec<Vec<u32>> {
        let mut targets = vec![Vec::new(); self.states as usize];
        for (from, to) in steps.iter().filter(|step| keeps(step)) {
            targets[*from as usize].push(*to);
        }
        targets
    }

    /// The largest sets of states that a fair loop can visit, which stays within a set and does not take some pairs.
    fn fair_sets(&self, within: &Marks, left_out: &Pairs) -> Vec<Vec<u32>> {
        let left_out: HashSet<(u32, u32)> = left_out.iter().copied().collect();
        // It is slow to ask an empty set so often, too.
        let keeps = |step: &(u32, u32)| left_out.is_empty() || !left_out.contains(step);
        let after = self.by_source(&self.steps, keeps);
        let mut before = vec![Vec::new(); self.states as usize];
        for (from, targets) in (0..).zip(&after) {
            for to in targets {
                before[*to as usize].push(from);
            }
        }
        let conditions = self.conditions.iter().map(|(strength, action)| Condition {
            strength: *strength,
            enabled: marks(self.states, action.iter().map(|(from, _)| *from)),
            takes: self.by_source(action, keeps),
        });
        let conditions: Vec<Condition> = conditions.collect();
        let reached = self.reached();
        let is_open = |at: &u32| within[*at as usize] && reached[*at as usize];
        let mut open = vec![(0..self.states).filter(is_open).collect::<Vec<u32>>()];
        let mut fair = Vec::new();
        while let Some(part) = open.pop() {
            let mut left = marks(self.states, part.iter().copied());
            for first in part {
                if !left[first as usize] {
                    continue;
                }
                let [ahead, back] = [&after, &before].map(|steps| {
                    let mut reached = marks(self.states, []);
                    spread(&mut reached, &[first], steps, |at| left[at]);
                    reached
                });
                let together = |at: &u32| ahead[*at as usize] && back[*at as usize];
                let set: Vec<u32> = (0..self.states).filter(together).collect();
                set.iter().for_each(|at| left[*at as usize] = false);
                match self.candidate(&set, &conditions) {
                    Candidate::Fair => fair.push(set),
                    Candidate::Unfair => {}
                    Candidate::Left(part) => open.push(part),
                }
            }
        }
        fair
    }

    fn candidate(&self, set: &[u32], conditions: &[Condition]) -> Candidate {
        let inside = marks(self.states, set.iter().copied());
        let mut left = inside.clone();
        for Condition {
            strength,
            enabled,
            takes,
        } in conditions
        {
            let mut from = set.iter();
            if from.any(|from| takes[*from as usize].iter().any(|to| inside[*to as usize])) {
                continue;
            }
            match strength {
                Strength::Weak if set.iter().all(|at| enabled[*at as usize]) => {
                    return Candidate::Unfair;
                }
                Strength::Weak => {}
                Strength::Strong => set
                    .iter()
                    .filter(|at| enabled[**at as usize])
                    .for_each(|at| left[*at as usize] = false),
            }
        }
        if left == inside {
            return Candidate::Fair;
        }
        Candidate::Left(
            set.iter()
                .copied()
                .filter(|at| left[*at as usize])
                .collect(),
        )
    }

    /// The least number of steps to a state of a loop, with a memory that is true or does not matter there. `remembers` is
    /// what the memory is after a state is visited, and nothing where the way may not visit it.
    fn way(
        &self,
        after: &[Vec<u32>],
        around: &[u32],
        any_memory: bool,
        remembers: impl Fn(bool, usize) -> Option<bool>,
    ) -> Option<usize> {
        let around = marks(self.states, around.iter().copied());
        let initial = self.initial.iter();
        let mut open: VecDeque<(u32, bool, usize)> = initial.map(|at| (*at, false, 0)).collect();
        let mut seen = [marks(self.states, []), marks(self.states, [])];
        while let Some((at, memory, steps)) = open.pop_front() {
            let Some(memory) = remembers(memory, at as usize) else {
                continue;
            };
            let seen = &mut seen[usize::from(memory)][at as usize];
            if std::mem::replace(seen, true) {
                continue;
            }
            if around[at as usize] && (memory || any_memory) {
                return Some(steps);
            }
            for to in &after[at as usize] {
                open.push_back((*to, memory, steps + 1));
            }
        }
        None
    }
}

/// Adds some states, and what they lead to by steps to states that are kept.
fn spread(reached: &mut Marks, from: &[u32], steps: &[Vec<u32>], keeps: impl Fn(usize) -> bool) {
    let mut open = from.to_vec();
    while let Some(at) = open.pop() {
        let at = at as usize;
        if !reached[at] && keeps(at) {
            reached[at] = true;
            open.extend(&steps[at]);
        }
    }
}
