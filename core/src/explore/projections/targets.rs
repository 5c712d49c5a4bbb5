//! Where local transitions lead, in as few bytes as a projection needs.

use std::ops::Range;

use crate::explore::set::prefetch;

/// Packed projections, one after another.
///
/// PERF: reading them is what a hit costs. In half a word there are twice as many to a cache line, and most
/// projections that are worth caching fit.
pub(super) enum Targets {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Targets {
    /// For projections of these bits.
    pub fn new(bits: u64) -> Self {
        match u32::try_from(bits) {
            Ok(_) => Self::Narrow(Vec::new()),
            Err(_) => Self::Wide(Vec::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(targets) => targets.len(),
            Self::Wide(targets) => targets.len(),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(targets) => size_of_val(&**targets),
            Self::Wide(targets) => size_of_val(&**targets),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Self::Narrow(targets) => targets.clear(),
            Self::Wide(targets) => targets.clear(),
        }
    }

    pub fn extend(&mut self, new: &[u64]) {
        match self {
            Self::Narrow(targets) => targets.extend(new.iter().map(|target| *target as u32)),
            Self::Wide(targets) => targets.extend(new),
        }
    }

    /// Adds some of another table's, whose projections have the same bits.
    pub fn extend_from(&mut self, other: &Self, run: Range<usize>) {
        match (self, other) {
            (Self::Narrow(targets), Self::Narrow(new)) => targets.extend(&new[run]),
            (Self::Wide(targets), Self::Wide(new)) => targets.extend(&new[run]),
            _ => unreachable!("all workers have projections of the same bits"),
        }
    }

    /// Prefetches the ends of a run, as far as they are there.
    #[inline(always)]
    pub fn prefetch(&self, run: Range<usize>) {
        fn ends<T>(targets: &[T], run: Range<usize>) {
            for end in [run.start, run.end.saturating_sub(1)] {
                if let Some(target) = targets.get(end) {
                    prefetch(target);
                }
            }
        }
        match self {
            Self::Narrow(targets) => ends(targets, run),
            Self::Wide(targets) => ends(targets, run),
        }
    }

    /// Adds those of a run to `keys`, each in `context`.
    #[inline(always)]
    pub fn extend_keys(&self, run: Range<usize>, context: u64, keys: &mut Vec<[u64; 1]>) {
        match self {
            Self::Narrow(targets) => {
                keys.extend(
                    targets[run]
                        .iter()
                        .map(|target| [context | u64::from(*target)]),
                );
            }
            Self::Wide(targets) => {
                keys.extend(targets[run].iter().map(|target| [context | target]))
            }
        }
    }
}
