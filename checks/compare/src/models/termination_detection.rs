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

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        match from.token.position {
            0 => [Action::InitiateProbe, Action::Detect]
                .into_iter()
                .for_each(&mut *visit),
            position => visit(Action::PassToken(position)),
        }
        for (number, node) in (0..).zip(&from.nodes) {
            if node.is_active {
                visit(Action::Send(number));
                visit(Action::Deactivate(number));
            }
            if node.pending > 0 {
                visit(Action::Receive(number));
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let can_decide = state.token.position == 0 && !state.is_detected;
        match *action {
            Action::InitiateProbe => {
                (can_decide && !state.is_conclusive()).then_some(())?;
                state.nodes[0].colour = Colour::White;
                state.token = Token {
                    position: self.nodes - 1,
                    count: 0,
                    colour: Colour::White,
                };
            }
            Action::Detect => {
                (can_decide && state.is_conclusive()).then_some(())?;
                state.is_detected = true;
            }
            Action::PassToken(number) => {
                let (node, token) = (&mut state.nodes[usize::from(number)], &mut state.token);
                (token.position == number && !node.is_active).then_some(())?;
                token.position -= 1;
                token.count += node.counter;
                if node.colour == Colour::Black {
                    token.colour = Colour::Black;
                }
                node.colour = Colour::White;
            }
            Action::Send(number) => {
                let node = &mut state.nodes[usize::from(number)];
                (node.is_active && state.unsent > 0).then_some(())?;
                node.counter += 1;
                state.nodes[usize::from((number + 1) % self.nodes)].pending += 1;
                state.unsent -= 1;
            }
            Action::Receive(number) => {
                let node = &mut state.nodes[usize::from(number)];
                node.pending = node.pending.checked_sub(1)?;
                node.counter -= 1;
                node.is_active = true;
                node.colour = Colour::Black;
            }
            Action::Deactivate(number) => {
                let node = &mut state.nodes[usize::from(number)];
                node.is_active.then(|| node.is_active = false)?;
            }
        }
        Some(())
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
#[action(system = Termination)]
#[rule(process = "node")]
#[process(0..system.nodes)]
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

    fn fire(&self, event: &Event, work: &mut Work) -> Option<()> {
        match *event {
            Event::Detect => {
                (work.is_done() && !work.is_detected).then_some(())?;
                work.is_detected = true;
            }
            Event::Send(node) => {
                work.is_active[usize::from(node)].then_some(())?;
                work.unsent = work.unsent.checked_sub(1)?;
                work.pending[usize::from((node + 1) % self.nodes)] += 1;
            }
            Event::Receive(node) => {
                let pending = &mut work.pending[usize::from(node)];
                *pending = pending.checked_sub(1)?;
                work.is_active[usize::from(node)] = true;
            }
            Event::Deactivate(node) => {
                let is_active = &mut work.is_active[usize::from(node)];
                is_active.then(|| *is_active = false)?;
            }
        }
        Some(())
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
