//! What processes ask of the system, and what it answers [sections 2.4 and 3.1, Figs. 4 and 9].

use refmap_processes::{Composition, assign, request};

use super::label::Label;
use super::state::{HandshakePhase, HandshakeType, Mark, Mutators, Phase, State, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

/// A command of a process of the model.
pub(super) type Command<L> = refmap_processes::Command<L, Request, Answer, Label>;

/// The processes of the model.
pub(super) type Processes = Composition<State, Request, Answer, Label>;

/// What was done by processes of the model.
pub type Act = refmap_processes::Act<Label>;

/// A request, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Who asks.
    pub by: Who,
    /// For what.
    pub asks: Asks,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Asks {
    /// The value at a place.
    Load(Place),
    /// To store.
    Store(Store),
    /// That the buffer be empty.
    Mfence,
    /// The bus.
    Lock,
    /// To give it back.
    Unlock,
    /// A new object.
    Alloc,
    /// That an object be freed.
    Free(Ref),
    /// Something in a handshake.
    Handshake(Handshake),
}

/// What is asked for in a handshake.
#[derive(Clone, Copy, Debug)]
pub enum Handshake {
    /// The collector begins one; the ghost phase goes with those that have one.
    Begin(HandshakeType, Option<HandshakePhase>),
    /// The collector sets a mutator's pending bit.
    SetPending(u8),
    /// The collector looks whether a mutator has answered.
    HasAnswered(u8),
    /// The collector takes over the work handed over.
    TakeWork,
    /// A mutator looks whether it is asked.
    IsAsked(u8),
    /// A mutator looks what it is asked.
    Type,
    /// A mutator answers, and hands over its work.
    Done(u8, Refs),
}

/// Where something is loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The mark of an object.
    Mark(Ref),
    /// A field of an object.
    Field(Ref, u8),
    /// The sense of marks.
    FM,
    /// The phase.
    Phase,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// It is done.
    Void,
    /// A truth value.
    Bool(bool),
    /// A mark, if there is an object.
    Mark(Option<Mark>),
    /// A phase.
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

/// The request of one process for something.
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

/// A request whose answer says nothing.
pub(super) fn tell<L: 'static>(
    label: impl Into<Label>,
    by: Who,
    asks: impl Fn(&L) -> Asks + Send + Sync + 'static,
) -> Command<L> {
    ask(label, by, asks, |_, _| ())
}

/// Takes `taken` out of the set that a loop goes through.
pub(super) fn remove<L: Clone + 'static>(
    label: impl Into<Label>,
    operation: impl Fn(&mut L) + Send + Sync + 'static,
) -> Command<L> {
    assign(label, operation).fuse_with_previous()
}

impl Answer {
    /// The truth value that was asked for.
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

/// The mutators of an instance.
pub(super) fn everybody(mutators: u8) -> Mutators {
    Mutators::first(mutators)
}
