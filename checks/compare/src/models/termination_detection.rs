//! Termination detection in a ring, with counters of messages, refines what it is to detect that.
//!
//! Source: Dijkstra, *Shmuel Safra's version of termination detection* (EWD998). Nodes send to the next one, the token goes
//! the other way, and the machine that is watched sends a given number of messages.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement, TransitionSystem};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
enum Colour {
    White,
    Black,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Ring)]
struct Node {
    is_active: bool,
    colour: Colour,
    /// Messages sent, less those received.
    #[state(range = system.balance())]
    counter: i8,
    /// Messages on their way to it.
    #[state(range = 0..=system.messages)]
    pending: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Ring)]
struct Token {
    #[state(range = 0..system.nodes)]
    position: u8,
    #[state(range = system.balance())]
    count: i8,
    colour: Colour,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Ring)]
pub struct State {
    #[state(len = system.nodes)]
    nodes: Vec<Node>,
    token: Token,
    /// Messages that may still be sent.
    #[state(range = 0..=system.messages)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "node")]
pub enum Action {
    InitiateProbe,
    Detect,
    PassToken(#[process] u8),
    Send(#[process] u8),
    Receive(#[process] u8),
    Deactivate(#[process] u8),
}

pub struct Ring {
    nodes: u8,
    messages: u8,
}

impl Ring {
    /// The range of a difference of numbers of messages.
    fn balance(&self) -> std::ops::RangeInclusive<i8> {
        let messages = self.messages as i8;
        -messages..=messages
    }
}

impl TransitionSystem for Ring {
    type State = State;
    type Action = Action;
    type Observation = bool;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let node = Node {
            is_active: true,
            colour: Colour::White,
            counter: 0,
            pending: 0,
        };
        visit(State {
            nodes: vec![node; self.nodes.into()],
            token: Token {
                position: 0,
                count: 0,
                colour: Colour::Black,
            },
            unsent: self.messages,
            is_detected: false,
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        if from.token.position == 0 && !from.is_detected {
            let mut to = from.clone();
            if from.is_conclusive() {
                to.is_detected = true;
                visit(Action::Detect, to);
            } else {
                to.nodes[0].colour = Colour::White;
                to.token = Token {
                    position: self.nodes - 1,
                    count: 0,
                    colour: Colour::White,
                };
                visit(Action::InitiateProbe, to);
            }
        }
        for node in 0..self.nodes {
            let index = usize::from(node);
            let Node {
                is_active,
                colour,
                counter,
                pending,
            } = from.nodes[index];
            if node > 0 && from.token.position == node && !is_active {
                let mut to = from.clone();
                to.nodes[index].colour = Colour::White;
                to.token.position -= 1;
                to.token.count += counter;
                if colour == Colour::Black {
                    to.token.colour = Colour::Black;
                }
                visit(Action::PassToken(node), to);
            }
            if is_active && from.unsent > 0 {
                let mut to = from.clone();
                to.nodes[index].counter += 1;
                to.nodes[usize::from((node + 1) % self.nodes)].pending += 1;
                to.unsent -= 1;
                visit(Action::Send(node), to);
            }
            if pending > 0 {
                let mut to = from.clone();
                to.nodes[index] = Node {
                    is_active: true,
                    colour: Colour::Black,
                    counter: counter - 1,
                    pending: pending - 1,
                };
                visit(Action::Receive(node), to);
            }
            if is_active {
                let mut to = from.clone();
                to.nodes[index].is_active = false;
                visit(Action::Deactivate(node), to);
            }
        }
    }

    fn observe(&self, state: &State) -> bool {
        state.is_detected
    }

    fn may_stop(&self, state: &State) -> bool {
        state.is_detected
    }
}

/// The specification: that all nodes are passive, and no message is on its way, is detected once.
pub struct Termination {
    nodes: u8,
    messages: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Work {
    is_active: Vec<bool>,
    pending: Vec<u8>,
    unsent: u8,
    is_detected: bool,
}

impl<S: ?Sized> refmap::State<S> for Work {}

impl Work {
    fn is_done(&self) -> bool {
        let is_active = self.is_active.contains(&true);
        !is_active && self.pending.iter().all(|pending| *pending == 0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "node")]
pub enum Event {
    Detect,
    Send(#[process] u8),
    Receive(#[process] u8),
    Deactivate(#[process] u8),
}

impl TransitionSystem for Termination {
    type State = Work;
    type Action = Event;
    type Observation = bool;

    fn initial(&self, visit: &mut impl FnMut(Work)) {
        visit(Work {
            is_active: vec![true; self.nodes.into()],
            pending: vec![0; self.nodes.into()],
            unsent: self.messages,
            is_detected: false,
        });
    }

    fn next(&self, from: &Work, visit: &mut impl FnMut(Event, Work)) {
        if from.is_done() && !from.is_detected {
            let mut to = from.clone();
            to.is_detected = true;
            visit(Event::Detect, to);
        }
        for node in 0..self.nodes {
            let index = usize::from(node);
            if from.is_active[index] && from.unsent > 0 {
                let mut to = from.clone();
                to.pending[usize::from((node + 1) % self.nodes)] += 1;
                to.unsent -= 1;
                visit(Event::Send(node), to);
            }
            if from.pending[index] > 0 {
                let mut to = from.clone();
                to.pending[index] -= 1;
                to.is_active[index] = true;
                visit(Event::Receive(node), to);
            }
            if from.is_active[index] {
                let mut to = from.clone();
                to.is_active[index] = false;
                visit(Event::Deactivate(node), to);
            }
        }
    }

    fn observe(&self, state: &Work) -> bool {
        state.is_detected
    }

    fn may_stop(&self, state: &Work) -> bool {
        state.is_detected
    }
}

/// The claim: the one refines the other.
pub struct Detection {
    implementation: Ring,
    specification: Termination,
}

impl Detection {
    pub fn new(nodes: u8, messages: u8) -> Self {
        Self {
            implementation: Ring { nodes, messages },
            specification: Termination { nodes, messages },
        }
    }
}

impl Refinement for Detection {
    type Implementation = Ring;
    type Specification = Termination;

    fn implementation(&self) -> &Ring {
        &self.implementation
    }

    fn specification(&self) -> &Termination {
        &self.specification
    }

    fn map(&self, state: &State) -> Work {
        Work {
            is_active: state.nodes.iter().map(|node| node.is_active).collect(),
            pending: state.nodes.iter().map(|node| node.pending).collect(),
            unsent: state.unsent,
            is_detected: state.is_detected,
        }
    }

    fn abstract_steps(&self, _: &State, action: &Action, _: &State) -> AbstractSteps<Event> {
        match *action {
            Action::InitiateProbe | Action::PassToken(_) => Stutter,
            Action::Detect => One(Event::Detect),
            Action::Send(node) => One(Event::Send(node)),
            Action::Receive(node) => One(Event::Receive(node)),
            Action::Deactivate(node) => One(Event::Deactivate(node)),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Ring>> {
        vec![Invariant::new(
            "terminated",
            "what is detected is so",
            |state: &State| {
                let is_done = |node: &Node| !node.is_active && node.pending == 0;
                !state.is_detected || state.nodes.iter().all(is_done)
            },
        )]
    }
}
