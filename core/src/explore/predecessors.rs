//! Predecessors: how each state was first reached, recomputed where that is possible instead of stored.
//!
//! States are numbered in the order in which a sequential search meets them, so those that one chunk
//! of states leads to first have consecutive numbers. The chunk is recorded; the step is recomputed by expanding the
//! chunk again. Where only fingerprints are stored, a chunk cannot be expanded again, and each step is recorded.

use std::ops::Range;

use super::StateId;
use super::disk::SavedChunk;
use super::segments::SegmentedVec;
use super::set::{Predecessor, StepOfChunk};

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
pub(super) struct Predecessors {
    chunks: Vec<Chunk>,
    /// Per state, the step that led to it, of one of the sources of its chunk; only where states are not kept.
    steps: Option<SegmentedVec<StepOfChunk>>,
}

/// Choice whether the step by which each state was reached is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    Found,
    Store,
}

impl Predecessors {
    pub fn new(steps: Steps) -> Self {
        Self {
            chunks: Vec::new(),
            steps: (steps == Steps::Store).then(SegmentedVec::new),
        }
    }

    /// Whether steps are kept.
    pub fn kept_steps(&self) -> Steps {
        match self.steps {
            Some(_) => Steps::Store,
            None => Steps::Found,
        }
    }

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

    /// The steps that led to the next states.
    #[inline]
    pub fn extend(&mut self, origins: impl Iterator<Item = StepOfChunk>) {
        if let Some(steps) = &mut self.steps {
            origins.for_each(|origin| steps.push(origin));
        }
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

    /// The steps that led to the states from the one of a number on, if steps are kept.
    pub fn steps_from(&self, number: usize) -> impl Iterator<Item = StepOfChunk> {
        let steps = self.steps.iter();
        steps.flat_map(move |steps| (number..steps.len()).map(|number| *steps.get(number)))
    }

    fn chunk(&self, state: StateId) -> &Chunk {
        let after = self.chunks.partition_point(|chunk| chunk.first <= state.0);
        &self.chunks[after - 1]
    }

    /// The length of the path found to a state.
    pub fn length(&self, state: StateId) -> u32 {
        self.chunk(state).length
    }

    /// The states one of which led to `state` first; none if it is initial.
    pub fn sources(&self, state: StateId) -> Range<u64> {
        self.chunk(state).sources.clone()
    }

    /// The step that led to `state` first, if steps are kept and it is not initial.
    pub fn step(&self, state: StateId) -> Option<Predecessor> {
        let origin = self.steps.as_ref()?.get(state.0 as usize);
        origin.of(self.chunk(state).sources.start)
    }

    /// Leaves out numbers, as the list of the states does.
    #[cfg(test)]
    pub fn leave_gap(&mut self, blocks: usize) {
        if let Some(steps) = &mut self.steps {
            steps.leave_gap(blocks);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let steps = self.steps.as_ref().map_or(0, SegmentedVec::bytes);
        steps + (self.chunks.capacity() * size_of::<Chunk>()) as u64
    }
}
