//! `std::hint`.

use super::record;
use super::scheduler::{Scheduler, current};

/// `std::hint::spin_loop`. Under a scheduler the thread yields, since no other runs meanwhile.
#[track_caller]
pub fn spin_loop() {
    match current() {
        Scheduler::OperatingSystem => return std::hint::spin_loop(),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => shuttle::hint::spin_loop(),
        #[cfg(feature = "loom")]
        Scheduler::Loom => loom::hint::spin_loop(),
    }
    record::yields("spin_loop");
}
