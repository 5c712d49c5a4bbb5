//! The module `yrc_proof` as stated. It satisfies `simulation` and the three properties that it states
//! vacuously: no store is ever enabled, so there is never an edge, a cycle or any garbage to
//! find. `environment` and `coverage` detect that.
//!
//! Deviation M6: the module does not say where references come from. A root may be assigned any
//! object, so every object is allocated from the start and threads take any of them.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Refinement};
use refmap_systems::heap::{self, CollectOnlyGarbage, Heap, Objects, Sources, mutator};
use refmap_systems::yrc::module::{Action, Colour, Module, State};

/// The module as a refinement of "collect only garbage".
pub struct ModuleRefinement {
    implementation: Module,
    specification: CollectOnlyGarbage,
    mutators: Vec<Process>,
}

impl ModuleRefinement {
    /// The refinement for an instance.
    pub fn new(module: Module) -> Self {
        Self {
            implementation: module,
            specification: CollectOnlyGarbage {
                objects: module.objects,
                fields: 1,
                threads: module.threads,
                sources: Sources::Anywhere,
            },
            mutators: (0..module.threads)
                .map(|thread| mutator(thread, module.threads))
                .collect(),
        }
    }
}

/// A reachable object is not white, or is in the roots array, or is reachable from a reachable black
/// object.
pub fn safety() -> Invariant<Module> {
    Invariant::new("Safety", "yrc_proof, Safety", |s: &State| {
        let reachable = s.reachable();
        let rescued = |object| {
            reachable.iter().any(|black| {
                let mut start = Objects::default();
                start.insert(black);
                s.color[usize::from(black)] == Colour::Black
                    && s.reachable_from(start).contains(object)
            })
        };
        reachable.iter().all(|object| {
            s.color[usize::from(object)] != Colour::White
                || s.in_roots.contains(object)
                || rescued(object)
        })
    })
}

/// Under the lock, before a collection and with empty queues, counts equal the numbers of references.
pub fn rc_invariant() -> Invariant<Module> {
    Invariant::new("RCInvariant", "yrc_proof, RCInvariant", |s: &State| {
        let mut counts = (0..).zip(&s.rc);
        counts.all(|(object, rc)| *rc == s.logical_rc(object))
    })
    .when(|s: &State| {
        let empty = s.to_inc.is_empty() && s.to_dec.is_empty();
        s.global_lock.is_some() && !s.collecting && empty
    })
}

/// A white object that is not in the roots array is on no stack.
pub fn cycle_invariant() -> Invariant<Module> {
    let white = |s: &State| {
        let mut white = Objects::default();
        for (object, colour) in (0..).zip(&s.color) {
            if *colour == Colour::White {
                white.insert(object);
            }
        }
        white.without(s.in_roots)
    };
    let source = "yrc_proof, CycleInvariant";
    Invariant::new("CycleInvariant", source, move |s: &State| {
        s.roots
            .iter()
            .all(|roots| white(s).without(*roots) == white(s))
    })
    .when(move |s: &State| !white(s).is_empty())
}

/// The part of TypeOK that the Rust types do not state: queues within their bounds.
pub fn type_ok(queue: u8) -> Invariant<Module> {
    Invariant::new("TypeOK", "yrc_proof, TypeOK", move |s: &State| {
        s.to_inc.len().max(s.to_dec.len()) <= usize::from(queue)
    })
}

impl Refinement for ModuleRefinement {
    between!(Module, CollectOnlyGarbage);

    /// The observation: every object is allocated.
    fn map(&self, state: &State) -> Heap {
        use refmap::TransitionSystem;
        self.implementation.observe(state)
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        _to: &State,
    ) -> AbstractSteps<heap::Action> {
        let holds = |thread: u8, object| from.roots[usize::from(thread)].contains(object);
        match *action {
            // A store by a thread that holds the objects involved; any other changes nothing visible.
            Action::MutatorWrite {
                thread, dest, new, ..
            } => {
                let holds_all = holds(thread, dest) && new.is_none_or(|new| holds(thread, new));
                holds_all
                    .then_some(heap::Action::Store {
                        thread,
                        to: dest,
                        field: 0,
                        value: new,
                    })
                    .into()
            }
            Action::MutatorWriteMergeInc { .. } => Stutter,
            Action::MutatorWriteMergeDec { .. } => Stutter,
            Action::MutatorRootAssign { thread, obj, val } => match (val, obj) {
                (Some(object), _) => One(heap::Action::Take { thread, object }),
                (None, Some(object)) if holds(thread, object) => {
                    One(heap::Action::Drop { thread, object })
                }
                (None, _) => Stutter,
            },
            Action::CollectorAcquireLock { .. } => Stutter,
            Action::CollectorMerge => Stutter,
            Action::CollectorStart => Stutter,
            Action::CollectorMarkGray => Stutter,
            Action::CollectorScan => Stutter,
            Action::CollectorCollect { root, .. } => {
                let mut objects = Objects::default();
                objects.insert(from.merged_roots[usize::from(root)]);
                One(heap::Action::Free { objects })
            }
            Action::CollectorEnd => Stutter,
            Action::CollectorReleaseLock { .. } => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<Module>> {
        vec![
            safety(),
            rc_invariant(),
            cycle_invariant(),
            type_ok(self.implementation.queue),
        ]
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }
}
