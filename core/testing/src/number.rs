//! Numbers as states, kept in one way or another.

use refmap::State;
use serde::{Serialize, Serializer};

/// A number that a state is: written into a word, written from memory of its own, or kept whole. All are shown alike.
pub trait Number:
    Clone + Eq + std::hash::Hash + std::fmt::Debug + Serialize + Send + Sync + 'static
{
    fn of(number: u32) -> Self;
    fn number(&self) -> u32;
}

impl Number for u32 {
    fn of(number: u32) -> Self {
        number
    }

    fn number(&self) -> u32 {
        *self
    }
}

/// A number that owns memory, and is written into words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, State)]
pub struct Owned(Vec<u32>);

impl Number for Owned {
    fn of(number: u32) -> Self {
        Self(vec![number])
    }

    fn number(&self) -> u32 {
        self.0[0]
    }
}

impl Serialize for Owned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

/// A number that is kept whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole(Box<u32>);

impl<S: ?Sized> State<S> for Whole {}

impl Number for Whole {
    fn of(number: u32) -> Self {
        Self(Box::new(number))
    }

    fn number(&self) -> u32 {
        *self.0
    }
}
