//! Register: a value that is read, written, and compared and swapped.

use refmap::State;
use serde::Serialize;

use super::{Answer, Sequential, Value};
use crate::calls;

/// Register: a value that is read, written, and compared and swapped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register<V> {
    /// The value at first.
    pub initial: V,
    /// The values of its [calls](Sequential::calls), each once. A history may have others.
    pub values: Vec<V>,
}

calls! {
    /// Call of a register.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Lamport, *On interprocess communication*, part II, 1986: atomic registers"
    )]
    pub enum Call<V: Value> -> V {
        /// Answers the value.
        Read -> Value,
        /// Writes a value; answers nothing.
        Write(V) -> Nothing,
        /// Writes `to` if the value is `from`; answers whether it was.
        #[rule(source = "Herlihy, *Wait-free synchronization*, TOPLAS 13(1), 1991: compare&swap")]
        CompareAndSwap {
            /// The value expected.
            from: V,
            /// The new value.
            to: V,
        } -> Is,
    }
}

/// Contents of a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Contents<V: Value> {
    /// The value.
    pub value: V,
}

impl<V: Value, S: ?Sized> State<S> for Contents<V> {}

impl<V: Value> Sequential for Register<V> {
    type State = Contents<V>;
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Contents<V> {
        let value = self.initial.clone();
        Contents { value }
    }

    fn execute(&self, call: &Call<V>, state: &mut Contents<V>) -> Option<Answer<V>> {
        Some(match call {
            Call::Read => Answer::Value(state.value.clone()),
            Call::Write(value) => {
                state.value = value.clone();
                Answer::Nothing
            }
            Call::CompareAndSwap { from, .. } if state.value != *from => Answer::Is(false),
            Call::CompareAndSwap { to, .. } => {
                state.value = to.clone();
                Answer::Is(true)
            }
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::Read);
        for value in &self.values {
            visit(Call::Write(value.clone()));
            for to in &self.values {
                let (from, to) = (value.clone(), to.clone());
                visit(Call::CompareAndSwap { from, to });
            }
        }
    }

    fn only_looks(&self, call: &Call<V>) -> bool {
        match call {
            Call::Read => true,
            Call::Write(_) => false,
            Call::CompareAndSwap { from, to } => from == to,
        }
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one, other), (Call::Write(one), Call::Write(other)) if one == other)
    }
}
