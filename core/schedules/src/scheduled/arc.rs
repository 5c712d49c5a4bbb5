//! A reference count. Loom's tells how its changes order threads; under Shuttle the standard library's is used.

#[cfg(not(feature = "loom"))]
pub use std::sync::Arc;

#[cfg(feature = "loom")]
pub use counted::Arc;

#[cfg(feature = "loom")]
mod counted {
    use std::borrow::Borrow;
    use std::fmt::{self, Debug, Display, Formatter};
    use std::hash::{Hash, Hasher};
    use std::ops::Deref;

    use crate::scheduled::scheduler::{Scheduler, current};

    /// `std::sync::Arc`, without weak references, without coercion to an unsized type ([`Arc::from_std`] makes
    /// one), and no type of `self`.
    pub struct Arc<T: ?Sized>(Of<T>);

    enum Of<T: ?Sized> {
        Standard(std::sync::Arc<T>),
        Loom(loom::sync::Arc<T>),
    }

    impl<T> Arc<T> {
        /// A reference to `value`, counted by the scheduler that runs the calling thread.
        #[must_use]
        #[track_caller]
        pub fn new(value: T) -> Self {
            Self::from_std(std::sync::Arc::new(value))
        }

        /// As that of the standard library.
        ///
        /// # Errors
        ///
        /// `this`, if it is not the only reference.
        #[track_caller]
        pub fn try_unwrap(this: Self) -> Result<T, Self> {
            match this.0 {
                Of::Standard(arc) => {
                    std::sync::Arc::try_unwrap(arc).map_err(|arc| Self(Of::Standard(arc)))
                }
                Of::Loom(arc) => {
                    loom::sync::Arc::try_unwrap(arc).map_err(|arc| Self(Of::Loom(arc)))
                }
            }
        }

        /// As that of the standard library.
        #[track_caller]
        pub fn into_inner(this: Self) -> Option<T> {
            match this.0 {
                Of::Standard(arc) => std::sync::Arc::into_inner(arc),
                Of::Loom(arc) => loom::sync::Arc::try_unwrap(arc).ok(),
            }
        }
    }

    impl<T: ?Sized> Arc<T> {
        /// A reference to the content of `arc`, which has to be the only one. So the content can be of an
        /// unsized type.
        ///
        /// # Panics
        ///
        /// If there are others, under Loom.
        #[must_use]
        #[track_caller]
        pub fn from_std(arc: std::sync::Arc<T>) -> Self {
            Self(match current() {
                Scheduler::Loom => Of::Loom(loom::sync::Arc::from_std(arc)),
                _ => Of::Standard(arc),
            })
        }

        /// As that of the standard library.
        #[must_use]
        #[track_caller]
        pub fn strong_count(this: &Self) -> usize {
            match &this.0 {
                Of::Standard(arc) => std::sync::Arc::strong_count(arc),
                Of::Loom(arc) => loom::sync::Arc::strong_count(arc),
            }
        }

        /// As that of the standard library.
        #[track_caller]
        pub fn get_mut(this: &mut Self) -> Option<&mut T> {
            match &mut this.0 {
                Of::Standard(arc) => std::sync::Arc::get_mut(arc),
                Of::Loom(arc) => loom::sync::Arc::get_mut(arc),
            }
        }

        /// As that of the standard library.
        #[must_use]
        pub fn ptr_eq(this: &Self, other: &Self) -> bool {
            std::ptr::addr_eq(Self::as_ptr(this), Self::as_ptr(other))
        }

        /// As that of the standard library.
        #[must_use]
        pub fn as_ptr(this: &Self) -> *const T {
            match &this.0 {
                Of::Standard(arc) => std::sync::Arc::as_ptr(arc),
                Of::Loom(arc) => loom::sync::Arc::as_ptr(arc),
            }
        }
    }

    impl<T: ?Sized> Clone for Arc<T> {
        #[track_caller]
        fn clone(&self) -> Self {
            Self(match &self.0 {
                Of::Standard(arc) => Of::Standard(arc.clone()),
                Of::Loom(arc) => Of::Loom(arc.clone()),
            })
        }
    }

    impl<T: ?Sized> Deref for Arc<T> {
        type Target = T;

        fn deref(&self) -> &T {
            match &self.0 {
                Of::Standard(arc) => arc,
                Of::Loom(arc) => arc,
            }
        }
    }

    impl<T: ?Sized> AsRef<T> for Arc<T> {
        fn as_ref(&self) -> &T {
            self
        }
    }

    impl<T: ?Sized> Borrow<T> for Arc<T> {
        fn borrow(&self) -> &T {
            self
        }
    }

    impl<T: Default> Default for Arc<T> {
        #[track_caller]
        fn default() -> Self {
            Self::new(T::default())
        }
    }

    impl<T> From<T> for Arc<T> {
        #[track_caller]
        fn from(value: T) -> Self {
            Self::new(value)
        }
    }

    impl<T: ?Sized + Debug> Debug for Arc<T> {
        fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
            Debug::fmt(&**self, formatter)
        }
    }

    impl<T: ?Sized + Display> Display for Arc<T> {
        fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
            Display::fmt(&**self, formatter)
        }
    }

    impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
        fn eq(&self, other: &Self) -> bool {
            **self == **other
        }
    }

    impl<T: ?Sized + Eq> Eq for Arc<T> {}

    impl<T: ?Sized + Hash> Hash for Arc<T> {
        fn hash<H: Hasher>(&self, hasher: &mut H) {
            (**self).hash(hasher);
        }
    }
}
