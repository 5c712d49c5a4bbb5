//! Coherence: one client may write, or any number may read, and what they read is what was written last.
//!
//! Source: Sorin, Hill & Wood, *A Primer on Memory Consistency and Cache Coherence*, 2011, chapter 2: the single-writer, multiple-read invariant and the
//! data-value invariant, of one location.

use refmap::crowd::{Crowd, Others};
use serde::Serialize;

use super::{DATA, Data};

/// Coherence of one location.
#[derive(Clone, Copy, Debug)]
pub struct Coherence;

/// Access that a client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// None.
    Nothing,
    /// It may read.
    Reads,
    /// It alone may read and write.
    Writes,
}

/// The location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Memory {
    /// The value written last.
    pub value: Data,
}

/// A step of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "client")]
pub enum Action {
    /// It may read from now on, and nobody may write.
    #[rule(source = "Sorin, Hill & Wood, single-writer, multiple-read invariant")]
    Read,
    /// It may write from now on, and nobody else may read.
    #[rule(source = "Sorin, Hill & Wood, single-writer, multiple-read invariant")]
    Own,
    /// It writes, which it alone may from now on.
    #[rule(source = "Sorin, Hill & Wood, data-value invariant")]
    Write(#[action(range = 0..DATA)] Data),
    /// It loses its access.
    #[rule(source = "Sorin, Hill & Wood, single-writer, multiple-read invariant")]
    Lose,
}

/// Observation of a client: its access, and the data that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// It may not read.
    Nothing,
    Reads(Data),
    /// It reads this, and may write.
    Writes(Data),
}

impl Crowd for Coherence {
    type Shared = Memory;
    type Member = Access;
    type Action = Action;
    type Observation = Seen;

    fn members(&self) -> &str {
        "caches"
    }

    fn initial(&self, visit: &mut impl FnMut(Memory, &[Access])) {
        for value in 0..DATA {
            visit(Memory { value }, &[Access::Nothing]);
        }
    }

    fn fire(
        &self,
        action: &Action,
        memory: &mut Memory,
        me: &mut Access,
        others: &mut Others<'_, Access>,
    ) -> Option<()> {
        match *action {
            Action::Read => {
                *me = Access::Reads;
                others.each(|it| *it = (*it).min(Access::Reads));
            }
            Action::Own => {
                *me = Access::Writes;
                others.each(|it| *it = Access::Nothing);
            }
            Action::Write(value) => {
                *me = Access::Writes;
                others.each(|it| *it = Access::Nothing);
                memory.value = value;
            }
            Action::Lose => {
                *me = Access::Nothing;
            }
        }
        Some(())
    }

    fn observe_member(&self, memory: &Memory, access: &Access) -> Option<Seen> {
        Some(match access {
            Access::Nothing => Seen::Nothing,
            Access::Reads => Seen::Reads(memory.value),
            Access::Writes => Seen::Writes(memory.value),
        })
    }
}
