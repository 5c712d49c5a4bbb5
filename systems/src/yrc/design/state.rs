//! The state of the design: the heap, the counts and their queues, the barriers in flight, and the
//! collector.

use serde::Serialize;
use tinyvec::ArrayVec;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// The objects that are allocated.
    pub allocated: Objects,
    /// The fields of each object, null where it is free.
    pub fields: ArrayVec<[Fields; MAX_OBJECTS]>,
    /// The objects that each thread holds in its locals.
    pub held: ArrayVec<[Objects; MAX_THREADS]>,
    /// The merged count of all references to each object, from fields and from locals.
    pub rc: ArrayVec<[i8; MAX_OBJECTS]>,
    /// The colour of each object, which persists between collections.
    pub colour: ArrayVec<[Colour; MAX_OBJECTS]>,
    /// The objects from which the next trial deletion starts.
    pub candidates: Objects,
    /// Per stripe, its buffered increments.
    pub increments: ArrayVec<[Bag; MAX_STRIPES]>,
    /// Per stripe, its buffered decrements.
    pub decrements: ArrayVec<[Bag; MAX_STRIPES]>,
    /// Per thread, the rest of its operation.
    pub in_flight: ArrayVec<[InFlight; MAX_THREADS]>,
    /// The collector; the global lock is taken unless it is idle.
    pub collector: Collector,
}

impl<S: ?Sized> refmap::State<S> for State {}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Bag(pub ArrayVec<[u8; MAX_OBJECTS]>);

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
        (0..).zip(&self.0).filter(|(_, count)| **count > 0).fold(
            Objects::default(),
            |mut objects, (object, _)| {
                objects.insert(object);
                objects
            },
        )
    }
}

/// The rest of a thread's operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// Nothing: it is between two operations.
    #[default]
    Nothing,
    /// To exchange the field, and then to decrement what was there.
    Exchange {
        /// The object written.
        to: Object,
        /// Its field.
        field: u8,
        /// The value written.
        value: Object,
    },
    /// To increment the new value, and then to decrement the old one, if there was one.
    Increment {
        /// The new value.
        new: Object,
        /// The old value.
        old: Option<Object>,
    },
    /// To decrement the old value.
    Decrement {
        /// The old value.
        old: Object,
    },
}

/// Program location of the collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// Between two collections.
    #[default]
    Idle,
    /// Before the merge of the queue of that number in the merge's order.
    Merge(u8),
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Slot {
    /// The object.
    pub object: Object,
    /// Its field.
    pub field: u8,
}

/// Slots to be read, the last one first.
pub type Stack = ArrayVec<[Slot; MAX_STACK]>;

/// The collector's own variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Collector {
    /// Program location.
    pub at: Location,
    /// The candidates from which the phase has not yet started.
    pub todo: Objects,
    /// The slots that the phase has not yet read.
    pub stack: Stack,
    /// The slots that scan black has not yet read, within a scan.
    pub rescue: Stack,
    /// The condemned objects, which are to be freed.
    pub condemned: Objects,
    /// The side table, where trial deletion has one.
    pub side_table: ArrayVec<[Option<Captured>; MAX_OBJECTS]>,
}

/// An entry of the side table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Captured {
    /// The object's count when it was first visited.
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

    /// The objects reachable from `from`, which are among them.
    pub fn reached_from(&self, from: Objects) -> Objects {
        let mut reached = from;
        loop {
            let before = reached;
            for object in before.iter() {
                for value in self.fields[usize::from(object)].iter().flatten() {
                    reached.insert(*value);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }

    /// The objects with an entry in some queue.
    pub fn pending(&self) -> Objects {
        let bags = self.increments.iter().chain(&self.decrements);
        bags.fold(Objects::default(), |all, bag| {
            Objects(all.0 | bag.objects().0)
        })
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
