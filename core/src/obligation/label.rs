//! What a step means to the obligations that are decided on the complete graph.

use std::sync::Mutex;

use foldhash::{HashMap, HashMapExt};

/// What is kept of a step beside its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Label {
    /// The process of the environment that takes the step, or on whose behalf it is taken.
    pub agent: Option<u8>,
    /// Whether it is answered by an action.
    pub visible: bool,
    /// The number of that action's inputs, if it is one of the environment.
    pub input: Option<u32>,
    /// The place of the rule, and the number of the process, if fairness is asked for.
    pub taken: Option<(u32, Option<u16>)>,
}

/// The labels of a graph, by number, in the order in which they turned up.
pub(super) struct Labels(Mutex<Vec<Label>>);

/// The labels that a worker has met.
pub(super) type Known = HashMap<Label, u32>;

impl Labels {
    pub fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// None that a worker has met.
    pub fn known() -> Known {
        Known::new()
    }

    /// The number of a label.
    #[inline]
    pub fn number(&self, known: &mut Known, label: Label) -> u32 {
        *known.entry(label).or_insert_with_key(|label| {
            let mut all = self.0.lock().expect("no holder of this lock panics");
            let number = all.iter().position(|other| other == label);
            number.unwrap_or_else(|| {
                all.push(*label);
                all.len() - 1
            }) as u32
        })
    }

    /// All of them, by number.
    pub fn all(&self) -> Vec<Label> {
        self.0
            .lock()
            .expect("no holder of this lock panics")
            .clone()
    }
}
