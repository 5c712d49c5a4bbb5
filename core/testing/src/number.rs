//! Numbers as states, kept in one way or the other.

use refmap::State;
use serde::Serialize;

/// A number that a state is: written into a word, or kept whole.
pub trait Number: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug + Serialize {
    fn of(number: u32) -> Self;
    fn number(self) -> u32;
}

/// A number that is written into a word.
impl Number for u32 {
    fn of(number: u32) -> Self {
        number
    }

    fn number(self) -> u32 {
        self
    }
}

/// A number that is kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole(pub u32);

impl<S: ?Sized> State<S> for Whole {}

impl Number for Whole {
    fn of(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}
