//! Steps of the specification at the images of the states, and at the abstract states between.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use super::assumed::{ConditionInstance, TakenRules, instances, processes, rules_of};
use super::looked_at::Images;
use super::single_steps::{RecordedImplementation, SingleSteps};
use crate::obligation::kept::PanickedAt;
use crate::state::numbered::Numbered;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::catch;
use crate::statement::asked::visit::visit_steps;
use crate::statement::fairness::Fairness;
use crate::statement::refinement::Refinement;
use crate::statement::rule::{Process, Rule};
use crate::statement::system::{StateOf, TransitionSystem};
use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId};

/// The images of states, the abstract states between, and the steps of the specification there.
pub(super) struct MappedStates<R: Refinement> {
    /// The conditions of the specification, of each process that takes a step of them somewhere.
    pub instances: Vec<ConditionInstance>,
    /// The rules and processes whose steps change such a state.
    taken: TakenRules,
    /// The recorded graph split into single steps, if a step simulates several.
    pub split: Option<SingleSteps>,
    /// Per node of the graph, the number of its abstract state.
    images: Vec<u32>,
    /// Per condition, the steps that take its action.
    taking: Vec<Taking>,
    /// The rules of which `next` visits a step in some of these states.
    visited: BTreeSet<usize>,
    of: PhantomData<fn(R)>,
}

/// The steps of an action that change an abstract state.
struct Taking {
    /// Per abstract state, where its targets begin; and where the last ones end.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Taking {
    /// Those of `steps` whose label is one of the action's.
    fn new(steps: &Graph, labels: &Bits) -> Self {
        let mut taking = Self {
            starts: Vec::with_capacity(steps.states() + 1),
            targets: Vec::new(),
        };
        taking.starts.push(0);
        for image in steps.nodes() {
            let steps = steps.steps(image);
            let taken = steps.filter(|(_, label)| labels.contains(*label));
            taking.targets.extend(taken.map(|(target, _)| target.0));
            taking.starts.push(taking.targets.len() as u32);
        }
        taking.targets.shrink_to_fit();
        taking
    }

    /// Targets of those of an abstract state.
    fn from(&self, image: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|after| self.starts[image as usize + after] as usize);
        &self.targets[start..end]
    }
}

impl<R: Refinement> MappedStates<R> {
    /// The images of states in several parts, one after the other.
    pub fn new(
        refinement: &R,
        mut parts: impl Iterator<Item = Images<R>>,
        implementation: &RecordedImplementation<'_, StateOf<R::Specification>>,
    ) -> Result<Self, PanickedAt> {
        let specification = refinement.specification();
        let Images { mut all, of_states } = parts.next().unwrap_or_default();
        let mut images = of_states;
        for part in parts {
            let numbers = part.all.into_values().into_iter();
            let numbers: Vec<u32> = numbers.map(|image| all.number(image)).collect();
            let of_part = part.of_states.iter();
            images.extend(of_part.map(|place| numbers[*place as usize]));
        }
        let between = implementation.between.iter();
        let between: Vec<Vec<u32>> = between
            .map(|states| {
                states
                    .iter()
                    .map(|state| all.number(state.clone()))
                    .collect()
            })
            .collect();
        let split =
            (!between.is_empty()).then(|| SingleSteps::new(implementation, &between, &mut images));
        // What is none of these states has the number after theirs.
        let mut steps = Graph::new();
        let mut labels = Numbered::default();
        let mut visited = BTreeSet::new();
        let mut panicked: Option<PanickedAt> = None;
        let elsewhere = all.values().len() as u32;
        for (number, from) in (0..).zip(all.values()) {
            let visit = || {
                visit_steps(specification, from, &mut |action, to| {
                    let rule = specification.call_rule(&action).0;
                    visited.insert(rule);
                    if *to != *from {
                        let process = specification.call_process(&action);
                        let target = all.find(to).unwrap_or(elsewhere);
                        steps.push(NodeId(target), labels.number((rule as u32, process)));
                    }
                });
            };
            if let Err(panic) = catch(visit) {
                let node = images.iter().position(|image| *image == number);
                let at = node.map(|node| match &split {
                    Some(split) => split.state_of(node as u32),
                    None => node as u32,
                });
                // The numbers of states between depend on which worker came first.
                let first = panicked.as_ref().map(|(first, ..)| first.0);
                if let Some(at) = at.filter(|at| first.is_none_or(|first| u64::from(*at) < first)) {
                    panicked = Some((NodeId(at).into(), "`next` of the specification", panic));
                }
            }
            steps.close();
        }
        if let Some(panicked) = panicked {
            return Err(panicked);
        }
        steps.finish();
        let labels = labels.into_values();
        let stated = specification.fairness();
        let taken: TakenRules = labels.iter().copied().collect();
        let instances = instances(&stated, specification.call_rules(), &taken);
        let taking = instances.iter().map(|instance| {
            let takes = |(rule, process): &(u32, Process)| instance.takes(*rule, *process);
            let labels = Bits::of(labels.len(), |label| takes(&labels[label as usize]));
            Taking::new(&steps, &labels)
        });
        Ok(Self {
            taking: taking.collect(),
            instances,
            taken,
            split,
            images,
            visited,
            of: PhantomData,
        })
    }

    /// True if the abstract state of a node enables the action of a condition.
    pub fn enables(&self, at: u32, instance: usize) -> bool {
        let targets = self.taking[instance].from(self.images[at as usize]);
        !targets.is_empty()
    }

    /// True if going from a node to another is, of their abstract states, a step of the action of a condition.
    pub fn takes(&self, from: u32, to: u32, instance: usize) -> bool {
        let [from, to] = [from, to].map(|at| self.images[at as usize]);
        from != to && self.taking[instance].from(from).contains(&to)
    }

    /// A rule of a condition that is simulated, and of which `next` visits no step anywhere.
    pub fn only_stated<'f>(
        &self,
        condition: &'f Fairness,
        specification: &R::Specification,
        simulated: &[u64],
    ) -> Option<&'f str> {
        let rules = specification.call_rules().iter().enumerate();
        let is_only_stated =
            |(place, _): &(usize, &Rule)| simulated[*place] > 0 && !self.visited.contains(place);
        let stated: Vec<&str> = rules
            .filter(is_only_stated)
            .map(|(_, rule)| &*rule.name)
            .collect();
        condition.rules().find(|rule| stated.contains(rule))
    }

    /// Reason why a condition has no instance: its action is enabled nowhere, or by other processes alone.
    pub fn enabled_nowhere(
        &self,
        condition: &Fairness,
        specification: &R::Specification,
    ) -> String {
        let nowhere = if self.split.is_some() {
            "enabled in no mapped state, and in none between"
        } else {
            "enabled in no mapped state"
        };
        let rules = rules_of(condition, specification.call_rules());
        let others: BTreeSet<Process> = processes(&rules, &self.taken).collect();
        match condition.process() {
            Some(number) if !others.is_empty() => {
                let others: Vec<String> = others.iter().map(Process::to_string).collect();
                format!(
                    "vacuous: the action of process {number} is {nowhere}; the processes for which it is are {}",
                    others.join(", ")
                )
            }
            _ => format!("vacuous: its action is {nowhere}"),
        }
    }
}
