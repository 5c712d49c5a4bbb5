//! A fair transition system that is given by its states and steps.

use std::cell::Cell;

use refmap::Strength;
use refmap::internal::break_off;
use refmap::internal::explore::{Clock, Graph, NodeId};
use refmap::internal::liveness::Conditions;

/// A transition system with fairness conditions and properties.
///
/// States are numbered as far as anything is said of them, so that memory is that of what is said; `given` has the numbers
/// that they were given.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Number of states, those included of which nothing is said.
    pub count: u64,
    /// Per state, the number that it was given.
    pub given: Vec<u64>,
    /// The initial states.
    pub initial: Vec<u32>,
    /// The steps: source, place of the rule, target.
    pub steps: Vec<(u32, u32, u32)>,
    /// The rules.
    pub rules: Vec<String>,
    /// The fairness conditions.
    pub conditions: Vec<Condition>,
    /// The properties.
    pub properties: Vec<Property>,
}

/// Fairness of an action, which is a set of rules.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// Strength: weak or strong.
    pub strength: Strength,
    /// The places of the rules.
    pub rules: Vec<u32>,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Statement.
    pub kind: PropertyKind,
}

/// Statement of a property, about states with a label.
#[derive(Clone, Debug)]
pub enum PropertyKind {
    /// `leads_to`: wherever the premise holds, the conclusion holds then or later.
    LeadsTo {
        /// The states with the label `premise`.
        premise: Vec<u32>,
        /// The states with the label `conclusion`.
        conclusion: Vec<u32>,
    },
    /// `eventually`: the conclusion holds at some time.
    Eventually(Vec<u32>),
    /// `always_eventually`: the conclusion holds infinitely often.
    AlwaysEventually(Vec<u32>),
    /// `eventually_always`: from some time on the conclusion holds for ever; with a premise, if that holds at some time.
    EventuallyAlways {
        /// The states with the label `premise`, if one is given.
        premise: Option<Vec<u32>>,
        /// The states with the label `conclusion`.
        conclusion: Vec<u32>,
    },
    /// `always`: the conclusion holds in every state.
    Always(Vec<u32>),
    /// `weak_fairness` of `rules`.
    WeaklyFair(Vec<u32>),
    /// `strong_fairness` of `rules`.
    StronglyFair(Vec<u32>),
}

impl PropertyKind {
    /// Its name in the format.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LeadsTo { .. } => "leads_to",
            Self::Eventually(_) => "eventually",
            Self::AlwaysEventually(_) => "always_eventually",
            Self::EventuallyAlways { .. } => "eventually_always",
            Self::Always(_) => "always",
            Self::WeaklyFair(_) => "weak_fairness",
            Self::StronglyFair(_) => "strong_fairness",
        }
    }
}

/// Times that pairs are asked for between two looks at the clock.
const ASKED: u32 = 1 << 12;

/// Work that is broken off once the time of its clock is over, if it has one.
#[derive(Default)]
pub(super) struct Pace<'c> {
    clock: Option<Clock<'c>>,
    asked: Cell<u32>,
}

impl<'c> Pace<'c> {
    pub fn of(clock: Clock<'c>) -> Self {
        Self {
            clock: Some(clock),
            ..Self::default()
        }
    }

    /// The clock, if there is one.
    pub fn clock(&self) -> Option<Clock<'c>> {
        self.clock
    }

    /// Looks at the clock, from time to time.
    #[inline]
    pub fn look(&self) {
        let asked = self.asked.get();
        self.asked.set((asked + 1) % ASKED);
        if asked == 0
            && self
                .clock
                .is_some_and(|clock| clock.out_of_time().is_some())
        {
            break_off();
        }
    }
}

/// The pairs of different states that steps of a system join, labelled by their classes: by the conditions of which they are steps.
pub(super) fn pairs(system: &System, conditions: &mut Conditions, pace: &Pace<'_>) -> Graph {
    let mut conditions_of: Vec<Vec<usize>> = vec![Vec::new(); system.rules.len()];
    for (number, condition) in system.conditions.iter().enumerate() {
        for rule in &condition.rules {
            conditions_of[*rule as usize].push(number);
        }
    }
    let mut steps: Vec<(u32, u32, u32)> = system
        .steps
        .iter()
        .filter(|(from, _, to)| from != to)
        .map(|(from, rule, to)| (*from, *to, *rule))
        .collect();
    steps.sort_unstable();
    let pairs = steps.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    let pairs = pairs.map(|same| {
        pace.look();
        let (from, to, _) = same[0];
        let rules = same.iter().map(|(_, _, rule)| *rule as usize);
        let of = rules.flat_map(|rule| conditions_of[rule].iter().copied());
        (NodeId(from), NodeId(to), conditions.class(of))
    });
    Graph::of(system.given.len(), pairs)
}
