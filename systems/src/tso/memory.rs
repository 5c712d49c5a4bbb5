//! The memory side of the system process: loads, stores, the bus lock [Fig. 9], and allocation
//! [section 3.1, System].

use refmap_processes::{choice, choose, forever, respond_any};

use super::label::SysStep;
use super::request::{Answer, Asks, Command, Place, Request};
use super::scope::{Allocate, MAX_FIELDS, Memory, Scope, Variant};
use super::state::{Mark, Object, Phase, Store, Sys, Who};
use crate::heap::Object as Ref;

type SysCommand = Command<Sys>;

/// The system process: it responds to requests, and commits pending stores.
pub(super) fn system(scope: &Scope, variant: Variant) -> SysCommand {
    let commits = Who::all(scope.mutators).map(|who| commit(who, variant.memory));
    forever(choice(
        std::iter::once(answers(scope, variant)).chain(commits),
    ))
}

/// The response to a request. PERF: one command for all requests, since each command that may respond is tried for
/// each request.
fn answers(scope: &Scope, variant: Variant) -> SysCommand {
    let (fields, room) = (scope.fields, [scope.collector_buffer, scope.buffer]);
    respond_any(
        SysStep::Answer,
        move |request: &Request, sys: &Sys, visit| {
            if let Asks::Alloc = request.asks {
                return alloc(sys, fields, variant.allocate, visit);
            }
            let mut to = *sys;
            if let Some(answer) = to.answer(*request, variant.memory, room) {
                visit(to, answer);
            }
        },
    )
}

impl Sys {
    /// Response to a request [Fig. 9; handshakes]; `None` if the request blocks.
    fn answer(&mut self, request: Request, memory: Memory, room: [u8; 2]) -> Option<Answer> {
        let by = request.by;
        match request.asks {
            Asks::Load(place) => self.is_free_for(by).then(|| self.load(by, place)),
            Asks::Store(store) => self.store(by, store, memory, room).then_some(Answer::Void),
            Asks::Mfence => self.buffers[by.index()].is_empty().then_some(Answer::Void),
            Asks::Lock => {
                let is_free = self.lock.is_none();
                self.lock = Some(by);
                is_free.then_some(Answer::Void)
            }
            Asks::Unlock => {
                let is_empty = self.buffers[by.index()].is_empty();
                let held = self.lock.take() == Some(by);
                (held && is_empty).then_some(Answer::Void)
            }
            Asks::Free(reference) => {
                self.heap[usize::from(reference)] = None;
                Some(Answer::Void)
            }
            Asks::Alloc => unreachable!("it may have several answers"),
            Asks::Handshake(asks) => Some(self.handshake(asks)),
        }
    }
}

/// Commit of the oldest pending store of a process; under [`Memory::Pso`], of the oldest of each location.
fn commit(who: Who, memory: Memory) -> SysCommand {
    choose(SysStep::Commit(who), move |sys: &Sys, visit| {
        if !sys.is_free_for(who) {
            return;
        }
        let buffer = &sys.buffers[who.index()];
        for (place, store) in buffer.iter().enumerate() {
            let is_next = match memory {
                Memory::Tso | Memory::Sc => place == 0,
                Memory::Pso => {
                    let mut earlier = buffer[..place].iter();
                    earlier.all(|other| other.location() != store.location())
                }
            };
            if is_next {
                let mut to = *sys;
                to.buffers[who.index()].remove(place);
                to.apply(*store);
                visit(to);
            }
        }
    })
    .from_source("Gammie et al., Fig. 9, sys-dequeue-write-buffer")
}

/// A fresh object at any free reference. The one place in which the sense of allocation matters.
fn alloc(sys: &Sys, fields: u8, allocate: Allocate, visit: &mut dyn FnMut(Sys, Answer)) {
    let mark = match allocate {
        Allocate::Fa => sys.fa,
        Allocate::NotFa => !sys.fa,
        Allocate::Fm => sys.fm,
        Allocate::WhiteInMark if sys.phase == Phase::Mark => !sys.fm,
        Allocate::WhiteInMark => sys.fa,
    };
    let is_free = |object: &Option<Object>| object.is_none();
    for (place, _) in sys.heap.iter().enumerate().filter(|(_, o)| is_free(o)) {
        let mut to = *sys;
        to.heap[place] = Some(Object::new(mark, fields));
        visit(to, Answer::Ref(Some(place as Ref)));
    }
    if !sys.heap.iter().any(is_free) {
        visit(*sys, Answer::Ref(None));
    }
}

impl Object {
    /// An object whose fields are null.
    pub fn new(mark: Mark, fields: u8) -> Self {
        assert!(usize::from(fields) <= MAX_FIELDS, "{fields} fields");
        Self {
            mark,
            fields: (0..fields).map(|_| None).collect(),
        }
    }
}

/// Location that a store changes, ordered for [`Memory::Pso`], under which buffers are sorted by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    Mark(Ref),
    Field(Ref, u8),
    FA,
    FM,
    Phase,
}

impl Store {
    pub(super) fn location(self) -> Location {
        match self {
            Self::Mark(reference, _) => Location::Mark(reference),
            Self::Field(reference, field, _) => Location::Field(reference, field),
            Self::FA(_) => Location::FA,
            Self::FM(_) => Location::FM,
            Self::Phase(_) => Location::Phase,
        }
    }
}

impl Sys {
    /// Whether no other process holds the bus lock.
    pub fn is_free_for(&self, who: Who) -> bool {
        self.lock.is_none_or(|holder| holder == who)
    }

    /// The object at a reference.
    pub fn object(&self, reference: Ref) -> Option<&Object> {
        self.heap.get(usize::from(reference))?.as_ref()
    }

    /// The pending stores of a process, the oldest first.
    pub fn pending_stores(&self, who: Who) -> &[Store] {
        &self.buffers[who.index()]
    }

    /// The value that `who` loads: of the newest store to the place in its own buffer, if
    /// the object exists, and otherwise of memory.
    pub(super) fn load(&self, who: Who, place: Place) -> Answer {
        let newest = |value: &dyn Fn(Store) -> Option<Answer>| {
            let stores = self.pending_stores(who).iter().rev();
            stores.copied().find_map(value)
        };
        match place {
            Place::Mark(reference) => {
                let Some(object) = self.object(reference) else {
                    return Answer::Mark(None);
                };
                newest(&|store| match store {
                    Store::Mark(r, mark) if r == reference => Some(Answer::Mark(Some(mark))),
                    _ => None,
                })
                .unwrap_or(Answer::Mark(Some(object.mark)))
            }
            Place::Field(reference, field) => {
                let Some(object) = self.object(reference) else {
                    return Answer::Ref(None);
                };
                newest(&|store| match store {
                    Store::Field(r, f, value) if (r, f) == (reference, field) => {
                        Some(Answer::Ref(value))
                    }
                    _ => None,
                })
                .unwrap_or(Answer::Ref(object.fields[usize::from(field)]))
            }
            Place::FM => newest(&|store| match store {
                Store::FM(mark) => Some(Answer::Mark(Some(mark))),
                _ => None,
            })
            .unwrap_or(Answer::Mark(Some(self.fm))),
            Place::Phase => newest(&|store| match store {
                Store::Phase(phase) => Some(Answer::Phase(phase)),
                _ => None,
            })
            .unwrap_or(Answer::Phase(self.phase)),
        }
    }

    /// Executes a store, if the buffer has room. The one place in which the memory model matters to a store.
    fn store(&mut self, who: Who, store: Store, memory: Memory, [gc, mutator]: [u8; 2]) -> bool {
        let room = match who {
            Who::Gc => gc,
            Who::Mutator(_) => mutator,
        };
        let buffer = &mut self.buffers[who.index()];
        if memory != Memory::Sc && buffer.len() >= usize::from(room) {
            return false;
        }
        match memory {
            Memory::Sc => self.apply(store),
            Memory::Tso => buffer.push(store),
            Memory::Pso => {
                let here = store.location();
                let behind = buffer.iter().take_while(|other| other.location() <= here);
                let place = behind.count();
                buffer.insert(place, store);
            }
        }
        true
    }

    /// The effect of a store on memory; none on an object that does not exist.
    fn apply(&mut self, store: Store) {
        match store {
            Store::Mark(reference, mark) => {
                if let Some(object) = &mut self.heap[usize::from(reference)] {
                    object.mark = mark;
                }
            }
            Store::Field(reference, field, value) => {
                if let Some(object) = &mut self.heap[usize::from(reference)] {
                    object.fields[usize::from(field)] = value;
                }
            }
            Store::FA(mark) => self.fa = mark,
            Store::FM(mark) => self.fm = mark,
            Store::Phase(phase) => self.phase = phase,
        }
    }
}
