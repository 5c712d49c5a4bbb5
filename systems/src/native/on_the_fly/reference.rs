//! References and headers: a slot with its generation, so that a stale reference is detected.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reference: a slot, and the generation of the object in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The place in the heap.
    pub slot: u32,
    /// Number of frees of the slot before the object was allocated.
    pub generation: u32,
}

impl Reference {
    /// All references to a slot.
    pub fn of_slot(slot: u32) -> std::ops::RangeInclusive<Self> {
        let [least, most] = [0, u32::MAX].map(|generation| Self { slot, generation });
        least..=most
    }

    /// One word for a reference or null, which is 0.
    pub(crate) fn pack(reference: Option<Self>) -> u64 {
        reference.map_or(0, |r| {
            u64::from(r.generation) << 32 | (u64::from(r.slot) + 1)
        })
    }

    pub(crate) fn unpack(word: u64) -> Option<Self> {
        let slot = (word as u32).checked_sub(1)?;
        let generation = (word >> 32) as u32;
        Some(Self { slot, generation })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.slot, self.generation)
    }
}

/// Header: the first word of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Number of frees of the slot.
    pub generation: u32,
    /// Whether there is an object; otherwise the slot is free.
    pub allocated: bool,
    /// The mark; whether it means marked depends on `fM`.
    pub mark: bool,
}

impl Header {
    pub fn pack(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.allocated) << 1 | u64::from(self.mark)
    }

    pub fn unpack(word: u64) -> Self {
        Self {
            generation: (word >> 32) as u32,
            allocated: word & 2 != 0,
            mark: word & 1 != 0,
        }
    }

    /// Whether `reference` is to the current object of the slot.
    pub fn is_of(self, reference: Reference) -> bool {
        self.allocated && self.generation == reference.generation
    }
}
