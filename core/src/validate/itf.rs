//! A trace of states in the Informal Trace Format, as a history of one thread.
//!
//! Source: Apalache's ADR 015. Apalache, Quint and `refmap check --trace` write such traces. Each state
//! of the trace says what the variables of the specification are, or some of them: the first has to be
//! an initial state, and each other one is reached from the one before it by one step, or is the same.
//! Variables are compared with what the specification's state serialises to, field by field, so that
//! nothing has to be read back.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event::Event;
use super::explanation::Explanation;
use super::history::Ordered;
use super::observed::{Happening, Observed};
use super::validator::{Outcome, Settings, Validation, validate};
use crate::report::itf::{STEP_VARIABLES, fields};
use crate::report::plain;
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// Why something is no trace of a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// It is no ITF.
    #[error("not an ITF trace: it has no list `states`")]
    NoStates,
    /// A state is none.
    #[error("state {state} is not an object")]
    NoState {
        /// Which, counted from 0.
        state: usize,
    },
    /// A state says nothing about the specification.
    #[error("state {state} has no variable of the specification")]
    NoVariable {
        /// Which, counted from 0.
        state: usize,
    },
    /// A state has a variable that the specification does not have.
    #[error(
        "state {state} has a variable {variable:?}, which the specification does not have; there are: \
         {}", .known.join(", ")
    )]
    UnknownVariable {
        /// Which, counted from 0.
        state: usize,
        /// The variable.
        variable: String,
        /// Those of the specification.
        known: Vec<String>,
    },
}

/// The variables of a state, as the trace writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Shown(Map<String, Value>);

/// Whether `trace` is a behaviour of `specification`, up to stuttering.
///
/// # Errors
///
/// If it is no ITF trace, or not one of this specification's variables.
pub fn validate_trace<S: TransitionSystem>(
    specification: &S,
    trace: &Value,
    settings: &Settings<'_>,
) -> Result<Validation, TraceError> {
    let mut known = Vec::new();
    specification.initial(&mut |state| {
        if known.is_empty() {
            known = variables(&state).keys().cloned().collect();
        }
    });
    let states = trace.get("states").and_then(Value::as_array);
    let states = states.ok_or(TraceError::NoStates)?;
    let mut events = Vec::new();
    for (number, state) in states.iter().enumerate() {
        let shown = shown(number, state, &known)?;
        events.push(Event {
            thread: 0,
            place: number as u64,
            begin: number as u64,
            end: Some(number as u64),
            event: Some(shown),
        });
    }
    let validated = validate(&Traced(specification), Ordered::of(events), settings);
    let mut validation = validated.expect("states come one after the other");
    if let Outcome::Refuted(explanation) = &mut validation.outcome {
        without_lines(explanation);
    }
    Ok(validation)
}

fn shown(number: usize, state: &Value, known: &[String]) -> Result<Shown, TraceError> {
    let Value::Object(state) = state else {
        return Err(TraceError::NoState { state: number });
    };
    let mut shown = Map::new();
    for (variable, value) in state {
        if known.contains(variable) {
            shown.insert(variable.clone(), value.clone());
        } else if !variable.starts_with('#') && !STEP_VARIABLES.contains(&variable.as_str()) {
            return Err(TraceError::UnknownVariable {
                state: number,
                variable: variable.clone(),
                known: known.to_vec(),
            });
        }
    }
    match shown.is_empty() {
        true => Err(TraceError::NoVariable { state: number }),
        false => Ok(Shown(shown)),
    }
}

/// A trace has states, and no lines.
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

/// What the specification's state serialises to.
fn variables<S: Serialize>(state: &S) -> Map<String, Value> {
    fields(&serde_json::to_value(state).unwrap_or_default())
}

struct Traced<'a, S>(&'a S);

impl<S: TransitionSystem> Traced<'_, S> {
    /// The variables in which the state is not the one shown.
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
        // The first is an initial state.
        if happening.place > 0 {
            self.0.next(from, &mut |action, to| {
                if to != *from && Self::differing(&to, happening.event).is_empty() {
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
        self.0.next(from, &mut |action, to| {
            let differing = differing(&to);
            if differing.len() < nearest.0.len() {
                let action = serde_json::to_value(action).unwrap_or_default();
                nearest = (differing, format!("after {}", plain(&action)));
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

/// Whether a value of a trace is that of a specification's state.
fn is_same(shown: &Value, own: &Value) -> bool {
    let all = |shown: &[Value], own: &[Value]| {
        shown.len() == own.len()
            && shown
                .iter()
                .zip(own)
                .all(|(shown, own)| is_same(shown, own))
    };
    match (shown, own) {
        (Value::Object(fields), own) => match (only(fields), own) {
            (Some(("#bigint" | "#unserializable", Value::String(number))), Value::Number(own)) => {
                *number == own.to_string()
            }
            (Some(("#tup", Value::Array(items))), Value::Array(own)) => all(items, own),
            (Some(("#set", Value::Array(items))), Value::Array(own)) => is_same_set(items, own),
            (Some(("#map", Value::Array(pairs))), own) => is_same_map(pairs, own),
            _ => is_same_record(fields, own),
        },
        (Value::Array(items), Value::Array(own)) => all(items, own),
        (shown, own) => shown == own,
    }
}

/// The only field, if there is only one.
fn only(fields: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut fields = fields.iter();
    let (name, value) = fields.next()?;
    fields.next().is_none().then_some((name.as_str(), value))
}

/// Whether each item is another one of `own`, and none of those is left.
///
/// An item may be the same as several of `own`, as `None` is as null and as a variant of that name: one
/// that is taken is given up where whoever took it finds another.
fn is_same_set(items: &[Value], own: &[Value]) -> bool {
    fn find(
        item: usize,
        items: &[Value],
        own: &[Value],
        asked: &mut [bool],
        taken: &mut [Option<usize>],
    ) -> bool {
        (0..own.len()).any(|place| {
            if asked[place] || !is_same(&items[item], &own[place]) {
                return false;
            }
            asked[place] = true;
            let is_free = match taken[place] {
                None => true,
                Some(other) => find(other, items, own, asked, taken),
            };
            if is_free {
                taken[place] = Some(item);
            }
            is_free
        })
    }
    let mut taken = vec![None; own.len()];
    items.len() == own.len()
        && (0..items.len()).all(|item| {
            let mut asked = vec![false; own.len()];
            find(item, items, own, &mut asked, &mut taken)
        })
}

/// Pairs of a key and a value, each key once. They serialise to an object if the keys are texts or
/// numbers.
fn is_same_map(pairs: &[Value], own: &Value) -> bool {
    let Value::Object(own) = own else {
        return false;
    };
    let mut left: BTreeSet<&str> = own.keys().map(String::as_str).collect();
    let is_in = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([key, value]) => {
            let key = match key {
                Value::String(key) => Some(key.as_str()),
                key => key.get("#bigint").and_then(Value::as_str),
            };
            key.is_some_and(|key| left.remove(key) && is_same(value, &own[key]))
        }
        _ => false,
    };
    pairs.len() == own.len() && pairs.iter().all(is_in)
}

/// A record, or a variant. `{"tag": T, "value": V}` may be either: it is what serialises to a record of
/// these two fields, to `{T: V}`, to `T` where there is no value, to null where the tag is `None`, and to
/// V where it is `Some`.
fn is_same_record(fields: &Map<String, Value>, own: &Value) -> bool {
    let is_record = own.as_object().is_some_and(|own| {
        fields.len() == own.len()
            && fields.iter().all(|(name, value)| {
                let own = own.get(name);
                own.is_some_and(|own| is_same(value, own))
            })
    });
    is_record || is_same_variant(fields, own)
}

fn is_same_variant(fields: &Map<String, Value>, own: &Value) -> bool {
    let tag = fields.get("tag").and_then(Value::as_str);
    let (2, Some(tag), Some(value)) = (fields.len(), tag, fields.get("value")) else {
        return false;
    };
    let is_named = match own {
        Value::Null => tag == "None" && is_unit(value),
        Value::String(own) => tag == own && is_unit(value),
        Value::Object(own) => {
            only(own).is_some_and(|(name, own)| tag == name && is_same(value, own))
        }
        _ => false,
    };
    is_named || tag == "Some" && is_same(value, own)
}

/// Whether it stands for no value: the empty tuple of Quint, or the constant that Apalache has for it.
fn is_unit(value: &Value) -> bool {
    let items = value.get("#tup").and_then(Value::as_array);
    items.is_some_and(Vec::is_empty) || value == "U_OF_UNIT"
}
