//! WorkItems of some work that lie next to each other, for workers that do better with neighbours.

use super::primitives::{AtomicBool, AtomicU64, Ordering};

/// WorkItems of some work, each taken by one worker: the first of those left of a stretch of its own, and when there are
/// none, the last of another's. So neighbours go to one worker, as far as all workers are to be done at the same time.
pub(crate) struct WorkRanges {
    /// Per stretch, the first share left in the upper half, and the one after the last in the lower.
    left: Vec<AtomicU64>,
    stopped: AtomicBool,
}

/// A share that was taken.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub number: u32,
    /// Whether it follows all that its worker has taken before.
    pub in_order: bool,
}

impl WorkRanges {
    /// The shares from 0 to `shares` − 1, in so many nearly equal work_ranges.
    pub fn new(shares: u32, work_ranges: usize) -> Self {
        let bound = |stretch: usize| u64::from(shares) * stretch as u64 / work_ranges as u64;
        let left = (0..work_ranges).map(|stretch| bound(stretch) << 32 | bound(stretch + 1));
        Self {
            left: left.map(AtomicU64::new).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next share for the worker whose stretch this is; none if all are taken, or if the work is not to go on.
    pub fn take(&self, stretch: usize) -> Option<Share> {
        if self.is_stopped() {
            return None;
        }
        let own = self.change(stretch, |left| left + (1 << 32));
        let own = own.map(|left| Share {
            number: (left >> 32) as u32,
            in_order: true,
        });
        own.or_else(|| self.take_last())
    }

    /// The last share of the stretch of which most are left.
    fn take_last(&self) -> Option<Share> {
        loop {
            let count = |left: u64| (left as u32).saturating_sub((left >> 32) as u32);
            let left = self.left.iter().map(|left| left.load(Ordering::Relaxed));
            let (most, stretch) = left.map(count).zip(0..).max()?;
            if most == 0 {
                return None;
            }
            // Others may have taken them meanwhile.
            if let Some(left) = self.change(stretch, |left| left - 1) {
                return Some(Share {
                    number: left as u32 - 1,
                    in_order: false,
                });
            }
        }
    }

    /// Changes what is left of a stretch, unless nothing is, and says what it was.
    fn change(&self, stretch: usize, change: impl Fn(u64) -> u64) -> Option<u64> {
        let is_left = |left: u64| left >> 32 < u64::from(left as u32);
        let changed = |left| is_left(left).then(|| change(left));
        // A share says nothing of another's results: those are seen by whoever joins their thread.
        let relaxed = Ordering::Relaxed;
        let before = self.left[stretch].fetch_update(relaxed, relaxed, changed);
        before.ok()
    }

    /// No further share is taken.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the work is not to go on, and may be half done.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
