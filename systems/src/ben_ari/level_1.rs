//! Level 1: nodes are coloured, and white ones are collected once all accessible ones are black.
//!
//! Source: Havelund & Shankar, section 6.1, Figs. 6–9, and Appendix A.3.

use refmap::Choices;
use refmap::state::Limits;
use serde::Serialize;

use super::command::Command;
use super::level::{Collector, Level};
use super::scope::Scope;
use super::shape::Node;
use super::shared::Shared;

/// The first refinement.
pub type Level1 = Level<Action>;

// ANCHOR: variables
/// A state of level 1 [Fig. 6], in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[state(system = impl AsRef<Scope>)]
pub struct State {
    /// Program location.
    pub chi: Chi,
    /// The variables that other levels have too.
    #[serde(flatten)]
    pub shared: Shared,
}
// ANCHOR_END: variables

impl AsRef<Shared> for State {
    fn as_ref(&self) -> &Shared {
        &self.shared
    }
}

impl AsMut<Shared> for State {
    fn as_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }
}

/// The locations of the collector (Fig. 9; `CoPC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Chi {
    /// COLOUR.
    Colour,
    /// TEST_L.
    TestL,
    /// APPEND.
    Append,
}

/// A step of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[action(system = Level1)]
#[rule(process = "collector")]
pub enum Action {
    /// COLOUR.1: node `n` is coloured black.
    #[rule(source = "Fig. 9, COLOUR.1")]
    Colour {
        /// The node.
        #[action(range = 0..system.scope.shape.nodes)]
        n: Node,
    },
    /// COLOUR.2.
    #[rule(source = "Fig. 9, COLOUR.2")]
    StopColouring,
    /// TEST_L.1.
    #[rule(source = "Fig. 9, TEST_L.1")]
    StopAppending,
    /// TEST_L.2.
    #[rule(source = "Fig. 9, TEST_L.2")]
    ContinueAppending,
    /// APPEND.1.
    #[rule(source = "Fig. 9, APPEND.1")]
    AppendWhite,
    /// APPEND.2.
    #[rule(source = "Fig. 9, APPEND.2")]
    BlackToWhite,
}

impl Collector for Action {
    type State = State;

    fn starting(shared: Shared) -> State {
        State {
            chi: Chi::Colour,
            shared,
        }
    }

    // ANCHOR: rules
    /// The rules of the collector [Fig. 9].
    #[inline]
    fn fire(self, scope: &Scope, command: Command<'_, State>) -> Option<()> {
        let at = |location| command.at(|s| s.chi == location);
        let nodes = scope.shape.nodes;
        match self {
            Action::Colour { n } => at(Chi::Colour).when(|_| true).then(|s| {
                s.shared.set_colour(n, true);
            }),
            Action::StopColouring => at(Chi::Colour)
                .when(|s| s.shared.c.blackened(&s.shared.m, 0))
                .then(|s| {
                    s.shared.l = 0;
                    s.chi = Chi::TestL;
                }),
            Action::StopAppending => at(Chi::TestL)
                .when(|s| s.shared.l == nodes)
                .then(|s| s.chi = Chi::Colour),
            Action::ContinueAppending => at(Chi::TestL)
                .when(|s| s.shared.l < nodes)
                .then(|s| s.chi = Chi::Append),
            Action::AppendWhite => at(Chi::Append)
                .when(|s| s.shared.is_white_at_l())
                .then(|s| {
                    s.shared.append();
                    s.chi = Chi::TestL;
                }),
            Action::BlackToWhite => at(Chi::Append)
                .when(|s| s.shared.is_black_at_l())
                .then(|s| {
                    s.shared.whiten();
                    s.chi = Chi::TestL;
                }),
        }
    }
    // ANCHOR_END: rules

    /// The ranges of Fig. 6.
    fn type_correct(level: &Level<Self>, choices: &mut Choices) -> State {
        State {
            chi: refmap::State::read(level, Limits::NONE, choices),
            shared: Shared::type_correct(&level.scope, choices),
        }
    }
}
