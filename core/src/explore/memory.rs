//! How much memory the process holds, as the operating system says.

use std::time::{Duration, Instant};

/// How long what the operating system said is believed. PERF: it takes some 20 microseconds to say it, in
/// which a hundred states are expanded; a search fills some ten megabytes in this time.
const BELIEVED: Duration = Duration::from_millis(10);

/// What the process holds, looked up now and then.
#[derive(Default)]
pub(super) struct Resident {
    peak: u64,
    looked: Option<Instant>,
}

impl Resident {
    /// Bytes held, or `own` where the system does not say.
    pub fn look(&mut self, own: u64) -> u64 {
        let held = resident_bytes().unwrap_or(own);
        self.peak = self.peak.max(held);
        self.looked = Some(Instant::now());
        held
    }

    /// The same, or `None` if it was looked up just before.
    pub fn look_again(&mut self, own: u64) -> Option<u64> {
        let looked = |looked: Instant| looked.elapsed() < BELIEVED;
        (!self.looked.is_some_and(looked)).then(|| self.look(own))
    }

    /// The most that was held when it was looked up.
    pub fn peak(&self) -> u64 {
        self.peak
    }
}

/// Bytes resident, or `None` where the system has no `/proc`.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes that could still be had without swapping, or `None` where the system has no `/proc`.
pub(super) fn available_bytes() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let mut lines = memory.lines();
    let line = lines.find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It is looked up at first, not just after that, and again when that is some time ago.
    #[test]
    fn memory_is_looked_up_now_and_then() {
        let mut resident = Resident::default();
        let held = resident.look_again(1).expect("nothing is known yet");
        assert!(held > 0);
        resident.looked = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(resident.look_again(1), None);
        resident.looked = Instant::now().checked_sub(BELIEVED);
        assert!(resident.look_again(1).is_some());
        assert!(resident.peak() >= held);
    }
}
