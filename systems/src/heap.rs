//! The specification "collect only garbage" over a heap with allocation: threads operate on objects
//! that they hold, and the collector frees only objects that no thread can reach.
//!
//! Source: Havelund & Shankar, section 5, for the idea; the operations are those of the x86-TSO
//! collector's mutators (Gammie, Hosking & Engelhardt, Fig. 6) and of YRC's threads.
//!
//! The fields of an unreachable object are no part of a state: no thread will read them
//! again, and a collector may clear them. So every step hides them.
//!
//! Where states differ in the papers' terms the specification is stated for them, and what is reachable is
//! [`Objects::reaching`] there too. [`ben_ari::Level0`](crate::ben_ari::Level0) has no allocation: its nodes are all in the
//! memory, the free list is a part of it, and to collect is a predicate on what becomes accessible.
//! In [`tso::specification`](crate::tso::specification) mutators do not agree on one heap, an unreachable object is observable until it is
//! freed, and a mutator discards any of its roots in one step. The two of [`native`](crate::native) are for recorded histories, and have no
//! bound: one has references with generations, the other memories of any size.

mod objects;

use refmap::drawing::{Drawing, Node, Row};
use refmap::{BoundedVec, Process, TransitionSystem};
use serde::Serialize;

pub use objects::{Object, Objects};

/// The most objects that a heap can have.
pub const MAX_OBJECTS: usize = 6;
/// The most fields that an object can have.
pub const MAX_FIELDS: usize = 2;
/// The most threads.
pub const MAX_THREADS: usize = 3;

/// The specification for an instance.
pub struct CollectOnlyGarbage {
    /// Number of objects.
    pub objects: u8,
    /// Number of fields of an object.
    pub fields: u8,
    /// Number of threads.
    pub threads: u8,
    /// Sources of references.
    pub sources: Sources,
}

/// Sources of references: how threads come to hold objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sources {
    /// Allocation, loads, and other threads; initially no object is allocated.
    Operations,
    /// Any thread takes any object; all objects are initially allocated. For models that do not state where references
    /// come from.
    Anywhere,
}

/// The state: fields and held objects as threads observe them, and which objects are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = CollectOnlyGarbage)]
pub struct Heap {
    /// The objects that are allocated.
    #[state(range = 0..1u16 << system.objects)]
    pub allocated: Objects,
    /// The fields of each object; null for an unreachable one.
    #[state(len = system.objects, range = 0..system.objects)]
    pub fields: BoundedVec<Fields, MAX_OBJECTS>,
    /// The objects that each thread holds.
    #[state(len = system.threads, range = 0..1u16 << system.objects)]
    pub held: BoundedVec<Objects, MAX_THREADS>,
}

/// The fields of an object.
pub type Fields = BoundedVec<Option<Object>, MAX_FIELDS>;

/// A step of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[action(system = CollectOnlyGarbage, unnumbered = system.threads == 1)]
#[rule(process = MUTATOR)]
#[process(0..system.threads)]
pub enum Action {
    /// A thread gets a fresh object; which one is a result.
    #[rule(source = "Gammie et al., Fig. 6, Alloc")]
    Allocate {
        #[process]
        thread: u8,
        /// The allocated object.
        #[action(range = 0..system.objects, result)]
        object: Object,
    },
    /// A thread takes any object ([`Sources::Anywhere`]).
    #[rule(source = "yrc_proof, MutatorRootAssign")]
    Take {
        #[process]
        thread: u8,
        #[action(range = 0..system.objects)]
        object: Object,
    },
    /// A thread reads a field of an object that it holds, and then holds what is there.
    #[rule(source = "Gammie et al., Fig. 6, Load")]
    Load {
        #[process]
        thread: u8,
        /// The object read.
        #[action(range = 0..system.objects)]
        from: Object,
        #[action(range = 0..system.fields)]
        field: u8,
    },
    /// A thread writes a field of an object that it holds.
    #[rule(source = "Gammie et al., Fig. 6, Store")]
    Store {
        #[process]
        thread: u8,
        /// The object written.
        #[action(range = 0..system.objects)]
        to: Object,
        #[action(range = 0..system.fields)]
        field: u8,
        /// The value, which the thread holds, or null.
        #[action(range = 0..system.objects)]
        value: Option<Object>,
    },
    /// A thread drops an object.
    #[rule(source = "Gammie et al., Fig. 6, Discard")]
    Drop {
        #[process]
        thread: u8,
        #[action(range = 0..system.objects)]
        object: Object,
    },
    /// A thread lets another one hold an object that it holds.
    #[rule(source = "YRC, a reference sent to another thread")]
    Pass {
        #[process]
        thread: u8,
        /// The object passed.
        #[action(range = 0..system.objects)]
        object: Object,
        /// The receiving thread.
        #[action(range = 0..system.threads)]
        to: u8,
    },
    /// The collector frees objects that no thread can reach.
    #[rule(
        process = "collector",
        source = "Havelund & Shankar, Fig. 5, COLLECT.1"
    )]
    Free {
        #[action(range = 1..1u16 << system.objects)]
        objects: Objects,
    },
}

/// The kind of process that threads are.
///
/// PERF: one text and not one for each place in which it is named, for names are compared.
pub(crate) static MUTATOR: &str = "mutator";

/// The process of a thread; a single one has no number.
pub fn mutator(thread: u8, of: u8) -> Process {
    match of {
        1 => Process::new(MUTATOR),
        _ => Process::numbered(MUTATOR, u16::from(thread)),
    }
}

impl Heap {
    /// The objects with their fields, and what each thread holds.
    pub fn draw(&self) -> Drawing {
        let reachable = self.reachable();
        let nodes = (0..).zip(&self.fields).map(|(object, fields)| {
            let node = Node::new(object);
            if !self.allocated.contains(object) {
                return node.mark("free").absent();
            }
            let node = if reachable.contains(object) {
                node
            } else {
                node.mark("garbage")
            };
            fields
                .iter()
                .fold(node, |node, value| node.maybe("", *value))
        });
        let held = self.held.iter().enumerate();
        let held = held
            .map(|(thread, held)| Row::of(format!("thread {thread}")).set("holds", held.iter()));
        held.fold(Drawing::default().nodes(nodes), Drawing::row)
    }

    /// The objects that some thread holds, or can reach from what it holds.
    pub fn reachable(&self) -> Objects {
        let held = self.held.iter();
        let held = held.fold(Objects::default(), |all, held| all.and(*held));
        held.reaching(|object| Objects::of(&self.fields[usize::from(object)]))
    }

    /// The heap without the fields of unreachable objects.
    #[must_use]
    pub fn hiding_the_unreachable(mut self) -> Self {
        self.hide_the_unreachable();
        self
    }

    fn hide_the_unreachable(&mut self) {
        let reachable = self.reachable();
        for (object, fields) in (0..).zip(&mut self.fields) {
            if !reachable.contains(object) {
                fields.iter_mut().for_each(|field| *field = None);
            }
        }
    }

    /// That a thread holds an object.
    fn holds(&self, thread: u8, object: Object) -> Option<()> {
        let held = self.held[usize::from(thread)];
        held.contains(object).then_some(())
    }

    fn field(&self, object: Object, field: u8) -> Option<Object> {
        self.fields[usize::from(object)][usize::from(field)]
    }
}

impl CollectOnlyGarbage {
    /// A heap whose fields are null, in which no thread holds an object.
    pub fn empty(&self, allocated: Objects) -> Heap {
        let no_fields: Fields = (0..self.fields).map(|_| None).collect();
        Heap {
            allocated,
            fields: (0..self.objects).map(|_| no_fields).collect(),
            held: (0..self.threads).map(|_| Objects::default()).collect(),
        }
    }

    /// That references come from there.
    fn come_from(&self, sources: Sources) -> Option<()> {
        (self.sources == sources).then_some(())
    }
}

impl TransitionSystem for CollectOnlyGarbage {
    type State = Heap;
    type Action = Action;
    type Observation = Heap;

    fn initial(&self, visit: &mut impl FnMut(Heap)) {
        visit(self.empty(match self.sources {
            Sources::Operations => Objects::default(),
            Sources::Anywhere => Objects::first(self.objects),
        }));
    }

    fn fire(&self, action: &Action, heap: &mut Heap) -> Option<()> {
        match *action {
            Action::Allocate { thread, object } => {
                self.come_from(Sources::Operations)?;
                (!heap.allocated.contains(object)).then_some(())?;
                heap.allocated.insert(object);
                heap.held[usize::from(thread)].insert(object);
            }
            Action::Take { thread, object } => {
                self.come_from(Sources::Anywhere)?;
                heap.allocated.contains(object).then_some(())?;
                heap.held[usize::from(thread)].insert(object);
            }
            Action::Load {
                thread,
                from,
                field,
            } => {
                self.come_from(Sources::Operations)?;
                heap.holds(thread, from)?;
                let value = heap.field(from, field)?;
                heap.held[usize::from(thread)].insert(value);
            }
            Action::Store {
                thread,
                to,
                field,
                value,
            } => {
                heap.holds(thread, to)?;
                value.map_or(Some(()), |value| heap.holds(thread, value))?;
                heap.fields[usize::from(to)][usize::from(field)] = value;
            }
            Action::Drop { thread, object } => {
                heap.holds(thread, object)?;
                heap.held[usize::from(thread)].remove(object);
            }
            Action::Pass { thread, object, to } => {
                self.come_from(Sources::Operations)?;
                heap.holds(thread, object)?;
                (thread != to).then_some(())?;
                heap.held[usize::from(to)].insert(object);
            }
            Action::Free { objects } => {
                let garbage = heap.allocated.without(heap.reachable());
                let are_garbage = !objects.is_empty() && objects.without(garbage).is_empty();
                are_garbage.then_some(())?;
                heap.allocated = heap.allocated.without(objects);
            }
        }
        heap.hide_the_unreachable();
        Some(())
    }

    fn observe(&self, state: &Heap) -> Heap {
        *state
    }

    fn draw(&self, state: &Heap) -> Option<Drawing> {
        Some(state.draw())
    }
}
