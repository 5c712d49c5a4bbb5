//! Leader election in a ring as a stateright model, with its channels as vectors.
//!
//! Source: Chang & Roberts, *An improved algorithm for decentralized extrema-finding in circular configurations of
//! processes*. The transition system is that of `checks/compare/src/models/leader_election.rs`. Nothing of refmap is
//! used here.

use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Idle,
    Candidate,
    Relay,
    Leader,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    roles: Vec<Role>,
    /// Per node, the numbers on their way to it, the oldest first.
    channels: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Start(u8),
    Receive(u8),
}

/// The protocol for so many nodes.
pub struct Ring(pub u8);

impl Model for Ring {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            roles: vec![Role::Idle; self.0.into()],
            channels: vec![Vec::new(); self.0.into()],
        }]
    }

    /// Only steps that are enabled, so that `next_state` has no guard to evaluate.
    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for node in 0..self.0 {
            if state.roles[usize::from(node)] == Role::Idle {
                actions.push(Action::Start(node));
            }
            if !state.channels[usize::from(node)].is_empty() {
                actions.push(Action::Receive(node));
            }
        }
    }

    fn next_state(&self, from: &State, action: Action) -> Option<State> {
        let mut to = from.clone();
        let (Action::Start(node) | Action::Receive(node)) = action;
        let index = usize::from(node);
        let successor = (index + from.roles.len() - 1) % from.roles.len();
        match action {
            Action::Start(_) => {
                to.roles[index] = Role::Candidate;
                to.channels[successor].push(node);
            }
            Action::Receive(_) => {
                let number = to.channels[index].remove(0);
                if number > node {
                    to.roles[index] = Role::Relay;
                    to.channels[successor].push(number);
                } else if number == node {
                    to.roles[index] = Role::Leader;
                }
            }
        }
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(
            "largest",
            |model: &Self, state: &State| {
                let leader = state.roles.iter().position(|role| *role == Role::Leader);
                leader.is_none_or(|leader| leader + 1 == usize::from(model.0))
            },
        )]
    }
}
