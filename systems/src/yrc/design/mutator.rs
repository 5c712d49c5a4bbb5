//! The threads: operations on objects that they hold, and the write barrier.

use super::{Barrier, Increments};
use super::{Design, InFlight, Mutators, Reservation, Slot, State};
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
    pub(super) fn allocate(&self, state: &mut State, thread: u8, object: Object) -> Option<()> {
        self.may_act(state, thread, Operation::Other)?;
        (!state.allocated.contains(object)).then_some(())?;
        state.allocated.insert(object);
        state.held[usize::from(thread)].insert(object);
        state.rc[usize::from(object)] = 1;
        state.paint(object, super::Colour::Black);
        Some(())
    }

    /// *load*: the thread reads a field of an object that it holds, and then holds the value.
    pub(super) fn load(&self, state: &mut State, thread: u8, slot: Slot) -> Option<()> {
        let value = state.read(slot)?;
        state.holds(thread, slot.object).then_some(())?;
        self.gain(state, thread, thread, value)
    }

    /// *pass*: another thread gains a local of this one. The passing thread buffers the
    /// increment.
    pub(super) fn pass(&self, state: &mut State, thread: u8, object: Object, to: u8) -> Option<()> {
        (thread != to && state.holds(thread, object)).then_some(())?;
        self.gain(state, thread, to, object)
    }

    /// *drop*: the thread drops a local.
    pub(super) fn drop(&self, state: &mut State, thread: u8, object: Object) -> Option<()> {
        let entries = Entries {
            increments: 0,
            decrements: 1,
        };
        self.may_act(state, thread, Operation::Other)?;
        state.holds(thread, object).then_some(())?;
        self.room(state, thread, entries, entries)?;
        state.held[usize::from(thread)].remove(object);
        state.decrements[self.stripe(thread)].add(object);
        Some(())
    }

    /// *store*, the write of the field: the barrier's first step, or its second after the increment.
    pub(super) fn store(
        &self,
        state: &mut State,
        thread: u8,
        slot: Slot,
        value: Option<Object>,
    ) -> Option<()> {
        let old = state.read(slot);
        let decrement = old.map_or(InFlight::Nothing, |old| InFlight::Decrement { old });
        let in_flight = match (self.variant.barrier, value) {
            (Barrier::IncrementFirst, Some(value)) => {
                let expected = InFlight::Exchange {
                    to: slot.object,
                    field: slot.field,
                    value,
                };
                (state.in_flight[usize::from(thread)] == expected).then_some(())?;
                self.admits(state, Operation::Store)?;
                decrement
            }
            (Barrier::StoreFirst, Some(new)) => {
                self.may_store(state, thread, slot, value, old.is_some())?;
                InFlight::Increment { new, old }
            }
            (_, None) => {
                self.may_store(state, thread, slot, value, old.is_some())?;
                decrement
            }
        };
        state.in_flight[usize::from(thread)] = in_flight;
        state.fields[usize::from(slot.object)][usize::from(slot.field)] = value;
        Some(())
    }

    /// *increment*, in the order increment first: it starts the store. The old value is not known
    /// yet, so room for a decrement is always reserved.
    pub(super) fn increment_first(
        &self,
        state: &mut State,
        thread: u8,
        slot: Slot,
        value: Object,
    ) -> Option<()> {
        (self.variant.barrier == Barrier::IncrementFirst).then_some(())?;
        self.may_store(state, thread, slot, Some(value), true)?;
        self.increment(state, thread, value);
        state.in_flight[usize::from(thread)] = InFlight::Exchange {
            to: slot.object,
            field: slot.field,
            value,
        };
        Some(())
    }

    /// *increment*, after the store.
    pub(super) fn increment_after(&self, state: &mut State, thread: u8) -> Option<()> {
        let InFlight::Increment { new, old } = state.in_flight[usize::from(thread)] else {
            return None;
        };
        let full = state.increments[self.stripe(thread)].len() >= self.queue;
        let waits = full && self.buffered_increments(1) == 1;
        (!waits).then_some(())?;
        self.admits(state, Operation::Store)?;
        self.increment(state, thread, new);
        state.in_flight[usize::from(thread)] =
            old.map_or(InFlight::Nothing, |old| InFlight::Decrement { old });
        Some(())
    }

    /// *decrement*, the end of the barrier.
    pub(super) fn decrement(&self, state: &mut State, thread: u8) -> Option<()> {
        let InFlight::Decrement { old } = state.in_flight[usize::from(thread)] else {
            return None;
        };
        self.admits(state, Operation::Store)?;
        let queue = &mut state.decrements[self.stripe(thread)];
        (queue.len() < self.queue).then_some(())?;
        queue.add(old);
        state.in_flight[usize::from(thread)] = InFlight::Nothing;
        Some(())
    }

    /// A new local of `whose`, counted by `thread`; no effect if `whose` holds the object already.
    fn gain(&self, state: &mut State, thread: u8, whose: u8, object: Object) -> Option<()> {
        self.may_act(state, thread, Operation::Other)?;
        if !state.holds(whose, object) {
            let entries = Entries {
                increments: self.buffered_increments(1),
                decrements: 0,
            };
            self.room(state, thread, entries, entries)?;
            state.held[usize::from(whose)].insert(object);
            self.increment(state, thread, object);
        }
        Some(())
    }

    /// That a store may start.
    fn may_store(
        &self,
        from: &State,
        thread: u8,
        slot: Slot,
        value: Option<Object>,
        overwrites: bool,
    ) -> Option<()> {
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
        self.may_act(from, thread, Operation::Store)?;
        let mut held = [slot.object].into_iter().chain(value);
        held.all(|held| from.holds(thread, held)).then_some(())?;
        self.room(from, thread, all, at_once)
    }

    /// That `thread` may start an operation.
    fn may_act(&self, from: &State, thread: u8, operation: Operation) -> Option<()> {
        (from.in_flight[usize::from(thread)] == InFlight::Nothing).then_some(())?;
        self.admits(from, operation)
    }

    /// That the collector admits steps of such an operation.
    fn admits(&self, from: &State, operation: Operation) -> Option<()> {
        let admitted = match self.variant.mutators {
            Mutators::Free => true,
            Mutators::StoppedAtBarriers | Mutators::StoppedAnywhere => !from.locked(),
            Mutators::StoreLock => operation == Operation::Other || !from.locked(),
        };
        admitted.then_some(())
    }

    /// That the threads let a collection start.
    pub(super) fn may_collect(&self, from: &State) -> Option<()> {
        let let_it = match self.variant.mutators {
            Mutators::Free | Mutators::StoppedAnywhere => true,
            Mutators::StoppedAtBarriers | Mutators::StoreLock => from.no_operation_in_flight(),
        };
        let_it.then_some(())
    }

    /// That the stripe of `thread` has room for an operation that will buffer `all`, and `at_once`
    /// in its first step. Threads share stripes, so room is reserved, not only tested.
    fn room(&self, from: &State, thread: u8, all: Entries, at_once: Entries) -> Option<()> {
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
        let both_fit = fits(from.increments[stripe].len(), wanted.increments)
            && fits(from.decrements[stripe].len(), wanted.decrements);
        both_fit.then_some(())
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
