//! "Collect only garbage", over a memory with store buffers.
//!
//! A program reads through its store buffer, so mutators do not agree on one heap. The
//! state is memory's heap, the roots of each mutator, and its pending stores of fields; the memory commits
//! these nondeterministically. With [`Memory::Sc`] no store is ever pending, and this
//! is "collect only garbage" over one heap; it is not that of [`crate::heap`], which hides what an unreachable object refers to, as a
//! program of this model may not.

use refmap::drawing::{Drawing, Node, Row};
use refmap::{Fairness, TransitionSystem};
use serde::Serialize;
use tinyvec::ArrayVec;

use super::scope::{MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS, MAX_REFS, Memory, REFERENCES};
use super::state::{State, Store, Who};
use crate::heap::{self, Object as Ref, Objects as Refs};

/// The specification for an instance.
#[derive(Clone, Copy, Debug)]
pub struct CollectOnlyGarbage {
    /// Number of mutators.
    pub mutators: u8,
    /// Number of references.
    pub refs: u8,
    /// Number of fields of an object.
    pub fields: u8,
    /// Capacity of a mutator's buffer.
    pub buffer: u8,
    /// Memory model.
    pub memory: Memory,
}

/// The observable state of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Program {
    /// The memory model, in which the order of pending stores is.
    #[serde(skip)]
    pub memory: Memory,
    /// The fields of the object at each reference, if there is one, as memory has them.
    pub heap: ArrayVec<[Option<Fields>; MAX_REFS]>,
    /// Roots of each mutator.
    pub roots: ArrayVec<[Refs; MAX_MUTATORS]>,
    /// The pending stores of each mutator, the oldest first.
    pub pending: ArrayVec<[Pending; MAX_MUTATORS]>,
}

// ANCHOR: drawing
impl Program {
    /// Memory's heap, and the roots and pending stores of each mutator.
    fn draw(&self) -> Drawing {
        let nodes = self.heap.iter().enumerate().map(|(reference, object)| {
            let node = Node::new(reference);
            match object {
                None => node.mark("free").absent(),
                Some(fields) => fields
                    .iter()
                    .fold(node, |node, value| node.maybe("", *value)),
            }
        });
        let mutators = self.roots.iter().zip(&self.pending).enumerate();
        let mutators = mutators.map(|(mutator, (roots, pending))| {
            let stores = pending.iter().map(|store| {
                let value = store.dst.map_or("null".to_owned(), |to| to.to_string());
                format!("{}.{} := {value}", store.src, store.field)
            });
            Row::of(format!("mutator {mutator}"))
                .set("roots", roots.iter())
                .queue("pending", stores)
        });
        mutators.fold(Drawing::default().nodes(nodes), Drawing::row)
    }
}
// ANCHOR_END: drawing

/// The fields of an object.
pub type Fields = ArrayVec<[Option<Ref>; MAX_FIELDS]>;
/// Pending stores of fields.
pub type Pending = ArrayVec<[FieldStore; MAX_BUFFER]>;

/// A pending store of a field.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
pub struct FieldStore {
    /// The object.
    pub src: Ref,
    pub field: u8,
    /// The value written.
    pub dst: Option<Ref>,
}

/// A step of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[action(system = CollectOnlyGarbage, unnumbered = system.mutators == 1)]
#[rule(process = heap::MUTATOR)]
pub enum Action {
    /// A mutator gets a fresh object; which one is a result.
    #[rule(source = "Gammie et al., Fig. 6, Alloc")]
    Alloc {
        #[process]
        mutator: u8,
        /// The allocated object.
        #[member(REFERENCES)]
        #[action(result)]
        reference: Ref,
    },
    /// A mutator discards some of its roots.
    #[rule(source = "Gammie et al., Fig. 6, Discard")]
    Discard {
        #[process]
        mutator: u8,
        /// Those it keeps.
        #[member(REFERENCES)]
        kept: Refs,
    },
    /// A mutator reads a field of an object that it holds, and then holds what is there.
    #[rule(source = "Gammie et al., Fig. 6, Load")]
    Load {
        #[process]
        mutator: u8,
        /// The object.
        #[member(REFERENCES)]
        src: Ref,
        field: u8,
    },
    /// A mutator writes a field of an object that it holds.
    #[rule(source = "Gammie et al., Fig. 6, Store")]
    Store {
        #[process]
        mutator: u8,
        #[member(REFERENCES)]
        store: FieldStore,
    },
    /// A pending store goes to memory.
    #[rule(process = "memory", source = "Gammie et al., Fig. 9")]
    Commit {
        #[member]
        mutator: u8,
        #[member(REFERENCES)]
        store: FieldStore,
    },
    /// The collector frees what no mutator can reach.
    #[rule(process = "collector", source = "Gammie et al., section 1.1")]
    Free {
        /// The object.
        #[member(REFERENCES)]
        reference: Ref,
    },
}

impl State {
    /// The observable state of programs: without marks, and of the buffers only the stores of fields. The
    /// honorary root is no root of the program.
    pub fn program(&self) -> Program {
        Program {
            memory: self.sys.memory,
            heap: self
                .sys
                .heap
                .iter()
                .map(|object| object.map(|object| object.fields))
                .collect(),
            roots: self.mutators.iter().map(|mutator| mutator.roots).collect(),
            pending: self
                .numbers()
                .map(|mutator| {
                    let stores = self.sys.pending_stores(Who::Mutator(mutator)).iter();
                    stores.filter_map(FieldStore::of).collect()
                })
                .collect(),
        }
    }
}

impl Program {
    /// References reachable from the roots and from pending stores of any mutator.
    pub fn reachable(&self) -> Refs {
        let held = self.roots.iter().copied();
        let pending = self.pending.iter().flatten();
        let pending = pending.map(|store| Refs::one(store.src).with(store.dst));
        let roots = held.chain(pending).fold(Refs::default(), Refs::and);
        roots.reaching(|r| Refs::of(self.heap[usize::from(r)].iter().flatten()))
    }

    /// Whether everything reachable is an object.
    pub fn is_valid(&self) -> bool {
        let mut reachable = self.reachable().iter();
        reachable.all(|r| self.heap[usize::from(r)].is_some())
    }

    /// The store of a mutator by which `self` becomes `to`, if there is one.
    pub fn stored(&self, to: &Self, mutator: u8) -> Option<FieldStore> {
        let pending = |program: &Self| program.pending[usize::from(mutator)];
        let (before, after) = (pending(self), pending(to));
        if after.len() > before.len() {
            let same = before.iter().zip(&after).take_while(|(b, a)| b == a);
            return Some(after[same.count()]);
        }
        let objects = (0..).zip(self.heap.iter().zip(&to.heap));
        let mut stores = objects.flat_map(|(src, (before, after))| {
            let fields = before.iter().flatten().zip(after.iter().flatten());
            (0..)
                .zip(fields)
                .filter_map(move |(field, (before, after))| {
                    let store = FieldStore {
                        src,
                        field,
                        dst: *after,
                    };
                    (before != after).then_some(store)
                })
        });
        stores.next()
    }

    /// A load of a mutator by which `self` becomes `to`, if there is one.
    pub fn loaded(&self, to: &Self, mutator: u8) -> Option<Action> {
        let roots = |program: &Self| program.roots[usize::from(mutator)];
        let gained = roots(to).without(roots(self)).iter().next()?;
        let mut places = roots(self).iter().flat_map(|src| {
            let fields = self.heap[usize::from(src)].map_or(0, |fields| fields.len());
            (0..fields as u8).map(move |field| (src, field))
        });
        let (src, field) =
            places.find(|(src, field)| self.seen(mutator, *src, *field) == Some(gained))?;
        Some(Action::Load {
            mutator,
            src,
            field,
        })
    }

    fn holds(&self, mutator: u8, reference: Ref) -> bool {
        self.roots[usize::from(mutator)].contains(reference)
    }

    /// The value that a mutator reads from a field, through its own buffer.
    fn seen(&self, mutator: u8, src: Ref, field: u8) -> Option<Ref> {
        let object = self.heap[usize::from(src)]?;
        let mut newest = self.pending[usize::from(mutator)].iter().rev();
        match newest.find(|store| (store.src, store.field) == (src, field)) {
            Some(store) => store.dst,
            None => object[usize::from(field)],
        }
    }

    fn apply(&mut self, store: FieldStore) {
        if let Some(fields) = &mut self.heap[usize::from(store.src)] {
            fields[usize::from(store.field)] = store.dst;
        }
    }
}

impl FieldStore {
    /// The pending store as programs observe it, if it is one of a field.
    pub fn of(store: &Store) -> Option<Self> {
        match *store {
            Store::Field(src, field, dst) => Some(Self { src, field, dst }),
            Store::Mark(..) | Store::FA(_) | Store::FM(_) | Store::Phase(_) => None,
        }
    }

    fn is_to_the_place_of(&self, other: &Self) -> bool {
        (self.src, self.field) == (other.src, other.field)
    }
}

impl CollectOnlyGarbage {
    /// Every heap.
    fn heaps(&self) -> Vec<ArrayVec<[Option<Fields>; MAX_REFS]>> {
        let values: Vec<_> = (0..self.refs).map(Some).chain([None]).collect();
        let mut objects = vec![Fields::new()];
        for _ in 0..self.fields {
            objects = each(&objects, &values, |fields, value| fields.push(value));
        }
        let cells: Vec<_> = objects.into_iter().map(Some).chain([None]).collect();
        let mut heaps = vec![ArrayVec::new()];
        for _ in 0..self.refs {
            heaps = each(&heaps, &cells, |heap, cell| heap.push(cell));
        }
        heaps
    }

    /// A heap without roots.
    fn beginning(&self, heap: ArrayVec<[Option<Fields>; MAX_REFS]>) -> Program {
        Program {
            memory: self.memory,
            heap,
            roots: (0..self.mutators).map(|_| Refs::default()).collect(),
            pending: (0..self.mutators).map(|_| Pending::new()).collect(),
        }
    }
}

/// Each of `beginnings`, with each of `values` added.
fn each<T: Copy, V: Copy>(beginnings: &[T], values: &[V], add: impl Fn(&mut T, V)) -> Vec<T> {
    let longer = beginnings.iter().flat_map(|beginning| {
        values.iter().map(|value| {
            let mut longer = *beginning;
            add(&mut longer, *value);
            longer
        })
    });
    longer.collect()
}

impl TransitionSystem for CollectOnlyGarbage {
    type State = Program;
    type Action = Action;
    type Observation = Program;

    /// Any heap and any roots, where everything reachable is an object; nothing is pending.
    fn initial(&self, visit: &mut impl FnMut(Program)) {
        for heap in self.heaps() {
            let mut all = vec![self.beginning(heap)];
            for mutator in 0..usize::from(self.mutators) {
                let more = all.iter().flat_map(|program| {
                    Refs::first(self.refs).subsets().map(move |roots| {
                        let mut program = *program;
                        program.roots[mutator] = roots;
                        program
                    })
                });
                all = more.filter(Program::is_valid).collect();
            }
            all.into_iter().for_each(&mut *visit);
        }
    }

    fn is_initial(&self, state: &Program) -> bool {
        state.is_valid() && state.pending.iter().all(|pending| pending.is_empty())
    }

    fn candidates(&self, from: &Program, visit: &mut impl FnMut(Action)) {
        let all = Refs::first(from.heap.len() as u8);
        for mutator in 0..self.mutators {
            let roots = from.roots[usize::from(mutator)];
            all.iter()
                .for_each(|reference| visit(Action::Alloc { mutator, reference }));
            roots
                .subsets()
                .for_each(|kept| visit(Action::Discard { mutator, kept }));
            for (src, field) in roots
                .iter()
                .flat_map(|src| (0..self.fields).map(move |f| (src, f)))
            {
                visit(Action::Load {
                    mutator,
                    src,
                    field,
                });
                for dst in roots.iter().map(Some).chain([None]) {
                    let store = FieldStore { src, field, dst };
                    visit(Action::Store { mutator, store });
                }
            }
            let pending = from.pending[usize::from(mutator)];
            for (place, store) in pending.iter().enumerate() {
                // Two pending stores may be alike: one action is offered once.
                if !pending[..place].contains(store) {
                    visit(Action::Commit {
                        mutator,
                        store: *store,
                    });
                }
            }
        }
        all.iter()
            .for_each(|reference| visit(Action::Free { reference }));
    }

    fn fire(&self, action: &Action, program: &mut Program) -> Option<()> {
        match *action {
            Action::Alloc { mutator, reference } => {
                let place = &mut program.heap[usize::from(reference)];
                place.is_none().then_some(())?;
                *place = Some((0..self.fields).map(|_| None).collect());
                program.roots[usize::from(mutator)].insert(reference);
            }
            Action::Discard { mutator, kept } => {
                let roots = &mut program.roots[usize::from(mutator)];
                kept.without(*roots).is_empty().then_some(())?;
                *roots = kept;
            }
            Action::Load {
                mutator,
                src,
                field,
            } => {
                program.holds(mutator, src).then_some(())?;
                let seen = program.seen(mutator, src, field);
                let roots = &mut program.roots[usize::from(mutator)];
                *roots = roots.with(seen);
            }
            Action::Store { mutator, store } => {
                let mut held = [store.src].into_iter().chain(store.dst);
                held.all(|held| program.holds(mutator, held))
                    .then_some(())?;
                let pending = &mut program.pending[usize::from(mutator)];
                let has_room = pending.len() < usize::from(self.buffer);
                match self.memory {
                    Memory::Sc => program.apply(store),
                    Memory::Tso if has_room => pending.push(store),
                    Memory::Pso if has_room => {
                        let place = |s: &FieldStore| (s.src, s.field);
                        let behind = pending.iter().take_while(|s| place(s) <= place(&store));
                        let behind = behind.count();
                        pending.insert(behind, store);
                    }
                    Memory::Tso | Memory::Pso => return None,
                }
            }
            Action::Commit { mutator, store } => {
                let pending = &mut program.pending[usize::from(mutator)];
                let oldest = match self.memory {
                    Memory::Sc => return None,
                    Memory::Tso => 0,
                    Memory::Pso => pending.iter().position(|s| s.is_to_the_place_of(&store))?,
                };
                (pending.get(oldest) == Some(&store)).then_some(())?;
                pending.remove(oldest);
                program.apply(store);
            }
            Action::Free { reference } => {
                (!program.reachable().contains(reference)).then_some(())?;
                program.heap[usize::from(reference)].take()?;
            }
        }
        Some(())
    }

    /// Garbage is not there for ever without some of it being freed.
    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak("free", ["free"])]
    }

    fn observe(&self, state: &Program) -> Program {
        *state
    }

    fn draw(&self, state: &Program) -> Option<Drawing> {
        Some(state.draw())
    }
}
