//! Comparison of values in the Informal Trace Format with values that serialize to JSON.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use refmap::internal::UNIT;

/// True if a value of a trace equals that of a specification's state.
pub(super) fn is_same(shown: &Value, own: &Value) -> bool {
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
            (Some(("#map", Value::Array(pairs))), own) => match own.get("#map") {
                Some(Value::Array(own)) => is_same_set(pairs, own),
                _ => is_same_map(pairs, own),
            },
            _ => is_same_record(fields, own),
        },
        (Value::Array(items), Value::Array(own)) => all(items, own),
        (Value::String(shown), Value::Null) => shown == UNIT,
        (shown, own) => shown == own,
    }
}

/// The only field, if there is exactly one.
fn only(fields: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut fields = fields.iter();
    let (name, value) = fields.next()?;
    fields.next().is_none().then_some((name.as_str(), value))
}

/// Compares sets: whether the items match those of `own` one to one.
///
/// An item may equal several of `own`, as `None` equals both null and a variant of that name. So this computes a
/// perfect matching, with augmenting paths.
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

/// Compares maps, given as key-value pairs with distinct keys. A map has the JSON of an object if the keys are texts
/// or numbers, and otherwise that of this format.
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

/// Compares a record or a variant. `{"tag": T, "value": V}` may be either: it equals a record with these two
/// fields, `{T: V}`, `T` if there is no value, null if the tag is `None`, and V if it is `Some`.
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

/// True if the value is the unit of a variant without a value: Quint's empty tuple, or Apalache's constant.
fn is_unit(value: &Value) -> bool {
    let items = value.get("#tup").and_then(Value::as_array);
    items.is_some_and(Vec::is_empty) || value == UNIT
}
