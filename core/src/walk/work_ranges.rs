//! Ranges of consecutive work items, for workers that do better with neighbours.

use super::primitives::{AtomicBool, AtomicU64, Ordering};

/// A range of work items for each worker, which takes its own from the front. A worker whose range is empty steals the
/// last item of the longest other one, so that neighbours stay with one worker and all are done at about the same time.
pub(crate) struct WorkRanges {
    /// Per range, the first item left in the upper half, and the one after the last in the lower.
    left: Vec<AtomicU64>,
    stopped: AtomicBool,
}

/// A work item that was taken.
#[derive(Clone, Copy)]
pub(crate) struct WorkItem {
    pub number: u32,
    /// True if it follows all that its worker has taken before.
    pub in_order: bool,
}

impl WorkRanges {
    /// The items from 0 to `items` − 1, in so many nearly equal ranges.
    pub fn new(items: u32, ranges: usize) -> Self {
        let bound = |range: usize| u64::from(items) * range as u64 / ranges as u64;
        let left = (0..ranges).map(|range| bound(range) << 32 | bound(range + 1));
        Self {
            left: left.map(AtomicU64::new).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next item for the worker whose range this is; none if all are taken, or if the work is not to go on.
    pub fn take(&self, range: usize) -> Option<WorkItem> {
        if self.is_stopped() {
            return None;
        }
        let own = self.change(range, |left| left + (1 << 32));
        let own = own.map(|left| WorkItem {
            number: (left >> 32) as u32,
            in_order: true,
        });
        own.or_else(|| self.take_last())
    }

    /// The last item of the range of which most are left.
    fn take_last(&self) -> Option<WorkItem> {
        loop {
            let count = |left: u64| (left as u32).saturating_sub((left >> 32) as u32);
            let left = self.left.iter().map(|left| left.load(Ordering::Relaxed));
            let (most, range) = left.map(count).zip(0..).max()?;
            if most == 0 {
                return None;
            }
            // Others may have taken them meanwhile.
            if let Some(left) = self.change(range, |left| left - 1) {
                return Some(WorkItem {
                    number: left as u32 - 1,
                    in_order: false,
                });
            }
        }
    }

    /// Changes what is left of a range, unless nothing is, and says what it was.
    fn change(&self, range: usize, change: impl Fn(u64) -> u64) -> Option<u64> {
        let is_left = |left: u64| left >> 32 < u64::from(left as u32);
        let changed = |left| is_left(left).then(|| change(left));
        // Relaxed: an item publishes no results; joining a worker's thread does.
        let relaxed = Ordering::Relaxed;
        let before = self.left[range].fetch_update(relaxed, relaxed, changed);
        before.ok()
    }

    /// No further item is taken.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True if the work is not to go on, and may be half done.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
