//! The memory side of the system process: loads, stores, the bus lock [Fig. 9], and allocation
//! [section 3.1, System].

use refmap::process::{Command, choice, forever, guess, respond, respond_any};

use super::handshakes;
use super::request::{Answer, Asks, Place, Request};
use super::scope::{Allocate, MAX_FIELDS, Memory, Scope, Variant};
use super::state::{Mark, Object, Phase, Store, Sys, Who};
use crate::heap::Object as Ref;

type SysCommand = Command<Sys, Request, Answer>;

/// The system.
pub(super) fn system(scope: &Scope, variant: Variant) -> SysCommand {
    forever(choice([
        memory(scope, variant.memory),
        alloc(scope, variant.allocate),
        free(),
        handshakes::system(),
    ]))
}

/// Fig. 9.
fn memory(scope: &Scope, memory: Memory) -> SysCommand {
    let room = [scope.collector_buffer, scope.buffer];
    let commits = Who::all(scope.mutators).map(|who| commit(who, memory));
    choice(
        [
            respond("sys: load", |request: &Request, sys: &mut Sys| {
                let Asks::Load(place) = request.asks else {
                    return None;
                };
                sys.is_free_for(request.by)
                    .then(|| sys.load(request.by, place))
            }),
            respond("sys: store", move |request: &Request, sys: &mut Sys| {
                let Asks::Store(store) = request.asks else {
                    return None;
                };
                sys.store(request.by, store, memory, room)
                    .then_some(Answer::Void)
            }),
            respond("sys: mfence", |request: &Request, sys: &mut Sys| {
                let is_fence = matches!(request.asks, Asks::Mfence);
                (is_fence && sys.buffers[request.by.index()].is_empty()).then_some(Answer::Void)
            }),
            respond("sys: lock", |request: &Request, sys: &mut Sys| {
                if !matches!(request.asks, Asks::Lock) || sys.lock.is_some() {
                    return None;
                }
                sys.lock = Some(request.by);
                Some(Answer::Void)
            }),
            respond("sys: unlock", |request: &Request, sys: &mut Sys| {
                let is_unlock = matches!(request.asks, Asks::Unlock);
                let is_empty = sys.buffers[request.by.index()].is_empty();
                if !is_unlock || sys.lock != Some(request.by) || !is_empty {
                    return None;
                }
                sys.lock = None;
                Some(Answer::Void)
            }),
        ]
        .into_iter()
        .chain(commits),
    )
}

/// The oldest pending store of a process goes to memory: of each location, under [`Memory::Pso`].
fn commit(who: Who, memory: Memory) -> SysCommand {
    let label = match who {
        Who::Gc => "commit for gc".to_owned(),
        Who::Mutator(mutator) => format!("commit for mutator {mutator}"),
    };
    guess(label, move |sys: &Sys, visit| {
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
fn alloc(scope: &Scope, allocate: Allocate) -> SysCommand {
    let fields = scope.fields;
    respond_any("sys: alloc", move |request: &Request, sys: &Sys, visit| {
        if !matches!(request.asks, Asks::Alloc) {
            return;
        }
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
    })
}

fn free() -> SysCommand {
    respond("sys: free", |request: &Request, sys: &mut Sys| {
        let Asks::Free(reference) = request.asks else {
            return None;
        };
        sys.heap[usize::from(reference)] = None;
        Some(Answer::Void)
    })
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

/// What a store changes, ordered for [`Memory::Pso`], under which buffers are sorted by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    Mark(Ref),
    Field(Ref, u8),
    FA,
    FM,
    Phase,
}

impl Store {
    fn location(self) -> Location {
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
    /// Whether nobody else holds the bus.
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

    /// The value that `who` sees: that of the newest pending store to the place in its own buffer, if
    /// there is an object, and else what memory holds.
    fn load(&self, who: Who, place: Place) -> Answer {
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

    /// Takes a store, if there is room. The one place in which the kind of memory matters to a store.
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

    /// The effect of a store on memory; none on an object that is not there.
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
