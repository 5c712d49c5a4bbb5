//! The detection of termination as processes that send each other the token and messages.
//!
//! Source: Kuppe, module `EWD998PCal` of the TLA+ Examples, an algorithm in PlusCal; its five alternatives are the rules.
//!
//! Deviations. D1: the network has for each node how many payload messages are on their way to it, and at most one token; the
//! module has a bag, in which there might be two. As a token is sent only where one is taken, there never are.

use refmap::{Constraint, Drawing, IndexSet, TransitionSystem, guard, offer};
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
    /// Its colour.
    pub colour: Colour,
}

/// A node, and what is on its way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Node {
    /// Whether it is active.
    pub active: bool,
    /// Its colour.
    pub colour: Colour,
    /// Messages sent less messages received.
    #[state(range = -31..=31)]
    pub counter: i8,
    /// Payload messages.
    #[state(range = 0..=31u8)]
    pub payloads: u8,
    /// The token.
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
#[rule(process = "node")]
pub enum Action {
    /// An active node sends a payload message.
    #[rule(source = "EWD998PCal, l, first alternative")]
    Send {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
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
    PassToken(#[process] usize),
    /// Node 0 starts another round of the token.
    #[rule(source = "EWD998PCal, l, fifth alternative")]
    InitiateToken(#[process] usize),
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

    fn send(&self, node: usize, target: usize) -> Option<Self> {
        guard("it is active", self.nodes[node].active).then(|| {
            let mut to = self.clone();
            to.nodes[target].payloads += 1;
            to.nodes[node].counter += 1;
            to
        })
    }

    fn receive(&self, node: usize) -> Option<Self> {
        guard("a message is on its way", self.nodes[node].payloads > 0).then(|| {
            let mut to = self.clone();
            let own = &mut to.nodes[node];
            own.counter -= 1;
            own.active = true;
            own.colour = Colour::Black;
            own.payloads -= 1;
            to
        })
    }

    fn terminate(&self, node: usize) -> Self {
        let mut to = self.clone();
        to.nodes[node].active = false;
        to
    }

    fn pass_token(&self, node: usize, passes: Passes) -> Option<Self> {
        let own = &self.nodes[node];
        let token = own.token?;
        let may_pass = match passes {
            Passes::Inactive => !own.active,
            Passes::Any => true,
        };
        guard("it passes the token", may_pass).then(|| {
            let mut to = self.clone();
            to.nodes[node].token = None;
            to.nodes[node].colour = Colour::White;
            to.nodes[node - 1].token = Some(Token {
                q: token.q + own.counter,
                colour: match own.colour {
                    Colour::Black => Colour::Black,
                    Colour::White => token.colour,
                },
            });
            to
        })
    }

    fn initiate_token(&self) -> Option<Self> {
        let own = &self.nodes[0];
        let token = own.token?;
        let is_inconclusive = own.colour == Colour::Black
            || token.q + own.counter != 0
            || token.colour == Colour::Black;
        guard("the round was not conclusive", is_inconclusive).then(|| {
            let mut to = self.clone();
            to.nodes[0].token = None;
            to.nodes[0].colour = Colour::White;
            let last = to.nodes.len() - 1;
            to.nodes[last].token = Some(Token {
                q: 0,
                colour: Colour::White,
            });
            to
        })
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for node in 0..self.nodes {
            for target in (0..self.nodes).filter(|target| *target != node) {
                offer(visit, Action::Send { node, target }, || {
                    from.send(node, target)
                });
            }
            offer(visit, Action::Receive(node), || from.receive(node));
            offer(visit, Action::Terminate(node), || {
                Some(from.terminate(node))
            });
            if node == 0 {
                offer(visit, Action::InitiateToken(node), || from.initiate_token());
            } else {
                offer(visit, Action::PassToken(node), || {
                    from.pass_token(node, self.passes)
                });
            }
        }
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
