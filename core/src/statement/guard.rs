//! Named guards: the conjuncts of a rule's guard that a report can name.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A conjunct of a guard, by name: a step if it `holds`, a truth value, or what is [asked of others](crate::crowd::Others).
///
/// A report that says why the specification cannot take a step names the conjuncts that are false. With `.and` in the place of
/// two `?` all of them are named, and not the first one alone.
///
/// ```
/// use refmap::guard;
///
/// fn commit(works: bool, all_agree: bool, committed: &mut bool) -> Option<()> {
///     guard("the manager works", works).and(guard("all agree", all_agree))?;
///     *committed = true;
///     Some(())
/// }
/// ```
#[inline(always)]
#[must_use = "a guard that is not asked holds back nothing: `?` comes after it"]
pub fn guard(name: &'static str, holds: impl Conjunct) -> Option<()> {
    let holds = holds.holds();
    // PERF: in a search nothing watches, and to see that takes a load that is in the cache.
    if !holds && WATCHING.load(Ordering::Relaxed) > 0 {
        note(name);
    }
    holds.then_some(())
}

/// A conjunct that is evaluated.
pub trait Conjunct {
    /// True if it holds.
    fn holds(self) -> bool;
}

impl Conjunct for bool {
    #[inline(always)]
    fn holds(self) -> bool {
        self
    }
}

impl Conjunct for Option<()> {
    #[inline(always)]
    fn holds(self) -> bool {
        self.is_some()
    }
}

/// Number of threads on which guards are watched.
static WATCHING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The conjuncts seen to be false on this thread, if it is watched.
    static FALSE: RefCell<Option<Vec<&'static str>>> = const { RefCell::new(None) };
}

#[cold]
fn note(name: &'static str) {
    FALSE.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            seen.push(name);
        }
    });
}

/// The conjuncts that are false when a rule is fired.
pub(crate) fn false_conjuncts(fire: impl FnOnce()) -> Vec<&'static str> {
    /// Watches until it is dropped, by a panic too.
    struct ConjunctWatch;
    impl Drop for ConjunctWatch {
        fn drop(&mut self) {
            WATCHING.fetch_sub(1, Ordering::Relaxed);
            FALSE.take();
        }
    }
    WATCHING.fetch_add(1, Ordering::Relaxed);
    let _watch = ConjunctWatch;
    FALSE.set(Some(Vec::new()));
    fire();
    FALSE.take().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_false_conjuncts_of_a_rule_are_named() {
        let rule = |first: bool, second: bool, third: bool| {
            guard("first", first)?;
            guard("second", second).and(guard("third", third))
        };
        let named = |[first, second, third]: [bool; 3]| {
            false_conjuncts(|| assert!(rule(first, second, third).is_none()))
        };
        assert_eq!(named([true, false, false]), ["second", "third"]);
        assert_eq!(named([false, false, false]), ["first"]);
        assert_eq!(named([true, true, false]), ["third"]);
        assert_eq!(
            false_conjuncts(|| assert!(rule(true, true, true).is_some())),
            [""; 0]
        );
        // Nothing is watched any more.
        assert!(guard("first", false).is_none());
        assert!(FALSE.take().is_none());
    }
}
