//! Calls of a user's model: panics are caught, so that they become findings, and enumerations are left early.
//!
//! A model shows its states and steps to a callback, and a callback cannot end the loop that calls it.
//! So [`break_off`] unwinds the stack as a panic does, without being one: no hook is called, nothing is
//! printed, and only `interruptible` and [`until_enough`] stop it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::{self, Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use crate::state::hiding::Hiding;
use serde::{Deserialize, Serialize};

/// Panic of a function of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Panic {
    /// The message.
    pub message: String,
    /// File, line and column.
    pub location: Option<String>,
    /// The action whose rule was being fired, where that is known.
    pub action: Option<String>,
    /// The function of the model, as a report names it, where the call of it was given its name.
    pub function: Option<String>,
}

impl Panic {
    /// The sentence of a report: which function panicked, and how. `otherwise` names those that were being run, where it is
    /// not known which it was, or only less fully.
    pub(crate) fn told(&self, otherwise: &str) -> String {
        let function = self.function.as_deref();
        let function = function.filter(|function| !otherwise.starts_with(function));
        let function = function.unwrap_or(otherwise);
        match &self.action {
            Some(action) => format!("{function} panicked, evaluating {action}: {self}"),
            None => format!("{function} panicked: {self}"),
        }
    }
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

/// Way in which a function of the model ended that did not return.
#[derive(Debug)]
pub(crate) enum CallEnd {
    /// It panicked.
    Panicked(Panic),
    /// Its callback broke it off. What it has shown until then is all that is known.
    BrokenOff,
}

impl CallEnd {
    /// Panic of the function; if a callback broke it off, some caller of the caller is to be told.
    #[cold]
    fn into_panic(self) -> Panic {
        match self {
            Self::Panicked(panic) => panic,
            Self::BrokenOff => break_off(),
        }
    }
}

/// Code that is being run on this thread.
#[derive(Clone, Copy, PartialEq)]
enum Running {
    /// Nothing whose panics are caught.
    Freely,
    /// A function of the model.
    Model,
    /// The same, and its callback has broken it off.
    BrokenOff,
}

/// Payload with which the stack is unwound when a callback breaks off.
struct BreakOff;

thread_local! {
    static RUNNING: Cell<Running> = const { Cell::new(Running::Freely) };
    static CAUGHT: RefCell<Option<(String, Option<String>)>> = const { RefCell::new(None) };
    /// The innermost named function that the last panic of this thread has left.
    static FUNCTION: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The first panic that was done without and not told yet.
    static TOLERATED: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs `call`, and if it panics the report names `function`.
///
/// PERF: nothing is done where nothing panics.
#[inline(always)]
pub(crate) fn named<T>(function: &str, call: impl FnOnce() -> T) -> T {
    let name = Name::of(function);
    let result = call();
    name.returned();
    result
}

/// The same of an invariant, by its own name.
#[inline(always)]
pub(crate) fn named_invariant<T>(invariant: &str, holds: impl FnOnce() -> T) -> T {
    struct InvariantCall<'a>(&'a str);
    impl Drop for InvariantCall<'_> {
        #[cold]
        fn drop(&mut self) {
            unwound(format!("invariant `{}`", self.0));
        }
    }
    let name = InvariantCall(invariant);
    let result = holds();
    std::mem::forget(name);
    result
}

/// Name of a function that is being called, dropped only when that unwinds.
///
/// PERF: by itself for a call that is large and has to be inlined, as a closure cannot be told to be. Others are [`named`].
pub(crate) struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    #[inline(always)]
    pub const fn of(function: &'a str) -> Self {
        Self(function)
    }

    /// Drops the name, since the function has returned.
    #[inline(always)]
    pub fn returned(self) {
        std::mem::forget(self);
    }
}

impl Drop for Name<'_> {
    #[cold]
    fn drop(&mut self) {
        unwound(self.0.to_owned());
    }
}

/// Notes that a function unwinds, unless one that it called does: the innermost is named, as fully as those around it do.
fn unwound(name: String) {
    FUNCTION.with_borrow_mut(|function| {
        if function
            .as_ref()
            .is_none_or(|inner| name.starts_with(inner))
        {
            *function = Some(name);
        }
    });
}

/// Name for the functions of a model that are not named on their own, in what is told of a panic.
pub(crate) const UNNAMED: &str = "a function of the model (`hash`, `eq`, `clone`, `drop`, `Debug` or `serialize` of a state, an action or \
                                  an observation, `implementation` or `specification`)";

/// Runs `model`, which the caller can do without; of what it panics with [`take_tolerated`] tells.
pub(crate) fn tolerated<T>(model: impl FnOnce() -> T) -> Option<T> {
    catch(model).inspect_err(note_tolerated).ok()
}

/// Notes a panic that is done without.
pub(crate) fn note_tolerated(panic: &Panic) {
    TOLERATED.with_borrow_mut(|first| {
        first.get_or_insert_with(|| panic.clone());
    });
}

/// The first panic on this thread since the last time that this was asked that was done without.
pub(crate) fn take_tolerated() -> Option<Panic> {
    TOLERATED.take()
}

/// Runs `model`; a panic is neither printed nor passed on. PERF: it is run once a state, and together with its
/// caller it takes some percent less; a large program would have it called.
#[inline(always)]
pub fn catch<T>(model: impl FnOnce() -> T) -> Result<T, Panic> {
    interruptible(model).map_err(CallEnd::into_panic)
}

/// The same for what is called seldom: little of it is compiled anew for each closure.
pub(crate) fn catch_seldom<T>(model: impl FnOnce() -> T) -> Result<T, Panic> {
    let (mut model, mut result) = (Some(model), None);
    catch_any(&mut || result = model.take().map(|model| model()))?;
    Ok(result.expect("it has returned"))
}

fn catch_any(model: &mut dyn FnMut()) -> Result<(), Panic> {
    catch(model)
}

/// Runs `model` as [`catch`] does; a callback of the model may [`break_off`].
#[inline(always)]
pub(crate) fn interruptible<T>(model: impl FnOnce() -> T) -> Result<T, CallEnd> {
    let outer = enter();
    let result = catch_unwind(AssertUnwindSafe(model));
    let is_broken_off = leave(outer);
    match result {
        // A model that catches panics itself may have returned all the same, with steps left out.
        Ok(_) if is_broken_off => Err(CallEnd::BrokenOff),
        Ok(value) => Ok(value),
        Err(payload) => Err(ended(payload)),
    }
}

/// Begins to run a function of the model, and says what was run before.
#[inline]
fn enter() -> Running {
    install_hook();
    RUNNING.replace(Running::Model)
}

/// Goes on with what was run before, and says whether the function was broken off.
#[inline]
fn leave(outer: Running) -> bool {
    RUNNING.replace(outer) == Running::BrokenOff
}

/// Panics as another thread did, of which this one waited for the results: the next guard finds the same panic.
#[cold]
pub(crate) fn panic_again(panic: Panic) -> ! {
    if RUNNING.get() == Running::Freely {
        // Nothing would tell of it.
        panic!("{panic}");
    }
    resume_unwind(Box::new(panic))
}

/// Leaves the function of the model that called back, and all others up to the next `interruptible` or [`until_enough`].
#[cold]
pub fn break_off() -> ! {
    RUNNING.set(Running::BrokenOff);
    resume_unwind(Box::new(BreakOff))
}

/// Runs `model` until it returns or its callback has seen enough. A panic is passed on.
pub fn until_enough(model: impl FnOnce()) {
    let mut model = Some(model);
    run_until_enough(&mut || {
        if let Some(model) = model.take() {
            model();
        }
    });
}

fn run_until_enough(model: &mut dyn FnMut()) {
    let outer = RUNNING.get();
    let result = catch_unwind(AssertUnwindSafe(model));
    RUNNING.set(outer);
    if let Err(payload) = result {
        if !payload.is::<BreakOff>() {
            resume_unwind(payload);
        }
        // A rule that was left is no culprit, and no function has panicked.
        take_culprit();
        FUNCTION.take();
    }
}

#[cold]
fn ended(payload: Box<dyn Any + Send>) -> CallEnd {
    let action = take_culprit();
    let function = FUNCTION.take();
    if payload.is::<BreakOff>() {
        return CallEnd::BrokenOff;
    }
    let payload = match payload.downcast::<Panic>() {
        Ok(of_other_thread) => return CallEnd::Panicked(*of_other_thread),
        Err(payload) => payload,
    };
    let (message, location) = CAUGHT.take().unwrap_or_else(|| (describe(&*payload), None));
    CallEnd::Panicked(Panic {
        message,
        location,
        action,
        function,
    })
}

/// The first things that `enumerate` visits, at most so many, and whether these are all.
pub fn first_visited<T>(most: usize, enumerate: impl FnOnce(&mut dyn FnMut(T))) -> (Vec<T>, bool) {
    let mut visited = Vec::new();
    let mut all = true;
    until_enough(|| {
        enumerate(&mut |one| {
            if visited.len() == most {
                all = false;
                break_off();
            }
            visited.push(one);
        });
    });
    (visited, all)
}

/// The hook that keeps what a caught panic says and leaves all others to the hook before it.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // What an earlier panic left that the model itself has caught is not this one's.
            FUNCTION.take();
            take_culprit();
            if RUNNING.get() != Running::Freely {
                let location = info.location().map(ToString::to_string);
                CAUGHT.set(Some((describe(info.payload()), location)));
            } else {
                previous(info);
            }
        }));
    });
}

fn describe(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not text".to_owned())
}

/// Dropped only when the rule it names unwinds, and then leaves the rule's name to be reported.
pub(crate) struct Culprit<'a, A: Debug>(pub &'a A);

impl<A: Debug> Drop for Culprit<'_, A> {
    fn drop(&mut self) {
        let _shown = Hiding::suspend();
        let action = format!("{:?}", self.0);
        CULPRIT.set(Some(action));
    }
}

thread_local! {
    static CULPRIT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The action whose rule panicked last on this thread.
fn take_culprit() -> Option<String> {
    CULPRIT.take()
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

    /// Shows numbers to `visit` for ever.
    fn for_ever(visit: &mut dyn FnMut(u64)) {
        for number in 0.. {
            visit(number);
        }
    }

    #[test]
    fn a_callback_can_leave_a_loop_that_has_no_end() {
        let mut seen = 0;
        let ended = interruptible(|| {
            for_ever(&mut |number| {
                seen = number;
                if number == 1000 {
                    break_off();
                }
            });
        });
        assert!(matches!(ended, Err(CallEnd::BrokenOff)));
        assert_eq!(seen, 1000);
        // The next one begins anew.
        assert_eq!(catch(|| 1), Ok(1));
    }

    /// A guard in between passes it on, and a panic before or after is still a panic.
    #[test]
    fn breaking_off_is_no_panic_and_a_panic_is_no_breaking_off() {
        let ended = interruptible(|| {
            assert!(catch(|| panic!("first")).is_err());
            let _ = catch(|| for_ever(&mut |_| break_off()));
            unreachable!("the guard does not return");
        });
        let Err(CallEnd::BrokenOff) = ended else {
            panic!("{ended:?}");
        };
        let Err(CallEnd::Panicked(panic)) = interruptible(|| panic!("second")) else {
            panic!("it has panicked");
        };
        assert_eq!(panic.message, "second");
        assert!(panic.location.is_some());
    }

    #[test]
    fn what_has_seen_enough_passes_panics_on() {
        let mut seen = Vec::new();
        until_enough(|| {
            for_ever(&mut |number| {
                seen.push(number);
                if seen.len() == 3 {
                    break_off();
                }
            });
        });
        assert_eq!(seen, [0, 1, 2]);
        let panic = catch(|| until_enough(|| panic!("third"))).unwrap_err();
        assert_eq!(panic.message, "third");
    }

    /// A model that catches panics may return, and what it returns is not taken for all that there is.
    #[test]
    fn a_model_that_catches_panics_is_broken_off_all_the_same() {
        let ended = interruptible(|| {
            let _ = catch_unwind(|| for_ever(&mut |_| break_off()));
        });
        assert!(matches!(ended, Err(CallEnd::BrokenOff)));
    }
}
