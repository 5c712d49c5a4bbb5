//! The detection of termination, in one step.
//!
//! Source: Merz, module `SyncTerminationDetection` of the TLA+ Examples, after Dijkstra, Feijen & van Gasteren,
//! *Derivation of a Termination Detection Algorithm for Distributed Computations* (EWD 840).
//!
//! Fairness: weakly `detect_termination`.

use refmap::{Fairness, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use crate::subsets::subsets;

/// Greatest number of nodes.
pub const MAX_NODES: usize = 8;

/// An instance of the specification.
pub struct TerminationDetection {
    /// Number of nodes.
    pub nodes: usize,
}

/// Active nodes, and whether termination has been detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The active nodes.
    #[state(range = 0..MAX_NODES)]
    pub active: IndexSet,
    /// Whether termination has been detected.
    pub termination_detected: bool,
}

/// A step of a node, or of the detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = TerminationDetection)]
#[rule(process = "node")]
#[process(0..system.nodes)]
pub enum Action {
    /// An active node becomes inactive. If it is the last one, that may be detected at once.
    #[rule(source = "SyncTerminationDetection, Terminate(i)")]
    Terminate {
        #[process]
        node: usize,
        /// Whether termination has been detected after the step.
        detected: bool,
    },
    /// An active node wakes another one up.
    #[rule(source = "SyncTerminationDetection, Wakeup(i, j)")]
    Wakeup {
        /// The active node.
        #[process]
        node: usize,
        /// The one that it wakes up.
        #[action(range = 0..system.nodes)]
        other: usize,
    },
    /// Termination is detected.
    #[rule(
        process = "detection",
        source = "SyncTerminationDetection, DetectTermination"
    )]
    DetectTermination,
}

/// A node that is active becomes inactive.
pub fn terminate(active: &mut IndexSet, node: usize) -> Option<()> {
    guard("it is active", active.remove(node))
}

/// A node that is active wakes `other` up.
pub fn wake_up(active: &mut IndexSet, node: usize, other: usize) -> Option<()> {
    guard("it is active", active.contains(node))?;
    active.insert(other);
    Some(())
}

impl TransitionSystem for TerminationDetection {
    type State = State;
    type Action = Action;
    type Observation = State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for active in subsets(IndexSet::below(self.nodes)) {
            visit(State {
                active,
                termination_detected: false,
            });
        }
        visit(State {
            active: IndexSet::EMPTY,
            termination_detected: true,
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Terminate { node, detected } => {
                terminate(&mut state.active, node)?;
                let is_known = detected == state.termination_detected;
                let is_so = detected == state.active.is_empty();
                guard("it is known, or is so", is_known || is_so)?;
                state.termination_detected = detected;
            }
            Action::Wakeup { node, other } => wake_up(&mut state.active, node, other)?,
            Action::DetectTermination => {
                guard("no node is active", state.active.is_empty())?;
                state.termination_detected = true;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> State {
        *state
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak("detect", ["detect_termination"])]
    }
}
