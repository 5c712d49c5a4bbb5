//! Steps of automata, with what they show.

use serde::Serialize;

/// Label of a step, by number: what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct StepLabel(pub(super) u32);

impl StepLabel {
    /// Label of a step that shows nothing.
    pub const INVISIBLE: Self = Self(0);
}

/// Initial state of every automaton.
pub(super) const ROOT: u32 = 0;

/// Step from a state that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub label: StepLabel,
    pub to: u32,
}

impl Edge {
    /// True if as a step from a state it changes nothing, so that it is none.
    pub fn is_stutter(self, from: u32) -> bool {
        self.label == StepLabel::INVISIBLE && self.to == from
    }
}
