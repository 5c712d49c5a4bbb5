//! Catching the panics of a user's model, so that they become findings.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use crate::system::take_culprit;

/// What a function of a model panicked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// The message.
    pub message: String,
    /// File, line and column.
    pub location: Option<String>,
    /// The action whose rule was being evaluated, where [`offer`](crate::offer) knows it.
    pub action: Option<String>,
}

impl Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "“{}”", self.message)?;
        if let Some(location) = &self.location {
            write!(f, " at {location}")?;
        }
        Ok(())
    }
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<(String, Option<String>)>> = const { RefCell::new(None) };
}

/// Runs `model`; a panic is neither printed nor passed on. PERF: it is run once a state, and together with its
/// caller it takes some percent less; a large program would have it called.
#[inline(always)]
pub(crate) fn catch<T>(model: impl FnOnce() -> T) -> Result<T, Panic> {
    install_hook();
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(model));
    CATCHING.set(outer);
    result.map_err(|payload| {
        let (message, location) = CAUGHT.take().unwrap_or_else(|| (describe(&*payload), None));
        Panic {
            message,
            location,
            action: take_culprit(),
        }
    })
}

/// What ends an enumeration that has visited enough.
struct Enough;

/// The first things that `enumerate` visits, at most so many, and whether these are all. A function of a model that
/// visits cannot be told to stop, so it is unwound, without a word.
pub(crate) fn first_visited<T>(
    most: usize,
    enumerate: impl FnOnce(&mut dyn FnMut(T)),
) -> (Vec<T>, bool) {
    let mut visited = Vec::new();
    let all = catch_unwind(AssertUnwindSafe(|| {
        enumerate(&mut |one| {
            if visited.len() == most {
                resume_unwind(Box::new(Enough));
            }
            visited.push(one);
        });
    }));
    match all {
        Ok(()) => (visited, true),
        Err(payload) if payload.is::<Enough>() => (visited, false),
        Err(payload) => resume_unwind(payload),
    }
}

/// The hook that keeps what a caught panic says and leaves all others to the hook before it.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                let location = info.location().map(ToString::to_string);
                CAUGHT.set(Some((describe(info.payload()), location)));
            } else {
                previous(info);
            }
        }));
    });
}

fn describe(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enumeration_is_ended_when_it_has_visited_enough() {
        let enumerate = |visit: &mut dyn FnMut(u32)| (0..5).for_each(visit);
        assert_eq!(first_visited(6, enumerate), (vec![0, 1, 2, 3, 4], true));
        assert_eq!(first_visited(5, enumerate), (vec![0, 1, 2, 3, 4], true));
        assert_eq!(first_visited(2, enumerate), (vec![0, 1], false));
        assert_eq!(first_visited(0, enumerate), (vec![], false));
        // A panic of the model is passed on.
        let panic = catch(|| first_visited(2, |_: &mut dyn FnMut(u32)| panic!("here")));
        assert_eq!(panic.expect_err("it panicked").message, "here");
    }
}
