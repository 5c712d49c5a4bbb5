//! Predecessors: how each state was first reached, recomputed where that is possible instead of stored.
//!
//! States are numbered in the order in which a sequential search meets them, so those that one chunk
//! of states leads to first have consecutive numbers. The chunk is recorded; the step is recomputed by expanding the
//! chunk again.

use std::ops::Range;

use super::StateId;
use super::disk::SavedChunk;

/// A step, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    /// The state from which it is taken.
    pub source: StateId,
    /// Number of the step among that state's steps, in the order of `next`.
    pub step: u32,
}

/// A chunk: states that one worker expanded, and the first state that they led to.
struct Chunk {
    /// The first state met by the expansion of `sources`; the states up to the next chunk's are its
    /// too.
    first: u64,
    /// The states expanded; none for the initial states.
    sources: Range<u64>,
    /// The length of the paths found to the states met.
    length: u32,
}

/// Predecessors from which states were first reached.
#[derive(Default)]
pub(super) struct Predecessors {
    chunks: Vec<Chunk>,
}

impl Predecessors {
    /// The states from `first` on are those met by expanding `sources`.
    pub fn begin(&mut self, first: u64, sources: Range<u64>, length: u32) {
        // A chunk that met nothing says nothing.
        if self.chunks.last().is_some_and(|chunk| chunk.first == first) {
            self.chunks.pop();
        }
        self.chunks.push(Chunk {
            first,
            sources,
            length,
        });
    }

    /// The chunks from the one of a number on.
    pub fn chunks_from(&self, number: usize) -> impl Iterator<Item = SavedChunk> {
        let chunks = self.chunks[number..].iter();
        chunks.map(|chunk| SavedChunk {
            first: chunk.first,
            start: chunk.sources.start,
            end: chunk.sources.end,
            length: chunk.length,
        })
    }

    /// Adds a chunk that was saved.
    pub fn add(&mut self, saved: &SavedChunk) {
        self.begin(saved.first, saved.start..saved.end, saved.length);
    }

    fn chunk(&self, state: StateId) -> &Chunk {
        let after = self.chunks.partition_point(|chunk| chunk.first <= state.0);
        &self.chunks[after - 1]
    }

    /// The length of the path found to a state.
    pub fn length(&self, state: StateId) -> u32 {
        self.chunk(state).length
    }

    /// The states of a level, of so many in all.
    pub fn level(&self, length: u32, states: u64) -> Range<u64> {
        let first = |length: u32| {
            let before = self.chunks.partition_point(|chunk| chunk.length < length);
            self.chunks.get(before).map_or(states, |chunk| chunk.first)
        };
        first(length)..first(length + 1)
    }

    /// The states one of which led to `state` first; none if it is initial.
    pub fn sources(&self, state: StateId) -> Range<u64> {
        self.chunk(state).sources.clone()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.chunks.capacity() * size_of::<Chunk>()) as u64
    }
}
