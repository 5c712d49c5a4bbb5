//! Systems given by lists of their steps.

use refmap::{Action, Fairness, Rule, RuleId, State, TransitionSystem};
use serde::Serialize;

/// A system whose states are numbers, and whose steps are listed.
#[derive(Clone, Debug)]
pub struct Explicit {
    pub rules: Vec<Rule>,
    pub initial: Vec<u8>,
    /// Per state, its steps.
    pub steps: Vec<Vec<Edge>>,
    /// Per state, what it shows.
    pub shown: Vec<u8>,
    pub may_stop: Vec<u8>,
    pub fairness: Vec<Fairness>,
}

/// A step: the place of its rule, and its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub struct Edge {
    pub rule: u8,
    pub to: u8,
}

impl<S: AsRef<Explicit>> Action<S> for Edge {
    fn rules(system: &S) -> &[Rule] {
        &system.as_ref().rules
    }

    fn rule(&self, _: &S) -> RuleId {
        RuleId(usize::from(self.rule))
    }
}

impl AsRef<Explicit> for Explicit {
    fn as_ref(&self) -> &Explicit {
        self
    }
}

impl Explicit {
    /// A system that begins in state 0, of rules (name, process) and of steps from a state by a rule to another; each state
    /// shows itself.
    pub fn new(rules: &[(&'static str, &'static str)], steps: &[(u8, &str, u8)]) -> Self {
        let numbers = steps.iter().flat_map(|(from, _, to)| [*from, *to]);
        let states = numbers.max().map_or(1, |last| last + 1);
        let mut system = Self {
            rules: crate::rules(rules),
            initial: vec![0],
            steps: vec![Vec::new(); usize::from(states)],
            shown: (0..states).collect(),
            may_stop: Vec::new(),
            fairness: Vec::new(),
        };
        for (from, rule, to) in steps {
            let rule = system.rule(rule);
            system.steps[usize::from(*from)].push(Edge { rule, to: *to });
        }
        system
    }

    /// The place of a rule.
    pub fn rule(&self, name: &str) -> u8 {
        let place = self.rules.iter().position(|rule| rule.name == name);
        place.expect("the rule is one of the system") as u8
    }

    /// The action of a rule and a target.
    pub fn edge(&self, rule: &str, to: u8) -> Edge {
        Edge {
            rule: self.rule(rule),
            to,
        }
    }
}

impl TransitionSystem for Explicit {
    type State = u8;
    type Action = Edge;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        self.initial.iter().copied().for_each(visit);
    }

    fn candidates(&self, from: &u8, visit: &mut impl FnMut(Edge)) {
        let steps = self.steps.get(usize::from(*from)).into_iter().flatten();
        steps.copied().for_each(visit);
    }

    fn fire(&self, edge: &Edge, state: &mut u8) -> Option<()> {
        let steps = self.steps.get(usize::from(*state))?;
        steps.contains(edge).then(|| *state = edge.to)
    }

    fn observe(&self, state: &u8) -> u8 {
        self.shown[usize::from(*state)]
    }

    fn may_stop(&self, state: &u8) -> bool {
        self.may_stop.contains(state)
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}
