//! The outcome of a comparison without a mapping, as data.

use serde::Serialize;
use serde_json::Value;

use super::table::Table;
use crate::statement::drawing::Drawing;
use crate::walk::explore::{DiskError, Limit, Panic, Spilled, Unreturned, Written};

/// Reason why two systems are not compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InclusionError {
    /// A function of a system panicked.
    #[error("{}", .0.told("a function of the model"))]
    Panicked(Panic),
    /// The search cannot be kept on disk, or not go on from there.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl From<Panic> for InclusionError {
    fn from(panic: Panic) -> Self {
        Self::Panicked(panic)
    }
}

/// Verdict on the inclusion of what can be observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Included {
    /// Whatever is observed of the implementation can be observed of the specification.
    Included,
    /// A trace of the implementation is none of the specification.
    NotIncluded,
    /// A limit came first; nothing is claimed.
    #[default]
    Incomplete,
}

/// Outcome of a comparison of what can be observed of two systems; by default nothing was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Inclusion {
    /// Verdict.
    pub verdict: Included,
    /// The first rung of the ladder that succeeds, from 1 to 3. None where none does, or a limit came before it was known.
    pub rung: Option<u8>,
    /// Number of changes of what is observed in a shortest trace that the specification does not have: of an explicit system, of its
    /// visible steps.
    pub trace_length: Option<u64>,
    /// Number of pairs of states, or of a state and a set of abstract states, that were looked at for the verdict.
    pub pairs: u64,
    /// Number of states of the implementation that were met. None of pairs that may go to disk, which are not counted by their states.
    pub states: Option<u64>,
    /// Number of states of the specification that were met.
    pub specification_states: u64,
    /// Limit that came first, if one did.
    pub limit: Option<Limit>,
    /// Reason why nothing is claimed, where it is more than a limit.
    pub unclaimed: Option<String>,
    /// Doubts about the verdict.
    pub warnings: Vec<String>,
    /// Bounds of the implementation's instance: of what lies beyond them nothing is said.
    pub bounds: Vec<Bound>,
    /// Auxiliary variables of the implementation that were left out, the outermost first.
    pub variables: Vec<String>,
    /// Evidence for the verdict.
    pub evidence: Option<Evidence>,
    /// Limit that ended the search for evidence, if one did; the verdict does not depend on it.
    pub evidence_limit: Option<Limit>,
    /// Account of the checkpoints, if there were to be any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<Written>,
    /// Account of the disk, if pairs were to go there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spilled: Option<Spilled>,
    /// Time that it took.
    pub seconds: f64,
}

impl Unreturned {
    /// The outcome of a comparison: nothing is claimed.
    pub fn inclusion(&self) -> Inclusion {
        let far = format!("{} came, and {self}", self.limit);
        Inclusion {
            states: Some(self.states),
            ..Inclusion::unread(self.limit, far, self.seconds)
        }
    }
}

/// Bound of the implementation's instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// The bound: the name of a constraint, or what the system itself says of its runs.
    pub bound: String,
    /// Number of states outside of it that were met, and not expanded; none for a bound that the system keeps itself.
    pub outside: Option<u64>,
}

/// Evidence for a verdict: what a mapping looks like, what it lacks, or what refutes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "missing")]
pub enum Evidence {
    /// Nothing is missing: a refinement mapping.
    #[serde(rename = "nothing")]
    Mapping {
        /// The mapping.
        mapping: Table,
    },
    /// A history variable, unless a prophecy variable will do: a state needs several images, however many abstract steps a step is.
    History {
        /// Two pasts of one state after which it needs different images. None where it was found by exhaustion that no choice of one
        /// image a state serves all steps.
        pasts: Option<[Past; 2]>,
        /// The steps that are several abstract steps besides, one entry a rule, or a label. None where each is at most one.
        stutters: Vec<MissingStutter>,
    },
    /// Perhaps nothing, perhaps a history variable: neither a mapping was found nor that there is none.
    Undecided,
    /// No variable where a step may be several abstract steps, or a stuttering variable in their place.
    Stuttering {
        /// The steps that are several, one entry a rule, or a label.
        stutters: Vec<MissingStutter>,
        /// True if one image a state is enough; if not, a history variable may be missing besides.
        is_function: bool,
        /// True if with a history variable no step has to be several.
        or_history: bool,
        /// The mapping, where one image a state is enough.
        mapping: Option<Table>,
    },
    /// A prophecy variable: an image would have to be chosen before it is known which will serve.
    Prophecy {
        /// Behaviour to the state, without the abstract states.
        past: Vec<PassedState>,
        /// The abstract states after what was observed.
        images: Vec<Value>,
        /// Futures of the state.
        futures: Vec<Future>,
        /// The future that each abstract state fails, by its place.
        fails: Vec<usize>,
    },
    /// Nothing helps: a trace that the specification does not have.
    #[serde(rename = "refuted")]
    Trace {
        /// The behaviour of the implementation, with the abstract states in which the specification can be after the same trace.
        steps: Vec<PassedState>,
        /// The step that none of them can follow.
        unmatched: Box<PassedState>,
        /// Observation that it makes.
        shows: String,
        /// Observations that the specification could have made instead.
        could_show: Vec<String>,
    },
}

/// State of the implementation in a behaviour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassedState {
    /// Action that led to it, or label; none for an initial state.
    pub action: Option<Value>,
    /// The state.
    pub state: Value,
    /// Some abstract states in which the specification can be after the same trace.
    pub specification: Vec<Value>,
    /// Number of all of them.
    pub specification_states: u64,
    /// Drawing of the state, if its system draws one.
    #[serde(skip)]
    pub picture: Option<Drawing>,
    /// Drawings of the abstract states, in their order, if the specification draws them.
    #[serde(skip)]
    pub specification_pictures: Vec<Option<Drawing>>,
}

/// Past of a state, with the images that are possible after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Past {
    /// The behaviour.
    pub steps: Vec<PassedState>,
    /// The images that its last state can have.
    pub images: Vec<Value>,
}

/// Steps of one rule that simulate several abstract steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingStutter {
    /// The rule, or the label.
    pub rule: String,
    /// Number of such steps.
    pub steps: u64,
    /// The greatest number of abstract steps for one of them.
    pub abstract_steps: u32,
    /// Action of one that takes as many.
    pub example: Option<Value>,
    /// The state in which it begins.
    pub from: Value,
    /// The abstract states through which it goes.
    pub through: Vec<Value>,
}

/// Future of a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Future {
    /// The steps.
    pub steps: Vec<PassedState>,
    /// Observations that they make.
    pub shows: Vec<String>,
}
