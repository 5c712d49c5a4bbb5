//! Level 3, the algorithm: nodes are scanned in order, and black ones counted, until a whole scan
//! colours nothing.
//!
//! Source: Havelund & Shankar, section 6.3, Figs. 8, 13 and 14. Fig. 14's TEST_L.1 goes to TEST_I
//! and so skips the roots, which cannot be meant: Fig. 12 has COLOUR_ROOTS, which K := 0 prepares.
//! Both texts are here, as [`Figure14`].
//!
//! For several mutators (deviation D6) the collector looks at each of them between a scan and the count after it.

use refmap::state::Limits;
use refmap::{Action as _, Choices, Rule, RuleId};
use serde::Serialize;

use super::command::Command;
use super::level::{Collector, Level};
use super::locals::Flag;
use super::look::{ToLookAt, look_at, may_look_at};
use super::scope::{Figure14, Look, Midway, Scope};
use super::shape::Shape;
use super::shared::{Shared, at_most};

/// The third refinement: the algorithm itself.
pub type Level3 = Level<Action>;

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
    /// Flag that the mutators have at which the collector has looked since the last count (D6).
    #[state(range = 0..=u8::from(system.as_ref().has_rounds()))]
    #[serde(skip_serializing_if = "Flag::is_down")]
    pub round: Flag,
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

impl State {
    /// True if the collector is where it looks at mutators.
    #[inline]
    pub fn looks(&self, scope: &Scope) -> bool {
        let nodes = scope.shape.nodes;
        scope.midway != Midway::Ignored
            && self.chi == Chi::where_looking(scope.look)
            && match scope.look {
                Look::OneByOne | Look::AtOnce => self.i == nodes,
                Look::BeforeScanning => self.i == 0,
                Look::AfterCounting => self.h == nodes,
            }
    }

    /// The question of each mutator to which the answer is *no* if the collector leaves its location: where it looks at mutators, every other step does.
    #[inline]
    pub fn asks(&self, scope: &Scope) -> Option<ToLookAt> {
        if !self.looks(scope) {
            return None;
        }
        ToLookAt::of(scope, self.round, &self.shared)
    }

    /// True if it may leave its location: not before it has looked, if it is there.
    #[inline]
    fn may_leave(&self, scope: &Scope) -> bool {
        let mut mutators = self.shared.mutators.iter();
        let asked = self.asks(scope);
        asked.is_none_or(|asked| !mutators.any(|locals| asked.is(locals)))
    }

    /// Ends the round, if it leaves from there.
    #[inline]
    fn leave(&mut self, scope: &Scope) {
        if scope.has_rounds() && self.looks(scope) {
            self.round = self.round.turned();
        }
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
    /// Location at which the collector looks at mutators.
    fn where_looking(look: Look) -> Self {
        match look {
            Look::OneByOne | Look::AtOnce | Look::BeforeScanning => Self::TestI,
            Look::AfterCounting => Self::TestH,
        }
    }
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
    /// The collector looks at a mutator: it colours the target of one that is midway, or looks at none that is.
    #[rule(source = "D6")]
    LookAt {
        #[member]
        mutator: u8,
    },
}

impl Collector for Action {
    type State = State;

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
            round: Flag::DOWN,
        }
    }

    #[inline]
    fn tried(level: &Level<Self>, from: &State, visit: &mut impl FnMut(Self)) {
        let scope = &level.scope;
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
        rules.into_iter().for_each(&mut *visit);
        if from.looks(scope) {
            (0..scope.mutators).for_each(|mutator| visit(Action::LookAt { mutator }));
        }
    }

    /// The rules of the collector [Fig. 14].
    #[inline]
    fn fire(self, scope: &Scope, command: Command<'_, State>) -> Option<()> {
        let at = |location| command.at(|s| s.chi == location);
        let Shape { nodes, sons, roots } = scope.shape;
        match self {
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
            Action::StopPropagating => at(Chi::TestI)
                .when(|s| s.i == nodes && s.may_leave(scope))
                .then(|s| {
                    s.leave(scope);
                    s.bc = 0;
                    s.h = 0;
                    s.chi = Chi::TestH;
                }),
            Action::ContinuePropagating => at(Chi::TestI)
                .when(|s| s.i < nodes && s.may_leave(scope))
                .then(|s| {
                    s.leave(scope);
                    s.chi = Chi::TestColour;
                }),
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
                .when(|s| s.h == nodes && s.may_leave(scope))
                .then(|s| {
                    s.leave(scope);
                    s.chi = Chi::Compare;
                }),
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
                s.chi = match scope.figure_14 {
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
            // Between the scan and the count: mutators that are midway.
            Action::LookAt { mutator } => at(Chi::where_looking(scope.look))
                .when(|s| s.looks(scope) && may_look_at(scope, s.round, &s.shared, mutator))
                .then(|s| look_at(scope, s.round, &mut s.shared, mutator)),
        }
    }

    /// The ranges of Fig. 13: loop variables run one past their last value, and BC and OBC count nodes.
    fn type_correct(level: &Level<Self>, choices: &mut Choices) -> State {
        let Shape { nodes, sons, roots } = level.scope.shape;
        State {
            chi: refmap::State::read(level, Limits::NONE, choices),
            shared: Shared::type_correct(&level.scope, choices),
            h: at_most(nodes, choices),
            i: at_most(nodes, choices),
            j: at_most(sons, choices),
            k: at_most(roots, choices),
            bc: at_most(nodes, choices),
            obc: at_most(nodes, choices),
            round: Flag::choice(level.scope.has_rounds(), choices),
        }
    }

    /// As printed, if so; and without LookAt, where the collector does not do that.
    fn cite(scope: &Scope, rules: &mut Vec<Rule>) {
        if scope.midway == Midway::Ignored
            || (scope.midway, scope.look) == (Midway::Awaited, Look::AtOnce)
        {
            rules.pop();
        }
        if scope.figure_14 == Figure14::AsPrinted {
            let RuleId(rule) = Self::StopAppending.rule(scope);
            rules[rule].source = "Fig. 14, TEST_L.1, as printed".into();
        }
    }
}
