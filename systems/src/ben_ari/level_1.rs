//! Level 1: nodes are coloured, and white ones are collected once all accessible ones are black.
//!
//! Source: Havelund & Shankar, section 6.1, Figs. 6–9, and Appendix A.3.

use refmap::{
    Choices, Drawing, Fairness, Fields, Layout, LocalTransitions, PackedLocal, Process, Rule,
    RuleId, Split, SplitAction, SplitActionOf, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Node};
use super::mutator::{self, MutatorAction, MutatorRules};
use super::packing::{Level, Packing};
use super::scope::Scope;
use super::seen::{Seen, Shared};
use crate::heap;

/// The first refinement.
pub struct Level1 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 1 [Fig. 6]: the variables that mutators see, and the collector.
pub type State = Split<Level1>;

/// The variables of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Collector {
    /// Program location.
    pub chi: Chi,
    /// The next node of the append phase; NODES at its end.
    pub l: u8,
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
            packing: Packing::new(scope, Level::One, Chi::ALL.len()),
            mutant: None,
            rules: mutator::rules::<Action>(scope.mutator),
        }
    }

    /// The rules of the collector [Fig. 9]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(action));
        let at = |location| command.at(|s| s.context.chi == location);
        let nodes = self.scope.shape.nodes;
        match action {
            Action::Colour { n } => at(Chi::Colour).when(|_| true).then(|s| {
                s.local.set_colour(n, true);
            }),
            Action::StopColouring => at(Chi::Colour)
                .when(|s| s.local.c.blackened(&s.local.m, 0))
                .then(|s| {
                    s.context.l = 0;
                    s.context.chi = Chi::TestL;
                }),
            Action::StopAppending => at(Chi::TestL)
                .when(|s| s.context.l == nodes)
                .then(|s| s.context.chi = Chi::Colour),
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

impl Level1 {
    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }
}

impl LocalTransitions for Level1 {
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
                chi: Chi::Colour,
                l: 0,
            };
            visit(Split { local, context });
        }
    }

    #[inline]
    fn next_local(&self, from: &Seen, visit: &mut impl FnMut(MutatorAction, Seen)) {
        self.mutators().steps(from, visit);
    }

    fn next_context(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
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

    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions::<Action>()
    }

    fn observe(&self, state: &State) -> Memory {
        state.local.m
    }

    /// The variables in the order of Fig. 6.
    fn show(state: &State) -> impl Serialize {
        #[derive(Serialize)]
        struct Shown<'s> {
            chi: Chi,
            #[serde(flatten)]
            shared: Shared<'s>,
        }
        let Collector { chi, l } = state.context;
        let shared = state.local.with(l);
        Shown { chi, shared }
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing::memory(&state.local.m, Some(state.local.c)))
    }

    fn is_initial(&self, state: &State) -> bool {
        let context = &state.context;
        context.chi == Chi::Colour && context.l == 0 && state.local.is_initial(&self.scope)
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

/// The ranges of Fig. 6.
impl TypeCorrect for Level1 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let chi = choices.one_of(&Chi::ALL);
        let (local, l) = Seen::type_correct(&self.scope, choices);
        let context = Collector { chi, l };
        Split { local, context }
    }
}

impl PackedLocal for Level1 {
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
        }
    }
}
