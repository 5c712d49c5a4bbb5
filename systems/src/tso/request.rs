//! Requests of processes to the system, and its responses [sections 2.4 and 3.1, Figs. 4 and 9].

use refmap_processes::{Composition, assign, request};

use super::label::Label;
use super::state::{HandshakePhase, HandshakeType, Mark, Phase, State, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

/// A command of a process of the model.
pub(super) type Command<L> = refmap_processes::Command<L, Request, Answer, Label>;

/// The processes of the model.
pub(super) type Processes = Composition<State, Request, Answer, Label>;

/// A step of one or two processes of the model, as an action.
pub type Act = refmap_processes::Act<Label>;

/// A request, and the process that issues it.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The requesting process.
    pub by: Who,
    /// The request.
    pub asks: Asks,
}

/// Kinds of requests.
#[derive(Clone, Copy, Debug)]
pub enum Asks {
    /// Load from a place.
    Load(Place),
    Store(Store),
    /// Fence: the response waits until the buffer is empty.
    Mfence,
    /// Acquisition of the bus lock.
    Lock,
    /// Release of the bus lock.
    Unlock,
    /// Allocation of an object.
    Alloc,
    /// Freeing of an object.
    Free(Ref),
    /// Operation on the handshake state.
    Handshake(Handshake),
}

/// Operations on the handshake state.
#[derive(Clone, Copy, Debug)]
pub enum Handshake {
    /// The collector begins a handshake of this type, with a ghost phase if it has one.
    Begin(HandshakeType, Option<HandshakePhase>),
    /// The collector sets a mutator's pending bit.
    SetPending(u8),
    /// The collector polls whether a mutator has answered.
    HasAnswered(u8),
    /// The collector takes over the work handed over.
    TakeWork,
    /// A mutator polls its pending bit.
    IsAsked(u8),
    /// A mutator loads the type of the handshake.
    Type,
    /// A mutator answers, and hands over its work.
    Done(u8, Refs),
}

/// Location of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The mark of an object.
    Mark(Ref),
    /// A field of an object.
    Field(Ref, u8),
    /// The sense of marks.
    FM,
    Phase,
}

/// A response.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// No value.
    Void,
    /// A truth value.
    Bool(bool),
    /// A mark, if there is an object.
    Mark(Option<Mark>),
    Phase(Phase),
    /// A reference, or null.
    Ref(Option<Ref>),
    /// References.
    Refs(Refs),
    /// The kind of a handshake.
    Type(HandshakeType),
    /// The ghost phase of a handshake.
    Ghost(HandshakePhase),
}

/// Command: a request of a process, and the use of the response.
pub(super) fn ask<L: 'static>(
    label: impl Into<Label>,
    by: Who,
    asks: impl Fn(&L) -> Asks + Send + Sync + 'static,
    receive: impl Fn(&mut L, Answer) + Send + Sync + 'static,
) -> Command<L> {
    let asks = move |local: &L| Request {
        by,
        asks: asks(local),
    };
    request(label, asks, move |local, answer: &Answer| {
        receive(local, *answer)
    })
}

/// Command: a request whose response has no value.
pub(super) fn tell<L: 'static>(
    label: impl Into<Label>,
    by: Who,
    asks: impl Fn(&L) -> Asks + Send + Sync + 'static,
) -> Command<L> {
    ask(label, by, asks, |_, _| ())
}

/// Command: removal of an element from the set that a loop iterates over.
pub(super) fn remove<L: Clone + 'static>(
    label: impl Into<Label>,
    operation: impl Fn(&mut L) + Send + Sync + 'static,
) -> Command<L> {
    assign(label, operation).fuse_with_previous()
}

impl Answer {
    /// The truth value.
    pub fn bool(self) -> bool {
        match self {
            Self::Bool(value) => value,
            other => unreachable!("{other:?} is no truth value"),
        }
    }

    /// The mark.
    pub fn mark(self) -> Option<Mark> {
        match self {
            Self::Mark(mark) => mark,
            other => unreachable!("{other:?} is no mark"),
        }
    }

    /// The phase.
    pub fn phase(self) -> Phase {
        match self {
            Self::Phase(phase) => phase,
            other => unreachable!("{other:?} is no phase"),
        }
    }

    /// The reference.
    pub fn reference(self) -> Option<Ref> {
        match self {
            Self::Ref(reference) => reference,
            other => unreachable!("{other:?} is no reference"),
        }
    }

    /// The references.
    pub fn refs(self) -> Refs {
        match self {
            Self::Refs(refs) => refs,
            other => unreachable!("{other:?} are no references"),
        }
    }

    /// The kind of handshake.
    pub fn handshake(self) -> HandshakeType {
        match self {
            Self::Type(handshake) => handshake,
            other => unreachable!("{other:?} is no kind of handshake"),
        }
    }

    /// The ghost phase.
    pub fn ghost(self) -> HandshakePhase {
        match self {
            Self::Ghost(phase) => phase,
            other => unreachable!("{other:?} is no phase of a handshake"),
        }
    }
}
