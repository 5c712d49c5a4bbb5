//! Findings: runs that the specification does not permit, and how they are shown.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use refmap::report::Verdict;
use refmap::report::history::ShownEvent;

use super::case::Case;
use super::lanes::{self, Row};
use super::once::Once;
use super::slot::Slot;
use super::tested::Run;
use super::{CallOf, Object};
use crate::event::line;
use crate::specifications::Called;
use crate::{Event, Header, HistoryError, Observed, Outcome, Validation, Writer};

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
fn under_way<O: Object>(specification: &O::Specification, slots: &[Slot<CallOf<O>>]) -> String {
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

/// Run that is not permitted, or of which that is not known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Kind of the run.
    pub run: Run,
    /// `Violated`, or `Incomplete` of threads that have hung.
    pub verdict: Verdict,
    /// Sentence that says what is wrong.
    pub told: String,
    /// Calls of the smallest part of the run that is impossible by itself, else of its end: for each its thread, and what was called and
    /// answered, in columns.
    pub lanes: String,
    /// The schedule step by step, in columns, of a run under a scheduler.
    pub schedule: Option<String>,
    /// Text that repeats the run, of a run under a scheduler: see `repeat`.
    pub repeat: Option<String>,
    /// The run in refmap's own form, which `refmap validate` reads.
    pub history: String,
    /// Validation of the run, where it was made.
    #[serde(skip)]
    pub validation: Option<Validation>,
}

impl Finding {
    /// Finding of which there is no record.
    pub(super) fn bare(run: Run, verdict: Verdict, told: String) -> Self {
        Self {
            run,
            verdict,
            told,
            lanes: String::new(),
            schedule: None,
            repeat: None,
            history: String::new(),
            validation: None,
        }
    }

    /// Finding of a run that has ended so.
    pub(super) fn of<O: Object>(case: &Case<'_, O>, run: Run, once: Once<O>) -> Self {
        let Once {
            events,
            fault,
            validation,
            ..
        } = once;
        let refused = validation.as_ref().and_then(refusal);
        let (told, verdict) = match (fault, refused) {
            (Some(Fault { told, verdict }), None) => (told, verdict),
            (None, Some(refused)) => (refused, Verdict::Violated),
            (Some(fault), Some(refused)) => {
                (format!("{}; {refused}", fault.told), Verdict::Violated)
            }
            (None, None) => ("it is not decided".to_owned(), Verdict::Incomplete),
        };
        let rows = window(validation.as_ref(), &events);
        let rows = rows.unwrap_or_else(|| {
            let last = events.len().saturating_sub(MOST_LAST);
            let last = events[last..].iter().filter_map(|event| {
                let text = case.specification.describe(event.event.as_ref()?);
                Some(Row::of(event.thread, event.begin, event.end, text))
            });
            last.collect()
        });
        Self {
            run,
            verdict,
            told,
            lanes: lanes::calls(&rows),
            schedule: None,
            repeat: None,
            history: written(&events),
            validation,
        }
    }
}

/// Number of events that are shown of a run of which no part is known to be impossible by itself.
const MOST_LAST: usize = 12;

/// Calls of the smallest impossible part, with the times that were recorded.
fn window<E>(validation: Option<&Validation>, events: &[Event<E>]) -> Option<Vec<Row>> {
    let Outcome::Refuted(explanation) = &validation?.outcome else {
        return None;
    };
    let shown = explanation.window.as_ref()?.events.iter();
    let rows = shown.map(|shown| {
        let number = shown.line?.checked_sub(line(0))?;
        let event = events.get(number as usize)?;
        let text = shown.text.clone();
        Some(Row::of(event.thread, event.begin, event.end, text))
    });
    rows.collect()
}

/// The refusal of a validation, in a sentence.
fn refusal(validation: &Validation) -> Option<String> {
    let Outcome::Refuted(explanation) = &validation.outcome else {
        let panicked = validation.panicked.as_ref().map(ToString::to_string);
        let disagreement = validation.disagreement.as_ref().map(ToString::to_string);
        let fault = panicked.or(disagreement)?;
        return Some(format!("the specification is at fault: {fault}"));
    };
    let named = |event: &ShownEvent| format!("{} of thread {}", event.text, event.thread);
    let what = match &explanation.event {
        Some(event) => format!("the specification has no order with {}", named(event)),
        None => "the specification has no order in which all takes effect".to_owned(),
    };
    let next = explanation.prefixes.first().map(|prefix| &prefix.next);
    let reasons = next.into_iter().flatten();
    let reasons = reasons.map(|refused| format!("; {}: {}", named(&refused.event), refused.reason));
    Some(what + &reasons.collect::<String>())
}

/// A history in refmap's own form.
fn written<E: Serialize>(events: &[Event<E>]) -> String {
    let mut text = Vec::new();
    let write = |text: &mut Vec<u8>| -> std::io::Result<()> {
        let mut writer = Writer::new(text, &Header::default())?;
        events.iter().try_for_each(|event| writer.write(event))?;
        writer.finish().map(|_| ())
    };
    match write(&mut text) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => format!("not written: {error}"),
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.run, self.told)?;
        if !self.lanes.is_empty() {
            writeln!(f, "\n{}", self.lanes)?;
        }
        if let Some(schedule) = &self.schedule {
            writeln!(f, "step by step:\n\n{schedule}")?;
        }
        if let Some(repeat) = &self.repeat {
            writeln!(f, "to repeat it: `repeat(object, \"{repeat}\")`")?;
        }
        Ok(())
    }
}
