//! A lasso as a behaviour of the model: judged there, and shown.

use super::assumed::ConditionInstance;
use super::base_steps::Below;
use super::single_steps::Behaviour;
use crate::obligation::counterexample::counterexample;
use crate::obligation::found::SearchResult;
use crate::report::{ConditionMet, Counterexample};
use crate::statement::asked::answer::answer;
use crate::statement::asked::functions::RefinementFunctions;
use crate::statement::asked::model_call::catch;
use crate::statement::asked::visit::visit_steps;
use crate::statement::erased::{ErasedAction, ErasedState};
use crate::statement::property::{Formula, Property};
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, StepOf, TransitionSystem, steps};
use crate::statement::trace::Trace;
use crate::walk::explore::{NodeId, Panic};
use crate::walk::liveness::{Facts, Fault, Lasso, Met, Strength, Word, judge};

/// Property or condition that a lasso violates.
pub(super) enum Violated<R: Refinement> {
    Property(Property<R::Implementation>),
    /// A fairness condition of the specification.
    Fairness(ConditionInstance),
}

/// Reason why a lasso is not one of the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum LassoError {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("state {0} of the lasso was not kept")]
    Lost(u32),
    #[error("a function of the model panicked: {0}")]
    Panicked(Panic),
}

/// The states of a behaviour with all their steps, as the model has them.
pub(super) struct ShownLasso<'a, R: Refinement> {
    refinement: &'a R,
    lasso: &'a Lasso,
    states: Vec<StateOf<R::Implementation>>,
    steps: Vec<Vec<StepOf<R::Implementation>>>,
    /// Per state, those of its steps by which the behaviour goes on.
    taken: Vec<Vec<StepOf<R::Implementation>>>,
    assumed: &'a [ConditionInstance],
    violated: &'a Violated<R>,
}

impl<'a, R: Refinement> ShownLasso<'a, R> {
    /// `between` are the abstract states between, by number.
    pub fn new(
        found: &SearchResult<'a, R>,
        behaviour: &'a Behaviour,
        between: &[Vec<StateOf<R::Specification>>],
        assumed: &'a [ConditionInstance],
        violated: &'a Violated<R>,
    ) -> Result<Self, LassoError> {
        let Behaviour {
            lasso,
            between: passed,
        } = behaviour;
        let system = found.refinement.implementation();
        let read = |at: &u32| {
            let state = catch(|| found.states.state(system, NodeId(*at).into()));
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
        let mut shown = Self {
            steps: states.iter().map(all).collect::<Result<_, _>>()?,
            refinement: found.refinement,
            lasso,
            states,
            taken: Vec::new(),
            assumed,
            violated,
        };
        let taken = |place| {
            let passed = passed.as_ref();
            let passed = passed.map(|passed| match passed[place] {
                Some(number) => &*between[number as usize],
                None => &[],
            });
            catch(|| shown.steps_on(place, passed)).map_err(LassoError::Panicked)
        };
        let places = 0..lasso.states.len();
        shown.taken = places.map(taken).collect::<Result<_, _>>()?;
        Ok(shown)
    }

    /// The place to which the behaviour goes from another, unless it stays there.
    fn next(&self, place: usize) -> Option<usize> {
        if place + 1 < self.states.len() {
            Some(place + 1)
        } else {
            (self.lasso.loop_length() > 0).then_some(self.lasso.loop_start)
        }
    }

    /// The steps by which the behaviour goes on from a place: those that pass these abstract states, if that matters.
    fn steps_on(
        &self,
        place: usize,
        passed: Option<&[StateOf<R::Specification>]>,
    ) -> Vec<StepOf<R::Implementation>> {
        let Some(next) = self.next(place) else {
            return Vec::new();
        };
        let leads_on = |(action, to): &&StepOf<R::Implementation>| {
            *to == self.states[next]
                && passed.is_none_or(|passed| self.between(place, action, to) == passed)
        };
        self.steps[place].iter().filter(leads_on).cloned().collect()
    }

    /// The abstract states between of a step from a place.
    fn between(
        &self,
        place: usize,
        action: &ActionOf<R::Implementation>,
        to: &StateOf<R::Implementation>,
    ) -> Vec<StateOf<R::Specification>> {
        let from = &self.states[place];
        let image = self.refinement.call_map(from);
        answer(self.refinement, &image, from, action, to).between
    }

    /// The counterexample that the lasso is, if it is one.
    pub fn counterexample(&self) -> Result<Counterexample, LassoError> {
        let strengths: Vec<Strength> = self.assumed.iter().map(|one| one.strength).collect();
        let judged = catch(|| judge(self.lasso, &strengths, self));
        let met = judged.map_err(LassoError::Panicked)??;
        let trace = self.trace();
        let explanation = self.explanation();
        let reason = |(instance, met): (&ConditionInstance, &Met)| ConditionMet {
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
    fn trace(&self) -> Trace<R::Implementation> {
        let step = |steps: &Vec<StepOf<R::Implementation>>| {
            let step = steps.first();
            step.expect("the lasso was judged to consist of steps")
                .clone()
        };
        let places = (0..self.states.len()).filter(|place| self.next(*place).is_some());
        Trace {
            initial: self.states[0].clone(),
            steps: places.map(|place| step(&self.taken[place])).collect(),
        }
    }

    fn reason(&self, met: Met) -> String {
        let step = |place: usize| {
            if place == self.lasso.loop_start && place == 0 {
                "the initial state".to_owned()
            } else {
                format!("state {place}")
            }
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
                let mapped = if self.passes_between() {
                    "mapped states and states between"
                } else {
                    "mapped states"
                };
                let enabled = match instance.strength {
                    Strength::Weak => format!("from some time on is enabled in all {mapped}"),
                    Strength::Strong => format!("is enabled in {mapped} again and again"),
                };
                format!(
                    "the action of the specification's condition `{}` {enabled}, and is never taken",
                    instance.name
                )
            }
        }
    }

    /// True if there are abstract states between in the loop.
    fn passes_between(&self) -> bool {
        let mut places = self.lasso.loop_start..self.states.len();
        places.any(|place| {
            let step = self.taken[place].first();
            step.is_some_and(|(action, to)| !self.between(place, action, to).is_empty())
        })
    }

    /// The abstract states that the loop visits: the images of its states, and those between.
    fn abstract_loop(&self, word: &Word) -> Vec<StateOf<R::Specification>> {
        let mut visited = Vec::new();
        for place in word.around() {
            visited.push(self.refinement.map(&self.states[place]));
            if let Some((action, to)) = self.taken[place].first() {
                visited.extend(self.between(place, action, to));
            }
        }
        visited
    }

    /// True if the specification steps from a state by the action of a condition: to another state, if one is given.
    fn abstract_step(
        &self,
        instance: &ConditionInstance,
        from: &StateOf<R::Specification>,
        target: Option<&StateOf<R::Specification>>,
    ) -> bool {
        let specification = self.refinement.specification();
        let mut found = false;
        visit_steps(specification, from, &mut |action, to| {
            found |= *to != *from
                && target.is_none_or(|target| *to == *target)
                && instance.takes_action(specification, &action);
        });
        found
    }
}

impl<R: Refinement> Facts for ShownLasso<'_, R> {
    fn is_initial(&self, at: usize) -> bool {
        self.refinement
            .implementation()
            .is_initial(&self.states[at])
    }

    fn is_step(&self, from: usize, to: usize) -> bool {
        self.next(from) == Some(to) && !self.taken[from].is_empty()
    }

    fn enabled(&self, at: usize, condition: usize) -> bool {
        let system = self.refinement.implementation();
        let instance = &self.assumed[condition];
        if let Some(below) = Below::of(system) {
            return below.enables(instance, &ErasedState::of(&self.states[at]));
        }
        let mut steps = self.steps[at].iter();
        steps.any(|(action, to)| *to != self.states[at] && instance.takes_action(system, action))
    }

    fn takes(&self, from: usize, to: usize, condition: usize) -> bool {
        let system = self.refinement.implementation();
        let instance = &self.assumed[condition];
        if let Some(below) = Below::of(system) {
            let states = [from, to].map(|at| ErasedState::of(&self.states[at]));
            let actions = self.taken[from].iter();
            let actions: Vec<_> = actions
                .map(|(action, _)| ErasedAction::of(action))
                .collect();
            return self.next(from) == Some(to)
                && below.takes(instance, states.each_ref(), &actions);
        }
        let mut taken = self.taken[from].iter();
        self.next(from) == Some(to)
            && self.states[from] != self.states[to]
            && taken.any(|(action, _)| instance.takes_action(system, action))
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
                let visited = self.abstract_loop(word);
                let mut pairs = visited.iter().zip(visited.iter().cycle().skip(1));
                let taken = pairs.any(|(from, to)| self.abstract_step(instance, from, Some(to)));
                let is_enabled = |state| self.abstract_step(instance, state, None);
                let enabled = match instance.strength {
                    Strength::Weak => visited.iter().all(is_enabled),
                    Strength::Strong => visited.iter().any(is_enabled),
                };
                enabled && !taken
            }
        }
    }
}
