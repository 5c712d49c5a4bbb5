//! Validation of the record of a run.

use std::time::Duration;

use refmap::explore::Limits;

use super::Object;
use super::concurrent::EventOf;
use super::fault::Fault;
use super::kind::Run;
#[cfg(feature = "shuttle")]
use crate::event::line;
use crate::{Event, Ordered, Outcome, Settings, Validation, validate};

/// Number of configurations at which one order is looked for: most runs have one, and of the calls of many threads on a long queue there are
/// very many.
const CROWD: usize = 16;

/// Number of times that the validation of a run may take as long as a call may. A process that says nothing for longer is ended.
const PATIENCE: u32 = 4;

/// Number of events that are read ahead where there are many orders: a call may be under way while so many others come and go, and what
/// is popped after them tells when it took effect.
const CONTEXT: u64 = 1 << 10;

/// Settings of a validation that is given up after [`PATIENCE`] times this time: a run in which calls are under way while very many others come and go has
/// more orders than can be looked through.
pub(super) fn within(patience: Duration) -> Settings<'static> {
    let settings = Settings::default();
    Settings {
        limits: Limits {
            seconds: Some((patience * PATIENCE).as_secs_f64()),
            ..settings.limits
        },
        ..settings
    }
}

/// Validates a run.
pub(super) fn judge<O: Object>(
    specification: &O::Specification,
    patience: Duration,
    run: Run,
    events: &[Event<EventOf<O>>],
) -> Result<Validation, Fault> {
    let events = events.iter().map(|event| timed(run, event));
    let settings = Settings {
        crowd: CROWD,
        context: CONTEXT,
        ..within(patience)
    };
    validate(specification, Ordered::of(events), &settings).map_err(Fault::malformed)
}

/// An event with the times that count in such a run: with weak memory the order of each thread alone does, as if all happened at one time.
pub(super) fn timed<E: Clone>(run: Run, event: &Event<E>) -> Event<E> {
    let mut event = event.clone();
    if run == Run::Memory {
        event.begin = 0;
        event.end = event.end.map(|_| 0);
    }
    event
}

impl Validation {
    /// Numbers of the events of the smallest impossible part, if there is one.
    #[cfg(feature = "shuttle")]
    pub(super) fn window(&self) -> Option<Vec<usize>> {
        let Outcome::Refuted(explanation) = &self.outcome else {
            return None;
        };
        let events = explanation.window.as_ref()?.events.iter();
        let numbers = events.map(|event| event.line?.checked_sub(line(0)));
        numbers.map(|number| Some(number? as usize)).collect()
    }

    /// True if the run is wrong, or the specification is.
    pub(super) fn is_against(&self) -> bool {
        let refuted = matches!(self.outcome, Outcome::Refuted(_) | Outcome::Misled);
        refuted || self.panicked.is_some() || self.disagreement.is_some()
    }
}
