//! The fairness conditions that the implementation meets, as the recorded graph shows them.

use std::collections::BTreeSet;

use crate::explore::{Graph, StateId};
use crate::fairness::Fairness;
use crate::liveness::{Bits, Conditions, Lasso, Question, Steps, Strength, is_violated, violation};
use crate::obligation::label::Label;
use crate::rule::{Process, Rule};
use crate::system::{ActionOf, TransitionSystem};

/// A fairness condition of one process, or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    /// The place of the condition among those stated.
    pub condition: usize,
    pub name: String,
    pub strength: Strength,
    /// The places of the rules.
    pub rules: Vec<u32>,
    /// The number of the process, where it is one of each.
    pub process: Option<Option<u16>>,
}

impl Instance {
    /// Whether a step by a rule and a process of this number is one of the action.
    pub fn takes(&self, rule: u32, process: Option<u16>) -> bool {
        self.rules.contains(&rule) && self.process.is_none_or(|own| own == process)
    }

    /// Whether a step of a system by an action is one.
    pub fn takes_action<S: TransitionSystem>(&self, system: &S, action: &ActionOf<S>) -> bool {
        let rule = system.rule_of(action).0 as u32;
        self.takes(rule, system.process_of(action).number)
    }
}

/// The conditions of each process of which a step was taken.
pub(super) fn instances(stated: &[Fairness], rules: &[Rule], labels: &[Label]) -> Vec<Instance> {
    let taken = labels.iter().filter_map(|label| label.taken);
    instances_of(stated, rules, &taken.collect())
}

/// The same of steps by these rules and processes.
pub(super) fn instances_of(
    stated: &[Fairness],
    rules: &[Rule],
    taken: &BTreeSet<(u32, Option<u16>)>,
) -> Vec<Instance> {
    let mut instances = Vec::new();
    for (condition, fairness) in stated.iter().enumerate() {
        let of: Vec<u32> = (0..rules.len() as u32)
            .filter(|rule| {
                fairness
                    .rules()
                    .any(|name| name == rules[*rule as usize].name)
            })
            .collect();
        let single = fairness.process();
        let is_of = |process: Option<u16>| single.is_none() || process == single;
        let taken = taken.iter().copied();
        let taken = taken.filter(|(rule, process)| of.contains(rule) && is_of(*process));
        let processes: BTreeSet<Option<u16>> = taken.map(|(_, process)| process).collect();
        let instance = |process: Option<Option<u16>>| {
            let kind = rules[of[0] as usize].process;
            let name = match process.flatten() {
                Some(number) if single.is_none() => {
                    let process = Process::numbered(kind, number);
                    format!("{} ({process})", fairness.name())
                }
                _ => fairness.name().to_owned(),
            };
            Instance {
                condition,
                name,
                strength: fairness.strength(),
                rules: of.clone(),
                process,
            }
        };
        match fairness.is_joint() {
            true if processes.is_empty() => (),
            true => instances.push(instance(None)),
            false => instances.extend(processes.into_iter().map(|process| instance(Some(process)))),
        }
    }
    instances
}

/// Conditions, and the class of each label.
pub(super) struct Assumed {
    pub instances: Vec<Instance>,
    pub conditions: Conditions,
    pub classes: Vec<u32>,
}

impl Assumed {
    pub fn new(instances: Vec<Instance>, labels: &[Label]) -> Self {
        let mut conditions = Conditions::new(instances.iter().map(|one| one.strength));
        let class = |label: &Label| {
            let taken = |(_, one): &(usize, &Instance)| {
                label
                    .taken
                    .is_some_and(|(rule, process)| one.takes(rule, process))
            };
            let of = instances.iter().enumerate().filter(taken);
            conditions.class(of.map(|(number, _)| number))
        };
        let classes = labels.iter().map(class).collect();
        Self {
            instances,
            conditions,
            classes,
        }
    }
}

/// The recorded graph, its labels as classes. Where it is not complete, one state without steps stands for all that were not
/// expanded.
pub(super) struct RecordedSteps<'a> {
    pub graph: &'a Graph,
    pub complete: bool,
    pub classes: &'a [u32],
}

impl RecordedSteps<'_> {
    /// A fair behaviour that does what a question asks for, if there is one. Compiled once for all models.
    pub fn violation(
        &self,
        initial: &[u32],
        conditions: &Conditions,
        question: &Question<'_>,
    ) -> Option<Lasso> {
        violation(self, initial, conditions, question)
    }

    /// Whether there is such a behaviour.
    pub fn is_violated(
        &self,
        initial: &[u32],
        conditions: &Conditions,
        question: &Question<'_>,
    ) -> bool {
        is_violated(self, initial, conditions, question)
    }

    /// The state that stands for those that were not expanded.
    pub fn unexpanded(&self) -> Option<u32> {
        (!self.complete).then_some(self.graph.states() as u32)
    }

    /// The number of a target, which may not have been expanded.
    #[inline]
    fn target(&self, target: StateId) -> u32 {
        match self.complete {
            true => target.0,
            false => target.0.min(self.graph.states() as u32),
        }
    }

    /// Whether no step leads to another state.
    pub fn stops(&self, state: u32) -> bool {
        self.steps(state).all(|(to, _)| to == state)
    }
}

impl Steps for RecordedSteps<'_> {
    fn states(&self) -> usize {
        self.graph.states() + usize::from(!self.complete)
    }

    #[inline]
    fn steps_from(&self, state: u32, cursor: u32) -> impl Iterator<Item = (u32, u32, u32)> {
        let steps = self.graph.steps_from(StateId(state), cursor);
        steps.map(|(next, target, label)| {
            let class = self.classes[label as usize];
            (next, self.target(target), class)
        })
    }

    /// All of them: a search has recorded them.
    fn reached(&self, _: &[u32]) -> Bits {
        Bits::of(self.states(), |_| true)
    }
}
