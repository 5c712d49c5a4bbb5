//! `auxiliary:backward-total`: for each step s → s′ of the system without a prophecy variable, and each p′ that is possible at s′,
//! there is a p possible at s with (s, p) → (s′, p′).
//!
//! Source: Abadi & Lamport, section 5.2, condition P4 of a prophecy variable; Lynch & Vaandrager, *Forward and Backward
//! Simulations I*, on backward simulations. It is decided on the steps of the base with all possible predictions at the target: a
//! pair (s, p) that is missing is not reached, so that all is well on those that are.

use super::condition::Condition;
use crate::statement::erased::SideCondition;

/// The condition.
pub(super) const CONDITION: Condition = Condition {
    of: SideCondition::BackwardTotal,
    name: "backward-total",
    untested: "no prediction is possible after any step",
};
