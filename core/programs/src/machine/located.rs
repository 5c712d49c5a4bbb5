//! State of a machine as reports show it: an instruction by its text, and not by its number.

use refmap::internal::json;
use serde_json::Value;

use super::Machine;
use crate::state::{Pending, Progress, State, ThreadState};

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

#[cfg(test)]
mod tests {
    use refmap::TransitionSystem;
    use refmap::internal::first_initial;
    use serde_json::json;

    use super::*;
    use crate::{MemoryModel, ProgramBuilder};

    /// Instructions are shown by their texts, with their numbers where two have the same.
    #[test]
    fn a_thread_is_shown_at_its_instructions() {
        let mut program = ProgramBuilder::new("twice");
        let x = program.location("x", 0);
        program.thread("a", |t| {
            let r = t.register("r");
            t.store(x, 1);
            t.load(r, x);
            t.store(x, r + 1);
            t.store(x, 1);
        });
        program.thread("b", |t| {
            let s = t.register("s");
            t.atomic(|t| {
                t.load(s, x);
                t.store(x, s + 1);
            });
        });
        let program = program.build().expect("it is well formed");
        let machine = Machine::new(program, MemoryModel::Sc);
        let state = first_initial(&machine).expect("there is one");
        let threads = &machine.show(&state)["threads"];
        assert_eq!(
            threads[0]["pending"],
            json!([
                "x := 1 (0)",
                "r := x",
                "x := r + 1 [pending 1]",
                "x := 1 (3)"
            ])
        );
        assert_eq!(threads[0]["next"], "the end");
        assert_eq!(
            (&threads[1]["pending"], &threads[1]["next"]),
            (&json!([]), &json!("atomic"))
        );
        assert_eq!(threads[0]["progress"], "running");
        // All else is as the state serialises it.
        assert_eq!(machine.show(&state)["memory"], json(&state)["memory"]);
    }
}
