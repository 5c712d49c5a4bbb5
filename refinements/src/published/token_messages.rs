//! The processes of `EWD998PCal` refine the ring of EWD 998.
//!
//! Source: Kuppe, module `EWD998PCal` of the TLA+ Examples, `EWD998Spec`; Dijkstra, EWD 998, whose P0 to P4 are the invariant.

use refmap::AbstractSteps::{self, One};
use refmap::{Constraint, Invariant, Refinement};
use refmap_systems::published::ewd840::Colour;
use refmap_systems::published::ewd998::{self, Ewd998};
use refmap_systems::published::ewd998_pcal::{Action, Ewd998PCal, State};

/// The refinement for an instance.
pub struct Ewd998PCalRefinement {
    implementation: Ewd998PCal,
    specification: Ewd998,
    /// The greatest counter of a node in a state that is expanded.
    counters: u8,
}

impl Ewd998PCalRefinement {
    /// The refinement for an instance, whose states are expanded in which no counter is greater than `counters`.
    pub fn new(implementation: Ewd998PCal, counters: u8) -> Self {
        let specification = Ewd998 {
            nodes: implementation.nodes,
        };
        Self {
            implementation,
            specification,
            counters,
        }
    }
}

/// Node 0 concludes that all have terminated only if they have.
fn termination_detection() -> Invariant<Ewd998> {
    let holds = |state: &ewd998::State| !state.termination_detected() || state.has_terminated();
    Invariant::new(
        "termination_detection",
        "EWD998, TerminationDetection",
        holds,
    )
}

/// Messages are counted, and the token knows of all nodes that it has left, or it or a node that it has not left tells that
/// it may not.
fn inv() -> Invariant<Ewd998> {
    Invariant::new(
        "inv",
        "EWD 998, P0 ∧ (P1 ∨ P2 ∨ P3 ∨ P4)",
        |state: &ewd998::State| {
            let sum = |counters: &[i8]| counters.iter().map(|one| i32::from(*one)).sum::<i32>();
            let messages = state.pending.iter().map(|one| i32::from(*one)).sum::<i32>();
            let position = usize::from(state.token.pos);
            let q = i32::from(state.token.q);
            let (ahead, behind) = state.counter.split_at(position + 1);
            let mut left = position + 1..state.counter.len();
            let p0 = messages == sum(&state.counter);
            let p1 = left.all(|node| !state.active.contains(node)) && q == sum(behind);
            let p2 = sum(ahead) + q > 0;
            let p3 = (0..=position).any(|node| state.black.contains(node));
            let p4 = state.token.colour == Colour::Black;
            p0 && (p1 || p2 || p3 || p4)
        },
    )
}

impl Refinement for Ewd998PCalRefinement {
    between!(Ewd998PCal, Ewd998);

    fn map(&self, state: &State) -> ewd998::State {
        state.as_ring()
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<ewd998::Action> {
        match *action {
            Action::Send { node, target } => One(ewd998::Action::SendMsg { node, target }),
            Action::Receive(node) => One(ewd998::Action::RecvMsg(node)),
            Action::Terminate(node) => from.nodes[node]
                .active
                .then_some(ewd998::Action::Deactivate(node))
                .into(),
            Action::PassToken(node) => One(ewd998::Action::PassToken(node)),
            Action::InitiateToken(_) => One(ewd998::Action::InitiateProbe),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Ewd998PCal>> {
        [termination_detection(), inv()]
            .map(|invariant| invariant.pull_back(State::as_ring))
            .into()
    }

    fn constraint(&self) -> Option<Constraint<Ewd998PCal>> {
        Some(Ewd998PCal::bounded(self.counters))
    }
}
