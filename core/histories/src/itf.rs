//! Validation of a trace in the Informal Trace Format, as a history of one thread.
//!
//! Source: Apalache's ADR 015. Apalache, Quint and `refmap check --trace` write such traces. Each state of the
//! trace gives the values of the specification's variables, or of some of them. The first must be an initial state,
//! and each later one must be reached from its predecessor by one step, or equal it. Variables are compared with
//! the serialized state of the specification, field by field, so that no state has to be deserialized.

mod same;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::same::is_same;
use super::event::Event;
use super::observed::{Happening, Observed};
use super::ordered::Ordered;
use super::settings::Settings;
use super::validator::{Outcome, Validation, validate};
use refmap::internal::{
    STEP_VARIABLES, fields, first_initial, json, plain, visit_steps, without_types,
};
use refmap::report::history::Explanation;
use refmap::{ActionOf, StateOf, TransitionSystem};

/// Error: the input is not a trace of the specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The input is not an ITF trace.
    #[error("not an ITF trace: it has no list `states`")]
    NoStates,
    /// An element is not a state.
    #[error("state {state} is not an object")]
    NoState {
        /// Index of the state, from 0.
        state: usize,
    },
    /// A state gives no variable of the specification.
    #[error("state {state} has no variable of the specification")]
    NoVariable {
        /// Index of the state, from 0.
        state: usize,
    },
    /// A state has an unknown variable.
    #[error(
        "state {state} has a variable {variable:?}, which the specification does not have; there are: \
         {}", .known.join(", ")
    )]
    UnknownVariable {
        /// Index of the state, from 0.
        state: usize,
        /// The variable.
        variable: String,
        /// Variables of the specification.
        known: Vec<String>,
    },
}

/// Variables of a state of the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Shown(Map<String, Value>);

/// Decides whether `trace` is a behaviour of `specification`, up to stuttering.
///
/// # Errors
///
/// If the input is not an ITF trace, or has variables that the specification does not have.
pub fn validate_trace<S: TransitionSystem>(
    specification: &S,
    trace: &Value,
    settings: &Settings<'_>,
) -> Result<Validation, TraceError> {
    decide(&without_types(specification), trace, settings)
}

/// The same, compiled once for all specifications.
fn decide<S: TransitionSystem>(
    specification: &S,
    trace: &Value,
    settings: &Settings<'_>,
) -> Result<Validation, TraceError> {
    let known: Vec<_> = first_initial(specification)
        .map(|state| variables(&state).keys().cloned().collect())
        .unwrap_or_default();
    let states = trace.get("states").and_then(Value::as_array);
    let states = states.ok_or(TraceError::NoStates)?;
    for (number, state) in states.iter().enumerate() {
        check(number, state, &known)?;
    }
    let events = (0..).zip(states).map(|(number, state)| {
        Ok(Event {
            thread: 0,
            place: number,
            begin: number,
            end: Some(number),
            event: Some(shown(state, &known)),
        })
    });
    let validated = validate(&Traced(specification), Ordered::new(events), settings);
    let mut validation = validated.expect("states come one after the other");
    if let Outcome::Refuted(explanation) = &mut validation.outcome {
        without_lines(explanation);
    }
    Ok(validation)
}

/// Checks that an element of a trace is a state, of variables of the specification alone.
fn check(number: usize, state: &Value, known: &[String]) -> Result<(), TraceError> {
    let Value::Object(variables) = state else {
        return Err(TraceError::NoState { state: number });
    };
    let is_other = |variable: &&String| {
        let is_of_step = variable.starts_with('#') || STEP_VARIABLES.contains(&variable.as_str());
        !known.contains(variable) && !is_of_step
    };
    if let Some(variable) = variables.keys().find(is_other) {
        return Err(TraceError::UnknownVariable {
            state: number,
            variable: variable.clone(),
            known: known.to_vec(),
        });
    }
    if variables.keys().any(|variable| known.contains(variable)) {
        Ok(())
    } else {
        Err(TraceError::NoVariable { state: number })
    }
}

/// Variables of the specification that a state has.
fn shown(state: &Value, known: &[String]) -> Shown {
    let variables = state.as_object().into_iter().flatten();
    let shown = variables.filter(|(variable, _)| known.contains(variable));
    Shown(
        shown
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

/// Removes line numbers, which a trace does not have.
fn without_lines(explanation: &mut Explanation) {
    let prefixes = explanation.prefixes.iter_mut();
    let told = prefixes.flat_map(|prefix| {
        let steps = prefix.steps.iter_mut();
        let next = prefix.next.iter_mut();
        steps
            .filter_map(|step| step.event.as_mut())
            .chain(next.map(|refused| &mut refused.event))
    });
    let window = explanation.window.iter_mut();
    let told = told.chain(window.flat_map(|window| &mut window.events));
    for event in told.chain(&mut explanation.event) {
        event.line = None;
    }
}

/// Serialized variables of a state of the specification.
fn variables<S: Serialize + Debug>(state: &S) -> Map<String, Value> {
    fields(&json(state))
}

struct Traced<'a, S>(&'a S);

impl<S: TransitionSystem> Traced<'_, S> {
    /// Variables in which the state differs from the trace.
    fn differing(state: &StateOf<S>, shown: &Shown) -> Vec<String> {
        let variables = variables(state);
        let differing = shown.0.iter().filter(|(name, value)| {
            let own = variables.get(*name);
            own.is_none_or(|own| !is_same(value, own))
        });
        differing.map(|(name, _)| name.clone()).collect()
    }
}

impl<S: TransitionSystem> Observed for Traced<'_, S> {
    type Specification = S;
    type Event = Shown;

    fn specification(&self) -> &S {
        self.0
    }

    fn shows(
        &self,
        from: &StateOf<S>,
        happening: &Happening<'_, Shown>,
        visit: &mut impl FnMut(Option<ActionOf<S>>),
    ) {
        if Self::differing(from, happening.event).is_empty() {
            visit(None);
        }
        // The first element must be an initial state.
        if happening.place > 0 {
            visit_steps(self.0, from, &mut |action, to| {
                if *to != *from && Self::differing(to, happening.event).is_empty() {
                    visit(Some(action));
                }
            });
        }
    }

    fn refusal(&self, from: &StateOf<S>, happening: &Happening<'_, Shown>) -> String {
        let differing = |state: &StateOf<S>| Self::differing(state, happening.event);
        if happening.place == 0 {
            return format!(
                "an initial state has another {}",
                differing(from).join(", ")
            );
        }
        let mut nearest = (differing(from), "without a step".to_owned());
        visit_steps(self.0, from, &mut |action, to| {
            let differing = differing(to);
            if differing.len() < nearest.0.len() {
                nearest = (differing, format!("after {}", plain(&json(&action))));
            }
        });
        let (differing, when) = nearest;
        format!(
            "{when}, which comes nearest, it has another {}",
            differing.join(", ")
        )
    }

    fn describe(&self, shown: &Shown) -> String {
        serde_json::to_string(shown).unwrap_or_default()
    }
}
