//! Lassos: the shortest stem that leads to a fair component, and a short loop in it.

use std::collections::VecDeque;

use super::components::fair_components;
use super::conditions::Conditions;
use super::question::Question;
use crate::statement::fairness::Strength;
use crate::walk::bits::Bits;
use crate::walk::steps::Steps;

/// A behaviour that visits its states one after the other, and from the last goes back to the one at `loop_start`. A loop
/// of one state is a stutter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states, the first one initial.
    pub states: Vec<u32>,
    /// The place of the first state of the loop.
    pub loop_start: usize,
}

impl Lasso {
    /// The steps before the first state of the loop.
    pub fn stem(&self) -> usize {
        self.loop_start
    }

    /// The steps of the loop; none if the behaviour stutters for ever.
    pub fn loop_length(&self) -> usize {
        match self.states.len() - self.loop_start {
            1 => 0,
            states => states,
        }
    }
}

/// A fair behaviour that does what a question asks for, if there is one: of all these one with the shortest stem, and among
/// those one that stutters, if one does.
pub fn violation(
    graph: Steps<'_>,
    initial: &[u32],
    conditions: &Conditions,
    question: &Question<'_>,
) -> Option<Lasso> {
    let states = graph.states();
    // Where a loop can begin: in the first at once, since it comes by the start itself; in the others after it.
    let mut with_start = Bits::none(states);
    let mut fair = Bits::none(states);
    let mut found = 0_u64;
    let start = question.start.iter();
    fair_components(graph, conditions, question, start, &mut |component| {
        found += 1;
        let has_start = component.iter().any(|at| question.start.contains(*at));
        let bits = if has_start {
            &mut with_start
        } else {
            &mut fair
        };
        component.iter().for_each(|at| bits.insert(*at));
        true
    });
    if found == 0 {
        return None;
    }
    let shortest = Stem {
        graph,
        conditions,
        question,
        with_start,
        fair,
    };
    let (mut states, by_start) = shortest.find(initial);
    let entry = *states.last().expect("a stem has a state");
    let loop_start = states.len() - 1;
    let Stem {
        with_start, fair, ..
    } = shortest;
    let component = match found {
        // PERF: if there is one alone, it is known already.
        1 if by_start => with_start,
        1 => fair,
        _ => component_of(graph, conditions, question, entry),
    };
    let within = Loop {
        graph,
        conditions,
        question,
        component,
    };
    states.extend(within.short(entry, by_start));
    Some(Lasso { states, loop_start })
}

/// The fair component of a state that is in one.
fn component_of(
    graph: Steps<'_>,
    conditions: &Conditions,
    question: &Question<'_>,
    state: u32,
) -> Bits {
    let mut component = Bits::none(graph.states());
    let start = [state].into_iter();
    fair_components(graph, conditions, question, start, &mut |fair| {
        let is_it = fair.contains(&state);
        if is_it {
            fair.iter().for_each(|at| component.insert(*at));
        }
        !is_it
    });
    component
}

/// True if there is a fair behaviour that does what a question asks for.
pub fn is_violated(graph: Steps<'_>, conditions: &Conditions, question: &Question<'_>) -> bool {
    let mut found = false;
    let start = question.start.iter();
    fair_components(graph, conditions, question, start, &mut |_| {
        found = true;
        false
    });
    found
}

/// The search for the shortest stem: breadth first, before the start of the question and after it.
struct Stem<'a> {
    graph: Steps<'a>,
    conditions: &'a Conditions,
    question: &'a Question<'a>,
    with_start: Bits,
    fair: Bits,
}

/// The predecessors of states that were met, each of which is its own if it has none.
///
/// PERF: one more than the predecessor, so that memory of states that are not met is not touched.
struct Before(Vec<u32>);

impl Before {
    /// Predecessors of no state: none was met.
    fn none(states: usize) -> Self {
        Self(vec![0; states])
    }

    /// Notes the predecessor of a state, unless it was met. Whether it was not.
    fn meet(&mut self, at: u32, before: u32) -> bool {
        let known = &mut self.0[at as usize];
        let is_new = *known == 0;
        if is_new {
            *known = before + 1;
        }
        is_new
    }

    /// The way to a state that was met, from one that has no predecessor.
    fn path(&self, to: u32) -> Vec<u32> {
        let mut path = vec![to];
        let mut at = to;
        while self.0[at as usize] - 1 != at {
            at = self.0[at as usize] - 1;
            path.push(at);
        }
        path.reverse();
        path
    }
}

impl Stem<'_> {
    /// The states of the stem, and whether the loop has to come by the start.
    fn find(&self, initial: &[u32]) -> (Vec<u32>, bool) {
        let [mut before, mut after] = [0, 1].map(|_| Before::none(self.graph.states()));
        let mut level: Vec<u32> = Vec::new();
        let mut level_after: Vec<u32> = Vec::new();
        for at in initial {
            if before.meet(*at, *at) {
                level.push(*at);
            }
        }
        loop {
            if let Some(entry) = self.entry(&level, &self.with_start) {
                return (before.path(entry), true);
            }
            for at in level.iter().filter(|at| self.question.start.contains(**at)) {
                if after.meet(*at, *at) {
                    level_after.push(*at);
                }
            }
            if let Some(entry) = self.entry(&level_after, &self.fair) {
                let way = after.path(entry);
                let mut stem = before.path(way[0]);
                stem.extend(&way[1..]);
                return (stem, false);
            }
            assert!(
                !level.is_empty() || !level_after.is_empty(),
                "a fair component is reached from its start"
            );
            level = self.next(&level, &mut before, |_| true);
            level_after = self.next(&level_after, &mut after, |to| {
                self.question.within.contains(to)
            });
        }
    }

    /// A state of a level at which a loop can begin, one at which the behaviour can stutter if there is one.
    fn entry(&self, level: &[u32], fair: &Bits) -> Option<u32> {
        let entries = || level.iter().copied().filter(|at| fair.contains(*at));
        let stutters = |at: &u32| stutters_fairly(self.graph, self.conditions, self.question, *at);
        entries().find(stutters).or_else(|| entries().next())
    }

    fn next(&self, level: &[u32], before: &mut Before, goes: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut next = Vec::new();
        for from in level {
            for (to, _) in self.graph.steps(*from).filter(|(to, _)| goes(*to)) {
                if before.meet(to, *from) {
                    next.push(to);
                }
            }
        }
        next
    }
}

/// True if a behaviour may stay in a state for ever and do what the question asks for, its start aside.
fn stutters_fairly(
    graph: Steps<'_>,
    conditions: &Conditions,
    question: &Question<'_>,
    state: u32,
) -> bool {
    let wanted = question.wanted.as_ref();
    let none_enabled = || (0..conditions.len()).all(|one| !enabled(graph, conditions, state, one));
    wanted.is_none_or(|wanted| wanted.contains(state)) && none_enabled()
}

/// True if the action of a condition is enabled in a state.
fn enabled(graph: Steps<'_>, conditions: &Conditions, state: u32, condition: usize) -> bool {
    let mut steps = graph.steps(state).filter(|(to, _)| *to != state);
    steps.any(|(_, class)| conditions.takes(class, condition))
}

/// State or step that a loop has to come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// A state of the question's start.
    Start,
    /// A state that is wanted.
    Wanted,
    /// A step of the condition's action, or, if it is weak, a state that does not enable it.
    Condition(usize),
}

/// The search for a short loop in a fair component.
struct Loop<'a> {
    graph: Steps<'a>,
    conditions: &'a Conditions,
    question: &'a Question<'a>,
    component: Bits,
}

impl Loop<'_> {
    /// The states of a fair loop after `entry`: by the nearest need first, and by no more strong conditions than it has to.
    fn short(&self, entry: u32, by_start: bool) -> Vec<u32> {
        let weak = (0..self.conditions.len())
            .filter(|condition| self.conditions.strength(*condition) == Strength::Weak);
        let mut needs: Vec<Need> = weak.map(Need::Condition).collect();
        needs.extend(self.question.wanted.as_ref().map(|_| Need::Wanted));
        needs.extend(by_start.then_some(Need::Start));
        loop {
            let states = self.around(entry, &needs);
            let passed_over = self.passed_over(entry, &states);
            if passed_over.is_empty() {
                return states;
            }
            needs.extend(passed_over.into_iter().map(Need::Condition));
        }
    }

    /// The states, after `entry`, of a loop that meets all needs.
    fn around(&self, entry: u32, needs: &[Need]) -> Vec<u32> {
        let mut states = vec![entry];
        let mut needs = needs.to_vec();
        needs.retain(|need| !self.meets_there(*need, entry));
        while !needs.is_empty() {
            let from = states[states.len() - 1];
            let needed = || needs.iter().copied();
            let way = self.way(
                from,
                |class| needed().any(|need| self.meets_by(need, class)),
                |at| needed().any(|need| self.meets_there(need, at)),
            );
            for to in way {
                let from = states[states.len() - 1];
                needs.retain(|need| !self.met(*need, from, to));
                states.push(to);
            }
        }
        let last = states[states.len() - 1];
        if last != entry {
            states.extend(self.way(last, |_| false, |at| at == entry));
        }
        if states.len() > 1 {
            states.pop();
        }
        states.split_off(1)
    }

    /// The strong conditions that a loop does not meet.
    fn passed_over(&self, entry: u32, states: &[u32]) -> Vec<usize> {
        let all: Vec<u32> = [entry].into_iter().chain(states.iter().copied()).collect();
        let pairs = || all.iter().zip(all.iter().cycle().skip(1));
        let strong = (0..self.conditions.len())
            .filter(|condition| self.conditions.strength(*condition) == Strength::Strong);
        strong
            .filter(|condition| {
                let need = Need::Condition(*condition);
                all.iter()
                    .any(|at| enabled(self.graph, self.conditions, *at, *condition))
                    && !pairs().any(|(from, to)| from != to && self.met(need, *from, *to))
            })
            .collect()
    }

    /// The states, after `from`, of a shortest way within the component to a step of a class that ends it or a state that
    /// does; `from` does not.
    fn way(
        &self,
        from: u32,
        ends_by: impl Fn(u32) -> bool,
        ends_there: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut before = Before::none(self.graph.states());
        before.meet(from, from);
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            for (to, class) in self.steps(at) {
                let is_new = before.meet(to, at);
                if ends_by(class) || is_new && ends_there(to) {
                    let mut way = before.path(at);
                    way.push(to);
                    return way.split_off(1);
                }
                if is_new {
                    open.push_back(to);
                }
            }
        }
        unreachable!("a component is strongly connected, and has what its loop needs")
    }

    /// The steps of a state that stay in the component.
    fn steps(&self, from: u32) -> impl Iterator<Item = (u32, u32)> {
        self.graph.steps(from).filter(move |(to, class)| {
            *to != from && self.component.contains(*to) && self.question.allows(from, *class, *to)
        })
    }

    /// True if going from a state to another meets a need, by whatever step.
    fn met(&self, need: Need, from: u32, to: u32) -> bool {
        let mut steps = self.steps(from).filter(|(other, _)| *other == to);
        steps.any(|(_, class)| self.meets_by(need, class)) || self.meets_there(need, to)
    }

    /// True if a step of a class meets a need.
    fn meets_by(&self, need: Need, class: u32) -> bool {
        matches!(need, Need::Condition(condition) if self.conditions.takes(class, condition))
    }

    /// True if being in a state meets a need.
    fn meets_there(&self, need: Need, at: u32) -> bool {
        match need {
            Need::Start => self.question.start.contains(at),
            Need::Wanted => {
                let wanted = self.question.wanted.as_ref();
                wanted.is_none_or(|wanted| wanted.contains(at))
            }
            Need::Condition(condition) => {
                self.conditions.strength(condition) == Strength::Weak
                    && !enabled(self.graph, self.conditions, at, condition)
            }
        }
    }
}
