//! The specification "collect only garbage" over a heap whose references have generations.
//!
//! The state is the heap in memory and the roots of each mutator. It is unbounded: a slot may be
//! reused any number of times, each time with another generation. A store is a step when it reaches memory; the
//! caller states when that is, and which loads are served by the mutator's own store buffer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use im::OrdMap;
use refmap::TransitionSystem;
use serde::Serialize;

use super::on_the_fly::Reference;

/// The specification.
#[derive(Clone, Copy, Debug)]
pub struct CollectOnlyGarbage {
    /// Number of mutators in [`candidates`](TransitionSystem::candidates). Actions of any other number are accepted too.
    pub mutators: u32,
    /// Number of slots.
    pub objects: u32,
    /// Number of fields of an object.
    pub fields: u32,
}

/// The heap, and the roots of mutators, as persistent maps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Program {
    /// The fields of each object.
    #[serde(serialize_with = "as_objects")]
    pub heap: OrdMap<Reference, Fields>,
    /// The roots of each mutator, with multiplicity.
    #[serde(serialize_with = "as_list")]
    pub roots: OrdMap<(u32, Reference), u32>,
    /// The least unused generation of each slot, where that is not 0.
    #[serde(serialize_with = "as_list")]
    pub fresh: OrdMap<u32, u32>,
}

impl<S: ?Sized> refmap::State<S> for Program {}

/// The fields of an object.
pub type Fields = Arc<[Option<Reference>]>;

fn as_objects<S: serde::Serializer>(
    heap: &OrdMap<Reference, Fields>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(
        heap.iter()
            .map(|(reference, fields)| (reference, &**fields)),
    )
}

fn as_list<K: Serialize + Ord + Clone, V: Serialize + Clone, S: serde::Serializer>(
    map: &OrdMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(map.iter())
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "mutator")]
pub enum Action {
    /// A mutator gains a root of another one.
    #[rule(source = "Gammie et al., section 4")]
    Hold {
        #[process]
        mutator: u32,
        reference: Reference,
    },
    /// A mutator allocates an object with a fresh reference.
    #[rule(source = "Gammie et al., Fig. 6, Alloc")]
    Alloc {
        #[process]
        mutator: u32,
        /// The allocated object.
        reference: Reference,
    },
    /// A mutator loads a field of an object that it holds, from memory.
    #[rule(source = "Gammie et al., Fig. 6, Load")]
    Load {
        #[process]
        mutator: u32,
        /// The object.
        src: Reference,
        field: u32,
        /// The value in memory.
        value: Option<Reference>,
    },
    /// … from its own store buffer.
    #[rule(source = "Gammie et al., Fig. 6, Load; Fig. 9")]
    LoadOwn {
        #[process]
        mutator: u32,
        /// The object.
        src: Reference,
        /// The pending value.
        value: Option<Reference>,
    },
    /// A store reaches memory.
    #[rule(process = "memory", source = "Gammie et al., Fig. 6, Store; Fig. 9")]
    Store {
        /// The object.
        src: Reference,
        field: u32,
        /// The value written.
        value: Option<Reference>,
    },
    /// A mutator discards a root.
    #[rule(source = "Gammie et al., Fig. 6, Discard")]
    Discard {
        #[process]
        mutator: u32,
        /// The object.
        reference: Reference,
    },
    /// A mutator leaves, and discards all of them.
    #[rule(source = "Gammie et al., section 4")]
    Leave {
        #[process]
        mutator: u32,
    },
    /// The collector frees an unreachable object.
    #[rule(process = "collector", source = "Gammie et al., section 1.1")]
    Free {
        /// The object.
        reference: Reference,
    },
}

impl Program {
    /// Whether a mutator holds it.
    pub fn holds(&self, mutator: u32, reference: Reference) -> bool {
        self.roots.contains_key(&(mutator, reference))
    }

    /// Search tree of the reachable references: the predecessor of each, or itself for a root.
    pub fn reached(&self) -> BTreeMap<Reference, Reference> {
        let roots = self.roots.keys().map(|(_, root)| *root);
        let mut reached: BTreeMap<_, _> = roots.map(|root| (root, root)).collect();
        let mut work: Vec<Reference> = reached.keys().copied().collect();
        while let Some(from) = work.pop() {
            for to in self.heap.get(&from).iter().flat_map(|f| f.iter().flatten()) {
                reached.entry(*to).or_insert_with(|| {
                    work.push(*to);
                    from
                });
            }
        }
        reached
    }

    /// A path from a root to a reference; `None` if it is unreachable.
    pub fn path(&self, reference: Reference) -> Option<Vec<Reference>> {
        let reached = self.reached();
        let mut path = vec![reference];
        let mut at = reference;
        while *reached.get(&at)? != at {
            at = reached[&at];
            path.push(at);
        }
        path.reverse();
        Some(path)
    }

    fn hold(&mut self, mutator: u32, reference: Reference) {
        *self.roots.entry((mutator, reference)).or_default() += 1;
    }

    fn is_there(&self, value: Option<Reference>) -> bool {
        value.is_none_or(|value| self.heap.contains_key(&value))
    }
}

impl CollectOnlyGarbage {
    /// Visits a superset of the enabled actions of a thread: as the mutator of
    /// this number, whatever [`mutators`](Self::mutators) is; as the memory, which a store reaches; and
    /// as the collector.
    pub fn steps_of(&self, mutator: u32, from: &Program, visit: &mut impl FnMut(Action)) {
        let held = held(from);
        self.of_mutator(mutator, from, &held, visit);
        self.of_memory_and_collector(from, &held, visit);
    }

    /// Visits a superset of the enabled actions of a mutator.
    fn of_mutator(
        &self,
        mutator: u32,
        from: &Program,
        held: &BTreeSet<Reference>,
        visit: &mut impl FnMut(Action),
    ) {
        for reference in held.iter().copied() {
            visit(Action::Hold { mutator, reference });
            visit(Action::Discard { mutator, reference });
            for value in values(held) {
                let src = reference;
                visit(Action::LoadOwn {
                    mutator,
                    src,
                    value,
                });
            }
            for field in 0..self.fields {
                let fields = from.heap.get(&reference);
                if let Some(value) = fields.and_then(|fields| fields.get(field as usize)) {
                    visit(Action::Load {
                        mutator,
                        src: reference,
                        field,
                        value: *value,
                    });
                }
            }
        }
        for slot in 0..self.objects {
            let generation = from.fresh.get(&slot).copied().unwrap_or(0);
            let reference = Reference { slot, generation };
            visit(Action::Alloc { mutator, reference });
        }
        visit(Action::Leave { mutator });
    }

    /// Visits a superset of the enabled actions of the memory and the collector.
    fn of_memory_and_collector(
        &self,
        from: &Program,
        held: &BTreeSet<Reference>,
        visit: &mut impl FnMut(Action),
    ) {
        for src in held.iter().copied() {
            for field in 0..self.fields {
                for value in values(held) {
                    visit(Action::Store { src, field, value });
                }
            }
        }
        for reference in from.heap.keys().copied() {
            visit(Action::Free { reference });
        }
    }
}

/// The references that mutators hold.
fn held(program: &Program) -> BTreeSet<Reference> {
    program.roots.keys().map(|(_, root)| *root).collect()
}

/// Values of stores: held references, and null.
fn values(held: &BTreeSet<Reference>) -> impl Iterator<Item = Option<Reference>> {
    held.iter().copied().map(Some).chain([None])
}

impl TransitionSystem for CollectOnlyGarbage {
    type State = Program;
    type Action = Action;
    type Observation = Program;

    /// An empty heap.
    fn initial(&self, visit: &mut impl FnMut(Program)) {
        visit(Program::default());
    }

    fn candidates(&self, from: &Program, visit: &mut impl FnMut(Action)) {
        let held = held(from);
        for mutator in 0..self.mutators {
            self.of_mutator(mutator, from, &held, visit);
        }
        self.of_memory_and_collector(from, &held, visit);
    }

    fn fire(&self, action: &Action, program: &mut Program) -> Option<()> {
        match *action {
            Action::Hold { mutator, reference } => {
                let mut roots = program.roots.keys();
                roots.any(|(_, root)| *root == reference).then_some(())?;
                program.hold(mutator, reference);
            }
            Action::Alloc { mutator, reference } => {
                let Reference { slot, generation } = reference;
                let fresh = program.fresh.get(&slot).copied().unwrap_or(0);
                (slot < self.objects && generation >= fresh).then_some(())?;
                let mut in_slot = program.heap.range(Reference::of_slot(slot));
                in_slot.next().is_none().then_some(())?;
                program.fresh.insert(slot, generation.checked_add(1)?);
                let fields = (0..self.fields).map(|_| None).collect();
                program.heap.insert(reference, fields);
                program.hold(mutator, reference);
            }
            Action::Load {
                mutator,
                src,
                field,
                value,
            } => {
                let there = program.heap.get(&src)?.get(field as usize)?;
                (program.holds(mutator, src) && *there == value).then_some(())?;
                let value = value.into_iter();
                value.for_each(|value| program.hold(mutator, value));
            }
            Action::LoadOwn {
                mutator,
                src,
                value,
            } => {
                (program.holds(mutator, src) && program.is_there(value)).then_some(())?;
                let value = value.into_iter();
                value.for_each(|value| program.hold(mutator, value));
            }
            Action::Store { src, field, value } => {
                program.is_there(value).then_some(())?;
                let fields = program.heap.get_mut(&src)?;
                *Arc::make_mut(fields).get_mut(field as usize)? = value;
            }
            Action::Discard { mutator, reference } => {
                let times = program.roots.get_mut(&(mutator, reference))?;
                *times -= 1;
                if *times == 0 {
                    program.roots.remove(&(mutator, reference));
                }
            }
            Action::Leave { mutator } => {
                let roots = program.roots.clone();
                for root in roots.keys().filter(|(by, _)| *by == mutator) {
                    program.roots.remove(root);
                }
            }
            Action::Free { reference } => {
                let reached = program.reached();
                (!reached.contains_key(&reference)).then_some(())?;
                program.heap.remove(&reference)?;
            }
        }
        Some(())
    }

    fn observe(&self, state: &Program) -> Program {
        state.clone()
    }
}
