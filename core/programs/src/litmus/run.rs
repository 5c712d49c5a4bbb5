//! Decision procedure for litmus tests under a memory model.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use super::limits::BACKWARD_JUMPS;
use super::proposition::Quantifier;
use super::test::{Column, ColumnSource, Test};
use crate::ends::{Limits, ends_within};
use crate::{Fault, Machine, MemoryModel, Outcome, ThreadEnd, TooManyStates, Value};

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// Greatest number of states.
    pub states: u64,
    /// Approximate greatest number of bytes of states. The states of a large test are large, so that a limit on
    /// their number is not enough.
    pub bytes: u64,
    /// Greatest duration.
    pub time: Option<Duration>,
    /// Cancels the run when set.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for Bounds<'_> {
    /// Three million states, or two gigabytes.
    fn default() -> Self {
        Self {
            states: 3_000_000,
            bytes: 2 << 30,
            time: None,
            cancel: None,
        }
    }
}

/// Verdict of a test on its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The condition is validated.
    Ok,
    /// The condition is not validated.
    No,
}

/// Proportion of final states that satisfy the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Observation {
    /// None.
    Never,
    /// Some.
    Sometimes,
    /// All.
    Always,
}

/// Result of a litmus test.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The memory model.
    pub model: MemoryModel,
    /// Verdict on the condition.
    pub verdict: Verdict,
    /// Proportion of final states that satisfy the condition.
    pub observation: Observation,
    /// The printed columns of the final states, in the order of [`keys`](Test::keys); sorted and distinct.
    pub states: Vec<Vec<Value>>,
    /// Number of final states that satisfy the condition.
    pub positive: usize,
    /// Number of final states that do not.
    pub negative: usize,
    /// True if the bound on backward jumps cut off some execution.
    pub cut_off: bool,
    /// Number of states visited.
    pub explored: u64,
    /// Sentences that say where the answer covers less than it seems to: the loads that only a branch keeps in order, since no model
    /// speculates.
    pub warnings: Vec<String>,
}

/// Error: a test has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The search was stopped.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
    /// A thread stops at a fault.
    #[error("thread {thread} {fault}")]
    Faulty {
        /// The thread.
        thread: usize,
        /// The fault.
        fault: Fault,
    },
    /// No execution terminates.
    #[error("no execution ends before a thread has jumped back more than {BACKWARD_JUMPS} times")]
    NeverEnds,
    /// No final state passes the filter.
    #[error("no final state passes the filter")]
    NothingPasses,
    /// The result would rest on the absence of final states, and the bound cut off some execution.
    #[error("not decided: a thread was cut off after {BACKWARD_JUMPS} jumps back")]
    Undecided,
}

impl RunError {
    /// True if a limit stopped the run, so that a greater one may decide it.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::TooManyStates(_) | Self::Undecided)
    }
}

impl Test {
    /// Column names of a final state: `thread:NAME` for a register, and the name of a variable.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let shown = self.columns[..self.shown].iter();
        shown.map(|column| column.observed.to_string())
    }

    /// Decides the test under `model`.
    ///
    /// # Errors
    ///
    /// If the search reaches a limit, a thread stops at a fault, no execution terminates, no final state passes the
    /// filter, or executions were cut off that could change the result.
    pub fn run(&self, model: MemoryModel, bounds: &Bounds<'_>) -> Result<Answer, RunError> {
        let machine = Machine::new(self.program.clone(), model);
        let ends = ends_within(
            &machine,
            Limits {
                states: bounds.states,
                bytes: bounds.bytes,
                time: bounds.time,
                cancel: bounds.cancel,
            },
        )?;
        let mut states = BTreeSet::new();
        let mut cut_off = false;
        for end in &ends.states {
            let outcome = machine.outcome(end);
            for (thread, of) in outcome.threads.iter().enumerate() {
                match of.end {
                    ThreadEnd::Faulty(fault) => return Err(RunError::Faulty { thread, fault }),
                    ThreadEnd::CutOff => cut_off = true,
                    ThreadEnd::Ended | ThreadEnd::Stuck | ThreadEnd::Failed(_) => (),
                }
            }
            if outcome.is_complete() {
                states.insert(self.row(&outcome));
            }
        }
        if states.is_empty() {
            return Err(RunError::NeverEnds);
        }
        if let Some(filter) = &self.filter {
            states.retain(|state| filter.holds(state));
        }
        if states.is_empty() {
            return Err(if cut_off {
                RunError::Undecided
            } else {
                RunError::NothingPasses
            });
        }
        let answer = self.judge(model, states, cut_off, ends.explored);
        if cut_off && !self.rests_on_presence(&answer) {
            Err(RunError::Undecided)
        } else {
            Ok(answer)
        }
    }

    /// True if executions that were cut off cannot change the result: what one final state proves or refutes is
    /// final, the absence of such a state is not.
    fn rests_on_presence(&self, answer: &Answer) -> bool {
        match self.quantifier {
            Quantifier::Exists => answer.verdict == Verdict::Ok,
            Quantifier::NotExists => answer.verdict == Verdict::No,
            Quantifier::Forall => answer.observation == Observation::Sometimes,
        }
    }

    fn row(&self, outcome: &Outcome) -> Vec<Value> {
        let value = |column: &Column| {
            let value = match column.source {
                ColumnSource::Kept(thread, position) => outcome.threads[thread].kept[position],
                ColumnSource::Memory(location) => outcome.memory[usize::from(location.0)],
            };
            column.integer.keep(value)
        };
        self.columns.iter().map(value).collect()
    }

    fn judge(
        &self,
        model: MemoryModel,
        states: BTreeSet<Vec<Value>>,
        cut_off: bool,
        explored: u64,
    ) -> Answer {
        let shown = |states: BTreeSet<Vec<Value>>| -> BTreeSet<Vec<Value>> {
            let rows = states.into_iter();
            rows.map(|state| state[..self.shown].to_vec()).collect()
        };
        // The condition reads only printed columns.
        let states = shown(states);
        let positive = states
            .iter()
            .filter(|state| self.condition.holds(state))
            .count();
        let negative = states.len() - positive;
        let yes = match self.quantifier {
            Quantifier::Exists => positive > 0,
            Quantifier::NotExists => positive == 0,
            Quantifier::Forall => negative == 0,
        };
        Answer {
            model,
            verdict: if yes { Verdict::Ok } else { Verdict::No },
            observation: match (positive, negative) {
                (0, _) => Observation::Never,
                (_, 0) => Observation::Always,
                _ => Observation::Sometimes,
            },
            states: states.into_iter().collect(),
            positive,
            negative,
            cut_off,
            explored,
            warnings: self.program.doubts(model),
        }
    }
}
