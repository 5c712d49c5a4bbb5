//! The state of the design: the heap, the counts and their queues, the barriers in flight, and the
//! collector.

use std::ops::RangeInclusive;

use refmap::BoundedVec;
use serde::Serialize;

use super::instance::Design;
use crate::heap::{Fields, Heap, MAX_FIELDS, MAX_THREADS, Object, Objects};

/// The most objects.
pub const MAX_OBJECTS: usize = 4;
/// The most stripes.
pub const MAX_STRIPES: usize = 3;
/// The most entries of a queue.
pub const MAX_QUEUE: usize = 4;
/// The most slots on a stack: an object may be visited once before it is freed and allocated again, and
/// once after.
const MAX_STACK: usize = 2 * MAX_OBJECTS * MAX_FIELDS;

/// One configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Design)]
pub struct State {
    /// The objects that are allocated.
    #[state(range = system.subsets())]
    pub allocated: Objects,
    /// The fields of each object, null where it is free.
    #[state(len = system.objects, range = system.indices())]
    pub fields: BoundedVec<Fields, MAX_OBJECTS>,
    /// The objects that each thread holds in its locals.
    #[state(len = system.mutators, range = system.subsets())]
    pub held: BoundedVec<Objects, MAX_THREADS>,
    /// The merged count of all references to each object, from fields and from locals.
    #[state(len = system.objects, range = COUNTS)]
    pub rc: BoundedVec<i8, MAX_OBJECTS>,
    /// The colour of each object, which persists between collections.
    #[state(len = system.objects)]
    pub colour: BoundedVec<Colour, MAX_OBJECTS>,
    /// The objects from which the next trial deletion starts.
    #[state(range = system.subsets())]
    pub candidates: Objects,
    /// Per stripe, its buffered increments.
    #[state(len = system.stripes, range = 0..=system.queue)]
    pub increments: BoundedVec<Bag, MAX_STRIPES>,
    /// Per stripe, its buffered decrements.
    #[state(len = system.stripes, range = 0..=system.queue)]
    pub decrements: BoundedVec<Bag, MAX_STRIPES>,
    /// Per thread, the rest of its operation.
    #[state(len = system.mutators)]
    pub in_flight: BoundedVec<InFlight, MAX_THREADS>,
    /// The collector; the global lock is taken unless it is idle.
    pub collector: Collector,
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Not known to be garbage.
    #[default]
    Black,
    /// Visited by trial deletion.
    Grey,
    /// Without a known external reference.
    White,
}

/// Buffered entries for each object, as a bag: a merge only sums them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(transparent)]
pub struct Bag(pub BoundedVec<u8, MAX_OBJECTS>);

impl Bag {
    /// The empty bag for this many objects.
    pub fn empty(objects: u8) -> Self {
        Self((0..objects).map(|_| 0).collect())
    }

    /// Number of entries.
    pub fn len(&self) -> u8 {
        self.0.iter().sum()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of entries for `object`.
    pub fn of(&self, object: Object) -> u8 {
        self.0[usize::from(object)]
    }

    /// One entry more.
    pub fn add(&mut self, object: Object) {
        self.0[usize::from(object)] += 1;
    }

    /// The objects with an entry.
    pub fn objects(&self) -> Objects {
        let entries = (0..).zip(&self.0).filter(|(_, count)| **count > 0);
        entries.map(|(object, _)| object).collect()
    }
}

/// The rest of a thread's operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Design)]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// Nothing: it is between two operations.
    #[default]
    Nothing,
    /// To exchange the field, and then to decrement what was there.
    Exchange {
        /// The object written.
        #[state(range = system.indices())]
        to: Object,
        #[state(range = 0..system.fields)]
        field: u8,
        /// The value written.
        #[state(range = system.indices())]
        value: Object,
    },
    /// To increment the new value, and then to decrement the old one, if there was one.
    Increment {
        /// The new value.
        #[state(range = system.indices())]
        new: Object,
        /// The old value.
        #[state(range = system.indices())]
        old: Option<Object>,
    },
    /// To decrement the old value.
    Decrement {
        /// The old value.
        #[state(range = system.indices())]
        old: Object,
    },
}

/// Program location of the collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Design)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// Between two collections.
    #[default]
    Idle,
    /// Before the merge of the queue of that number in the merge's order.
    Merge(#[state(range = 0..=2 * system.stripes)] u8),
    /// In trial deletion.
    MarkGrey,
    /// Searching for external references.
    Scan,
    /// Condemning objects without one.
    CollectWhite,
    /// Freeing condemned objects.
    Free,
}

/// A field of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Design)]
pub struct Slot {
    #[state(range = system.indices())]
    pub object: Object,
    #[state(range = 0..system.fields)]
    pub field: u8,
}

/// Slots to be read, the last one first.
pub type Stack = BoundedVec<Slot, MAX_STACK>;

/// The collector's own variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Design)]
pub struct Collector {
    /// Program location.
    pub at: Location,
    /// The candidates from which the phase has not yet started.
    #[state(range = system.subsets())]
    pub todo: Objects,
    /// The slots that the phase has not yet read.
    pub stack: Stack,
    /// The slots that scan black has not yet read, within a scan.
    pub rescue: Stack,
    /// The condemned objects, which are to be freed.
    #[state(range = system.subsets())]
    pub condemned: Objects,
    /// The side table, where trial deletion has one.
    #[state(len = system.objects)]
    pub side_table: BoundedVec<Option<Captured>, MAX_OBJECTS>,
}

/// An entry of the side table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Captured {
    /// The object's count when it was first visited.
    #[state(range = COUNTS)]
    pub rc: i8,
    /// The remaining count in trial deletion.
    pub rest: i8,
}

impl State {
    /// The heap as threads see it.
    pub fn heap(&self) -> Heap {
        Heap {
            allocated: self.allocated,
            fields: self.fields.iter().copied().collect(),
            held: self.held.iter().copied().collect(),
        }
        .hiding_the_unreachable()
    }

    /// Whether the global lock is taken.
    pub fn locked(&self) -> bool {
        self.collector.at != Location::Idle
    }

    /// Whether no operation is in flight.
    pub fn no_operation_in_flight(&self) -> bool {
        self.in_flight.iter().all(|one| *one == InFlight::Nothing)
    }

    /// Whether `thread` holds `object`.
    pub fn holds(&self, thread: u8, object: Object) -> bool {
        self.held[usize::from(thread)].contains(object)
    }

    /// The value of a slot.
    pub fn read(&self, slot: Slot) -> Option<Object> {
        self.fields[usize::from(slot.object)][usize::from(slot.field)]
    }

    /// The objects with an entry in some queue.
    pub fn pending(&self) -> Objects {
        let bags = self.increments.iter().chain(&self.decrements);
        bags.fold(Objects::default(), |all, bag| all.and(bag.objects()))
    }

    /// The objects for which an operation in flight has not yet buffered an entry.
    pub fn owed(&self) -> Objects {
        let mut owed = Objects::default();
        for operation in &self.in_flight {
            match *operation {
                InFlight::Nothing | InFlight::Exchange { .. } => (),
                InFlight::Increment { new, old } => {
                    owed.insert(new);
                    old.into_iter().for_each(|old| owed.insert(old));
                }
                InFlight::Decrement { old } => owed.insert(old),
            }
        }
        owed
    }

    /// Changes a count. A count diverges only if a freed object is used; there it
    /// saturates, so that the state space of a wrong design stays finite.
    pub(super) fn count(&mut self, object: Object, by: i8) {
        let rc = &mut self.rc[usize::from(object)];
        *rc = rc.saturating_add(by).clamp(-MAX_COUNT, MAX_COUNT);
    }

    pub(super) fn paint(&mut self, object: Object, colour: Colour) {
        self.colour[usize::from(object)] = colour;
    }

    pub(super) fn colour_of(&self, object: Object) -> Colour {
        self.colour[usize::from(object)]
    }
}

/// More references to an object than an instance and its full queues can have.
const MAX_COUNT: i8 = 40;
/// The counts.
const COUNTS: RangeInclusive<i8> = -MAX_COUNT..=MAX_COUNT;
