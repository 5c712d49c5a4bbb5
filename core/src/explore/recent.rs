//! The targets that a worker met last.
//!
//! Most steps lead where another one has just led: independent steps commute, and states that were
//! reached together are expanded together. Such a target is known without asking the set, which would
//! cost a miss of the cache.

/// Marks that were met, each until another one needs its place.
#[derive(Clone)]
pub(super) struct Recent {
    marks: Box<[u64; PLACES]>,
}

/// The places. PERF: on Ben-Ari's level 3 at (5,1,1) more than half of all targets are found in so many, and
/// the second cache of a processor has room for them.
const PLACES: usize = 1 << 15;

impl Recent {
    pub fn new() -> Self {
        // A mark that belongs elsewhere says that nothing was met.
        let elsewhere = |place: usize| u64::from(place == 0);
        // Too many for the stack of a thread.
        let marks: Box<[u64]> = (0..PLACES).map(elsewhere).collect();
        Self {
            marks: marks.try_into().expect("there are as many"),
        }
    }

    /// Notes a mark, and says whether it is met for the first time, as far as is remembered.
    #[inline(always)]
    pub fn meet(&mut self, mark: u64) -> bool {
        let place = &mut self.marks[mark as usize & (PLACES - 1)];
        let new = *place != mark;
        *place = mark;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark is known only if it was met, the first of all places and the largest mark included.
    #[test]
    fn only_what_was_met_is_known() {
        for mark in [0, 1, PLACES as u64, PLACES as u64 + 1, u64::MAX] {
            let mut recent = Recent::new();
            assert!(recent.meet(mark), "{mark}");
            assert!(!recent.meet(mark), "{mark}");
            assert!(recent.meet(mark ^ 1 << 40), "{mark}");
            assert!(recent.meet(mark), "{mark}");
        }
    }
}
