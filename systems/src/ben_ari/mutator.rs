//! The mutator of levels 1 to 3, and the steps of a level: those of its mutators, and those of its collector.
//!
//! Source: Havelund & Shankar, Fig. 8, Appendix A.3; section 1 for the order refuted by
//! Pixley and by van de Snepscheut. The orders in which a target is announced are our own (deviation D6).

use std::fmt::{self, Debug};

use refmap::{Action as _, Rule, RuleId};
use serde::Serialize;

use super::command::{Command, Mutant};
use super::locals::MutatorAt;
use super::memory::Memory;
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
        #[process]
        mutator: u8,
    },
    /// Colour-first: cell (n, i) and the target `k` are chosen, and `k` is coloured.
    #[rule(source = "section 1; Fig. 8, COLOUR.1 first")]
    ChooseAndColour {
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
        #[process]
        mutator: u8,
    },
    /// Announced: the target `k` is chosen, and announced to the collector.
    #[rule(source = "D6; Fig. 8, MUTATE.1's choice of k")]
    Announce {
        #[process]
        mutator: u8,
        /// The target, accessible now.
        k: Node,
    },
    /// Announced: cell (n, i) is redirected to Q, which is accessible still.
    #[rule(source = "D6; Fig. 8, MUTATE.1")]
    RedirectAnnounced {
        #[process]
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
    },
    /// Announced: Q is coloured.
    #[rule(source = "D6; Fig. 8, COLOUR.1")]
    ColourAnnounced {
        #[process]
        mutator: u8,
    },
    /// Announced: Q is announced no longer.
    #[rule(source = "D6")]
    Retire {
        #[process]
        mutator: u8,
    },
    /// Announced: Q became garbage before a cell was redirected to it, and is announced no longer.
    #[rule(source = "D6")]
    Withdraw {
        #[process]
        mutator: u8,
    },
    /// Announced too late: Q is announced when a cell is redirected to it already.
    #[rule(source = "D6, in a wrong order")]
    AnnounceTarget {
        #[process]
        mutator: u8,
    },
}

/// Number of actions of mutators.
const ACTIONS: usize = 10;

/// Numbers of the rules of a level. Those of its mutators come first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// Number of the rule of each action of a mutator; none for a step that its order does not have.
    of_mutator: [Option<u8>; ACTIONS],
    /// Number of rules of a mutator.
    of_mutators: u8,
}

impl Numbers {
    /// Those of a level with mutators of this order.
    pub fn new(order: MutatorOrder) -> Self {
        let steps = steps_of(order);
        let place = |action: usize| {
            let name = &rules_of_all()[action].name;
            (0u8..)
                .zip(steps)
                .find(|(_, step)| name == *step)
                .map(|(place, _)| place)
        };
        Self {
            of_mutator: std::array::from_fn(place),
            of_mutators: steps.len() as u8,
        }
    }

    /// The rule that a step of a mutator is an instance of, if its order has it.
    #[inline]
    pub fn of_mutator(&self, action: MutatorAction) -> Option<RuleId> {
        self.of_mutator[action.rule(&()).0].map(|number| RuleId(usize::from(number)))
    }

    /// The rule of a step of the collector, of which this is the number among those of the collector.
    #[inline]
    pub fn of_collector(&self, RuleId(own): RuleId) -> RuleId {
        RuleId(usize::from(self.of_mutators) + own)
    }
}

/// The steps of a mutator, in their order.
const fn steps_of(order: MutatorOrder) -> &'static [&'static str] {
    match order {
        MutatorOrder::RedirectFirst => &["mutate", "colour_target"],
        MutatorOrder::ColourFirst => &["choose_and_colour", "redirect"],
        MutatorOrder::Announced => &[
            "announce",
            "redirect_announced",
            "colour_announced",
            "retire",
            "withdraw",
        ],
        MutatorOrder::ColouredBefore => &[
            "announce",
            "colour_announced",
            "redirect_announced",
            "retire",
            "withdraw",
        ],
        MutatorOrder::Unchecked => &[
            "announce",
            "redirect_announced",
            "colour_announced",
            "retire",
        ],
        MutatorOrder::AnnouncedLate => &["mutate", "announce_target", "colour_announced", "retire"],
        MutatorOrder::RetiredEarly => &[
            "announce",
            "redirect_announced",
            "retire",
            "colour_announced",
            "withdraw",
        ],
        MutatorOrder::Uncoloured => &["announce", "redirect_announced", "retire", "withdraw"],
        MutatorOrder::Unretired => &["announce", "redirect_announced", "colour_announced"],
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

/// The rules of all steps of mutators, whatever their order.
fn rules_of_all() -> &'static [Rule] {
    MutatorAction::rules(&())
}

/// The rules of a mutator: its steps, in their order.
pub(super) fn rules(order: MutatorOrder) -> Vec<Rule> {
    let rule = |step: &&str| {
        let mut actions = rules_of_all().iter();
        actions.find(|rule| rule.name == **step).cloned()
    };
    let rules = steps_of(order).iter().map(rule);
    rules
        .map(|rule| rule.expect("each step is an action"))
        .collect()
}

/// The mutators of an instance, as every level has them.
#[derive(Clone, Copy)]
pub(super) struct MutatorRules {
    pub scope: Scope,
    pub mutant: Option<Mutant>,
    pub numbers: Numbers,
}

impl MutatorRules {
    /// Visits the steps that may be enabled, and all that are.
    #[inline]
    pub fn candidates(self, from: &Shared, visit: &mut impl FnMut(MutatorAction)) {
        let Shared { m, mutators, .. } = from;
        for (mutator, locals) in (0u8..).zip(mutators) {
            match (locals.mu, self.scope.mutator) {
                (_, order) if order.announces() => self.announcing(mutator, m, visit),
                (MutatorAt::Mutate, order) => {
                    // PERF: the guard rejects all other nodes, except in a mutant.
                    let accessible = m.accessible();
                    let is_offered = |k: &Node| self.mutant.is_some() || accessible.contains(*k);
                    for k in m.shape.nodes().filter(is_offered) {
                        for (n, i) in m.shape.cells() {
                            visit(match order {
                                MutatorOrder::RedirectFirst => {
                                    MutatorAction::Mutate { mutator, n, i, k }
                                }
                                _ => MutatorAction::ChooseAndColour { mutator, n, i, k },
                            });
                        }
                    }
                }
                (MutatorAt::Colour, _) => visit(MutatorAction::ColourTarget { mutator }),
                (MutatorAt::Redirect { .. }, _) => visit(MutatorAction::Redirect { mutator }),
                (MutatorAt::Retire, _) => (),
            }
        }
    }

    /// The same of a mutator that announces its targets.
    fn announcing(self, mutator: u8, m: &Memory, visit: &mut impl FnMut(MutatorAction)) {
        for k in m.shape.nodes() {
            if self.scope.mutator == MutatorOrder::AnnouncedLate {
                for (n, i) in m.shape.cells() {
                    visit(MutatorAction::Mutate { mutator, n, i, k });
                }
            } else {
                visit(MutatorAction::Announce { mutator, k });
            }
        }
        for (n, i) in m.shape.cells() {
            visit(MutatorAction::RedirectAnnounced { mutator, n, i });
        }
        visit(MutatorAction::AnnounceTarget { mutator });
        visit(MutatorAction::ColourAnnounced { mutator });
        visit(MutatorAction::Retire { mutator });
        visit(MutatorAction::Withdraw { mutator });
    }

    /// The rules of a mutator [Fig. 8; section 1 for the refuted order]. `accessible` says of a node whether the memory of `s`
    /// makes it so.
    #[inline]
    pub fn fire(
        self,
        action: MutatorAction,
        s: &mut Shared,
        accessible: impl Fn(Node) -> bool,
    ) -> Option<()> {
        let locals = |s: &Shared, mutator: u8| s.mutators[usize::from(mutator)];
        let order = self.scope.mutator;
        let rule = self.numbers.of_mutator(action)?;
        let command = Command::new(s, self.mutant, rule);
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
                    _ => None,
                };
                command.at(|s| cell(s).is_some()).when(|_| true).then(|s| {
                    let (n, i) = cell(s).expect("it is at this location");
                    let q = locals(s, mutator).q;
                    s.m.redirect(n, i, q);
                    s.mutators[usize::from(mutator)].mu = MutatorAt::Mutate;
                })
            }
            // ANCHOR: announced
            // MUTATE.1, of which the choice of k comes before, and is announced.
            MutatorAction::Announce { mutator, k } => command
                .at(|s| {
                    locals(s, mutator).mu == MutatorAt::Mutate
                        && order.may_announce(locals(s, mutator))
                })
                .when(|_| accessible(k))
                .then(|s| {
                    s.mutators[usize::from(mutator)].q = k;
                    order.announces_now(&mut s.mutators[usize::from(mutator)]);
                }),
            // Other mutators may have made the target garbage since.
            MutatorAction::RedirectAnnounced { mutator, n, i } => command
                .at(|s| {
                    locals(s, mutator).mu == MutatorAt::Mutate && locals(s, mutator).announced()
                })
                .when(|s| order == MutatorOrder::Unchecked || accessible(locals(s, mutator).q))
                .then(|s| {
                    let q = locals(s, mutator).q;
                    s.m.redirect(n, i, q);
                    order.has_redirected(&mut s.mutators[usize::from(mutator)]);
                }),
            // COLOUR.1
            MutatorAction::ColourAnnounced { mutator } => command
                .at(|s| {
                    locals(s, mutator).mu == MutatorAt::Colour
                        && order.may_colour(locals(s, mutator))
                })
                .when(|_| true)
                .then(|s| {
                    let q = locals(s, mutator).q;
                    s.set_colour(q, true);
                    order.has_coloured(&mut s.mutators[usize::from(mutator)]);
                }),
            MutatorAction::Retire { mutator } => command
                .at(|s| locals(s, mutator).mu == MutatorAt::Retire)
                .when(|_| true)
                .then(|s| order.retires(&mut s.mutators[usize::from(mutator)])),
            MutatorAction::Withdraw { mutator } => command
                .at(|s| {
                    locals(s, mutator).mu == MutatorAt::Mutate && locals(s, mutator).announced()
                })
                .when(|s| !accessible(locals(s, mutator).q))
                .then(|s| order.retires(&mut s.mutators[usize::from(mutator)])),
            // ANCHOR_END: announced
            MutatorAction::AnnounceTarget { mutator } => command
                .at(|s| {
                    locals(s, mutator).mu == MutatorAt::Colour && !locals(s, mutator).announced()
                })
                .when(|_| true)
                .then(|s| s.mutators[usize::from(mutator)].announce()),
        }
    }
}
