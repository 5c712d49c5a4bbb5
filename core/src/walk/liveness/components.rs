//! The maximal components in which a behaviour can stay fairly for ever.
//!
//! Strongly connected components by Pearce's algorithm, with an explicit path. A component that takes no step of a weak
//! condition's action, which is enabled everywhere in it, is unfair, and so is every part of it. From one that takes no
//! step of a strong condition's action, which is enabled somewhere in it, the states that enable it are taken out, and
//! the rest is decomposed again.
//!
//! Memory: 4 bytes a state, and besides 8 for each state on the path of the search or 4 for each that is waiting for
//! its component.

use super::conditions::Conditions;
use super::question::Question;
use crate::statement::fairness::Strength;
use crate::walk::steps::Steps;

/// A state that is not reached yet.
const UNSEEN: u32 = 0;
/// A state of no component, or of one that was decided.
const CLOSED: u32 = u32::MAX;
/// A state of the component that is being decided.
const CURRENT: u32 = u32::MAX - 1;

/// Bit in the cursor of a state on the path: set if it reaches back to an earlier one.
const REACHES_BACK: u32 = 1 << 31;

/// Tells `fair` the states of each maximal fair component that behaviours reach from a state of the question's start,
/// until it returns false.
pub(super) fn fair_components(
    graph: Steps<'_>,
    conditions: &Conditions,
    question: &Question<'_>,
    start: impl Iterator<Item = u32>,
    fair: &mut dyn FnMut(&[u32]) -> bool,
) {
    let outside = |at: u32| !question.within.contains(at);
    let mut search = ComponentSearch {
        graph,
        question,
        marks: (0..graph.states() as u32)
            .map(|at| if outside(at) { CLOSED } else { UNSEEN })
            .collect(),
        next: 1,
        path: Vec::new(),
        waiting: Vec::new(),
    };
    let mut judge = FairnessTest::new(conditions);
    let mut goes_on = true;
    for root in start {
        search.from(root, &mut |search, component| {
            // The parts that are left of a component are decomposed before the search goes on: they lead nowhere else.
            let mut left = vec![judge.decide(search, component, &mut goes_on, fair)];
            while let Some(part) = left.pop() {
                part.iter()
                    .for_each(|at| search.marks[*at as usize] = UNSEEN);
                for root in part {
                    search.from(root, &mut |search, component| {
                        left.push(judge.decide(search, component, &mut goes_on, fair));
                    });
                }
            }
        });
        if !goes_on {
            return;
        }
    }
}

struct ComponentSearch<'a> {
    graph: Steps<'a>,
    question: &'a Question<'a>,
    /// Per state, where it is in the search: its number, or the least that it is known to reach.
    marks: Vec<u32>,
    next: u32,
    /// The states on the path from the root, each with the cursor of its next step.
    path: Vec<(u32, u32)>,
    /// The states that reach back to one on the path.
    waiting: Vec<u32>,
}

impl ComponentSearch<'_> {
    /// Finds the components that are reached from `root`, if it is not seen yet.
    fn from(&mut self, root: u32, component: &mut dyn FnMut(&mut Self, Vec<u32>)) {
        if self.marks[root as usize] != UNSEEN {
            return;
        }
        let base = self.path.len();
        self.enter(root);
        while self.path.len() > base {
            match self.advance() {
                Some(to) => self.enter(to),
                None => self.leave(component),
            }
        }
    }

    /// Looks at the steps of the last state of the path up to one that leads to a state that is not seen yet.
    fn advance(&mut self) -> Option<u32> {
        let (state, cursor) = self.path.last_mut().expect("there is a path");
        let state = *state;
        let mut mark = self.marks[state as usize];
        let mut reaches_back = *cursor & REACHES_BACK;
        let mut unseen = None;
        for (next, to, class) in self.graph.steps_from(state, *cursor & !REACHES_BACK) {
            let of_target = self.marks[to as usize];
            if of_target == CLOSED || to == state || !self.question.allows(state, class, to) {
                continue;
            }
            if of_target == UNSEEN {
                unseen = Some((to, next));
                break;
            }
            if of_target < mark {
                (mark, reaches_back) = (of_target, REACHES_BACK);
            }
        }
        self.marks[state as usize] = mark;
        let (to, next) = unseen.unzip();
        *cursor = next.unwrap_or(0) | reaches_back;
        to
    }

    fn enter(&mut self, state: u32) {
        self.marks[state as usize] = self.next;
        self.next += 1;
        self.path.push((state, 0));
    }

    /// The state at a place of the path reaches what has this mark.
    fn lower(&mut self, place: usize, mark: u32) {
        let (state, cursor) = &mut self.path[place];
        if mark < self.marks[*state as usize] {
            self.marks[*state as usize] = mark;
            *cursor |= REACHES_BACK;
        }
    }

    /// The last state of the path has no further step.
    fn leave(&mut self, component: &mut dyn FnMut(&mut Self, Vec<u32>)) {
        let (state, cursor) = self.path.pop().expect("there is a path");
        let mark = self.marks[state as usize];
        if cursor & REACHES_BACK != 0 {
            self.waiting.push(state);
            self.lower(self.path.len() - 1, mark);
            return;
        }
        let belongs = |at: &&u32| self.marks[**at as usize] >= mark;
        let count = self.waiting.iter().rev().take_while(belongs).count();
        // PERF: the only component that waits, which may be that of all states, is not copied.
        let mut states = match self.waiting.len() - count {
            0 if count > 0 => std::mem::take(&mut self.waiting),
            rest => self.waiting.split_off(rest),
        };
        states.push(state);
        self.next -= states.len() as u32;
        component(self, states);
    }
}

/// Decides whether a component is fair.
///
/// PERF: of a set of conditions only the words are looked at that have any. With n conditions on n states of which each
/// takes one state out, a round is linear in the steps.
struct FairnessTest<'a> {
    conditions: &'a Conditions,
    weak: Vec<u64>,
    strong: Vec<u64>,
    all: Vec<u64>,
    /// The conditions whose actions are enabled in the state that is looked at, and the words that have any.
    enabled: Vec<u64>,
    enabling: Vec<u32>,
    /// Per word, in how many states of the component it has any; and the conditions whose actions are enabled in all of these,
    /// and in any.
    states: Vec<u32>,
    everywhere: Vec<u64>,
    somewhere: Vec<u64>,
    /// The conditions whose actions are taken.
    taken: Vec<u64>,
}

impl<'a> FairnessTest<'a> {
    fn new(conditions: &'a Conditions) -> Self {
        let none = vec![0; conditions.words()];
        let [weak, strong] =
            [Strength::Weak, Strength::Strong].map(|one| conditions.of_strength(one));
        Self {
            conditions,
            all: weak
                .iter()
                .zip(&strong)
                .map(|(weak, strong)| weak | strong)
                .collect(),
            weak,
            strong,
            enabled: none.clone(),
            enabling: Vec::new(),
            states: vec![0; conditions.words()],
            everywhere: none.clone(),
            somewhere: none.clone(),
            taken: none,
        }
    }

    /// Tells `fair` a component that is fair, and closes its states. Returns those of which parts may be fair.
    fn decide(
        &mut self,
        search: &mut ComponentSearch<'_>,
        mut component: Vec<u32>,
        goes_on: &mut bool,
        fair: &mut dyn FnMut(&[u32]) -> bool,
    ) -> Vec<u32> {
        // PERF: in the order in which their steps are recorded.
        component.sort_unstable();
        let mark_all = |search: &mut ComponentSearch<'_>, mark| {
            component
                .iter()
                .for_each(|at| search.marks[*at as usize] = mark);
        };
        mark_all(search, CURRENT);
        let left = if *goes_on && self.is_wanted(search, &component) {
            self.unfair_part(search, &component)
        } else {
            Some(Vec::new())
        };
        mark_all(search, CLOSED);
        left.unwrap_or_else(|| {
            *goes_on = fair(&component);
            Vec::new()
        })
    }

    fn is_wanted(&self, search: &ComponentSearch<'_>, component: &[u32]) -> bool {
        let wanted = search.question.wanted.as_ref();
        wanted.is_none_or(|wanted| component.iter().any(|at| wanted.contains(*at)))
    }

    /// Rest of the component when the states are taken out that no fair behaviour visits infinitely often; none if the
    /// component is fair.
    fn unfair_part(&mut self, search: &ComponentSearch<'_>, component: &[u32]) -> Option<Vec<u32>> {
        if let [state] = component {
            // A behaviour that stutters takes nothing.
            let mut steps = search.graph.steps(*state).filter(|(to, _)| to != state);
            let is_enabled = steps.any(|(_, class)| self.conditions.takes_any(class));
            return is_enabled.then(Vec::new);
        }
        let words = 0..self.taken.len();
        self.states.fill(0);
        self.everywhere.fill(u64::MAX);
        self.somewhere.fill(0);
        self.taken.fill(0);
        // The words before this one are taken wholly.
        let mut open = 0;
        for state in component {
            self.look_at(search, *state);
            for word in self.enabling.iter().map(|word| *word as usize) {
                self.states[word] += 1;
                self.everywhere[word] &= self.enabled[word];
                self.somewhere[word] |= self.enabled[word];
            }
            // PERF: mostly a few states take all there is to take.
            while open < words.end && self.all[open] & !self.taken[open] == 0 {
                open += 1;
            }
            if open == words.end {
                return None;
            }
        }
        let starves = |word: usize| {
            let in_all = self.states[word] as usize == component.len();
            in_all && self.weak[word] & self.everywhere[word] & !self.taken[word] != 0
        };
        if words.clone().any(starves) {
            return Some(Vec::new());
        }
        let passed_over =
            |word: usize| self.strong[word] & self.somewhere[word] & !self.taken[word];
        let passed_over: Vec<u64> = words.map(passed_over).collect();
        if passed_over.iter().all(|word| *word == 0) {
            return None;
        }
        let mut left = Vec::new();
        for state in component {
            self.look_at(search, *state);
            let mut enabling = self.enabling.iter().map(|word| *word as usize);
            if enabling.all(|word| self.enabled[word] & passed_over[word] == 0) {
                left.push(*state);
            }
        }
        Some(left)
    }

    /// Notes what is enabled in a state, and adds what its steps take that stay in the component.
    fn look_at(&mut self, search: &ComponentSearch<'_>, state: u32) {
        for word in self.enabling.drain(..) {
            self.enabled[word as usize] = 0;
        }
        for (to, class) in search.graph.steps(state).filter(|(to, _)| *to != state) {
            let stays =
                search.marks[to as usize] == CURRENT && search.question.allows(state, class, to);
            for (word, set) in self.conditions.set(class) {
                let enabled = &mut self.enabled[*word as usize];
                if *enabled == 0 {
                    self.enabling.push(*word);
                }
                *enabled |= set;
                self.taken[*word as usize] |= if stays { *set } else { 0 };
            }
        }
    }
}
