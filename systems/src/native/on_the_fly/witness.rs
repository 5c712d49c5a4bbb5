//! Witnesses: observers of the events of a thread, which can delay it at certain places.
//!
//! [`NoWitness`] observes nothing, and compiles to no code.

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

use super::control::Phase;
use super::reference::Reference;
use super::stage::Stage;

/// An event of a mutator or of the collector: every access to shared data that determines the location of its thread
/// in Figs. 2, 5 and 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A mutator joined, without roots.
    Join {
        /// The request that is pending from the beginning, as for its parent.
        owes: Option<Stage>,
    },
    /// A mutator gained a root of its parent.
    Hold {
        /// The root.
        reference: Reference,
    },
    /// A mutator allocated an object.
    Alloc {
        /// Object; none if no slot was free.
        reference: Option<Reference>,
        /// Its mark, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<bool>,
    },
    /// A mutator loaded a field, as a root.
    Load {
        /// The object.
        src: Reference,
        field: u32,
        /// The value read.
        value: Option<Reference>,
    },
    /// The deletion barrier of a store read what the store will overwrite.
    Overwrite {
        /// The object.
        src: Reference,
        field: u32,
        /// The value read.
        was: Option<Reference>,
        /// The value to be written.
        value: Option<Reference>,
    },
    /// A mutator wrote a field.
    Store {
        /// The object.
        src: Reference,
        field: u32,
        /// The value written.
        value: Option<Reference>,
    },
    /// A mutator discarded a root. It may hold the same reference by another one.
    Discard {
        /// The object.
        reference: Reference,
    },
    /// A mutator read a request of a handshake.
    Asked {
        /// The handshake.
        stage: Stage,
    },
    /// A thread executed the fence of a handshake.
    Fence,
    /// A mutator was about to answer a handshake, after its fence.
    Handshake {
        /// The handshake.
        stage: Stage,
    },
    /// Marking loaded `fM`.
    Sense {
        /// The object to mark.
        reference: Reference,
        /// The sense in which objects are marked.
        fm: bool,
    },
    /// Marking loaded the mark.
    Look {
        /// The object.
        reference: Reference,
        mark: bool,
    },
    /// Marking loaded the phase.
    Test {
        /// The object to mark.
        reference: Reference,
        phase: Phase,
    },
    /// A thread executed the CAS of marking.
    Mark {
        /// The object.
        reference: Reference,
        /// Whether it won.
        won: bool,
        /// The sense in which it marked, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<bool>,
    },
    /// The collector requested a handshake of all mutators.
    Ask {
        /// The handshake.
        stage: Stage,
    },
    /// All mutators had answered, and the collector took over the work handed over.
    Answered {
        /// The handshake.
        stage: Stage,
    },
    /// The collector inverted `fM`.
    SetFm {
        /// The new value.
        fm: bool,
    },
    /// The collector set `fA`.
    SetFa {
        /// The new value.
        fa: bool,
    },
    /// The collector set the phase.
    SetPhase {
        /// The new phase.
        phase: Phase,
    },
    /// The collector removed an object from its worklist, to trace it.
    Trace {
        /// The object.
        reference: Reference,
    },
    /// The collector read a field of the object that it traces.
    Scan {
        /// The object.
        src: Reference,
        field: u32,
        /// The value read.
        value: Option<Reference>,
    },
    /// The collector freed an object.
    Free {
        /// The object.
        reference: Reference,
    },
    /// A mutator left, with all its roots.
    Leave,
}

/// A delay place: a race window, in which a witness may delay the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Place {
    /// Marking has loaded `fM`, and not the mark [Fig. 5, between lines 2 and 3].
    Sense,
    /// Marking has passed its tests, and has not claimed the object [Fig. 5, before line 5].
    Claim,
    /// A store has passed its barriers, and has not been made [Fig. 6, before line 11].
    Write,
    /// The collector has chosen an object, and has not traced it [Fig. 2, before line 28].
    Trace,
    /// The collector is between two handshake rounds.
    Round,
}

/// Observer of one thread.
pub trait Witness {
    /// A moment of its clock.
    type Moment: Copy;

    /// The current moment.
    fn now(&mut self) -> Self::Moment;
    /// An event took place between `begin` and now.
    fn saw(&mut self, begin: Self::Moment, event: Event);
    /// The thread is at a place where it may be delayed.
    fn at(&mut self, place: Place);
}

/// The witness that observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWitness;

impl Witness for NoWitness {
    type Moment = ();

    #[inline]
    fn now(&mut self) {}
    #[inline]
    fn saw(&mut self, (): (), _: Event) {}
    #[inline]
    fn at(&mut self, _: Place) {}
}
