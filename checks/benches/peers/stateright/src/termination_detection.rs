//! Termination detection in a ring as a stateright model, with counters of messages.
//!
//! Source: Dijkstra, *Shmuel Safra's version of termination detection* (EWD998). The transition system is that of
//! `checks/compare/src/models/termination_detection.rs`. Nothing of refmap is used here.

use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    White,
    Black,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    is_active: bool,
    colour: Colour,
    /// Messages sent, less those received.
    counter: i8,
    /// Messages on their way to it.
    pending: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    position: u8,
    count: i8,
    colour: Colour,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    nodes: Vec<Node>,
    token: Token,
    /// Messages that may still be sent.
    unsent: u8,
    is_detected: bool,
}

impl State {
    /// Whether the first node knows that all have terminated.
    fn is_conclusive(&self) -> bool {
        let (first, token) = (&self.nodes[0], &self.token);
        !first.is_active
            && first.colour == Colour::White
            && token.colour == Colour::White
            && token.count + first.counter == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    InitiateProbe,
    Detect,
    PassToken(u8),
    Send(u8),
    Receive(u8),
    Deactivate(u8),
}

/// The algorithm for so many nodes, which send so many messages.
pub struct Safra {
    pub nodes: u8,
    pub messages: u8,
}

impl Model for Safra {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let node = Node {
            is_active: true,
            colour: Colour::White,
            counter: 0,
            pending: 0,
        };
        vec![State {
            nodes: vec![node; self.nodes.into()],
            token: Token {
                position: 0,
                count: 0,
                colour: Colour::Black,
            },
            unsent: self.messages,
            is_detected: false,
        }]
    }

    /// Only steps that are enabled, so that `next_state` has no guard to evaluate.
    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.token.position == 0 && !state.is_detected {
            actions.push(if state.is_conclusive() { Action::Detect } else { Action::InitiateProbe });
        }
        for (number, node) in (0..).zip(&state.nodes) {
            if number > 0 && state.token.position == number && !node.is_active {
                actions.push(Action::PassToken(number));
            }
            if node.is_active && state.unsent > 0 {
                actions.push(Action::Send(number));
            }
            if node.pending > 0 {
                actions.push(Action::Receive(number));
            }
            if node.is_active {
                actions.push(Action::Deactivate(number));
            }
        }
    }

    fn next_state(&self, from: &State, action: Action) -> Option<State> {
        let mut to = from.clone();
        match action {
            Action::InitiateProbe => {
                to.nodes[0].colour = Colour::White;
                to.token = Token {
                    position: self.nodes - 1,
                    count: 0,
                    colour: Colour::White,
                };
            }
            Action::Detect => to.is_detected = true,
            Action::PassToken(number) => {
                let node = &mut to.nodes[usize::from(number)];
                to.token.position -= 1;
                to.token.count += node.counter;
                if node.colour == Colour::Black {
                    to.token.colour = Colour::Black;
                }
                node.colour = Colour::White;
            }
            Action::Send(number) => {
                to.nodes[usize::from(number)].counter += 1;
                to.nodes[usize::from((number + 1) % self.nodes)].pending += 1;
                to.unsent -= 1;
            }
            Action::Receive(number) => {
                let node = &mut to.nodes[usize::from(number)];
                node.is_active = true;
                node.colour = Colour::Black;
                node.counter -= 1;
                node.pending -= 1;
            }
            Action::Deactivate(number) => to.nodes[usize::from(number)].is_active = false,
        }
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("terminated", |_, state: &State| {
            let is_done = |node: &Node| !node.is_active && node.pending == 0;
            !state.is_detected || state.nodes.iter().all(is_done)
        })]
    }
}
