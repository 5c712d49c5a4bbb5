//! Calls of the specification and its adapter: a panic is told with the function in which it happened.

use std::cell::Cell;
use std::fmt::Debug;
use std::hash::Hash;

use refmap::internal::{calling, catch, on_state};
use serde::Serialize;

thread_local! {
    /// The function that is being called on this thread.
    static CALLED: Cell<&'static str> = const { Cell::new(OF_VALUES) };
}

/// Functions that are called wherever there is a value.
const OF_VALUES: &str = "a function of a state, an action or an event (`Clone`, `Eq`, `Hash`)";

/// Panic of a function of the specification or of its adapter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function} panicked with {panic}")]
pub struct Panicked {
    /// The function.
    pub function: &'static str,
    /// Its message, and its place in the source.
    pub panic: String,
}

/// Calls a function of the specification or the adapter.
#[inline]
pub(super) fn call<T>(function: &'static str, model: impl FnOnce() -> T) -> T {
    let outer = CALLED.replace(function);
    let result = calling(function, model);
    // After a panic the function's name stays, for `guarded`.
    CALLED.set(outer);
    result
}

/// The same of one that waits for input, which a limit ends.
#[inline]
pub(super) fn reading<T>(function: &'static str, read: impl FnOnce() -> T) -> T {
    let outer = CALLED.replace(function);
    let result = read();
    CALLED.set(outer);
    result
}

/// The same of a function that is asked about a state.
#[inline]
pub(super) fn call_on<S, T>(function: &'static str, state: &S, model: impl FnOnce() -> T) -> T
where
    S: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static,
{
    let outer = CALLED.replace(function);
    let result = on_state(function, state, model);
    CALLED.set(outer);
    result
}

/// Runs what calls such functions.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    let outer = CALLED.replace(OF_VALUES);
    let result = catch(run).map_err(|panic| Panicked {
        function: CALLED.get(),
        panic: panic.to_string(),
    });
    CALLED.set(outer);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_the_innermost_function() {
        let panicked = |run: &dyn Fn()| guarded(run).expect_err("it panics").function;
        assert_eq!(panicked(&|| panic!("here")), OF_VALUES);
        assert_eq!(panicked(&|| call("`a`", || panic!("here"))), "`a`");
        let nested = || {
            call("`a`", || {
                call("`b`", || ());
                call("`c`", || panic!("here"))
            })
        };
        assert_eq!(panicked(&nested), "`c`");
        let after = || {
            call("`a`", || {
                call("`b`", || ());
                panic!("here")
            })
        };
        assert_eq!(panicked(&after), "`a`");
        let error = guarded(|| call("`a`", || panic!("here"))).expect_err("it panics");
        assert!(
            error
                .to_string()
                .starts_with("`a` panicked with “here” at ")
        );
        assert_eq!(guarded(|| call("`a`", || 1)), Ok(1));
    }
}
