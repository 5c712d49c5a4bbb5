//! The fairness conditions that behaviours meet.

use std::fmt::{self, Display};

use foldhash::{HashMap, HashMapExt};
use serde::{Deserialize, Serialize};

/// How much a condition demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The action is taken infinitely often, or infinitely often it is not enabled.
    Weak,
    /// The action is taken infinitely often, or from some time on it is never enabled.
    Strong,
}

impl Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        })
    }
}

/// Conditions by number, and classes of steps by the set of conditions whose actions they take.
#[derive(Clone, Debug)]
pub struct Conditions {
    strengths: Vec<Strength>,
    /// How many words a set of conditions takes.
    words: usize,
    /// Per class, its set.
    classes: Vec<u64>,
    numbers: HashMap<Vec<u64>, u32>,
}

impl Conditions {
    /// The conditions of these strengths, and no class yet.
    pub fn new(strengths: impl IntoIterator<Item = Strength>) -> Self {
        let strengths: Vec<_> = strengths.into_iter().collect();
        Self {
            words: strengths.len().div_ceil(64),
            strengths,
            classes: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// How many conditions there are.
    pub fn len(&self) -> usize {
        self.strengths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.strengths.is_empty()
    }

    /// The strength of a condition.
    pub fn strength(&self, condition: usize) -> Strength {
        self.strengths[condition]
    }

    /// The class of the steps that take the actions of just these conditions.
    pub fn class(&mut self, conditions: impl IntoIterator<Item = usize>) -> u32 {
        let mut set = vec![0; self.words];
        for condition in conditions {
            set[condition / 64] |= 1 << (condition % 64);
        }
        let next = self.numbers.len() as u32;
        let classes = &mut self.classes;
        *self.numbers.entry(set).or_insert_with_key(|set| {
            classes.extend(set);
            next
        })
    }

    /// How many classes there are; their numbers are below.
    pub fn classes(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// Whether a step of a class takes the action of a condition.
    pub fn takes(&self, class: u32, condition: usize) -> bool {
        self.set(class)[condition / 64] >> (condition % 64) & 1 == 1
    }

    /// Whether a step of a class takes the action of any condition.
    pub fn takes_any(&self, class: u32) -> bool {
        self.set(class).iter().any(|word| *word != 0)
    }

    /// The conditions whose actions a step of a class takes, a bit each.
    pub(super) fn set(&self, class: u32) -> &[u64] {
        let start = class as usize * self.words;
        &self.classes[start..start + self.words]
    }

    /// The words of a set.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The conditions of a strength, a bit each.
    pub(super) fn of_strength(&self, strength: Strength) -> Vec<u64> {
        let mut set = vec![0; self.words];
        for (condition, other) in self.strengths.iter().enumerate() {
            set[condition / 64] |= u64::from(*other == strength) << (condition % 64);
        }
        set
    }
}
