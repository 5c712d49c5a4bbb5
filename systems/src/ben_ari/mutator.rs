//! The mutator of levels 1 to 3, and the steps of a level: those of its mutators, and those of its collector.
//!
//! Source: Havelund & Shankar, Fig. 8, Appendix A.3; section 1 for the order refuted by
//! Pixley and by van de Snepscheut.

use std::fmt::{self, Debug};

use refmap::{Action as _, Process, Rule, RuleId, offer_changed};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::locals::MutatorAt;
use super::scope::{MutatorOrder, Scope};
use super::shape::Node;
use super::shared::Shared;
use crate::heap::MUTATOR;

/// A step of a mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = MUTATOR)]
pub enum MutatorAction {
    /// Redirect-first: cell (n, i) is redirected to `k`.
    #[rule(source = "Fig. 8, MUTATE.1")]
    Mutate {
        /// Which mutator.
        #[process]
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
        /// The target, accessible before.
        k: Node,
    },
    /// Redirect-first: Q is coloured.
    #[rule(source = "Fig. 8, COLOUR.1")]
    ColourTarget {
        /// Which mutator.
        #[process]
        mutator: u8,
    },
    /// Colour-first: cell (n, i) and the target `k` are chosen, and `k` is coloured.
    #[rule(source = "section 1; Fig. 8, COLOUR.1 first")]
    ChooseAndColour {
        /// Which mutator.
        #[process]
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
        /// The target, accessible now.
        k: Node,
    },
    /// Colour-first: the cell chosen is redirected to Q.
    #[rule(source = "section 1; Fig. 8, MUTATE.1 second")]
    Redirect {
        /// Which mutator.
        #[process]
        mutator: u8,
    },
}

/// Number of rules of a mutator: the two steps of its order. Those of redirect-first are the first two actions.
const STEPS: usize = 2;

impl MutatorAction {
    /// The rule of a level that it is an instance of: the first or the second step of its order.
    #[inline]
    pub(super) fn in_level(self) -> RuleId {
        RuleId(self.rule().0 % STEPS)
    }
}

/// A step of a level: of a mutator, or of the collector, whose actions are of type `A`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Step<A> {
    /// A step of a mutator.
    Mutator(MutatorAction),
    /// A step of the collector.
    Collector(A),
}

/// Shows the action itself: its type says whose it is.
impl<A: Debug> Debug for Step<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mutator(action) => action.fmt(f),
            Self::Collector(action) => action.fmt(f),
        }
    }
}

/// The rules depend on the order of the mutator's steps: a level says them itself.
impl<A: refmap::Action> refmap::Action for Step<A> {
    #[inline]
    fn rule(&self) -> RuleId {
        match self {
            Self::Mutator(action) => action.in_level(),
            Self::Collector(action) => of_collector(action),
        }
    }

    #[inline]
    fn process(&self) -> Option<Process> {
        match self {
            Self::Mutator(action) => action.process(),
            Self::Collector(action) => action.process(),
        }
    }
}

/// The rules of a mutator.
pub(super) fn rules(order: MutatorOrder) -> &'static [Rule] {
    let (redirect_first, colour_first) = MutatorAction::rules().split_at(STEPS);
    match order {
        MutatorOrder::RedirectFirst => redirect_first,
        MutatorOrder::ColourFirst => colour_first,
    }
}

/// The rule of a level that an action of its collector is an instance of.
#[inline]
pub(super) fn of_collector(action: &impl refmap::Action) -> RuleId {
    RuleId(STEPS + action.rule().0)
}

/// The mutators of an instance, as every level has them.
#[derive(Clone, Copy)]
pub(super) struct MutatorRules {
    pub scope: Scope,
    pub mutant: Option<Mutant>,
}

impl MutatorRules {
    /// The steps of the mutators from a state of a level.
    #[inline]
    pub fn steps<A, S>(self, from: &S, visit: &mut impl FnMut(Step<A>, S))
    where
        A: Debug,
        S: Clone + AsRef<Shared> + AsMut<Shared>,
    {
        let Shared { m, mutators, .. } = from.as_ref();
        for (mutator, locals) in (0u8..).zip(mutators) {
            match (locals.mu, self.scope.mutator) {
                (MutatorAt::Mutate, order) => {
                    // PERF: a target is told the bounds that it has, which the compiler does not see through the copy; so
                    // it finds out once for all targets where the cells are.
                    let (shape, accessible) = (m.shape, m.accessible());
                    // PERF: the guard rejects all other nodes, except in a mutant.
                    let is_offered = |k: &Node| self.mutant.is_some() || accessible.contains(*k);
                    for k in shape.nodes().filter(is_offered) {
                        for n in shape.nodes() {
                            for i in shape.indices() {
                                match order {
                                    MutatorOrder::RedirectFirst => {
                                        let action = MutatorAction::Mutate { mutator, n, i, k };
                                        offer_changed(visit, Step::Mutator(action), from, |s| {
                                            let s = s.as_mut();
                                            s.m.shape = shape;
                                            self.step(s, |k| accessible.contains(k), action)
                                        });
                                    }
                                    MutatorOrder::ColourFirst => {
                                        let action =
                                            MutatorAction::ChooseAndColour { mutator, n, i, k };
                                        offer_changed(visit, Step::Mutator(action), from, |s| {
                                            let s = s.as_mut();
                                            s.m.shape = shape;
                                            self.step(s, |k| accessible.contains(k), action)
                                        });
                                    }
                                }
                            }
                        }
                    }
                }
                (MutatorAt::Colour, _) => {
                    let action = MutatorAction::ColourTarget { mutator };
                    offer_changed(visit, Step::Mutator(action), from, |s| {
                        self.step(s.as_mut(), |_| false, action)
                    });
                }
                (MutatorAt::Redirect { .. }, _) => {
                    let action = MutatorAction::Redirect { mutator };
                    offer_changed(visit, Step::Mutator(action), from, |s| {
                        self.step(s.as_mut(), |_| false, action)
                    });
                }
            }
        }
    }

    /// Whether `action` is enabled in `s`, which it then changes.
    #[inline(always)]
    pub fn take(self, s: &mut Shared, action: MutatorAction) -> bool {
        let order = match action {
            MutatorAction::Mutate { .. } | MutatorAction::ColourTarget { .. } => {
                MutatorOrder::RedirectFirst
            }
            MutatorAction::ChooseAndColour { .. } | MutatorAction::Redirect { .. } => {
                MutatorOrder::ColourFirst
            }
        };
        let m = s.m;
        self.scope.mutator == order && self.step(s, |k| m.is_accessible(k), action)
    }

    /// The rules of a mutator [Fig. 8; section 1 for the refuted order]: whether the rule is enabled
    /// in `s`, which it then changes. `accessible` says of a node whether the memory makes it so.
    ///
    /// PERF: inlined, so that each rule is compiled by itself where it is offered.
    #[inline(always)]
    fn step(
        self,
        s: &mut Shared,
        accessible: impl FnOnce(Node) -> bool,
        action: MutatorAction,
    ) -> bool {
        let locals = |s: &Shared, mutator: u8| s.mutators[usize::from(mutator)];
        let command = Command::new(s, self.mutant, action.in_level());
        match action {
            // ANCHOR: rules
            // MUTATE.1
            MutatorAction::Mutate { mutator, n, i, k } => command
                .at(|s| locals(s, mutator).mu == MutatorAt::Mutate)
                .when(|_| accessible(k))
                .then(|s| {
                    let Shared { m, mutators, .. } = s;
                    // PERF: a mutator that is found after the cell is written has to wait for that.
                    let locals = &mut mutators[usize::from(mutator)];
                    m.redirect(n, i, k);
                    locals.q = k;
                    locals.mu = MutatorAt::Colour;
                }),
            // COLOUR.1
            MutatorAction::ColourTarget { mutator } => command
                .at(|s| locals(s, mutator).mu == MutatorAt::Colour)
                .when(|_| true)
                .then(|s| {
                    let q = locals(s, mutator).q;
                    s.set_colour(q, true);
                    s.mutators[usize::from(mutator)].mu = MutatorAt::Mutate;
                }),
            // ANCHOR_END: rules
            // The refuted order: COLOUR.1 for a target chosen before, …
            MutatorAction::ChooseAndColour { mutator, n, i, k } => command
                .at(|s| locals(s, mutator).mu == MutatorAt::Mutate)
                .when(|_| accessible(k))
                .then(|s| {
                    s.set_colour(k, true);
                    s.mutators[usize::from(mutator)].q = k;
                    s.mutators[usize::from(mutator)].mu = MutatorAt::Redirect { n, i };
                }),
            // … and then MUTATE.1.
            MutatorAction::Redirect { mutator } => {
                let cell = |s: &Shared| match locals(s, mutator).mu {
                    MutatorAt::Redirect { n, i } => Some((n, i)),
                    MutatorAt::Mutate | MutatorAt::Colour => None,
                };
                command.at(|s| cell(s).is_some()).when(|_| true).then(|s| {
                    let (n, i) = cell(s).expect("it is at this location");
                    let q = locals(s, mutator).q;
                    s.m.redirect(n, i, q);
                    s.mutators[usize::from(mutator)].mu = MutatorAt::Mutate;
                })
            }
        }
    }
}
