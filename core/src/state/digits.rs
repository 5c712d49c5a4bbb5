//! Numbers from which all values of a type are read, one value after the other.

use super::Source;

/// Digits that are kept without memory of their own.
const SHORT: usize = 4;

/// A sequence of numbers, each up to a greatest one, that goes through all sequences there are. How many numbers are asked for, and
/// how great they may be, may depend on those before.
pub struct Digits {
    short: [Digit; SHORT],
    long: Vec<Digit>,
    /// Number of digits that are known,
    known: usize,
    /// and of those that were asked for.
    asked: usize,
}

/// A number, as a digit in mixed radix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digit {
    pub value: u64,
    /// The greatest value: its radix is one more.
    pub most: u64,
}

impl Digits {
    /// The first sequence: all numbers are 0.
    pub fn new() -> Self {
        Self {
            short: [Digit::default(); SHORT],
            long: Vec::new(),
            known: 0,
            asked: 0,
        }
    }

    fn digit(&mut self, place: usize) -> &mut Digit {
        match place.checked_sub(SHORT) {
            None => &mut self.short[place],
            Some(place) => &mut self.long[place],
        }
    }

    /// Goes on to the next sequence, if there is one: the last number that can grow does, and those after it are forgotten.
    pub fn advance(&mut self) -> bool {
        self.known = self.known.min(self.asked);
        self.asked = 0;
        while let Some(last) = self.known.checked_sub(1) {
            let digit = self.digit(last);
            if digit.value < digit.most {
                digit.value += 1;
                return true;
            }
            self.known = last;
        }
        false
    }
}

impl Source for Digits {
    fn number(&mut self, most: u64) -> u64 {
        if self.asked == self.known {
            let digit = Digit { value: 0, most };
            match self.asked.checked_sub(SHORT) {
                None => self.short[self.asked] = digit,
                Some(place) => {
                    self.long.truncate(place);
                    self.long.push(digit);
                }
            }
            self.known += 1;
        }
        self.asked += 1;
        self.digit(self.asked - 1).value
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Limits, State};
    use crate::state::bounded::BoundedVec;

    fn values<T: State<()>>(limits: Limits) -> Vec<T> {
        let mut values = Vec::new();
        T::each_value(&(), limits, &mut |value| values.push(value));
        values
    }

    #[test]
    fn all_values_are_visited_each_once() {
        let small = Limits::NONE.range(2..5u8);
        assert_eq!(values::<u8>(small), [2, 3, 4]);
        assert_eq!(values::<i64>(Limits::NONE.range(-1..=1)), [-1, 0, 1]);
        assert_eq!(values::<bool>(Limits::NONE), [false, true]);
        assert_eq!(values::<()>(Limits::NONE), [()]);
        assert_eq!(
            values::<Option<u8>>(small),
            [None, Some(2), Some(3), Some(4)]
        );
        assert_eq!(values::<(u8, bool)>(small).len(), 6);
        assert_eq!(
            values::<(u8, bool)>(small)[..3],
            [(2, false), (2, true), (3, false)]
        );
        assert_eq!(values::<[u8; 6]>(small).len(), 729);
        let vectors = values::<Vec<u8>>(small.max_len(3));
        assert_eq!(vectors.len(), 1 + 3 + 9 + 27);
        let once: BTreeSet<_> = vectors.iter().collect();
        assert_eq!(once.len(), vectors.len());
        assert_eq!(values::<BTreeSet<u8>>(small).len(), 8);
        assert_eq!(values::<BoundedVec<u8, 2>>(small).len(), 13);
    }

    /// A range without values has none.
    #[test]
    fn an_empty_range_has_no_values() {
        assert_eq!(values::<u8>(Limits::NONE.range(0..0u8)), [0; 0]);
    }
}
