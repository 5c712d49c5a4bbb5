//! Counters of a run, so that a vacuous run is not taken for a passed one.

use serde::Serialize;

/// Counters. Each thread counts separately; its counts are added when it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Completed cycles of the collector.
    pub cycles: u64,
    /// Objects freed.
    pub freed: u64,
    /// Handshake rounds.
    pub rounds: u64,
    /// Handshakes answered by mutators.
    pub handshakes: u64,
    /// Objects marked: won CASes of marking.
    pub marks: u64,
    /// Marks by write barriers, included in `marks`.
    pub barrier_marks: u64,
    /// Lost CASes of marking.
    pub marks_lost: u64,
    /// Objects traced.
    pub traced: u64,
    /// Allocations.
    pub allocs: u64,
    /// Allocations that found no free slot.
    pub full: u64,
    /// Loads of fields.
    pub loads: u64,
    /// Stores to fields.
    pub stores: u64,
    /// Stores that began while the phase was not `Idle`.
    pub stores_while_collecting: u64,
    /// Roots discarded.
    pub discards: u64,
    /// Mutators that joined.
    pub joins: u64,
    /// Uses of references that were tested for staleness.
    pub uses: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.freed += other.freed;
        self.rounds += other.rounds;
        self.handshakes += other.handshakes;
        self.marks += other.marks;
        self.barrier_marks += other.barrier_marks;
        self.marks_lost += other.marks_lost;
        self.traced += other.traced;
        self.allocs += other.allocs;
        self.full += other.full;
        self.loads += other.loads;
        self.stores += other.stores;
        self.stores_while_collecting += other.stores_while_collecting;
        self.discards += other.discards;
        self.joins += other.joins;
        self.uses += other.uses;
    }
}

impl Counts {
    /// Operations of mutators.
    pub fn operations(&self) -> u64 {
        self.allocs + self.full + self.loads + self.stores + self.discards
    }
}
