//! The ring of EWD 840 refines the detection of termination in one step.
//!
//! Source: Dijkstra, Feijen & van Gasteren, EWD 840; Merz, module `EWD840` of the TLA+ Examples, `TDSpec`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement};
use refmap_systems::published::ewd840::{Action, Colour, Ewd840, State};
use refmap_systems::published::termination_detection::{self, TerminationDetection};

/// The refinement for an instance.
pub struct Ewd840Refinement {
    implementation: Ewd840,
    specification: TerminationDetection,
}

impl Ewd840Refinement {
    /// The refinement for an instance.
    pub fn new(implementation: Ewd840) -> Self {
        let specification = TerminationDetection {
            nodes: implementation.nodes,
        };
        Self {
            implementation,
            specification,
        }
    }
}

/// The nodes that the token has left are inactive, or one that it has not left is black, or the token is.
fn p0_to_p2(nodes: usize) -> Invariant<Ewd840> {
    Invariant::new("inv", "EWD 840, P0 ∨ P1 ∨ P2", move |state: &State| {
        let p0 = (state.tpos + 1..nodes).all(|node| !state.active.contains(node));
        let p1 = (0..=state.tpos).any(|node| state.black.contains(node));
        let p2 = state.tcolor == Colour::Black;
        p0 || p1 || p2
    })
}

impl Refinement for Ewd840Refinement {
    between!(Ewd840, TerminationDetection);

    /// The colours and the token are hidden; what node 0 concludes of them is shown.
    fn map(&self, state: &State) -> termination_detection::State {
        termination_detection::State {
            active: state.active,
            termination_detected: state.termination_detected(),
        }
    }

    /// The token that comes back to node 0 may tell it that no node is active. So may its own end, if the token is there.
    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<termination_detection::Action> {
        use termination_detection::Action as Detection;
        let detected = to.termination_detected();
        match *action {
            Action::InitiateProbe(_) => Stutter,
            Action::PassToken(..) => (detected != from.termination_detected())
                .then_some(Detection::DetectTermination)
                .into(),
            Action::SendMsg { node, target } => One(Detection::Wakeup {
                node,
                other: target,
            }),
            Action::Deactivate(node) => One(Detection::Terminate { node, detected }),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Ewd840>> {
        vec![p0_to_p2(self.implementation.nodes)]
    }
}
