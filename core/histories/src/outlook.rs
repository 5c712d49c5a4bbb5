//! Outlook from a configuration on the events that have yet to confirm it.
//!
//! Events that do not commute have very many orders, and often a later event tells which one it was: a read of a text fixes the
//! order of all appends before it. So where the configurations of an event become more than a few, the log is read ahead, and a
//! configuration is dropped if one of the events that [confirm](Observed::confirms) something can never take place after it.
//!
//! The events that may come before such an event are known once all are read that begin no later than it ends: those that the
//! configuration has not taken, and no others. What the adapter says of their sequences it says of all that the search could do
//! before the event, and every order has the event, since it has an end. So a configuration without hope leads to no order, and two
//! that are alike lead to the same ones, whatever else the search leaves out.
//!
//! Nothing is asked about an event before which an event may come that was not recorded, or that is delayed.

use std::cell::Cell;

use super::call::call;
use super::configuration::Configuration;
use super::observed::{Effect, Observed, State};
use super::window::{Ending, Log, Window};

/// Greatest number of pairs of events of which it is asked whether one matters to the other, in one outlook.
///
/// PERF: there are as many as the square of the events ahead. The first events to ask about tell most.
const MOST_LOOKED: usize = 1 << 18;

/// Events to ask about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Horizon {
    /// Those that end before this one; all, if there is none.
    pub before: Option<Ending>,
    /// Not this one.
    pub without: Option<u64>,
}

impl Horizon {
    fn has(&self, end: Ending) -> bool {
        self.before.is_none_or(|before| end < before) && self.without != Some(end.1)
    }
}

/// Knowledge of a place in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// An event, which is in the log.
    Event,
    /// The end of the history.
    End,
    /// Nothing: the history cannot be read there.
    Unknown,
}

/// Reads `most` events from `next` on, and one more; returns whether the history ends before it.
pub(super) fn read_ahead<E>(
    log: &mut Log<E>,
    next: u64,
    most: u64,
    read: &mut dyn FnMut(&mut Log<E>, u64) -> Ahead,
) -> bool {
    let mut numbers = next..=next.saturating_add(most);
    let stopped = numbers.find_map(|number| match read(log, number) {
        Ahead::Event => None,
        stop => Some(stop),
    });
    stopped == Some(Ahead::End)
}

/// Events that confirm something, at a point of a history.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    /// They, by their ends.
    targets: Vec<Target>,
    /// Number of lanes of the window.
    lanes: usize,
    /// Position of the one for which a configuration was hopeless last.
    ///
    /// PERF: mostly it is the same for the next one.
    latest: Cell<usize>,
}

/// Event that confirms something.
#[derive(Clone, Debug)]
struct Target {
    event: Waiting,
    /// The events that may come before it and matter.
    before: Vec<Waiting>,
}

/// Event that a configuration may not have taken.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    /// Lane and place in its queue, if it has begun.
    begun: Option<(u32, u32)>,
}

impl Waiting {
    /// True if a configuration that has taken so many events of each lane has not taken it.
    fn is_left(self, taken: &[u32]) -> bool {
        self.begun
            .is_none_or(|(lane, at)| taken[lane as usize] <= at)
    }
}

impl Expected {
    /// Those of a window, and of the `most` events after it, of which the first has number `next`. If `is_whole`, the history
    /// ends where the log does.
    pub fn of<O: Observed>(
        observed: &O,
        log: &Log<O::Event>,
        window: &Window,
        next: u64,
        most: u64,
        is_whole: bool,
        horizon: Horizon,
    ) -> Self {
        let mut expected = Self {
            targets: Vec::new(),
            lanes: window.lanes.len(),
            latest: Cell::new(0),
        };
        let is_plain = |number: &u64| {
            log.get(*number).event.is_some() && log.effect(observed, *number) == Effect::Within
        };
        if !window.numbers().all(|number| is_plain(&number)) {
            return expected;
        }
        let ahead = next..log.end().min(next.saturating_add(most));
        let mut known = next + ahead.take_while(is_plain).count() as u64;
        // The begin of the first event of which nothing is known.
        let beyond = if known < log.end() {
            Some(log.place(known).begin)
        } else if is_whole {
            None
        } else if known > next {
            known -= 1;
            Some(log.place(known).begin)
        } else {
            return expected;
        };
        let lanes = (0..).zip(&window.lanes);
        let under_way = lanes.flat_map(|(lane, place)| {
            let queue = (0..).zip(&place.queue);
            queue.map(move |(at, number)| Waiting {
                number: *number,
                begun: Some((lane, at)),
            })
        });
        let mut events: Vec<Waiting> = under_way.collect();
        let begun = events.len();
        events.extend((next..known).map(|number| Waiting {
            number,
            begun: None,
        }));
        let mut targets = Vec::new();
        for event in &events {
            let Some(end) = log.place(event.number).end else {
                continue;
            };
            let is_known = beyond.is_none_or(|beyond| end < beyond);
            let ending = (end, event.number);
            if is_known && horizon.has(ending) && log.confirms(observed, event.number) {
                targets.push((ending, *event));
            }
        }
        targets.sort_unstable_by_key(|(ending, _)| *ending);
        let mut looked = 0;
        let targets = targets.into_iter().map_while(|((end, _), event)| {
            let until = log.first_after(end, next, known);
            let before = &events[..begun + (until - next) as usize];
            looked += before.len();
            if looked > MOST_LOOKED && looked > before.len() {
                return None;
            }
            let before = before.iter();
            let matters = |other: &&Waiting| log.matters(observed, event.number, other.number);
            Some(Target {
                event,
                before: before.filter(matters).copied().collect(),
            })
        });
        expected.targets = targets.collect();
        expected
    }

    /// True if the outlook from a configuration at this point is not known to be hopeless.
    pub fn has_hope<O: Observed>(
        &self,
        observed: &O,
        log: &Log<O::Event>,
        configuration: &Configuration<State<O>>,
    ) -> bool {
        let mut taken = vec![0; self.lanes];
        for ahead in configuration.all_ahead() {
            taken[ahead.lane as usize] = ahead.taken;
        }
        let is_hopeless_for = |target: &Target| {
            let Some(event) = &log.get(target.event.number).event else {
                return false;
            };
            let left = target.before.iter().filter(|other| other.is_left(&taken));
            let before = left.filter_map(|other| log.get(other.number).event.as_ref());
            target.event.is_left(&taken)
                && call("`is_hopeless` of the adapter", || {
                    observed.is_hopeless(&configuration.state, event, before)
                })
        };
        let first = self.latest.get();
        let targets = (first..self.targets.len()).chain(0..first);
        let mut hopeless = targets.filter(|at| is_hopeless_for(&self.targets[*at]));
        match hopeless.next() {
            None => true,
            Some(at) => {
                self.latest.set(at);
                false
            }
        }
    }
}
