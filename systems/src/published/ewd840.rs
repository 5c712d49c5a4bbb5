//! The detection of termination by a token that goes round a ring.
//!
//! Source: Dijkstra, Feijen & van Gasteren, *Derivation of a Termination Detection Algorithm for Distributed Computations*
//! (EWD 840), whose rules 0 to 5 are cited; the steps are those of Merz's module `EWD840` of the TLA+ Examples.
//!
//! Fairness: weakly `initiate_probe` or `pass_token`, one condition for the whole ring.

use refmap::drawing::Drawing;
use refmap::drawing::{Node, Shade};
use refmap::{Fairness, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::conditions::Conditions;
use super::termination_detection::{self, MAX_NODES, terminate, wake_up};
use crate::subsets::subsets;

/// An instance of the ring.
pub struct Ewd840 {
    /// Number of nodes.
    pub nodes: usize,
    /// Senders that become black.
    pub blackens: Blackens,
    /// The fairness conditions.
    pub fairness: Conditions,
}

/// Nodes that become black when they send a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Blackens {
    /// Those that send to a node with a higher number, to which the token may have been before [Rule 1].
    SendersUp,
    /// Those that send to a node with a lower number. Wrong: it is not to these that the token has been.
    SendersDown,
}

/// The colour of a node or of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Colour {
    /// As far as is known, nothing has become active behind the token.
    White,
    /// Something may have.
    Black,
}

/// Why the token goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Because {
    /// The node is inactive.
    Inactive,
    /// The node is black, so that the probe fails.
    BlackNode,
    /// The token is black, so that the probe fails.
    BlackToken,
}

/// The nodes and the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The active nodes.
    #[state(range = 0..MAX_NODES)]
    pub active: IndexSet,
    /// The black nodes; the others are white.
    #[state(range = 0..MAX_NODES)]
    pub black: IndexSet,
    /// The node at which the token is.
    #[state(range = 0..MAX_NODES)]
    pub tpos: usize,
    /// The colour of the token.
    pub tcolor: Colour,
}

/// A step of the ring, or of a node on its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Ewd840)]
#[rule(process = "ring")]
#[process(0..system.nodes)]
pub enum Action {
    /// Node 0 whitens itself and starts another probe, since the last one failed.
    #[rule(source = "EWD 840, rules 3 and 4; InitiateProbe")]
    InitiateProbe(#[action(any)] Because),
    /// An inactive node whitens itself and passes the token; a black one makes it black. If the probe fails anyway an
    /// active one passes it too.
    #[rule(source = "EWD 840, rules 0, 2 and 5; PassToken(i)")]
    PassToken(
        #[action(range = 1..system.nodes)] usize,
        #[action(any)] Because,
    ),
    /// An active node sends a message, and makes its target active.
    #[rule(process = "node", source = "EWD 840, rule 1; SendMsg(i)")]
    SendMsg {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
        #[action(range = 0..system.nodes)]
        target: usize,
    },
    /// A node becomes inactive.
    #[rule(process = "node", source = "EWD840, Deactivate(i)")]
    Deactivate(#[process] usize),
}

impl State {
    /// Whether node 0 concludes that no node is active.
    pub fn termination_detected(&self) -> bool {
        self.tpos == 0
            && self.tcolor == Colour::White
            && !self.black.contains(0)
            && !self.active.contains(0)
    }

    /// This is a reason for `node` to pass the token on.
    fn is_so(&self, node: usize, because: Because) -> Option<()> {
        let is_so = match because {
            Because::Inactive => !self.active.contains(node),
            Because::BlackNode => self.black.contains(node),
            Because::BlackToken => self.tcolor == Colour::Black,
        };
        guard("there is this reason", is_so)
    }
}

impl TransitionSystem for Ewd840 {
    type State = State;
    type Action = Action;
    type Observation = termination_detection::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let all = IndexSet::below(self.nodes);
        for active in subsets(all) {
            for black in subsets(all) {
                for tpos in 0..self.nodes {
                    visit(State {
                        active,
                        black,
                        tpos,
                        tcolor: Colour::Black,
                    });
                }
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            // An active node 0 waits, unless the probe has failed.
            Action::InitiateProbe(Because::Inactive) => return None,
            Action::InitiateProbe(because) => {
                guard("node 0 has the token", state.tpos == 0).and(state.is_so(0, because))?;
                state.black.remove(0);
                state.tpos = self.nodes - 1;
                state.tcolor = Colour::White;
            }
            Action::PassToken(node, because) => {
                guard("it has the token", state.tpos == node).and(state.is_so(node, because))?;
                if state.black.remove(node) {
                    state.tcolor = Colour::Black;
                }
                state.tpos -= 1;
            }
            Action::SendMsg { node, target } => {
                guard("it sends to another one", target != node)?;
                wake_up(&mut state.active, node, target)?;
                let is_blackened = match self.blackens {
                    Blackens::SendersUp => target > node,
                    Blackens::SendersDown => target < node,
                };
                if is_blackened {
                    state.black.insert(node);
                }
            }
            Action::Deactivate(node) => terminate(&mut state.active, node)?,
        }
        Some(())
    }

    fn observe(&self, state: &State) -> termination_detection::State {
        termination_detection::State {
            active: state.active,
            termination_detected: state.termination_detected(),
        }
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(self.nodes, state))
    }
    /// All is done where termination has been detected.
    fn may_stop(&self, state: &State) -> bool {
        state.termination_detected()
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![Fairness::weak(
            "go_round",
            ["initiate_probe", "pass_token"],
        )])
    }
}

/// The ring: each node in its colour, with an edge to the one to which it passes the token.
fn drawing(nodes: usize, state: &State) -> Drawing {
    let ring = (0..nodes).map(|node| {
        let shade = if state.black.contains(node) {
            Shade::Black
        } else {
            Shade::White
        };
        let mut drawn = active(node, &state.active).shade(shade);
        if node == state.tpos {
            drawn = drawn.mark(format!("{:?} token", state.tcolor).to_lowercase());
        }
        drawn.to("", (node + nodes - 1) % nodes)
    });
    Drawing::default().nodes(ring)
}

/// A node, with a mark if it is one of the active ones.
pub(super) fn active(node: usize, active: &IndexSet) -> Node {
    let drawn = Node::new(node);
    if active.contains(node) {
        drawn.mark("active")
    } else {
        drawn
    }
}
