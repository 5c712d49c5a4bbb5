//! Counter that threads share. Its test holds it against a specification, of every order in which threads may call it.

// ANCHOR: object
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counter: a number to which threads add.
pub struct Counter {
    number: Mutex<i64>,
    locking: Locking,
}

/// Number of times that an addition takes the lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Locking {
    Once,
    /// To read the number, and again to write the sum: what another thread adds meanwhile is lost.
    Twice,
}

impl Counter {
    pub fn new(locking: Locking) -> Self {
        let number = Mutex::new(0);
        Self { number, locking }
    }

    fn number(&self) -> MutexGuard<'_, i64> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn read(&self) -> i64 {
        *self.number()
    }

    /// Adds to the number, and returns the one before.
    pub fn add(&self, more: i64) -> i64 {
        let mut number = self.number();
        let before = *number;
        if self.locking == Locking::Twice {
            drop(number);
            number = self.number();
        }
        *number = before + more;
        before
    }
}
// ANCHOR_END: object

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use refmap_histories::object::{Effort, Shared, test};
    use refmap_histories::specifications::{self, Answer, Operations, counter::Call};
    use refmap_histories::{Object, check};

    /// The counter with its specification, the calls that threads make, and how each is carried out.
    fn object(locking: Locking) -> impl Object {
        let specification = Operations(specifications::Counter::default());
        let calls = [Call::Read, Call::FetchAdd(1), Call::FetchAdd(2)];
        let make = move || Counter::new(locking);
        Shared::new(specification, make, calls, |counter, call| match call {
            Call::Read => Answer::Value(counter.read()),
            Call::FetchAdd(more) => Answer::Value(counter.add(*more)),
            Call::Add(more) => {
                counter.add(*more);
                Answer::Nothing
            }
        })
    }

    #[test]
    fn it_is_a_counter() {
        check(object(Locking::Once));
    }

    /// The test can see the fault that it is there for.
    #[test]
    fn an_addition_that_takes_the_lock_twice_is_found() {
        let wrong = test(object(Locking::Twice), &Effort::default());
        assert!(wrong.finding().is_some(), "{wrong}");
    }
}
// ANCHOR_END: tests
