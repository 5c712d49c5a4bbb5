//! Level 2: colours are propagated from the roots, from black nodes to their white sons.
//!
//! Source: Havelund & Shankar, section 6.2, Figs. 8, 10–12.

use refmap::{Choices, Process, Rule, RuleId, TransitionSystem, TypeCorrect, offer_changed};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Node, Shape};
use super::mutator::{MutatorAction, MutatorRules, OfLevel};
use super::packing::{Level, Packing};
use super::process;
use super::scope::Scope;
use super::shared::Shared;

/// The second refinement.
pub struct Level2 {
    /// The instance.
    pub scope: Scope,
    /// A fault planted in a rule; none in the algorithm itself.
    pub mutant: Option<Mutant>,
    pub(super) packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 2 [Fig. 10].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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

impl Chi {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 4] = [
        Self::ColourRoots,
        Self::Propagate,
        Self::TestL,
        Self::Append,
    ];
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
        Self {
            scope,
            packing: Packing::new(scope, Level::Two),
            mutant: None,
            rules,
        }
    }

    /// The rules of the collector [Fig. 12]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, self.rule_of(&action));
        let at = |location| command.at(|s| s.chi == location);
        let Shape { nodes, roots, .. } = self.scope.shape;
        match action {
            Action::StopColouringRoots => at(Chi::ColourRoots)
                .when(|s| s.k == roots)
                .then(|s| s.chi = Chi::Propagate),
            Action::ColourRoot => at(Chi::ColourRoots).when(|s| s.k < roots).then(|s| {
                s.shared.set_colour(s.k, true);
                s.k += 1;
            }),
            Action::Propagate { n, i } => at(Chi::Propagate)
                .when(|s| s.shared.c.bw(&s.shared.m, n, i))
                .then(|s| {
                    let son = s.shared.m.son(n, i);
                    s.shared.set_colour(son, true);
                }),
            Action::StopPropagating => at(Chi::Propagate)
                .when(|s| !s.shared.c.exists_bw(&s.shared.m))
                .then(|s| {
                    s.shared.l = 0;
                    s.chi = Chi::TestL;
                }),
            Action::StopAppending => at(Chi::TestL).when(|s| s.shared.l == nodes).then(|s| {
                s.k = 0;
                s.chi = Chi::ColourRoots;
            }),
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

impl Level2 {
    pub(super) fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }

    /// Whether `action` is enabled in `s`, which it then changes.
    #[inline(always)]
    fn take(&self, s: &mut State, action: Action) -> bool {
        match action {
            Action::Mutator(action) => self.mutators().take(s, action),
            action => self.collector(s, action),
        }
    }

    /// The steps of the collector.
    pub(super) fn next_of_collector(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for (n, i) in self.scope.shape.cells() {
            let action = Action::Propagate { n, i };
            offer_changed(visit, action, from, |s| self.collector(s, action));
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
            offer_changed(visit, action, from, |s| self.collector(s, action));
        }
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
        self.mutators()
            .steps(from, &mut |action, to| visit(Action::Mutator(action), to));
        self.next_of_collector(from, visit);
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
        let mut s = *from;
        self.take(&mut s, *action).then_some(s)
    }

    /// PERF: asked at every step of level 3. Compared where it is made, the state need not be moved.
    #[inline]
    fn allows(&self, from: &State, action: &Action, to: &State) -> bool {
        let mut s = *from;
        self.take(&mut s, *action) && s == *to
    }
}

/// The ranges of Fig. 10.
impl TypeCorrect for Level2 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        State {
            chi: choices.one_of(&Chi::ALL),
            shared: Shared::type_correct(&self.scope, choices),
            k: choices.below(u64::from(shape.roots) + 1) as u8,
        }
    }
}
