//! Counterexamples that explain themselves: behaviours with their mapped states and abstract actions.

use serde_json::Value;

use crate::report::{AbstractStep, Counterexample, Step};
use crate::statement::asked::answer::answer;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::{named, tolerated};
use crate::statement::drawing::Drawing;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;

impl Counterexample {
    /// Counterexample as far as it can be told without a behaviour.
    pub fn without_steps(explanation: String) -> Self {
        Self {
            obligation: String::new(),
            length: 0,
            reachable: true,
            by_views: false,
            steps: Vec::new(),
            refused: None,
            explanation,
            loop_start: None,
            fairness: Vec::new(),
            nearest: Vec::new(),
            nearest_reached: None,
        }
    }
}

/// The counterexample that `trace` is, with its mapped states and abstract actions.
pub(super) fn counterexample<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
    explanation: String,
) -> Counterexample {
    let mut steps = vec![state(refinement, &trace.initial)];
    for ((action, to), from) in trace.steps.iter().zip(trace.states()) {
        steps.push(step(refinement, (from, action, to)));
    }
    Counterexample {
        length: trace.length(),
        steps,
        ..Counterexample::without_steps(explanation)
    }
}

/// The counterexample that a behaviour of a system is that is mapped to none.
pub(super) fn unmapped<S: TransitionSystem>(
    system: &S,
    trace: &Trace<S>,
    explanation: String,
) -> Counterexample {
    let mut steps = vec![unmapped_state(system, &trace.initial)];
    for (action, to) in &trace.steps {
        let rule = system.call_rules().get(system.call_rule(action).0);
        let process = tolerated(|| system.call_process(action).to_string());
        steps.push(Step {
            action: Some(system.call_serialize(action)),
            rule: rule.map(|rule| rule.name.to_string()),
            source: rule.map(|rule| rule.source.to_string()),
            process,
            ..unmapped_state(system, to)
        });
    }
    Counterexample {
        length: trace.length(),
        steps,
        ..Counterexample::without_steps(explanation)
    }
}

/// A state of a system that is mapped to none.
fn unmapped_state<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> Step {
    let shown = system.call_show(state);
    let picture = tolerated(|| named("`draw`", || system.draw(state))).flatten();
    Step {
        action: None,
        rule: None,
        source: None,
        process: None,
        state: shown,
        abstract_before: Vec::new(),
        abstract_action: None,
        abstract_state: Value::Null,
        drawing: picture.as_ref().and_then(Drawing::text),
        abstract_drawing: None,
        picture,
        abstract_picture: None,
    }
}

/// A state as the first of a behaviour. The model may be one that panics here.
pub(super) fn state<R: Refinement>(refinement: &R, state: &StateOf<R::Implementation>) -> Step {
    let mapped = tolerated(|| {
        let mapped = refinement.call_map(state);
        let specification = refinement.specification();
        let shown = specification.call_show(&mapped);
        (shown, named("`draw`", || specification.draw(&mapped)))
    });
    let (abstract_state, abstract_picture) = mapped.unwrap_or((Value::Null, None));
    Step {
        abstract_state,
        abstract_drawing: abstract_picture.as_ref().and_then(Drawing::text),
        abstract_picture,
        ..unmapped_state(refinement.implementation(), state)
    }
}

/// A step with the state to which it leads. The model may be one that panics here.
pub(super) fn step<R: Refinement>(
    refinement: &R,
    (from, action, to): Transition<'_, R::Implementation>,
) -> Step {
    let implementation = refinement.implementation();
    let rule = implementation
        .call_rules()
        .get(implementation.call_rule(action).0);
    let answer = tolerated(|| answer(refinement, &refinement.call_map(from), from, action, to));
    let (mut actions, states) = answer.map_or_else(Default::default, |answer| {
        (answer.actions().to_vec(), answer.between)
    });
    let last = actions.pop();
    let mut states = states.into_iter();
    let process = tolerated(|| implementation.call_process(action).to_string());
    let specification = refinement.specification();
    let before = |action| AbstractStep {
        action: specification.call_serialize(&action),
        state: states
            .next()
            .map_or(Value::Null, |state| specification.call_show(&state)),
    };
    Step {
        action: Some(implementation.call_serialize(action)),
        rule: rule.map(|rule| rule.name.to_string()),
        source: rule.map(|rule| rule.source.to_string()),
        process,
        abstract_before: actions.into_iter().map(before).collect(),
        abstract_action: last.map(|action| specification.call_serialize(&action)),
        ..state(refinement, to)
    }
}

/// The rule of an action of the implementation, with its source if it has one.
pub(super) fn rule_name<S: TransitionSystem>(system: &S, action: &ActionOf<S>) -> String {
    let rule = &system.call_rules()[system.call_rule(action).0];
    if rule.source.is_empty() {
        return format!("`{}`", rule.name);
    }
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
