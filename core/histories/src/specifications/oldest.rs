//! Foresight of queues, of which a pop answers the oldest value.

use foldhash::{HashMap, HashMapExt};

use super::answer::Answer;
use super::collections::Sequence;
use super::operation::Called;
use super::sequential::{Foresight, Sequential};
use super::value::Value;

/// Foresight of a queue.
pub(super) struct Oldest<C, V> {
    /// True if a pop answers the oldest value. Otherwise nothing is foreseen.
    pub is_popped: bool,
    /// Value that a call pushes; it is a pop if there is none.
    pub pushed: fn(&C) -> Option<&V>,
}

impl<C, V: Value> Oldest<C, V> {
    fn is_pop(&self, operation: &Called<C, Answer<V>>) -> bool {
        (self.pushed)(&operation.call).is_none()
    }

    /// Answer of a pop, if it is known.
    fn popped<'a>(&self, operation: &'a Called<C, Answer<V>>) -> Option<Option<&'a V>> {
        match &operation.answer {
            Some(Answer::Value(value)) if self.is_pop(operation) => Some(Some(value)),
            Some(Answer::Nothing) if self.is_pop(operation) => Some(None),
            _ => None,
        }
    }
}

impl<S, V: Value> Foresight<S> for Oldest<S::Call, V>
where
    S: Sequential<State = Sequence<V>, Answer = Answer<V>>,
{
    /// An answer that is known confirms the order of what was pushed.
    fn confirms(&self, operation: &Called<S::Call, Answer<V>>) -> bool {
        self.is_popped && self.popped(operation).is_some()
    }

    /// To a pop matters another pop, and a push of the value that it answers.
    fn matters(
        &self,
        operation: &Called<S::Call, Answer<V>>,
        other: &Called<S::Call, Answer<V>>,
    ) -> bool {
        let popped = self.popped(operation);
        popped.is_some_and(|answer| match (self.pushed)(&other.call) {
            Some(value) => answer == Some(value) && other.answer != Some(Answer::Is(false)),
            None => other.answer != Some(Answer::Nothing),
        })
    }

    /// A pop answers the oldest value: those before it have to be popped, each by a pop that may have answered it.
    fn is_hopeless<'e>(
        &self,
        from: &Sequence<V>,
        operation: &Called<S::Call, Answer<V>>,
        others: impl Iterator<Item = &'e Called<S::Call, Answer<V>>> + Clone,
    ) -> bool {
        let Some(answer) = self.popped(operation) else {
            return false;
        };
        let mut others = others.filter(|other| Foresight::<S>::matters(self, operation, other));
        let place = answer.and_then(|answer| from.iter().position(|value| value == answer));
        if answer.is_some() && place.is_none() && others.clone().all(|other| self.is_pop(other)) {
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
            let is_popped = match self.popped(other).flatten() {
                _ if !self.is_pop(other) => false,
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
}
