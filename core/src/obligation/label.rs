//! Meaning of a step to the obligations that are decided on the complete graph.

use crate::state::numbered::SharedNumbers;
use crate::statement::rule::Process;

/// Data that are kept of a step beside its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Label {
    /// The process of the environment that takes the step, or on whose behalf it is taken.
    pub agent: Option<u8>,
    /// True if it is answered by an action.
    pub visible: bool,
    /// The number of that action's inputs, if it is one of the environment.
    pub input: Option<u32>,
    /// The place of the rule, and the process, if fairness is asked for.
    pub taken: Option<(u32, Process)>,
    /// The number of the abstract states between, if the step simulates several abstract steps and fairness is asked for
    /// through the mapping.
    pub between: Option<u32>,
}

/// The labels of a graph.
pub(super) type LabelNumbers = SharedNumbers<Label>;
