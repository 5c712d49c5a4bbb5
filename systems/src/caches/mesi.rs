//! The MESI protocol: caches that listen to one bus, on which misses and writes of shared copies are told to all.
//!
//! Source: Papamarcos & Patel, *A Low-Overhead Coherence Solution for Multiprocessors with Private Cache Memories*, ISCA 1984, section 2, of one block.
//!
//! Deviations. D1: a block is a word, so that a write miss reads nothing. D2: a transaction of the bus is one step, with what all caches do about it.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

use super::coherence::Seen;
use super::{DATA, Data};

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct Mesi {
    /// Part that is left out.
    pub omits: Omits,
}

/// Part that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Omits {
    /// None: as published.
    Nothing,
    /// A write of a shared copy is told to nobody. Wrong: others read what was written before.
    Invalidation,
    /// A modified copy is replaced without writing it to memory. Wrong: what it held is lost.
    WriteBack,
}

/// Copy that a cache has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// The only one, and memory holds something older.
    Modified(Data),
    /// The only one.
    Exclusive(Data),
    /// One of several, as far as it knows.
    Shared(Data),
    /// None.
    Invalid,
}

/// The memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Memory {
    /// Its contents.
    pub data: Data,
    /// Ghost: what was written last. No guard reads it.
    pub last: Data,
}

/// A step of a processor, with its cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "cache")]
pub enum Action {
    /// No other cache has a copy: it takes one from memory, for itself.
    #[rule(source = "Papamarcos & Patel, read miss")]
    ReadExclusive,
    /// Others have copies, none of them modified: it takes one of these.
    #[rule(source = "Papamarcos & Patel, read miss")]
    ReadShared,
    /// Another one has a modified copy: it takes that one, which is written to memory as well.
    #[rule(source = "Papamarcos & Patel, read miss")]
    ReadModified,
    /// It writes its own copy, which nobody else has.
    #[rule(source = "Papamarcos & Patel, write hit")]
    Write(#[action(range = 0..DATA)] Data),
    /// It writes a shared copy, and those of others are invalid.
    #[rule(source = "Papamarcos & Patel, write hit")]
    WriteShared(#[action(range = 0..DATA)] Data),
    /// It has no copy and writes one, and those of others are invalid.
    #[rule(source = "Papamarcos & Patel, write miss")]
    WriteMiss(#[action(range = 0..DATA)] Data),
    /// Its copy makes room for another block; a modified one is written to memory.
    #[rule(source = "Papamarcos & Patel, replacement")]
    Replace,
}

impl Cache {
    /// Another cache reads.
    fn share(&mut self) {
        if let Self::Modified(data) | Self::Exclusive(data) = *self {
            *self = Self::Shared(data);
        }
    }
}

impl Crowd for Mesi {
    type Shared = Memory;
    type Member = Cache;
    type Action = Action;
    type Observation = Seen;

    fn members(&self) -> &str {
        "caches"
    }

    fn initial(&self, visit: &mut impl FnMut(Memory, &[Cache])) {
        for data in 0..DATA {
            visit(Memory { data, last: data }, &[Cache::Invalid]);
        }
    }

    fn fire(
        &self,
        action: &Action,
        memory: &mut Memory,
        me: &mut Cache,
        others: &mut Others<'_, Cache>,
    ) -> Option<()> {
        use Cache::{Exclusive, Invalid, Modified, Shared};
        match *action {
            Action::ReadExclusive => {
                guard("it misses", *me == Invalid)?;
                others.none(|it| *it != Invalid)?;
                *me = Exclusive(memory.data);
            }
            Action::ReadShared => {
                guard("it misses", *me == Invalid)?;
                others.some(|it| *it != Invalid)?;
                others.none(|it| matches!(it, Modified(_)))?;
                *me = Shared(memory.data);
                others.each(Cache::share);
            }
            Action::ReadModified => {
                guard("it misses", *me == Invalid)?;
                let owner = others.choose(|it| matches!(it, Modified(_)))?;
                let Modified(data) = owner.part else {
                    return None;
                };
                memory.data = data;
                *me = Shared(data);
                others.each(Cache::share);
            }
            Action::Write(data) => {
                let is_alone = matches!(me, Modified(_) | Exclusive(_));
                guard("its copy is the only one", is_alone)?;
                *me = Modified(data);
                memory.last = data;
            }
            Action::WriteShared(data) => {
                guard("its copy is shared", matches!(me, Shared(_)))?;
                *me = Modified(data);
                memory.last = data;
                if self.omits != Omits::Invalidation {
                    others.each(|it| *it = Invalid);
                }
            }
            Action::WriteMiss(data) => {
                guard("it misses", *me == Invalid)?;
                *me = Modified(data);
                memory.last = data;
                others.each(|it| *it = Invalid);
            }
            Action::Replace => {
                guard("it has a copy", *me != Invalid)?;
                if let Modified(data) = *me
                    && self.omits != Omits::WriteBack
                {
                    memory.data = data;
                }
                *me = Invalid;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Memory, cache: &Cache) -> Option<Seen> {
        Some(match *cache {
            Cache::Invalid => Seen::Nothing,
            Cache::Shared(data) => Seen::Reads(data),
            Cache::Exclusive(data) | Cache::Modified(data) => Seen::Writes(data),
        })
    }
}
