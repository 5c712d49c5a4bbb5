//! The variables of type-correct states: each is a choice of `type_correct`, with a value. A state is made of their values, and
//! of a state that was reached the values are found of which it is made.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use serde_json::Value;

use super::enumerated::{Enumerated, WrittenNumber};
use crate::statement::asked::model_call::named;
use crate::statement::asked::type_correct::Choices;
use crate::statement::erased::ErasedState;
use crate::statement::shown::json::json;

/// Values of a variable that are all tried; of more, those are that the state shows somewhere.
const FEW: u64 = 1 << 13;
/// Times that all variables are gone through in search of the values of a state.
const SWEEPS: usize = 4;

/// The variables of a system's type-correct states.
pub(super) struct Variables<'a> {
    enumerated: &'a dyn Enumerated,
    /// The choices of which the first state was made, with room for the values of others.
    choices: Choices,
    /// The greatest value of each.
    greatest: Vec<u64>,
    /// Per variable, the numbers written of the first state that change with it: where to look first.
    touched: Vec<BTreeSet<usize>>,
}

impl<'a> Variables<'a> {
    /// Those of which `type_correct` makes its first state.
    pub fn new(enumerated: &'a dyn Enumerated) -> Self {
        let mut choices = Choices::of(0);
        named("`type_correct`", || enumerated.make(&mut choices));
        let greatest: Vec<_> = choices.greatest().collect();
        let mut variables = Self {
            enumerated,
            choices,
            greatest,
            touched: Vec::new(),
        };
        let mut values = variables.least();
        let parts = |variables: &Self, values: &[u64]| {
            variables.parts(ComparedBy::Written, &variables.make(values))
        };
        let first = parts(&variables, &values);
        for place in 0..values.len() {
            values[place] = variables.greatest[place].min(1);
            let parts = parts(&variables, &values);
            let touched = differing(&first, &parts).collect();
            variables.touched.push(touched);
            values[place] = 0;
        }
        variables
    }

    /// The greatest value of each.
    pub fn greatest(&self) -> &[u64] {
        &self.greatest
    }

    /// The values of the first state.
    pub fn least(&self) -> Vec<u64> {
        vec![0; self.greatest.len()]
    }

    /// The values of the state of a number in a pass over all.
    pub fn of_number(&self, number: u64) -> Vec<u64> {
        let mut rest = number;
        let value = |most: &u64| {
            let radix = u128::from(*most) + 1;
            let value = u128::from(rest) % radix;
            rest = (u128::from(rest) / radix) as u64;
            value as u64
        };
        self.greatest.iter().map(value).collect()
    }

    /// The state of these values.
    pub fn make(&self, values: &[u64]) -> ErasedState {
        let mut choices = self.choices.clone();
        choices.choose(values);
        named("`type_correct`", || {
            let made = self.enumerated.make(&mut choices);
            choices.finish(values.len());
            made
        })
    }

    /// The values of which a state is made, sought from those of a state that is much the same; none if they were not found, as where
    /// the state is not type-correct.
    pub fn find(&self, state: &ErasedState, near: &[u64]) -> Option<Vec<u64>> {
        let written = self.numbers(state);
        if let Some(written) = &written {
            let greatest = written.iter().map(|number| &number.most);
            let values: Vec<_> = written.iter().map(|number| number.value).collect();
            // Where `type_correct` reads what is written, that is all.
            if greatest.eq(&self.greatest) && self.make(&values) == *state {
                return Some(values);
            }
        }
        let first = self.least();
        let starts = [near, &first];
        let starts = &starts[..1 + usize::from(near != first)];
        // A number may have several variables in it, so that it says less of how near a state is than what is shown of it.
        let ways: &[ComparedBy] = match written {
            Some(_) => &[ComparedBy::Written, ComparedBy::Shown],
            None => &[ComparedBy::Shown],
        };
        ways.iter().find_map(|way| {
            let parts = self.parts(*way, state);
            let descend = |start: &&[u64]| self.descend(*way, start.to_vec(), state, &parts);
            starts.iter().find_map(descend)
        })
    }

    /// Goes from state to state, one variable at a time, as long as it comes nearer to `state`.
    fn descend(
        &self,
        way: ComparedBy,
        mut values: Vec<u64>,
        state: &ErasedState,
        wanted: &[u64],
    ) -> Option<Vec<u64>> {
        let parts = |values: &[u64]| self.parts(way, &self.make(values));
        let apart = |values: &[u64]| way.distance(&parts(values), wanted);
        let mut distance = apart(&values);
        for sweep in 0..=SWEEPS {
            let before = distance;
            // Mostly those suffice that touch what differs.
            let open: BTreeSet<_> = differing(&parts(&values), wanted).collect();
            for place in 0..values.len() {
                if distance == 0 {
                    break;
                }
                let is_left_out = way == ComparedBy::Written && sweep == 0;
                if is_left_out && self.touched[place].is_disjoint(&open) {
                    continue;
                }
                let mut best = values[place];
                for value in self.tried(place, wanted) {
                    values[place] = value;
                    let now = apart(&values);
                    if now < distance {
                        (distance, best) = (now, value);
                    }
                }
                values[place] = best;
            }
            if distance == 0 || sweep > 0 && distance == before {
                break;
            }
        }
        (distance == 0 && self.make(&values) == *state).then_some(values)
    }

    /// The values of a variable that are tried.
    fn tried(&self, place: usize, wanted: &[u64]) -> Vec<u64> {
        let most = self.greatest[place];
        if most < FEW {
            return (0..=most).collect();
        }
        let shown = wanted.iter().copied();
        shown.filter(|value| *value <= most).collect()
    }

    /// The numbers that are written of a state, if it is not kept whole.
    fn numbers(&self, state: &ErasedState) -> Option<Vec<WrittenNumber>> {
        named("`write` of a state", || self.enumerated.numbers(state))
    }

    /// The parts of a state, by which states are compared.
    fn parts(&self, way: ComparedBy, state: &ErasedState) -> Vec<u64> {
        match way {
            ComparedBy::Written => {
                let written = self.numbers(state).into_iter().flatten();
                written.map(|number| number.value).collect()
            }
            ComparedBy::Shown => {
                let mut parts = Vec::new();
                flatten(&json(state), &mut parts);
                parts
            }
        }
    }
}

/// Form of states in which they are compared.
#[derive(Clone, Copy, PartialEq)]
enum ComparedBy {
    /// By the numbers that are written of them.
    Written,
    /// By what is shown of them.
    Shown,
}

impl ComparedBy {
    /// Distance of two states of these parts: 0 if none differs.
    fn distance(self, one: &[u64], other: &[u64]) -> usize {
        let bits = |place: usize| match (self, one.get(place), other.get(place)) {
            (Self::Written, Some(one), Some(other)) => (one ^ other).count_ones() as usize,
            _ => 1,
        };
        differing(one, other).map(bits).sum()
    }
}

/// The parts of a value: numbers, and hashes of names.
fn flatten(value: &Value, parts: &mut Vec<u64>) {
    let hash = |text: &str| FixedState::default().hash_one(text);
    match value {
        Value::Array(values) => {
            for value in values {
                flatten(value, parts);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                parts.push(hash(name));
                flatten(value, parts);
            }
        }
        Value::Number(number) => {
            let number = number.as_u64();
            parts.push(number.unwrap_or_else(|| hash(&value.to_string())));
        }
        Value::Bool(value) => parts.push(u64::from(*value)),
        Value::String(text) => parts.push(hash(text)),
        Value::Null => parts.push(hash("")),
    }
}

/// The places of the parts that differ.
fn differing<'p>(one: &'p [u64], other: &'p [u64]) -> impl Iterator<Item = usize> + 'p {
    let most = one.len().max(other.len());
    (0..most).filter(|place| one.get(*place) != other.get(*place))
}
