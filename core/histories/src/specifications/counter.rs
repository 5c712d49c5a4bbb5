//! Counter: a number to which threads add.

use refmap::State;
use serde::Serialize;

use super::{Answer, Sequential};
use crate::calls;

/// Counter: a number to which threads add. It wraps around, as an atomic integer does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The number at first.
    pub initial: i64,
    /// The numbers that its [calls](Sequential::calls) add, each once. A history may have others.
    pub values: Vec<i64>,
}

calls! {
    /// Call of a counter.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Herlihy, *Wait-free synchronization*, TOPLAS 13(1), 1991: fetch&add"
    )]
    pub enum Call -> i64 {
        /// Answers the number.
        Read -> Value,
        /// Adds a number; answers nothing.
        Add(i64) -> Nothing,
        /// Adds a number; answers the one before.
        FetchAdd(i64) -> Value,
    }
}

/// Count of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Count {
    /// The number.
    pub number: i64,
}

impl Sequential for Counter {
    type State = Count;
    type Call = Call;
    type Answer = Answer<i64>;

    fn initial(&self) -> Count {
        let number = self.initial;
        Count { number }
    }

    fn execute(&self, call: &Call, state: &mut Count) -> Option<Answer<i64>> {
        let before = state.number;
        if let Call::Add(number) | Call::FetchAdd(number) = call {
            state.number = before.wrapping_add(*number);
        }
        Some(match call {
            Call::Add(_) => Answer::Nothing,
            Call::Read | Call::FetchAdd(_) => Answer::Value(before),
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call)) {
        visit(Call::Read);
        for number in &self.values {
            visit(Call::Add(*number));
            visit(Call::FetchAdd(*number));
        }
    }

    fn only_looks(&self, call: &Call) -> bool {
        *call == Call::Read
    }

    fn commute(&self, one: &Call, other: &Call) -> bool {
        matches!((one, other), (Call::Add(_), Call::Add(_)))
    }
}
