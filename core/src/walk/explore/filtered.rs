//! A buffer of filtered entries, filled without branching.

/// Entries that were kept of those that were sifted.
///
/// PERF: where one of two entries is kept, in no order, a processor would guess wrong as often as not which
/// way to branch. So each entry is written, and the next one over it if it is not kept.
pub(super) struct Filtered<T> {
    /// Entries kept, and room for more.
    entries: Vec<T>,
    kept: usize,
}

impl<T: Clone> Filtered<T> {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            kept: 0,
        }
    }

    /// Keeps those of `entries` of which `is_kept` says so.
    #[inline(always)]
    pub fn sift(
        &mut self,
        entries: impl ExactSizeIterator<Item = T> + Clone,
        mut is_kept: impl FnMut(&T) -> bool,
    ) {
        let end = self.kept + entries.len();
        if end > self.entries.len() {
            let any = entries.clone().next();
            self.entries
                .resize(2 * end, any.expect("there is an entry"));
        }
        let room = &mut self.entries[self.kept..end];
        let mut kept = 0;
        for entry in entries {
            let is_kept = is_kept(&entry);
            room[kept] = entry;
            kept += usize::from(is_kept);
        }
        self.kept += kept;
    }

    /// Moves those kept to the end of `to`.
    pub fn give(&mut self, to: &mut Vec<T>) {
        to.extend_from_slice(&self.entries[..self.kept]);
        self.kept = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_in_order() {
        let mut sieve = Filtered::new();
        for _ in 0..2 {
            for run in [0..0u32, 0..5, 5..5, 5..6, 6..1000] {
                sieve.sift(run.collect::<Vec<_>>().into_iter(), |n| n % 3 != 1);
            }
            let mut given = vec![7];
            sieve.give(&mut given);
            let kept = (0..1000).filter(|n| n % 3 != 1);
            assert_eq!(given, [7].into_iter().chain(kept).collect::<Vec<_>>());
        }
    }
}
