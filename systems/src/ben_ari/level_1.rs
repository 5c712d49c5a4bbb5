//! Level 1: nodes are coloured, and white ones are collected once all accessible ones are black.
//!
//! Source: Havelund & Shankar, section 6.1, Figs. 6–9, and Appendix A.3.

use refmap::{Process, Rule, RuleId, TransitionSystem, offer};
use serde::Serialize;

use super::drawing;
use super::memory::{Memory, Node};
use super::mutator::{MutatorAction, Shared};
use super::process;
use super::scope::Scope;

/// The first refinement.
pub struct Level1 {
    /// The instance.
    pub scope: Scope,
    rules: Vec<Rule>,
}

/// A state of level 1 [Fig. 6].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// Where the collector is.
    pub chi: Chi,
    /// The variables.
    #[serde(flatten)]
    pub shared: Shared,
}

/// The locations of the collector (Fig. 9; `CoPC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chi {
    /// COLOUR.
    Colour,
    /// TEST_L.
    TestL,
    /// APPEND.
    Append,
}

/// A step of level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// COLOUR.1: node `n` is coloured black.
    Colour {
        /// The node.
        n: Node,
    },
    /// COLOUR.2.
    StopColouring,
    /// TEST_L.1.
    StopAppending,
    /// TEST_L.2.
    ContinueAppending,
    /// APPEND.1.
    AppendWhite,
    /// APPEND.2.
    BlackToWhite,
    /// A step of a mutator.
    #[serde(untagged)]
    Mutator(MutatorAction),
}

impl Level1 {
    /// Level 1 for an instance.
    pub fn new(scope: Scope) -> Self {
        let collector = |name, source| Rule::new(name, "collector", source);
        let mut rules = MutatorAction::rules(scope.mutator).to_vec();
        rules.extend([
            collector("colour", "Fig. 9, COLOUR.1"),
            collector("stop_colouring", "Fig. 9, COLOUR.2"),
            collector("stop_appending", "Fig. 9, TEST_L.1"),
            collector("continue_appending", "Fig. 9, TEST_L.2"),
            collector("append_white", "Fig. 9, APPEND.1"),
            collector("black_to_white", "Fig. 9, APPEND.2"),
        ]);
        Self { scope, rules }
    }

    /// Rule *colour* [Fig. 9, COLOUR.1].
    fn colour(&self, from: &State, n: Node) -> Option<State> {
        if from.chi != Chi::Colour {
            return None;
        }
        let mut to = *from;
        to.shared.c = from.shared.c.set_colour(n, true);
        Some(to)
    }

    /// Rule *stop_colouring* [Fig. 9, COLOUR.2].
    fn stop_colouring(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Colour || !from.shared.c.blackened(&from.shared.m, 0) {
            return None;
        }
        let mut to = *from;
        to.shared.l = 0;
        to.chi = Chi::TestL;
        Some(to)
    }

    /// Rule *stop_appending* [Fig. 9, TEST_L.1].
    fn stop_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l != self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Colour,
            ..*from
        })
    }

    /// Rule *continue_appending* [Fig. 9, TEST_L.2].
    fn continue_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l >= self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Append,
            ..*from
        })
    }

    /// Rule *append_white* [Fig. 9, APPEND.1].
    fn append_white(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Append {
            return None;
        }
        Some(State {
            shared: from.shared.append_white()?,
            chi: Chi::TestL,
        })
    }

    /// Rule *black_to_white* [Fig. 9, APPEND.2].
    fn black_to_white(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Append {
            return None;
        }
        Some(State {
            shared: from.shared.black_to_white()?,
            chi: Chi::TestL,
        })
    }
}

impl TransitionSystem for Level1 {
    type State = State;
    type Action = Action;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        let collector = match action {
            Action::Mutator(action) => return action.rule(),
            Action::Colour { .. } => 0,
            Action::StopColouring => 1,
            Action::StopAppending => 2,
            Action::ContinueAppending => 3,
            Action::AppendWhite => 4,
            Action::BlackToWhite => 5,
        };
        RuleId(MutatorAction::RULES + collector)
    }

    fn process_of(&self, action: &Action) -> Process {
        match action {
            Action::Mutator(action) => action.process(&self.scope),
            _ => process::COLLECTOR,
        }
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for shared in Shared::initial(&self.scope) {
            visit(State {
                chi: Chi::Colour,
                shared,
            });
        }
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        from.shared
            .mutator_steps(&self.scope, &mut |action, shared| {
                visit(Action::Mutator(action), State { shared, ..*from });
            });
        for n in self.scope.shape.nodes() {
            offer(visit, Action::Colour { n }, || self.colour(from, n));
        }
        for action in [
            Action::StopColouring,
            Action::StopAppending,
            Action::ContinueAppending,
            Action::AppendWhite,
            Action::BlackToWhite,
        ] {
            offer(visit, action, || self.successor(from, &action));
        }
    }

    fn observe(&self, state: &State) -> Memory {
        state.shared.m
    }

    fn draw(&self, state: &State) -> Option<String> {
        Some(drawing::memory(&state.shared.m, Some(state.shared.c)))
    }

    fn is_initial(&self, state: &State) -> bool {
        state.chi == Chi::Colour && state.shared.is_initial(&self.scope)
    }

    fn successor(&self, from: &State, action: &Action) -> Option<State> {
        match *action {
            Action::Mutator(action) => from
                .shared
                .mutator_successor(&self.scope, action)
                .map(|shared| State { shared, ..*from }),
            Action::Colour { n } => self.colour(from, n),
            Action::StopColouring => self.stop_colouring(from),
            Action::StopAppending => self.stop_appending(from),
            Action::ContinueAppending => self.continue_appending(from),
            Action::AppendWhite => self.append_white(from),
            Action::BlackToWhite => self.black_to_white(from),
        }
    }
}
