//! `auxiliary:terminates`: each stutter decreases its value, and none comes below the least.
//!
//! Source: Lamport & Merz, section 5 (the value is decremented in a well-founded order, down to its bottom). A stutter that never
//! ends loses all that the system does after it.

use super::condition::Condition;
use crate::statement::erased::SideCondition;

/// The condition.
pub(super) const CONDITION: Condition = Condition {
    of: SideCondition::Terminates,
    name: "terminates",
    untested: "no stutter begins in any state",
};
