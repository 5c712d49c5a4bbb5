//! Sequence of values, as a persistent vector.

use foldhash::{HashMap, HashMapExt};
use im::Vector;
use refmap::State;
use serde::{Serialize, Serializer};

use super::answer::Answer;
use super::operation::Called;
use super::value::Value;

/// Sequence of values, the oldest first. It is cheap to copy, whatever its length.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Sequence<V: Value> {
    #[serde(serialize_with = "as_list")]
    pub(super) values: Vector<V>,
}

impl<V: Value, S: ?Sized> State<S> for Sequence<V> {}

impl<V: Value> Sequence<V> {
    /// The values, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.values.iter()
    }
}

/// Call of a queue.
pub(super) trait Queued<V> {
    /// Value that it pushes; it is a pop if there is none.
    fn pushed(&self) -> Option<&V>;
}

/// Recorded operation of a queue.
type Recorded<C, V> = Called<C, Answer<V>>;

/// Answer of a pop, if it is known.
fn popped<V: Value, C: Queued<V>>(operation: &Recorded<C, V>) -> Option<Option<&V>> {
    let Called { call, answer } = operation;
    match answer {
        Some(Answer::Value(value)) if call.pushed().is_none() => Some(Some(value)),
        Some(Answer::Nothing) if call.pushed().is_none() => Some(None),
        _ => None,
    }
}

/// True if it is known what a pop answers: that confirms the order of what was pushed.
pub(super) fn confirms<V: Value, C: Queued<V>>(operation: &Recorded<C, V>) -> bool {
    popped(operation).is_some()
}

/// True if another operation matters to a pop: another pop, and a push of the value that it answers.
pub(super) fn matters<V: Value, C: Queued<V>>(
    operation: &Recorded<C, V>,
    other: &Recorded<C, V>,
) -> bool {
    popped(operation).is_some_and(|answer| match other.call.pushed() {
        Some(value) => answer == Some(value) && other.answer != Some(Answer::Is(false)),
        None => other.answer != Some(Answer::Nothing),
    })
}

/// True if no sequence of others of the operations leads from this queue to one of which a pop answers what this one does. It answers the
/// oldest value: those before it have to be popped, each by a pop that may have answered it.
pub(super) fn is_hopeless<'e, V: Value, C: Queued<V> + 'e>(
    from: &Sequence<V>,
    operation: &Recorded<C, V>,
    others: impl Iterator<Item = &'e Recorded<C, V>> + Clone,
) -> bool {
    let Some(answer) = popped(operation) else {
        return false;
    };
    let mut others = others.filter(|other| matters(operation, other));
    let place = answer.and_then(|answer| from.iter().position(|value| value == answer));
    let is_pushed = |other: &Recorded<C, V>| other.call.pushed().is_some();
    if answer.is_some() && place.is_none() && !others.clone().any(is_pushed) {
        return true;
    }
    let mut ahead = place.unwrap_or(from.values.len());
    let mut left = HashMap::new();
    for value in from.iter().take(ahead) {
        *left.entry(value).or_insert(0_usize) += 1;
    }
    while ahead > 0
        && let Some(other) = others.next()
    {
        let is_popped = match popped(other).flatten() {
            _ if is_pushed(other) => false,
            None => true,
            Some(value) => match left.get_mut(value) {
                Some(number) if *number > 0 => {
                    *number -= 1;
                    true
                }
                Some(_) | None => false,
            },
        };
        ahead -= usize::from(is_popped);
    }
    ahead > 0
}

impl<V: Value> FromIterator<V> for Sequence<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter().collect();
        Self { values }
    }
}

fn as_list<V: Value, S: Serializer>(values: &Vector<V>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values)
}
