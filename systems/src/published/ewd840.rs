//! The detection of termination by a token that goes round a ring.
//!
//! Source: Dijkstra, Feijen & van Gasteren, *Derivation of a Termination Detection Algorithm for Distributed Computations*
//! (EWD 840), whose rules 0 to 5 are cited; the steps are those of Merz's module `EWD840` of the TLA+ Examples.
//!
//! Fairness: weakly `initiate_probe` or `pass_token`, one condition for the whole ring.

use refmap::{IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::termination_detection::{self, MAX_NODES, sets, terminate, wake_up};

/// An instance of the ring.
pub struct Ewd840 {
    /// Number of nodes.
    pub nodes: usize,
    /// Which senders become black.
    pub blackens: Blackens,
}

/// Which nodes become black when they send a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[rule(process = "ring")]
pub enum Action {
    /// Node 0 whitens itself and starts another probe, since the last one failed.
    #[rule(source = "EWD 840, rules 3 and 4; InitiateProbe")]
    InitiateProbe,
    /// An inactive node whitens itself and passes the token; a black one makes it black. If the probe fails anyway an
    /// active one passes it too.
    #[rule(source = "EWD 840, rules 0, 2 and 5; PassToken(i)")]
    PassToken(usize),
    /// An active node sends a message, and makes its target active.
    #[rule(process = "node", source = "EWD 840, rule 1; SendMsg(i)")]
    SendMsg {
        /// The node that sends.
        #[process]
        node: usize,
        /// The node to which it sends.
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

    /// Rules 3 and 4: *InitiateProbe*.
    fn initiate_probe(&self, nodes: usize) -> Option<Self> {
        let failed = self.tcolor == Colour::Black || self.black.contains(0);
        (guard("node 0 has the token", self.tpos == 0) & guard("the probe failed", failed)).then(
            || {
                let mut black = self.black;
                black.remove(0);
                Self {
                    black,
                    tpos: nodes - 1,
                    tcolor: Colour::White,
                    ..*self
                }
            },
        )
    }

    /// Rules 0, 2 and 5: *PassToken*.
    fn pass_token(&self, node: usize) -> Option<Self> {
        let is_black = self.black.contains(node);
        let passes = !self.active.contains(node) || is_black || self.tcolor == Colour::Black;
        let enabled = guard("it has the token", self.tpos == node)
            & guard("it is inactive, or the probe fails", passes);
        enabled.then(|| {
            let mut black = self.black;
            let tcolor = match black.remove(node) {
                true => Colour::Black,
                false => self.tcolor,
            };
            Self {
                black,
                tpos: node - 1,
                tcolor,
                ..*self
            }
        })
    }

    /// Rule 1: *SendMsg*.
    fn send(&self, node: usize, target: usize, blackens: Blackens) -> Option<Self> {
        let active = wake_up(self.active, node, target)?;
        let is_blackened = match blackens {
            Blackens::SendersUp => target > node,
            Blackens::SendersDown => target < node,
        };
        let mut black = self.black;
        if is_blackened {
            black.insert(node);
        }
        Some(Self {
            active,
            black,
            ..*self
        })
    }
}

impl TransitionSystem for Ewd840 {
    type State = State;
    type Action = Action;
    type Observation = termination_detection::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for active in sets(self.nodes) {
            for black in sets(self.nodes) {
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
                    from.send(node, target, self.blackens)
                });
            }
            offer(visit, Action::Deactivate(node), || {
                let active = terminate(from.active, node)?;
                Some(State { active, ..*from })
            });
        }
    }

    fn observe(&self, state: &State) -> termination_detection::State {
        termination_detection::State {
            active: state.active,
            termination_detected: state.termination_detected(),
        }
    }
}
