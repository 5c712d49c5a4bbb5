//! Which fields differ between two states, found on their serialised form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The way to it: `m[2][0]`, `mutators[0].q`; empty for the whole state.
    pub field: String,
    /// Its value in the first state; null if it is not there.
    pub from: Value,
    /// Its value in the second.
    pub to: Value,
}

/// The smallest fields in which two states differ, in the order of the states.
pub fn changes(from: &Value, to: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    collect(String::new(), from, to, &mut found);
    found
}

fn collect(field: String, from: &Value, to: &Value, found: &mut Vec<Change>) {
    match (from, to) {
        _ if from == to => (),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (key, value) in a {
                let field = if field.is_empty() {
                    key.clone()
                } else {
                    format!("{field}.{key}")
                };
                collect(field, value, &b[key], found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (value, other)) in a.iter().zip(b).enumerate() {
                collect(format!("{field}[{index}]"), value, other, found);
            }
        }
        _ => found.push(Change {
            field,
            from: from.clone(),
            to: to.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_the_smallest_fields_that_differ() {
        let from = json!({"m": [[0, 1], [0, 0]], "l": 1, "at": {"append": {"l": 1}}});
        let to = json!({"m": [[0, 1], [2, 0]], "l": 1, "at": "test"});
        let fields: Vec<_> = changes(&from, &to)
            .into_iter()
            .map(|change| change.field)
            .collect();
        assert_eq!(fields, ["m[1][0]", "at"]);
    }

    #[test]
    fn sees_no_difference_between_equal_states() {
        let state = json!({"m": [1, 2]});
        assert_eq!(changes(&state, &state), []);
    }
}
