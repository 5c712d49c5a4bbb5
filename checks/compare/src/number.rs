//! Numbers for people.

/// Bytes in MiB.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_mebibytes() {
        assert_eq!(mebibytes(3 << 19), "1.5 MiB");
    }
}
