//! Runs of the methods that are derived from others.
//!
//! A trait does not tell which of them a system overrides, so each derived method says that it runs, while that is watched.

use std::any::type_name;
use std::cell::Cell;

use crate::statement::asked::model_call::named;

/// Derived method of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
    IsInitial,
    Candidates,
    Next,
    Allows,
}

thread_local! {
    /// The derived method that is watched, of the type of this name, or of any type. A system that hands a call on to another type
    /// overrides it.
    static WATCHED: Cell<Option<(Derived, Option<&'static str>)>> = const { Cell::new(None) };
}

/// Says that a derived method runs, and answers whether that is watched: then nothing else is asked of it.
///
/// PERF: in a search nothing is watched, and to see that takes a load that is in the cache.
#[inline]
pub(crate) fn runs<S: ?Sized>(method: Derived) -> bool {
    if let Some((watched, of)) = WATCHED.get()
        && watched == method
        && of.is_none_or(|of| of == type_name::<S>())
    {
        WATCHED.set(None);
        return true;
    }
    false
}

/// True if `call`, of a method of the type of this name, or of any type, runs none that is derived; `name` is the method's where it panics.
pub(crate) fn is_overridden(
    of: Option<&'static str>,
    method: Derived,
    name: &str,
    call: impl FnOnce(),
) -> bool {
    /// Watches until it is dropped, by a panic too.
    struct DerivedWatch;
    impl Drop for DerivedWatch {
        fn drop(&mut self) {
            WATCHED.set(None);
        }
    }
    let _watch = DerivedWatch;
    WATCHED.set(Some((method, of)));
    named(name, call);
    WATCHED.get().is_some()
}

/// True while a method is watched.
#[cfg(test)]
pub(crate) fn is_watched() -> bool {
    WATCHED.get().is_some()
}
