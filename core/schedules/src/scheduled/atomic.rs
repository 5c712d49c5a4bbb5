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
    ($name:ident $(<$T:ident>)?, $Of:ident, $value:ty, $other:expr) => {
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
                let text = || format!("load → {value:?}");
                self.step(&[order], Some(value), false, text);
                value
            }

            /// As that of the standard library.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                of!($Of, &self.0, atomic => atomic.store(value, order));
                self.step(&[order], None, true, || format!("store {value:?}"));
            }

            /// As that of the standard library.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let exchanged = self.unless_same($other(value), order, |_| value);
                let before = exchanged
                    .unwrap_or_else(|| of!($Of, &self.0, atomic => atomic.swap(value, order)));
                let text = || format!("swap {value:?} → {before:?}");
                self.step(&[order], Some(before), value != before, text);
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

            /// A change under Loom that stores nothing where it leaves the value as it is, unless a store would release. `guess` is what
            /// the value may be.
            ///
            /// Loom has such a store be read by its own thread for ever, so that a loop that waits by it would not end. A thread
            /// that reads it reads, and acquires, what it had found there.
            #[cfg(feature = "loom")]
            #[track_caller]
            fn unless_same(
                &self,
                guess: $value,
                order: Ordering,
                changed: impl Fn($value) -> $value,
            ) -> Option<$value> {
                let $Of::Loom(atomic) = &self.0 else {
                    return None;
                };
                if !matches!(order, Ordering::Relaxed | Ordering::Acquire) {
                    return None;
                }
                let mut guess = guess;
                loop {
                    match atomic.compare_exchange(guess, changed(guess), order, order) {
                        Ok(before) => return Some(before),
                        Err(before) if changed(before) == before => return Some(before),
                        Err(before) => guess = before,
                    }
                }
            }

            #[cfg(not(feature = "loom"))]
            fn unless_same(
                &self,
                _: $value,
                _: Ordering,
                _: impl Fn($value) -> $value,
            ) -> Option<$value> {
                None
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
                let (Ok(before) | Err(before)) = result;
                let has_written = result.is_ok() && new != before;
                self.step(&orders, Some(before), has_written, || match result {
                    Ok(_) => format!("{name} {current:?} → {new:?}"),
                    Err(value) => format!("{name} {current:?} → {new:?}: failed, {value:?}"),
                });
                result
            }

            #[inline]
            #[track_caller]
            fn step(
                &self,
                orders: &[Ordering],
                read: Option<$value>,
                has_written: bool,
                text: impl FnOnce() -> String,
            ) {
                if !matches!(self.0, $Of::OperatingSystem(_)) {
                    if orders.contains(&Ordering::SeqCst) {
                        record::sequentially_consistent();
                    }
                    let address = std::ptr::from_ref(self).addr();
                    record::access(address, read.map(|value| value as u64), has_written, text);
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

/// Declares methods that read, change and write, each with the value that it writes.
macro_rules! changes {
    ($name:ident, $Of:ident, $value:ty, $guess:expr; $($method:ident $changed:expr;)*) => {
        impl $name {
            $(
                /// As that of the standard library.
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    let changed: fn($value, $value) -> $value = $changed;
                    let guess: Option<$value> = $guess;
                    let exchanged = guess.and_then(|guess| {
                        self.unless_same(guess, order, |before| changed(before, value))
                    });
                    let before = exchanged.unwrap_or_else(|| {
                        of!($Of, &self.0, atomic => atomic.$method(value, order))
                    });
                    let has_written = changed(before, value) != before;
                    let text = || format!("{} {value:?} → {before:?}", stringify!($method));
                    self.step(&[order], Some(before), has_written, text);
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
        atomic!($name, $Of, $value, |value: $value| value ^ 1);
        // What an integer may be is not known, and a guess that is wrong takes one more step.
        changes!($name, $Of, $value, None;
            fetch_add |before, value| before.wrapping_add(value);
            fetch_sub |before, value| before.wrapping_sub(value);
            fetch_and |before, value| before & value;
            fetch_nand |before, value| !(before & value);
            fetch_or |before, value| before | value;
            fetch_xor |before, value| before ^ value;
            fetch_max |before, value| before.max(value);
            fetch_min |before, value| before.min(value););
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
atomic!(AtomicBool, OfBool, bool, |value: bool| !value);
changes!(AtomicBool, OfBool, bool, Some(false);
    fetch_and |before, value| before & value;
    fetch_nand |before, value| !(before & value);
    fetch_or |before, value| before | value;
    fetch_xor |before, value| before ^ value;);
atomic!(AtomicPtr<T>, OfPtr, *mut T, |value: *mut T| value
    .wrapping_byte_add(1));

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
    record::idle(|| format!("fence {order:?}"));
}
