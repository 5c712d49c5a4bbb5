//! The detection of termination as processes that send each other the token and messages.
//!
//! Source: Kuppe, module `EWD998PCal` of the TLA+ Examples, an algorithm in PlusCal; its five alternatives are the rules.
//!
//! Deviations. D1: the network has for each node how many payload messages are on their way to it, and at most one token; the
//! module has a bag, in which there might be two. As a token is sent only where one is taken, there never are.

use refmap::drawing::Drawing;
use refmap::{Constraint, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::ewd840::Colour;
use super::ewd998::{self, MAX_NODES};
use crate::subsets::subsets;

/// Greatest number of messages that a node can have sent, less those received, in a state that is expanded.
pub const MAX_COUNTER: u8 = 4;

/// An instance of the algorithm. Its states are without end; [`bounded`](Self::bounded) is a constraint for them.
pub struct Ewd998PCal {
    /// Number of nodes.
    pub nodes: usize,
    /// Nodes that pass the token on.
    pub passes: Passes,
}

/// Nodes that pass the token on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Passes {
    /// Those that are inactive.
    Inactive,
    /// All. Wrong: what an active node will send is not counted.
    Any,
}

/// A token on its way, as the node has it to which it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Token {
    /// The sum of the counters of the nodes that have passed it in this round.
    #[state(range = -64..=63)]
    pub q: i8,
    pub colour: Colour,
}

/// A node, and what is on its way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Node {
    /// Whether it is active.
    pub active: bool,
    pub colour: Colour,
    /// Messages sent less messages received.
    #[state(range = -31..=31)]
    pub counter: i8,
    /// Payload messages.
    #[state(range = 0..=31u8)]
    pub payloads: u8,
    pub token: Option<Token>,
}

/// All nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Ewd998PCal)]
pub struct State {
    /// One for each.
    #[state(len = system.nodes)]
    pub nodes: Vec<Node>,
}

/// An alternative of a node's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Ewd998PCal)]
#[rule(process = "node")]
#[process(0..system.nodes)]
pub enum Action {
    /// An active node sends a payload message.
    #[rule(source = "EWD998PCal, l, first alternative")]
    Send {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
        #[action(range = 0..system.nodes)]
        target: usize,
    },
    /// A node receives a payload message, and becomes active and black.
    #[rule(source = "EWD998PCal, l, second alternative")]
    Receive(#[process] usize),
    /// A node becomes inactive, or stays so.
    #[rule(source = "EWD998PCal, l, third alternative")]
    Terminate(#[process] usize),
    /// A node passes the token to the next one.
    #[rule(source = "EWD998PCal, l, fourth alternative")]
    PassToken(#[process(1..system.nodes)] usize),
    /// Node 0 starts another round of the token.
    #[rule(source = "EWD998PCal, l, fifth alternative")]
    InitiateToken(#[process(0..1)] usize),
}

impl State {
    /// The same as the module `EWD998` has it: the token at a place of its own, and of the messages their numbers.
    pub fn as_ring(&self) -> ewd998::State {
        let nodes = || self.nodes.iter();
        let those = |is_one: fn(&Node) -> bool| {
            let mut set = IndexSet::EMPTY;
            let one = nodes().enumerate().filter(|(_, node)| is_one(node));
            one.for_each(|(index, _)| {
                set.insert(index);
            });
            set
        };
        let mut tokens = nodes().enumerate();
        let token = tokens.find_map(|(pos, node)| {
            let Token { q, colour } = node.token?;
            let pos = pos as u8;
            Some(ewd998::Token { pos, q, colour })
        });
        ewd998::State {
            active: those(|node| node.active),
            black: those(|node| node.colour == Colour::Black),
            counter: nodes().map(|node| node.counter).collect(),
            pending: nodes().map(|node| node.payloads).collect(),
            token: token.expect("a token is sent where one is taken"),
        }
    }
}

impl Ewd998PCal {
    /// *StateConstraint*: no node has sent more than `most` messages that it has not made up for by receiving some.
    pub fn bounded(most: u8) -> Constraint<Self> {
        let within = move |state: &State| {
            let mut nodes = state.nodes.iter();
            nodes.all(|node| node.counter <= most as i8)
        };
        Constraint::new(format!("counters up to {most}"), within)
    }
}

impl TransitionSystem for Ewd998PCal {
    type State = State;
    type Action = Action;
    type Observation = (IndexSet, bool);

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for active in subsets(IndexSet::below(self.nodes)) {
            let node = |node| Node {
                active: active.contains(node),
                colour: Colour::Black,
                counter: 0,
                payloads: 0,
                token: (node == 0).then_some(Token {
                    q: 0,
                    colour: Colour::Black,
                }),
            };
            visit(State {
                nodes: (0..self.nodes).map(node).collect(),
            });
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Send { node, target } => {
                guard("it sends to another one", target != node)?;
                guard("it is active", state.nodes[node].active)?;
                state.nodes[target].payloads += 1;
                state.nodes[node].counter += 1;
            }
            Action::Receive(node) => {
                let own = &mut state.nodes[node];
                guard("a message is on its way", own.payloads > 0)?;
                own.counter -= 1;
                own.active = true;
                own.colour = Colour::Black;
                own.payloads -= 1;
            }
            Action::Terminate(node) => state.nodes[node].active = false,
            Action::PassToken(node) => {
                let own = &mut state.nodes[node];
                let token = own.token.take()?;
                let may_pass = match self.passes {
                    Passes::Inactive => !own.active,
                    Passes::Any => true,
                };
                guard("it passes the token", may_pass)?;
                let passed = Token {
                    q: token.q + own.counter,
                    colour: match own.colour {
                        Colour::Black => Colour::Black,
                        Colour::White => token.colour,
                    },
                };
                own.colour = Colour::White;
                state.nodes[node - 1].token = Some(passed);
            }
            Action::InitiateToken(node) => {
                let own = &mut state.nodes[node];
                let token = own.token.take()?;
                let is_inconclusive = own.colour == Colour::Black
                    || token.q + own.counter != 0
                    || token.colour == Colour::Black;
                guard("the round was not conclusive", is_inconclusive)?;
                own.colour = Colour::White;
                state.nodes[self.nodes - 1].token = Some(Token {
                    q: 0,
                    colour: Colour::White,
                });
            }
        }
        Some(())
    }

    /// Active nodes, and whether node 0 concludes that there are none.
    fn observe(&self, state: &State) -> (IndexSet, bool) {
        let ring = state.as_ring();
        (ring.active, ring.termination_detected())
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(ewd998::drawing(&state.as_ring()))
    }
}

const _: () = assert!(MAX_NODES * (MAX_COUNTER as usize + 1) < 31);
