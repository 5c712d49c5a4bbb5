//! Liveness of systems of hundreds of states, for which the [`textbook`](crate::textbook) has too many sets to try: plain
//! decomposition into the largest sets that a fair loop can visit.
//!
//! The states that reach each other, within where a loop may stay, are a candidate. If it takes no step of a weak condition's
//! action, which all its states enable, no part of it is fair. If it takes no step of a strong condition's action, a fair
//! loop visits none of its states that enable it, so these are taken out, and what is left is looked at again. It is held
//! against the textbook where that is small enough; it shares nothing with it, nor with what decides.

use std::collections::{HashSet, VecDeque};

use refmap::liveness::Strength;

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
    /// How many states there are.
    pub states: u32,
    pub initial: Vec<u32>,
    /// All pairs of different states that a step joins.
    pub steps: Pairs,
    /// The fairness conditions: strength and action.
    pub conditions: Vec<(Strength, Pairs)>,
}

/// What a set of states is that reach each other.
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
        let loops = self.fair_sets(&within, left_out);
        let loops = loops
            .iter()
            .filter(|around| around.iter().any(|at| visits[*at as usize]));
        let visits = |around: &[u32], set: &Marks| around.iter().any(|at| set[*at as usize]);
        let stems = loops.filter_map(|around| match said {
            Said::LeadsTo {
                premise,
                conclusion,
            } => self.way(around, visits(around, premise), |waits, at| {
                (waits || premise[at]) && !conclusion[at]
            }),
            Said::EventuallyAlways { premise, .. } => {
                self.way(around, visits(around, premise), |seen, at| {
                    seen || premise[at]
                })
            }
            Said::Always(one) => self.way(around, visits(around, &not(one)), |seen, at| {
                seen || !one[at]
            }),
            Said::Eventually(one) => self.way_past(around, one),
            Said::AlwaysEventually(_) | Said::Fair(..) => self.way(around, true, |_, _| true),
        });
        stems.min()
    }

    /// The states that are reached.
    pub fn reached(&self) -> Marks {
        let mut reached = marks(self.states, self.initial.iter().copied());
        let after = self.by_source(|_| true);
        spread(&mut reached, &after, |_| true);
        reached
    }

    /// The targets of each state's steps that are kept.
    fn by_source(&self, keeps: impl Fn(&(u32, u32)) -> bool) -> Vec<Vec<u32>> {
        let mut targets = vec![Vec::new(); self.states as usize];
        for (from, to) in self.steps.iter().filter(|step| keeps(step)) {
            targets[*from as usize].push(*to);
        }
        targets
    }

    /// The largest sets of states that a fair loop can visit, which stays within a set and does not take some pairs.
    fn fair_sets(&self, within: &Marks, left_out: &Pairs) -> Vec<Vec<u32>> {
        let left_out: HashSet<(u32, u32)> = left_out.iter().copied().collect();
        let after = self.by_source(|step| !left_out.contains(step));
        let mut before = vec![Vec::new(); self.states as usize];
        for (from, targets) in (0..).zip(&after) {
            for to in targets {
                before[*to as usize].push(from);
            }
        }
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
                    let mut reached = marks(self.states, [first]);
                    spread(&mut reached, steps, |at| left[at]);
                    reached
                });
                let together = |at: &u32| ahead[*at as usize] && back[*at as usize];
                let set: Vec<u32> = (0..self.states).filter(together).collect();
                set.iter().for_each(|at| left[*at as usize] = false);
                match self.candidate(&set, &left_out) {
                    Candidate::Fair => fair.push(set),
                    Candidate::Unfair => {}
                    Candidate::Left(part) => open.push(part),
                }
            }
        }
        fair
    }

    fn candidate(&self, set: &[u32], left_out: &HashSet<(u32, u32)>) -> Candidate {
        let inside = marks(self.states, set.iter().copied());
        let mut left = inside.clone();
        for (strength, action) in &self.conditions {
            let mut steps = action.iter();
            let stays = |(from, to): &(u32, u32)| inside[*from as usize] && inside[*to as usize];
            if steps.any(|step| stays(step) && !left_out.contains(step)) {
                continue;
            }
            let enabled = marks(self.states, action.iter().map(|(from, _)| *from));
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
        Candidate::Left(set.iter().copied().filter(|at| left[*at as usize]).collect())
    }

    /// The least number of steps to a state of a loop, with a memory that is true or does not matter there. `remembers` is
    /// what the memory is after a state is visited.
    fn way(
        &self,
        around: &[u32],
        any_memory: bool,
        remembers: impl Fn(bool, usize) -> bool,
    ) -> Option<usize> {
        let around = marks(self.states, around.iter().copied());
        let after = self.by_source(|_| true);
        let initial = self.initial.iter();
        let initial = initial.map(|at| (*at, remembers(false, *at as usize), 0));
        let mut open: VecDeque<(u32, bool, usize)> = initial.collect();
        let mut seen = HashSet::new();
        while let Some((at, memory, steps)) = open.pop_front() {
            if !seen.insert((at, memory)) {
                continue;
            }
            if around[at as usize] && (memory || any_memory) {
                return Some(steps);
            }
            for to in &after[at as usize] {
                open.push_back((*to, remembers(memory, *to as usize), steps + 1));
            }
        }
        None
    }

    /// The least number of steps to a state of a loop that visit no state of a set.
    fn way_past(&self, around: &[u32], set: &Marks) -> Option<usize> {
        let outside = |at: &&u32| !set[**at as usize];
        let without = Self {
            initial: self.initial.iter().filter(outside).copied().collect(),
            steps: self
                .steps
                .iter()
                .filter(|(from, to)| !set[*from as usize] && !set[*to as usize])
                .copied()
                .collect(),
            ..self.clone()
        };
        without.way(around, true, |_, _| true)
    }
}

/// Adds what the states of a set lead to, by steps to states that are kept.
fn spread(reached: &mut Marks, steps: &[Vec<u32>], keeps: impl Fn(usize) -> bool) {
    let mut open: Vec<usize> = (0..reached.len()).filter(|at| reached[*at]).collect();
    while let Some(at) = open.pop() {
        for to in &steps[at] {
            let to = *to as usize;
            if !reached[to] && keeps(to) {
                reached[to] = true;
                open.push(to);
            }
        }
    }
}
