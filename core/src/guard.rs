//! Named guards: the conjuncts of a rule's guard that a report can name.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A conjunct of a guard, by name: it answers `holds`.
///
/// A report that says why the specification cannot take a step names the conjuncts that are false, if the rule is
/// evaluated by [`offer`](crate::offer) or [`offer_changed`](crate::offer_changed). With `&` in the place of `&&` all of them
/// are named, and not the first one alone.
///
/// ```
/// use refmap::{guard, offer};
///
/// let (working, all_agree) = (true, false);
/// offer(&mut |_, _: u8| unreachable!("one of the conjuncts is false"), "commit", || {
///     (guard("the manager works", working) & guard("all agree", all_agree)).then_some(1)
/// });
/// ```
#[inline(always)]
pub fn guard(name: &'static str, holds: bool) -> bool {
    // PERF: in a search nothing watches, and to see that takes a load that is in the cache.
    if !holds && is_watched() {
        note(name);
    }
    holds
}

/// Number of threads on which guards are watched.
static WATCHING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Record of what was seen on this thread, if it is watched.
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Seen {
    /// The conjuncts of the rule that is being evaluated that are false.
    pending: Vec<&'static str>,
    /// Actions that are not enabled, as `Debug` shows them, each with its false conjuncts.
    disabled: Vec<(String, Vec<&'static str>)>,
}

#[inline(always)]
fn is_watched() -> bool {
    WATCHING.load(Ordering::Relaxed) > 0
}

#[cold]
fn note(name: &'static str) {
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            seen.pending.push(name);
        }
    });
}

/// Says that the rule that `action` names has been evaluated.
#[inline(always)]
pub(crate) fn evaluated(action: &impl Debug, is_enabled: bool) {
    if is_watched() {
        attribute(action, is_enabled);
    }
}

#[cold]
fn attribute(action: &dyn Debug, is_enabled: bool) {
    SEEN.with_borrow_mut(|seen| {
        let Some(seen) = seen else { return };
        let names = std::mem::take(&mut seen.pending);
        if !is_enabled && !names.is_empty() {
            seen.disabled.push((format!("{action:?}"), names));
        }
    });
}

/// The conjuncts that are false of the guard of `action` when `next` is run.
pub(crate) fn false_conjuncts(action: &impl Debug, next: impl FnOnce()) -> Vec<&'static str> {
    /// Watches until it is dropped, by a panic too.
    struct Watch;
    impl Drop for Watch {
        fn drop(&mut self) {
            WATCHING.fetch_sub(1, Ordering::Relaxed);
            SEEN.take();
        }
    }
    WATCHING.fetch_add(1, Ordering::Relaxed);
    let _watch = Watch;
    SEEN.set(Some(Seen::default()));
    next();
    let seen = SEEN.take().unwrap_or_default();
    let wanted = format!("{action:?}");
    let of_action = seen
        .disabled
        .into_iter()
        .find(|(action, _)| *action == wanted);
    of_action.map(|(_, names)| names).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{offer, offer_changed};

    #[test]
    fn the_false_conjuncts_of_an_action_are_named() {
        let next = || {
            let mut visit = |_, _: u8| ();
            offer(&mut visit, "a", || {
                (guard("first", true) & guard("second", false) & guard("third", false)).then_some(1)
            });
            offer(&mut visit, "b", || guard("fourth", true).then_some(1));
            offer_changed(&mut visit, "c", &0, |_| {
                guard("fifth", false) && guard("sixth", false)
            });
        };
        assert_eq!(false_conjuncts(&"a", next), ["second", "third"]);
        assert_eq!(false_conjuncts(&"b", next), [""; 0]);
        assert_eq!(false_conjuncts(&"c", next), ["fifth"]);
        assert_eq!(false_conjuncts(&"d", next), [""; 0]);
        // Nothing is watched any more.
        assert!(!guard("first", false));
        assert!(SEEN.take().is_none());
    }
}
