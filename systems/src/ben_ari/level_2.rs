//! Level 2: colours are propagated from the roots, from black nodes to their white sons.
//!
//! Source: Havelund & Shankar, section 6.2, Figs. 8, 10–12.

use refmap::{
    Choices, Drawing, Fairness, Process, Rule, TransitionSystem, TypeCorrect, offer_changed,
};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::Memory;
use super::mutator::{self, MutatorRules, Step};
use super::scope::Scope;
use super::shape::{Node, Shape};
use super::shared::Shared;
use crate::heap;

/// The second refinement.
pub struct Level2 {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    rules: Vec<Rule>,
}

/// A state of level 2 [Fig. 10], in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[state(system = impl AsRef<Scope>)]
pub struct State {
    /// Program location.
    pub chi: Chi,
    /// The variables that other levels have too.
    #[serde(flatten)]
    pub shared: Shared,
    /// The root to be coloured next; ROOTS when all are.
    #[state(range = 0..=system.as_ref().shape.roots)]
    pub k: u8,
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

/// The locations of the collector [Fig. 12].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
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
            mutant: None,
            rules: mutator::rules::<Action>(scope.mutator),
        }
    }

    /// The rules of the collector [Fig. 12]: whether the rule is enabled in `s`, which it then changes.
    fn collector(&self, s: &mut State, action: Action) -> bool {
        let command = Command::new(s, self.mutant, mutator::of_collector(&action));
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
            k: 0,
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

impl AsRef<Scope> for Level2 {
    fn as_ref(&self) -> &Scope {
        &self.scope
    }
}

impl TransitionSystem for Level2 {
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
        for (n, i) in self.scope.shape.cells() {
            let action = Action::Propagate { n, i };
            let step = Step::Collector(action);
            offer_changed(visit, step, from, |s| self.collector(s, action));
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

    /// PERF: called at every step of level 3. The successor is compared in place, so it is not moved.
    #[inline]
    fn allows(&self, from: &State, action: &Step<Action>, to: &State) -> bool {
        let mut s = *from;
        self.take(&mut s, *action) && s == *to
    }
}

/// The ranges of Fig. 10.
impl TypeCorrect for Level2 {
    fn type_correct(&self, choices: &mut Choices) -> State {
        let shape = self.scope.shape;
        let chi = choices.one_of(&Chi::ALL);
        State {
            chi,
            shared: Shared::type_correct(&self.scope, choices),
            k: choices.below(u64::from(shape.roots) + 1) as u8,
        }
    }
}
