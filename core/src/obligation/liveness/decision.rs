//! The rows of liveness, decided on the recorded graph one after the other.

use std::cell::OnceCell;

use super::assumed::{Assumed, ConditionInstance};
use super::evidence::{LassoError, ShownLasso, Violated};
use super::looked_at::Predicates;
use super::mapped::MappedStates;
use super::single_steps::{Behaviour, SingleSteps};
use crate::obligation::found::SearchResult;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::panic_again;
use crate::statement::property::Formula;
use crate::statement::refinement::Refinement;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::walk::bits::Bits;
use crate::walk::liveness::{Claim, Question, Strength, is_violated, violation};
use crate::walk::steps::Steps;

/// Facts that are known when rows are decided.
pub(super) struct Decision<'a, R: Refinement> {
    pub found: &'a SearchResult<'a, R>,
    pub steps: Steps<'a>,
    pub assumed: &'a Assumed,
    /// The abstract states between, by number.
    pub between: &'a [Vec<StateOf<R::Specification>>],
    /// The initial states that were expanded.
    pub initial: Vec<u32>,
    /// Reason why a row stays open that nothing violates, if the graph is not complete.
    pub open: Option<String>,
    /// Per rule of the specification, how many steps simulate it.
    pub simulated: &'a [u64],
    /// True if every fair behaviour ends in a state without a step that changes it, as far as it was asked for.
    pub stops: OnceCell<bool>,
}

impl<R: Refinement> Decision<'_, R> {
    /// A property of the implementation.
    pub fn property(&self, place: usize, predicates: &Predicates) -> Obligation {
        let property = &self.found.refinement.liveness()[place];
        let Predicates {
            premise,
            conclusion,
        } = predicates;
        if property.has_premise() && premise.is_empty() && self.open.is_none() {
            let explanation = "vacuous: the premise holds in no state that is reached";
            let vacuous = Counterexample::without_steps(explanation.to_owned());
            return Obligation::violated(self.found.states.len() as u64, vec![vacuous]);
        }
        let conclusion = conclusion.clone();
        let claim = match property.formula() {
            Formula::LeadsTo => Claim::LeadsTo {
                premise: premise.clone(),
                conclusion,
            },
            Formula::Eventually => Claim::Eventually(conclusion),
            Formula::AlwaysEventually => Claim::AlwaysEventually(conclusion),
            Formula::EventuallyAlways => Claim::EventuallyAlways {
                premise: property.has_premise().then(|| premise.clone()),
                conclusion,
            },
        };
        let none = |_, _, _| false;
        let question = Question::of(&claim, self.steps, &self.initial, &none);
        let conditions = &self.assumed.conditions;
        match violation(self.steps, &self.initial, conditions, &question) {
            Some(lasso) => {
                let violated = Violated::Property(property.clone());
                self.violated(&Behaviour::of(lasso), &violated)
            }
            None => self.holds(),
        }
    }

    /// A fairness condition of the specification: of each of its processes.
    pub fn fairness(&self, place: usize, mapped: &MappedStates<R>) -> Obligation {
        let specification = self.found.refinement.specification();
        let condition = &specification.fairness()[place];
        let of_condition = |(number, instance): (usize, &ConditionInstance)| {
            (instance.condition == place).then(|| (number, instance.clone()))
        };
        let instances = mapped.instances.iter().enumerate();
        let instances: Vec<_> = instances.filter_map(of_condition).collect();
        if specification.call_caveats().view().is_some() {
            return Obligation::incomplete(
                "not evaluated: the specification has an auxiliary variable, and what its fairness means is not that of its steps",
            );
        }
        if let Some(rule) = mapped.only_stated(condition, specification, self.simulated) {
            return Obligation::incomplete(&format!(
                "not evaluated: the specification states `{rule}` as a predicate, which does not tell where it is enabled"
            ));
        }
        if instances.is_empty() && self.open.is_none() {
            return Obligation::incomplete(&mapped.enabled_nowhere(condition, specification));
        }
        let split = mapped.split.as_ref();
        let steps = split.map_or(self.steps, SingleSteps::steps);
        let conditions = split.map_or(&self.assumed.conditions, SingleSteps::conditions);
        let others = steps.others;
        let violations = instances.into_iter().filter_map(|(number, instance)| {
            let enables = |at| at != others && mapped.enables(at, number);
            let enabled = Bits::of(steps.states(), enables);
            let claim = match condition.strength() {
                Strength::Weak => Claim::WeaklyFair(enabled),
                Strength::Strong => Claim::StronglyFair(enabled),
            };
            let taken = |from, _, to| to != others && mapped.takes(from, to, number);
            let question = Question::of(&claim, steps, &self.initial, &taken);
            let lasso = violation(steps, &self.initial, conditions, &question)?;
            let behaviour = match split {
                None => Behaviour::of(lasso),
                Some(split) => split.joined(lasso),
            };
            Some((behaviour, instance))
        });
        // Of several processes the one with the shortest stem.
        match violations.min_by_key(|(behaviour, _)| behaviour.lasso.stem()) {
            Some((behaviour, instance)) => self.violated(&behaviour, &Violated::Fairness(instance)),
            None => self.holds(),
        }
    }

    /// The row of a property that a behaviour violates.
    fn violated(&self, behaviour: &Behaviour, violated: &Violated<R>) -> Obligation {
        let of_implementation = &self.assumed.instances;
        let shown = ShownLasso::new(
            self.found,
            behaviour,
            self.between,
            of_implementation,
            violated,
        );
        match shown.and_then(|shown| shown.counterexample()) {
            Ok(counterexample) => {
                let checked = self.found.states.len() as u64;
                Obligation::violated(checked, vec![counterexample])
            }
            // The guard around the decision of the row tells of it, by the name of the function.
            Err(LassoError::Panicked(panic)) => panic_again(panic),
            Err(fault) => Obligation::incomplete(&format!(
                "a fault of the engine: a behaviour that was found to violate it does not, so nothing is said: {fault}"
            )),
        }
    }

    /// The row of what no lasso violates.
    fn holds(&self) -> Obligation {
        if let Some(reason) = &self.open {
            return Obligation::incomplete(reason);
        }
        let holds = Obligation::new(Verdict::Holds, self.found.states.len() as u64);
        if *self.stops.get_or_init(|| self.every_behaviour_stops()) {
            holds.noted("every fair behaviour ends where the system stops")
        } else {
            holds
        }
    }

    /// True if no fair behaviour takes steps for ever.
    fn every_behaviour_stops(&self) -> bool {
        let stops = |at| at != self.steps.others && self.steps.stops(at);
        let stops = Bits::of(self.steps.states(), stops);
        if stops.is_empty() {
            return false;
        }
        let none = |_, _, _| false;
        let claim = Claim::EventuallyAlways {
            premise: None,
            conclusion: stops,
        };
        let question = Question::of(&claim, self.steps, &self.initial, &none);
        let conditions = &self.assumed.conditions;
        !is_violated(self.steps, conditions, &question)
    }
}
