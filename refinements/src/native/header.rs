//! What the header of a history says of its instance.

use refmap::validate::Header;

/// A header that does not say how large the instance is, or that it is larger than can be validated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the header's parameter {name:?} must be a number from {least} to {most}, and {given}",
    given = .given.map_or("is none".to_owned(), |given| format!("is {given}"))
)]
pub struct HeaderError {
    /// The parameter.
    pub name: &'static str,
    /// Its least value.
    pub least: u32,
    /// Its greatest value.
    pub most: u32,
    /// What it is, if it is a number.
    pub given: Option<u64>,
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
    fits.ok_or(HeaderError {
        name,
        least,
        most,
        given,
    })
}
