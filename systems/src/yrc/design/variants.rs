//! The parameters in which the variants of the design differ. The first value of each is the design as
//! described, and each is used in one function.

use strum::{IntoStaticStr, VariantArray};

/// The variant of the design: by default the design as described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The order of the write barrier's steps.
    pub barrier: Barrier,
    /// Treatment of increments.
    pub increments: Increments,
    /// The order in which queues are merged.
    pub merge: Merge,
    /// Exclusion of threads during a collection.
    pub mutators: Mutators,
    /// Data that trial deletion works on.
    pub trial_deletion: TrialDeletion,
    /// Granularity of the collector's steps.
    pub granularity: Granularity,
    /// Whether operations reserve room.
    pub reservation: Reservation,
    /// The fairness that is assumed.
    pub progress: Progress,
}

/// The order of the write barrier's steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Barrier {
    /// Store, increment of the new value, decrement of the old.
    #[default]
    StoreFirst,
    /// Increment of the new value, exchange, decrement of the old.
    IncrementFirst,
}

/// Treatment of increments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Increments {
    /// It waits in a queue for the next merge.
    #[default]
    Buffered,
    /// It is applied to the count at once, atomically.
    Direct,
}

/// The order in which the queues are merged, one a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Merge {
    /// Stripe by stripe, its increments and then its decrements.
    #[default]
    IncrementsFirst,
    /// Stripe by stripe, its decrements and then its increments.
    DecrementsFirst,
    /// The increments of all stripes, and then their decrements.
    AllIncrementsFirst,
    /// The decrements of all stripes, and then their increments.
    AllDecrementsFirst,
    /// All queues in one step.
    Atomic,
}

/// Exclusion of threads during a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Mutators {
    /// None: threads run freely.
    #[default]
    Free,
    /// Threads are stopped; a collection starts only when no operation is in flight.
    StoppedAtBarriers,
    /// Threads are stopped, possibly within an operation.
    StoppedAnywhere,
    /// Stores are excluded by a reader–writer lock, held from the first step of the barrier to
    /// the last.
    StoreLock,
}

/// Data that trial deletion works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum TrialDeletion {
    /// The counts of the objects themselves.
    #[default]
    InPlace,
    /// A side table of the counts that objects had when they were first visited.
    Captured,
    /// The same; and an object with a pending entry or a changed count at the commit is live, as are those reachable
    /// from it.
    Validated,
    /// The same; and an entry that an operation in flight has not yet buffered is pending too. Not in
    /// the source: the validation there lacks it.
    ValidatedInFlight,
}

/// Granularity of the collector's steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Granularity {
    /// One queue, one object or one slot.
    #[default]
    Slot,
    Phase,
}

/// Whether an operation reserves room for all the entries that it will buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reservation {
    /// It does, before it starts.
    #[default]
    Reserved,
    /// It starts, and blocks in the middle if a queue is full.
    Unreserved,
}

/// The fairness that is assumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Progress {
    /// Weak fairness of the collector, and strong fairness of each thread's steps after the write of a field: threads that
    /// are stopped within a store go on between collections.
    #[default]
    StrongOperations,
    /// The same, where the fairness of those steps is weak.
    Operations,
    /// Weak fairness of the collector: threads may stop within a store.
    Collector,
    None,
}

impl TrialDeletion {
    /// Whether it leaves the counts of the objects alone.
    pub fn has_side_table(self) -> bool {
        self != Self::InPlace
    }
}
