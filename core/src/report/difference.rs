//! Which fields differ between two states, found on their serialised form.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value::{compact, name};

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

/// In one line: the new value; of a list that has grown or shrunk what was added and removed, as `messages + commit` or
/// `queue − 3`.
impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((removed, added)) = self.moved() else {
            let (from, to) = (compact(&self.from), compact(&self.to));
            return match self.field.as_str() {
                // The whole state needs no name.
                "" => write!(f, "{from} → {to}"),
                field => write!(f, "{field}: {from} → {to}"),
            };
        };
        f.write_str(name(&self.field))?;
        let signed = removed.iter().map(|one| ('−', one));
        for (sign, value) in signed.chain(added.iter().map(|one| ('+', one))) {
            write!(f, " {sign} {}", compact(value))?;
        }
        Ok(())
    }
}

impl Change {
    /// What was removed from a list, and what was added to it, if that says all: the others keep their order, and their
    /// number is another one.
    fn moved(&self) -> Option<(Vec<&Value>, Vec<&Value>)> {
        let (Value::Array(from), Value::Array(to)) = (&self.from, &self.to) else {
            return None;
        };
        let (removed, kept) = without(from, to);
        let (added, kept_too) = without(to, from);
        (from.len() != to.len() && kept == kept_too).then_some((removed, added))
    }
}

/// The values of a list that another one does not have, as often as it has them less; and the rest.
fn without<'v>(list: &'v [Value], other: &[Value]) -> (Vec<&'v Value>, Vec<&'v Value>) {
    let mut left: Vec<&Value> = other.iter().collect();
    list.iter()
        .partition(|value| match left.iter().position(|one| one == value) {
            Some(place) => {
                left.swap_remove(place);
                false
            }
            None => true,
        })
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

    #[test]
    fn of_a_list_what_was_added_and_removed_is_told() {
        for (from, to, told) in [
            (json!([]), json!([{"vote": {"by": 0}}]), "m + vote(by=0)"),
            (json!([1, 2, 3]), json!([2, 3]), "m − 1"),
            (json!([1, 3]), json!([1, 2, 3, 4]), "m + 2 + 4"),
            (json!([1, 2, 2]), json!([2]), "m − 1 − 2"),
            (json!([1, 2, 3]), json!([4, 3]), "m − 1 − 2 + 4"),
            // The others change their order: all is told.
            (json!([1, 2]), json!([2, 1, 3]), "m: [1 2] → [2 1 3]"),
            (json!("a"), json!("b"), "m: a → b"),
        ] {
            let found = changes(&json!({"m": from}), &json!({"m": to}));
            assert_eq!(found[0].to_string(), told);
        }
    }
}
