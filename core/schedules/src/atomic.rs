//! Atomic values.

use std::sync::atomic::{self, Ordering};

use crate::scheduler::{Scheduler, current};

/// Calls a method of whichever it is.
macro_rules! of {
    ($value:expr, $atomic:ident => $call:expr) => {
        match $value {
            Of::OperatingSystem($atomic) => $call,
            Of::Shuttle($atomic) => $call,
            Of::Loom($atomic) => $call,
        }
    };
}

/// One of three.
#[derive(Debug)]
enum Of<O, S, L> {
    OperatingSystem(O),
    Shuttle(S),
    Loom(L),
}

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        /// The type of the same name of `std::sync::atomic`, of Shuttle or of Loom.
        #[derive(Debug)]
        pub struct $name(
            Of<atomic::$name, shuttle::sync::atomic::$name, loom::sync::atomic::$name>,
        );

        impl $name {
            /// Of the scheduler that was asked for.
            #[must_use]
            pub fn new(value: $value) -> Self {
                Self(match current() {
                    Scheduler::OperatingSystem => Of::OperatingSystem(atomic::$name::new(value)),
                    Scheduler::Shuttle => {
                        Of::Shuttle(shuttle::sync::atomic::$name::new(value))
                    }
                    Scheduler::Loom => Of::Loom(loom::sync::atomic::$name::new(value)),
                })
            }

            /// As that of the standard library.
            pub fn load(&self, order: Ordering) -> $value {
                of!(&self.0, atomic => atomic.load(order))
            }

            /// As that of the standard library.
            pub fn store(&self, value: $value, order: Ordering) {
                of!(&self.0, atomic => atomic.store(value, order));
            }

            /// As that of the standard library.
            ///
            /// # Errors
            ///
            /// What is there, if it is not `current`.
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                of!(&self.0, atomic => atomic.compare_exchange(current, new, success, failure))
            }

            /// As that of the standard library.
            ///
            /// # Errors
            ///
            /// What is there, if `change` has nothing to put in its place.
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                change: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                of!(&self.0, atomic => atomic.fetch_update(set, fetch, change))
            }
        }
    };
}

macro_rules! counts {
    ($name:ident, $value:ty) => {
        impl $name {
            /// As that of the standard library.
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                of!(&self.0, atomic => atomic.fetch_add(value, order))
            }

            /// As that of the standard library.
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                of!(&self.0, atomic => atomic.fetch_sub(value, order))
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicU8, u8);
atomic!(AtomicU32, u32);
atomic!(AtomicU64, u64);
atomic!(AtomicUsize, usize);
counts!(AtomicUsize, usize);

/// As that of the standard library.
pub fn fence(order: Ordering) {
    match current() {
        Scheduler::OperatingSystem => atomic::fence(order),
        Scheduler::Shuttle => shuttle::sync::atomic::fence(order),
        Scheduler::Loom => loom::sync::atomic::fence(order),
    }
}
