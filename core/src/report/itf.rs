//! Counterexamples in the Informal Trace Format, as Apalache and Quint read and write it.
//!
//! Source: Apalache's ADR 015. Each field of the concrete state is a variable of the trace;
//! `action`, `process`, `abstract_action` and `abstract_state` stand beside them.

use serde_json::{Map, Value, json};

use super::{Counterexample, Report};

/// Variables of every trace, besides the fields of the state.
pub(crate) const STEP_VARIABLES: [&str; 4] =
    ["action", "process", "abstract_action", "abstract_state"];

/// The counterexample of `report` as an ITF trace.
pub fn trace(report: &Report, counterexample: &Counterexample) -> Value {
    let mut vars: Vec<Value> = STEP_VARIABLES.map(Value::from).to_vec();
    if let Some(first) = counterexample.steps.first() {
        vars.extend(fields(&first.state).keys().cloned().map(Value::from));
    }
    let states: Vec<Value> = counterexample
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
    json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": format!("refmap check {} {}", report.check, parameters.join(" ")),
            "status": "violation",
            "description": format!("{}: {}", counterexample.obligation, counterexample.explanation),
        },
        "vars": vars,
        "states": states,
    })
}

/// The variables that a state consists of. A name that the trace needs itself gets a trailing `_`.
pub(crate) fn fields(state: &Value) -> Map<String, Value> {
    match state {
        Value::Object(fields) => fields
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

/// Whole numbers become big integers, null the variant `None`; the rest is JSON already.
fn encode(value: &Value) -> Value {
    match value {
        Value::Null => json!({"tag": "None", "value": {"#tup": []}}),
        Value::Number(number) if number.is_f64() => json!({"#unserializable": number.to_string()}),
        Value::Number(number) => json!({"#bigint": number.to_string()}),
        Value::Array(items) => items.iter().map(encode).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), encode(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Bool(_) | Value::String(_) => value.clone(),
    }
}
