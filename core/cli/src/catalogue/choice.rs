//! A parameter whose values are those of a type.

use super::arguments::Arguments;
use super::parameter::{Parameter, ParameterKind};

/// A parameter that is one of several values, each of which has a name: it declares the parameter of a check, and reads
/// the argument. So the name of the parameter, its values and their names are in one place, and no name stands for
/// a default.
///
/// ```
/// use refmap_cli::catalogue::Choice;
///
/// #[derive(Clone, Copy)]
/// enum Memory { Sc, Tso }
///
/// let memory = Choice::new("memory", "what memory does", [("sc", Memory::Sc), ("tso", Memory::Tso)]);
/// assert_eq!(memory.names(), ["sc", "tso"]);
/// assert_eq!(memory.parameter().name, "memory");
/// ```
#[derive(Clone, Debug)]
pub struct Choice<T> {
    name: &'static str,
    help: &'static str,
    values: Vec<(&'static str, T)>,
    is_required: bool,
}

impl<T: Copy> Choice<T> {
    /// One of several values by their names, the first of which is the default.
    ///
    /// # Panics
    ///
    /// If there is no value, or two have one name.
    pub fn new(
        name: &'static str,
        help: &'static str,
        values: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Self {
        let values: Vec<_> = values.into_iter().collect();
        assert!(!values.is_empty(), "a choice has a value to choose");
        for (place, (value, _)) in values.iter().enumerate() {
            let is_another = values[..place].iter().all(|(other, _)| other != value);
            assert!(is_another, "{name} has two values named {value:?}");
        }
        Self {
            name,
            help,
            values,
            is_required: false,
        }
    }

    /// The same, of values that know their names.
    ///
    /// # Panics
    ///
    /// If there is no value, or two have one name.
    pub fn named(
        name: &'static str,
        help: &'static str,
        values: impl IntoIterator<Item = T>,
        name_of: impl Fn(T) -> &'static str,
    ) -> Self {
        let named = values.into_iter().map(|value| (name_of(value), value));
        Self::new(name, help, named)
    }

    /// The same, without a default: it has to be given.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// The parameter, for the list of a check.
    pub fn parameter(&self) -> Parameter {
        let values = self.names();
        Parameter {
            name: self.name,
            help: self.help,
            kind: ParameterKind::Choice {
                default: (!self.is_required).then(|| values[0]),
                values,
            },
        }
    }

    /// The names of its values, in their order.
    pub fn names(&self) -> Vec<&'static str> {
        self.values.iter().map(|(name, _)| *name).collect()
    }

    /// The value that is chosen.
    ///
    /// # Panics
    ///
    /// If the check does not declare this parameter.
    pub fn of(&self, arguments: &Arguments) -> T {
        let chosen = arguments.choice(self.name);
        let mut values = self.values.iter();
        match values.find(|(name, _)| *name == chosen) {
            Some((_, value)) => *value,
            None => panic!("the check declares no {} named {chosen:?}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;

    fn side() -> Choice<u8> {
        Choice::new("side", "which side", [("left", 1), ("right", 2)])
    }

    fn given(name: &str, value: &str) -> Arguments {
        Arguments(Map::from_iter([(name.to_owned(), Value::from(value))]))
    }

    /// The names are declared in the order of the values, and each stands for its own.
    #[test]
    fn a_choice_is_declared_and_read_by_one_list() {
        let kind = |default| ParameterKind::Choice {
            values: vec!["left", "right"],
            default,
        };
        assert_eq!(side().parameter().kind, kind(Some("left")));
        assert_eq!(side().required().parameter().kind, kind(None));
        let of = |value| side().of(&given("side", value));
        assert_eq!([of("left"), of("right")], [1, 2]);
        let named = Choice::named("side", "", [true, false], |is_left| match is_left {
            true => "left",
            false => "right",
        });
        assert!(!named.of(&given("side", "right")));
    }

    /// No name stands for a default.
    #[test]
    #[should_panic(expected = "no side named \"top\"")]
    fn a_name_that_is_none_of_them_is_refused() {
        side().of(&given("side", "top"));
    }

    #[test]
    #[should_panic(expected = "two values named \"left\"")]
    fn two_values_of_one_name_are_refused() {
        Choice::new("side", "", [("left", 1), ("left", 2)]);
    }
}
