//! Check of the order of events, in bounded memory.

use hashbrown::HashMap;

use super::event::{Event, MOST_THREADS};
use super::problem::{HistoryError, Problem};

/// Iterator that checks the order a validator needs: by begin, and per thread by place. It ends with the first
/// event out of order.
#[derive(Debug)]
pub struct Ordered<I> {
    events: I,
    line: u64,
    begin: u64,
    threads: HashMap<u32, Latest, foldhash::fast::RandomState>,
    ended: bool,
}

/// Latest event of a thread.
#[derive(Debug)]
struct Latest {
    place: u64,
    end: Option<u64>,
}

impl<E> Ordered<std::vec::IntoIter<Result<Event<E>, HistoryError>>> {
    /// Wraps events in memory. Errors number lines as if the events were written to a file.
    pub fn of(events: impl IntoIterator<Item = Event<E>>) -> Self {
        let events: Vec<_> = events.into_iter().map(Ok).collect();
        Self::new(events.into_iter())
    }
}

impl<E, I: Iterator<Item = Result<Event<E>, HistoryError>>> Ordered<I> {
    /// Wraps any iterator; its first event is on line 2.
    pub fn new(events: I) -> Self {
        Self {
            events,
            line: 1,
            begin: 0,
            threads: HashMap::default(),
            ended: false,
        }
    }

    fn admit(&mut self, event: &Event<E>) -> Result<(), Problem> {
        let &Event {
            thread,
            place,
            begin,
            end,
            ..
        } = event;
        if let Some(end) = end.filter(|end| *end < begin) {
            return Err(Problem::EndBeforeBegin { begin, end });
        }
        let known = self.threads.len();
        let expected = match self.threads.get_mut(&thread) {
            None if known == MOST_THREADS => return Err(Problem::TooManyThreads),
            None => 0,
            Some(Latest { end: None, .. }) => return Err(Problem::AfterOpen { thread }),
            Some(latest) => {
                if let Some(before) = latest.end.filter(|before| begin < *before) {
                    return Err(Problem::ClockRanBackwards {
                        thread,
                        begin,
                        before,
                    });
                }
                latest.place + 1
            }
        };
        if place != expected {
            return Err(Problem::Place {
                thread,
                expected,
                found: place,
            });
        }
        if begin < self.begin {
            let before = self.begin;
            return Err(Problem::OutOfOrder { begin, before });
        }
        self.begin = begin;
        self.threads.insert(thread, Latest { place, end });
        Ok(())
    }
}

impl<E, I: Iterator<Item = Result<Event<E>, HistoryError>>> Iterator for Ordered<I> {
    type Item = Result<Event<E>, HistoryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.line += 1;
        let admitted = self.events.next()?.and_then(|event| {
            let line = self.line;
            let admitted = self.admit(&event);
            admitted.map_err(|problem| HistoryError { line, problem })?;
            Ok(event)
        });
        self.ended = admitted.is_err();
        Some(admitted)
    }
}
