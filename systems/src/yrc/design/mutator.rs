//! The threads: operations on objects that they hold, and the write barrier.

use super::{Barrier, Increments};
use super::{Design, InFlight, Location, Mutators, Reservation, Slot, State};
use crate::heap::Object;

/// Numbers of entries that an operation buffers.
#[derive(Clone, Copy, Default)]
struct Entries {
    increments: u8,
    decrements: u8,
}

/// Kinds of operations that the locks distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Store,
    Other,
}

impl Design {
    /// *allocate*: any free object, which starts at count one.
    pub(super) fn allocate(&self, from: &State, thread: u8, object: Object) -> Option<State> {
        if !self.may_act(from, thread, Operation::Other) || from.allocated.contains(object) {
            return None;
        }
        let mut to = *from;
        to.allocated.insert(object);
        to.held[usize::from(thread)].insert(object);
        to.rc[usize::from(object)] = 1;
        to.paint(object, super::Colour::Black);
        Some(to)
    }

    /// *load*: the thread reads a field of an object that it holds, and then holds the value.
    pub(super) fn load(&self, from: &State, thread: u8, slot: Slot) -> Option<State> {
        let value = from.read(slot)?;
        if !from.holds(thread, slot.object) {
            return None;
        }
        self.gain(from, thread, thread, value)
    }

    /// *pass*: another thread gains a local of this one. The passing thread buffers the
    /// increment.
    pub(super) fn pass(&self, from: &State, thread: u8, object: Object, to: u8) -> Option<State> {
        if thread == to || !from.holds(thread, object) {
            return None;
        }
        self.gain(from, thread, to, object)
    }

    /// *drop*: the thread drops a local.
    pub(super) fn drop(&self, from: &State, thread: u8, object: Object) -> Option<State> {
        let entries = Entries {
            increments: 0,
            decrements: 1,
        };
        if !self.may_act(from, thread, Operation::Other)
            || !from.holds(thread, object)
            || !self.room(from, thread, entries, entries)
        {
            return None;
        }
        let mut to = *from;
        to.held[usize::from(thread)].remove(object);
        to.decrements[self.stripe(thread)].add(object);
        Some(to)
    }

    /// *store*, the write of the field: the barrier's first step, or its second after the increment.
    pub(super) fn store(
        &self,
        from: &State,
        thread: u8,
        slot: Slot,
        value: Option<Object>,
    ) -> Option<State> {
        let old = from.read(slot);
        let state = from.in_flight[usize::from(thread)];
        let decrement = old.map_or(InFlight::Nothing, |old| InFlight::Decrement { old });
        let rest = match (self.variant.barrier, value) {
            (Barrier::IncrementFirst, Some(value)) => {
                let expected = InFlight::Exchange {
                    to: slot.object,
                    field: slot.field,
                    value,
                };
                if state != expected || !self.admits(from, Operation::Store) {
                    return None;
                }
                decrement
            }
            (Barrier::StoreFirst, Some(new)) => {
                if !self.may_store(from, thread, slot, value, old.is_some()) {
                    return None;
                }
                InFlight::Increment { new, old }
            }
            (_, None) => {
                if !self.may_store(from, thread, slot, value, old.is_some()) {
                    return None;
                }
                decrement
            }
        };
        let mut to = *from;
        to.in_flight[usize::from(thread)] = rest;
        to.fields[usize::from(slot.object)][usize::from(slot.field)] = value;
        Some(to)
    }

    /// *increment*, in the order increment first: it starts the store. The old value is not known
    /// yet, so room for a decrement is always reserved.
    pub(super) fn increment_first(
        &self,
        from: &State,
        thread: u8,
        slot: Slot,
        value: Object,
    ) -> Option<State> {
        if self.variant.barrier != Barrier::IncrementFirst
            || !self.may_store(from, thread, slot, Some(value), true)
        {
            return None;
        }
        let mut to = *from;
        self.increment(&mut to, thread, value);
        to.in_flight[usize::from(thread)] = InFlight::Exchange {
            to: slot.object,
            field: slot.field,
            value,
        };
        Some(to)
    }

    /// *increment*, after the store.
    pub(super) fn increment_after(&self, from: &State, thread: u8) -> Option<State> {
        let InFlight::Increment { new, old } = from.in_flight[usize::from(thread)] else {
            return None;
        };
        let full = from.increments[self.stripe(thread)].len() >= self.queue;
        let waits = full && self.buffered_increments(1) == 1;
        if waits || !self.admits(from, Operation::Store) {
            return None;
        }
        let mut to = *from;
        self.increment(&mut to, thread, new);
        to.in_flight[usize::from(thread)] =
            old.map_or(InFlight::Nothing, |old| InFlight::Decrement { old });
        Some(to)
    }

    /// *decrement*, the end of the barrier.
    pub(super) fn decrement(&self, from: &State, thread: u8) -> Option<State> {
        let InFlight::Decrement { old } = from.in_flight[usize::from(thread)] else {
            return None;
        };
        if from.decrements[self.stripe(thread)].len() >= self.queue
            || !self.admits(from, Operation::Store)
        {
            return None;
        }
        let mut to = *from;
        to.decrements[self.stripe(thread)].add(old);
        to.in_flight[usize::from(thread)] = InFlight::Nothing;
        Some(to)
    }

    /// A new local of `whose`, counted by `thread`; no effect if `whose` holds the object already.
    fn gain(&self, from: &State, thread: u8, whose: u8, object: Object) -> Option<State> {
        if !self.may_act(from, thread, Operation::Other) {
            return None;
        }
        let mut to = *from;
        if !from.holds(whose, object) {
            let entries = Entries {
                increments: self.buffered_increments(1),
                decrements: 0,
            };
            if !self.room(from, thread, entries, entries) {
                return None;
            }
            to.held[usize::from(whose)].insert(object);
            self.increment(&mut to, thread, object);
        }
        Some(to)
    }

    /// Whether a store may start.
    fn may_store(
        &self,
        from: &State,
        thread: u8,
        slot: Slot,
        value: Option<Object>,
        overwrites: bool,
    ) -> bool {
        let all = Entries {
            increments: self.buffered_increments(u8::from(value.is_some())),
            decrements: u8::from(overwrites),
        };
        let at_once = match self.variant.barrier {
            Barrier::StoreFirst => Entries::default(),
            Barrier::IncrementFirst => Entries {
                decrements: 0,
                ..all
            },
        };
        self.may_act(from, thread, Operation::Store)
            && from.holds(thread, slot.object)
            && value.is_none_or(|value| from.holds(thread, value))
            && self.room(from, thread, all, at_once)
    }

    /// Whether `thread` may start an operation.
    fn may_act(&self, from: &State, thread: u8, operation: Operation) -> bool {
        from.in_flight[usize::from(thread)] == InFlight::Nothing && self.admits(from, operation)
    }

    /// Whether the collector admits steps of such an operation.
    fn admits(&self, from: &State, operation: Operation) -> bool {
        match self.variant.mutators {
            Mutators::Free => true,
            Mutators::StoppedAtBarriers | Mutators::StoppedAnywhere => !from.locked(),
            Mutators::StoreLock => operation == Operation::Other || !from.locked(),
        }
    }

    /// Whether the threads let a collection start.
    pub(super) fn may_collect(&self, from: &State) -> bool {
        from.collector.at == Location::Idle
            && match self.variant.mutators {
                Mutators::Free | Mutators::StoppedAnywhere => true,
                Mutators::StoppedAtBarriers | Mutators::StoreLock => from.no_operation_in_flight(),
            }
    }

    /// Whether the stripe of `thread` has room for an operation that will buffer `all`, and `at_once`
    /// in its first step. Threads share stripes, so room is reserved, not only tested.
    fn room(&self, from: &State, thread: u8, all: Entries, at_once: Entries) -> bool {
        let stripe = self.stripe(thread);
        let wanted = match self.variant.reservation {
            Reservation::Unreserved => at_once,
            Reservation::Reserved => (0..self.mutators)
                .filter(|other| self.stripe(*other) == stripe)
                .map(|other| self.reserved(from.in_flight[usize::from(other)]))
                .fold(all, |sum, reserved| Entries {
                    increments: sum.increments + reserved.increments,
                    decrements: sum.decrements + reserved.decrements,
                }),
        };
        let fits = |buffered: u8, wanted: u8| wanted == 0 || buffered + wanted <= self.queue;
        fits(from.increments[stripe].len(), wanted.increments)
            && fits(from.decrements[stripe].len(), wanted.decrements)
    }

    /// Entries that an operation in flight has not yet buffered.
    fn reserved(&self, operation: InFlight) -> Entries {
        match operation {
            InFlight::Nothing => Entries::default(),
            InFlight::Increment { old, .. } => Entries {
                increments: self.buffered_increments(1),
                decrements: u8::from(old.is_some()),
            },
            InFlight::Exchange { .. } | InFlight::Decrement { .. } => Entries {
                increments: 0,
                decrements: 1,
            },
        }
    }

    fn stripe(&self, thread: u8) -> usize {
        usize::from(thread % self.stripes)
    }

    fn buffered_increments(&self, increments: u8) -> u8 {
        match self.variant.increments {
            Increments::Buffered => increments,
            Increments::Direct => 0,
        }
    }

    fn increment(&self, to: &mut State, thread: u8, object: Object) {
        match self.variant.increments {
            Increments::Buffered => to.increments[self.stripe(thread)].add(object),
            Increments::Direct => to.count(object, 1),
        }
    }
}
