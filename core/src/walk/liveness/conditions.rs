//! The fairness conditions that behaviours meet.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use crate::statement::fairness::Strength;

/// Conditions of a word of 64, a bit each: the number of the word, and the bits.
pub(super) type ConditionWord = (u32, u64);

/// Conditions by number, and classes of steps by the set of conditions whose actions they take.
#[derive(Clone, Debug)]
pub struct Conditions {
    strengths: Vec<Strength>,
    /// Per class, where its set begins; and where the last one ends.
    starts: Vec<usize>,
    /// The sets: the words that have any conditions, by their numbers, in order.
    sets: Vec<ConditionWord>,
    numbers: HashMap<Vec<ConditionWord>, u32>,
}

impl Conditions {
    /// The conditions of these strengths, and no class yet.
    pub fn new(strengths: impl IntoIterator<Item = Strength>) -> Self {
        let strengths: Vec<_> = strengths.into_iter().collect();
        Self {
            strengths,
            starts: vec![0],
            sets: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// Number of conditions.
    pub fn len(&self) -> usize {
        self.strengths.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.strengths.is_empty()
    }

    /// The strength of a condition.
    pub fn strength(&self, condition: usize) -> Strength {
        self.strengths[condition]
    }

    /// The class of the steps that take the actions of just these conditions.
    pub fn class(&mut self, conditions: impl IntoIterator<Item = usize>) -> u32 {
        let mut words: BTreeMap<u32, u64> = BTreeMap::new();
        for condition in conditions {
            *words.entry((condition / 64) as u32).or_default() |= 1 << (condition % 64);
        }
        let set: Vec<ConditionWord> = words.into_iter().collect();
        let next = self.numbers.len() as u32;
        let (starts, sets) = (&mut self.starts, &mut self.sets);
        *self.numbers.entry(set).or_insert_with_key(|set| {
            sets.extend(set);
            starts.push(sets.len());
            next
        })
    }

    /// Number of classes, which are numbered from 0.
    pub fn classes(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// True if a step of a class takes the action of a condition.
    pub fn takes(&self, class: u32, condition: usize) -> bool {
        let word = (condition / 64) as u32;
        let mut words = self.set(class).iter();
        words.any(|(number, set)| *number == word && set >> (condition % 64) & 1 == 1)
    }

    /// True if a step of a class takes the action of any condition.
    pub fn takes_any(&self, class: u32) -> bool {
        !self.set(class).is_empty()
    }

    /// The conditions whose actions a step of a class takes.
    #[inline]
    pub(super) fn set(&self, class: u32) -> &[ConditionWord] {
        let [start, end] = [0, 1].map(|after| self.starts[class as usize + after]);
        &self.sets[start..end]
    }

    /// Number of words that hold a bit for each condition.
    pub(super) fn words(&self) -> usize {
        self.strengths.len().div_ceil(64)
    }

    /// The conditions of a strength, a bit each.
    pub(super) fn of_strength(&self, strength: Strength) -> Vec<u64> {
        let mut set = vec![0; self.words()];
        for (condition, other) in self.strengths.iter().enumerate() {
            set[condition / 64] |= u64::from(*other == strength) << (condition % 64);
        }
        set
    }
}
