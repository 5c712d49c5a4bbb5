//! Running job: its last report of progress, and what the reports before it say of its rate and of its frontier.

use std::collections::VecDeque;
use std::time::Duration;

use refmap::explore::Progress;

/// Time over which a rate is measured.
const SPAN: Duration = Duration::from_secs(5);
/// Depths in a row at whose ends the frontier was smaller each time, from which it is said to shrink.
const SHRINKING: usize = 4;

/// Running job.
pub(super) struct Running {
    pub label: String,
    pub progress: Progress,
    /// Numbers of states in the last seconds, the oldest first.
    counts: VecDeque<(Duration, u64)>,
    /// Frontiers at the ends of the last depths, the oldest first.
    frontiers: VecDeque<u64>,
}

impl Running {
    pub fn new(label: &str, progress: &Progress) -> Self {
        Self {
            label: label.to_owned(),
            progress: *progress,
            counts: [(progress.elapsed, progress.states)].into(),
            frontiers: VecDeque::new(),
        }
    }

    pub fn update(&mut self, progress: &Progress) {
        let before = std::mem::replace(&mut self.progress, *progress);
        if progress.phase != before.phase || progress.states < before.states {
            // Another phase, or another search, of an instance that follows.
            *self = Self::new(&self.label, progress);
            return;
        }
        self.counts.push_back((progress.elapsed, progress.states));
        let is_old = |counts: &VecDeque<(Duration, u64)>| {
            counts.len() > 2 && counts[1].0 + SPAN < progress.elapsed
        };
        while is_old(&self.counts) {
            self.counts.pop_front();
        }
        match progress.depth.checked_sub(before.depth) {
            Some(0) => (),
            // Depth by depth.
            Some(1) => self.frontiers.push_back(before.frontier),
            _ => self.frontiers.clear(),
        }
        if self.frontiers.len() > SHRINKING {
            self.frontiers.pop_front();
        }
    }

    /// States per second, over the last seconds; none before some time has passed.
    pub fn rate(&self) -> Option<u64> {
        let (first, last) = (self.counts.front()?, self.counts.back()?);
        let (seconds, states) = match last.0.checked_sub(first.0) {
            Some(passed) if !passed.is_zero() => (passed, last.1.saturating_sub(first.1)),
            _ => (last.0, last.1),
        };
        (!seconds.is_zero()).then(|| (states as f64 / seconds.as_secs_f64()) as u64)
    }

    /// True if each of the last depths ended with fewer states left to expand than the one before it.
    pub fn is_shrinking(&self) -> bool {
        let frontiers = &self.frontiers;
        frontiers.len() == SHRINKING && frontiers.iter().is_sorted_by(|one, next| one > next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::internal::explore::Phase;

    fn at(seconds: u64, states: u64, depth: u32, frontier: u64) -> Progress {
        Progress {
            phase: Phase::Search,
            states,
            transitions: 2 * states,
            depth,
            frontier,
            elapsed: Duration::from_secs(seconds),
            work: None,
            disk: None,
            peers: None,
        }
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut running = Running::new("x", &at(0, 7, 0, 7));
        assert_eq!(running.rate(), None);
        running.update(&at(10, 1_007, 1, 7));
        assert_eq!(running.rate(), Some(100));
        for second in 11..=20 {
            running.update(&at(second, 1_007 + 5_000 * (second - 10), 1, 7));
        }
        assert_eq!(running.rate(), Some(5_000));
        assert!(running.counts.len() < 9);
        // After a gap it is that of the gap.
        running.update(&at(120, 51_007, 1, 7));
        assert_eq!(running.rate(), Some(0));
        assert_eq!(Running::new("x", &at(2, 50, 0, 0)).rate(), Some(25));
    }

    #[test]
    fn a_frontier_shrinks_after_some_depths_of_fewer_states_each() {
        let mut running = Running::new("x", &at(0, 1, 0, 1));
        let frontiers = [9, 100, 90, 80, 70, 60, 60];
        let expected = [false, false, false, false, false, true, true];
        for (depth, (frontier, shrinks)) in (1..).zip(frontiers.into_iter().zip(expected)) {
            // Halfway there are states of the next depth too.
            running.update(&at(depth, 100 * depth, depth as u32, 1_000));
            running.update(&at(depth, 100 * depth, depth as u32, frontier));
            assert_eq!(running.is_shrinking(), shrinks, "{depth}");
        }
        running.update(&at(9, 900, 8, 50));
        assert!(!running.is_shrinking(), "the last two were equal");
    }

    /// An instance that follows begins anew.
    #[test]
    fn what_came_before_is_forgotten_where_it_says_nothing() {
        let shrunk = || {
            let mut running = Running::new("x", &at(0, 1, 0, 100));
            for depth in 1..=5 {
                let states = 100 * u64::from(depth);
                running.update(&at(depth.into(), states, depth, 100 - u64::from(depth)));
            }
            assert!(running.is_shrinking());
            running
        };
        for next in [at(9, 900, 3, 50), at(9, 900, 7, 50), at(9, 3, 5, 2)] {
            let mut running = shrunk();
            running.update(&next);
            assert!(!running.is_shrinking());
        }
        let mut running = shrunk();
        running.update(&at(1, 100, 0, 2));
        assert_eq!(running.rate(), Some(100));
    }
}
