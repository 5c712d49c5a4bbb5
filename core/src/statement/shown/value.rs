//! A serialised value as a person would write it.

use serde_json::{Map, Value};

use super::json::{BIG_INTEGER, UNSERIALIZABLE, content, pairs};
use super::visible::visible;

/// A value without the quotation marks and braces that only a machine needs: an enum variant with
/// fields becomes `variant(field=value, …)`, and a map `{key=value, …}`. Always one line.
pub fn compact(value: &Value) -> String {
    if let Some(pairs) = pairs(value) {
        let pairs = pairs.map(|(key, value)| format!("{}={}", compact(key), compact(value)));
        return format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "));
    }
    let said = content(value, BIG_INTEGER).or_else(|| content(value, UNSERIALIZABLE));
    match said.unwrap_or(value) {
        Value::Null => "none".to_owned(),
        Value::String(text) => visible(text).into_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(compact).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) if fields.len() == 1 && fields.keys().all(|name| is_name(name)) => {
            let (variant, content) = fields.iter().next().expect("it has one field");
            let variant = visible(variant);
            match content {
                Value::Object(fields) => format!("{variant}({})", arguments(fields)),
                Value::Array(items) => {
                    let items: Vec<_> = items.iter().map(compact).collect();
                    format!("{variant}({})", items.join(", "))
                }
                Value::Null => variant.into_owned(),
                other => format!("{variant}({})", compact(other)),
            }
        }
        Value::Object(fields) => format!("{{{}}}", arguments(fields)),
        other => other.to_string(),
    }
}

/// The way to a field; the empty way leads to the whole state.
pub(crate) fn name(field: &str) -> &str {
    if field.is_empty() { "the state" } else { field }
}

fn arguments(fields: &Map<String, Value>) -> String {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", visible(name), compact(value)))
        .collect();
    fields.join(", ")
}

/// The fields of a record or the keys of a map, each with its value; of another value that one, without a name.
pub fn parts(value: &Value) -> Vec<(String, &Value)> {
    if let Some(pairs) = pairs(value) {
        return pairs.map(|(key, value)| (compact(key), value)).collect();
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (visible(name).into_owned(), value))
            .collect(),
        other => vec![(String::new(), other)],
    }
}

/// A part in one line.
pub(crate) fn named((name, value): (String, &Value)) -> String {
    let value = compact(value);
    if name.is_empty() {
        value
    } else {
        format!("{name} {value}")
    }
}

/// True if it may be the name of a variant, which begins with a letter.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
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
            (json!({"1": 5}), "{1=5}"),
            (json!({"Some": null}), "Some"),
            (json!({"\u{1b}[31m": 1, "b": 2}), "{\\u{1b}[31m=1, b=2}"),
            (json!({"\n": 1}), "{\\n=1}"),
            (
                json!({"#map": [[[0, 1], {"#map": [[null, 2]]}], [{"data": 3}, []]]}),
                "{[0 1]={none=2}, data(3)=[]}",
            ),
            (
                json!({"#bigint": "18446744073709551616"}),
                "18446744073709551616",
            ),
            (json!({"#unserializable": "NaN"}), "NaN"),
            (json!("two\nlines\u{1b}[31m"), "two\\nlines\\u{1b}[31m"),
        ] {
            assert_eq!(compact(&value), text);
        }
    }
}
