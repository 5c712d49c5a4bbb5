//! Values that functions of a model are not to see: those of counters, where states that differ by them are one.

use std::cell::Cell;

thread_local! {
    /// True while functions of a model run that are not to see them.
    static ARE_HIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Span within which values are hidden on this thread, or shown again to what is no function of a model; then it is as before.
pub(crate) struct Hiding {
    were_hidden: bool,
}

impl Hiding {
    /// Hides them.
    pub fn begin() -> Self {
        Self::set(true)
    }

    /// Shows them.
    pub fn suspend() -> Self {
        Self::set(false)
    }

    /// The same where it is done often.
    #[inline(always)]
    pub fn suspend_if_hidden() -> Option<Self> {
        Self::is_begun().then(Self::suspend)
    }

    /// True if they are hidden.
    #[inline(always)]
    pub fn is_begun() -> bool {
        ARE_HIDDEN.get()
    }

    fn set(are_hidden: bool) -> Self {
        Self {
            were_hidden: ARE_HIDDEN.replace(are_hidden),
        }
    }
}

impl Drop for Hiding {
    fn drop(&mut self) {
        ARE_HIDDEN.set(self.were_hidden);
    }
}
