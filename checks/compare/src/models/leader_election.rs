//! Leader election in a ring, with its channels as vectors.
//!
//! Source: Chang & Roberts, *An improved algorithm for decentralized extrema-finding in circular configurations of
//! processes*. A message goes from each node to the one below it, so that the messages of large nodes travel far.

use refmap::{AbstractSteps, Invariant, Refinement, TransitionSystem};
use serde::Serialize;

/// Role of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
enum Role {
    Idle,
    Candidate,
    Relay,
    Leader,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Ring)]
pub struct State {
    #[state(len = system.nodes)]
    roles: Vec<Role>,
    /// Per node, the numbers on their way to it, the oldest first.
    #[state(len = system.nodes, range = 0..system.nodes)]
    channels: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Ring)]
#[rule(process = "node")]
#[process(0..system.nodes)]
pub enum Action {
    Start(#[process] u8),
    Receive(#[process] u8),
}

pub struct Ring {
    nodes: u8,
}

impl TransitionSystem for Ring {
    type State = State;
    type Action = Action;
    type Observation = Option<u8>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            roles: vec![Role::Idle; self.nodes.into()],
            channels: vec![Vec::new(); self.nodes.into()],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let below = |node: u8| usize::from((node + self.nodes - 1) % self.nodes);
        match *action {
            Action::Start(node) => {
                let role = &mut state.roles[usize::from(node)];
                (*role == Role::Idle).then(|| *role = Role::Candidate)?;
                state.channels[below(node)].push(node);
            }
            Action::Receive(node) => {
                let index = usize::from(node);
                let number = *state.channels[index].first()?;
                state.channels[index].remove(0);
                if number > node {
                    state.roles[index] = Role::Relay;
                    state.channels[below(node)].push(number);
                } else if number == node {
                    state.roles[index] = Role::Leader;
                }
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Option<u8> {
        leader(state)
    }

    fn may_stop(&self, state: &State) -> bool {
        leader(state).is_some()
    }
}

/// The first node that is a leader.
fn leader(state: &State) -> Option<u8> {
    let place = state.roles.iter().position(|role| *role == Role::Leader);
    place.map(|place| place as u8)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Elect)]
#[rule(process = "node")]
#[process(0..system.nodes)]
pub enum Elected {
    Elect(#[process] u8),
}

/// The specification: some node becomes the leader, once.
pub struct Elect {
    nodes: u8,
}

impl TransitionSystem for Elect {
    type State = Option<u8>;
    type Action = Elected;
    type Observation = Option<u8>;

    fn initial(&self, visit: &mut impl FnMut(Option<u8>)) {
        visit(None);
    }

    fn fire(&self, elected: &Elected, leader: &mut Option<u8>) -> Option<()> {
        let Elected::Elect(node) = *elected;
        leader.is_none().then(|| *leader = Some(node))
    }

    fn observe(&self, state: &Option<u8>) -> Option<u8> {
        *state
    }

    fn may_stop(&self, state: &Option<u8>) -> bool {
        state.is_some()
    }
}

/// The claim: the one refines the other.
pub struct Election {
    implementation: Ring,
    specification: Elect,
}

impl Election {
    pub fn new(nodes: u8) -> Self {
        Self {
            implementation: Ring { nodes },
            specification: Elect { nodes },
        }
    }
}

impl Refinement for Election {
    type Implementation = Ring;
    type Specification = Elect;

    fn implementation(&self) -> &Ring {
        &self.implementation
    }

    fn specification(&self) -> &Elect {
        &self.specification
    }

    fn map(&self, state: &State) -> Option<u8> {
        leader(state)
    }

    fn abstract_steps(&self, from: &State, _: &Action, to: &State) -> AbstractSteps<Elected> {
        let elected = leader(to).filter(|_| leader(from).is_none());
        elected.map(Elected::Elect).into()
    }

    fn invariants(&self) -> Vec<Invariant<Ring>> {
        let largest = self.implementation.nodes - 1;
        vec![Invariant::new(
            "largest",
            "the largest number wins",
            move |state: &State| leader(state).is_none_or(|leader| leader == largest),
        )]
    }
}
