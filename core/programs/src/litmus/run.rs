//! Deciding a litmus test under a memory model.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use super::proposition::{Observed, Quantifier};
use super::translate::{Column, ColumnSource};
use super::{BACKWARD_JUMPS, Test};
use crate::outcome::{Limits, ends_within};
use crate::{Fault, Machine, MemoryModel, Outcome, ThreadEnd, TooManyStates, Value};

/// What a run may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// The most states that are explored.
    pub states: u64,
    /// About how many bytes they may take. States of a large test are large, so that their number
    /// alone would say little.
    pub bytes: u64,
    /// How long it may take.
    pub time: Option<Duration>,
    /// Set by somebody who wants the run to stop.
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

/// Whether a test's question is answered with yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// It is.
    Ok,
    /// It is not.
    No,
}

/// Of how many final states the condition is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Observation {
    /// Of none.
    Never,
    /// Of some.
    Sometimes,
    /// Of all.
    Always,
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The memory model.
    pub model: MemoryModel,
    /// Whether the question is answered with yes.
    pub verdict: Verdict,
    /// Of how many final states the condition is true.
    pub observation: Observation,
    /// What is shown of the final states, in the order of [`keys`](Test::keys); sorted and distinct.
    pub states: Vec<Vec<Value>>,
    /// Of how many the condition is true.
    pub positive: usize,
    /// Of how many it is not.
    pub negative: usize,
    /// Whether executions were left out since a thread jumped back too often.
    pub cut_off: bool,
    /// How many states the search visited.
    pub explored: u64,
}

/// Why a test has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The search was stopped.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
    /// A thread came to something that it cannot compute.
    #[error("thread {thread} {fault}")]
    Faulty {
        /// The thread.
        thread: usize,
        /// What it cannot compute.
        fault: Fault,
    },
    /// No execution ended.
    #[error("no execution ends before a thread has jumped back more than {BACKWARD_JUMPS} times")]
    NeverEnds,
    /// The filter leaves nothing to be asked about.
    #[error("no final state passes the filter")]
    NothingPasses,
    /// The answer would rest on the absence of final states, and executions were left out.
    #[error("not decided: a thread was cut off after {BACKWARD_JUMPS} jumps back")]
    Undecided,
}

impl RunError {
    /// Whether the question is open: a bound came first, and a greater one may answer it.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::TooManyStates(_) | Self::Undecided)
    }
}

impl Test {
    /// What is shown of a final state: `thread:NAME` for a register, and the name of a variable.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let shown = self.columns[..self.shown].iter();
        shown.map(|column| match &column.observed {
            Observed::Register(thread, name) => format!("{thread}:{name}"),
            Observed::Variable(name) => name.clone(),
        })
    }

    /// Decides the test under `model`.
    ///
    /// # Errors
    ///
    /// If the search reaches its bounds, a thread comes to something that it cannot compute, no
    /// execution ends, no final state passes the filter, or executions were left out that could change the answer.
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
            return Err(match cut_off {
                true => RunError::Undecided,
                false => RunError::NothingPasses,
            });
        }
        let answer = self.judge(model, states, cut_off, ends.explored);
        match cut_off && !self.rests_on_presence(&answer) {
            true => Err(RunError::Undecided),
            false => Ok(answer),
        }
    }

    /// Whether final states that were left out could not change the answer: what one final state
    /// proves or refutes stays so, and that there is none does not.
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
        // The condition asks for nothing that is not shown.
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
        }
    }
}
