//! What a thread did, for whoever wants to know, and the places where it may be made to linger.
//!
//! Whoever does not want to know pays nothing: [`Unseen`] has no code.

use serde::{Deserialize, Serialize};

use super::control::Phase;
use super::reference::Reference;
use super::stage::Stage;

/// What a mutator or the collector did: every access of what threads share that says where its thread is
/// in Figs. 2, 5 and 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A mutator came, and holds nothing yet.
    Join {
        /// What it is asked for from the beginning, as who forked it is.
        owes: Option<Stage>,
    },
    /// A mutator came to hold a reference without a load: it was forked with it.
    Hold {
        /// What it holds.
        reference: Reference,
    },
    /// A mutator got a new object.
    Alloc {
        /// Which; none if no slot was free.
        reference: Option<Reference>,
        /// Its mark, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<bool>,
    },
    /// A mutator read a field, and holds what was there.
    Load {
        /// The object.
        src: Reference,
        /// Its field.
        field: u32,
        /// What was there.
        value: Option<Reference>,
    },
    /// The deletion barrier of a store read what the store will overwrite.
    Overwrite {
        /// The object.
        src: Reference,
        /// Its field.
        field: u32,
        /// What was there.
        was: Option<Reference>,
        /// What will be written.
        value: Option<Reference>,
    },
    /// A mutator wrote a field.
    Store {
        /// The object.
        src: Reference,
        /// Its field.
        field: u32,
        /// What it wrote.
        value: Option<Reference>,
    },
    /// A mutator let go of a root. It may hold the same reference by another.
    Discard {
        /// Which.
        reference: Reference,
    },
    /// A mutator saw that it is asked for a handshake.
    Asked {
        /// Which.
        stage: Stage,
    },
    /// A thread passed the fence of a handshake.
    Fence,
    /// A mutator was about to answer a handshake, behind its fence.
    Handshake {
        /// Which.
        stage: Stage,
    },
    /// Marking loaded `fM`.
    Sense {
        /// What is to be marked.
        reference: Reference,
        /// The sense in which objects are marked.
        fm: bool,
    },
    /// Marking loaded the mark.
    Look {
        /// Of what.
        reference: Reference,
        /// Its mark.
        mark: bool,
    },
    /// Marking loaded the phase.
    Test {
        /// What is to be marked.
        reference: Reference,
        /// The phase.
        phase: Phase,
    },
    /// A thread raced to mark an object.
    Mark {
        /// Which.
        reference: Reference,
        /// Whether it won.
        won: bool,
        /// The sense in which it marked, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<bool>,
    },
    /// The collector asked all mutators for a handshake.
    Ask {
        /// Which.
        stage: Stage,
    },
    /// All mutators had answered the collector, and it took over what they had handed over.
    Answered {
        /// Which handshake.
        stage: Stage,
    },
    /// The collector inverted `fM`.
    SetFm {
        /// To what.
        fm: bool,
    },
    /// The collector set `fA`.
    SetFa {
        /// To what.
        fa: bool,
    },
    /// The collector set the phase.
    SetPhase {
        /// To what.
        phase: Phase,
    },
    /// The collector took an object off its worklist.
    Trace {
        /// Which.
        reference: Reference,
    },
    /// The collector read a field of the object that it traces.
    Scan {
        /// The object.
        src: Reference,
        /// Its field.
        field: u32,
        /// What was there.
        value: Option<Reference>,
    },
    /// The collector freed an object.
    Free {
        /// Which.
        reference: Reference,
    },
    /// A mutator left, and holds nothing any more.
    Leave,
}

/// A place where something may come between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Marking has loaded `fM`, and not the mark [Fig. 5, between lines 2 and 3].
    Sense,
    /// Marking has passed its tests, and has not claimed the object [Fig. 5, before line 5].
    Claim,
    /// A store has passed its barriers, and has not been made [Fig. 6, before line 11].
    Write,
    /// The collector has chosen an object, and not traced it [Fig. 2, before line 28].
    Trace,
    /// The collector is between two rounds of handshakes.
    Round,
}

/// Follows one thread.
pub trait Witness {
    /// A moment of its clock.
    type Moment: Copy;

    /// Now.
    fn now(&mut self) -> Self::Moment;
    /// Something was done between `begin` and now.
    fn saw(&mut self, begin: Self::Moment, event: Event);
    /// The thread is at a place where it may be made to linger.
    fn at(&mut self, place: Place);
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unseen;

impl Witness for Unseen {
    type Moment = ();

    #[inline]
    fn now(&mut self) {}
    #[inline]
    fn saw(&mut self, (): (), _: Event) {}
    #[inline]
    fn at(&mut self, _: Place) {}
}
