//! Priority queue: a pop answers the least value.

use im::OrdMap;
use refmap::{Action, State, TransitionSystem};
use serde::{Deserialize, Serialize, Serializer};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// Priority queue: a pop answers the least value. Equal values are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityQueue<V> {
    /// The values in it at first.
    pub initial: Vec<V>,
    /// The values that [`next`](TransitionSystem::next) pushes, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for PriorityQueue<V> {
    fn default() -> Self {
        Self {
            initial: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Call of a priority queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 15: priority queue"
)]
pub enum Call<V: Value> {
    /// Adds a value; answers nothing.
    Push(V),
    /// Removes the least value, and answers it; nothing if there is none.
    Pop,
}

/// Multiset of values. It is cheap to copy, whatever its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Multiset<V: Value + Ord> {
    /// The number of times that a value is in it, which is not 0.
    #[serde(serialize_with = "as_list")]
    values: OrdMap<V, u64>,
}

impl<V: Value + Ord, S: ?Sized> State<S> for Multiset<V> {}

impl<V: Value + Ord> Multiset<V> {
    /// The values, the least first, each as often as it is there.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        let values = self.values.iter();
        values.flat_map(|(value, times)| (0..*times).map(move |_| value))
    }

    fn add(&mut self, value: V) {
        *self.values.entry(value).or_insert(0) += 1;
    }

    fn pop_least(&mut self) -> Option<V> {
        let (value, times) = self.values.get_min().cloned()?;
        match times {
            1 => self.values.remove(&value),
            _ => self.values.insert(value.clone(), times - 1),
        };
        Some(value)
    }
}

impl<V: Value + Ord> FromIterator<V> for Multiset<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let mut all = Self {
            values: OrdMap::new(),
        };
        values.into_iter().for_each(|value| all.add(value));
        all
    }
}

fn as_list<V: Value + Ord, S: Serializer>(
    values: &OrdMap<V, u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let values = values.iter();
    serializer.collect_seq(values.flat_map(|(value, times)| (0..*times).map(move |_| value)))
}

impl<V: Value> Answered for Call<V> {
    type Value = V;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Push(_) => AnswerKind::Nothing,
            Self::Pop => AnswerKind::ValueOrNothing,
        }
    }
}

impl<V: Value + Ord> Deterministic for PriorityQueue<V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn execute(&self, state: &mut Multiset<V>, call: &Self::Call) -> Option<Self::Answer> {
        Some(match call {
            Call::Push(value) => {
                state.add(value.clone());
                Answer::Nothing
            }
            Call::Pop => state.pop_least().into(),
        })
    }
}

impl<V: Value + Ord> TransitionSystem for PriorityQueue<V> {
    type State = Multiset<V>;
    type Action = Operation<Call<V>, Answer<V>>;
    type Observation = Multiset<V>;

    fn initial(&self, visit: &mut impl FnMut(Multiset<V>)) {
        visit(self.initial.iter().cloned().collect());
    }

    executed_steps!();
}

impl<V: Value + Ord> Sequential for PriorityQueue<V> {
    type Call = Call<V>;
    type Answer = Answer<V>;

    executed_answers!();

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        matches!((one, other), (Call::Push(_), Call::Push(_)))
    }
}
