//! `auxiliary:enabled`: a stutter before an action begins only where that action is enabled. A stutter leaves the state of the
//! system alone, and no other step is taken meanwhile, so the action is enabled when it ends as well.
//!
//! Source: Lamport & Merz, section 5.2 (the condition on stuttering steps before an action). A stutter before what is not enabled
//! gets stuck, where the system does something else.

use super::condition::Condition;
use crate::statement::erased::SideCondition;

/// The condition.
pub(super) const CONDITION: Condition = Condition {
    of: SideCondition::Enabled,
    name: "enabled",
    untested: "it stutters before no action",
};
