//! The obligations of local transitions, judged once for all states with the same projection: see
//! [`local`](crate::local) for why that is sound.

use std::hash::Hash;

use foldhash::{HashMapExt, HashSet, HashSetExt};

use super::agency::{Actor, agent};
use super::fault::Inconsistency;
use super::label::Label;
use super::model::Offers;
use super::visitor::Tester;
use crate::explore::{LocalVisitor, Place};
use crate::local::{LocalOf, LocalRefinement, LocalTransitions, SplitAction};
use crate::numbered::Met;
use crate::refinement::Refinement;
use crate::rule::RuleId;
use crate::system::TransitionSystem;

/// What the local transitions of a projection add to a tally, all of them being as they should be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Judged {
    /// Per rule of the implementation that they are instances of, how many.
    fired: Vec<(usize, u64)>,
    /// The same of the specification's rules, by which they are simulated.
    simulated: Vec<(usize, u64)>,
    /// Those of the specification's rules by which a projection is changed.
    changing: Vec<usize>,
    /// How often `simulation` and `agency` were tested.
    simulations: u64,
    agencies: u64,
    /// Their labels, if the graph is recorded.
    labels: Vec<u32>,
}

fn count(counts: &mut Vec<(usize, u64)>, rule: usize) {
    match counts.iter_mut().find(|(known, _)| *known == rule) {
        Some((_, count)) => *count += 1,
        None => counts.push((rule, 1)),
    }
}

/// Whether two of the transitions have the same label.
fn offers_twice<A: Eq + Hash, L>(steps: &[(A, L)]) -> bool {
    let mut offers = Offers::default();
    let noted = steps.iter().map(|(action, _)| offers.note(action));
    let perhaps = noted.fold(false, |twice, again| twice | again);
    let mut actions = HashSet::new();
    perhaps && !steps.iter().all(|(action, _)| actions.insert(action))
}

impl<R: Refinement> Tester<'_, R> {
    /// Numbers the labels of local transitions, if the graph is recorded.
    fn number(&self, judged: &mut Judged, labels: Vec<Label>) {
        if self.needs.labels() {
            let known = &mut Met::new();
            let numbers = labels
                .into_iter()
                .map(|label| self.labels.number(known, label));
            judged.labels = numbers.collect();
        }
    }
}

impl<R: LocalRefinement> LocalVisitor<R::Concrete> for Tester<'_, R> {
    type Judged = Judged;

    fn judge(
        &self,
        from: &LocalOf<R::Concrete>,
        steps: &[(
            <R::Concrete as LocalTransitions>::LocalAction,
            LocalOf<R::Concrete>,
        )],
    ) -> Option<Judged> {
        let refinement = self.refinement;
        let implementation = LocalRefinement::implementation(refinement);
        let specification = LocalRefinement::specification(refinement);
        let mut judged = Judged {
            fired: Vec::new(),
            simulated: Vec::new(),
            changing: Vec::new(),
            simulations: 0,
            agencies: 0,
            labels: Vec::new(),
        };
        if self.needs.anything && offers_twice(steps) {
            return None;
        }
        for (action, _) in steps {
            let label = SplitAction::Local(action.clone());
            let RuleId(rule) = TransitionSystem::rule_of(implementation, &label);
            if rule >= TransitionSystem::rules(implementation).len() {
                return None;
            }
            count(&mut judged.fired, rule);
        }
        let mut labels = vec![Label::default(); steps.len()];
        if self.needs.fairness {
            for ((action, _), label) in steps.iter().zip(&mut labels) {
                let action = SplitAction::Local(action.clone());
                let RuleId(rule) = TransitionSystem::rule_of(implementation, &action);
                let process = TransitionSystem::process_of(implementation, &action);
                label.taken = Some((rule as u32, process));
            }
        }
        if !self.needs.simulation {
            self.number(&mut judged, labels);
            return Some(judged);
        }
        let image = refinement.map_local(from);
        let mut abstract_steps = Vec::with_capacity(steps.len());
        specification.next_local(&image, &mut |action, to| abstract_steps.push((action, to)));
        // PERF: mostly the transitions are simulated in the order in which they are visited.
        let mut expected = 0;
        for ((action, to), label) in steps.iter().zip(&mut labels) {
            if self.needs.environment {
                let action = SplitAction::Local(action.clone());
                let agent = self.obligations.agency.position(agent(refinement, &action));
                label.agent = agent.map(|place| place as u8);
            }
            judged.simulations += 1;
            let target = refinement.map_local(to);
            let Some(abstract_action) = refinement.abstract_local_action(from, action, to) else {
                if target != image {
                    return None;
                }
                continue;
            };
            let step = (abstract_action, target);
            match abstract_steps.get(expected) == Some(&step) {
                true => expected += 1,
                false if abstract_steps.contains(&step) => {}
                false => return None,
            }
            let abstract_label = SplitAction::Local(step.0);
            let RuleId(rule) = TransitionSystem::rule_of(specification, &abstract_label);
            if rule >= TransitionSystem::rules(specification).len() {
                return None;
            }
            count(&mut judged.simulated, rule);
            if step.1 != image && !judged.changing.contains(&rule) {
                judged.changing.push(rule);
            }
            label.visible = self.needs.environment;
            let process = TransitionSystem::process_of(specification, &abstract_label);
            match self.obligations.agency.actor(process) {
                Actor::Environment => {
                    judged.agencies += 1;
                    let action = SplitAction::Local(action.clone());
                    if !agent(refinement, &action).is(process) {
                        return None;
                    }
                    if self.needs.environment {
                        let known = &mut Met::new();
                        label.input =
                            Some(self.inputs.number(specification, known, &abstract_label));
                    }
                }
                // Which process that is, is noted where the step is tested in its state.
                Actor::LeftOut => return None,
                Actor::System => (),
            }
        }
        self.number(&mut judged, labels);
        Some(judged)
    }

    #[inline]
    fn labels<'j>(&self, judged: &'j Judged) -> &'j [u32] {
        &judged.labels
    }

    #[inline]
    fn count(&self, tally: &mut Self::Tally, judged: &Judged) {
        for (rule, times) in &judged.fired {
            tally.coverage.fired[*rule] += times;
        }
        tally.simulation.checked += judged.simulations;
        tally.agency.checked += judged.agencies;
        for (rule, times) in &judged.simulated {
            tally.coverage.simulated[*rule] += times;
        }
        for rule in &judged.changing {
            tally.coverage.changing[*rule] = true;
        }
    }

    #[inline]
    fn asks_again(&self, tally: &Self::Tally) -> bool {
        tally.model.again.heard.is_some()
    }

    fn contradicted(&self, tally: &mut Self::Tally, place: Place, first: String, again: String) {
        let function = "`next_local` of the implementation, or what is computed of its transitions";
        let function = function.to_owned();
        let found = Inconsistency::NotAFunction {
            function,
            first,
            again,
        };
        tally.model.record(place, found.into());
    }
}
