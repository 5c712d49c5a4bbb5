//! Explanation why a history is not a behaviour, as data.

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::statement::drawing::Drawing;
use crate::walk::explore::Limit;

/// Explanation why a history is not a behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Explanation {
    /// The event that ended without a place in any order; none if all have one, and the effects of
    /// delayed events do not.
    pub event: Option<ShownEvent>,
    /// The longest orders of events there are up to then, by the number of events in them.
    pub prefixes: Vec<Prefix>,
    /// Number of further orders of that length.
    pub more_prefixes: usize,
    /// A smaller part of the history that cannot be, if one was found.
    pub window: Option<SmallWindow>,
    /// The bound that came before all of this was looked at, if one did: there may be longer orders, and
    /// more of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cut_short: Option<Limit>,
}

/// An event, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct ShownEvent {
    /// Its line; none in a trace of states.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// Its thread.
    pub thread: u32,
    /// Its place in the order of its thread.
    pub place: u64,
    /// Time at which it began, in nanoseconds.
    pub begin: u64,
    /// Time at which it had ended; none if that was lost.
    pub end: Option<u64>,
    /// Text that says what it was.
    pub text: String,
}

/// An order of some of the events, of which the specification takes every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Prefix {
    /// Number of events of the history that it takes, those before its steps included.
    pub events: u64,
    /// Situation in which the steps begin.
    pub before: Situation,
    /// Its last steps, of those that were looked at again.
    pub steps: Vec<PrefixStep>,
    /// Events that could come next, and why they cannot.
    pub next: Vec<Refused>,
}

impl Prefix {
    /// Situation to which it leads.
    pub fn last(&self) -> &Situation {
        self.steps.last().map_or(&self.before, |step| &step.after)
    }
}

/// A state of the specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Situation {
    /// Its fields.
    pub state: Value,
    /// The same as the specification draws it, if it does, as text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drawing: Option<String>,
    /// The state as a drawing: that of which `drawing` is the text, or one by rows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub picture: Option<Drawing>,
}

/// A step of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct PrefixStep {
    /// The event; none if the specification moves by itself.
    pub event: Option<ShownEvent>,
    /// Kind of the step.
    pub kind: StepKind,
    /// The action of the specification; none if nothing changes.
    pub action: Option<Value>,
    /// The rule of which the action is an instance.
    pub rule: Option<String>,
    /// Source in which that rule is stated.
    pub source: Option<String>,
    /// Process that takes the step, in the specification.
    pub process: Option<String>,
    /// The state that it leads to.
    pub after: Situation,
}

/// Kind of a step of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// An event takes place and takes effect.
    Event,
    /// A delayed event takes place.
    Issue,
    /// A delayed event takes effect.
    Effect,
    /// The specification moves by itself.
    Internal,
}

/// Event that could come next, and cannot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Refused {
    /// The event.
    pub event: ShownEvent,
    /// The condition that fails.
    pub reason: String,
}

/// A part of the history that cannot be.
///
/// It is what is left when the events that ended before some moment are left out, at the latest such
/// moment at which the rest is still refused from *every* state that the search passed among the events
/// it looked at again, put in the place of the state at that moment. Events that were under way at the
/// moment stay in it; for them, and for delayed events, every way is tried in which the search had taken
/// them by then, which is as late as it could. So no state that the search knows of makes the rest
/// possible. Of other states of the specification nothing is said, and neither of events under way that
/// take effect earlier than the search took them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct SmallWindow {
    /// Its events, as they begin.
    pub events: Vec<ShownEvent>,
    /// Number of states from which it was tried.
    pub states: usize,
}
