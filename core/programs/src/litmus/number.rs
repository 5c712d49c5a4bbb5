//! Numbers, and the widths that they fit.

use super::error::{Problem, ReadError};
use super::token::Tokens;

/// Parses a number with an optional sign; it fits 64 bits, with a sign or without one.
pub(super) fn signed_number(tokens: &mut Tokens) -> Result<i128, ReadError> {
    let line = tokens.line();
    let negative = tokens.takes("-");
    let number = i128::from(tokens.number()?);
    let number = if negative { -number } else { number };
    fit(number, 64).map_err(|problem| problem.on(line))?;
    Ok(number)
}

/// True if `number` fits `bits` bits, with a sign or without one.
pub(super) fn fits(number: i128, bits: u32) -> bool {
    (-(1_i128 << (bits - 1))..1_i128 << bits).contains(&number)
}

/// The lowest bits of `number`, which fits `bits` bits, as a number of 64 bits.
pub(super) fn fit(number: i128, bits: u32) -> Result<i64, Problem> {
    if fits(number, bits) {
        Ok(number as i64)
    } else {
        Err(Problem::Width {
            number: number.to_string(),
            bits,
        })
    }
}
