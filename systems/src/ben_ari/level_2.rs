//! Level 2: colours are propagated from the roots, from black nodes to their white sons.
//!
//! Source: Havelund & Shankar, section 6.2, Figs. 8, 10–12.

use refmap::state::Limits;
use refmap::{Choices, Rule};
use serde::Serialize;

use super::command::Command;
use super::level::{Collector, Level};
use super::scope::{Midway, MutatorOrder, Scope};
use super::shape::{Node, Shape};
use super::shared::{Shared, at_most};

/// The second refinement.
pub type Level2 = Level<Action>;

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
    /// The target of a mutator that is midway is coloured.
    #[rule(source = "D6")]
    ColourMidway {
        #[member]
        mutator: u8,
    },
}

/// PROPAGATE.2's guard. Where mutators colour before they redirect, a garbage node may be coloured at any time, so only what is
/// accessible counts (D6).
#[inline]
fn is_propagated(scope: &Scope, shared: &Shared) -> bool {
    match scope.mutator {
        MutatorOrder::ColouredBefore => shared.c.blackened(&shared.m, 0),
        _ => !shared.c.exists_bw(&shared.m),
    }
}

impl Collector for Action {
    type State = State;

    fn starting(shared: Shared) -> State {
        State {
            chi: Chi::ColourRoots,
            shared,
            k: 0,
        }
    }

    #[inline]
    fn tried(level: &Level<Self>, _from: &State, visit: &mut impl FnMut(Self)) {
        let scope = &level.scope;
        let cells = scope.shape.cells();
        cells.for_each(|(n, i)| visit(Action::Propagate { n, i }));
        [
            Action::StopColouringRoots,
            Action::ColourRoot,
            Action::StopPropagating,
            Action::StopAppending,
            Action::ContinueAppending,
            Action::AppendWhite,
            Action::BlackToWhite,
        ]
        .into_iter()
        .for_each(&mut *visit);
        if scope.midway == Midway::Coloured {
            (0..scope.mutators).for_each(|mutator| visit(Action::ColourMidway { mutator }));
        }
    }

    /// The rules of the collector [Fig. 12].
    #[inline]
    fn fire(self, scope: &Scope, command: Command<'_, State>) -> Option<()> {
        let at = |location| command.at(|s| s.chi == location);
        let Shape { nodes, roots, .. } = scope.shape;
        match self {
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
                .when(|s| is_propagated(scope, &s.shared))
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
            Action::ColourMidway { mutator } => {
                let target = |s: &State| s.shared.announcement(scope, mutator);
                at(Chi::Propagate).when(|s| target(s).is_some()).then(|s| {
                    target(s)
                        .into_iter()
                        .for_each(|q| s.shared.set_colour(q, true))
                })
            }
        }
    }

    /// Without ColourMidway, where the collector does not do that.
    fn cite(scope: &Scope, rules: &mut Vec<Rule>) {
        if scope.midway != Midway::Coloured {
            rules.pop();
        }
    }

    /// The ranges of Fig. 10.
    fn type_correct(level: &Level<Self>, choices: &mut Choices) -> State {
        let Shape { roots, .. } = level.scope.shape;
        State {
            chi: refmap::State::read(level, Limits::NONE, choices),
            shared: Shared::type_correct(&level.scope, choices),
            k: at_most(roots, choices),
        }
    }
}
