//! Numbers as people write them.

use std::collections::HashMap;

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number of things, each called by a noun: `1 state`, `2 000 states`.
pub fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
}

/// Names, each with its number where another one is the same.
pub fn numbered<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names.clone() {
        *counts.entry(name).or_default() += 1;
    }
    let numbered = names.enumerate().map(|(at, name)| {
        if counts[name] > 1 {
            format!("{name} ({at})")
        } else {
            name.to_owned()
        }
    });
    numbered.collect()
}

/// A size as it is given to `--max-memory`: with a unit where it is a whole number of it.
pub(crate) fn memory(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
    ];
    let is_whole = |unit: &&(&str, u64)| bytes > 0 && bytes.is_multiple_of(unit.1);
    match UNITS.iter().find(is_whole) {
        Some((unit, size)) => format!("{} {unit} of memory", grouped(bytes / size)),
        None => format!("{} of memory", counted(bytes, "byte")),
    }
}

/// A time in seconds: without the hundreds of digits that a very large or a very small number would have.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds.fract() == 0.0 && (0.0..1e9).contains(&seconds) {
        format!("{} seconds", grouped(seconds as u64))
    } else if (1e-4..1e9).contains(&seconds) {
        format!("{seconds} seconds")
    } else {
        format!("{seconds:e} seconds")
    }
}

/// Name of one of those that have this name in the plural.
pub fn one_of(members: &str) -> &str {
    members.strip_suffix('s').unwrap_or(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_repeat_have_their_numbers() {
        let names = ["load", "store", "load", ""];
        let numbered = numbered(names.into_iter());
        assert_eq!(numbered, ["load (0)", "store", "load (2)", ""]);
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1 000"),
            (12_345, "12 345"),
            (1_616_235_329, "1 616 235 329"),
            (u64::MAX, "18 446 744 073 709 551 615"),
        ] {
            assert_eq!(grouped(number), text);
        }
        for (number, text) in [(0, "0 states"), (1, "1 state"), (1000, "1 000 states")] {
            assert_eq!(counted(number, "state"), text);
        }
        for (bytes, text) in [
            (0, "0 bytes of memory"),
            (1, "1 byte of memory"),
            (1023, "1 023 bytes of memory"),
            (512 << 20, "512 MiB of memory"),
            (2048 << 30, "2 048 GiB of memory"),
            (1_500_000_000, "1 500 MB of memory"),
            (2_000_000_000, "2 GB of memory"),
            (u64::MAX, "18 446 744 073 709 551 615 bytes of memory"),
        ] {
            assert_eq!(memory(bytes), text);
        }
        for (time, text) in [
            (0.0, "0 seconds"),
            (0.05, "0.05 seconds"),
            (1.5, "1.5 seconds"),
            (3600.0, "3 600 seconds"),
            (1e300, "1e300 seconds"),
            (1e-300, "1e-300 seconds"),
        ] {
            assert_eq!(seconds(time), text);
        }
    }
}
