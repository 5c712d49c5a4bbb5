//! Likeness of a state and an abstract one: the number of fields of one name that have one value.
//!
//! Where several abstract states will do the one that is most like a state is taken first. So fewer pairs are looked at, and a
//! mapping is one that a person would write. Nothing that is decided depends on it.

use std::rc::Rc;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use std::hash::BuildHasher;

use super::automaton::{Automaton, Source};
use super::shown::Tree;

/// States whose fields are kept; others are like none.
const MOST_STATES: usize = 100_000;

/// Fields of a state, each as a hash of its name and its value, in their order.
type Fields = Rc<[u64]>;

/// Fields of the states of one side, as they are asked for.
#[derive(Default)]
pub(super) struct Fielded(HashMap<u32, Fields>);

impl Fielded {
    /// No state yet.
    pub fn new() -> Self {
        Self(HashMap::new())
    }

    /// Fields of a state.
    pub fn of(&mut self, side: &Automaton<'_>, state: u32) -> Fields {
        if let Some(fields) = self.0.get(&state) {
            return fields.clone();
        }
        let mut fields = Vec::new();
        if let Source::Observed(observed) = &side.source
            && self.0.len() < MOST_STATES
            && let Some(state) = observed.state(state)
        {
            collect("", &Tree::read(&format!("{state:?}")), &mut fields);
            fields.sort_unstable();
        }
        let fields: Fields = fields.into();
        self.0.insert(state, fields.clone());
        fields
    }
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
