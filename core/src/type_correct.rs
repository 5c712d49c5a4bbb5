//! Type-correct states: all values of the state's type that respect the ranges of its variables,
//! reachable or not.
//!
//! Source: Havelund & Shankar, Appendix A, where the state is a record type, and Appendix B.2, where
//! invariants are proved from every state of that type.

use crate::system::{StateOf, TransitionSystem};

/// A system whose type-correct states can be enumerated.
pub trait TypeCorrect: TransitionSystem {
    /// The state that `choices` make, one choice a variable. How many values a choice has must not
    /// depend on the choices before it.
    fn type_correct(&self, choices: &mut Choices) -> StateOf<Self>;
}

/// A sequence of choices, each from finitely many values: the digits of a number in mixed radix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    rest: u64,
    /// The product of the radices so far.
    combinations: u64,
}

impl Choices {
    /// The choices that belong to a number: 0 takes the first value each time.
    pub fn of(number: u64) -> Self {
        Self {
            rest: number,
            combinations: 1,
        }
    }

    /// A value below `radix`.
    ///
    /// # Panics
    ///
    /// If there is no such value, or more than 2⁶⁴ combinations.
    pub fn below(&mut self, radix: u64) -> u64 {
        let combinations = self.combinations.checked_mul(radix);
        self.combinations = combinations.expect("fewer than 2^64 combinations");
        let value = self.rest % radix;
        self.rest /= radix;
        value
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

/// How many type-correct states a system has.
///
/// ```
/// # use refmap::Choices;
/// let mut choices = Choices::of(7);
/// assert_eq!((choices.below(3), choices.below(5)), (1, 2));
/// ```
pub fn type_correct_states<S: TypeCorrect>(system: &S) -> u64 {
    let mut choices = Choices::of(0);
    system.type_correct(&mut choices);
    choices.combinations
}
