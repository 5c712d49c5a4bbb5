//! Criteria: the orders of a history's events that count.
//!
//! Each is decided by one search, that for [linearizable](Criterion::Linearizable) histories, with other intervals: an order that
//! respects those is one that the criterion permits, and the other way round. A report shows the intervals that were recorded.
//!
//! Left out: guarantees of a session, as that a client reads its own writes. They are stated of reads and writes, and say nothing of
//! an arbitrary specification.

use std::fmt;

use super::event::Event;

/// Criterion: which orders of the events count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// An event that ended before another one began precedes it, and the order of each thread is kept.
    ///
    /// Source: Herlihy & Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12(3), 1990.
    #[default]
    Linearizable,
    /// The order of each thread is kept, and nothing else: no order of time between threads.
    ///
    /// It is not local: a history of several objects may have no order though that of each object has one. So the parts of a history are
    /// not decided apart. All events are under way until the end of the history, and held in memory; of a history without an
    /// end, nothing is refused.
    ///
    /// Source: Lamport, *How to make a multiprocessor computer that correctly executes multiprocess programs*, 1979; Herlihy & Shavit,
    /// *The Art of Multiprocessor Programming*, section 3.4.
    Sequential,
    /// An event precedes another one if there is a time between the two at which no event is under way. Nothing else is kept, not
    /// the order of a thread.
    ///
    /// If one event ends exactly when another one begins, there is no such time between them. An event without an end is under way
    /// for ever. The events are those of one object; of several objects each has its own quiescent times, and is decided apart
    /// ([`validate_objects`](crate::validate_objects)). The events between two such times are held in memory.
    ///
    /// Source: Aspnes, Herlihy & Shavit, *Counting networks*, JACM 41(5), 1994; Herlihy & Shavit, section 3.3.
    Quiescent,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Self; 3] = [Self::Linearizable, Self::Sequential, Self::Quiescent];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linearizable => "linearizable",
            Self::Sequential => "sequential",
            Self::Quiescent => "quiescent",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linearizable => "linearizable",
            Self::Sequential => "sequentially consistent",
            Self::Quiescent => "quiescently consistent",
        })
    }
}

/// Interval and queue of an event in the search: events whose intervals are disjoint are taken in their order, and so are those
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
    pub fn add(&mut self, event: Event<E>, visit: &mut impl FnMut(Event<E>, Place)) {
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
    pub fn finish(&mut self, visit: &mut impl FnMut(Event<E>, Place)) {
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
