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
mod equations;
mod state;

use std::ops::Range;

use refmap::drawing::{Drawing, Node, Row, Shade};
use refmap::{BoundedVec, Process, TransitionSystem, offer};
use serde::Serialize;

use crate::heap::{self, Heap, Object, Objects};
use equations::{Equations, Var};

pub use constants::Module;
pub use state::{Colour, MAX_QUEUE, State};

/// A disjunct of `Next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "collector", source = "yrc_proof, Next")]
pub enum Action {
    /// `MutatorWrite`
    #[rule(process = heap::MUTATOR)]
    MutatorWrite {
        /// The thread.
        #[process]
        thread: u8,
        /// `destObj`
        dest: Object,
        /// `oldVal`
        old: Option<Object>,
        /// `newVal`
        new: Option<Object>,
    },
    /// `MutatorWriteMergeInc`
    #[rule(process = heap::MUTATOR)]
    MutatorWriteMergeInc {
        /// The thread.
        #[process]
        thread: u8,
    },
    /// `MutatorWriteMergeDec`
    #[rule(process = heap::MUTATOR)]
    MutatorWriteMergeDec {
        /// The thread.
        #[process]
        thread: u8,
    },
    /// `MutatorRootAssign`
    #[rule(process = heap::MUTATOR)]
    MutatorRootAssign {
        /// The thread.
        #[process]
        thread: u8,
        /// The object let go of, if `val` is none.
        obj: Option<Object>,
        /// The object taken.
        val: Option<Object>,
    },
    /// `CollectorAcquireLock`
    CollectorAcquireLock {
        /// The thread.
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
        root: u8,
        /// `targetColor`
        target: Colour,
    },
    /// `CollectorEnd`
    CollectorEnd,
    /// `CollectorReleaseLock`
    CollectorReleaseLock {
        /// The thread.
        thread: u8,
    },
}

impl Module {
    /// The sets of objects, by their bits.
    fn subsets(&self) -> Range<u16> {
        0..1 << self.objects
    }

    /// `MutatorWriteAtomicStore`
    fn atomic_store(from: &State, dest: Object, new: Option<Object>) -> Option<Equations> {
        Equations::none(from)
            .equals(Var::Edges, from, |s| {
                let mut row = Objects::default();
                if let Some(new) = new {
                    row.insert(new);
                }
                s.edges[usize::from(dest)] = row;
            })?
            .unchanged(
                from,
                &[
                    Var::Roots,
                    Var::Rc,
                    Var::Color,
                    Var::InRoots,
                    Var::ToInc,
                    Var::ToDec,
                    Var::GlobalLock,
                    Var::MergedRoots,
                    Var::Collecting,
                ],
            )
    }

    /// `WriteBarrier`, where neither queue overflows.
    fn write_barrier(from: &State, old: Option<Object>, new: Option<Object>) -> Option<Equations> {
        Equations::none(from)
            .equals(Var::ToInc, from, |s| s.to_inc.extend(new))?
            .equals(Var::ToDec, from, |s| s.to_dec.extend(old))?
            .unchanged(
                from,
                &[
                    Var::Edges,
                    Var::Roots,
                    Var::Rc,
                    Var::Color,
                    Var::InRoots,
                    Var::MergedRoots,
                    Var::GlobalLock,
                    Var::Collecting,
                ],
            )
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
        if old.is_some_and(|old| !edges.contains(old)) {
            return None;
        }
        let stored = Self::atomic_store(from, dest, new)?;
        let full = |queue: &[Object]| queue.len() >= usize::from(self.queue);
        let overflow = new.is_some() && full(&from.to_inc) || old.is_some() && full(&from.to_dec);
        let rest = if overflow {
            Equations::none(from).unchanged(
                from,
                &[
                    Var::Roots,
                    Var::Rc,
                    Var::Color,
                    Var::InRoots,
                    Var::ToInc,
                    Var::ToDec,
                    Var::GlobalLock,
                    Var::MergedRoots,
                    Var::Collecting,
                ],
            )?
        } else {
            Self::write_barrier(from, old, new)?
        };
        stored.and(rest).map(Equations::state)
    }

    /// `MutatorWriteMergeInc`
    fn merge_inc(&self, from: &State) -> Option<State> {
        if from.to_inc.len() < usize::from(self.queue) || from.global_lock.is_some() {
            return None;
        }
        let mut to = *from;
        to.to_inc.clear();
        for object in 0..self.objects {
            to.rc[usize::from(object)] = from.logical_rc(object);
        }
        Some(to)
    }

    /// `MutatorRootAssign`
    fn root_assign(
        &self,
        from: &State,
        thread: u8,
        obj: Option<Object>,
        val: Option<Object>,
    ) -> State {
        let mut to = *from;
        let held = from.roots[usize::from(thread)];
        let roots = &mut to.roots[usize::from(thread)];
        match (val, obj) {
            (Some(val), _) => {
                roots.insert(val);
                to.rc[usize::from(val)] += i8::from(!held.contains(val));
            }
            (None, Some(obj)) => {
                roots.remove(obj);
                to.rc[usize::from(obj)] -= i8::from(held.contains(obj));
            }
            (None, None) => (),
        }
        to
    }

    /// `CollectorMerge`: `MergePendingRoots` under the lock.
    fn merge(&self, from: &State) -> Option<State> {
        from.global_lock?;
        let mut to = *from;
        for object in 0..self.objects {
            to.rc[usize::from(object)] = from.logical_rc(object);
        }
        let mut new_roots = Objects::default();
        from.to_dec
            .iter()
            .for_each(|object| new_roots.insert(*object));
        to.merged_roots
            .extend(new_roots.without(from.in_roots).iter());
        to.merged_roots
            .iter()
            .for_each(|object| to.in_roots.insert(*object));
        to.to_inc.clear();
        to.to_dec.clear();
        Some(to)
    }

    /// `CollectorStart`: `StartCollection` under the lock.
    fn start(&self, from: &State) -> Option<State> {
        from.global_lock?;
        let enough = from.merged_roots.len() >= usize::from(self.threshold);
        (!from.collecting && enough).then_some(State {
            collecting: true,
            ..*from
        })
    }

    /// `CollectorCollect`: `CollectColor` of an object of `mergedRoots`.
    fn collect(&self, from: &State, root: u8, target: Colour) -> Option<State> {
        from.global_lock?;
        let object = *from.merged_roots.get(usize::from(root))?;
        let index = usize::from(object);
        if !from.collecting || from.color[index] != target || from.in_roots.contains(object) {
            return None;
        }
        let mut to = *from;
        to.edges[index].remove(object);
        to.color[index] = Colour::Black;
        Some(to)
    }

    fn step(&self, from: &State, action: Action) -> Option<State> {
        match action {
            Action::MutatorWrite { dest, old, new, .. } => self.mutator_write(from, dest, old, new),
            Action::MutatorWriteMergeInc { .. } => self.merge_inc(from),
            Action::MutatorRootAssign { thread, obj, val } => {
                Some(self.root_assign(from, thread, obj, val))
            }
            Action::CollectorAcquireLock { thread } => {
                from.global_lock.is_none().then_some(State {
                    global_lock: Some(thread),
                    ..*from
                })
            }
            Action::CollectorMerge => self.merge(from),
            Action::CollectorStart => self.start(from),
            Action::CollectorCollect { root, target } => self.collect(from, root, target),
            Action::CollectorReleaseLock { thread } => (from.global_lock == Some(thread))
                .then_some(State {
                    global_lock: None,
                    ..*from
                }),
            // M3 and M4: disabled.
            Action::MutatorWriteMergeDec { .. }
            | Action::CollectorMarkGray
            | Action::CollectorScan
            | Action::CollectorEnd => None,
        }
    }

    /// `Objects \cup {NULL}`
    fn objects_or_null(&self) -> impl Iterator<Item = Option<Object>> + use<> {
        (0..self.objects).map(Some).chain([None])
    }
}

impl TransitionSystem for Module {
    type State = State;
    type Action = Action;
    type Observation = Heap;

    fn process_of(&self, action: &Action) -> Process {
        heap::process_of(action, self.threads)
    }

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
    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        let mut fire = |action| offer(visit, action, || self.step(from, action));
        for thread in 0..self.threads {
            for dest in 0..self.objects {
                for old in self.objects_or_null() {
                    for new in self.objects_or_null() {
                        fire(Action::MutatorWrite {
                            thread,
                            dest,
                            old,
                            new,
                        });
                    }
                }
            }
            fire(Action::MutatorWriteMergeInc { thread });
            fire(Action::MutatorWriteMergeDec { thread });
            for obj in self.objects_or_null() {
                for val in self.objects_or_null() {
                    fire(Action::MutatorRootAssign { thread, obj, val });
                }
            }
            fire(Action::CollectorAcquireLock { thread });
        }
        fire(Action::CollectorMerge);
        fire(Action::CollectorStart);
        fire(Action::CollectorMarkGray);
        fire(Action::CollectorScan);
        for root in 0..from.merged_roots.len() as u8 {
            for target in [Colour::Gray, Colour::White] {
                fire(Action::CollectorCollect { root, target });
            }
        }
        fire(Action::CollectorEnd);
        for thread in 0..self.threads {
            fire(Action::CollectorReleaseLock { thread });
        }
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

    fn successor(&self, from: &State, action: &Action) -> Option<State> {
        self.step(from, *action)
    }
}
