//! Liveness by the definitions: every set of states of a small system is tried as the loop of a lasso.
//!
//! A loop visits just the states of a set, and takes all pairs between them if it is to be as fair as it can be. So a set
//! that is strongly connected, and meets every condition, is what a fair behaviour visits infinitely often.

use std::collections::{HashSet, VecDeque};

use refmap::Strength;

/// Set of states, a bit each.
pub type Set = u32;

/// Pairs of different states that are steps of an action.
pub type Pairs = Vec<(u32, u32)>;

/// System of a few states.
#[derive(Clone, Debug)]
pub struct Small {
    /// Number of states.
    pub states: u32,
    pub initial: Set,
    /// All pairs of states that a step joins.
    pub steps: Pairs,
    /// The fairness conditions: strength and action.
    pub conditions: Vec<(Strength, Pairs)>,
}

/// Property of behaviours, of sets of states of the type `S`.
#[derive(Clone, Debug)]
pub enum Said<S = Set> {
    LeadsTo {
        premise: S,
        conclusion: S,
    },
    Eventually(S),
    AlwaysEventually(S),
    /// If the premise holds at some time, the conclusion holds for ever from some time on. The premise of a property that
    /// has none is the set of all states.
    EventuallyAlways {
        premise: S,
        conclusion: S,
    },
    Always(S),
    /// Fairness of an action that is enabled in some states, and taken by some pairs.
    Fair(Strength, S, Pairs),
}

/// True if a state is in a set.
pub fn has(set: Set, at: u32) -> bool {
    set >> at & 1 == 1
}

/// The set of these states.
pub fn set(of: impl IntoIterator<Item = u32>) -> Set {
    of.into_iter().fold(0, |set, at| set | 1 << at)
}

impl Small {
    /// The least stem of a fair lasso that violates a property, if there is one.
    pub fn stem(&self, said: &Said) -> Option<usize> {
        let reached = self.reached();
        let loops = (1..1u32 << self.states).filter(|set| set & !reached == 0);
        loops
            .filter_map(|around| self.stem_around(said, around))
            .min()
    }

    /// The states that are reached.
    pub fn reached(&self) -> Set {
        let mut reached = self.initial;
        loop {
            let before = reached;
            let targets = self.steps.iter().filter(|(from, _)| has(before, *from));
            reached |= set(targets.map(|(_, to)| *to));
            if reached == before {
                return reached;
            }
        }
    }

    /// The least stem of a lasso whose loop visits these states and violates the property, if there is a fair one.
    fn stem_around(&self, said: &Said, around: Set) -> Option<usize> {
        let none = Pairs::new();
        let left_out = match said {
            Said::Fair(_, _, taken) => taken,
            _ => &none,
        };
        if !self.is_connected(around, left_out) || !self.is_fair(around, left_out) {
            return None;
        }
        let anywhere = |_: bool| true;
        let anyhow = |_: bool, _: u32| false;
        match *said {
            // What the property waits for is a state of the way: a premise was seen, and no conclusion since.
            Said::LeadsTo {
                premise,
                conclusion,
            } => {
                let waits = |waited, at| (waited || has(premise, at)) && !has(conclusion, at);
                let enters = |waited| waited || around & premise != 0;
                (around & conclusion == 0).then(|| self.way(waits, enters, around))?
            }
            Said::Eventually(one) => {
                let seen = |seen, at| seen || has(one, at);
                let enters = |seen: bool| !seen;
                (around & one == 0).then(|| self.way(seen, enters, around))?
            }
            Said::AlwaysEventually(one) => {
                (around & one == 0).then(|| self.way(anyhow, anywhere, around))?
            }
            Said::EventuallyAlways {
                premise,
                conclusion,
            } => {
                let seen = |seen, at| seen || has(premise, at);
                let enters = |seen| seen || around & premise != 0;
                (around & !conclusion != 0).then(|| self.way(seen, enters, around))?
            }
            Said::Always(one) => {
                let seen = |seen, at| seen || !has(one, at);
                self.way(seen, |seen| seen || around & !one != 0, around)
            }
            Said::Fair(strength, enabled, _) => {
                let violated = match strength {
                    Strength::Weak => around & !enabled == 0,
                    Strength::Strong => around & enabled != 0,
                };
                violated.then(|| self.way(anyhow, anywhere, around))?
            }
        }
    }

    /// The least number of steps to a state of the loop with a memory that is allowed there. `remembers` is what the memory
    /// is after a state is visited.
    fn way(
        &self,
        remembers: impl Fn(bool, u32) -> bool,
        enters: impl Fn(bool) -> bool,
        around: Set,
    ) -> Option<usize> {
        let initial = (0..self.states).filter(|at| has(self.initial, *at));
        let mut open: VecDeque<(u32, bool, usize)> =
            initial.map(|at| (at, remembers(false, at), 0)).collect();
        let mut seen: HashSet<(u32, bool)> = HashSet::new();
        while let Some((at, memory, steps)) = open.pop_front() {
            if !seen.insert((at, memory)) {
                continue;
            }
            if has(around, at) && enters(memory) {
                return Some(steps);
            }
            for (_, to) in self.steps.iter().filter(|(from, _)| *from == at) {
                open.push_back((*to, remembers(memory, *to), steps + 1));
            }
        }
        None
    }

    /// The pairs within a set that are not left out.
    fn within<'a>(&'a self, around: Set, left_out: &'a Pairs) -> impl Iterator<Item = (u32, u32)> {
        let steps = self.steps.iter().copied();
        steps.filter(move |step| {
            has(around, step.0) && has(around, step.1) && !left_out.contains(step)
        })
    }

    /// True if every state of a set leads to every other.
    fn is_connected(&self, around: Set, left_out: &Pairs) -> bool {
        let mut states = (0..self.states).filter(|at| has(around, *at));
        states.all(|from| {
            let mut reached: Set = 1 << from;
            for _ in 0..self.states {
                let steps = self.within(around, left_out);
                let before = reached;
                reached |= set(steps.filter(|step| has(before, step.0)).map(|(_, to)| to));
            }
            around & !reached == 0
        })
    }

    fn is_fair(&self, around: Set, left_out: &Pairs) -> bool {
        self.conditions.iter().all(|(strength, action)| {
            let enabled = around & set(action.iter().map(|(from, _)| *from));
            let mut steps = self.within(around, left_out);
            steps.any(|step| action.contains(&step))
                || match strength {
                    Strength::Weak => enabled != around,
                    Strength::Strong => enabled == 0,
                }
        })
    }
}
