//! The design that the comments of `yrc_proof` describe, and its variants: reference counts with
//! buffered increments and decrements, and a cycle collector by trial deletion that runs under a
//! global lock while threads continue to store.
//!
//! The design as described is unsafe. Two rules tell the variants that are safe from the rest, and
//! the catalogue has a pair of checks, alike in all else, for each.
//!
//! 1. *Between the two reads of a field by a collection, no edge is created or deleted without its
//!    entry.* Trial deletion takes an edge off a count, so the increment for it must have been
//!    merged. With threads stopped anywhere, `--barrier store-first` leaves an edge written whose
//!    increment is not buffered, and is unsafe; `--barrier increment-first` is safe. Stopping between
//!    operations, or excluding stores, satisfies the rule in either order.
//! 2. *No decrement is merged without the increments that came before it.* Where threads load and
//!    drop during the merge, a load and a drop interleave between the merges of the two queues:
//!    `--merge increments-first` is unsafe with stores excluded, and `--merge decrements-first` is
//!    safe on one stripe. On two, a decrement of the second stripe overtakes an increment of the
//!    first, and `all-decrements-first` is safe. So are a merge in one step, and direct increments.
//!
//! If threads continue to store during a collection the first rule cannot be satisfied, and no order of the
//! barrier or of the merge suffices. Then the commit must validate against concurrent changes: the pending
//! entries, which also compensates for a violation of the second rule, and those that an operation in flight
//! has not yet buffered. `--trial-deletion validated` considers the former only. With one object and
//! `increment-first` that suffices; with two, the collector frees an object whose reference has just
//! been overwritten, and the following decrement hits the object that is allocated there next.
//! `validated-in-flight` is safe in either order.
//!
//! Room is reserved before an operation starts (`--unreserved` leaves that out). Without it a thread can
//! block in the middle of its barrier at a full queue and wait for a merge; where threads are
//! stopped only between operations, or stores are excluded, the collector waits for that thread to
//! finish: a deadlock after 7 steps.
//!
//! Completeness, that collections free every unreachable object, is decided by reachability: from every
//! quiescent state (no operation in flight, no collection running) the collector alone reaches a state
//! without garbage. It holds of every safe variant, and is a test. The catalogue claims the liveness property for those
//! of two objects: an object that no thread can reach is freed, if the collector goes on and threads do not stop
//! within a store ([`Progress`]). Of threads that are stopped anywhere that fairness has to be strong: a collection
//! may start whenever one ends, so that what a thread still has to do is enabled again and again, and never for long.
//!
//! Deviations.
//!
//! - D1: a count is of all references, and an object lives while it is above 0; Nim stores one less.
//!   Nothing is hidden.
//! - D2: a thread's locals are a set. Acquiring an object that the thread holds already buffers
//!   no entry, so entries for two locals of one thread that hold the same object do not occur.
//! - D3: loads, drops, passes and allocations are one step each with their entry, and the old value of
//!   a store is read in the step that overwrites it. An entry is put into a queue in one step, and a
//!   queue merged in one, which models the stripe's lock. Races inside these steps, and weak memory, are hidden.
//! - D4: queues are bags, since a merge only sums entries.
//! - D5: an operation that finds no room waits for a merge by the collector; it does not take the
//!   global lock to merge for itself. That hides merges outside a collection. Without reservation only
//!   stores wait in the middle: the other operations are one step.
//! - D6: one collecting thread starts a collection at any time, with any number of candidates, which
//!   allows more behaviours than a threshold.
//! - D7: a phase begins in the step that ends the one before, and a phase with nothing to do is
//!   skipped. Trial deletion pushes all slots of an object, and skips those that hold nothing when
//!   they are popped.
//! - D8: the fields of a condemned object are cleared when it is freed, not when collect white pops
//!   them: in a safe design that is unobservable, and an unsafe one is refuted by what it frees.
//! - D9: with side tables the commit is one step, under the locks of all stripes: validation, and the
//!   counts of surviving objects. The colours are in the side table and are cleared with it. Races with the
//!   commit are hidden.
//! - D10: an object that only validation saves stays a candidate, which the source does not say. Without that
//!   an object whose increment is pending at the commit is never freed if it refers to itself.

mod collector;
mod drawing;
mod fairness;
mod instance;
mod mutator;
mod state;
mod variants;

pub use instance::Design;
pub use state::{
    Bag, Captured, Collector, Colour, InFlight, Location, MAX_OBJECTS, MAX_QUEUE, MAX_STRIPES,
    Slot, Stack, State,
};
pub use variants::{
    Barrier, Granularity, Increments, Merge, Mutators, Progress, Reservation, TrialDeletion,
    Variant,
};

use std::ops::Range;

use refmap::drawing::Drawing;
use refmap::{BoundedVec, Fairness, TransitionSystem};
use serde::Serialize;

use crate::heap::{self, Fields, Heap, Object, Objects};

/// A step of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[action(system = Design, unnumbered = system.mutators == 1)]
#[rule(process = heap::MUTATOR)]
#[process(0..system.mutators)]
pub enum Action {
    /// A thread gets a free object.
    #[rule(source = "YRC, a new object")]
    Allocate {
        #[process]
        thread: u8,
        /// The allocated object.
        #[action(range = system.indices())]
        object: Object,
    },
    /// A thread reads a field, and then holds what is there.
    #[rule(source = "YRC, a reference read")]
    Load {
        #[process]
        thread: u8,
        /// The value read.
        #[action(any)]
        from: Slot,
    },
    /// A thread drops a local.
    #[rule(source = "YRC, a local that ends")]
    Drop {
        #[process]
        thread: u8,
        #[action(range = system.indices())]
        object: Object,
    },
    /// A thread passes an object that it holds to another thread.
    #[rule(source = "YRC, a reference sent to another thread")]
    Pass {
        #[process]
        thread: u8,
        #[action(range = system.indices())]
        object: Object,
        /// The receiving thread.
        #[action(range = 0..system.mutators)]
        to: u8,
    },
    /// The write of a field.
    #[rule(source = "yrc_proof, Write Barrier, 1")]
    Store {
        #[process]
        thread: u8,
        /// The value written.
        #[action(any)]
        to: Slot,
        /// The new value.
        #[action(range = system.indices())]
        value: Option<Object>,
    },
    /// The increment that starts a store, where the barrier begins with it.
    #[rule(name = "increment", source = "yrc_proof, Write Barrier, 2")]
    IncrementFirst {
        #[process]
        thread: u8,
        /// The value to be written.
        #[action(any)]
        to: Slot,
        /// The new value.
        #[action(range = system.indices())]
        value: Object,
    },
    /// The increment that follows the write of the field.
    #[rule(name = "increment")]
    Increment {
        #[process]
        thread: u8,
    },
    /// The decrement that ends a store.
    #[rule(source = "yrc_proof, Write Barrier, 3")]
    Decrement {
        #[process]
        thread: u8,
    },
    /// The collector takes the global lock.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle")]
    Start,
    /// The collector merges a queue, or all of them.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 1")]
    Merge,
    /// Trial deletion.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 2")]
    MarkGrey,
    /// The search for external references.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 3")]
    Scan,
    /// The rescue of objects with one, and of those reachable from them.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 3")]
    ScanBlack,
    /// The condemnation of the white objects.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 4")]
    CollectWhite,
    /// The freeing of a condemned object.
    #[rule(process = "collector", source = "yrc_proof, Collection Cycle, 4")]
    Free,
}

impl Design {
    /// The objects, by their numbers.
    fn indices(&self) -> Range<Object> {
        0..self.objects
    }

    /// The sets of objects, by their bits.
    fn subsets(&self) -> Range<u16> {
        0..1 << self.objects
    }

    /// The next step of the collector, if it is in a collection.
    fn phase(from: &State) -> Option<Action> {
        Some(match from.collector.at {
            Location::Idle => return None,
            Location::Merge(_) => Action::Merge,
            Location::MarkGrey => Action::MarkGrey,
            Location::Scan if from.collector.rescue.is_empty() => Action::Scan,
            Location::Scan => Action::ScanBlack,
            Location::CollectWhite => Action::CollectWhite,
            Location::Free => Action::Free,
        })
    }
}

impl TransitionSystem for Design {
    type State = State;
    type Action = Action;
    type Observation = Heap;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let no_fields: Fields = (0..self.fields).map(|_| None).collect();
        let no_entries: BoundedVec<_, _> = (0..self.stripes)
            .map(|_| Bag::empty(self.objects))
            .collect();
        visit(State {
            allocated: Objects::default(),
            fields: (0..self.objects).map(|_| no_fields).collect(),
            held: (0..self.mutators).map(|_| Objects::default()).collect(),
            rc: (0..self.objects).map(|_| 0).collect(),
            colour: (0..self.objects).map(|_| Colour::Black).collect(),
            candidates: Objects::default(),
            increments: no_entries,
            decrements: no_entries,
            in_flight: (0..self.mutators).map(|_| InFlight::Nothing).collect(),
            collector: Collector {
                side_table: (0..self.objects).map(|_| None).collect(),
                ..Collector::default()
            },
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Allocate { thread, object } => self.allocate(state, thread, object),
            Action::Load { thread, from } => self.load(state, thread, from),
            Action::Drop { thread, object } => self.drop(state, thread, object),
            Action::Pass { thread, object, to } => self.pass(state, thread, object, to),
            Action::Store { thread, to, value } => self.store(state, thread, to, value),
            Action::IncrementFirst { thread, to, value } => {
                self.increment_first(state, thread, to, value)
            }
            Action::Increment { thread } => self.increment_after(state, thread),
            Action::Decrement { thread } => self.decrement(state, thread),
            Action::Start => self.start(state),
            Action::Merge
            | Action::MarkGrey
            | Action::Scan
            | Action::ScanBlack
            | Action::CollectWhite
            | Action::Free => {
                (Self::phase(state) == Some(*action)).then_some(())?;
                self.collect(state);
                Some(())
            }
        }
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.variant.progress.conditions(self)
    }

    fn observe(&self, state: &State) -> Heap {
        state.heap()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(state.draw())
    }
}
