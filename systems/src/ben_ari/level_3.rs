//! Level 3, the algorithm: nodes are scanned in order, and black ones counted, until a whole scan
//! colours nothing.
//!
//! Source: Havelund & Shankar, section 6.3, Figs. 8, 13 and 14. Fig. 14's TEST_L.1 goes to TEST_I
//! and so skips the roots, which cannot be meant: Fig. 12 has COLOUR_ROOTS, which K := 0 prepares.
//! Both texts are here, as [`Figure14`].

use refmap::{
    Choices, Drawing, Fairness, Process, Rule, RuleId, TransitionSystem, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::Memory;
use super::mutator::{self, MutatorRules, Step};
use super::scope::{Figure14, Scope};
use super::shape::Shape;
use super::shared::Shared;
use crate::heap;

/// The third refinement: the algorithm itself.
pub struct Level3 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    rules: Vec<Rule>,
}

/// A state of level 3 [Fig. 13], in its order.
///
/// PERF: aligned, so that it is copied in three parts of which none crosses a line of the cache; a tenth of the time of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[state(system = impl AsRef<Scope>)]
#[repr(align(16))]
pub struct State {
    /// Program location.
    pub chi: Chi,
    /// The variables that other levels have too.
    #[serde(flatten)]
    pub shared: Shared,
    /// The node to be counted next; NODES when all are.
    #[state(range = 0..=system.as_ref().shape.nodes)]
    pub h: u8,
    /// The node being scanned; NODES when all are.
    #[state(range = 0..=system.as_ref().shape.nodes)]
    pub i: u8,
    /// The son of I to be coloured next; SONS when all are.
    #[state(range = 0..=system.as_ref().shape.sons)]
    pub j: u8,
    /// The root to be coloured next; ROOTS when all are.
    #[state(range = 0..=system.as_ref().shape.roots)]
    pub k: u8,
    /// Number of black nodes counted so far.
    #[state(range = 0..=system.as_ref().shape.nodes)]
    pub bc: u8,
    /// Result of the last count.
    #[state(range = 0..=system.as_ref().shape.nodes)]
    pub obc: u8,
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

/// The locations of the collector [Fig. 14].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
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

/// A step of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "collector")]
pub enum Action {
    /// COLOUR_ROOTS.1.
    #[rule(source = "Fig. 14, COLOUR_ROOTS.1")]
    StopColouringRoots,
    /// COLOUR_ROOTS.2.
    #[rule(source = "Fig. 14, COLOUR_ROOTS.2")]
    ColourRoot,
    /// TEST_I.1.
    #[rule(source = "Fig. 14, TEST_I.1")]
    StopPropagating,
    /// TEST_I.2.
    #[rule(source = "Fig. 14, TEST_I.2")]
    ContinuePropagating,
    /// TEST_COLOUR.1.
    #[rule(source = "Fig. 14, TEST_COLOUR.1")]
    WhiteNode,
    /// TEST_COLOUR.2.
    #[rule(source = "Fig. 14, TEST_COLOUR.2")]
    BlackNode,
    /// COLOUR_SONS.1.
    #[rule(source = "Fig. 14, COLOUR_SONS.1")]
    StopColouringSons,
    /// COLOUR_SONS.2.
    #[rule(source = "Fig. 14, COLOUR_SONS.2")]
    ColourSon,
    /// TEST_H.1.
    #[rule(source = "Fig. 14, TEST_H.1")]
    StopCounting,
    /// TEST_H.2.
    #[rule(source = "Fig. 14, TEST_H.2")]
    ContinueCounting,
    /// COUNT.1.
    #[rule(source = "Fig. 14, COUNT.1")]
    SkipWhite,
    /// COUNT.2.
    #[rule(source = "Fig. 14, COUNT.2")]
    CountBlack,
    /// COMPARE.1.
    #[rule(source = "Fig. 14, COMPARE.1")]
    QuitPropagation,
    /// COMPARE.2.
    #[rule(source = "Fig. 14, COMPARE.2")]
    RedoPropagation,
    /// TEST_L.1.
    #[rule(source = "Fig. 14, TEST_L.1, with the target of Fig. 12")]
    StopAppending,
    /// TEST_L.2.
    #[rule(source = "Fig. 14, TEST_L.2")]
    ContinueAppending,
    /// APPEND.1.
    #[rule(source = "Fig. 14, APPEND.1")]
    AppendWhite,
    /// APPEND.2.
    #[rule(source = "Fig. 14, APPEND.2")]
    BlackToWhite,
}

impl Level3 {
    /// Level 3 for an instance.
    pub fn new(scope: Scope) -> Self {
        let mut rules = mutator::rules::<Action>(scope.mutator);
        if scope.figure_14 == Figure14::AsPrinted {
            let RuleId(rule) = mutator::of_collector(&Action::StopAppending);
            rules[rule].source = "Fig. 14, TEST_L.1, as printed".into();
        }
        Self {
            scope,
            mutant: None,
            rules,
        }
    }

    /// The rules of the collector [Fig. 14]: whether the rule is enabled in `s`, which it then changes.
    #[inline]
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(&action));
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
            chi: Chi::ColourRoots,
            shared,
            h: 0,
            i: 0,
            j: 0,
            k: 0,
            bc: 0,
            obc: 0,
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

impl AsRef<Scope> for Level3 {
    fn as_ref(&self) -> &Scope {
        &self.scope
    }
}

impl TransitionSystem for Level3 {
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

/// The ranges of Fig. 13: loop variables run one past their last value, and BC and OBC count nodes.
impl TypeCorrect for Level3 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        let chi = choices.one_of(&Chi::ALL);
        State {
            chi,
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
