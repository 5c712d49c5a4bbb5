//! Level 1: nodes are coloured, and white ones are collected once all accessible ones are black.
//!
//! Source: Havelund & Shankar, section 6.1, Figs. 6–9, and Appendix A.3.

use refmap::{Choices, Process, Rule, RuleId, TransitionSystem, TypeCorrect, offer_changed};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Node};
use super::mutator::{MutatorAction, MutatorRules, OfLevel};
use super::packing::{Level, Packing};
use super::process;
use super::scope::Scope;
use super::shared::Shared;

/// The first refinement.
pub struct Level1 {
    /// The instance.
    pub scope: Scope,
    /// A fault planted in a rule; none in the algorithm itself.
    pub mutant: Option<Mutant>,
    pub(super) packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 1 [Fig. 6].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct State {
    /// Where the collector is.
    pub chi: Chi,
    /// The variables.
    #[serde(flatten)]
    pub shared: Shared,
}

/// The locations of the collector (Fig. 9; `CoPC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chi {
    /// COLOUR.
    Colour,
    /// TEST_L.
    TestL,
    /// APPEND.
    Append,
}

impl Chi {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 3] = [Self::Colour, Self::TestL, Self::Append];
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
        Self {
            scope,
            packing: Packing::new(scope, Level::One),
            mutant: None,
            rules,
        }
    }

    /// The rules of the collector [Fig. 9]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, self.rule_of(&action));
        let at = |location| command.at(|s| s.chi == location);
        let nodes = self.scope.shape.nodes;
        match action {
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
                    s.shared.append_l();
                    s.chi = Chi::TestL;
                }),
            Action::BlackToWhite => at(Chi::Append)
                .when(|s| s.shared.is_black_at_l())
                .then(|s| {
                    s.shared.whiten_l();
                    s.chi = Chi::TestL;
                }),
            Action::Mutator(_) => false,
        }
    }
}

impl OfLevel for State {
    #[inline]
    fn shared(&self) -> &Shared {
        &self.shared
    }

    #[inline]
    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }
}

impl Level1 {
    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
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
        self.mutators()
            .steps(from, &mut |action, to| visit(Action::Mutator(action), to));
        for n in self.scope.shape.nodes() {
            let action = Action::Colour { n };
            offer_changed(visit, action, from, |s| self.collector(s, action));
        }
        for action in [
            Action::StopColouring,
            Action::StopAppending,
            Action::ContinueAppending,
            Action::AppendWhite,
            Action::BlackToWhite,
        ] {
            offer_changed(visit, action, from, |s| self.collector(s, action));
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

    #[inline]
    fn successor(&self, from: &State, action: &Action) -> Option<State> {
        let mut s = *from;
        let enabled = match *action {
            Action::Mutator(action) => self.mutators().take(&mut s, action),
            action => self.collector(&mut s, action),
        };
        enabled.then_some(s)
    }
}

/// The ranges of Fig. 6.
impl TypeCorrect for Level1 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        State {
            chi: choices.one_of(&Chi::ALL),
            shared: Shared::type_correct(&self.scope, choices),
        }
    }
}
