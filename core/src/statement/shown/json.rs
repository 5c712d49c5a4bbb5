//! The JSON of a state or an action, in which nothing of what it serialises is lost.
//!
//! It is that of `serde_json`, and where JSON has no such value what the Informal Trace Format writes: a map whose keys are no
//! names is `{"#map": [[key, value], …]}` in the order of the map, an integer of more than 64 bits `{"#bigint": "…"}`, and what
//! cannot be said otherwise, a number that is not finite or a value whose `Serialize` fails, `{"#unserializable": "…"}`.
//! Names are strings, numbers, truth values and variants without fields. A value that is there and is null, as in
//! `Some(None)`, is `{"Some": null}`.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::ser::{self, Serializer};
use serde_json::{Map, Value, json};

use crate::statement::asked::model_call::named;

/// The key of the only field of what stands for a map.
pub(crate) const MAP: &str = "#map";
/// The same of a large integer.
pub(crate) const BIG_INTEGER: &str = "#bigint";
/// The same of what has no JSON.
pub(crate) const UNSERIALIZABLE: &str = "#unserializable";

/// The JSON of a value.
pub fn json<T: Serialize + Debug + ?Sized>(value: &T) -> Value {
    match named("`serialize`", || value.serialize(ToJson)) {
        Ok(written) => written,
        Err(error) => unserializable(&error, &value),
    }
}

/// The value that stands for one that has no JSON.
#[cold]
fn unserializable(error: &Failed, value: &dyn Debug) -> Value {
    let shown = named("`Debug`", || format!("{error}: {value:?}"));
    json!({UNSERIALIZABLE: shown})
}

/// The pairs of a map whose keys are no names.
pub(crate) fn pairs(value: &Value) -> Option<impl Iterator<Item = (&Value, &Value)>> {
    let pairs = content(value, MAP)?.as_array()?;
    Some(
        pairs
            .iter()
            .filter_map(|pair| match pair.as_array()?.as_slice() {
                [key, value] => Some((key, value)),
                _ => None,
            }),
    )
}

/// Content of a value under one of the marks above.
pub(crate) fn content<'v>(value: &'v Value, mark: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) if fields.len() == 1 => fields.get(mark),
        _ => None,
    }
}

/// True if a value is one of those that the Informal Trace Format has and JSON has not.
pub(crate) fn is_marked(value: &Value) -> bool {
    let marks = [MAP, BIG_INTEGER, UNSERIALIZABLE];
    marks.iter().any(|mark| content(value, mark).is_some())
}

/// The name that a key is in an object, if it is one.
pub(crate) fn name(key: &Value) -> Option<String> {
    match key {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reason why a value has no JSON: what its own `Serialize` says.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

impl ser::Error for Failed {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Serialises into JSON.
#[derive(Clone, Copy)]
struct ToJson;

/// Elements, behind the name of the variant that they are of, if they are of one.
struct Elements {
    variant: Option<&'static str>,
    elements: Vec<Value>,
}

/// The same of named fields.
struct NamedFields {
    variant: Option<&'static str>,
    fields: Map<String, Value>,
}

/// Keys and values.
struct MapEntries {
    pairs: Vec<(Value, Value)>,
    key: Value,
}

/// True if it is null, within any number of `Some`.
fn is_some_of_null(value: &Value) -> bool {
    value.is_null() || content(value, "Some").is_some_and(is_some_of_null)
}

fn within(variant: Option<&'static str>, content: Value) -> Value {
    match variant {
        None => content,
        Some(variant) => json!({variant: content}),
    }
}

macro_rules! numbers {
    ($($function:ident $number:ty),*) => {$(
        fn $function(self, number: $number) -> Result<Value, Failed> {
            Ok(number.into())
        }
    )*};
}

impl Serializer for ToJson {
    type Ok = Value;
    type Error = Failed;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = MapEntries;
    type SerializeStruct = NamedFields;
    type SerializeStructVariant = NamedFields;

    numbers!(
        serialize_bool bool, serialize_str &str, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64,
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64
    );

    fn serialize_i128(self, number: i128) -> Result<Value, Failed> {
        let small = i64::try_from(number).map(Value::from);
        let small = small.or_else(|_| u64::try_from(number).map(Value::from));
        Ok(small.unwrap_or_else(|_| json!({BIG_INTEGER: number.to_string()})))
    }

    fn serialize_u128(self, number: u128) -> Result<Value, Failed> {
        let small = u64::try_from(number).map(Value::from);
        Ok(small.unwrap_or_else(|_| json!({BIG_INTEGER: number.to_string()})))
    }

    fn serialize_f32(self, number: f32) -> Result<Value, Failed> {
        if number.is_finite() {
            Ok(number.into())
        } else {
            Ok(json!({UNSERIALIZABLE: number.to_string()}))
        }
    }

    fn serialize_f64(self, number: f64) -> Result<Value, Failed> {
        if number.is_finite() {
            Ok(number.into())
        } else {
            Ok(json!({UNSERIALIZABLE: number.to_string()}))
        }
    }

    fn serialize_char(self, letter: char) -> Result<Value, Failed> {
        Ok(letter.to_string().into())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, Failed> {
        Ok(bytes.into())
    }

    fn serialize_none(self) -> Result<Value, Failed> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Failed> {
        let value = value.serialize(self)?;
        Ok(within(is_some_of_null(&value).then_some("Some"), value))
    }

    fn serialize_unit(self) -> Result<Value, Failed> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Failed> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Failed> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Failed> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Failed> {
        Ok(within(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements, Failed> {
        Ok(Elements::of(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements, Failed> {
        Ok(Elements::of(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements, Failed> {
        Ok(Elements::of(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements, Failed> {
        Ok(Elements::of(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<MapEntries, Failed> {
        Ok(MapEntries {
            pairs: Vec::new(),
            key: Value::Null,
        })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<NamedFields, Failed> {
        Ok(NamedFields::of(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<NamedFields, Failed> {
        Ok(NamedFields::of(Some(variant)))
    }
}

impl Elements {
    fn of(variant: Option<&'static str>) -> Self {
        Self {
            variant,
            elements: Vec::new(),
        }
    }
}

macro_rules! elements {
    ($($trait:ident $function:ident),*) => {$(
        impl ser::$trait for Elements {
            type Ok = Value;
            type Error = Failed;

            fn $function<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Failed> {
                self.elements.push(element.serialize(ToJson)?);
                Ok(())
            }

            fn end(self) -> Result<Value, Failed> {
                Ok(within(self.variant, self.elements.into()))
            }
        }
    )*};
}

elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

impl NamedFields {
    fn of(variant: Option<&'static str>) -> Self {
        Self {
            variant,
            fields: Map::new(),
        }
    }
}

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for NamedFields {
            type Ok = Value;
            type Error = Failed;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Failed> {
                self.fields.insert(name.to_owned(), value.serialize(ToJson)?);
                Ok(())
            }

            fn end(self) -> Result<Value, Failed> {
                Ok(within(self.variant, self.fields.into()))
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for MapEntries {
    type Ok = Value;
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        self.key = key.serialize(ToJson)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.pairs.push((self.key.take(), value.serialize(ToJson)?));
        Ok(())
    }

    fn end(self) -> Result<Value, Failed> {
        let mut named = Map::new();
        for (key, value) in &self.pairs {
            // Keys of several types may have one name.
            let is_new = name(key).is_some_and(|name| named.insert(name, value.clone()).is_none());
            if !is_new {
                let pairs = self.pairs.into_iter();
                return Ok(json!({MAP: pairs.map(<[Value; 2]>::from).collect::<Vec<_>>()}));
            }
        }
        Ok(named.into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Message {
        Ack,
        Data(i8),
        To { node: u8, hops: Option<u8> },
        Pair(u8, char),
    }

    #[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Id(u8);

    #[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Square {
        row: u8,
        column: i16,
    }

    #[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Unit;

    fn map<K: Ord, V, const N: usize>(pairs: [(K, V); N]) -> BTreeMap<K, V> {
        pairs.into()
    }

    /// A value for which `serde_json` has JSON has the same here.
    #[test]
    fn it_is_the_json_of_serde_json() {
        fn same<T: Serialize + Debug>(value: T) {
            assert_eq!(
                json(&value),
                serde_json::to_value(&value).expect("it has JSON"),
                "{value:?}"
            );
        }
        same((1u8, -1i8, 2u16, -2i16, 3u32, -3i32, u64::MAX, i64::MIN));
        same((0.1f32, -2.5f64, 'x', "text", String::from("\n"), true, ()));
        same([Some(3), None]);
        same((Unit, Id(3), Square { row: 1, column: -1 }));
        same([
            Message::Ack,
            Message::Data(-3),
            Message::To {
                node: 1,
                hops: None,
            },
            Message::Pair(1, 'a'),
        ]);
        same(map([("b", vec![1]), ("a", vec![])]));
        same(map([(Id(2), 1), (Id(10), 2)]));
        same(map([(true, 1)]));
        same(map([(
            'x',
            map([(Message::Ack, Square { row: 0, column: 0 })]),
        )]));
        same(map::<Square, u8, 0>([]));
        same((
            i128::from(i64::MIN),
            i128::from(u64::MAX),
            u128::from(u64::MAX),
        ));
    }

    #[test]
    fn keys_that_are_no_names_are_values() {
        let place = |row, column| Square { row, column };
        for (value, expected) in [
            (
                json(&map([(place(1, 2), 3), (place(0, -1), 4)])),
                json!({"#map": [[{"row": 0, "column": -1}, 4], [{"row": 1, "column": 2}, 3]]}),
            ),
            (
                json(&map([(Message::Data(2), ()), (Message::Ack, ())])),
                json!({"#map": [["Ack", null], [{"Data": 2}, null]]}),
            ),
            (
                json(&map([(Some(1), 2), (None, 1)])),
                json!({"#map": [[null, 1], [1, 2]]}),
            ),
            (
                json(&map([((1, 'x'), map([(vec![0u8], "v")]))])),
                json!({"#map": [[[1, "x"], {"#map": [[[0], "v"]]}]]}),
            ),
            (json(&map([((), 1)])), json!({"#map": [[null, 1]]})),
            (
                json(&map([(u128::MAX, 1)])),
                json!({"#map": [[{"#bigint": "340282366920938463463374607431768211455"}, 1]]}),
            ),
            (
                json(&map([(map([(1, 2)]), 3)])),
                json!({"#map": [[{"1": 2}, 3]]}),
            ),
        ] {
            assert_eq!(value, expected);
        }
    }

    /// Keys of several types, two of which would have one name.
    #[test]
    fn no_key_is_lost() {
        #[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
        #[serde(untagged)]
        enum Key {
            Number(u8),
            Text(&'static str),
        }
        assert_eq!(
            json(&map([(Key::Number(1), 1), (Key::Text("1"), 2)])),
            json!({"#map": [[1, 1], ["1", 2]]})
        );
    }

    #[test]
    fn what_json_has_no_value_of_is_told() {
        struct Failing;
        impl Serialize for Failing {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom("it is secret"))
            }
        }
        impl Debug for Failing {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("Failing")
            }
        }
        assert_eq!(json(&i128::MIN), json!({"#bigint": i128::MIN.to_string()}));
        assert_eq!(
            json(&[f64::NAN, 1.0]),
            json!([{"#unserializable": "NaN"}, 1.0])
        );
        assert_eq!(json(&f32::NEG_INFINITY), json!({"#unserializable": "-inf"}));
        assert_eq!(
            json(&Failing),
            json!({"#unserializable": "it is secret: Failing"})
        );
    }

    /// Values that differ have JSON that differs.
    #[test]
    fn what_is_there_is_told_from_what_is_not() {
        let values = [None, Some(None), Some(Some(None)), Some(Some(Some(())))];
        let all = values.map(|value| json(&value).to_string());
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert_eq!(json(&Some(())), json!({"Some": null}));
    }
}
