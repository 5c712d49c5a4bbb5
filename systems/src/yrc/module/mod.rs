//! The module `yrc_proof` as stated: its formulas, and not its comments.
//!
//! A rule is a conjunction of equations for the primed variables. Where two conjuncts give one
//! variable two values the conjunction is false, and the rule is what remains: `MutatorWrite`
//! conjoins "`edges` becomes" with "`edges` is unchanged", and "`toInc` grows" with "`toInc` is
//! unchanged", so it is enabled only where it changes nothing. That is kept as stated.
//!
//! Deviations.
//!
//! - M1: `lockInc`, `lockDec`, `gcEnv` and `pendingWrites` are left out. No rule changes or reads
//!   them, but that `StartCollection` sets `gcEnv` to its initial value. Nothing is hidden.
//! - M2: there is one stripe and one object type. `GetStripe` is 0 for every thread, so further
//!   stripes stay empty; types are copied and never read.
//! - M3: `MarkGray` and `Scan` quantify over `Seq(Objects)`, which is infinite; a model checker stops
//!   with an error there. They are disabled.
//! - M4: `MutatorWriteMergeDec` reads the field `obj` of objects, and `EndCollection` draws the
//!   elements of a sequence as if it were a set. Both are ill-typed; they are disabled. A disabled
//!   rule may hide states: none is hidden as long as no rule leads to where it would be enabled,
//!   which coverage shows for thresholds above 0.
//! - M5: `EXCEPT ![NULL]`, in `MutatorRootAssign` without an object, changes nothing, as in TLA+.

mod constants;
mod state;

use std::ops::Range;

use refmap::drawing::{Drawing, Node, Row, Shade};
use refmap::{BoundedVec, TransitionSystem};
use serde::Serialize;

use crate::heap::{self, Heap, Object, Objects};

pub use constants::Module;
pub use state::{Colour, MAX_QUEUE, State};

/// A disjunct of `Next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[action(system = Module, unnumbered = system.threads == 1)]
#[rule(process = "collector", source = "yrc_proof, Next")]
#[process(0..system.threads)]
pub enum Action {
    /// `MutatorWrite`
    #[rule(process = heap::MUTATOR)]
    MutatorWrite {
        #[process]
        thread: u8,
        /// `destObj`
        #[action(range = 0..system.objects)]
        dest: Object,
        /// `oldVal`
        #[action(range = 0..system.objects)]
        old: Option<Object>,
        /// `newVal`
        #[action(range = 0..system.objects)]
        new: Option<Object>,
    },
    /// `MutatorWriteMergeInc`
    #[rule(process = heap::MUTATOR)]
    MutatorWriteMergeInc {
        #[process]
        thread: u8,
    },
    /// `MutatorWriteMergeDec`
    #[rule(process = heap::MUTATOR)]
    MutatorWriteMergeDec {
        #[process]
        thread: u8,
    },
    /// `MutatorRootAssign`
    #[rule(process = heap::MUTATOR)]
    MutatorRootAssign {
        #[process]
        thread: u8,
        /// The object let go of, if `val` is none.
        #[action(range = 0..system.objects)]
        obj: Option<Object>,
        /// The object taken.
        #[action(range = 0..system.objects)]
        val: Option<Object>,
    },
    /// `CollectorAcquireLock`
    CollectorAcquireLock {
        #[action(range = 0..system.threads)]
        thread: u8,
    },
    /// `CollectorMerge`
    CollectorMerge,
    /// `CollectorStart`
    CollectorStart,
    /// `CollectorMarkGray`
    CollectorMarkGray,
    /// `CollectorScan`
    CollectorScan,
    /// `CollectorCollect`
    CollectorCollect {
        /// The place of the object in `mergedRoots`.
        #[action(range = 0..system.objects)]
        root: u8,
        /// `targetColor`
        #[action(any)]
        target: Colour,
    },
    /// `CollectorEnd`
    CollectorEnd,
    /// `CollectorReleaseLock`
    CollectorReleaseLock {
        #[action(range = 0..system.threads)]
        thread: u8,
    },
}

impl Module {
    /// The sets of objects, by their bits.
    fn subsets(&self) -> Range<u16> {
        0..1 << self.objects
    }

    /// `MutatorWrite`, with the precondition that `Next` puts before it.
    fn mutator_write(
        &self,
        from: &State,
        dest: Object,
        old: Option<Object>,
        new: Option<Object>,
    ) -> Option<State> {
        let edges = from.edges[usize::from(dest)];
        old.is_none_or(|old| edges.contains(old)).then_some(())?;
        // `MutatorWriteAtomicStore`: all variables but `edges` are unchanged.
        let mut stored = *from;
        stored.edges[usize::from(dest)] = Objects::default().with(new);
        let full = |queue: &[Object]| queue.len() >= usize::from(self.queue);
        let overflow = new.is_some() && full(&from.to_inc) || old.is_some() && full(&from.to_dec);
        if overflow {
            // The same variables are unchanged.
            return Some(stored);
        }
        // `WriteBarrier`: all variables but the queues are unchanged. Each conjunct gives every variable a value.
        let mut buffered = *from;
        buffered.to_inc.extend(new);
        buffered.to_dec.extend(old);
        (stored == buffered).then_some(stored)
    }

    /// `MutatorWriteMergeInc`
    fn merge_inc(&self, state: &mut State) -> Option<()> {
        let full = state.to_inc.len() >= usize::from(self.queue);
        (full && state.global_lock.is_none()).then_some(())?;
        state.to_inc.clear();
        self.count(state);
        Some(())
    }

    /// `rc` becomes `LogicalRC`.
    fn count(&self, state: &mut State) {
        for object in 0..self.objects {
            state.rc[usize::from(object)] = state.logical_rc(object);
        }
    }

    /// `MutatorRootAssign`
    fn root_assign(state: &mut State, thread: u8, obj: Option<Object>, val: Option<Object>) {
        let roots = &mut state.roots[usize::from(thread)];
        match (val, obj) {
            (Some(val), _) => {
                state.rc[usize::from(val)] += i8::from(!roots.contains(val));
                roots.insert(val);
            }
            (None, Some(obj)) => {
                state.rc[usize::from(obj)] -= i8::from(roots.contains(obj));
                roots.remove(obj);
            }
            (None, None) => (),
        }
    }

    /// `CollectorMerge`: `MergePendingRoots` under the lock.
    fn merge(&self, state: &mut State) -> Option<()> {
        state.global_lock?;
        self.count(state);
        let new_roots: Objects = state.to_dec.iter().copied().collect();
        let new_roots = new_roots.without(state.in_roots);
        state.merged_roots.extend(new_roots.iter());
        let merged = state.merged_roots.iter().copied().collect();
        state.in_roots = state.in_roots.and(merged);
        state.to_inc.clear();
        state.to_dec.clear();
        Some(())
    }

    /// `CollectorStart`: `StartCollection` under the lock.
    fn start(&self, state: &mut State) -> Option<()> {
        state.global_lock?;
        let enough = state.merged_roots.len() >= usize::from(self.threshold);
        (!state.collecting && enough).then_some(())?;
        state.collecting = true;
        Some(())
    }

    /// `CollectorCollect`: `CollectColor` of an object of `mergedRoots`.
    fn collect(state: &mut State, root: u8, target: Colour) -> Option<()> {
        state.global_lock?;
        let object = *state.merged_roots.get(usize::from(root))?;
        let color = &mut state.color[usize::from(object)];
        let is_target = target != Colour::Black && *color == target;
        let is_root = state.in_roots.contains(object);
        (state.collecting && is_target && !is_root).then_some(())?;
        state.edges[usize::from(object)].remove(object);
        *color = Colour::Black;
        Some(())
    }
}

impl TransitionSystem for Module {
    type State = State;
    type Action = Action;
    type Observation = Heap;

    /// `Init`
    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            edges: (0..self.objects).map(|_| Objects::default()).collect(),
            roots: (0..self.threads).map(|_| Objects::default()).collect(),
            rc: (0..self.objects).map(|_| 0).collect(),
            color: (0..self.objects).map(|_| Colour::Black).collect(),
            in_roots: Objects::default(),
            to_inc: BoundedVec::new(),
            to_dec: BoundedVec::new(),
            global_lock: None,
            merged_roots: BoundedVec::new(),
            collecting: false,
        });
    }

    /// `Next`
    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::MutatorWrite { dest, old, new, .. } => {
                *state = self.mutator_write(state, dest, old, new)?;
            }
            Action::MutatorWriteMergeInc { .. } => self.merge_inc(state)?,
            Action::MutatorRootAssign { thread, obj, val } => {
                Self::root_assign(state, thread, obj, val);
            }
            Action::CollectorAcquireLock { thread } => {
                state.global_lock.is_none().then_some(())?;
                state.global_lock = Some(thread);
            }
            Action::CollectorMerge => self.merge(state)?,
            Action::CollectorStart => self.start(state)?,
            Action::CollectorCollect { root, target } => Self::collect(state, root, target)?,
            Action::CollectorReleaseLock { thread } => {
                (state.global_lock == Some(thread)).then_some(())?;
                state.global_lock = None;
            }
            // M3 and M4: disabled.
            Action::MutatorWriteMergeDec { .. }
            | Action::CollectorMarkGray
            | Action::CollectorScan
            | Action::CollectorEnd => return None,
        }
        Some(())
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let nodes = state.edges.iter().enumerate().map(|(object, edges)| {
            let node =
                Node::new(object)
                    .value("rc", state.rc[object])
                    .shade(match state.color[object] {
                        Colour::Black => Shade::Black,
                        Colour::Gray => Shade::Grey,
                        Colour::White => Shade::White,
                    });
            edges.iter().fold(node, |node, to| node.to("", to))
        });
        let lock = state
            .global_lock
            .map_or("free".to_owned(), |thread| thread.to_string());
        let shared = Row::new()
            .value("lock", lock)
            .queue("toInc", state.to_inc)
            .queue("toDec", state.to_dec);
        let roots = state.roots.iter().enumerate();
        let roots = roots
            .map(|(thread, roots)| Row::of(format!("thread {thread}")).set("roots", roots.iter()));
        Some(roots.fold(Drawing::default().nodes(nodes).row(shared), Drawing::row))
    }

    /// The heap as the threads see it: every object is allocated, and has one field.
    fn observe(&self, state: &State) -> Heap {
        Heap {
            allocated: Objects::first(self.objects),
            fields: state
                .edges
                .iter()
                .map(|edges| [edges.iter().next()].into_iter().collect())
                .collect(),
            held: state.roots.iter().copied().collect(),
        }
        .hiding_the_unreachable()
    }
}
