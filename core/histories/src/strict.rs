//! JSON value that remembers a field given twice.

use std::fmt::{self, Formatter};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// JSON value, with the first field that one of its objects has twice. Readers of JSON otherwise keep one of the two
/// values, and it is not said which.
#[derive(Debug, PartialEq)]
pub(super) struct Strict {
    pub value: Value,
    pub twice: Option<String>,
}

impl From<Value> for Strict {
    fn from(value: Value) -> Self {
        let twice = None;
        Self { value, twice }
    }
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Value::Null.into())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Value::from(value).into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Value::from(value).into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Value::from(value).into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
        let number = Number::from_f64(value);
        Ok(number.map_or(Value::Null, Value::Number).into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Value::from(value).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        let (mut values, mut first) = (Vec::new(), None);
        while let Some(Strict { value, twice }) = items.next_element()? {
            values.push(value);
            first = first.or(twice);
        }
        Ok(Strict {
            value: Value::Array(values),
            twice: first,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Strict, A::Error> {
        let (mut values, mut first) = (Map::new(), None);
        while let Some((name, Strict { value, twice })) = fields.next_entry::<String, Strict>()? {
            first = first.or(twice);
            if values.contains_key(&name) {
                first.get_or_insert_with(|| name.clone());
            }
            values.insert(name, value);
        }
        Ok(Strict {
            value: Value::Object(values),
            twice: first,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_given_twice_is_known_and_nothing_else_is() {
        let read = |text: &str| serde_json::from_str::<Strict>(text).expect("it is JSON");
        for text in [
            r#"{"a":1,"b":[{"a":-1},{"a":2.5}],"c":{"a":null,"b":"a"},"d":true}"#,
            "[]",
            "7",
        ] {
            let value: Value = serde_json::from_str(text).expect("it is JSON");
            assert_eq!(read(text), Strict::from(value), "{text}");
        }
        for text in [
            r#"{"a":1,"b":2,"a":1}"#,
            r#"{"b":{"a":1,"a":2}}"#,
            r#"[{"b":1},{"a":1,"a":2}]"#,
        ] {
            assert_eq!(read(text).twice.as_deref(), Some("a"), "{text}");
        }
    }
}
