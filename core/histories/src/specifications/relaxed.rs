//! Queue out of order.

use refmap::TransitionSystem;

use super::answer::Answer;
use super::operation::Operation;
use super::queue::Call;
use super::sequence::Sequence;
use super::sequential::Sequential;
use super::value::Value;

/// Queue out of order: a pop answers one of the oldest values, of which there are so many; nothing only if there is none.
///
/// Left out: stacks. Of equal values it would matter there which one is popped, and an operation would not say it.
///
/// Source: Henzinger, Kirsch, Payer, Sezgin & Sokolova, *Quantitative relaxation of concurrent data structures*, POPL 2013: the
/// out-of-order relaxation by k.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relaxed<V> {
    /// Number of the oldest values of which a pop answers one, at least 1; with 1 it is a [`Queue`](super::Queue).
    pub within: usize,
    /// The values in it at first, the oldest first.
    pub initial: Vec<V>,
    /// The values that [`next`](TransitionSystem::next) pushes, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V: Value> Relaxed<V> {
    /// Places of the values that a pop may answer, the oldest of equal ones: which of these is taken makes no difference, as it makes
    /// none in what order the oldest are.
    fn places(&self, from: &Sequence<V>) -> Vec<usize> {
        let oldest = from.values.iter().take(self.within.max(1));
        let oldest: Vec<_> = oldest.collect();
        let is_first = |at: &usize| !oldest[..*at].contains(&oldest[*at]);
        (0..oldest.len()).filter(is_first).collect()
    }
}

impl<V: Value> TransitionSystem for Relaxed<V> {
    type State = Sequence<V>;
    type Action = Operation<Call<V>, Answer<V>>;
    type Observation = Sequence<V>;

    fn initial(&self, visit: &mut impl FnMut(Sequence<V>)) {
        visit(self.initial.iter().cloned().collect());
    }

    fn next(&self, from: &Sequence<V>, visit: &mut impl FnMut(Self::Action, Sequence<V>)) {
        let pushes = self.values.iter().cloned().map(Call::Push);
        for call in [Call::Pop].into_iter().chain(pushes) {
            self.answers(from, &call, &mut |answer| {
                let call = call.clone();
                let operation = Operation { call, answer };
                refmap::offer(visit, operation.clone(), || {
                    self.successor(from, &operation)
                });
            });
        }
    }

    fn observe(&self, state: &Sequence<V>) -> Sequence<V> {
        state.clone()
    }

    fn successor(&self, from: &Sequence<V>, operation: &Self::Action) -> Option<Sequence<V>> {
        let mut to = from.clone();
        match (&operation.call, &operation.answer) {
            (Call::Push(value), Answer::Nothing) => to.values.push_back(value.clone()),
            (Call::Pop, Answer::Value(value)) => {
                let mut oldest = from.values.iter().take(self.within.max(1));
                let at = oldest.position(|known| known == value)?;
                to.values.remove(at);
            }
            (Call::Pop, Answer::Nothing) if from.values.is_empty() => (),
            _ => return None,
        }
        Some(to)
    }
}

impl<V: Value> Sequential for Relaxed<V> {
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn answers(&self, from: &Sequence<V>, call: &Call<V>, visit: &mut impl FnMut(Answer<V>)) {
        match call {
            Call::Push(_) => visit(Answer::Nothing),
            Call::Pop if from.values.is_empty() => visit(Answer::Nothing),
            Call::Pop => {
                let places = self.places(from).into_iter();
                let values = places.map(|at| from.values[at].clone());
                values.map(Answer::Value).for_each(visit);
            }
        }
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one, other), (Call::Push(one), Call::Push(other)) if one == other)
    }
}
