//! Level 1: nodes are coloured, and white ones are collected once all accessible ones are black.
//!
//! Source: Havelund & Shankar, section 6.1, Figs. 6–9, and Appendix A.3.

use refmap::{
    Choices, Drawing, Fairness, Process, Rule, TransitionSystem, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::Memory;
use super::mutator::{self, MutatorRules, Step};
use super::scope::Scope;
use super::shape::Node;
use super::shared::Shared;
use crate::heap;

/// The first refinement.
pub struct Level1 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    rules: Vec<Rule>,
}

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

impl Chi {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 3] = [Self::Colour, Self::TestL, Self::Append];
}

/// A step of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "collector")]
pub enum Action {
    /// COLOUR.1: node `n` is coloured black.
    #[rule(source = "Fig. 9, COLOUR.1")]
    Colour {
        /// The node.
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

impl Level1 {
    /// Level 1 for an instance.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            mutant: None,
            rules: mutator::rules::<Action>(scope.mutator),
        }
    }

    /// The rules of the collector [Fig. 9]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(&action));
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

    /// The initial state with these variables.
    fn starting(shared: Shared) -> State {
        State {
            chi: Chi::Colour,
            shared,
        }
    }

    /// Whether the rule of `action` is enabled in `s`, which it then changes.
    #[inline]
    fn take(&self, s: &mut State, action: Step<Action>) -> bool {
        match action {
            Step::Mutator(action) => self.mutators().take(&mut s.shared, action),
            Step::Collector(action) => self.collector(s, action),
        }
    }

    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }
}

impl AsRef<Scope> for Level1 {
    fn as_ref(&self) -> &Scope {
        &self.scope
    }
}

impl TransitionSystem for Level1 {
    type State = State;
    type Action = Step<Action>;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn process_of(&self, action: &Step<Action>) -> Process {
        heap::process_of(action, self.scope.mutators)
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        Shared::initial(&self.scope)
            .map(Self::starting)
            .for_each(visit);
    }

    #[inline]
    fn next(&self, from: &State, visit: &mut impl FnMut(Step<Action>, State)) {
        self.mutators().steps(from, visit);
        for n in self.scope.shape.nodes() {
            let action = Action::Colour { n };
            let step = Step::Collector(action);
            offer_changed(visit, step, from, |s| self.collector(s, action));
        }
        for action in [
            Action::StopColouring,
            Action::StopAppending,
            Action::ContinueAppending,
            Action::AppendWhite,
            Action::BlackToWhite,
        ] {
            let step = Step::Collector(action);
            offer_changed(visit, step, from, |s| self.collector(s, action));
        }
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions::<Action>()
    }

    fn observe(&self, state: &State) -> Memory {
        state.shared.m
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing::memory(&state.shared.m, Some(state.shared.c)))
    }

    fn is_initial(&self, state: &State) -> bool {
        *state == Self::starting(state.shared) && state.shared.is_initial(&self.scope)
    }

    #[inline]
    fn successor(&self, from: &State, action: &Step<Action>) -> Option<State> {
        let mut to = *from;
        self.take(&mut to, *action).then_some(to)
    }
}

/// The ranges of Fig. 6.
impl TypeCorrect for Level1 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let chi = choices.one_of(&Chi::ALL);
        State {
            chi,
            shared: Shared::type_correct(&self.scope, choices),
        }
    }
}
