//! Actions of the model for histories.

use refmap::{Process, Rule, RuleId};
use serde::Serialize;

use super::rules::ModelRule;
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Mark, Who};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A thread joins as a mutator without a thread.
    Join {
        mutator: u8,
        thread: u32,
        /// The request that is pending from the beginning.
        owes: Option<HandshakeRound>,
    },
    /// A mutator gains a root of another one.
    Hold { mutator: u8, reference: Reference },
    /// A mutator leaves.
    Leave { mutator: u8 },
    /// A mutator gets a fresh object.
    Alloc {
        mutator: u8,
        reference: Reference,
        /// Its mark, if it is recorded.
        mark: Option<Mark>,
    },
    /// Any other access of the model.
    Take {
        /// The process.
        by: Who,
        access: Access,
    },
    /// A pending store is committed.
    Commit {
        /// The process.
        of: Who,
    },
}

/// The rule of an access depends on the process that takes it.
impl<S: ?Sized> refmap::Action<S> for Action {
    fn rules(_: &S) -> &[Rule] {
        ModelRule::rules(&())
    }

    fn rule(&self, _: &S) -> RuleId {
        ModelRule::of(self).rule(&())
    }

    fn process(&self, _: &S) -> Process {
        match *self {
            Self::Commit { .. } => Process::new("memory"),
            Self::Take { by: Who::Gc, .. } => Process::new("collector"),
            Self::Join { mutator, .. }
            | Self::Hold { mutator, .. }
            | Self::Leave { mutator }
            | Self::Alloc { mutator, .. }
            | Self::Take {
                by: Who::Mutator(mutator),
                ..
            } => Process::numbered("mutator", mutator.into()),
        }
    }
}

impl ModelRule {
    /// The rule of which an action is an instance.
    pub fn of(action: &Action) -> Self {
        let (access, by) = match *action {
            Action::Join { .. } => return Self::Join,
            Action::Hold { .. } => return Self::Hold,
            Action::Leave { .. } => return Self::Leave,
            Action::Alloc { .. } => return Self::Alloc,
            Action::Commit { .. } => return Self::Commit,
            Action::Take { access, by } => (access, by),
        };
        match (access, by) {
            (Access::Alloc { .. }, _) => Self::Alloc,
            (Access::Discard { .. }, _) => Self::Discard,
            (Access::Load { .. }, _) => Self::Load,
            (Access::Overwrite { .. }, _) => Self::Overwrite,
            (Access::Store { .. }, _) => Self::Store,
            (Access::Asked(_), _) => Self::Asked,
            (Access::Done(_), _) => Self::Done,
            (Access::Fence, Who::Mutator(_)) => Self::Fence,
            (Access::LoadFm { .. }, Who::Mutator(_)) => Self::LoadFm,
            (Access::LoadMark { .. }, Who::Mutator(_)) => Self::LoadMark,
            (Access::LoadPhase { .. }, Who::Mutator(_)) => Self::LoadPhase,
            (Access::Cas { .. }, Who::Mutator(_)) => Self::Cas,
            (Access::Fence, Who::Gc) => Self::CollectorFence,
            (Access::LoadFm { .. }, Who::Gc) => Self::CollectorLoadFm,
            (Access::LoadMark { .. }, Who::Gc) => Self::CollectorLoadMark,
            (Access::LoadPhase { .. }, Who::Gc) => Self::CollectorLoadPhase,
            (Access::Cas { .. }, Who::Gc) => Self::CollectorCas,
            (Access::Ask(_), _) => Self::Ask,
            (Access::Answered(_), _) => Self::Answered,
            (Access::SetFm(_) | Access::SetFa(_), _) => Self::SetFmOrFa,
            (Access::SetPhase(_), _) => Self::SetPhase,
            (Access::Trace { .. }, _) => Self::Trace,
            (Access::Scan { .. }, _) => Self::Scan,
            (Access::Free { .. }, _) => Self::Free,
        }
    }
}
