//! Parsers of the values of parameters: of numbers within a range, and of values that have names.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{RangeBounds, RangeInclusive};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};

/// Parser of whole numbers in a range, for the fields of a check's parameters. The help, the listing and each error say the
/// range.
///
/// ```
/// use refmap_cli::catalogue::number;
/// use refmap_cli::clap;
///
/// #[derive(Clone, clap::Args)]
/// struct Scope {
///     /// Number of threads
///     #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=4))]
///     threads: u8,
/// }
/// ```
pub fn number<T>(range: RangeInclusive<u64>) -> Number<T> {
    let of = PhantomData;
    Number { range, of }
}

/// Parser of values that know their names, for the fields of a check's parameters. A type that derives
/// [`clap::ValueEnum`] needs none.
///
/// ```
/// use refmap_cli::catalogue::choice;
/// use refmap_cli::clap;
/// use refmap_programs::MemoryModel;
///
/// #[derive(Clone, clap::Args)]
/// struct Scope {
///     /// The memory model
///     #[arg(long, default_value = "sc", value_parser = choice(MemoryModel::ALL, MemoryModel::name))]
///     memory: MemoryModel,
/// }
/// ```
pub fn choice<T: Clone>(
    values: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
) -> Choice<T> {
    let values = values.into_iter();
    let values = values.map(|value| (name(value.clone()), value)).collect();
    Choice { values }
}

/// Parser of whole numbers in a range; made by [`number`].
#[derive(Clone, Debug)]
pub struct Number<T> {
    range: RangeInclusive<u64>,
    of: PhantomData<fn() -> T>,
}

/// Parser of values that have names; made by [`choice`].
#[derive(Clone, Debug)]
pub struct Choice<T> {
    values: Vec<(&'static str, T)>,
}

impl<T: TryFrom<u64> + Clone + Send + Sync + 'static> TypedValueParser for Number<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, text: &OsStr) -> Result<T, Error> {
        let number = in_range(&self.range, command, arg, text)?;
        T::try_from(number).map_err(|_| out_of_type(&self.range, command, arg, text))
    }

    /// The ends of the range, hidden. It is the one thing that a parser says of itself once it is part of an argument, and
    /// the help and the listing have to know the range.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(ends(&self.range))
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, text: &OsStr) -> Result<T, Error> {
        let names: Vec<_> = self.values.iter().map(|(name, _)| *name).collect();
        let chosen = position(&names, command, arg, text)?;
        Ok(self.values[chosen].1.clone())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<_> = self.values.iter().map(|(name, _)| *name).collect();
        Some(possible(&names))
    }
}

// The functions that follow do not know the type of a value, so that they are compiled here once, and not with each project.

type PossibleValues = Box<dyn Iterator<Item = PossibleValue>>;

fn in_range(
    range: &RangeInclusive<u64>,
    command: &Command,
    arg: Option<&Arg>,
    text: &OsStr,
) -> Result<u64, Error> {
    whole_number(range.clone()).parse_ref(command, arg, text)
}

/// Error of a number that is in the range and does not fit its type.
fn out_of_type(
    range: &RangeInclusive<u64>,
    command: &Command,
    arg: Option<&Arg>,
    text: &OsStr,
) -> Error {
    let range = range.clone();
    let refuse = move |text: &str| Err::<u64, _>(format!("{text} of {range:?} is too large"));
    let refused = refuse.parse_ref(command, arg, text);
    refused.expect_err("each text is refused")
}

fn ends(range: &RangeInclusive<u64>) -> PossibleValues {
    let ends = [range.start(), range.end()];
    let ends = ends.map(|end| PossibleValue::new(end.to_string()).hide(true));
    Box::new(ends.into_iter())
}

/// Position of the name that is chosen.
fn position(
    names: &[&'static str],
    command: &Command,
    arg: Option<&Arg>,
    text: &OsStr,
) -> Result<usize, Error> {
    let known = PossibleValuesParser::new(names.iter().copied());
    let chosen = known.parse_ref(command, arg, text)?;
    let position = names.iter().position(|name| *name == chosen);
    Ok(position.expect("the name is one of these"))
}

fn possible(names: &[&'static str]) -> PossibleValues {
    let names: Vec<_> = names.iter().map(|name| PossibleValue::new(*name)).collect();
    Box::new(names.into_iter())
}

/// Parses whole numbers within a range.
pub(crate) fn whole_number<T: TryFrom<u64>>(
    range: impl RangeBounds<u64> + Debug + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<u64> = text.parse().ok().filter(|_| is_number);
        let number = number.filter(|number| range.contains(number));
        match number.and_then(|number| T::try_from(number).ok()) {
            Some(number) => Ok(number),
            None if is_number => Err(format!("{text} is not in {range:?}")),
            None => Err(format!("{text:?} is not a whole number in {range:?}")),
        }
    }
}
