//! Level 2: colours are propagated from the roots, from black nodes to their white sons.
//!
//! Source: Havelund & Shankar, section 6.2, Figs. 8, 10–12.

use refmap::{
    Choices, Drawing, Fairness, Fields, Layout, LocalTransitions, PackedLocal, Process, Rule,
    RuleId, Split, SplitAction, SplitActionOf, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::{Memory, Node, Shape};
use super::mutator::{self, MutatorAction, MutatorRules};
use super::packing::{Level, Packing};
use super::scope::Scope;
use super::seen::{Seen, Shared};
use crate::heap;

/// The second refinement.
pub struct Level2 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    packing: Packing,
    rules: Vec<Rule>,
}

/// A state of level 2 [Fig. 10]: the variables that mutators see, and the collector.
pub type State = Split<Level2>;

/// The variables of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Collector {
    /// Program location.
    pub chi: Chi,
    /// The next node of the append phase; NODES at its end.
    pub l: u8,
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

/// A step of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "collector")]
pub enum Action {
    /// COLOUR_ROOTS.1.
    #[rule(source = "Fig. 12, COLOUR_ROOTS.1")]
    StopColouringRoots,
    /// COLOUR_ROOTS.2.
    #[rule(source = "Fig. 12, COLOUR_ROOTS.2")]
    ColourRoot,
    /// PROPAGATE.1: the i-th son of the black node `n` is coloured.
    #[rule(source = "Fig. 12, PROPAGATE.1")]
    Propagate {
        /// The node.
        n: Node,
        /// The index of the cell that points to the white son.
        i: u8,
    },
    /// PROPAGATE.2.
    #[rule(source = "Fig. 12, PROPAGATE.2")]
    StopPropagating,
    /// TEST_L.1.
    #[rule(source = "Fig. 12, TEST_L.1")]
    StopAppending,
    /// TEST_L.2.
    #[rule(source = "Fig. 12, TEST_L.2")]
    ContinueAppending,
    /// APPEND.1.
    #[rule(source = "Fig. 12, APPEND.1")]
    AppendWhite,
    /// APPEND.2.
    #[rule(source = "Fig. 12, APPEND.2")]
    BlackToWhite,
}

impl Level2 {
    /// Level 2 for an instance.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            packing: Packing::new(scope, Level::Two, Chi::ALL.len()),
            mutant: None,
            rules: mutator::rules::<Action>(scope.mutator),
        }
    }

    /// The rules of the collector [Fig. 12]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(action));
        let at = |location| command.at(|s| s.context.chi == location);
        let Shape { nodes, roots, .. } = self.scope.shape;
        match action {
            Action::StopColouringRoots => at(Chi::ColourRoots)
                .when(|s| s.context.k == roots)
                .then(|s| s.context.chi = Chi::Propagate),
            Action::ColourRoot => at(Chi::ColourRoots)
                .when(|s| s.context.k < roots)
                .then(|s| {
                    s.local.set_colour(s.context.k, true);
                    s.context.k += 1;
                }),
            Action::Propagate { n, i } => at(Chi::Propagate)
                .when(|s| s.local.c.bw(&s.local.m, n, i))
                .then(|s| {
                    let son = s.local.m.son(n, i);
                    s.local.set_colour(son, true);
                }),
            Action::StopPropagating => at(Chi::Propagate)
                .when(|s| !s.local.c.exists_bw(&s.local.m))
                .then(|s| {
                    s.context.l = 0;
                    s.context.chi = Chi::TestL;
                }),
            Action::StopAppending => at(Chi::TestL).when(|s| s.context.l == nodes).then(|s| {
                s.context.k = 0;
                s.context.chi = Chi::ColourRoots;
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

impl Level2 {
    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
        }
    }
}

impl LocalTransitions for Level2 {
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
                k: 0,
            };
            visit(Split { local, context });
        }
    }

    #[inline]
    fn next_local(&self, from: &Seen, visit: &mut impl FnMut(MutatorAction, Seen)) {
        self.mutators().steps(from, visit);
    }

    fn next_context(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
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

    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions::<Action>()
    }

    fn observe(&self, state: &State) -> Memory {
        state.local.m
    }

    /// The variables in the order of Fig. 10.
    fn show(state: &State) -> impl Serialize {
        #[derive(Serialize)]
        struct Shown<'s> {
            chi: Chi,
            #[serde(flatten)]
            shared: Shared<'s>,
            k: u8,
        }
        let Collector { chi, l, k } = state.context;
        let shared = state.local.with(l);
        Shown { chi, shared, k }
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing::memory(&state.local.m, Some(state.local.c)))
    }

    fn is_initial(&self, state: &State) -> bool {
        let context = &state.context;
        context.chi == Chi::ColourRoots
            && context.l == 0
            && context.k == 0
            && state.local.is_initial(&self.scope)
    }

    #[inline]
    fn local_successor(&self, from: &Seen, action: &MutatorAction) -> Option<Seen> {
        let mut to = *from;
        self.mutators().take(&mut to, *action).then_some(to)
    }

    fn context_successor(&self, from: &State, action: &Action) -> Option<State> {
        let mut to = *from;
        self.collector(&mut to, *action).then_some(to)
    }

    /// PERF: called at every step of level 3. The successor is compared in place, so it is not moved.
    #[inline]
    fn allows_local(&self, from: &Seen, action: &MutatorAction, to: &Seen) -> bool {
        let mut seen = *from;
        self.mutators().take(&mut seen, *action) && seen == *to
    }

    /// PERF: as above.
    #[inline]
    fn allows_context(&self, from: &State, action: &Action, to: &State) -> bool {
        let mut s = *from;
        self.collector(&mut s, *action) && s == *to
    }
}

/// The ranges of Fig. 10.
impl TypeCorrect for Level2 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        let chi = choices.one_of(&Chi::ALL);
        let (local, l) = Seen::type_correct(&self.scope, choices);
        let context = Collector {
            chi,
            l,
            k: choices.below(u64::from(shape.roots) + 1) as u8,
        };
        Split { local, context }
    }
}

impl PackedLocal for Level2 {
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
            k: fields.byte(at.k, s.k),
        }
    }
}
