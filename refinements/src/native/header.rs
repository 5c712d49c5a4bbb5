//! What the header of a history says of its instance.

use refmap_histories::{Header, UnknownParameter};

/// What the headers of histories of the on-the-fly collector say.
pub(super) const ON_THE_FLY: [&str; 7] = [
    "collector",
    "threads",
    "mutators",
    "objects",
    "fields",
    "fault",
    "seed",
];
/// What those of Ben-Ari's collector say.
pub(super) const BEN_ARI: [&str; 6] = ["collector", "nodes", "sons", "roots", "fault", "seed"];

/// A header that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// It does not say how large the instance is, or that it is larger than can be validated.
    #[error(
        "the header's parameter {name:?} must be a number from {least} to {most}, and {given}",
        given = .given.map_or("is none".to_owned(), |given| format!("is {given}"))
    )]
    Number {
        /// The parameter.
        name: &'static str,
        /// Its least value.
        least: u32,
        /// Its greatest value.
        most: u32,
        /// What it is, if it is a number.
        given: Option<u64>,
    },
    /// It has a parameter that there is not.
    #[error(transparent)]
    Unknown(#[from] UnknownParameter),
}

/// The number that a parameter is, if it is in its range.
pub(super) fn number(
    header: &Header,
    name: &'static str,
    least: u32,
    most: u32,
) -> Result<u32, HeaderError> {
    let value = header.parameters.get(name);
    let given = value.and_then(|value| value.as_u64());
    let number = given.and_then(|number| u32::try_from(number).ok());
    let fits = number.filter(|number| (least..=most).contains(number));
    fits.ok_or(HeaderError::Number {
        name,
        least,
        most,
        given,
    })
}
