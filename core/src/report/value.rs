//! A serialised value as a person would write it.

use serde_json::{Map, Value};

use crate::visible::visible;

/// A value without the quotation marks and braces that only a machine needs: an enum variant with
/// fields becomes `variant(field=value, …)`. Always one line.
pub fn compact(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        // Text from a state must neither break a line nor speak to the terminal.
        Value::String(text) => visible(text).into_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(compact).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) if fields.len() == 1 => {
            let (variant, content) = fields.iter().next().expect("it has one field");
            match content {
                Value::Object(fields) => format!("{variant}({})", arguments(fields)),
                Value::Array(items) => {
                    let items: Vec<_> = items.iter().map(compact).collect();
                    format!("{variant}({})", items.join(", "))
                }
                Value::Null => variant.clone(),
                other => format!("{variant}({})", compact(other)),
            }
        }
        Value::Object(fields) => format!("{{{}}}", arguments(fields)),
        other => other.to_string(),
    }
}

/// The way to a field; the empty way leads to the whole state.
pub(super) fn name(field: &str) -> &str {
    if field.is_empty() { "the state" } else { field }
}

fn arguments(fields: &Map<String, Value>) -> String {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", compact(value)))
        .collect();
    fields.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_as_people_write_them() {
        for (value, text) in [
            (json!(null), "none"),
            (json!([[0, 1], []]), "[[0 1] []]"),
            (json!({"mutate": {"n": 0, "k": 1}}), "mutate(n=0, k=1)"),
            (json!({"a": 1, "b": "c"}), "{a=1, b=c}"),
            (json!("two\nlines\u{1b}[31m"), "two\\nlines\\u{1b}[31m"),
        ] {
            assert_eq!(compact(&value), text);
        }
    }
}
