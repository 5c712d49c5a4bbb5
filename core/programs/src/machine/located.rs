//! State of a machine as reports show it: an instruction by its text, and not by its number.

use std::collections::HashMap;

use refmap::internal::json;
use serde_json::Value;

use super::Machine;
use crate::state::{Pending, Progress, State, ThreadState};

/// Names of the locations of a thread: the texts of the instructions, each with its number where another one has the same, and
/// the end.
pub(super) fn names<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for text in texts.clone() {
        *counts.entry(text).or_default() += 1;
    }
    let names = texts.enumerate().map(|(at, text)| {
        if counts[text] > 1 {
            format!("{text} ({at})")
        } else {
            text.to_owned()
        }
    });
    names.chain(["the end".to_owned()]).collect()
}

impl Machine {
    /// The state with the names of locations in the place of their numbers.
    pub(super) fn located(&self, state: &State) -> Value {
        let mut shown = json(state);
        let threads = shown.get_mut("threads").and_then(Value::as_array_mut);
        let names = self.names.iter().zip(&state.threads);
        for (thread, (names, of)) in threads.into_iter().flatten().zip(names) {
            let Value::Object(fields) = thread else {
                continue;
            };
            let located = Located { names, of };
            fields.insert("next".to_owned(), located.name(of.next).into());
            fields.insert("progress".to_owned(), located.progress());
            let pending = of.pending.iter().map(|pending| located.pending(pending));
            fields.insert("pending".to_owned(), pending.collect());
        }
        shown
    }
}

/// Thread with the names of its locations.
struct Located<'m> {
    names: &'m [String],
    of: &'m ThreadState,
}

impl Located<'_> {
    fn name(&self, at: u16) -> &str {
        &self.names[usize::from(at)]
    }

    fn progress(&self) -> Value {
        match self.of.progress {
            Progress::Failed(at) => format!("failed {}", self.name(at)).into(),
            other => json(&other),
        }
    }

    /// A pending instruction with the operands that it reads.
    fn pending(&self, pending: &Pending) -> Value {
        let name = self.name(pending.at);
        if pending.operands.is_empty() {
            return name.into();
        }
        let operands: Vec<_> = pending.operands.iter().map(ToString::to_string).collect();
        format!("{name} [{}]", operands.join(", ")).into()
    }
}
