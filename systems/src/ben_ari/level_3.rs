//! Level 3, the algorithm: nodes are scanned in order, and black ones counted, until a whole scan
//! colours nothing.
//!
//! Source: Havelund & Shankar, section 6.3, Figs. 8, 13 and 14. Fig. 14's TEST_L.1 goes to TEST_I
//! and so skips the roots, which cannot be meant: Fig. 12 has COLOUR_ROOTS, which K := 0 prepares.
//! Both texts are here, as [`Figure14`].

use refmap::{Choices, Process, Rule, RuleId, TransitionSystem, TypeCorrect, offer_changed};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Shape};
use super::mutator::{MutatorAction, MutatorRules, OfLevel};
use super::packing::{Level, Packing};
use super::process;
use super::scope::{Figure14, Scope};
use super::shared::Shared;

/// The third refinement: the algorithm itself.
pub struct Level3 {
    /// The instance.
    pub scope: Scope,
    /// A fault planted in a rule; none in the algorithm itself.
    pub mutant: Option<Mutant>,
    pub(super) packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 3 [Fig. 13].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct State {
    /// Where the collector is.
    pub chi: Chi,
    /// The variables of level 1.
    #[serde(flatten)]
    pub shared: Shared,
    /// The node to be counted next; NODES when all are.
    pub h: u8,
    /// The node being scanned; NODES when all are.
    pub i: u8,
    /// The son of I to be coloured next; SONS when all are.
    pub j: u8,
    /// The root to be coloured next; ROOTS when all are.
    pub k: u8,
    /// How many black nodes were counted so far.
    pub bc: u8,
    /// How many were counted the last time.
    pub obc: u8,
}

/// The locations of the collector [Fig. 14].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chi {
    /// COLOUR_ROOTS.
    ColourRoots,
    /// TEST_I.
    TestI,
    /// TEST_COLOUR.
    TestColour,
    /// COLOUR_SONS.
    ColourSons,
    /// TEST_H.
    TestH,
    /// COUNT.
    Count,
    /// COMPARE.
    Compare,
    /// TEST_L.
    TestL,
    /// APPEND.
    Append,
}

impl Chi {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 9] = [
        Self::ColourRoots,
        Self::TestI,
        Self::TestColour,
        Self::ColourSons,
        Self::TestH,
        Self::Count,
        Self::Compare,
        Self::TestL,
        Self::Append,
    ];
}

/// A step of level 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// COLOUR_ROOTS.1.
    StopColouringRoots,
    /// COLOUR_ROOTS.2.
    ColourRoot,
    /// TEST_I.1.
    StopPropagating,
    /// TEST_I.2.
    ContinuePropagating,
    /// TEST_COLOUR.1.
    WhiteNode,
    /// TEST_COLOUR.2.
    BlackNode,
    /// COLOUR_SONS.1.
    StopColouringSons,
    /// COLOUR_SONS.2.
    ColourSon,
    /// TEST_H.1.
    StopCounting,
    /// TEST_H.2.
    ContinueCounting,
    /// COUNT.1.
    SkipWhite,
    /// COUNT.2.
    CountBlack,
    /// COMPARE.1.
    QuitPropagation,
    /// COMPARE.2.
    RedoPropagation,
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

impl Level3 {
    /// Level 3 for an instance.
    pub fn new(scope: Scope) -> Self {
        let collector = |name, source| Rule::new(name, "collector", source);
        let stop_appending = match scope.figure_14 {
            Figure14::Corrected => "Fig. 14, TEST_L.1, with the target of Fig. 12",
            Figure14::AsPrinted => "Fig. 14, TEST_L.1, as printed",
        };
        let mut rules = MutatorAction::rules(scope.mutator).to_vec();
        rules.extend([
            collector("stop_colouring_roots", "Fig. 14, COLOUR_ROOTS.1"),
            collector("colour_root", "Fig. 14, COLOUR_ROOTS.2"),
            collector("stop_propagating", "Fig. 14, TEST_I.1"),
            collector("continue_propagating", "Fig. 14, TEST_I.2"),
            collector("white_node", "Fig. 14, TEST_COLOUR.1"),
            collector("black_node", "Fig. 14, TEST_COLOUR.2"),
            collector("stop_colouring_sons", "Fig. 14, COLOUR_SONS.1"),
            collector("colour_son", "Fig. 14, COLOUR_SONS.2"),
            collector("stop_counting", "Fig. 14, TEST_H.1"),
            collector("continue_counting", "Fig. 14, TEST_H.2"),
            collector("skip_white", "Fig. 14, COUNT.1"),
            collector("count_black", "Fig. 14, COUNT.2"),
            collector("quit_propagation", "Fig. 14, COMPARE.1"),
            collector("redo_propagation", "Fig. 14, COMPARE.2"),
            collector("stop_appending", stop_appending),
            collector("continue_appending", "Fig. 14, TEST_L.2"),
            collector("append_white", "Fig. 14, APPEND.1"),
            collector("black_to_white", "Fig. 14, APPEND.2"),
        ]);
        Self {
            scope,
            packing: Packing::new(scope, Level::Three),
            mutant: None,
            rules,
        }
    }

    /// The rules of the collector [Fig. 14]: whether the rule is enabled in `s`, which it then changes.
    #[inline]
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, self.rule_of(&action));
        let at = |location| command.at(|s| s.chi == location);
        let Shape { nodes, sons, roots } = self.scope.shape;
        match action {
            // Step 1: colour roots.
            Action::StopColouringRoots => at(Chi::ColourRoots).when(|s| s.k == roots).then(|s| {
                s.i = 0;
                s.chi = Chi::TestI;
            }),
            Action::ColourRoot => at(Chi::ColourRoots).when(|s| s.k < roots).then(|s| {
                s.shared.set_colour(s.k, true);
                s.k += 1;
            }),
            // Step 2: propagate once.
            Action::StopPropagating => at(Chi::TestI).when(|s| s.i == nodes).then(|s| {
                s.bc = 0;
                s.h = 0;
                s.chi = Chi::TestH;
            }),
            Action::ContinuePropagating => at(Chi::TestI)
                .when(|s| s.i < nodes)
                .then(|s| s.chi = Chi::TestColour),
            Action::WhiteNode => at(Chi::TestColour)
                .when(|s| !s.shared.colour(s.i))
                .then(|s| {
                    s.i += 1;
                    s.chi = Chi::TestI;
                }),
            Action::BlackNode => at(Chi::TestColour)
                .when(|s| s.shared.colour(s.i))
                .then(|s| {
                    s.j = 0;
                    s.chi = Chi::ColourSons;
                }),
            Action::StopColouringSons => at(Chi::ColourSons).when(|s| s.j == sons).then(|s| {
                s.i += 1;
                s.chi = Chi::TestI;
            }),
            Action::ColourSon => at(Chi::ColourSons).when(|s| s.j < sons).then(|s| {
                let son = s.shared.m.son(s.i, s.j);
                s.shared.set_colour(son, true);
                s.j += 1;
            }),
            // Step 3: count black nodes.
            Action::StopCounting => at(Chi::TestH)
                .when(|s| s.h == nodes)
                .then(|s| s.chi = Chi::Compare),
            Action::ContinueCounting => at(Chi::TestH)
                .when(|s| s.h < nodes)
                .then(|s| s.chi = Chi::Count),
            Action::SkipWhite => at(Chi::Count).when(|s| !s.shared.colour(s.h)).then(|s| {
                s.h += 1;
                s.chi = Chi::TestH;
            }),
            Action::CountBlack => at(Chi::Count).when(|s| s.shared.colour(s.h)).then(|s| {
                s.bc += 1;
                s.h += 1;
                s.chi = Chi::TestH;
            }),
            Action::QuitPropagation => at(Chi::Compare).when(|s| s.bc == s.obc).then(|s| {
                s.shared.l = 0;
                s.chi = Chi::TestL;
            }),
            Action::RedoPropagation => at(Chi::Compare).when(|s| s.bc != s.obc).then(|s| {
                s.obc = s.bc;
                s.i = 0;
                s.chi = Chi::TestI;
            }),
            // Step 4: append garbage nodes. The first rule is the one place in which the two texts
            // of the figure differ.
            Action::StopAppending => at(Chi::TestL).when(|s| s.shared.l == nodes).then(|s| {
                s.bc = 0;
                s.obc = 0;
                s.k = 0;
                s.chi = match self.scope.figure_14 {
                    Figure14::Corrected => Chi::ColourRoots,
                    Figure14::AsPrinted => Chi::TestI,
                };
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

impl Level3 {
    pub(super) fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }

    /// The steps of the collector.
    #[inline]
    pub(super) fn next_of_collector(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        // The two rules at the collector's location; of each pair one is enabled.
        let rules = match from.chi {
            Chi::ColourRoots => [Action::StopColouringRoots, Action::ColourRoot],
            Chi::TestI => [Action::StopPropagating, Action::ContinuePropagating],
            Chi::TestColour => [Action::WhiteNode, Action::BlackNode],
            Chi::ColourSons => [Action::StopColouringSons, Action::ColourSon],
            Chi::TestH => [Action::StopCounting, Action::ContinueCounting],
            Chi::Count => [Action::SkipWhite, Action::CountBlack],
            Chi::Compare => [Action::QuitPropagation, Action::RedoPropagation],
            Chi::TestL => [Action::StopAppending, Action::ContinueAppending],
            Chi::Append => [Action::AppendWhite, Action::BlackToWhite],
        };
        for action in rules {
            offer_changed(visit, action, from, |s| self.collector(s, action));
        }
    }
}

impl TransitionSystem for Level3 {
    type State = State;
    type Action = Action;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    #[inline]
    fn rule_of(&self, action: &Action) -> RuleId {
        let collector = match action {
            Action::Mutator(action) => return action.rule(),
            Action::StopColouringRoots => 0,
            Action::ColourRoot => 1,
            Action::StopPropagating => 2,
            Action::ContinuePropagating => 3,
            Action::WhiteNode => 4,
            Action::BlackNode => 5,
            Action::StopColouringSons => 6,
            Action::ColourSon => 7,
            Action::StopCounting => 8,
            Action::ContinueCounting => 9,
            Action::SkipWhite => 10,
            Action::CountBlack => 11,
            Action::QuitPropagation => 12,
            Action::RedoPropagation => 13,
            Action::StopAppending => 14,
            Action::ContinueAppending => 15,
            Action::AppendWhite => 16,
            Action::BlackToWhite => 17,
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
                h: 0,
                i: 0,
                j: 0,
                k: 0,
                bc: 0,
                obc: 0,
            });
        }
    }

    #[inline]
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
        let counters = [state.h, state.i, state.j, state.k, state.bc, state.obc];
        state.chi == Chi::ColourRoots && counters == [0; 6] && state.shared.is_initial(&self.scope)
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

/// The ranges of Fig. 13: loop variables run one past their last value, and BC and OBC count nodes.
impl TypeCorrect for Level3 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        State {
            chi: choices.one_of(&Chi::ALL),
            shared: Shared::type_correct(&self.scope, choices),
            h: choices.below(u64::from(shape.nodes) + 1) as u8,
            i: choices.below(u64::from(shape.nodes) + 1) as u8,
            j: choices.below(u64::from(shape.sons) + 1) as u8,
            k: choices.below(u64::from(shape.roots) + 1) as u8,
            bc: choices.below(u64::from(shape.nodes) + 1) as u8,
            obc: choices.below(u64::from(shape.nodes) + 1) as u8,
        }
    }
}
