//! Events of a history that are still to come.

use super::call::{call, reading};
use super::event::{Event, line};
use super::observed::Observed;
use super::outlook::Ahead;
use super::places::Places;
use super::problem::{HistoryError, Problem};
use super::window::Log;
use refmap::internal::input::Interrupted;
use refmap::report::history::{Criterion, NoEnd};

/// Events of a history, in its order.
pub(super) type Events<'a, E> = dyn Iterator<Item = Result<Event<E>, HistoryError>> + 'a;

/// Events that are still to come, and how they end.
pub(super) struct Input<'a, E> {
    events: &'a mut Events<'a, E>,
    /// Number of events that were read.
    number: u64,
    /// Those of which the places are not known yet.
    places: Places<E>,
    over: Option<Over>,
}

/// Reason why there are no more events.
enum Over {
    /// The history ends.
    End,
    /// It stops without an end.
    NoEnd(NoEnd),
    Failed(Failure),
}

/// Reason why the rest of a history is not known.
pub(super) enum Failure {
    /// A limit was reached before it was read.
    Interrupted(Interrupted),
    /// The history is malformed.
    Error(HistoryError),
}

impl<'a, E> Input<'a, E> {
    pub fn new(events: &'a mut Events<'a, E>, criterion: Criterion) -> Self {
        Self {
            events,
            number: 0,
            places: Places::by(criterion),
            over: None,
        }
    }

    /// Reads to the log until it has event `number`.
    pub fn read<O: Observed<Event = E>>(
        &mut self,
        observed: &O,
        log: &mut Log<E>,
        number: u64,
    ) -> Ahead {
        while log.end() <= number && self.over.is_none() {
            match reading("`Deserialize` of an event", || self.events.next()) {
                None => self.over = Some(Over::End),
                Some(Ok(event)) => match checked(observed, &event, self.number) {
                    Ok(()) => {
                        self.number += 1;
                        let visit = &mut |event, place| log.push(event, place);
                        self.places.add(event, visit);
                    }
                    Err(error) => self.over = Some(Over::Failed(Failure::Error(error))),
                },
                Some(Err(error)) => self.over = Some(Over::of(error)),
            }
            if let Some(Over::End | Over::NoEnd(_)) = self.over {
                self.places
                    .finish(&mut |event, place| log.push(event, place));
            }
        }
        match &self.over {
            _ if number < log.end() => Ahead::Event,
            Some(Over::Failed(_)) => Ahead::Unknown,
            Some(Over::End | Over::NoEnd(_)) | None => Ahead::End,
        }
    }

    /// Place where the history stops, if that is known to be without an end.
    pub fn no_end(&self) -> Option<NoEnd> {
        match self.over {
            Some(Over::NoEnd(no_end)) => Some(no_end),
            _ => None,
        }
    }

    /// Reason why the rest is not known, if it is not.
    pub fn into_failure(self) -> Option<Failure> {
        match self.over {
            Some(Over::Failed(failure)) => Some(failure),
            _ => None,
        }
    }
}

impl Over {
    fn of(error: HistoryError) -> Self {
        let HistoryError { line, problem } = error;
        match problem {
            Problem::NoEnd { within_line } => Self::NoEnd(NoEnd { line, within_line }),
            Problem::Interrupted(interrupted) => Self::Failed(Failure::Interrupted(interrupted)),
            problem => Self::Failed(Failure::Error(HistoryError { line, problem })),
        }
    }
}

/// Checks an event against the instance.
pub(super) fn checked<O: Observed>(
    observed: &O,
    event: &Event<O::Event>,
    number: u64,
) -> Result<(), HistoryError> {
    let Some(what) = &event.event else {
        return Ok(());
    };
    let checked = call("`check` of the adapter", || observed.check(what));
    checked.map_err(|no_such| HistoryError {
        line: line(number),
        problem: Problem::NoSuch(no_such),
    })
}
