//! The lock with a history variable refines Peterson's algorithm: to take it is three steps of Peterson's.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `LockHS`, which has a stuttering variable in the place of the three steps
//! ([`LockStutteringRefinement`](super::LockStutteringRefinement)).

use refmap::AbstractSteps::{self, One, Several};
use refmap::Refinement;
use refmap::auxiliary::{History, Recording, Remembering, WithHistory};
use refmap_systems::auxiliary::lock::{Action, Label, Lock, State, other};
use refmap_systems::auxiliary::peterson::{self, Peterson, Writes};

/// Whether the history variable has the value of `turn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Turn {
    /// It is set where Peterson's algorithm sets `turn`: as published.
    Remembered,
    /// It stays as it is at first. Wrong: Peterson's algorithm sets `turn`.
    Forgotten,
}

/// The history variable `h_turn`: the value of `turn`.
#[derive(Clone, Copy, Debug)]
pub struct TurnHistory(pub Turn);

impl TurnHistory {
    /// The value after a process has let the other one go first.
    pub(super) fn after_write(self, before: usize, process: usize) -> usize {
        match self.0 {
            Turn::Remembered => other(process),
            Turn::Forgotten => before,
        }
    }
}

impl History<Lock> for TurnHistory {
    type Value = usize;

    fn initial(&self, _: &Lock, _: &State) -> usize {
        0
    }

    fn after(&self, _: &Lock, before: &usize, _: &State, action: &Action, _: &State) -> usize {
        match *action {
            Action::L1(process) => self.after_write(*before, process),
            Action::L0(_) | Action::Cs(_) | Action::L2(_) => *before,
        }
    }
}

/// The label of Peterson's algorithm at a label of the lock, between two operations on it.
pub(super) fn label(label: Label) -> peterson::Label {
    match label {
        Label::L0 => peterson::Label::A0,
        Label::L1 => peterson::Label::A1,
        Label::Cs => peterson::Label::Cs,
        Label::L2 => peterson::Label::A4,
    }
}

/// The state of Peterson's algorithm with these labels: `c` follows from them (`c_translation`).
pub(super) fn with_labels(pc: [peterson::Label; 2], turn: usize) -> peterson::State {
    use peterson::Label::{A0, A1};
    let c = pc.map(|label| !matches!(label, A0 | A1));
    peterson::State { pc, c, turn }
}

/// The refinement with a history variable.
pub struct LockInStepsRefinement {
    implementation: WithHistory<Lock, TurnHistory>,
    specification: Peterson,
}

impl LockInStepsRefinement {
    /// The refinement with a history variable.
    pub fn new(turn: Turn) -> Self {
        let writes = Writes::FlagFirst;
        Self {
            implementation: WithHistory {
                system: Lock,
                history: TurnHistory(turn),
            },
            specification: Peterson { writes },
        }
    }
}

impl Refinement for LockInStepsRefinement {
    between!(WithHistory<Lock, TurnHistory>, Peterson);

    fn map(&self, of: &Remembering<State, usize>) -> peterson::State {
        with_labels(of.state.pc.map(label), of.history)
    }

    fn abstract_steps(
        &self,
        _: &Remembering<State, usize>,
        Recording(action): &Recording<Action>,
        _: &Remembering<State, usize>,
    ) -> AbstractSteps<peterson::Action> {
        use peterson::Action::{A0, A1, A2, A3, A4, Cs};
        match *action {
            Action::L0(process) => One(A0(process)),
            Action::L1(process) => Several(vec![A1(process), A2(process), A3(process)]),
            Action::Cs(process) => One(Cs(process)),
            Action::L2(process) => One(A4(process)),
        }
    }
}
