//! Level 3, the algorithm: nodes are scanned in order, and black ones counted, until a whole scan
//! colours nothing.
//!
//! Source: Havelund & Shankar, section 6.3, Figs. 8, 13 and 14. Fig. 14's TEST_L.1 goes to TEST_I
//! and so skips the roots, which cannot be meant: Fig. 12 has COLOUR_ROOTS, which K := 0 prepares.
//! Both texts are here, as [`Figure14`].

use refmap::{Process, Rule, RuleId, TransitionSystem, offer};
use serde::Serialize;

use super::drawing;
use super::memory::Memory;
use super::mutator::{MutatorAction, Shared};
use super::process;
use super::scope::{Figure14, Scope};

/// The third refinement: the algorithm itself.
pub struct Level3 {
    /// The instance.
    pub scope: Scope,
    rules: Vec<Rule>,
}

/// A state of level 3 [Fig. 13].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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
        Self { scope, rules }
    }

    /// The collector's rule `action` [Fig. 14], step by step as in the figure.
    fn collector(&self, from: &State, action: &Action) -> Option<State> {
        match action {
            // Step 1: colour roots.
            Action::StopColouringRoots => self.stop_colouring_roots(from),
            Action::ColourRoot => self.colour_root(from),
            // Step 2: propagate once.
            Action::StopPropagating => self.stop_propagating(from),
            Action::ContinuePropagating => self.continue_propagating(from),
            Action::WhiteNode => self.white_node(from),
            Action::BlackNode => self.black_node(from),
            Action::StopColouringSons => self.stop_colouring_sons(from),
            Action::ColourSon => self.colour_son(from),
            // Step 3: count black nodes.
            Action::StopCounting => self.stop_counting(from),
            Action::ContinueCounting => self.continue_counting(from),
            Action::SkipWhite => self.skip_white(from),
            Action::CountBlack => self.count_black(from),
            Action::QuitPropagation => self.quit_propagation(from),
            Action::RedoPropagation => self.redo_propagation(from),
            // Step 4: append garbage nodes.
            Action::StopAppending => self.stop_appending(from),
            Action::ContinueAppending => self.continue_appending(from),
            Action::AppendWhite => self.append_white(from),
            Action::BlackToWhite => self.black_to_white(from),
            Action::Mutator(_) => None,
        }
    }

    /// Rule *stop_colouring_roots* [Fig. 14, COLOUR_ROOTS.1].
    fn stop_colouring_roots(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourRoots || from.k != self.scope.shape.roots {
            return None;
        }
        Some(State {
            i: 0,
            chi: Chi::TestI,
            ..*from
        })
    }

    /// Rule *colour_root* [Fig. 14, COLOUR_ROOTS.2].
    fn colour_root(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourRoots || from.k >= self.scope.shape.roots {
            return None;
        }
        let mut to = *from;
        to.shared.c = from.shared.c.set_colour(from.k, true);
        to.k = from.k + 1;
        Some(to)
    }

    /// Rule *stop_propagating* [Fig. 14, TEST_I.1].
    fn stop_propagating(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestI || from.i != self.scope.shape.nodes {
            return None;
        }
        Some(State {
            bc: 0,
            h: 0,
            chi: Chi::TestH,
            ..*from
        })
    }

    /// Rule *continue_propagating* [Fig. 14, TEST_I.2].
    fn continue_propagating(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestI || from.i >= self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::TestColour,
            ..*from
        })
    }

    /// Rule *white_node* [Fig. 14, TEST_COLOUR.1].
    fn white_node(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestColour || from.shared.c.colour(from.i) {
            return None;
        }
        Some(State {
            i: from.i + 1,
            chi: Chi::TestI,
            ..*from
        })
    }

    /// Rule *black_node* [Fig. 14, TEST_COLOUR.2].
    fn black_node(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestColour || !from.shared.c.colour(from.i) {
            return None;
        }
        Some(State {
            j: 0,
            chi: Chi::ColourSons,
            ..*from
        })
    }

    /// Rule *stop_colouring_sons* [Fig. 14, COLOUR_SONS.1].
    fn stop_colouring_sons(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourSons || from.j != self.scope.shape.sons {
            return None;
        }
        Some(State {
            i: from.i + 1,
            chi: Chi::TestI,
            ..*from
        })
    }

    /// Rule *colour_son* [Fig. 14, COLOUR_SONS.2].
    fn colour_son(&self, from: &State) -> Option<State> {
        if from.chi != Chi::ColourSons || from.j >= self.scope.shape.sons {
            return None;
        }
        let mut to = *from;
        let son = from.shared.m.son(from.i, from.j);
        to.shared.c = from.shared.c.set_colour(son, true);
        to.j = from.j + 1;
        Some(to)
    }

    /// Rule *stop_counting* [Fig. 14, TEST_H.1].
    fn stop_counting(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestH || from.h != self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Compare,
            ..*from
        })
    }

    /// Rule *continue_counting* [Fig. 14, TEST_H.2].
    fn continue_counting(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestH || from.h >= self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Count,
            ..*from
        })
    }

    /// Rule *skip_white* [Fig. 14, COUNT.1].
    fn skip_white(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Count || from.shared.c.colour(from.h) {
            return None;
        }
        Some(State {
            h: from.h + 1,
            chi: Chi::TestH,
            ..*from
        })
    }

    /// Rule *count_black* [Fig. 14, COUNT.2].
    fn count_black(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Count || !from.shared.c.colour(from.h) {
            return None;
        }
        Some(State {
            bc: from.bc + 1,
            h: from.h + 1,
            chi: Chi::TestH,
            ..*from
        })
    }

    /// Rule *quit_propagation* [Fig. 14, COMPARE.1].
    fn quit_propagation(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Compare || from.bc != from.obc {
            return None;
        }
        let mut to = *from;
        to.shared.l = 0;
        to.chi = Chi::TestL;
        Some(to)
    }

    /// Rule *redo_propagation* [Fig. 14, COMPARE.2].
    fn redo_propagation(&self, from: &State) -> Option<State> {
        if from.chi != Chi::Compare || from.bc == from.obc {
            return None;
        }
        Some(State {
            obc: from.bc,
            i: 0,
            chi: Chi::TestI,
            ..*from
        })
    }

    /// Rule *stop_appending* [Fig. 14, TEST_L.1]: the one place in which the two texts differ.
    fn stop_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l != self.scope.shape.nodes {
            return None;
        }
        Some(State {
            bc: 0,
            obc: 0,
            k: 0,
            chi: match self.scope.figure_14 {
                Figure14::Corrected => Chi::ColourRoots,
                Figure14::AsPrinted => Chi::TestI,
            },
            ..*from
        })
    }

    /// Rule *continue_appending* [Fig. 14, TEST_L.2].
    fn continue_appending(&self, from: &State) -> Option<State> {
        if from.chi != Chi::TestL || from.shared.l >= self.scope.shape.nodes {
            return None;
        }
        Some(State {
            chi: Chi::Append,
            ..*from
        })
    }

    /// Rule *append_white* [Fig. 14, APPEND.1].
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

    /// Rule *black_to_white* [Fig. 14, APPEND.2].
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

impl TransitionSystem for Level3 {
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        from.shared
            .mutator_steps(&self.scope, &mut |action, shared| {
                visit(Action::Mutator(action), State { shared, ..*from });
            });
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
            offer(visit, action, || self.collector(from, &action));
        }
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

    fn successor(&self, from: &State, action: &Action) -> Option<State> {
        match *action {
            Action::Mutator(action) => from
                .shared
                .mutator_successor(&self.scope, action)
                .map(|shared| State { shared, ..*from }),
            _ => self.collector(from, action),
        }
    }
}
