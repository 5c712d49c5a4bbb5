//! A cell without synchronisation. Loom reports accesses to it that race.

#[cfg(feature = "loom")]
use crate::scheduled::{Scheduler, current, record};

/// `std::cell::UnsafeCell`, whose content is accessed in a closure: so Loom knows how long.
///
/// `std`'s `get` is left out, since its pointer outlives what Loom can observe.
#[derive(Debug)]
pub struct UnsafeCell<T>(Of<T>);

#[derive(Debug)]
enum Of<T> {
    Standard(std::cell::UnsafeCell<T>),
    #[cfg(feature = "loom")]
    Loom(loom::cell::UnsafeCell<T>),
}

impl<T> UnsafeCell<T> {
    /// A cell with `value`.
    #[cfg(not(feature = "loom"))]
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(Of::Standard(std::cell::UnsafeCell::new(value)))
    }

    /// A cell with `value`.
    #[cfg(feature = "loom")]
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self(match current() {
            Scheduler::Loom => Of::Loom(loom::cell::UnsafeCell::new(value)),
            _ => Of::Standard(std::cell::UnsafeCell::new(value)),
        })
    }

    /// Passes a pointer to the content, for reading as long as `read` runs.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        match &self.0 {
            Of::Standard(cell) => read(cell.get()),
            #[cfg(feature = "loom")]
            Of::Loom(cell) => {
                record::idle(|| "read cell".into());
                cell.with(read)
            }
        }
    }

    /// Passes a pointer to the content, for writing as long as `write` runs.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        match &self.0 {
            Of::Standard(cell) => write(cell.get()),
            #[cfg(feature = "loom")]
            Of::Loom(cell) => {
                record::step(|| "write cell".into());
                cell.with_mut(write)
            }
        }
    }

    /// The content.
    pub fn into_inner(self) -> T {
        match self.0 {
            Of::Standard(cell) => cell.into_inner(),
            #[cfg(feature = "loom")]
            Of::Loom(cell) => cell.into_inner(),
        }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}
