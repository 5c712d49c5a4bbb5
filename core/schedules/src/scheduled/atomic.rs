//! Atomic values.

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{self as standard, Ordering};

use super::record;
use super::scheduler::{Scheduler, current};

/// Calls a method of whichever it is.
macro_rules! of {
    ($Of:ident, $value:expr, $atomic:ident => $call:expr) => {
        match $value {
            $Of::OperatingSystem($atomic) => $call,
            #[cfg(feature = "shuttle")]
            $Of::Shuttle($atomic) => $call,
            #[cfg(feature = "loom")]
            $Of::Loom($atomic) => $call,
        }
    };
}

/// Declares an atomic type, the enum that it is of, and the methods that all types have.
macro_rules! atomic {
    ($name:ident $(<$T:ident>)?, $Of:ident, $value:ty) => {
        #[doc = concat!("`std::sync::atomic::", stringify!($name), "`.")]
        pub struct $name $(<$T>)? ($Of $(<$T>)?);

        enum $Of $(<$T>)? {
            OperatingSystem(standard::$name $(<$T>)?),
            #[cfg(feature = "shuttle")]
            Shuttle(shuttle::sync::atomic::$name $(<$T>)?),
            #[cfg(feature = "loom")]
            Loom(loom::sync::atomic::$name $(<$T>)?),
        }

        impl $(<$T>)? $name $(<$T>)? {
            /// An atomic value of the scheduler that runs the calling thread.
            #[must_use]
            #[track_caller]
            pub fn new(value: $value) -> Self {
                Self(match current() {
                    Scheduler::OperatingSystem => {
                        $Of::OperatingSystem(standard::$name::new(value))
                    }
                    #[cfg(feature = "shuttle")]
                    Scheduler::Shuttle => $Of::Shuttle(shuttle::sync::atomic::$name::new(value)),
                    #[cfg(feature = "loom")]
                    Scheduler::Loom => $Of::Loom(loom::sync::atomic::$name::new(value)),
                })
            }

            /// The value, which nothing else has access to.
            #[track_caller]
            pub fn into_inner(self) -> $value {
                of!($Of, self.0, atomic => atomic.into_inner())
            }

            /// As that of the standard library.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let value = of!($Of, &self.0, atomic => atomic.load(order));
                self.step(&[order], || format!("load → {value:?}"));
                value
            }

            /// As that of the standard library.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                of!($Of, &self.0, atomic => atomic.store(value, order));
                self.step(&[order], || format!("store {value:?}"));
            }

            /// As that of the standard library.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let before = of!($Of, &self.0, atomic => atomic.swap(value, order));
                self.step(&[order], || format!("swap {value:?} → {before:?}"));
                before
            }

            /// As that of the standard library.
            ///
            /// # Errors
            ///
            /// The value, if it is not `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let result = of!($Of, &self.0, atomic => {
                    atomic.compare_exchange(current, new, success, failure)
                });
                self.exchanged("compare_exchange", current, new, [success, failure], result)
            }

            /// As that of the standard library. Neither Shuttle nor Loom lets it fail spuriously.
            ///
            /// # Errors
            ///
            /// The value, if it is not `current`, or spuriously.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let result = of!($Of, &self.0, atomic => {
                    atomic.compare_exchange_weak(current, new, success, failure)
                });
                let orders = [success, failure];
                self.exchanged("compare_exchange_weak", current, new, orders, result)
            }

            /// As that of the standard library: a load, and exchanges until one succeeds.
            ///
            /// # Errors
            ///
            /// The value for which `change` returns `None`.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut change: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut current = self.load(fetch);
                while let Some(new) = change(current) {
                    match self.compare_exchange_weak(current, new, set, fetch) {
                        Ok(before) => return Ok(before),
                        Err(value) => current = value,
                    }
                }
                Err(current)
            }

            #[track_caller]
            fn exchanged(
                &self,
                name: &str,
                current: $value,
                new: $value,
                orders: [Ordering; 2],
                result: Result<$value, $value>,
            ) -> Result<$value, $value> {
                self.step(&orders, || match result {
                    Ok(_) => format!("{name} {current:?} → {new:?}"),
                    Err(value) => format!("{name} {current:?} → {new:?}: failed, {value:?}"),
                });
                result
            }

            #[inline]
            #[track_caller]
            fn step(&self, orders: &[Ordering], text: impl FnOnce() -> String) {
                if !matches!(self.0, $Of::OperatingSystem(_)) {
                    if orders.contains(&Ordering::SeqCst) {
                        record::sequentially_consistent();
                    }
                    record::step(text);
                }
            }
        }

        impl $(<$T>)? Debug for $name $(<$T>)? {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                of!($Of, &self.0, atomic => Debug::fmt(atomic, formatter))
            }
        }

        impl $(<$T>)? From<$value> for $name $(<$T>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// Declares methods that read, change and write.
macro_rules! changes {
    ($name:ident, $Of:ident, $value:ty: $($method:ident)*) => {
        impl $name {
            $(
                /// As that of the standard library.
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    let before = of!($Of, &self.0, atomic => atomic.$method(value, order));
                    let text = || format!("{} {value:?} → {before:?}", stringify!($method));
                    self.step(&[order], text);
                    before
                }
            )*
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }
    };
}

macro_rules! integer {
    ($name:ident, $Of:ident, $value:ty) => {
        atomic!($name, $Of, $value);
        changes!($name, $Of, $value:
            fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min);
    };
}

integer!(AtomicU8, OfU8, u8);
integer!(AtomicU16, OfU16, u16);
integer!(AtomicU32, OfU32, u32);
integer!(AtomicU64, OfU64, u64);
integer!(AtomicUsize, OfUsize, usize);
integer!(AtomicI8, OfI8, i8);
integer!(AtomicI16, OfI16, i16);
integer!(AtomicI32, OfI32, i32);
integer!(AtomicI64, OfI64, i64);
integer!(AtomicIsize, OfIsize, isize);
atomic!(AtomicBool, OfBool, bool);
changes!(AtomicBool, OfBool, bool: fetch_and fetch_nand fetch_or fetch_xor);
atomic!(AtomicPtr<T>, OfPtr, *mut T);

impl AtomicBool {
    /// As that of the standard library.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

/// `std::sync::atomic::fence`. Under Shuttle it has no effect, since all is sequentially consistent.
#[track_caller]
pub fn fence(order: Ordering) {
    match current() {
        Scheduler::OperatingSystem => return standard::fence(order),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => shuttle::sync::atomic::fence(order),
        #[cfg(feature = "loom")]
        Scheduler::Loom => loom::sync::atomic::fence(order),
    }
    record::step(|| format!("fence {order:?}"));
}
