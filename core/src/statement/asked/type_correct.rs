//! Type-correct states: all values of the state's type that respect the ranges of its variables,
//! reachable or not.
//!
//! Source: Havelund & Shankar, Appendix A, where the state is a record type, and Appendix B.2, where
//! invariants are proved from every state of that type.

use crate::state::{Digit, Limits, Source, State};
use crate::statement::system::{StateOf, TransitionSystem};

/// A system whose type-correct states can be enumerated.
pub trait TypeCorrect: TransitionSystem {
    /// The state that `choices` make, one choice a variable. How many values a choice has must not
    /// depend on the choices before it, nor how many choices there are; where it does, nothing is
    /// inductive.
    ///
    /// By default it is what the type of the states derives, if it is of one size: where it has variants with fields, or
    /// lengths that vary, how many choices there are depends on others.
    fn type_correct(&self, choices: &mut Choices) -> StateOf<Self> {
        StateOf::<Self>::read(self, Limits::NONE, choices)
    }
}

impl Source for Choices {
    fn number(&mut self, most: u64) -> u64 {
        self.up_to(most)
    }
}

/// Remedy where the choices depend on each other.
const VARIES: &str = ": if variants have fields, or lengths vary, state a `type_correct` that asks for the same choices always, and \
                      leaves some unused";

/// A sequence of choices, each from finitely many values: the digits of a number in mixed radix, the least
/// significant first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The digits asked for so far.
    digits: Vec<Digit>,
    /// The one that is asked for next.
    position: usize,
    /// The number without those digits.
    rest: u64,
    /// The product of their radices; none if that is 2⁶⁴ or more.
    combinations: Option<u64>,
}

impl Choices {
    /// The choices that belong to a number: 0 takes the first value each time.
    pub fn of(number: u64) -> Self {
        Self {
            digits: Vec::new(),
            position: 0,
            rest: number,
            combinations: Some(1),
        }
    }

    /// A value below `radix`.
    ///
    /// # Panics
    ///
    /// If there is no such value, or if it depends on the choices how many values there are.
    #[inline]
    pub fn below(&mut self, radix: u64) -> u64 {
        assert!(
            radix > 0,
            "`type_correct` asks for one of no values: `below(0)`, or `one_of` an empty list"
        );
        self.up_to(radix - 1)
    }

    /// A value of at most `most`.
    #[inline]
    fn up_to(&mut self, most: u64) -> u64 {
        if self.position == self.digits.len() {
            self.divide(most);
        }
        let digit = &self.digits[self.position];
        assert!(
            digit.most == most,
            "`type_correct` asks for one of {} values where it asked for one of {} in another state{VARIES}",
            u128::from(most) + 1,
            u128::from(digit.most) + 1
        );
        self.position += 1;
        digit.value
    }

    fn divide(&mut self, most: u64) {
        let radix = most.checked_add(1);
        let all = self.combinations.zip(radix);
        self.combinations = all.and_then(|(all, radix)| all.checked_mul(radix));
        let (value, rest) = match radix {
            Some(radix) => (self.rest % radix, self.rest / radix),
            None => (self.rest, 0),
        };
        self.rest = rest;
        self.digits.push(Digit { value, most });
    }

    /// The greatest value of each choice made so far.
    pub(crate) fn greatest(&self) -> impl Iterator<Item = u64> {
        self.digits.iter().map(|digit| digit.most)
    }

    /// Begins anew, with these values of the choices that were made before.
    pub(crate) fn choose(&mut self, values: &[u64]) {
        self.position = 0;
        for (digit, value) in self.digits.iter_mut().zip(values) {
            digit.value = *value;
        }
    }

    /// Says that a state is made of `count` choices.
    ///
    /// # Panics
    ///
    /// If it is made of others: then it depends on the choices how many there are.
    pub(crate) fn finish(&self, count: usize) {
        assert!(
            self.position == count && self.digits.len() == count,
            "`type_correct` asks for other choices in some states than in others{VARIES}"
        );
    }

    /// Number of combinations of the choices made so far; none if they are 2⁶⁴ or more.
    pub(crate) fn combinations(&self) -> Option<u64> {
        self.combinations
    }

    /// Goes on to the choices of the next number, of `combinations` in all.
    ///
    /// PERF: where states are gone through in their order, nothing is divided.
    ///
    /// # Panics
    ///
    /// If it depends on the choices how many there are: some combination would be left out.
    pub(crate) fn advance(&mut self, combinations: u64) {
        assert!(
            self.position == self.digits.len() && self.combinations == Some(combinations),
            "`type_correct` asks for other choices in some states than in others{VARIES}"
        );
        self.position = 0;
        for digit in &mut self.digits {
            if digit.value < digit.most {
                digit.value += 1;
                return;
            }
            digit.value = 0;
        }
    }

    /// A value of `values`.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

/// Number of type-correct states that a system has.
///
/// # Panics
///
/// If there are 2⁶⁴ or more.
///
/// ```
/// # use refmap::Choices;
/// let mut choices = Choices::of(7);
/// assert_eq!((choices.below(3), choices.below(5)), (1, 2));
/// ```
pub fn type_correct_states<S: TypeCorrect>(system: &S) -> u64 {
    let mut choices = Choices::of(0);
    system.type_correct(&mut choices);
    let combinations = choices.combinations();
    combinations.expect("fewer than 2^64 type-correct states")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADICES: [u64; 5] = [3, 1, 4, 2, 5];

    fn values(choices: &mut Choices) -> [u64; 5] {
        RADICES.map(|radix| choices.below(radix))
    }

    /// Numbers follow each other from wherever one begins.
    #[test]
    fn advancing_takes_the_numbers_in_their_order() {
        for start in [0, 7, 119] {
            let mut choices = Choices::of(start);
            for number in start..120 {
                assert_eq!(values(&mut choices), values(&mut Choices::of(number)));
                choices.advance(120);
            }
        }
    }

    /// Numbers of more than 32 bits, in which a pass begins as it does in others.
    #[test]
    fn states_have_numbers_of_more_than_32_bits() {
        let radices = [1 << 20, 3, 1 << 30];
        let make = |choices: &mut Choices| radices.map(|radix| choices.below(radix));
        let total = radices.iter().product();
        for number in [(1 << 20) - 1, 1 << 32, (1 << 45) + 12_345, total - 2] {
            let mut choices = Choices::of(number);
            let expected = |number: u64| {
                let rest = number >> 20;
                [number % (1 << 20), rest % 3, rest / 3]
            };
            assert_eq!(make(&mut choices), expected(number), "{number}");
            assert_eq!(choices.combinations(), Some(total));
            choices.advance(total);
            assert_eq!(make(&mut choices), expected(number + 1), "{number}");
        }
    }

    /// Values may be chosen where there are more combinations than a number can name.
    #[test]
    fn values_are_chosen_of_more_combinations_than_there_are_numbers() {
        let mut choices = Choices::of(u64::MAX);
        let make = |choices: &mut Choices| {
            let whole = choices.number(u64::MAX);
            (whole, choices.below(3), choices.number(u64::MAX))
        };
        assert_eq!(make(&mut choices), (u64::MAX, 0, 0));
        choices.finish(3);
        assert_eq!(choices.combinations(), None);
        let greatest: Vec<_> = choices.greatest().collect();
        assert_eq!(greatest, [u64::MAX, 2, u64::MAX]);
        choices.choose(&[7, 2, 9]);
        assert_eq!(make(&mut choices), (7, 2, 9));
        choices.finish(3);
    }

    #[test]
    #[should_panic(expected = "other choices in some states")]
    fn a_state_that_is_chosen_is_made_of_all_choices() {
        let mut choices = Choices::of(0);
        choices.below(2);
        choices.below(3);
        choices.choose(&[1, 2]);
        choices.below(2);
        choices.finish(2);
    }

    /// Choices of more than 256 values, and of more than two bytes say: all of them come up, and none twice.
    #[test]
    fn a_choice_may_have_many_values() {
        let values: Vec<u32> = (0..700).map(|n| n * 7).collect();
        let radices = [300, 1, 257, values.len() as u64];
        let total: u64 = radices.iter().product();
        let mut choices = Choices::of(0);
        let make = |choices: &mut Choices| {
            let [a, b, c] = [300, 1, 257].map(|radix| choices.below(radix));
            (a, b, c, choices.one_of(&values))
        };
        let mut highest = (0, 0, 0, 0);
        for number in 0..total.min(700_000) {
            let made = make(&mut choices);
            let (a, c) = (number % 300, number / 300 % 257);
            let d = values[(number / 300 / 257) as usize];
            assert_eq!(made, (a, 0, c, d), "{number}");
            choices.advance(total);
            highest = highest.max(made);
        }
        assert_eq!(highest.0, 299);
        let last = make(&mut Choices::of(total - 1));
        assert_eq!(last, (299, 0, 256, 699 * 7));
    }

    #[test]
    #[should_panic(expected = "one of 3 values where it asked for one of 2")]
    fn how_many_values_there_are_does_not_depend_on_choices() {
        let mut choices = Choices::of(0);
        choices.below(2);
        choices.advance(2);
        choices.below(3);
    }

    #[test]
    #[should_panic(expected = "other choices in some states")]
    fn no_choice_is_left_out() {
        let mut choices = Choices::of(0);
        choices.below(2);
        choices.below(3);
        choices.advance(6);
        choices.below(2);
        choices.advance(6);
    }

    #[test]
    #[should_panic(expected = "other choices in some states")]
    fn no_choice_is_added() {
        let mut choices = Choices::of(0);
        choices.below(2);
        choices.advance(2);
        choices.below(2);
        choices.below(3);
        choices.advance(2);
    }
}
