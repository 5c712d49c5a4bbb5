//! Actions of the model for histories.

use refmap::{Process, Rule, RuleId};
use serde::Serialize;

// An action is filed under its rule, and a rule tells its actions: the two are one concept.
use super::rules::ModelRule;
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Mark, Who};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A thread joins as a mutator without a thread.
    Join {
        /// Which mutator.
        mutator: u8,
        /// The thread.
        thread: u32,
        /// The request that is pending from the beginning.
        owes: Option<HandshakeRound>,
    },
    /// A mutator gains a root of another one.
    Hold {
        /// The mutator.
        mutator: u8,
        /// The reference.
        reference: Reference,
    },
    /// A mutator leaves.
    Leave {
        /// The mutator.
        mutator: u8,
    },
    /// A mutator gets a fresh object.
    Alloc {
        /// The mutator.
        mutator: u8,
        /// The reference.
        reference: Reference,
        /// Its mark, if it is recorded.
        mark: Option<Mark>,
    },
    /// Any other access of the model.
    Take {
        /// The process.
        by: Who,
        /// The access.
        access: Access,
    },
    /// A pending store is committed.
    Commit {
        /// The process.
        of: Who,
    },
}

/// Which rule an access is an instance of depends on the process that takes it.
impl refmap::Action for Action {
    fn rules() -> &'static [Rule] {
        ModelRule::rules()
    }

    fn rule(&self) -> RuleId {
        ModelRule::of(self).rule()
    }

    fn process(&self) -> Option<Process> {
        match *self {
            Self::Commit { .. } => None,
            Self::Take { by: Who::Gc, .. } => Some(Process::new("collector")),
            Self::Join { mutator, .. }
            | Self::Hold { mutator, .. }
            | Self::Leave { mutator }
            | Self::Alloc { mutator, .. }
            | Self::Take {
                by: Who::Mutator(mutator),
                ..
            } => Some(Process::numbered("mutator", mutator.into())),
        }
    }
}
