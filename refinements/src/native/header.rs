//! Header of a history: the parameters of its instance.

use refmap_histories::{Header, UnknownParameter};

/// Parameters in headers of histories of the on-the-fly collector.
pub(super) const ON_THE_FLY: [&str; 7] = [
    "collector",
    "threads",
    "mutators",
    "objects",
    "fields",
    "fault",
    "seed",
];
/// Parameters in headers of histories of Ben-Ari's collector.
pub(super) const BEN_ARI: [&str; 6] = ["collector", "nodes", "sons", "roots", "fault", "seed"];

/// Error: the header is not usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The size of the instance is missing, or larger than can be validated.
    #[error(
        "the header's parameter {name:?} must be a number from {least} to {most}, and {given}",
        given = .given.as_ref().map_or("is none".to_owned(), |given| format!("is {given}"))
    )]
    Number {
        /// The parameter.
        name: &'static str,
        /// Its least value.
        least: u32,
        /// Its greatest value.
        most: u32,
        /// The value given, as JSON, if there is one.
        given: Option<String>,
    },
    /// It has an unknown parameter.
    #[error(transparent)]
    Unknown(#[from] UnknownParameter),
}

/// Value of a numeric parameter, if it is in its range.
pub(super) fn number(
    header: &Header,
    name: &'static str,
    least: u32,
    most: u32,
) -> Result<u32, HeaderError> {
    let given = header.parameters.get(name);
    let number = given.and_then(|given| given.as_u64());
    let number = number.and_then(|number| u32::try_from(number).ok());
    let fits = number.filter(|number| (least..=most).contains(number));
    fits.ok_or(HeaderError::Number {
        name,
        least,
        most,
        given: given.map(ToString::to_string),
    })
}
