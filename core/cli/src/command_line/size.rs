//! Parser of sizes and durations.

use std::time::Duration;

/// Error: not a size or a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Not a size.
    #[error(
        "{0:?} is not a size: a number of bytes above 0, as 2000000, or one with a unit, as 512MiB or 1.5GB; the units are \
         KiB, MiB, GiB, TiB and kB, MB, GB, TB"
    )]
    Bytes(String),
    /// Not a number of minutes.
    #[error("{0:?} is not a time: a number of minutes, 0 or more")]
    Minutes(String),
    /// Not a duration.
    #[error("{0:?} is not a time: a number of seconds greater than 0")]
    Seconds(String),
}

/// Units with their sizes in bytes. SI units are powers of 1000.
const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1000),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Parses a number of bytes: an integer, or a decimal number with a unit. Fractions of a byte are truncated.
pub(super) fn bytes(text: &str) -> Result<u64, SizeError> {
    let (number, unit) = UNITS
        .into_iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?.trim_end(), bytes)))
        .unwrap_or((text, 1));
    multiplied(number, unit)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| SizeError::Bytes(text.to_owned()))
}

/// Multiplies `number` by `unit` exactly; a float would round large numbers.
fn multiplied(number: &str, unit: u64) -> Option<u64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    // Only as many decimals as can be represented; they are finer than any unit.
    if whole.is_empty()
        || !digits(whole)
        || !digits(decimals)
        || !(1..=18).contains(&decimals.len())
    {
        return None;
    }
    if unit == 1 && number.contains('.') {
        return None;
    }
    let unit = u128::from(unit);
    let whole = whole.parse::<u64>().ok().map(u128::from)?;
    let decimals_of: u128 = decimals.parse().ok()?;
    let part = decimals_of * unit / 10u128.pow(decimals.len() as u32);
    u64::try_from(whole * unit + part).ok()
}

pub(super) fn seconds(text: &str) -> Result<f64, SizeError> {
    let seconds = text
        .parse()
        .ok()
        .filter(|s: &f64| s.is_finite() && *s > 0.0);
    seconds.ok_or_else(|| SizeError::Seconds(text.to_owned()))
}

/// Parses a number of minutes; 0 is one.
pub(super) fn minutes(text: &str) -> Result<Duration, SizeError> {
    let minutes = text.parse().ok();
    let time = minutes.and_then(|minutes: f64| Duration::try_from_secs_f64(minutes * 60.0).ok());
    time.ok_or_else(|| SizeError::Minutes(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, size) in [
            ("4GiB", 4 << 30),
            ("512 MiB", 512 << 20),
            ("1000", 1000),
            ("1.5GiB", 3 << 29),
            ("200MB", 200_000_000),
            ("2GB", 2_000_000_000),
            ("0.5kB", 500),
            ("0.1 KiB", 102),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for wrong in [
            "",
            "GiB",
            ".5GiB",
            "1.GiB",
            "1.5",
            "1.5.5GiB",
            "-1",
            "+1",
            "4G",
            "4gib",
            "0",
            "0.0GiB",
            "0.0001kB",
            "1e3",
            "99999999999GiB",
            "18446744073709551616",
        ] {
            assert_eq!(bytes(wrong), Err(SizeError::Bytes(wrong.to_owned())));
        }
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "inf", "NaN", "soon"] {
            assert_eq!(seconds(wrong), Err(SizeError::Seconds(wrong.to_owned())));
        }
    }
}
