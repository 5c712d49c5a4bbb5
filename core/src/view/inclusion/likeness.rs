//! Likeness of a state and an abstract one: the number of fields of one name that have one value.
//!
//! Among several abstract states that will do, the one that is most like a state is taken first. So fewer pairs are looked at, and a
//! mapping is one that a person would write. Nothing that is decided depends on it.

use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::HashMap;
use foldhash::fast::FixedState;

use super::automaton::{Automaton, Source};
use super::explicit::Graph;
use super::shown::Tree;

/// States whose fields are kept; others are like none.
const MOST_STATES: usize = 100_000;

/// Fields of a state, each as a hash of its name and its value, in their order.
type Fields = Rc<[u64]>;

/// Number of steps up to which what two explicit states may do is compared.
const ROUNDS: usize = 6;

/// Fields of the states of one side, as they are asked for.
#[derive(Default)]
pub(super) struct Fielded {
    observed: HashMap<u32, Fields>,
    /// Those of every explicit state, once one is asked for.
    explicit: Vec<Fields>,
}

impl Fielded {
    /// Fields of a state: those that it shows, or, of an explicit one, what it may do, and as much its number: where one system was made
    /// of the other, the states of one number belong together, however many steps were added.
    pub fn of(&mut self, side: &mut Automaton<'_>, state: u32) -> Fields {
        if let Source::Explicit(graph) = side.source {
            if self.explicit.is_empty() {
                self.explicit = of_explicit(graph, side);
            }
            return self.explicit[state as usize].clone();
        }
        if let Some(fields) = self.observed.get(&state) {
            return fields.clone();
        }
        let mut fields = Vec::new();
        if let Source::Observed(observed) = &side.source
            && self.observed.len() < MOST_STATES
            && let Some(state) = observed.state(state)
        {
            collect("", &Tree::read(&format!("{state:?}")), &mut fields);
            fields.sort_unstable();
        }
        let fields: Fields = fields.into();
        self.observed.insert(state, fields.clone());
        fields
    }
}

fn of_explicit(graph: &Graph, side: &mut Automaton<'_>) -> Vec<Fields> {
    let hasher = FixedState::default();
    let states = unfolded(side).into_iter().enumerate();
    let fields = states.map(|(state, may_do)| {
        let number = hasher.hash_one(("number", graph.exchanged(state as u32)));
        let mut fields = [may_do, [number; ROUNDS]].concat();
        fields.sort_unstable();
        fields.into()
    });
    fields.collect()
}

/// Hashes of what each state may do within some numbers of steps.
fn unfolded(side: &mut Automaton<'_>) -> Vec<[u64; ROUNDS]> {
    let hasher = FixedState::default();
    let states = side.numbers();
    let mut unfolded = vec![[0; ROUNDS]; states];
    let mut before = vec![0; states];
    for round in 0..ROUNDS {
        for (state, unfolded) in unfolded.iter_mut().enumerate() {
            let steps = side.steps(state as u32);
            let hashes = steps.map(|place| {
                let edge = side.edge(place);
                hasher.hash_one((edge.label, before[edge.to as usize]))
            });
            let mut hashes: Vec<u64> = hashes.collect();
            hashes.sort_unstable();
            hashes.dedup();
            unfolded[round] = hasher.hash_one((round, hashes));
        }
        for (before, unfolded) in before.iter_mut().zip(&unfolded) {
            *before = unfolded[round];
        }
    }
    unfolded
}

/// Number of fields that two states share.
pub(super) fn shared(one: &[u64], other: &[u64]) -> usize {
    let mut rest = other.iter().peekable();
    let is_shared = |field: &&u64| {
        while rest.next_if(|other| other < field).is_some() {}
        rest.next_if(|other| other == field).is_some()
    };
    one.iter().filter(is_shared).count()
}

/// Notes the leaves of a value by the last name on the way to them, with the indices after it.
fn collect(way: &str, tree: &Tree, fields: &mut Vec<u64>) {
    let ways = tree.ways();
    if ways.is_empty() {
        let hasher = FixedState::default();
        fields.push(hasher.hash_one((way, tree.to_string())));
    }
    for (index, name) in ways.iter().enumerate() {
        let is_name = name
            .strip_prefix('.')
            .is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
        let way = if is_name {
            name.clone()
        } else {
            format!("{way}{name}")
        };
        collect(&way, tree.part(index), fields);
    }
}
