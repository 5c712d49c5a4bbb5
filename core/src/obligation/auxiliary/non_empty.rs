//! `auxiliary:non-empty`: in every reachable state of the system without a prophecy variable there is a possible prediction for
//! each key that is open.
//!
//! Source: Abadi & Lamport, section 5.2, conditions P5 and P6 (some prediction belongs to each state, and finitely many do).
//! With none the state is lost, and [`auxiliary:backward-total`](super::backward_total) says nothing of the steps that lead to it.

use super::condition::Condition;
use crate::statement::erased::SideCondition;

/// The condition.
pub(super) const CONDITION: Condition = Condition {
    of: SideCondition::NonEmpty,
    name: "non-empty",
    untested: "there is no state",
};
