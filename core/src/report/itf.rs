//! Counterexamples in the Informal Trace Format, as Apalache and Quint read and write it.
//!
//! Source: Apalache's ADR 015. Each field of the concrete state is a variable of the trace;
//! `action`, `process`, `abstract_action` and `abstract_state` stand beside them.
//!
//! Readers are stricter than that page, and what is written here is what the crate `itf` and the Python
//! package `itf-py` both read. Neither reads `null`, nor a variant of an empty tuple. The latter makes
//! classes of records and variants, so names have to be those of a Python program: a variant `None` is
//! out of the question, and so is one of a number.

use serde_json::{Map, Value, json};

use super::{Counterexample, Report};
use crate::statement::shown::json::{MAP, is_marked, pairs};

/// Variables of every trace, besides the fields of the state.
pub const STEP_VARIABLES: [&str; 4] = ["action", "process", "abstract_action", "abstract_state"];

impl Counterexample {
    /// The counterexample of `report` as a trace in Apalache's Informal Trace Format. Its source is the name of the check, with its
    /// parameters.
    pub fn itf(&self, report: &Report) -> Value {
        let mut vars: Vec<Value> = STEP_VARIABLES.map(Value::from).to_vec();
        if let Some(first) = self.steps.first() {
            vars.extend(fields(&first.state).keys().cloned().map(Value::from));
        }
        let states: Vec<Value> = self
            .steps
            .iter()
            .enumerate()
            .map(|(index, step)| {
                let mut state = Map::from_iter([("#meta".to_owned(), json!({"index": index}))]);
                let process = step.process.clone().map_or(Value::Null, Value::from);
                let own = [
                    step.action.clone().unwrap_or_default(),
                    process,
                    step.abstract_action.clone().unwrap_or_default(),
                    step.abstract_state.clone(),
                ];
                for (name, value) in STEP_VARIABLES.into_iter().zip(own) {
                    state.insert(name.to_owned(), encode(&value));
                }
                for (name, value) in fields(&step.state) {
                    state.insert(name, encode(&value));
                }
                Value::Object(state)
            })
            .collect();
        let parameters: Vec<String> = report
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut trace = json!({
            "#meta": {
                "format": "ITF",
                "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                "source": format!("{} {}", report.check, parameters.join(" ")),
                "status": "violation",
                "description": format!("{}: {}", self.obligation, self.explanation),
            },
            "vars": vars,
            "states": states,
        });
        if let Some(start) = self.loop_start {
            // The last state of a loop is its first once more; where nothing happens any more, it is the last one.
            trace["loop"] = json!(self.length.min(start + 1));
        }
        trace
    }
}

/// The variables that a state consists of. A name that the trace needs itself gets a trailing `_`.
pub fn fields(state: &Value) -> Map<String, Value> {
    match state {
        Value::Object(fields) if !is_marked(state) => fields
            .iter()
            .map(|(name, value)| {
                let taken = STEP_VARIABLES.contains(&name.as_str()) || name.starts_with('#');
                let name = name.replace('#', "");
                (if taken { name + "_" } else { name }, value.clone())
            })
            .collect(),
        other => Map::from_iter([("state".to_owned(), other.clone())]),
    }
}

/// Value that stands for null: the only value of Apalache's type `UNIT`.
pub const UNIT: &str = "U_OF_UNIT";

/// Whole numbers become big integers, null the unit, and records with names that not all readers take become
/// maps; the rest is JSON already, or in this format.
fn encode(value: &Value) -> Value {
    if let Some(pairs) = pairs(value) {
        // A reader looks keys up, which it can of tuples and not of lists.
        let key = |key: &Value| match key {
            Value::Array(items) => json!({"#tup": items.iter().map(encode).collect::<Vec<_>>()}),
            other => encode(other),
        };
        let pairs = pairs.map(|(name, value)| json!([key(name), encode(value)]));
        return json!({MAP: pairs.collect::<Vec<_>>()});
    }
    match value {
        marked if is_marked(marked) => marked.clone(),
        Value::Null => UNIT.into(),
        Value::Number(number) if number.is_f64() => json!({"#unserializable": number.to_string()}),
        Value::Number(number) => json!({"#bigint": number.to_string()}),
        Value::Array(items) => items.iter().map(encode).collect(),
        Value::Object(fields) if is_record(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), encode(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Object(fields) => {
            let pairs = fields.iter();
            let pairs: Vec<_> = pairs
                .map(|(name, value)| json!([name, encode(value)]))
                .collect();
            json!({"#map": pairs})
        }
        Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// True if all readers take these fields for a record: the names are identifiers, and they are not those
/// of a variant.
fn is_record(fields: &Map<String, Value>) -> bool {
    let is_variant =
        fields.len() == 2 && fields.contains_key("tag") && fields.contains_key("value");
    !is_variant && fields.keys().all(|name| is_identifier(name))
}

/// True if Python takes a name for that of a field.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let begins = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = characters.all(|other| other.is_ascii_alphanumeric() || other == '_');
    begins && goes_on && !PYTHON_KEYWORDS.contains(&name)
}

const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];
