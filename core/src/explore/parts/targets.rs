//! Where the steps of parts lead, in as few bytes as a part needs.

use std::ops::Range;

use crate::explore::visited::prefetch;

/// Packed parts, one after another.
///
/// PERF: reading them is what recalling the steps of a part costs. In half a word there are twice as many to
/// a cache line, and most parts that are worth remembering fit.
pub(super) enum Targets {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Targets {
    /// For parts that are written with `bits`.
    pub fn new(bits: u64) -> Self {
        match u32::try_from(bits) {
            Ok(_) => Self::Narrow(Vec::new()),
            Err(_) => Self::Wide(Vec::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(parts) => parts.len(),
            Self::Wide(parts) => parts.len(),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(parts) => size_of_val(&**parts),
            Self::Wide(parts) => size_of_val(&**parts),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Self::Narrow(parts) => parts.clear(),
            Self::Wide(parts) => parts.clear(),
        }
    }

    pub fn extend(&mut self, new: &[u64]) {
        match self {
            Self::Narrow(parts) => parts.extend(new.iter().map(|part| *part as u32)),
            Self::Wide(parts) => parts.extend(new),
        }
    }

    /// Adds some of another one's, which are of as many bits.
    pub fn extend_from(&mut self, other: &Self, run: Range<usize>) {
        match (self, other) {
            (Self::Narrow(parts), Self::Narrow(new)) => parts.extend(&new[run]),
            (Self::Wide(parts), Self::Wide(new)) => parts.extend(&new[run]),
            _ => unreachable!("all workers keep parts of the same bits"),
        }
    }

    /// Asks for the memory of those that are there of a run.
    #[inline(always)]
    pub fn ask(&self, run: Range<usize>) {
        fn ends<T>(parts: &[T], run: Range<usize>) {
            for end in [run.start, run.end.saturating_sub(1)] {
                if let Some(part) = parts.get(end) {
                    prefetch(part);
                }
            }
        }
        match self {
            Self::Narrow(parts) => ends(parts, run),
            Self::Wide(parts) => ends(parts, run),
        }
    }

    /// Adds those of a run to `keys`, each in `frame`.
    #[inline(always)]
    pub fn put(&self, run: Range<usize>, frame: u64, keys: &mut Vec<[u64; 1]>) {
        match self {
            Self::Narrow(parts) => {
                keys.extend(parts[run].iter().map(|part| [frame | u64::from(*part)]));
            }
            Self::Wide(parts) => keys.extend(parts[run].iter().map(|part| [frame | part])),
        }
    }
}
