//! Parameter of a check.

use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::error::InputError;

/// Parameter of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Name, without dashes.
    pub name: &'static str,
    /// Description in one line.
    pub help: &'static str,
    /// Kind of its values.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// Kind of a parameter's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A number from `least` to `most`.
    Number {
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// Default value.
        default: u64,
    },
    /// One of several names.
    Choice {
        /// The names.
        values: Vec<&'static str>,
        /// The value if none is given; without one it has to be.
        default: Option<&'static str>,
    },
    /// A flag; off by default.
    Flag,
    /// A list of names; empty by default. The permitted names depend on other arguments, so the check rejects
    /// unknown ones.
    Names,
}

impl Parameter {
    /// Creates a number.
    pub fn number(
        name: &'static str,
        range: RangeInclusive<u64>,
        default: u64,
        help: &'static str,
    ) -> Self {
        let (least, most) = range.into_inner();
        Self {
            name,
            help,
            kind: ParameterKind::Number {
                least,
                most,
                default,
            },
        }
    }

    /// One of several names, the first of which is the default. Where they stand for values of a type, it is a
    /// [`Choice`](super::Choice).
    ///
    /// # Panics
    ///
    /// If there is no name.
    pub fn choice(name: &'static str, values: &[&'static str], help: &'static str) -> Self {
        let default = Some(*values.first().expect("a choice has a value to choose"));
        let values = values.to_vec();
        Self {
            name,
            help,
            kind: ParameterKind::Choice { values, default },
        }
    }

    /// One of several names, which has to be given.
    pub fn required(name: &'static str, values: &[&'static str], help: &'static str) -> Self {
        let (values, default) = (values.to_vec(), None);
        Self {
            name,
            help,
            kind: ParameterKind::Choice { values, default },
        }
    }

    /// Creates a flag.
    pub fn flag(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind: ParameterKind::Flag,
        }
    }

    /// Creates a list of names.
    pub fn names(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind: ParameterKind::Names,
        }
    }

    /// Default value.
    pub(super) fn default(&self) -> Result<Value, InputError> {
        Ok(match &self.kind {
            ParameterKind::Number { default, .. } => (*default).into(),
            ParameterKind::Choice {
                default: Some(default),
                ..
            } => (*default).into(),
            ParameterKind::Choice {
                default: None,
                values,
            } => {
                return Err(InputError::MissingArgument {
                    parameter: self.name,
                    allowed: values.join(", "),
                });
            }
            ParameterKind::Flag => false.into(),
            ParameterKind::Names => Value::Array(Vec::new()),
        })
    }

    pub(super) fn accept(&self, value: &Value) -> Result<Value, InputError> {
        let accepted = match &self.kind {
            ParameterKind::Number { least, most, .. } => value
                .as_u64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
            ParameterKind::Choice { values, .. } => value
                .as_str()
                .is_some_and(|choice| values.contains(&choice)),
            ParameterKind::Flag => value.is_boolean(),
            ParameterKind::Names => value
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string)),
        };
        if accepted {
            return Ok(value.clone());
        }
        Err(InputError::BadArgument {
            parameter: self.name,
            given: value.to_string(),
            allowed: match &self.kind {
                ParameterKind::Number { least, most, .. } => {
                    format!("a number from {least} to {most}")
                }
                ParameterKind::Choice { values, .. } => values.join(" or "),
                ParameterKind::Flag => "true or false".to_owned(),
                ParameterKind::Names => "a list of names".to_owned(),
            },
        })
    }
}
