//! The interface of a snapshot object: writers write one register each, and readers read all of them.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, section 6, the external variable `interface`; Afek, Attiya, Dolev, Gafni,
//! Merritt & Shavit, *Atomic Snapshots of Shared Memory*.
//!
//! Left out: the memory, which each specification has in its own way. A register is 0 at first, and the memory of zeros is what
//! readers have read.

use refmap::guard;
use serde::Serialize;

/// Greatest number of readers, of writers, and of values of a register.
pub const MAX: usize = 4;

/// Users of a snapshot object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Users {
    /// Number of readers.
    pub readers: usize,
    /// Number of writers, each of which has a register.
    pub writers: usize,
    /// Number of values of a register.
    pub values: usize,
}

/// The values of all registers: one of the source's `MemVals`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Memory(#[state(max_len = MAX, range = 0..MAX)] pub Vec<usize>);

/// The operations that are under way, and the results of the last reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Interface {
    /// The memory that a reader has read; none is the source's `NotMemVal`: it is reading.
    #[state(each = "reader", max_len = MAX)]
    pub readers: Vec<Option<Memory>>,
    /// The value that a writer is writing; none is the source's `NotRegVal`.
    #[state(each = "writer", max_len = MAX, range = 0..MAX)]
    pub writers: Vec<Option<usize>>,
}

impl Users {
    /// The memory at first: `InitMem`.
    pub fn memory(&self) -> Memory {
        Memory(vec![0; self.writers])
    }

    /// The interface at first: no operation is under way.
    pub fn interface(&self) -> Interface {
        Interface {
            readers: vec![Some(self.memory()); self.readers],
            writers: vec![None; self.writers],
        }
    }
}

impl Interface {
    /// Whether a reader is reading.
    pub fn is_reading(&self, reader: usize) -> bool {
        self.readers[reader].is_none()
    }

    /// The effect of *BeginRd* on the interface.
    pub fn begin_rd(&mut self, reader: usize) -> Option<()> {
        guard("it is not reading", !self.is_reading(reader))?;
        self.readers[reader] = None;
        Some(())
    }

    /// The effect of *EndRd* on the interface.
    pub fn end_rd(&mut self, reader: usize, memory: Memory) -> Option<()> {
        guard("it is reading", self.is_reading(reader))?;
        self.readers[reader] = Some(memory);
        Some(())
    }

    /// The effect of *BeginWr* on the interface.
    pub fn begin_wr(&mut self, writer: usize, value: usize) -> Option<()> {
        guard("it is not writing", self.writers[writer].is_none())?;
        self.writers[writer] = Some(value);
        Some(())
    }

    /// The effect of *EndWr* on the interface.
    pub fn end_wr(&mut self, writer: usize) -> Option<()> {
        guard("it is writing", self.writers[writer].is_some())?;
        self.writers[writer] = None;
        Some(())
    }
}
