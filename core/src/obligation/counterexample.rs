//! Counterexamples that explain themselves: behaviours with their mapped states and abstract actions.

use std::fmt::Debug;

use serde::Serialize;
use serde_json::Value;

use crate::answer::answer;
use crate::model_call::catch;
use crate::refinement::Refinement;
use crate::report::{AbstractStep, Counterexample, Step};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;

/// A value as JSON; as `Debug` shows it where it has no JSON form.
pub(super) fn json<T: Serialize + Debug>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_else(|_| Value::String(format!("{value:?}")))
}

impl Counterexample {
    /// What can be said without a behaviour.
    pub fn without_steps(explanation: String) -> Self {
        Self {
            obligation: String::new(),
            length: 0,
            reachable: true,
            steps: Vec::new(),
            refused: None,
            explanation,
            loop_start: None,
            fairness: Vec::new(),
            nearest: Vec::new(),
        }
    }
}

/// The counterexample that `trace` is, with its mapped states and abstract actions.
pub(super) fn counterexample<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Concrete>,
    explanation: String,
) -> Counterexample {
    let implementation = refinement.implementation();
    // The model may be one that panics here.
    let map = |state: &StateOf<R::Concrete>| {
        let mapped = catch(|| {
            let mapped = refinement.map(state);
            (json(&mapped), refinement.specification().draw(&mapped))
        });
        mapped.unwrap_or((Value::Null, None))
    };
    let draw = |state| catch(|| implementation.draw(state)).ok().flatten();
    let (abstract_state, abstract_drawing) = map(&trace.initial);
    let mut steps = vec![Step {
        action: None,
        rule: None,
        source: None,
        process: None,
        state: json(&trace.initial),
        abstract_before: Vec::new(),
        abstract_action: None,
        abstract_state,
        drawing: draw(&trace.initial),
        abstract_drawing,
    }];
    for ((action, to), from) in trace.steps.iter().zip(trace.states()) {
        let rule = implementation.rules().get(implementation.rule_of(action).0);
        let answer = catch(|| answer(refinement, from, action, to)).ok();
        let (before, last) =
            answer.map_or_else(Default::default, |answer| (answer.before, answer.last));
        let between = |(action, state)| AbstractStep {
            action: json(&action),
            state: json(&state),
        };
        let (abstract_state, abstract_drawing) = map(to);
        steps.push(Step {
            action: Some(json(action)),
            rule: rule.map(|rule| rule.name.to_string()),
            source: rule.map(|rule| rule.source.to_string()),
            process: Some(implementation.process_of(action).to_string()),
            state: json(to),
            abstract_before: before.into_iter().map(between).collect(),
            abstract_action: last.as_ref().map(json),
            abstract_state,
            drawing: draw(to),
            abstract_drawing,
        });
    }
    Counterexample {
        length: trace.length(),
        steps,
        ..Counterexample::without_steps(explanation)
    }
}

/// The rule of an action of the implementation, with its source.
pub(super) fn rule_name<S: TransitionSystem>(system: &S, action: &ActionOf<S>) -> String {
    let rule = &system.rules()[system.rule_of(action).0];
    format!("`{}` ({})", rule.name, rule.source)
}

/// A step: where it begins, its action, and where it leads.
pub(super) type Transition<'a, S> = (&'a StateOf<S>, &'a ActionOf<S>, &'a StateOf<S>);

/// The step with which a trace ends that shows what is wrong with a step.
pub(super) fn last_step<S: TransitionSystem>(trace: &Trace<S>) -> Transition<'_, S> {
    let (action, to) = trace.steps.last().expect("a failed step is in the trace");
    let from = trace
        .states()
        .nth(trace.length() - 1)
        .expect("a trace has one state more than steps");
    (from, action, to)
}
