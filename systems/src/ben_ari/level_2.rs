//! Level 2: colours are propagated from the roots, from black nodes to their white sons.
//!
//! Source: Havelund & Shankar, section 6.2, Figs. 8, 10–12.

use refmap::{Process, Rule, RuleId, TransitionSystem, offer};
use serde::Serialize;

use super::drawing;
use super::memory::{Memory, Node};
use super::mutator::{MutatorAction, Shared};
use super::process;
use super::scope::Scope;

/// The second refinement.
pub struct Level2 {
    /// The instance.
    pub scope: Scope,
    rules: Vec<Rule>,
}

/// A state of level 2 [Fig. 10].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// Where the collector is.
    pub chi: Chi,
    /// The variables of level 1.
    #[serde(flatten)]
    pub shared: Shared,
    /// The root to be coloured next; ROOTS when all are.
    pub k: u8,
}

/// The locations of the collector [Fig. 12].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chi {
    /// COLOUR_ROOTS.
    ColourRoots,
    /// PROPAGATE.
    Propagate,
    /// TEST_L.
    TestL,
    /// APPEND.
    Append,
}

/// A step of level 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// COLOUR_ROOTS.1.
    StopColouringRoots,
    /// COLOUR_ROOTS.2.
    ColourRoot,
    /// PROPAGATE.1: the i-th son of the black node `n` is coloured.
    Propagate {
        /// The node.
        n: Node,
        /// The index of the cell that points to the white son.
        i: u8,
    },
    /// PROPAGATE.2.
    StopPropagating,
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

impl Level2 {
    /// Level 2 for an instance.
    pub fn new(scope: Scope) -> Self {
        let collector = |name, source| Rule::new(name, "collector", source);
        let mut rules = MutatorAction::rules(scope.mutator).to_vec();
        rules.extend([
            collector("stop_colouring_roots", "Fig. 12, COLOUR_ROOTS.1"),
            collector("colour_root", "Fig. 12, COLOUR_ROOTS.2"),
            collector("propagate", "Fig. 12, PROPAGATE.1"),
            collector("stop_propagating", "Fig. 12, PROPAGATE.2"),
            collector("stop_appending", "Fig. 12, TEST_L.1"),
            collector("continue_appending", "Fig. 12, TEST_L.2"),
            collector("append_white", "Fig. 12, APPEND.1"),
            collector("black_to_white", "Fig. 12, APPEND.2"),
        ]);
        Self { scope, rules }
    }

    /// Rule *stop_colouring_roots* [Fig. 12, COLOUR_ROOTS.1].
    fn stop_colouring_roots(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourRoots || from.k != self.scope.shape.roots {
            return None;
        }
        Some(State {
            chi: Chi::Propagate,
            ..*from
        })
    }

    /// Rule *colour_root* [Fig. 12, COLOUR_ROOTS.2].
    fn colour_root(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourRoots || from.k >= self.scope.shape.roots {
            return None;
        }
        let mut to = *from;
        to.shared.c = from.shared.c.set_colour(from.k, true);
        to.k = from.k + 1;
        Some(to)
    }

    /// Rule *propagate* [Fig. 12, PROPAGATE.1].
    fn propagate(&self, from: &State, n: Node, i: u8) -> Option<State> {
        let Shared { m, c, .. } = &from.shared;
        if from.chi != Chi::Propagate || !c.bw(m, n, i) {
            return None;
        }
        let mut to = *from;
        to.shared.c = c.set_colour(m.son(n, i), true);
        Some(to)
    }

    /// Rule *stop_propagating* [Fig. 12, PROPAGATE.2].
    fn stop_propagating(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Propagate || from.shared.c.exists_bw(&from.shared.m) {
            return None;
        }
        let mut to = *from;
        to.shared.l = 0;
        to.chi = Chi::TestL;
        Some(to)
    }

    /// Rule *stop_appending* [Fig. 12, TEST_L.1].
    fn stop_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l != self.scope.shape.nodes {
            return None;
        }
        Some(State {
            k: 0,
            chi: Chi::ColourRoots,
            ..*from
        })
    }

    /// Rule *continue_appending* [Fig. 12, TEST_L.2].
    fn continue_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l >= self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Append,
            ..*from
        })
    }

    /// Rule *append_white* [Fig. 12, APPEND.1].
    fn append_white(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Append {
            return None;
        }
        Some(State {
            shared: from.shared.append_white()?,
            chi: Chi::TestL,
            ..*from
        })
    }

    /// Rule *black_to_white* [Fig. 12, APPEND.2].
    fn black_to_white(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Append {
            return None;
        }
        Some(State {
            shared: from.shared.black_to_white()?,
            chi: Chi::TestL,
            ..*from
        })
    }
}

impl TransitionSystem for Level2 {
    type State = State;
    type Action = Action;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        let collector = match action {
            Action::Mutator(action) => return action.rule(),
            Action::StopColouringRoots => 0,
            Action::ColourRoot => 1,
            Action::Propagate { .. } => 2,
            Action::StopPropagating => 3,
            Action::StopAppending => 4,
            Action::ContinueAppending => 5,
            Action::AppendWhite => 6,
            Action::BlackToWhite => 7,
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
                chi: Chi::ColourRoots,
                shared,
                k: 0,
            });
        }
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        from.shared
            .mutator_steps(&self.scope, &mut |action, shared| {
                visit(Action::Mutator(action), State { shared, ..*from });
            });
        for (n, i) in self.scope.shape.cells() {
            offer(visit, Action::Propagate { n, i }, || {
                self.propagate(from, n, i)
            });
        }
        for action in [
            Action::StopColouringRoots,
            Action::ColourRoot,
            Action::StopPropagating,
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
        state.chi == Chi::ColourRoots && state.k == 0 && state.shared.is_initial(&self.scope)
    }

    fn successor(&self, from: &State, action: &Action) -> Option<State> {
        match *action {
            Action::Mutator(action) => from
                .shared
                .mutator_successor(&self.scope, action)
                .map(|shared| State { shared, ..*from }),
            Action::StopColouringRoots => self.stop_colouring_roots(from),
            Action::ColourRoot => self.colour_root(from),
            Action::Propagate { n, i } => self.propagate(from, n, i),
            Action::StopPropagating => self.stop_propagating(from),
            Action::StopAppending => self.stop_appending(from),
            Action::ContinueAppending => self.continue_appending(from),
            Action::AppendWhite => self.append_white(from),
            Action::BlackToWhite => self.black_to_white(from),
        }
    }
}
