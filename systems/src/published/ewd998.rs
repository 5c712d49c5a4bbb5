//! The detection of termination by a token that counts messages on their way.
//!
//! Source: Dijkstra, *Shmuel Safra's version of termination detection* (EWD 998), whose rules 0 to 7 are cited; the steps are
//! those of Kuppe and Merz's module `EWD998` of the TLA+ Examples. It stands as a specification, without the fairness of the
//! module: that of the module's `System` is on steps of several processes, which `EWD998PCal` does not show.

use refmap::drawing::Shade;
use refmap::{Drawing, IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::ewd840::Colour;
use super::termination_detection::active;
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
    /// Its colour.
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
    /// The token.
    pub token: Token,
}

/// A step of the ring, or of a node on its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "ring")]
pub enum Action {
    /// Node 0 whitens itself and starts another probe, since the last one was not conclusive.
    #[rule(source = "EWD 998, rules 1, 5 and 6; InitiateProbe")]
    InitiateProbe,
    /// An inactive node whitens itself, adds its counter to the token and passes it; a black one makes it black.
    #[rule(source = "EWD 998, rules 2, 4 and 7; PassToken(i)")]
    PassToken(usize),
    /// An active node sends a message.
    #[rule(process = "node", source = "EWD 998, rule 0; SendMsg(i)")]
    SendMsg {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
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

    /// Rules 1, 5 and 6: *InitiateProbe*.
    fn initiate_probe(&self, nodes: usize) -> Option<Self> {
        let is_inconclusive = self.token.colour == Colour::Black
            || self.black.contains(0)
            || self.counter[0] + self.token.q > 0;
        let has_token = guard("node 0 has the token", self.token.pos == 0);
        (has_token & guard("the probe was not conclusive", is_inconclusive)).then(|| {
            let mut to = self.clone();
            to.black.remove(0);
            to.token = Token {
                pos: nodes as u8 - 1,
                q: 0,
                colour: Colour::White,
            };
            to
        })
    }

    /// Rules 2, 4 and 7: *PassToken*.
    fn pass_token(&self, node: usize) -> Option<Self> {
        let is_inactive = guard("it is inactive", !self.active.contains(node));
        let has_token = guard("it has the token", usize::from(self.token.pos) == node);
        (is_inactive & has_token).then(|| {
            let mut to = self.clone();
            if to.black.remove(node) {
                to.token.colour = Colour::Black;
            }
            to.token.pos -= 1;
            to.token.q += self.counter[node];
            to
        })
    }

    /// Rule 0: *SendMsg*.
    fn send_msg(&self, node: usize, target: usize) -> Option<Self> {
        guard("it is active", self.active.contains(node)).then(|| {
            let mut to = self.clone();
            to.counter[node] += 1;
            to.pending[target] += 1;
            to
        })
    }

    /// Rules 0 and 3: *RecvMsg*.
    fn recv_msg(&self, node: usize) -> Option<Self> {
        guard("a message is on its way", self.pending[node] > 0).then(|| {
            let mut to = self.clone();
            to.pending[node] -= 1;
            to.counter[node] -= 1;
            to.black.insert(node);
            to.active.insert(node);
            to
        })
    }

    /// *Deactivate*.
    fn deactivate(&self, node: usize) -> Option<Self> {
        let mut to = self.clone();
        guard("it is active", to.active.remove(node)).then_some(to)
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        offer(visit, Action::InitiateProbe, || {
            from.initiate_probe(self.nodes)
        });
        for node in 1..self.nodes {
            offer(visit, Action::PassToken(node), || from.pass_token(node));
        }
        for node in 0..self.nodes {
            for target in (0..self.nodes).filter(|target| *target != node) {
                offer(visit, Action::SendMsg { node, target }, || {
                    from.send_msg(node, target)
                });
            }
            offer(visit, Action::RecvMsg(node), || from.recv_msg(node));
            offer(visit, Action::Deactivate(node), || from.deactivate(node));
        }
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
