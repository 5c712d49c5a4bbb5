//! The fairness conditions that the implementation meets, as the recorded graph shows them.

use std::collections::BTreeSet;

use crate::obligation::label::Label;
use crate::statement::asked::functions::Functions;
use crate::statement::fairness::Fairness;
use crate::statement::rule::{Process, Rule};
use crate::statement::system::{ActionOf, TransitionSystem};
use crate::walk::bits::Bits;
use crate::walk::explore::Graph;
use crate::walk::liveness::{Conditions, Strength};

/// Rules, by their places, and the processes that take them.
pub(super) type TakenRules = BTreeSet<(u32, Process)>;

/// A fairness condition of one process, or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConditionInstance {
    /// The place of the condition among those stated.
    pub condition: usize,
    pub name: String,
    pub strength: Strength,
    /// The places of the rules.
    pub rules: Vec<u32>,
    /// The process, unless the condition is one of all.
    pub process: Option<Process>,
}

impl ConditionInstance {
    /// True if a step by a rule and a process is one of the action.
    pub fn takes(&self, rule: u32, process: Process) -> bool {
        self.rules.contains(&rule) && self.process.is_none_or(|own| own.is(process))
    }

    /// True if a step of a system by an action is one.
    pub fn takes_action<S: TransitionSystem>(&self, system: &S, action: &ActionOf<S>) -> bool {
        let rule = system.call_rule(action).0 as u32;
        self.takes(rule, system.call_process(action))
    }
}

/// The rules and processes of the recorded steps that change the state, of which `of_labels` has those of each label.
pub(super) fn taken(graph: &Graph, of_labels: &[TakenRules]) -> TakenRules {
    let mut changing = Bits::none(of_labels.len());
    for state in graph.nodes() {
        let steps = graph.steps(state).filter(|(target, _)| *target != state);
        steps.for_each(|(_, label)| changing.insert(label));
    }
    let labels = changing.iter().map(|label| &of_labels[label as usize]);
    labels.flatten().copied().collect()
}

/// The rule and the process of each label.
pub(super) fn taken_by_labels(labels: &[Label]) -> Vec<TakenRules> {
    let taken = labels.iter().map(|label| label.taken);
    taken.map(|taken| taken.into_iter().collect()).collect()
}

/// The conditions of each process by which a step was taken.
pub(super) fn instances(
    stated: &[Fairness],
    rules: &[Rule],
    taken: &TakenRules,
) -> Vec<ConditionInstance> {
    let mut instances = Vec::new();
    for (condition, fairness) in stated.iter().enumerate() {
        let of = rules_of(fairness, rules);
        let processes: BTreeSet<Process> = processes(&of, taken)
            .filter(|process| {
                fairness
                    .process()
                    .is_none_or(|own| process.number == Some(own))
            })
            .collect();
        let instance = |process: Option<Process>| {
            let name = match process {
                Some(process) if is_one_of_several(process, &processes) => {
                    format!("{} ({process})", fairness.name())
                }
                _ => fairness.name().to_owned(),
            };
            ConditionInstance {
                condition,
                name,
                strength: fairness.strength(),
                rules: of.clone(),
                process,
            }
        };
        if !fairness.is_joint() {
            instances.extend(processes.iter().map(|process| instance(Some(*process))));
        } else if !processes.is_empty() {
            instances.push(instance(None));
        }
    }
    instances
}

/// True if a process has to be named, since it has others beside it; otherwise the name need not say whose condition it is.
fn is_one_of_several(process: Process, processes: &BTreeSet<Process>) -> bool {
    processes.len() > 1 || process.number.is_some()
}

/// The places of the rules of a condition.
pub(super) fn rules_of(fairness: &Fairness, rules: &[Rule]) -> Vec<u32> {
    let is_of = |rule: &u32| {
        let own = &rules[*rule as usize].name;
        fairness.rules().any(|name| name == own)
    };
    (0..rules.len() as u32).filter(is_of).collect()
}

/// The processes by which steps of some rules were taken.
pub(super) fn processes(rules: &[u32], taken: &TakenRules) -> impl Iterator<Item = Process> {
    let of = taken.iter().filter(|(rule, _)| rules.contains(rule));
    of.map(|(_, process)| *process)
}

/// Conditions, and the class of each label.
pub(super) struct Assumed {
    pub instances: Vec<ConditionInstance>,
    pub conditions: Conditions,
    pub classes: Vec<u32>,
}

impl Assumed {
    /// Those of some labels, given by the rules and processes that take their steps.
    pub fn new(instances: Vec<ConditionInstance>, of_labels: &[TakenRules]) -> Self {
        let mut conditions = Conditions::new(instances.iter().map(|one| one.strength));
        let class = |of_label: &TakenRules| {
            let taken = |(_, one): &(usize, &ConditionInstance)| {
                let mut taken = of_label.iter();
                taken.any(|(rule, process)| one.takes(*rule, *process))
            };
            let of = instances.iter().enumerate().filter(taken);
            conditions.class(of.map(|(number, _)| number))
        };
        let classes = of_labels.iter().map(class).collect();
        Self {
            instances,
            conditions,
            classes,
        }
    }
}
