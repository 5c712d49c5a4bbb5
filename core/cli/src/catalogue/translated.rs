//! Operations of other tools as calls of an object.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Value of a history: JSON of any kind. Numbers are in their order, texts in theirs, others in that of their text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub(super) struct Datum(pub Value);

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Ord for Datum {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_text = || self.0.to_string().cmp(&other.0.to_string());
        match (&self.0, &other.0) {
            (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
                (Some(one), Some(other)) => one.cmp(&other),
                _ => {
                    let of = |number: &serde_json::Number| number.as_f64().unwrap_or(f64::MAX);
                    of(one).total_cmp(&of(other)).then_with(by_text)
                }
            },
            (Value::String(one), Value::String(other)) => one.cmp(other),
            _ => by_text(),
        }
    }
}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Operation of another tool's history as a call of an object, in JSON.
pub(super) struct Translated {
    pub call: Value,
    /// The answer, if it is known.
    pub answer: Option<Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_in_their_order() {
        let numbers = [
            "-1e30",
            "-9223372036854775808",
            "-4294967297",
            "-4294967296",
            "-1",
            "0",
            "0.5",
            "1",
            "2147483648",
            "4294967296",
            "4294967297",
            "9007199254740993",
            "9007199254740994",
            "9223372036854775807",
            "18446744073709551615",
            "1e30",
        ];
        let texts = [r#""""#, r#""a""#, r#""aa""#, r#""b""#, r#""é""#];
        let data = |texts: &[&str]| -> Vec<Datum> {
            let data = texts.iter().map(|text| serde_json::from_str(text));
            data.map(|datum| datum.expect("it is JSON")).collect()
        };
        for data in [data(&numbers), data(&texts)] {
            for (one, first) in data.iter().enumerate() {
                for (other, second) in data.iter().enumerate() {
                    assert_eq!(first.cmp(second), one.cmp(&other), "{first:?} {second:?}");
                }
            }
        }
    }
}
