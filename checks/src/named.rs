//! Parser of the values of an enum of the systems by their names.

use refmap_cli::catalogue::{Choice, choice};
use strum::VariantArray;

/// Parser of the values of an enum, each by its name. The systems know their names, and nothing of a command line.
pub(super) fn named<T>() -> Choice<T>
where
    T: VariantArray + Copy + Into<&'static str>,
{
    choice(T::VARIANTS.iter().copied(), T::into)
}

/// Names of the values of an enum.
pub(super) fn names<T>() -> Vec<&'static str>
where
    T: VariantArray + Copy + Into<&'static str>,
{
    T::VARIANTS.iter().map(|value| (*value).into()).collect()
}
