//! Faults in which a run ends, whatever it recorded.

use refmap::report::Verdict;

use super::slot::Slot;
use super::{CallOf, Object};
use crate::specifications::Called;
use crate::{HistoryError, Observed};

/// Way in which a run ended that did not go through, whatever it recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Sentence that says it.
    pub told: String,
    pub verdict: Verdict,
}

impl Fault {
    /// A thread panicked.
    pub fn panicked<O: Object>(
        specification: &O::Specification,
        slots: &[Slot<CallOf<O>>],
        thread: u32,
        panic: String,
    ) -> Self {
        let slot = &slots[thread as usize];
        let pending = slot
            .pending()
            .map(|(_, call)| shown::<O>(specification, call));
        let within = pending.map_or_else(String::new, |call| format!(" in {call}"));
        Self {
            told: format!("thread {thread} panicked{within}: {panic}"),
            verdict: Verdict::Violated,
        }
    }

    /// The object was not made.
    pub fn made_nothing(panic: &str) -> Self {
        Self {
            told: format!("`make` panicked: {panic}"),
            verdict: Verdict::Violated,
        }
    }

    /// The record of a run is no history of the specification.
    pub fn malformed(error: HistoryError) -> Self {
        let told = format!("the run cannot be validated: {}", error.problem);
        let verdict = Verdict::Incomplete;
        Self { told, verdict }
    }

    /// A thread panicked under a scheduler, which tells no thread.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    pub fn in_execution<O: Object>(
        specification: &O::Specification,
        slots: &[Slot<CallOf<O>>],
        panic: &str,
    ) -> Self {
        let pending = under_way::<O>(specification, slots);
        Self {
            told: format!("a thread panicked: {panic}; under way: {pending}"),
            verdict: Verdict::Violated,
        }
    }

    /// Threads wait for ever.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    pub fn waits<O: Object>(specification: &O::Specification, slots: &[Slot<CallOf<O>>]) -> Self {
        let waiting = under_way::<O>(specification, slots);
        Self {
            told: format!(
                "threads wait for ever, though the specification permits one to go on: {waiting}"
            ),
            verdict: Verdict::Violated,
        }
    }

    /// Threads did not return in time.
    pub fn hung<O: Object>(
        specification: &O::Specification,
        slots: &[Slot<CallOf<O>>],
        is_running: &[bool],
    ) -> Self {
        let waiting = (0..).zip(slots).zip(is_running);
        let waiting = waiting.filter(|(_, is_running)| **is_running);
        let waiting = waiting.map(|((thread, slot), _)| {
            let call = slot
                .pending()
                .map(|(_, call)| shown::<O>(specification, call));
            let call = call.unwrap_or_else(|| "a call that it is to make".to_owned());
            format!(
                "thread {thread}, after {} calls, from {call}",
                slot.returned()
            )
        });
        let waiting: Vec<_> = waiting.collect();
        Self {
            told: format!(
                "threads have hung, or are slow, and did not return in time: {}",
                waiting.join("; ")
            ),
            verdict: Verdict::Incomplete,
        }
    }
}

/// The calls under way.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(super) fn under_way<O: Object>(
    specification: &O::Specification,
    slots: &[Slot<CallOf<O>>],
) -> String {
    let waiting = (0..).zip(slots).filter_map(|(thread, slot): (u32, _)| {
        let (_, call) = slot.pending()?;
        let call = shown::<O>(specification, call);
        Some(format!("{call} of thread {thread}"))
    });
    let waiting: Vec<_> = waiting.collect();
    if waiting.is_empty() {
        "no call".to_owned()
    } else {
        waiting.join(", ")
    }
}

fn shown<O: Object>(specification: &O::Specification, call: Option<CallOf<O>>) -> String {
    let Some(call) = call else {
        return "a call".to_owned();
    };
    let answer = None;
    let text = specification.describe(&Called { call, answer });
    text.trim_end_matches(" → ?").to_owned()
}
