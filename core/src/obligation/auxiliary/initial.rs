//! `auxiliary:initial`: in every initial state of the system without a prophecy variable every possible prediction is offered.
//!
//! Source: Abadi & Lamport, section 5.2, condition P2' of a prophecy variable; Lamport & Merz, section 4.1 (the initial value is
//! any of Π). A behaviour of the base is given predictions from its end to its beginning, and it is not known with which it
//! arrives there.

use super::condition::Condition;
use crate::statement::erased::SideCondition;

/// The condition.
pub(super) const CONDITION: Condition = Condition {
    of: SideCondition::Initial,
    name: "initial",
    untested: "no prediction is possible in an initial state",
};
