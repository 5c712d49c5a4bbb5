//! Outcome of an exploration.

use super::codec::StatesKept;
use super::disk::Written;
use super::graph::Graph;
use super::limits::Limit;
use super::place::{Place, StateId};
use super::spill::Spilled;
use super::store::{States, Unrepeatable, trace};
use super::visitor::Visitor;
use crate::state::PackingError;
use crate::statement::asked::model_call::Panic;
use crate::statement::constraint::Constraint;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::Lifting;

/// Way in which an exploration ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every reachable state was visited, with all its steps.
    Complete,
    /// The visitor had seen enough.
    Stopped,
    /// A limit came first, or the user did.
    Limit(Limit),
    /// A function of the model panicked, so that some steps are unknown.
    Panicked,
}

/// Outcome of an exploration.
pub struct Explored<S: TransitionSystem, T> {
    /// Tally that the visitor gathered.
    pub tally: T,
    /// Way in which it ended.
    pub end: End,
    /// Number of the process whose limit ended it, of several, unless that is one on all of them.
    pub limit_process: Option<usize>,
    /// Distinct initial states.
    pub initial_states: u64,
    /// States reached that the visitor was not shown, since the time was up.
    pub unexamined: u64,
    /// Transitions from the states expanded.
    pub transitions: u64,
    /// The greatest distance of a state reached from an initial one.
    pub depth: u32,
    /// Time that it took.
    pub seconds: f64,
    /// The most memory the process was seen to hold.
    pub peak_memory_bytes: u64,
    /// Form in which states were kept.
    pub kept: StatesKept,
    /// Bytes that states took at the end, and what finds them again.
    pub store_bytes: u64,
    /// Bytes, of these, of what finds states again: the set without the list.
    pub set_bytes: u64,
    /// The steps of the states expanded, if they were recorded and nothing panicked. A target for which there was no room
    /// has the greatest number, which no state has.
    pub graph: Option<Graph>,
    /// Number of steps when there was no room for more, if that came about: the graph has some of them.
    pub graph_too_large: Option<u64>,
    /// Panic of a function of the model that was not called for a state or a step (`initial`, say), if there was one.
    pub panic: Option<Panic>,
    /// An initial state that cannot be packed, if there is one, and why.
    pub initial_misfit: Option<(StateOf<S>, PackingError)>,
    /// Account of the disk, if states were to go there.
    pub spilled: Option<Spilled>,
    /// Account of the checkpoints, if there were to be any.
    pub written: Option<Written>,
    /// The states reached, and the paths that led to them.
    pub(crate) reached: Box<dyn States<S>>,
}

impl<S: TransitionSystem, T> Explored<S, T> {
    /// Number of distinct states that were reached.
    pub fn states(&self) -> usize {
        self.reached.len()
    }

    /// A state reached; none if it cannot be read from disk.
    pub fn state(&self, system: &S, id: StateId) -> Option<StateOf<S>> {
        self.reached.state(system, id)
    }

    /// True if every reachable state was visited with all its steps.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// The place of a state.
    pub fn place(&self, id: StateId) -> Place {
        self.reached.place(id)
    }

    /// The trace found to `place`, run anew on the model: a shortest one. `symmetry` is
    /// that of the exploration; the trace is one of the system itself all the same. `constraint` is what the visitor took
    /// to say which states are expanded.
    ///
    /// # Errors
    ///
    /// If the model does not offer the steps that it offered before.
    pub fn trace(
        &self,
        system: &S,
        symmetry: Option<&dyn Lifting<S>>,
        constraint: Option<&Constraint<S>>,
        place: Place,
    ) -> Result<Trace<S>, Unrepeatable> {
        let within = constraint.map(|constraint| |state: &_| constraint.contains(state));
        let within = within.as_ref().map(|within| within as &dyn Fn(&_) -> bool);
        trace(&*self.reached, system, symmetry, within, None, place)
    }

    /// The same of a search that has passed each level twice.
    ///
    /// # Errors
    ///
    /// If the model does not offer the steps that it offered before.
    pub(crate) fn trace_of_passes<V: Visitor<S>>(
        &self,
        system: &S,
        visitor: &V,
        constraint: Option<&Constraint<S>>,
        place: Place,
    ) -> Result<Trace<S>, Unrepeatable> {
        let farther = |from: &_, action: &_, to: &_| visitor.leads_farther(from, action, to);
        let within = constraint.map(|constraint| |state: &_| constraint.contains(state));
        let within = within.as_ref().map(|within| within as &dyn Fn(&_) -> bool);
        trace(&*self.reached, system, None, within, Some(&farther), place)
    }
}
