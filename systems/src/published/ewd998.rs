//! The detection of termination by a token that counts messages on their way.
//!
//! Source: Dijkstra, *Shmuel Safra's version of termination detection* (EWD 998), whose rules 0 to 7 are cited; the steps are
//! those of Kuppe and Merz's module `EWD998` of the TLA+ Examples. It stands as a specification, without the fairness of the
//! module: that of the module's `System` is on steps of several processes, which `EWD998PCal` does not show.

use refmap::drawing::Drawing;
use refmap::drawing::Shade;
use refmap::{IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::ewd840::{Colour, active};
use crate::subsets::subsets;

/// Greatest number of nodes.
pub const MAX_NODES: usize = 4;

/// An instance of the ring.
pub struct Ewd998 {
    /// Number of nodes.
    pub nodes: usize,
}

/// The token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Token {
    /// The node at which it is.
    pub pos: u8,
    /// The sum of the counters of the nodes that it has left in this round.
    pub q: i8,
    pub colour: Colour,
}

/// The nodes, the messages on their way, and the token.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The active nodes.
    #[state(range = 0..MAX_NODES)]
    pub active: IndexSet,
    /// The black nodes; the others are white.
    #[state(range = 0..MAX_NODES)]
    pub black: IndexSet,
    /// Per node, messages sent less messages received.
    pub counter: Vec<i8>,
    /// Per node, messages on their way to it.
    pub pending: Vec<u8>,
    pub token: Token,
}

/// A step of the ring, or of a node on its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Ewd998)]
#[rule(process = "ring")]
#[process(0..system.nodes)]
pub enum Action {
    /// Node 0 whitens itself and starts another probe, since the last one was not conclusive.
    #[rule(source = "EWD 998, rules 1, 5 and 6; InitiateProbe")]
    InitiateProbe,
    /// An inactive node whitens itself, adds its counter to the token and passes it; a black one makes it black.
    #[rule(source = "EWD 998, rules 2, 4 and 7; PassToken(i)")]
    PassToken(#[action(range = 1..system.nodes)] usize),
    /// An active node sends a message.
    #[rule(process = "node", source = "EWD 998, rule 0; SendMsg(i)")]
    SendMsg {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
        #[action(range = 0..system.nodes)]
        target: usize,
    },
    /// A node receives a message, and becomes active and black.
    #[rule(process = "node", source = "EWD 998, rules 0 and 3; RecvMsg(i)")]
    RecvMsg(#[process] usize),
    /// An active node becomes inactive.
    #[rule(process = "node", source = "EWD998, Deactivate(i)")]
    Deactivate(#[process] usize),
}

impl State {
    /// Whether node 0 concludes that the system has terminated: *terminationDetected*.
    pub fn termination_detected(&self) -> bool {
        self.token.pos == 0
            && self.token.colour == Colour::White
            && self.token.q + self.counter[0] == 0
            && !self.black.contains(0)
            && !self.active.contains(0)
    }

    /// Whether no node is active, and no message is on its way: *Termination*.
    pub fn has_terminated(&self) -> bool {
        self.active.is_empty() && self.pending.iter().all(|messages| *messages == 0)
    }
}

impl TransitionSystem for Ewd998 {
    type State = State;
    type Action = Action;
    type Observation = (IndexSet, bool);

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let all = IndexSet::below(self.nodes);
        for active in subsets(all) {
            for black in subsets(all) {
                for pos in 0..self.nodes as u8 {
                    visit(State {
                        active,
                        black,
                        counter: vec![0; self.nodes],
                        pending: vec![0; self.nodes],
                        token: Token {
                            pos,
                            q: 0,
                            colour: Colour::Black,
                        },
                    });
                }
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::InitiateProbe => {
                let is_inconclusive = state.token.colour == Colour::Black
                    || state.black.contains(0)
                    || state.counter[0] + state.token.q > 0;
                guard("node 0 has the token", state.token.pos == 0)
                    .and(guard("the probe was not conclusive", is_inconclusive))?;
                state.black.remove(0);
                state.token = Token {
                    pos: self.nodes as u8 - 1,
                    q: 0,
                    colour: Colour::White,
                };
            }
            Action::PassToken(node) => {
                let has_token = usize::from(state.token.pos) == node;
                guard("it is inactive", !state.active.contains(node))
                    .and(guard("it has the token", has_token))?;
                if state.black.remove(node) {
                    state.token.colour = Colour::Black;
                }
                state.token.pos -= 1;
                state.token.q += state.counter[node];
            }
            Action::SendMsg { node, target } => {
                guard("it sends to another one", target != node)?;
                guard("it is active", state.active.contains(node))?;
                state.counter[node] += 1;
                state.pending[target] += 1;
            }
            Action::RecvMsg(node) => {
                guard("a message is on its way", state.pending[node] > 0)?;
                state.pending[node] -= 1;
                state.counter[node] -= 1;
                state.black.insert(node);
                state.active.insert(node);
            }
            Action::Deactivate(node) => guard("it is active", state.active.remove(node))?,
        }
        Some(())
    }

    /// Active nodes, and whether node 0 concludes that there are none.
    fn observe(&self, state: &State) -> (IndexSet, bool) {
        (state.active, state.termination_detected())
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }
}

/// The ring: each node in its colour with its counter and what is on its way to it, and an edge to the one to which it
/// passes the token.
pub(super) fn drawing(state: &State) -> Drawing {
    let nodes = state.counter.len();
    let ring = (0..nodes).map(|node| {
        let shade = if state.black.contains(node) {
            Shade::Black
        } else {
            Shade::White
        };
        let counted = format!("counter {}", state.counter[node]);
        let mut drawn = active(node, &state.active).shade(shade).mark(counted);
        if state.pending[node] > 0 {
            drawn = drawn.mark(format!("pending {}", state.pending[node]));
        }
        if node == usize::from(state.token.pos) {
            let colour = format!("{:?}", state.token.colour).to_lowercase();
            drawn = drawn.mark(format!("{colour} token {}", state.token.q));
        }
        drawn.to("", (node + nodes - 1) % nodes)
    });
    Drawing::default().nodes(ring)
}
