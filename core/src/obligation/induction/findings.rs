//! Findings about induction, of all type-correct states or of some that are drawn.

use foldhash::{HashSet, HashSetExt};

use super::goal::{Goal, PerGoal};
use crate::walk::explore::Panic;

/// Gap in an induction: the number of a type-correct state, or of a draw, and which of its steps; no step if the
/// state itself is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::obligation) struct Gap {
    pub number: u64,
    pub step: Option<u32>,
}

/// Findings of a pass over the type-correct states, or of draws.
#[derive(Clone, Debug)]
pub(in crate::obligation) struct Findings {
    /// Type-correct states; of draws, as many as were drawn.
    pub states: u64,
    /// Type-correct states that satisfy all the invariants.
    pub satisfying: u64,
    /// Steps from these.
    pub steps: u64,
    /// The first gaps, each with what a function of the model panicked with if that was it.
    pub gaps: PerGoal<Option<(Gap, Option<Panic>)>>,
    /// Per invariant, the first state that shows that something fails without it, and what.
    pub needed: Vec<Option<(u64, Goal)>>,
    /// The first number of which `type_correct` made no state, and what it panicked with. Some numbers
    /// after it were left out.
    pub unmade: Option<(u64, Panic)>,
    /// True if there are more states than a number can name, so that none was made.
    pub too_many: bool,
    /// Places of those reachable states that were looked for and are type-correct.
    pub met: HashSet<usize>,
    /// First state at which a function of the model panicked that did not panic when it was asked again.
    pub unrepeated: Unrepeated,
    /// True if the pass was cut short.
    pub cut_short: bool,
}

impl Findings {
    pub fn new(invariants: usize) -> Self {
        Self {
            states: 0,
            satisfying: 0,
            steps: 0,
            gaps: PerGoal::new(invariants),
            needed: vec![None; invariants],
            unmade: None,
            too_many: false,
            met: HashSet::new(),
            unrepeated: None,
            cut_short: false,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.states += other.states;
        self.satisfying += other.satisfying;
        self.steps += other.steps;
        for (gap, other) in self.gaps.iter_mut().zip(other.gaps) {
            let gaps = gap.take().into_iter().chain(other);
            *gap = gaps.min_by_key(|(gap, _)| *gap);
        }
        for (needed, other) in self.needed.iter_mut().zip(other.needed) {
            *needed = needed.take().into_iter().chain(other).min();
        }
        let unmade = self.unmade.take().into_iter().chain(other.unmade);
        self.unmade = unmade.min_by_key(|(number, _)| *number);
        self.too_many |= other.too_many;
        self.met.extend(other.met);
        let unrepeated = self.unrepeated.take().into_iter().chain(other.unrepeated);
        self.unrepeated = unrepeated.min_by_key(|(number, _)| *number);
        self.cut_short |= other.cut_short;
    }

    /// True if every type-correct state was made and looked at.
    pub fn decided_all(&self) -> bool {
        self.unmade.is_none() && !self.cut_short && !self.too_many
    }

    pub fn note(&mut self, goal: Goal, gap: Gap, panic: Option<Panic>) {
        let first = &mut self.gaps[goal];
        if first.as_ref().is_none_or(|(first, _)| gap < *first) {
            *first = Some((gap, panic));
        }
    }
}

/// The first number of a state at which a function panicked, and did not when it was asked again.
pub(in crate::obligation) type Unrepeated = Option<(u64, Panic)>;
