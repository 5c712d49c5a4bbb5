//! Liveness by the definitions: every set of states of a small system is tried as the loop of a lasso.
//!
//! A loop visits just the states of a set, and takes all pairs between them if it is to be as fair as it can be. So a set
//! that is strongly connected, and meets every condition, is what a fair behaviour visits infinitely often.

use std::collections::{HashSet, VecDeque};

use refmap::liveness::Strength;
use refmap_cli::graph::{PropertyKind, System};

type Set = u32;

/// What is true of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// The least stem of a fair lasso that violates it, if there is one.
    pub stem: Option<usize>,
    pub vacuous: bool,
}

pub fn truth(system: &System, kind: &PropertyKind) -> Truth {
    let of = Textbook { system };
    let reached = of.reached();
    let vacuous = match kind {
        PropertyKind::LeadsTo { premise, .. } => !premise.iter().any(|at| has(reached, *at)),
        _ => false,
    };
    let sets = 1..1u32 << system.given.len();
    let loops = sets.filter(|set| set & !reached == 0);
    let stems = loops.filter_map(|set| of.stem(kind, set));
    Truth {
        stem: stems.min(),
        vacuous,
    }
}

fn has(set: Set, at: u32) -> bool {
    set >> at & 1 == 1
}

fn set(of: &[u32]) -> Set {
    of.iter().fold(0, |set, at| set | 1 << at)
}

struct Textbook<'a> {
    system: &'a System,
}

impl Textbook<'_> {
    fn states(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.system.given.len() as u32
    }

    /// Whether a step by one of the rules leads from a state to another.
    fn joins(&self, from: u32, rules: Option<&[u32]>, to: u32) -> bool {
        let mut steps = self.system.steps.iter();
        from != to
            && steps.any(|(source, rule, target)| {
                (*source, *target) == (from, to) && rules.is_none_or(|rules| rules.contains(rule))
            })
    }

    fn enabled(&self, at: u32, rules: &[u32]) -> bool {
        self.states().any(|to| self.joins(at, Some(rules), to))
    }

    fn reached(&self) -> Set {
        let mut reached = set(&self.system.initial);
        loop {
            let before = reached;
            for from in self.states().filter(|at| has(before, *at)) {
                let targets = self.states().filter(|to| self.joins(from, None, *to));
                reached |= targets.fold(0, |set, to| set | 1 << to);
            }
            if reached == before {
                return reached;
            }
        }
    }

    /// The least stem of a lasso whose loop visits these states and violates the property, if there is a fair one.
    fn stem(&self, kind: &PropertyKind, around: Set) -> Option<usize> {
        let none: &[u32] = &[];
        let left_out = match kind {
            PropertyKind::WeaklyFair(rules) | PropertyKind::StronglyFair(rules) => rules,
            _ => none,
        };
        if !self.is_connected(around, left_out) || !self.is_fair(around, left_out) {
            return None;
        }
        let within = |label: &[u32]| around & !set(label) == 0;
        let without = |label: &[u32]| around & set(label) == 0;
        let anywhere = |_: bool, _: u32| true;
        let enabling = |rules: &[u32]| {
            let states = self.states().filter(|at| self.enabled(*at, rules));
            states.fold(0, |set, at| set | 1 << at)
        };
        match kind {
            // What the property waits for is a state of the way: a premise was seen, and no conclusion since.
            PropertyKind::LeadsTo {
                premise,
                conclusion,
            } => {
                let (premise, conclusion) = (set(premise), set(conclusion));
                let waits = |waited, at| (waited || has(premise, at)) && !has(conclusion, at);
                let enters = |waited, _| waited || around & premise != 0;
                (around & conclusion == 0).then(|| self.way(waits, enters, around))?
            }
            PropertyKind::Eventually(one) => {
                let one = set(one);
                let seen = |seen, at| seen || has(one, at);
                let enters = |seen: bool, _| !seen;
                (around & one == 0).then(|| self.way(seen, enters, around))?
            }
            PropertyKind::AlwaysEventually(one) => {
                without(one).then(|| self.way(|_, _| false, anywhere, around))?
            }
            PropertyKind::EventuallyAlways(one) => {
                (!within(one)).then(|| self.way(|_, _| false, anywhere, around))?
            }
            PropertyKind::Always(one) => {
                let one = set(one);
                let seen = |seen, at| seen || !has(one, at);
                self.way(seen, |seen, _| seen || around & !one != 0, around)
            }
            PropertyKind::WeaklyFair(rules) => (around & !enabling(rules) == 0)
                .then(|| self.way(|_, _| false, anywhere, around))?,
            PropertyKind::StronglyFair(rules) => {
                (around & enabling(rules) != 0).then(|| self.way(|_, _| false, anywhere, around))?
            }
        }
    }

    /// The least number of steps to a state of the loop with a memory that is allowed there. `remembers` is what the memory
    /// is after a state is visited.
    fn way(
        &self,
        remembers: impl Fn(bool, u32) -> bool,
        enters: impl Fn(bool, u32) -> bool,
        around: Set,
    ) -> Option<usize> {
        let initial = self.system.initial.iter();
        let mut open: VecDeque<(u32, bool, usize)> =
            initial.map(|at| (*at, remembers(false, *at), 0)).collect();
        let mut seen: HashSet<(u32, bool)> = HashSet::new();
        while let Some((at, memory, steps)) = open.pop_front() {
            if !seen.insert((at, memory)) {
                continue;
            }
            if has(around, at) && enters(memory, at) {
                return Some(steps);
            }
            for to in self.states().filter(|to| self.joins(at, None, *to)) {
                open.push_back((to, remembers(memory, to), steps + 1));
            }
        }
        None
    }

    /// Whether every state of a set leads to every other, within the set and without steps of some rules.
    fn is_connected(&self, around: Set, left_out: &[u32]) -> bool {
        let states: Vec<u32> = self.states().filter(|at| has(around, *at)).collect();
        states.iter().all(|from| {
            let mut reached: Set = 1 << from;
            for _ in &states {
                let before = reached;
                for at in states.iter().filter(|at| has(before, **at)) {
                    for to in &states {
                        if self.goes(*at, *to, left_out) {
                            reached |= 1 << to;
                        }
                    }
                }
            }
            around & !reached == 0
        })
    }

    fn goes(&self, from: u32, to: u32, left_out: &[u32]) -> bool {
        self.joins(from, None, to) && !self.joins(from, Some(left_out), to)
    }

    fn is_fair(&self, around: Set, left_out: &[u32]) -> bool {
        let states: Vec<u32> = self.states().filter(|at| has(around, *at)).collect();
        self.system.conditions.iter().all(|condition| {
            let rules = &condition.rules;
            let taken = states.iter().any(|from| {
                let mut targets = states.iter();
                targets.any(|to| {
                    self.joins(*from, Some(rules), *to) && self.goes(*from, *to, left_out)
                })
            });
            let enabled: Vec<bool> = states.iter().map(|at| self.enabled(*at, rules)).collect();
            taken
                || match condition.strength {
                    Strength::Weak => enabled.contains(&false),
                    Strength::Strong => !enabled.contains(&true),
                }
        })
    }
}
