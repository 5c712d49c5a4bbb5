//! Queue out of order.

use super::{Answer, Sequence, Sequential, Value, queue::Call};

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
    /// The values that its [calls](Sequential::calls) push, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V: Value> Sequential for Relaxed<V> {
    type State = Sequence<V>;
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Sequence<V> {
        self.initial.iter().cloned().collect()
    }

    fn execute(&self, call: &Call<V>, state: &mut Sequence<V>) -> Option<Answer<V>> {
        Some(match call {
            Call::Push(value) => {
                state.values.push_back(value.clone());
                Answer::Nothing
            }
            Call::Pop => state.values.pop_front().into(),
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn other_answers(&self, call: &Call<V>, from: &Sequence<V>, visit: &mut impl FnMut(Answer<V>)) {
        if *call == Call::Pop {
            let others = from.values.iter().take(self.within).skip(1);
            others.cloned().map(Answer::Value).for_each(visit);
        }
    }

    /// Of equal values the oldest is popped: that makes no difference, as it makes none in what order the oldest are.
    fn execute_with(&self, _: &Call<V>, answer: &Answer<V>, state: &mut Sequence<V>) {
        let mut values = state.values.iter();
        if let Answer::Value(popped) = answer
            && let Some(place) = values.position(|value| value == popped)
        {
            state.values.remove(place);
        }
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one, other), (Call::Push(one), Call::Push(other)) if one == other)
    }
}
