//! The labels of the commands: what a step does, as a value. The text of each is what is shown of it.
//!
//! What is decided by the label of a step is decided by a `match`, so that a label that is new or mistyped does not
//! compile.

use std::fmt;

use super::state::{HandshakeType, Phase, Who};

/// What a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The collector's side of a round of handshakes.
    Round(Round, RoundStep),
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
    /// What a mutator does by itself.
    Mutator(MutatorStep),
    /// A mutator's side of handshakes.
    Answer(AnswerStep),
    /// Marking of an object.
    Marking(Marker, MarkingStep),
    /// The system.
    Sys(SysStep),
}

/// A round of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Round {
    /// Before `fM` is inverted.
    Idle,
    /// After that.
    IdleFlip,
    /// After the phase is `Init`.
    Init,
    /// After `fA` is set.
    Mark,
    /// For roots.
    GetRoots,
    /// For work.
    GetWork,
}

/// A step of the collector's side of a round [Fig. 4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundStep {
    /// The fence that a noop handshake begins with.
    Fence,
    /// It sets the type of the handshake.
    SetType,
    /// All mutators are to be asked.
    AskAll,
    /// Whether there is one left to ask.
    MoreToAsk,
    /// Which one is asked next.
    ChooseWhomToAsk,
    /// It sets the bit of that one.
    SetPending,
    /// That one is asked.
    Asked,
    /// All are to be waited for.
    WaitForAll,
    /// Whether there is one left to wait for.
    MoreToWaitFor,
    /// Which one is polled next.
    ChooseWhomToPoll,
    /// It looks whether that one has answered.
    Poll,
    /// It takes over the work that mutators have handed over.
    TakeWork,
}

/// A step with which the collector inverts the sense of marks [Fig. 2, line 5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlipStep {
    /// It loads `fM`.
    LoadFm,
    /// It inverts its copy.
    Invert,
    /// It stores that.
    StoreFm,
}

/// A step with which the collector sets the mark of new objects [Fig. 2, line 12].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetFaStep {
    /// It loads `fM`.
    LoadFm,
    /// It stores that as `fA`.
    StoreFa,
}

/// A step of the collector's mark loop [Fig. 2, lines 25 to 34], but for marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkLoopStep {
    /// Whether there is work.
    Work,
    /// Whether there is work that was not handed over.
    OwnWork,
    /// Which grey object is traced.
    ChooseSrc,
    /// All of its fields are to be traced.
    AllFields,
    /// Whether there is a field left.
    FieldToTrace,
    /// Which field is traced next.
    ChooseField,
    /// It loads that field.
    LoadField,
    /// That field is traced.
    FieldTraced,
    /// The object is black.
    Blacken,
}

/// A step of the collector's sweep [Fig. 2, lines 38 to 45].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SweepStep {
    /// It loads `fM`.
    LoadFm,
    /// All references are to be looked at.
    AllRefs,
    /// Whether there is one left.
    RefToLookAt,
    /// Which one is looked at next.
    ChooseRef,
    /// It loads the mark.
    LoadMark,
    /// Whether that is white.
    IsWhite,
    /// It frees the object.
    Free,
    /// The reference was looked at.
    RefDone,
}

/// A step of a mutator's operations [Fig. 6], but for marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutatorStep {
    /// It gets a new object.
    Alloc,
    /// It forgets roots.
    Discard,
    /// It chooses which field to load.
    ChooseLoad,
    /// It loads that.
    Load,
    /// It chooses where to store, and at fine granularity what.
    ChooseStore,
    /// It chooses what to store, where that is a choice of its own.
    ChooseDst,
    /// The deletion barrier loads the field.
    LoadDeleted,
    /// Whether the roots are not marked in this cycle, in the variant whose insertion barrier asks for that.
    RootsUnmarked,
    /// The insertion barrier marks what is stored.
    TakeInserted,
    /// It stores.
    Store,
    /// A fence of its own.
    Fence,
}

/// A step of a mutator's side of handshakes [Fig. 2, the `at` statements; Fig. 4], but for marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerStep {
    /// It looks whether it is asked.
    Poll,
    /// Whether it is.
    IsAsked,
    /// The fence.
    Fence,
    /// It loads the type of the handshake.
    LoadType,
    /// Whether the type is that one.
    IsType(HandshakeType),
    /// All roots are to be marked.
    AllRoots,
    /// Whether there is one left.
    RootToMark,
    /// Which one is marked next.
    ChooseRoot,
    /// That one is marked.
    RootMarked,
    /// It answers a handshake of that type.
    Done(HandshakeType),
}

/// What marks an object.
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
    /// Whether there is an object to mark.
    IsRef,
    /// It loads the mark.
    LoadMark,
    /// It loads `fM`.
    LoadFm,
    /// Whether the object is white.
    IsWhite,
    /// It loads the phase.
    LoadPhase,
    /// Whether that is not idle.
    IsNotIdle,
    /// The CAS takes the lock.
    Lock,
    /// It loads the mark again.
    LoadMarkLocked,
    /// Whether the mark is what it was.
    IsUnchanged,
    /// It stores the mark.
    StoreMark,
    /// The CAS gives the lock back.
    Unlock,
    /// Whether the CAS has stored the mark.
    HasWon,
    /// The object goes to the worklist.
    AddToW,
}

/// A step of the system [Fig. 9].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SysStep {
    /// It answers a request.
    Answer,
    /// It commits a pending store of a process.
    Commit(Who),
}

impl Round {
    /// All of them, in their order.
    pub const ALL: [Self; 6] = [
        Self::Idle,
        Self::IdleFlip,
        Self::Init,
        Self::Mark,
        Self::GetRoots,
        Self::GetWork,
    ];

    /// What it is called in the collector's program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::IdleFlip => "idle flip",
            Self::Init => "init",
            Self::Mark => "mark",
            Self::GetRoots => "get-roots",
            Self::GetWork => "get-work",
        }
    }

    /// What mutators are asked for.
    pub fn handshake(self) -> HandshakeType {
        match self {
            Self::Idle | Self::IdleFlip | Self::Init | Self::Mark => HandshakeType::Noop,
            Self::GetRoots => HandshakeType::GetRoots,
            Self::GetWork => HandshakeType::GetWork,
        }
    }
}

impl RoundStep {
    /// Whether it comes behind the step that sets the type, and before all answers are seen.
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

    use refmap::TransitionSystem;

    use super::super::scope::{Granularity, Part, Scope, Variant};
    use super::super::system::OnTheFly;

    /// The rules of a process, of the paper's collector and of the variants that have others.
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
                let rules = system.rules().iter();
                let of_process = rules.filter(|rule| rule.process == process);
                all.extend(of_process.map(|rule| rule.name.to_string()));
            }
        }
        all
    }

    /// What reports call the steps: each group, and its steps.
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
