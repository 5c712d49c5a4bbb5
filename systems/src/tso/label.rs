//! Labels of the commands: what a step does, as a value, and its text in reports.
//!
//! Every property of a step that depends on its label is decided by an exhaustive `match`, so a new or mistyped
//! label does not compile.

use std::fmt;

use super::handshake_round::HandshakeRound;
use super::state::{HandshakeType, Phase, Who};

/// Label of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The collector's side of a handshake round.
    Round(HandshakeRound, RoundStep),
    /// The collector inverts the sense of marks.
    Flip(FlipStep),
    /// The collector sets the mark of new objects.
    SetFa(SetFaStep),
    /// The collector stores the phase.
    StorePhase(Phase),
    /// The collector's mark loop.
    MarkLoop(MarkLoopStep),
    /// The collector's sweep.
    Sweep(SweepStep),
    /// An operation of a mutator.
    Mutator(MutatorStep),
    /// A mutator's side of a handshake.
    Answer(AnswerStep),
    /// Marking of an object.
    Marking(Marker, MarkingStep),
    /// The system.
    Sys(SysStep),
}

/// A step of the collector's side of a handshake round [Fig. 4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundStep {
    /// The fence with which a noop handshake begins.
    Fence,
    /// Store of the type of the handshake.
    SetType,
    /// Initialisation of the loop over the mutators to request.
    AskAll,
    /// Guard of that loop: a mutator is left.
    MoreToAsk,
    /// Choice of the mutator to request next.
    ChooseWhomToAsk,
    /// Setting of its pending bit.
    SetPending,
    /// Removal of it from the loop's set.
    Asked,
    /// Initialisation of the loop over the mutators to wait for.
    WaitForAll,
    /// Guard of that loop: a mutator is left.
    MoreToWaitFor,
    /// Choice of the mutator to poll next.
    ChooseWhomToPoll,
    /// Poll of its pending bit, and its removal from the set if it has answered.
    Poll,
    /// Transfer of the work that mutators have handed over to the collector's worklist.
    TakeWork,
}

/// A step with which the collector inverts the sense of marks [Fig. 2, line 5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlipStep {
    /// Load of `fM`.
    LoadFm,
    /// Inversion of the collector's copy.
    Invert,
    /// Store of the copy.
    StoreFm,
}

/// A step with which the collector sets the mark of new objects [Fig. 2, line 12].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetFaStep {
    /// Load of `fM`.
    LoadFm,
    /// Store of that value as `fA`.
    StoreFa,
}

/// A step of the collector's mark loop [Fig. 2, lines 25 to 34], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkLoopStep {
    /// Guard of the outer loop: the worklist is not empty.
    Work,
    /// Guard of the inner loop: the same, before the next get-work.
    OwnWork,
    /// Choice of the grey object to trace.
    ChooseSrc,
    /// Initialisation of the loop over its fields.
    AllFields,
    /// Guard of that loop: a field is left.
    FieldToTrace,
    /// Choice of the field to trace next.
    ChooseField,
    /// Load of that field.
    LoadField,
    /// Removal of the field from the loop's set.
    FieldTraced,
    /// Removal of the object from the worklist: it is black.
    Blacken,
}

/// A step of the collector's sweep [Fig. 2, lines 38 to 45].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SweepStep {
    /// Load of `fM`.
    LoadFm,
    /// Initialisation of the loop over all references.
    AllRefs,
    /// Guard of that loop: a reference is left.
    RefToLookAt,
    /// Choice of the reference to sweep next.
    ChooseRef,
    /// Load of its mark.
    LoadMark,
    /// Guard: the object is white.
    IsWhite,
    /// Freeing of the object.
    Free,
    /// Removal of the reference from the loop's set.
    RefDone,
}

/// A step of a mutator's operations [Fig. 6], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutatorStep {
    /// Allocation of an object.
    Alloc,
    /// Discarding of roots.
    Discard,
    /// Choice of the field to load.
    ChooseLoad,
    /// Load of that field.
    Load,
    /// Choice of the field to store to, and at fine granularity of the value.
    ChooseStore,
    /// Choice of the value to store, where it is a separate choice.
    ChooseDst,
    /// Load of the field by the deletion barrier.
    LoadDeleted,
    /// Guard of the insertion barrier in one variant: the roots are not yet marked in this cycle.
    RootsUnmarked,
    /// Assignment of the value to store to the register of marking.
    TakeInserted,
    /// Store to the field.
    Store,
    /// A fence of the program.
    Fence,
}

/// A step of a mutator's side of handshakes [Fig. 2, the `at` statements; Fig. 4], except marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerStep {
    /// Load of the mutator's pending bit.
    Poll,
    /// Guard: the bit is set.
    IsAsked,
    /// The fence.
    Fence,
    /// Load of the type of the handshake.
    LoadType,
    /// Guard: the handshake has this type.
    IsType(HandshakeType),
    /// Initialisation of the loop over the roots.
    AllRoots,
    /// Guard of that loop: a root is left.
    RootToMark,
    /// Choice of the root to mark next.
    ChooseRoot,
    /// Removal of the root from the loop's set.
    RootMarked,
    /// Answer to a handshake of this type.
    Done(HandshakeType),
}

/// The caller of marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A mutator's deletion barrier.
    Deletion,
    /// Its insertion barrier.
    Insertion,
    /// The marking of its roots.
    GetRoots,
    /// The collector's mark loop.
    MarkLoop,
}

/// A step of marking [Fig. 5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkingStep {
    /// Guard: the reference is not null.
    IsRef,
    /// Load of the mark.
    LoadMark,
    /// Load of `fM`.
    LoadFm,
    /// Guard: the object is white.
    IsWhite,
    /// Load of the phase.
    LoadPhase,
    /// Guard: the phase is not `Idle`.
    IsNotIdle,
    /// Acquisition of the bus lock by the CAS.
    Lock,
    /// Second load of the mark, under the lock.
    LoadMarkLocked,
    /// Guard: the mark is unchanged.
    IsUnchanged,
    /// Store of the mark.
    StoreMark,
    /// Release of the bus lock.
    Unlock,
    /// Guard: the CAS has stored the mark.
    HasWon,
    /// Addition of the object to the worklist.
    AddToW,
}

/// A step of the system [Fig. 9].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SysStep {
    /// Response to a request.
    Answer,
    /// Commit of a pending store of this process.
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

    fn text(self) -> &'static str {
        match self {
            Self::Fence => "mfence",
            Self::SetType => "set type",
            Self::AskAll => "ask all",
            Self::MoreToAsk => "somebody to ask",
            Self::ChooseWhomToAsk => "choose whom to ask",
            Self::SetPending => "set pending",
            Self::Asked => "asked",
            Self::WaitForAll => "wait for all",
            Self::MoreToWaitFor => "somebody to wait for",
            Self::ChooseWhomToPoll => "choose whom to poll",
            Self::Poll => "poll",
            Self::TakeWork => "W ← collected work",
        }
    }
}

impl FlipStep {
    fn text(self) -> &'static str {
        match self {
            Self::LoadFm => "flip: load fM",
            Self::Invert => "flip: invert fM",
            Self::StoreFm => "flip: store fM",
        }
    }
}

impl SetFaStep {
    fn text(self) -> &'static str {
        match self {
            Self::LoadFm => "mark: load fM",
            Self::StoreFa => "mark: fA ← fM",
        }
    }
}

impl MarkLoopStep {
    fn text(self) -> &'static str {
        match self {
            Self::Work => "mark loop: work",
            Self::OwnWork => "mark loop: own work",
            Self::ChooseSrc => "mark loop: choose src",
            Self::AllFields => "mark loop: all fields",
            Self::FieldToTrace => "mark loop: a field to trace",
            Self::ChooseField => "mark loop: choose field",
            Self::LoadField => "mark loop: ref ← src.field",
            Self::FieldTraced => "mark loop: field traced",
            Self::Blacken => "mark loop: blacken",
        }
    }
}

impl SweepStep {
    fn text(self) -> &'static str {
        match self {
            Self::LoadFm => "sweep: load fM",
            Self::AllRefs => "sweep: all refs",
            Self::RefToLookAt => "sweep: a ref to look at",
            Self::ChooseRef => "sweep: choose ref",
            Self::LoadMark => "sweep: load mark",
            Self::IsWhite => "sweep: is white",
            Self::Free => "sweep: free",
            Self::RefDone => "sweep: ref done",
        }
    }
}

impl MutatorStep {
    fn text(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Discard => "discard",
            Self::ChooseLoad => "load: choose",
            Self::Load => "load",
            Self::ChooseStore => "store: choose",
            Self::ChooseDst => "store: choose dst",
            Self::LoadDeleted => "deletion: ref ← src.field",
            Self::RootsUnmarked => "insertion: roots unmarked",
            Self::TakeInserted => "insertion: ref ← dst",
            Self::Store => "store: src.field ← dst",
            Self::Fence => "mfence",
        }
    }
}

impl AnswerStep {
    fn text(self) -> &'static str {
        match self {
            Self::Poll => "handshake: poll",
            Self::IsAsked => "handshake: is asked",
            Self::Fence => "handshake: mfence",
            Self::LoadType => "handshake: load type",
            Self::IsType(HandshakeType::Noop) => "handshake: is noop",
            Self::IsType(HandshakeType::GetRoots) => "handshake: is get-roots",
            Self::IsType(HandshakeType::GetWork) => "handshake: is get-work",
            Self::AllRoots => "get-roots: all roots",
            Self::RootToMark => "get-roots: a root to mark",
            Self::ChooseRoot => "get-roots: choose a root",
            Self::RootMarked => "get-roots: marked",
            Self::Done(HandshakeType::Noop) => "noop: done",
            Self::Done(HandshakeType::GetRoots) => "get-roots: done",
            Self::Done(HandshakeType::GetWork) => "get-work: done",
        }
    }
}

impl Marker {
    fn name(self) -> &'static str {
        match self {
            Self::Deletion => "deletion",
            Self::Insertion => "insertion",
            Self::GetRoots => "get-roots",
            Self::MarkLoop => "mark loop",
        }
    }
}

impl MarkingStep {
    fn text(self) -> &'static str {
        match self {
            Self::IsRef => "ref ≠ null",
            Self::LoadMark => "load mark",
            Self::LoadFm => "load fM",
            Self::IsWhite => "mark ≠ fM",
            Self::LoadPhase => "load phase",
            Self::IsNotIdle => "phase ≠ Idle",
            Self::Lock => "lock",
            Self::LoadMarkLocked => "load mark, locked",
            Self::IsUnchanged => "mark is unchanged",
            Self::StoreMark => "store mark",
            Self::Unlock => "unlock",
            Self::HasWon => "won",
            Self::AddToW => "add to W",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Round(round, step) => write!(f, "{}: {}", round.name(), step.text()),
            Self::Flip(step) => f.write_str(step.text()),
            Self::SetFa(step) => f.write_str(step.text()),
            Self::StorePhase(phase) => write!(f, "phase ← {phase:?}"),
            Self::MarkLoop(step) => f.write_str(step.text()),
            Self::Sweep(step) => f.write_str(step.text()),
            Self::Mutator(step) => f.write_str(step.text()),
            Self::Answer(step) => f.write_str(step.text()),
            Self::Marking(marker, step) => write!(f, "{}: {}", marker.name(), step.text()),
            Self::Sys(SysStep::Answer) => f.write_str("sys"),
            Self::Sys(SysStep::Commit(Who::Gc)) => f.write_str("commit for gc"),
            Self::Sys(SysStep::Commit(Who::Mutator(mutator))) => {
                write!(f, "commit for mutator {mutator}")
            }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use refmap::Rule;

    use super::super::scope::{Granularity, Part, Scope, Variant};
    use super::super::system::OnTheFly;

    /// Rules of a process in the paper's collector, and in the variants that add rules.
    fn rules(process: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let variants = [
            Variant::default(),
            Variant::without(Part::InsertionBarrierAfterRoots),
        ];
        for granularity in [Granularity::Fine, Granularity::Reduced] {
            for variant in variants {
                let scope = Scope {
                    granularity,
                    ..Scope::of_reduced(1, 1)
                };
                let system = OnTheFly::new(scope, variant).expect("it is in range");
                let rules = AsRef::<[Rule]>::as_ref(&system).iter();
                let of_process = rules.filter(|rule| rule.process == process);
                all.extend(of_process.map(|rule| rule.name.to_string()));
            }
        }
        all
    }

    /// Texts of the steps in reports: each group, with its steps.
    fn shown(groups: &[(&[&str], &[&str])]) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for (groups, steps) in groups {
            for group in *groups {
                all.extend(steps.iter().map(|step| format!("{group}{step}")));
            }
        }
        all
    }

    const MARKING: &[&str] = &[
        "ref ≠ null",
        "load mark",
        "load fM",
        "mark ≠ fM",
        "load phase",
        "phase ≠ Idle",
        "lock",
        "load mark, locked",
        "mark is unchanged",
        "store mark",
        "unlock",
        "won",
        "add to W",
    ];

    /// Reports, traces and coverage name steps by these texts.
    #[test]
    fn tso_steps_are_called_what_they_were() {
        let rounds = [
            "set type",
            "ask all",
            "somebody to ask",
            "choose whom to ask",
            "set pending",
            "asked",
            "wait for all",
            "somebody to wait for",
            "choose whom to poll",
            "poll",
        ];
        let noop = ["idle: ", "idle flip: ", "init: ", "mark: "];
        let work = ["get-roots: ", "get-work: "];
        let collector = shown(&[
            (&noop, &["mfence"]),
            (&noop, &rounds),
            (&work, &rounds),
            (&work, &["W ← collected work"]),
            (&["flip: "], &["load fM", "invert fM", "store fM"]),
            (&["mark: "], &["load fM", "fA ← fM"]),
            (&["phase ← "], &["Init", "Mark", "Sweep", "Idle"]),
            (
                &["mark loop: "],
                &[
                    "work",
                    "own work",
                    "choose src",
                    "all fields",
                    "a field to trace",
                    "choose field",
                    "ref ← src.field",
                    "field traced",
                    "blacken",
                ],
            ),
            (&["mark loop: "], MARKING),
            (
                &["sweep: "],
                &[
                    "load fM",
                    "all refs",
                    "a ref to look at",
                    "choose ref",
                    "load mark",
                    "is white",
                    "free",
                    "ref done",
                ],
            ),
        ]);
        assert_eq!(rules("gc"), collector);
        let mutator = shown(&[
            (
                &[""],
                &["alloc", "discard", "load: choose", "load", "mfence"],
            ),
            (&["store: "], &["choose", "choose dst", "src.field ← dst"]),
            (&["deletion: "], &["ref ← src.field"]),
            (&["insertion: "], &["roots unmarked", "ref ← dst"]),
            (
                &["handshake: "],
                &[
                    "poll",
                    "is asked",
                    "mfence",
                    "load type",
                    "is noop",
                    "is get-roots",
                    "is get-work",
                ],
            ),
            (&["noop: ", "get-roots: ", "get-work: "], &["done"]),
            (
                &["get-roots: "],
                &["all roots", "a root to mark", "choose a root", "marked"],
            ),
            (&["deletion: ", "insertion: ", "get-roots: "], MARKING),
        ]);
        assert_eq!(rules("mutator"), mutator);
        assert_eq!(
            rules("sys"),
            shown(&[(&["commit for "], &["gc", "mutator 0"])])
        );
    }
}
