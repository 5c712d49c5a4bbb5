//! Places of events in the search for an order.
//!
//! Each [criterion](Criterion) is decided by one search, that for linearizable histories, with other intervals: an order that respects
//! those is one that the criterion permits, and the other way round. A report shows the intervals that were recorded.

use super::event::Event;
use refmap::report::history::Criterion;

/// Interval and queue of an event in the search: events whose intervals are disjoint are taken in the order of these, and so are those
/// of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub begin: u64,
    /// None if no order has to take the event.
    pub end: Option<u64>,
    pub queue: u64,
}

/// Places of the events of a history, in its order.
#[derive(Debug)]
pub(super) struct Places<E> {
    criterion: Criterion,
    /// Events between two quiescent times, of which the second is not known yet.
    period: Vec<Event<E>>,
    /// Time at which none of them is under way any more; `u64::MAX` if there is none.
    quiet: u64,
    /// Number of events before them.
    number: u64,
}

impl<E> Places<E> {
    pub fn by(criterion: Criterion) -> Self {
        Self {
            criterion,
            period: Vec::new(),
            quiet: 0,
            number: 0,
        }
    }

    /// Adds the next event; visits the events whose places are known then.
    pub fn add(&mut self, event: Event<E>, visit: &mut dyn FnMut(Event<E>, Place)) {
        match self.criterion {
            Criterion::Linearizable => {
                let place = Place {
                    begin: event.begin,
                    end: event.end,
                    queue: event.thread.into(),
                };
                visit(event, place);
            }
            Criterion::Sequential => {
                let place = Place {
                    begin: 0,
                    end: event.end.map(|_| u64::MAX),
                    queue: event.thread.into(),
                };
                visit(event, place);
            }
            Criterion::Quiescent => {
                if self.quiet < event.begin {
                    self.finish(visit);
                }
                let end = event.end.unwrap_or(u64::MAX);
                self.quiet = self.quiet.max(end);
                self.period.push(event);
            }
        }
    }

    /// Ends the history, or a period of it: visits the events that are left.
    pub fn finish(&mut self, visit: &mut dyn FnMut(Event<E>, Place)) {
        let begin = self.period.first().map_or(0, |event| event.begin);
        for event in self.period.drain(..) {
            let place = Place {
                begin,
                end: event.end.map(|_| self.quiet),
                queue: self.number,
            };
            self.number += 1;
            visit(event, place);
        }
    }
}
