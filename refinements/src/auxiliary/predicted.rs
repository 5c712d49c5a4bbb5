//! Predictions of the order in which the elements of a queue are received, and the queue that is in this order.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6: POFifo with a prophecy variable `p`, a sequence of as many elements
//! as there are in the queue, and the queue of Fifo as a history variable.
//!
//! A prediction that is wrong is found out later, and meanwhile operations go on: their elements come after those that are as
//! predicted, and none of them is received.

use std::collections::BTreeMap;

use refmap::auxiliary::Fate;

/// Predictions of a prophecy variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Predicts {
    /// Everything that may happen.
    Everything,
    /// Everything that is possible already. Wrong: what becomes possible later happens too.
    ThePresent,
}

/// Fate of the prediction of what is received after `place` others, when `received` is received.
pub fn fate<E: Eq>(place: usize, predicted: &E, received: &E) -> Fate<usize> {
    match place.checked_sub(1) {
        None => Fate::Fulfil {
            comes_true: predicted == received,
        },
        Some(earlier) => Fate::Keep(earlier),
    }
}

/// Appends to a queue the elements that are predicted next, as long as they are there. Nothing is appended any more when the queue is
/// not as predicted.
pub fn extend<E: Copy + Eq>(
    queue: &mut Vec<E>,
    predicted: &BTreeMap<usize, E>,
    is_there: impl Fn(E) -> bool,
) {
    let mut places = queue.iter().enumerate();
    if !places.all(|(place, element)| predicted.get(&place) == Some(element)) {
        return;
    }
    while let Some(next) = predicted.get(&queue.len()).copied() {
        if !is_there(next) || queue.contains(&next) {
            return;
        }
        queue.push(next);
    }
}
