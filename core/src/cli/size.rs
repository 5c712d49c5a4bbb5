//! Sizes and times, as a command line has them.

/// A number of bytes or of seconds that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Not a size.
    #[error("{0:?} is not a size: a whole number of bytes, or one with KiB, MiB or GiB behind it")]
    Bytes(String),
    /// Not a time.
    #[error("{0:?} is not a time: a number of seconds greater than 0")]
    Seconds(String),
}

pub(super) fn bytes(text: &str) -> Result<u64, SizeError> {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("", 0)];
    let (number, shift) = units
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
        .unwrap_or((text, 0));
    let number: Option<u64> = number.trim_end().parse().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| SizeError::Bytes(text.to_owned()))
}

pub(super) fn seconds(text: &str) -> Result<f64, SizeError> {
    let seconds = text
        .parse()
        .ok()
        .filter(|s: &f64| s.is_finite() && *s > 0.0);
    seconds.ok_or_else(|| SizeError::Seconds(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("512 MiB"), Ok(512 << 20));
        assert_eq!(bytes("1000"), Ok(1000));
        for wrong in ["", "GiB", "-1", "4GB", "1.5GiB", "0", "99999999999GiB"] {
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
