//! Specification of a FIFO queue, with its adapter.

use refmap::TransitionSystem;
use refmap_histories::{Happening, Observed};
use serde::{Deserialize, Serialize};

/// Operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Use {
    Put(u8),
    Take(Result),
}

/// Result of a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Result {
    Value(u8),
    Empty,
    Unrecorded,
}

pub struct Queue;

/// Action; the result of an operation is an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread", source = "test")]
pub enum Step {
    Put(#[action(range = 0..4)] u8),
    Take(#[action(range = 0..4)] u8),
}

impl TransitionSystem for Queue {
    type State = Vec<u8>;
    type Action = Step;
    type Observation = Vec<u8>;

    fn initial(&self, visit: &mut impl FnMut(Vec<u8>)) {
        visit(Vec::new());
    }

    fn fire(&self, step: &Step, queue: &mut Vec<u8>) -> Option<()> {
        match *step {
            Step::Put(value) => queue.push(value),
            Step::Take(value) => {
                (*queue.first()? == value).then_some(())?;
                queue.remove(0);
            }
        }
        Some(())
    }

    fn observe(&self, state: &Vec<u8>) -> Vec<u8> {
        state.clone()
    }
}

impl Observed for Queue {
    type Specification = Self;
    type Event = Use;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Vec<u8>,
        happening: &Happening<'_, Use>,
        visit: &mut impl FnMut(Option<Step>),
    ) {
        match happening.event {
            Use::Put(value) => visit(Some(Step::Put(*value))),
            Use::Take(Result::Value(value)) => visit(Some(Step::Take(*value))),
            Use::Take(Result::Empty) if from.is_empty() => visit(None),
            Use::Take(Result::Empty) => (),
            Use::Take(Result::Unrecorded) => visit(from.first().map(|first| Step::Take(*first))),
        }
    }

    fn refusal(&self, from: &Vec<u8>, _: &Happening<'_, Use>) -> String {
        format!("the queue has {from:?}")
    }

    fn is_partial(&self, event: &Use) -> bool {
        *event == Use::Take(Result::Unrecorded)
    }
}
