//! Level 3, the algorithm: nodes are scanned in order, and black ones counted, until a whole scan
//! colours nothing.
//!
//! Source: Havelund & Shankar, section 6.3, Figs. 8, 13 and 14. Fig. 14's TEST_L.1 goes to TEST_I
//! and so skips the roots, which cannot be meant: Fig. 12 has COLOUR_ROOTS, which K := 0 prepares.
//! Both texts are here, as [`Figure14`].

use refmap::{
    Choices, Drawing, Fairness, Fields, Layout, LocalTransitions, PackedLocal, Process, Rule,
    RuleId, Split, SplitAction, SplitActionOf, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Shape};
use super::mutator::{self, MutatorAction, MutatorRules};
use super::packing::{Level, Packing};
use super::scope::{Figure14, Scope};
use super::seen::{Seen, Shared};
use crate::heap;

/// The third refinement: the algorithm itself.
pub struct Level3 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 3 [Fig. 13]: the variables that mutators see, and the collector.
pub type State = Split<Level3>;

/// The variables of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Collector {
    /// Program location.
    pub chi: Chi,
    /// The next node of the append phase; NODES at its end.
    pub l: u8,
    /// The node to be counted next; NODES when all are.
    pub h: u8,
    /// The node being scanned; NODES when all are.
    pub i: u8,
    /// The son of I to be coloured next; SONS when all are.
    pub j: u8,
    /// The root to be coloured next; ROOTS when all are.
    pub k: u8,
    /// Number of black nodes counted so far.
    pub bc: u8,
    /// Result of the last count.
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
            let RuleId(rule) = mutator::of_collector(Action::StopAppending);
            rules[rule].source = "Fig. 14, TEST_L.1, as printed".into();
        }
        Self {
            scope,
            packing: Packing::new(scope, Level::Three, Chi::ALL.len()),
            mutant: None,
            rules,
        }
    }

    /// The rules of the collector [Fig. 14]: whether the rule is enabled in `s`, which it then changes.
    #[inline]
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(action));
        let at = |location| command.at(|s| s.context.chi == location);
        let Shape { nodes, sons, roots } = self.scope.shape;
        match action {
            // Step 1: colour roots.
            Action::StopColouringRoots => {
                at(Chi::ColourRoots)
                    .when(|s| s.context.k == roots)
                    .then(|s| {
                        s.context.i = 0;
                        s.context.chi = Chi::TestI;
                    })
            }
            Action::ColourRoot => at(Chi::ColourRoots)
                .when(|s| s.context.k < roots)
                .then(|s| {
                    s.local.set_colour(s.context.k, true);
                    s.context.k += 1;
                }),
            // Step 2: propagate once.
            Action::StopPropagating => at(Chi::TestI).when(|s| s.context.i == nodes).then(|s| {
                s.context.bc = 0;
                s.context.h = 0;
                s.context.chi = Chi::TestH;
            }),
            Action::ContinuePropagating => at(Chi::TestI)
                .when(|s| s.context.i < nodes)
                .then(|s| s.context.chi = Chi::TestColour),
            Action::WhiteNode => at(Chi::TestColour)
                .when(|s| !s.local.colour(s.context.i))
                .then(|s| {
                    s.context.i += 1;
                    s.context.chi = Chi::TestI;
                }),
            Action::BlackNode => at(Chi::TestColour)
                .when(|s| s.local.colour(s.context.i))
                .then(|s| {
                    s.context.j = 0;
                    s.context.chi = Chi::ColourSons;
                }),
            Action::StopColouringSons => {
                at(Chi::ColourSons).when(|s| s.context.j == sons).then(|s| {
                    s.context.i += 1;
                    s.context.chi = Chi::TestI;
                })
            }
            Action::ColourSon => at(Chi::ColourSons).when(|s| s.context.j < sons).then(|s| {
                let son = s.local.m.son(s.context.i, s.context.j);
                s.local.set_colour(son, true);
                s.context.j += 1;
            }),
            // Step 3: count black nodes.
            Action::StopCounting => at(Chi::TestH)
                .when(|s| s.context.h == nodes)
                .then(|s| s.context.chi = Chi::Compare),
            Action::ContinueCounting => at(Chi::TestH)
                .when(|s| s.context.h < nodes)
                .then(|s| s.context.chi = Chi::Count),
            Action::SkipWhite => at(Chi::Count)
                .when(|s| !s.local.colour(s.context.h))
                .then(|s| {
                    s.context.h += 1;
                    s.context.chi = Chi::TestH;
                }),
            Action::CountBlack => at(Chi::Count)
                .when(|s| s.local.colour(s.context.h))
                .then(|s| {
                    s.context.bc += 1;
                    s.context.h += 1;
                    s.context.chi = Chi::TestH;
                }),
            Action::QuitPropagation => at(Chi::Compare)
                .when(|s| s.context.bc == s.context.obc)
                .then(|s| {
                    s.context.l = 0;
                    s.context.chi = Chi::TestL;
                }),
            Action::RedoPropagation => at(Chi::Compare)
                .when(|s| s.context.bc != s.context.obc)
                .then(|s| {
                    s.context.obc = s.context.bc;
                    s.context.i = 0;
                    s.context.chi = Chi::TestI;
                }),
            // Step 4: append garbage nodes. The first rule is the one place in which the two texts
            // of the figure differ.
            Action::StopAppending => at(Chi::TestL).when(|s| s.context.l == nodes).then(|s| {
                s.context.bc = 0;
                s.context.obc = 0;
                s.context.k = 0;
                s.context.chi = match self.scope.figure_14 {
                    Figure14::Corrected => Chi::ColourRoots,
                    Figure14::AsPrinted => Chi::TestI,
                };
            }),
            Action::ContinueAppending => at(Chi::TestL)
                .when(|s| s.context.l < nodes)
                .then(|s| s.context.chi = Chi::Append),
            Action::AppendWhite => at(Chi::Append)
                .when(|s| s.local.is_white_at(s.context.l))
                .then(|s| {
                    s.local.append(&mut s.context.l);
                    s.context.chi = Chi::TestL;
                }),
            Action::BlackToWhite => at(Chi::Append)
                .when(|s| s.local.is_black_at(s.context.l))
                .then(|s| {
                    s.local.whiten(&mut s.context.l);
                    s.context.chi = Chi::TestL;
                }),
        }
    }
}

impl Level3 {
    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }
}

impl LocalTransitions for Level3 {
    type Local = Seen;
    type Context = Collector;
    type LocalAction = MutatorAction;
    type ContextAction = Action;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    #[inline]
    fn rule_of(&self, action: &SplitActionOf<Self>) -> RuleId {
        match action {
            SplitAction::Local(action) => action.in_level(),
            SplitAction::Context(action) => mutator::of_collector(*action),
        }
    }

    fn process_of(&self, action: &SplitActionOf<Self>) -> Process {
        heap::process_of(action, self.scope.mutators)
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for local in Seen::initial(&self.scope) {
            let context = Collector {
                chi: Chi::ColourRoots,
                l: 0,
                h: 0,
                i: 0,
                j: 0,
                k: 0,
                bc: 0,
                obc: 0,
            };
            visit(Split { local, context });
        }
    }

    #[inline]
    fn next_local(&self, from: &Seen, visit: &mut impl FnMut(MutatorAction, Seen)) {
        self.mutators().steps(from, visit);
    }

    #[inline]
    fn next_context(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        // The two rules at the collector's location; of each pair one is enabled.
        let rules = match from.context.chi {
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

    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions::<Action>()
    }

    fn observe(&self, state: &State) -> Memory {
        state.local.m
    }

    /// The variables in the order of Fig. 13.
    fn show(state: &State) -> impl Serialize {
        #[derive(Serialize)]
        struct Shown<'s> {
            chi: Chi,
            #[serde(flatten)]
            shared: Shared<'s>,
            h: u8,
            i: u8,
            j: u8,
            k: u8,
            bc: u8,
            obc: u8,
        }
        let Collector {
            chi,
            l,
            h,
            i,
            j,
            k,
            bc,
            obc,
        } = state.context;
        let shared = state.local.with(l);
        Shown {
            chi,
            shared,
            h,
            i,
            j,
            k,
            bc,
            obc,
        }
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing::memory(&state.local.m, Some(state.local.c)))
    }

    fn is_initial(&self, state: &State) -> bool {
        let context = &state.context;
        let counters = [
            context.h,
            context.i,
            context.j,
            context.k,
            context.bc,
            context.obc,
        ];
        context.chi == Chi::ColourRoots
            && context.l == 0
            && counters == [0; 6]
            && state.local.is_initial(&self.scope)
    }

    #[inline]
    fn local_successor(&self, from: &Seen, action: &MutatorAction) -> Option<Seen> {
        let mut to = *from;
        self.mutators().take(&mut to, *action).then_some(to)
    }

    #[inline]
    fn context_successor(&self, from: &State, action: &Action) -> Option<State> {
        let mut to = *from;
        self.collector(&mut to, *action).then_some(to)
    }
}

/// The ranges of Fig. 13: loop variables run one past their last value, and BC and OBC count nodes.
impl TypeCorrect for Level3 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        let chi = choices.one_of(&Chi::ALL);
        let (local, l) = Seen::type_correct(&self.scope, choices);
        let context = Collector {
            chi,
            l,
            h: choices.below(u64::from(shape.nodes) + 1) as u8,
            i: choices.below(u64::from(shape.nodes) + 1) as u8,
            j: choices.below(u64::from(shape.sons) + 1) as u8,
            k: choices.below(u64::from(shape.roots) + 1) as u8,
            bc: choices.below(u64::from(shape.nodes) + 1) as u8,
            obc: choices.below(u64::from(shape.nodes) + 1) as u8,
        };
        Split { local, context }
    }
}

impl PackedLocal for Level3 {
    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    #[inline(always)]
    fn local_fields(&self, seen: &Seen, fields: &mut impl Fields) -> Seen {
        self.packing.seen(seen, fields)
    }

    #[inline(always)]
    fn context_fields(&self, s: &Collector, fields: &mut impl Fields) -> Collector {
        let at = &self.packing;
        Collector {
            chi: fields.one_of(at.chi, s.chi as usize, &Chi::ALL),
            l: fields.byte(at.l, s.l),
            h: fields.byte(at.counters.h, s.h),
            i: fields.byte(at.counters.i, s.i),
            j: fields.byte(at.counters.j, s.j),
            k: fields.byte(at.k, s.k),
            bc: fields.byte(at.counters.bc, s.bc),
            obc: fields.byte(at.counters.obc, s.obc),
        }
    }
}
