//! What the specification does at the images of the states.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use super::assumed::{Instance, instances_of};
use super::looked_at::Images;
use crate::explore::{Graph, StateId};
use crate::fairness::Fairness;
use crate::functions::Functions;
use crate::liveness::Bits;
use crate::model_call::catch;
use crate::numbered::Numbered;
use crate::obligation::environment::PanickedAt;
use crate::refinement::Refinement;
use crate::rule::Rule;
use crate::system::TransitionSystem;
use crate::visit::visit_steps;

/// The images of states, and the steps of the specification there.
pub(super) struct Mapped<R: Refinement> {
    /// The conditions of the specification, of each process that takes a step of them somewhere.
    pub instances: Vec<Instance>,
    /// Per state, the number of its image.
    images: Vec<u32>,
    /// Per condition, the steps that take its action.
    taking: Vec<Taking>,
    /// The rules of which `next` visits a step in some image.
    visited: BTreeSet<usize>,
    of: PhantomData<fn(R)>,
}

/// The steps of an action that change an image.
struct Taking {
    /// Per image, where its targets begin; and where the last ones end.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Taking {
    /// Of these steps, those whose label is one of the action's.
    fn new(steps: &Graph, labels: &Bits) -> Self {
        let mut taking = Self {
            starts: Vec::with_capacity(steps.states() + 1),
            targets: Vec::new(),
        };
        taking.starts.push(0);
        for image in (0..steps.states() as u32).map(StateId) {
            let steps = steps.steps(image);
            let taken = steps.filter(|(_, label)| labels.contains(*label));
            taking.targets.extend(taken.map(|(target, _)| target.0));
            taking.starts.push(taking.targets.len() as u32);
        }
        taking.targets.shrink_to_fit();
        taking
    }

    /// Where those of an image lead.
    fn from(&self, image: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|after| self.starts[image as usize + after] as usize);
        &self.targets[start..end]
    }
}

impl<R: Refinement> Mapped<R> {
    /// The images of states in several parts, one after the other.
    pub fn new(
        refinement: &R,
        mut parts: impl Iterator<Item = Images<R>>,
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
        // What is no image of a state has the number after those that are.
        let mut steps = Graph::new();
        // Rules and processes.
        let mut labels = Numbered::default();
        let mut visited = BTreeSet::new();
        let elsewhere = all.values().len() as u32;
        for (number, image) in (0..).zip(all.values()) {
            let visit = || {
                visit_steps(specification, image, &mut |action, to| {
                    let rule = specification.call_rule_of(&action).0;
                    visited.insert(rule);
                    if to != *image {
                        let process = specification.call_process_of(&action).number;
                        let target = all.find(&to).unwrap_or(elsewhere);
                        steps.push(StateId(target), labels.number((rule as u32, process)));
                    }
                });
            };
            catch(visit).map_err(|panic| {
                let at = images.iter().position(|of_state| *of_state == number);
                let at = StateId(at.expect("it is the image of a state") as u32);
                (at, "`next` of the specification", panic)
            })?;
            steps.close();
        }
        steps.finish();
        let labels = labels.into_values();
        let stated = specification.fairness();
        let taken = labels.iter().copied().collect();
        let instances = instances_of(&stated, specification.rules(), &taken);
        let taking = instances.iter().map(|instance| {
            let takes = |(rule, process): &(u32, Option<u16>)| instance.takes(*rule, *process);
            let labels = Bits::of(labels.len(), |label| takes(&labels[label as usize]));
            Taking::new(&steps, &labels)
        });
        Ok(Self {
            taking: taking.collect(),
            instances,
            images,
            visited,
            of: PhantomData,
        })
    }

    /// Whether the image of a state enables the action of a condition.
    pub fn enables(&self, at: u32, instance: usize) -> bool {
        let targets = self.taking[instance].from(self.images[at as usize]);
        !targets.is_empty()
    }

    /// Whether going from a state to another is, of their images, a step of the action of a condition.
    pub fn takes(&self, from: u32, to: u32, instance: usize) -> bool {
        let [from, to] = [from, to].map(|at| self.images[at as usize]);
        from != to && self.taking[instance].from(from).contains(&to)
    }

    /// A rule of a condition that is simulated, and of which `next` visits no step anywhere.
    pub fn only_stated<'f>(
        &self,
        condition: &'f Fairness,
        specification: &R::Abstract,
        simulated: &[u64],
    ) -> Option<&'f str> {
        let rules = specification.rules().iter().enumerate();
        let is_only_stated =
            |(place, _): &(usize, &Rule)| simulated[*place] > 0 && !self.visited.contains(place);
        let stated: Vec<&str> = rules
            .filter(is_only_stated)
            .map(|(_, rule)| &*rule.name)
            .collect();
        condition.rules().find(|rule| stated.contains(rule))
    }
}
