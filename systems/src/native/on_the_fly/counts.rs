//! What happened, in numbers: a quiet run must not pass for a good one.

use serde::Serialize;

/// How often things happened. Each thread counts for itself; the sums are made when it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Cycles of the collector that came to their end.
    pub cycles: u64,
    /// Objects freed.
    pub freed: u64,
    /// Rounds of handshakes.
    pub rounds: u64,
    /// Handshakes answered by mutators.
    pub handshakes: u64,
    /// Objects marked: races to mark that were won.
    pub marks: u64,
    /// Marks by the barriers of stores, which are among `marks`.
    pub barrier_marks: u64,
    /// Races to mark that another thread won.
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
    /// Uses of references that were looked at for staleness.
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
