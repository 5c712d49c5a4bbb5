//! The collector: its steps under the global lock, each one slot or one phase.

use super::{Captured, Colour, Design, Location, Slot, State};
use super::{Granularity, Merge, TrialDeletion};
use crate::heap::{Object, Objects};

/// A queue of a stripe.
enum Queue {
    Increments,
    Decrements,
}

impl Design {
    /// *start*: the collector takes the global lock.
    pub(super) fn start(&self, state: &mut State) -> Option<()> {
        (!state.locked()).then_some(())?;
        self.may_collect(state)?;
        state.collector.at = Location::Merge(0);
        Some(())
    }

    /// A step in the current phase of the collector.
    pub(super) fn collect(&self, state: &mut State) {
        match self.variant.granularity {
            Granularity::Slot => self.work(state),
            Granularity::Phase => {
                let phase = std::mem::discriminant(&state.collector.at);
                while std::mem::discriminant(&state.collector.at) == phase {
                    self.work(state);
                }
            }
        }
    }

    /// Processes one queue, one object or one slot, and enters the next phase if this one is complete.
    fn work(&self, to: &mut State) {
        match to.collector.at {
            Location::Idle => (),
            Location::Merge(position) => self.merge(to, position),
            Location::MarkGrey => self.mark_grey(to),
            Location::Scan if !to.collector.rescue.is_empty() => self.scan_black(to),
            Location::Scan => self.scan(to),
            Location::CollectWhite => self.collect_white(to),
            Location::Free => self.free(to),
        }
        self.settle(to);
    }

    fn settle(&self, to: &mut State) {
        loop {
            let left = &to.collector;
            let traced = left.todo.is_empty() && left.stack.is_empty() && left.rescue.is_empty();
            let (done, next) = match left.at {
                Location::Idle => (false, Location::Idle),
                Location::Merge(position) => (position == 2 * self.stripes, Location::MarkGrey),
                Location::MarkGrey => (traced, Location::Scan),
                Location::Scan => (traced, Location::CollectWhite),
                Location::CollectWhite => (traced, Location::Free),
                Location::Free => (left.condemned.is_empty(), Location::Idle),
            };
            if !done {
                return;
            }
            to.collector.at = next;
            match next {
                Location::MarkGrey | Location::Scan | Location::CollectWhite => {
                    to.collector.todo = to.candidates;
                }
                Location::Idle => self.finish(to),
                Location::Merge(_) | Location::Free => (),
            }
        }
    }

    /// The end of a collection: clears the side table and its colours; without a side table, the candidates, which
    /// otherwise the commit clears.
    fn finish(&self, to: &mut State) {
        if self.variant.trial_deletion.has_side_table() {
            let table = &mut to.collector.side_table;
            table.iter_mut().for_each(|entry| *entry = None);
            to.colour.fill(Colour::Black);
        } else {
            to.candidates = Objects::default();
        }
    }

    /// *merge*: applies a queue to the counts; decremented objects become candidates.
    fn merge(&self, to: &mut State, position: u8) {
        let end = match self.variant.merge {
            Merge::Atomic => 2 * self.stripes,
            _ => position + 1,
        };
        for position in position..end {
            let (stripe, queue) = self.queue_at(position);
            let bag = match queue {
                Queue::Increments => &mut to.increments[usize::from(stripe)],
                Queue::Decrements => &mut to.decrements[usize::from(stripe)],
            };
            let merged = std::mem::replace(bag, super::Bag::empty(self.objects));
            for object in merged.objects().iter() {
                let entries = merged.of(object) as i8;
                match queue {
                    Queue::Increments => to.count(object, entries),
                    Queue::Decrements => {
                        to.count(object, -entries);
                        to.candidates.insert(object);
                    }
                }
            }
        }
        to.collector.at = Location::Merge(end);
    }

    fn queue_at(&self, position: u8) -> (u8, Queue) {
        let (of_stripe, of_all) = (position.is_multiple_of(2), position < self.stripes);
        let (stripe, increments) = match self.variant.merge {
            Merge::IncrementsFirst | Merge::Atomic => (position / 2, of_stripe),
            Merge::DecrementsFirst => (position / 2, !of_stripe),
            Merge::AllIncrementsFirst => (position % self.stripes, of_all),
            Merge::AllDecrementsFirst => (position % self.stripes, !of_all),
        };
        if increments {
            (stripe, Queue::Increments)
        } else {
            (stripe, Queue::Decrements)
        }
    }

    /// *mark grey*: trial deletion of the references from visited objects.
    fn mark_grey(&self, to: &mut State) {
        let met = match to.collector.stack.pop() {
            None => take(&mut to.collector.todo),
            Some(slot) => {
                let child = to.read(slot);
                if let Some(child) = child {
                    self.meet(to, child);
                    self.adjust(to, child, -1);
                }
                child
            }
        };
        let Some(object) = met else { return };
        self.meet(to, object);
        if to.colour_of(object) != Colour::Grey {
            to.paint(object, Colour::Grey);
            let slots = self.slots(object);
            to.collector.stack.extend(slots);
        }
    }

    /// *scan*: an object with a remaining count is rescued, and one without is white.
    fn scan(&self, to: &mut State) {
        let met = match to.collector.stack.pop() {
            None => take(&mut to.collector.todo),
            Some(slot) => to.read(slot),
        };
        let Some(object) = met.filter(|object| to.colour_of(*object) == Colour::Grey) else {
            return;
        };
        let slots = self.slots(object);
        if self.rest(to, object) > 0 {
            to.paint(object, Colour::Black);
            to.collector.rescue.extend(slots);
        } else {
            to.paint(object, Colour::White);
            to.collector.stack.extend(slots);
        }
    }

    /// *scan black*: the objects that a rescued object refers to get their counts back, and are rescued too.
    fn scan_black(&self, to: &mut State) {
        let met = to.collector.rescue.pop().and_then(|slot| to.read(slot));
        let Some(object) = met else { return };
        self.adjust(to, object, 1);
        if to.colour_of(object) != Colour::Black {
            to.paint(object, Colour::Black);
            let slots = self.slots(object);
            to.collector.rescue.extend(slots);
        }
    }

    /// *collect white*: condemns white objects; side tables are committed in one step.
    fn collect_white(&self, to: &mut State) {
        match self.variant.trial_deletion {
            TrialDeletion::InPlace => self.condemn_white(to),
            TrialDeletion::Captured => self.commit(to, Objects::default()),
            TrialDeletion::Validated => {
                let live = self.live(to, to.pending());
                self.commit(to, live);
            }
            TrialDeletion::ValidatedInFlight => {
                let live = self.live(to, to.pending().and(to.owed()));
                self.commit(to, live);
            }
        }
    }

    fn condemn_white(&self, to: &mut State) {
        let met = match to.collector.stack.pop() {
            None => take(&mut to.collector.todo),
            Some(slot) => to.read(slot),
        };
        let Some(object) = met.filter(|object| to.colour_of(*object) == Colour::White) else {
            return;
        };
        to.paint(object, Colour::Black);
        to.collector.condemned.insert(object);
        let slots = self.slots(object);
        to.collector.stack.extend(slots);
    }

    /// Condemns the white objects that are not live, and subtracts their references from the counts of survivors.
    /// A white and live object stays a candidate: when its entries are merged it may be garbage with a
    /// count above 0, and no decrement will make it a candidate again.
    fn commit(&self, to: &mut State, live: Objects) {
        let white = (0..self.objects).filter(|object| to.colour_of(*object) == Colour::White);
        let white: Objects = white.collect();
        let condemned = white.without(live);
        to.candidates = white.without(condemned);
        for object in condemned.iter() {
            for slot in self.slots(object) {
                if let Some(child) = to.read(slot).filter(|child| !condemned.contains(*child)) {
                    to.count(child, -1);
                }
            }
        }
        to.collector.condemned = condemned;
        to.collector.todo = Objects::default();
    }

    /// The captured objects with a pending entry, or with a count that differs from the captured one, and what is reachable from them.
    fn live(&self, to: &State, pending: Objects) -> Objects {
        let captured = (0..).zip(&to.collector.side_table);
        let changed = captured.filter(|(object, entry)| {
            let rc = to.rc[usize::from(*object)];
            entry.is_some_and(|captured| pending.contains(*object) || rc != captured.rc)
        });
        let changed: Objects = changed.map(|(object, _)| object).collect();
        changed.reaching(|object| Objects::of(&to.fields[usize::from(object)]))
    }

    /// *free*: frees a condemned object, with its fields.
    fn free(&self, to: &mut State) {
        let Some(object) = take(&mut to.collector.condemned) else {
            return;
        };
        let index = usize::from(object);
        to.allocated.remove(object);
        to.candidates.remove(object);
        to.fields[index].iter_mut().for_each(|field| *field = None);
        to.rc[index] = 0;
    }

    /// Captures the count of `object` at its first visit by trial deletion.
    fn meet(&self, to: &mut State, object: Object) {
        if self.variant.trial_deletion.has_side_table() {
            let rc = to.rc[usize::from(object)];
            let entry = &mut to.collector.side_table[usize::from(object)];
            entry.get_or_insert(Captured { rc, rest: rc });
        }
    }

    /// Trial deletion subtracts a reference to `object`, or restores it. An unvisited object is not
    /// in the side table, and survives.
    fn adjust(&self, to: &mut State, object: Object, by: i8) {
        if !self.variant.trial_deletion.has_side_table() {
            to.count(object, by);
        } else if let Some(captured) = &mut to.collector.side_table[usize::from(object)] {
            captured.rest += by;
        }
    }

    /// The remaining count of `object` in trial deletion.
    fn rest(&self, from: &State, object: Object) -> i8 {
        match from.collector.side_table[usize::from(object)] {
            Some(captured) => captured.rest,
            None => from.rc[usize::from(object)],
        }
    }

    fn slots(&self, object: Object) -> impl Iterator<Item = Slot> + use<> {
        (0..self.fields).map(move |field| Slot { object, field })
    }
}

/// Removes the first object.
fn take(objects: &mut Objects) -> Option<Object> {
    let first = objects.iter().next()?;
    objects.remove(first);
    Some(first)
}
