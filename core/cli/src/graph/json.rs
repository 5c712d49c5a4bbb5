//! JSON that has to be an object, or text. For a type whose reading is derived, an array of the fields would do as well as an
//! object, and an object as well as the text of a variant.

use std::fmt::{Formatter, Result as Written};
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Value that an object describes.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Expected(PhantomData)).map(Object)
    }
}

/// Value that a text names.
pub struct Text<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(ExpectedText(PhantomData)).map(Text)
    }
}

struct Expected<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Expected<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> Written {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

struct ExpectedText<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ExpectedText<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> Written {
        f.write_str("text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::deserialize(StrDeserializer::new(text))
    }
}
