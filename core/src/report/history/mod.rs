//! Data that a report has of a history that real threads recorded.

mod criterion;
mod explanation;
pub(super) mod text;

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use criterion::Criterion;
pub use explanation::{
    Explanation, Prefix, PrefixStep, Refused, ShownEvent, Situation, SmallWindow, StepKind,
};

/// Data that a report has of a recorded history besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Recorded {
    /// Orders that count.
    #[serde(default)]
    pub criterion: Criterion,
    /// Events that were read.
    pub events: u64,
    /// Those that are interesting, and have an end.
    pub interesting: u64,
    /// Threads that did something.
    pub threads: usize,
    /// Events that were recorded in part.
    pub partial: Partial,
    /// Place where the history stops, if it has no end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_end: Option<NoEnd>,
    /// Assumptions that the search filled in, in one order that it found.
    pub assumed: Vec<Assumption>,
    /// The most events that were under way, or delayed, at a time.
    pub widest_window: usize,
    /// The most events that were kept at a time: under way, delayed, or to explain a refusal.
    pub most_kept: usize,
    /// The most configurations that were left after an event.
    pub widest_frontier: usize,
    /// Explanation why it is no behaviour, if it is none.
    pub explanation: Option<Explanation>,
}

/// Events that were recorded in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Partial {
    /// Events of which it is not known what happened: each may be any one step of the specification, or none.
    pub unknown: u64,
    /// Events without an end: each may have come about or not.
    pub open: u64,
    /// Something else of them is missing.
    pub incomplete: u64,
}

/// Place where a history without an end stops: nothing says that it is whole, so it may have been cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct NoEnd {
    /// The last line.
    pub line: u64,
    /// True if the last line is cut itself, so that it is no event.
    pub within_line: bool,
}

/// Something that was not recorded and that the search filled in, in the order that it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Assumption {
    /// The line of the event.
    pub line: u64,
    /// The action of the specification; none if nothing changed.
    pub action: Option<Value>,
}
