//! A lasso as a behaviour of the model: judged there, and shown.

use super::assumed::Instance;
use crate::explore::{Panic, StateId};
use crate::liveness::{Facts, Fault, Lasso, Met, Strength, Word, judge};
use crate::model_call::catch;
use crate::obligation::counterexample::counterexample;
use crate::obligation::found::Found;
use crate::property::{Formula, Property};
use crate::refinement::Refinement;
use crate::report::{ConditionMet, Counterexample};
use crate::system::{StateOf, StepOf, TransitionSystem, steps};
use crate::trace::Trace;
use crate::visit::visit_steps;

/// What a lasso violates.
pub(super) enum Violated<R: Refinement> {
    Property(Property<R::Concrete>),
    /// A fairness condition of the specification.
    Fairness(Instance),
}

/// Why a lasso is not one of the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum LassoError {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("state {0} of the lasso was not kept")]
    Lost(u32),
    #[error("a function of the model panicked: {0}")]
    Panicked(Panic),
}

/// The states of a lasso with all their steps, as the model has them.
pub(super) struct Shown<'a, R: Refinement> {
    refinement: &'a R,
    lasso: &'a Lasso,
    states: Vec<StateOf<R::Concrete>>,
    steps: Vec<Vec<StepOf<R::Concrete>>>,
    assumed: &'a [Instance],
    violated: &'a Violated<R>,
}

impl<'a, R: Refinement> Shown<'a, R> {
    pub fn new(
        found: &Found<'a, R>,
        lasso: &'a Lasso,
        assumed: &'a [Instance],
        violated: &'a Violated<R>,
    ) -> Result<Self, LassoError> {
        let system = found.refinement.implementation();
        let read = |at: &u32| {
            let state = catch(|| found.states.state(system, StateId(*at)));
            state
                .map_err(LassoError::Panicked)?
                .ok_or(LassoError::Lost(*at))
        };
        let states = lasso
            .states
            .iter()
            .map(read)
            .collect::<Result<Vec<_>, _>>()?;
        let all = |state| catch(|| steps(system, state)).map_err(LassoError::Panicked);
        Ok(Self {
            steps: states.iter().map(all).collect::<Result<_, _>>()?,
            refinement: found.refinement,
            lasso,
            states,
            assumed,
            violated,
        })
    }

    /// The counterexample that the lasso is, if it is one.
    pub fn counterexample(&self) -> Result<Counterexample, LassoError> {
        let strengths: Vec<Strength> = self.assumed.iter().map(|one| one.strength).collect();
        let judged = catch(|| judge(self.lasso, &strengths, self));
        let met = judged.map_err(LassoError::Panicked)??;
        let trace = self.trace();
        let explanation = self.explanation();
        let reason = |(instance, met): (&Instance, &Met)| ConditionMet {
            condition: instance.name.clone(),
            strength: instance.strength,
            because: self.reason(*met),
        };
        Ok(Counterexample {
            loop_start: Some(self.lasso.loop_start),
            fairness: self.assumed.iter().zip(&met).map(reason).collect(),
            ..counterexample(self.refinement, &trace, explanation)
        })
    }

    /// The behaviour: the stem, and the loop once, back to where it begins.
    fn trace(&self) -> Trace<R::Concrete> {
        let places = self.states.len();
        let back = (self.lasso.loop_length() > 0).then_some((places - 1, self.lasso.loop_start));
        let pairs = (1..places).map(|to| (to - 1, to)).chain(back);
        let step = |(from, to): (usize, usize)| {
            let mut steps = self.steps[from].iter();
            let step = steps.find(|(_, target)| *target == self.states[to]);
            step.expect("the lasso was judged to consist of steps")
                .clone()
        };
        Trace {
            initial: self.states[0].clone(),
            steps: pairs.map(step).collect(),
        }
    }

    fn reason(&self, met: Met) -> String {
        let step = |place: usize| match place == self.lasso.loop_start && place == 0 {
            true => "the initial state".to_owned(),
            false => format!("state {place}"),
        };
        match met {
            Met::NeverEnabled => "it is enabled nowhere in the loop".to_owned(),
            Met::NotEnabled(place) => format!("it is not enabled in {}", step(place)),
            Met::Taken(place) => format!("it is taken by step {}", place + 1),
        }
    }

    fn explanation(&self) -> String {
        match self.violated {
            Violated::Property(property) => {
                let source = match property.source() {
                    "" => String::new(),
                    source => format!(" [{source}]"),
                };
                let said = match property.formula() {
                    Formula::LeadsTo => "the premise comes about and the conclusion never after it",
                    Formula::Eventually => "the conclusion is never true",
                    Formula::AlwaysEventually => "from some time on the conclusion is never true",
                    Formula::EventuallyAlways if property.has_premise() => {
                        "the premise comes about, and the conclusion is false again and again"
                    }
                    Formula::EventuallyAlways => "the conclusion is false again and again",
                };
                format!("{said}{source}")
            }
            Violated::Fairness(instance) => {
                let enabled = match instance.strength {
                    Strength::Weak => "from some time on is enabled in all mapped states",
                    Strength::Strong => "is enabled in mapped states again and again",
                };
                format!(
                    "the action of the specification's condition `{}` {enabled}, and is never taken",
                    instance.name
                )
            }
        }
    }

    /// Whether the specification steps from the image of a state by the action of a condition: to that of another state, if
    /// one is given.
    fn mapped_step(&self, instance: &Instance, from: usize, to: Option<usize>) -> bool {
        let specification = self.refinement.specification();
        let image = self.refinement.map(&self.states[from]);
        let target = to.map(|to| self.refinement.map(&self.states[to]));
        let mut found = false;
        visit_steps(specification, &image, &mut |action, to| {
            found |= to != image
                && target.as_ref().is_none_or(|target| to == *target)
                && instance.takes_action(specification, &action);
        });
        found
    }
}

impl<R: Refinement> Facts for Shown<'_, R> {
    fn is_initial(&self, at: usize) -> bool {
        self.refinement
            .implementation()
            .is_initial(&self.states[at])
    }

    fn is_step(&self, from: usize, to: usize) -> bool {
        self.steps[from]
            .iter()
            .any(|(_, target)| *target == self.states[to])
    }

    fn enabled(&self, at: usize, condition: usize) -> bool {
        let system = self.refinement.implementation();
        let instance = &self.assumed[condition];
        let mut steps = self.steps[at].iter();
        steps.any(|(action, to)| *to != self.states[at] && instance.takes_action(system, action))
    }

    fn takes(&self, from: usize, to: usize, condition: usize) -> bool {
        let system = self.refinement.implementation();
        let instance = &self.assumed[condition];
        let target = &self.states[to];
        let mut steps = self.steps[from].iter();
        self.states[from] != *target
            && steps.any(|(action, to)| to == target && instance.takes_action(system, action))
    }

    fn violates(&self, word: &Word) -> bool {
        match self.violated {
            Violated::Property(property) => {
                let premise = |at: usize| property.premise_holds(&self.states[at]);
                let conclusion = |at: usize| property.conclusion_holds(&self.states[at]);
                match property.formula() {
                    Formula::LeadsTo => !word.leads_to(premise, conclusion),
                    Formula::Eventually => !word.eventually(conclusion),
                    Formula::AlwaysEventually => !word.always_eventually(conclusion),
                    Formula::EventuallyAlways => {
                        let premise = |at| !property.has_premise() || premise(at);
                        !word.eventually_always(premise, conclusion)
                    }
                }
            }
            Violated::Fairness(instance) => {
                let enabled = |at: usize| self.mapped_step(instance, at, None);
                let mut steps = word.steps_around();
                let taken = steps.any(|(from, to)| self.mapped_step(instance, from, Some(to)));
                let enabled = match instance.strength {
                    Strength::Weak => word.around().all(enabled),
                    Strength::Strong => word.around().any(enabled),
                };
                enabled && !taken
            }
        }
    }
}
