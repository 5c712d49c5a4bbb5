//! The interface of a queue: what enqueuers and dequeuers see of it.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6, the external variables `enq` and `deq`.
//!
//! Left out: the queue itself, which each specification has in its own way.

use refmap::guard;
use serde::Serialize;

use crate::vectors::vectors;

/// Greatest number of enqueuers, of dequeuers, and of data.
pub const MAX: usize = 4;

/// Users of a queue, and the data that they put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Users {
    /// Number of enqueuers.
    pub enqueuers: usize,
    /// Number of dequeuers.
    pub dequeuers: usize,
    /// Number of different data.
    pub data: usize,
}

/// The operations that are under way, and the results of the last ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Interface {
    /// The datum that an enqueuer is adding; none is the source's `Done`.
    #[state(each = "enqueuer", max_len = MAX, range = 0..MAX)]
    pub enq: Vec<Option<usize>>,
    /// The datum that a dequeuer has received; none is the source's `Busy`.
    #[state(each = "dequeuer", max_len = MAX, range = 0..MAX)]
    pub deq: Vec<Option<usize>>,
}

impl Users {
    /// The initial interfaces: no operation is under way, and dequeuers have received anything.
    pub fn interfaces(&self) -> Vec<Interface> {
        let received = vectors(self.dequeuers, self.data).into_iter();
        let interface = |deq: Vec<usize>| Interface {
            enq: vec![None; self.enqueuers],
            deq: deq.into_iter().map(Some).collect(),
        };
        received.map(interface).collect()
    }
}

impl Interface {
    /// The effect of *BeginEnq* on the interface.
    pub fn begin_enq(&mut self, enqueuer: usize, datum: usize) -> Option<()> {
        guard("it is not enqueuing", self.enq[enqueuer].is_none())?;
        self.enq[enqueuer] = Some(datum);
        Some(())
    }

    /// The effect of *EndEnq* on the interface.
    pub fn end_enq(&mut self, enqueuer: usize) -> Option<()> {
        guard("it is enqueuing", self.enq[enqueuer].is_some())?;
        self.enq[enqueuer] = None;
        Some(())
    }

    /// The effect of *BeginDeq* on the interface.
    pub fn begin_deq(&mut self, dequeuer: usize) -> Option<()> {
        guard("it is not dequeuing", self.deq[dequeuer].is_some())?;
        self.deq[dequeuer] = None;
        Some(())
    }

    /// The effect of *EndDeq* on the interface.
    pub fn end_deq(&mut self, dequeuer: usize, datum: usize) -> Option<()> {
        guard("it is dequeuing", self.deq[dequeuer].is_none())?;
        self.deq[dequeuer] = Some(datum);
        Some(())
    }
}
