//! Labels of the commands: what a step does, as a value, and its text in reports.
//!
//! Every property of a step that depends on its label is decided by an exhaustive `match`, so a new or mistyped
//! label does not compile.

use super::handshake_round::HandshakeRound;
use super::state::{HandshakeType, Phase, Who};

/// Label of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum Label {
    /// The collector's side of a handshake round.
    #[strum(to_string = "{0}: {1}")]
    Round(HandshakeRound, RoundStep),
    /// The collector inverts the sense of marks.
    #[strum(to_string = "{0}")]
    Flip(FlipStep),
    /// The collector sets the mark of new objects.
    #[strum(to_string = "{0}")]
    SetFa(SetFaStep),
    /// The collector stores the phase.
    #[strum(to_string = "phase ← {0}")]
    StorePhase(Phase),
    /// The collector's mark loop.
    #[strum(to_string = "{0}")]
    MarkLoop(MarkLoopStep),
    /// The collector's sweep.
    #[strum(to_string = "{0}")]
    Sweep(SweepStep),
    /// An operation of a mutator.
    #[strum(to_string = "{0}")]
    Mutator(MutatorStep),
    /// A mutator's side of a handshake.
    #[strum(to_string = "{0}")]
    Answer(AnswerStep),
    /// Marking of an object.
    #[strum(to_string = "{0}: {1}")]
    Marking(Marker, MarkingStep),
    /// The system.
    #[strum(to_string = "{0}")]
    Sys(SysStep),
}

/// A step of the collector's side of a handshake round [Fig. 4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum RoundStep {
    /// The fence with which a noop handshake begins.
    #[strum(to_string = "mfence")]
    Fence,
    /// Store of the type of the handshake.
    #[strum(to_string = "set type")]
    SetType,
    /// Initialisation of the loop over the mutators to request.
    #[strum(to_string = "ask all")]
    AskAll,
    /// Guard of that loop: a mutator is left.
    #[strum(to_string = "somebody to ask")]
    MoreToAsk,
    /// Choice of the mutator to request next.
    #[strum(to_string = "choose whom to ask")]
    ChooseWhomToAsk,
    /// Setting of its pending bit.
    #[strum(to_string = "set pending")]
    SetPending,
    /// Removal of it from the loop's set.
    #[strum(to_string = "asked")]
    Asked,
    /// Initialisation of the loop over the mutators to wait for.
    #[strum(to_string = "wait for all")]
    WaitForAll,
    /// Guard of that loop: a mutator is left.
    #[strum(to_string = "somebody to wait for")]
    MoreToWaitFor,
    /// Choice of the mutator to poll next.
    #[strum(to_string = "choose whom to poll")]
    ChooseWhomToPoll,
    /// Poll of its pending bit, and its removal from the set if it has answered.
    #[strum(to_string = "poll")]
    Poll,
    /// Transfer of the work that mutators have handed over to the collector's worklist.
    #[strum(to_string = "W ← collected work")]
    TakeWork,
}

/// A step with which the collector inverts the sense of marks [Fig. 2, line 5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum FlipStep {
    /// Load of `fM`.
    #[strum(to_string = "flip: load fM")]
    LoadFm,
    /// Inversion of the collector's copy.
    #[strum(to_string = "flip: invert fM")]
    Invert,
    /// Store of the copy.
    #[strum(to_string = "flip: store fM")]
    StoreFm,
}

/// A step with which the collector sets the mark of new objects [Fig. 2, line 12].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum SetFaStep {
    /// Load of `fM`.
    #[strum(to_string = "mark: load fM")]
    LoadFm,
    /// Store of that value as `fA`.
    #[strum(to_string = "mark: fA ← fM")]
    StoreFa,
}

/// A step of the collector's mark loop [Fig. 2, lines 25 to 34], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum MarkLoopStep {
    /// Guard of the outer loop: the worklist is not empty.
    #[strum(to_string = "mark loop: work")]
    Work,
    /// Guard of the inner loop: the same, before the next get-work.
    #[strum(to_string = "mark loop: own work")]
    OwnWork,
    /// Choice of the grey object to trace.
    #[strum(to_string = "mark loop: choose src")]
    ChooseSrc,
    /// Initialisation of the loop over its fields.
    #[strum(to_string = "mark loop: all fields")]
    AllFields,
    /// Guard of that loop: a field is left.
    #[strum(to_string = "mark loop: a field to trace")]
    FieldToTrace,
    /// Choice of the field to trace next.
    #[strum(to_string = "mark loop: choose field")]
    ChooseField,
    #[strum(to_string = "mark loop: ref ← src.field")]
    LoadField,
    /// Removal of the field from the loop's set.
    #[strum(to_string = "mark loop: field traced")]
    FieldTraced,
    /// Removal of the object from the worklist: it is black.
    #[strum(to_string = "mark loop: blacken")]
    Blacken,
}

/// A step of the collector's sweep [Fig. 2, lines 38 to 45].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum SweepStep {
    /// Load of `fM`.
    #[strum(to_string = "sweep: load fM")]
    LoadFm,
    /// Initialisation of the loop over all references.
    #[strum(to_string = "sweep: all refs")]
    AllRefs,
    /// Guard of that loop: a reference is left.
    #[strum(to_string = "sweep: a ref to look at")]
    RefToLookAt,
    /// Choice of the reference to sweep next.
    #[strum(to_string = "sweep: choose ref")]
    ChooseRef,
    #[strum(to_string = "sweep: load mark")]
    LoadMark,
    /// Guard: the object is white.
    #[strum(to_string = "sweep: is white")]
    IsWhite,
    /// Freeing of the object.
    #[strum(to_string = "sweep: free")]
    Free,
    /// Removal of the reference from the loop's set.
    #[strum(to_string = "sweep: ref done")]
    RefDone,
}

/// A step of a mutator's operations [Fig. 6], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum MutatorStep {
    /// Allocation of an object.
    #[strum(to_string = "alloc")]
    Alloc,
    /// Discarding of roots.
    #[strum(to_string = "discard")]
    Discard,
    /// Choice of the field to load.
    #[strum(to_string = "load: choose")]
    ChooseLoad,
    /// Load of that field.
    #[strum(to_string = "load")]
    Load,
    /// Choice of the field to store to, and at fine granularity of the value.
    #[strum(to_string = "store: choose")]
    ChooseStore,
    /// Choice of the value to store, where it is a separate choice.
    #[strum(to_string = "store: choose dst")]
    ChooseDst,
    /// Load of the field by the deletion barrier.
    #[strum(to_string = "deletion: ref ← src.field")]
    LoadDeleted,
    /// Guard of the insertion barrier in one variant: the roots are not yet marked in this cycle.
    #[strum(to_string = "insertion: roots unmarked")]
    RootsUnmarked,
    /// Assignment of the value to store to the register of marking.
    #[strum(to_string = "insertion: ref ← dst")]
    TakeInserted,
    /// Store to the field.
    #[strum(to_string = "store: src.field ← dst")]
    Store,
    /// A fence of the program.
    #[strum(to_string = "mfence")]
    Fence,
}

/// A step of a mutator's side of handshakes [Fig. 2, the `at` statements; Fig. 4], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum AnswerStep {
    /// Load of the mutator's pending bit.
    #[strum(to_string = "handshake: poll")]
    Poll,
    /// Guard: the bit is set.
    #[strum(to_string = "handshake: is asked")]
    IsAsked,
    #[strum(to_string = "handshake: mfence")]
    Fence,
    /// Load of the type of the handshake.
    #[strum(to_string = "handshake: load type")]
    LoadType,
    /// Guard: the handshake has this type.
    #[strum(to_string = "handshake: is {0}")]
    IsType(HandshakeType),
    /// Initialisation of the loop over the roots.
    #[strum(to_string = "get-roots: all roots")]
    AllRoots,
    /// Guard of that loop: a root is left.
    #[strum(to_string = "get-roots: a root to mark")]
    RootToMark,
    /// Choice of the root to mark next.
    #[strum(to_string = "get-roots: choose a root")]
    ChooseRoot,
    /// Removal of the root from the loop's set.
    #[strum(to_string = "get-roots: marked")]
    RootMarked,
    /// Answer to a handshake of this type.
    #[strum(to_string = "{0}: done")]
    Done(HandshakeType),
}

/// The caller of marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum Marker {
    /// A mutator's deletion barrier.
    #[strum(to_string = "deletion")]
    Deletion,
    /// Its insertion barrier.
    #[strum(to_string = "insertion")]
    Insertion,
    /// The marking of its roots.
    #[strum(to_string = "get-roots")]
    GetRoots,
    /// The collector's mark loop.
    #[strum(to_string = "mark loop")]
    MarkLoop,
}

/// A step of marking [Fig. 5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum MarkingStep {
    /// Guard: the reference is not null.
    #[strum(to_string = "ref ≠ null")]
    IsRef,
    #[strum(to_string = "load mark")]
    LoadMark,
    /// Load of `fM`.
    #[strum(to_string = "load fM")]
    LoadFm,
    /// Guard: the object is white.
    #[strum(to_string = "mark ≠ fM")]
    IsWhite,
    #[strum(to_string = "load phase")]
    LoadPhase,
    /// Guard: the phase is not `Idle`.
    #[strum(to_string = "phase ≠ Idle")]
    IsNotIdle,
    /// Acquisition of the bus lock by the CAS.
    #[strum(to_string = "lock")]
    Lock,
    /// Second load of the mark, under the lock.
    #[strum(to_string = "load mark, locked")]
    LoadMarkLocked,
    /// Guard: the mark is unchanged.
    #[strum(to_string = "mark is unchanged")]
    IsUnchanged,
    #[strum(to_string = "store mark")]
    StoreMark,
    /// Release of the bus lock.
    #[strum(to_string = "unlock")]
    Unlock,
    /// Guard: the CAS has stored the mark.
    #[strum(to_string = "won")]
    HasWon,
    /// Addition of the object to the worklist.
    #[strum(to_string = "add to W")]
    AddToW,
}

/// A step of the system [Fig. 9].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum SysStep {
    /// Response to a request.
    #[strum(to_string = "sys")]
    Answer,
    /// Commit of a pending store of this process.
    #[strum(to_string = "commit for {0}")]
    Commit(Who),
}

impl RoundStep {
    /// Whether the step is after the one that sets the type, and before the last answer is polled.
    pub fn is_behind_type(self) -> bool {
        match self {
            Self::Fence | Self::SetType | Self::TakeWork => false,
            Self::AskAll
            | Self::MoreToAsk
            | Self::ChooseWhomToAsk
            | Self::SetPending
            | Self::Asked
            | Self::WaitForAll
            | Self::MoreToWaitFor
            | Self::ChooseWhomToPoll
            | Self::Poll => true,
        }
    }
}

impl From<FlipStep> for Label {
    fn from(step: FlipStep) -> Self {
        Self::Flip(step)
    }
}

impl From<SetFaStep> for Label {
    fn from(step: SetFaStep) -> Self {
        Self::SetFa(step)
    }
}

impl From<MarkLoopStep> for Label {
    fn from(step: MarkLoopStep) -> Self {
        Self::MarkLoop(step)
    }
}

impl From<SweepStep> for Label {
    fn from(step: SweepStep) -> Self {
        Self::Sweep(step)
    }
}

impl From<MutatorStep> for Label {
    fn from(step: MutatorStep) -> Self {
        Self::Mutator(step)
    }
}

impl From<AnswerStep> for Label {
    fn from(step: AnswerStep) -> Self {
        Self::Answer(step)
    }
}

impl From<SysStep> for Label {
    fn from(step: SysStep) -> Self {
        Self::Sys(step)
    }
}
