//! Arguments of a check.

use serde_json::{Map, Value};

use super::error::InputError;
use super::parameter::Parameter;
use refmap::internal::nearest;

/// Values of all parameters of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(pub(super) Map<String, Value>);

impl Arguments {
    /// Values of all parameters of `item`: as given, or the defaults.
    pub(super) fn of(
        item: &'static str,
        parameters: &[Parameter],
        given: &[(&str, Value)],
    ) -> Result<Self, InputError> {
        for (name, _) in given {
            if !parameters.iter().any(|parameter| parameter.name == *name) {
                let known = || parameters.iter().map(|parameter| parameter.name);
                return Err(InputError::UnknownParameter {
                    check: item,
                    name: (*name).to_owned(),
                    nearest: nearest(name, known()),
                    known: known().collect(),
                });
            }
        }
        let mut arguments = Map::new();
        for parameter in parameters {
            let given = given.iter().rev().find(|(name, _)| *name == parameter.name);
            let value = match given {
                Some((_, value)) => parameter.accept(value)?,
                None => parameter.default()?,
            };
            arguments.insert(parameter.name.to_owned(), value);
        }
        Ok(Self(arguments))
    }

    /// Value of a number.
    ///
    /// # Panics
    ///
    /// If the check has no number of this name that fits `T`.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> T {
        self.0
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|number| T::try_from(number).ok())
            .unwrap_or_else(|| panic!("the check declares a number {name:?} of fitting range"))
    }

    /// Value of a choice.
    ///
    /// # Panics
    ///
    /// If the check has no choice of this name.
    pub fn choice(&self, name: &str) -> &str {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("the check declares a choice {name:?}"))
    }

    /// Values of a list of names.
    ///
    /// # Panics
    ///
    /// If the check has no list of names of this name.
    pub fn names(&self, name: &str) -> Vec<&str> {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .and_then(|names| names.iter().map(Value::as_str).collect())
            .unwrap_or_else(|| panic!("the check declares names {name:?}"))
    }

    /// Whether a flag is given.
    ///
    /// # Panics
    ///
    /// If the check has no flag of this name.
    pub fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_else(|| panic!("the check declares a flag {name:?}"))
    }
}
