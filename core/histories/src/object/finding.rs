//! Findings: runs that the specification does not permit, and how they are shown.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use refmap::report::Verdict;
use refmap::report::history::{Refused, ShownEvent};

use super::Object;
use super::case::Case;
use super::fault::Fault;
use super::kind::Run;
use super::lanes::{self, Row};
use super::once::Once;
use crate::event::line;
use crate::{Event, Header, Observed, Outcome, Validation, Writer};

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
    let refused = explanation.event.as_ref();
    let what = match refused {
        Some(event) => format!("the specification has no order with {}", named(event)),
        None => "the specification has no order in which all takes effect".to_owned(),
    };
    let next = explanation.prefixes.first().map(|prefix| &prefix.next);
    let next = || next.into_iter().flatten();
    let is_refused = |next: &&Refused| Some(&next.event) == refused;
    let own = next().filter(is_refused);
    let own = own.map(|next| format!(": {}", next.reason));
    let others = next().filter(|next| !is_refused(next));
    let others = others.map(|next| format!("; {}: {}", named(&next.event), next.reason));
    Some(what + &own.chain(others).collect::<String>())
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
