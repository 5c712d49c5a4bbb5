//! Set of values.

use std::collections::BTreeSet;

use im::OrdSet;
use refmap::{Action, State, TransitionSystem};
use serde::{Deserialize, Serialize, Serializer};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// Set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<V> {
    /// The values in it at first.
    pub initial: BTreeSet<V>,
    /// The values with which [`next`](TransitionSystem::next) calls, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for Set<V> {
    fn default() -> Self {
        Self {
            initial: BTreeSet::new(),
            values: Vec::new(),
        }
    }
}

/// Call of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 9: set"
)]
pub enum Call<V: Value> {
    /// Adds a value; answers whether it was missing.
    Add(V),
    /// Removes a value; answers whether it was there.
    Remove(V),
    /// Answers whether a value is there.
    Contains(V),
    /// Answers the set, as a list.
    #[rule(source = "Afek et al., *Atomic snapshots of shared memory*, JACM 40(4), 1993: scan")]
    All,
}

impl<V: Value> Call<V> {
    /// The value that the call names, if it names one.
    fn value(&self) -> Option<&V> {
        match self {
            Self::Add(value) | Self::Remove(value) | Self::Contains(value) => Some(value),
            Self::All => None,
        }
    }
}

/// Elements of a set. They are cheap to copy, however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Elements<V: Value + Ord> {
    #[serde(serialize_with = "as_list")]
    values: OrdSet<V>,
}

impl<V: Value + Ord, S: ?Sized> State<S> for Elements<V> {}

impl<V: Value + Ord> Elements<V> {
    /// The values, the least first.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        self.values.iter()
    }
}

impl<V: Value + Ord> FromIterator<V> for Elements<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter().collect();
        Self { values }
    }
}

fn as_list<V: Value + Ord, S: Serializer>(
    values: &OrdSet<V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values)
}

impl<V: Value + Ord> Answered for Call<V> {
    type Value = BTreeSet<V>;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Add(_) | Self::Remove(_) | Self::Contains(_) => AnswerKind::Is,
            Self::All => AnswerKind::Value,
        }
    }
}

impl<V: Value + Ord> Deterministic for Set<V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::All);
        for value in &self.values {
            visit(Call::Add(value.clone()));
            visit(Call::Remove(value.clone()));
            visit(Call::Contains(value.clone()));
        }
    }

    fn execute(&self, state: &mut Elements<V>, call: &Self::Call) -> Option<Self::Answer> {
        Some(match call {
            Call::Add(value) => {
                let is_missing = !state.values.contains(value);
                if is_missing {
                    state.values.insert(value.clone());
                }
                Answer::Is(is_missing)
            }
            Call::Remove(value) => Answer::Is(state.values.remove(value).is_some()),
            Call::Contains(value) => Answer::Is(state.values.contains(value)),
            Call::All => Answer::Value(state.iter().cloned().collect()),
        })
    }
}

impl<V: Value + Ord> TransitionSystem for Set<V> {
    type State = Elements<V>;
    type Action = Operation<Call<V>, Answer<BTreeSet<V>>>;
    type Observation = Elements<V>;

    fn initial(&self, visit: &mut impl FnMut(Elements<V>)) {
        visit(self.initial.iter().cloned().collect());
    }

    executed_steps!();
}

impl<V: Value + Ord> Sequential for Set<V> {
    type Call = Call<V>;
    type Answer = Answer<BTreeSet<V>>;

    executed_answers!();

    fn only_looks(&self, call: &Self::Call) -> bool {
        matches!(call, Call::Contains(_) | Call::All)
    }

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        let are_apart =
            matches!((one.value(), other.value()), (Some(one), Some(other)) if one != other);
        are_apart || self.only_looks(one) && self.only_looks(other)
    }
}
