//! Window of a search: the events that have begun and not ended, the delayed ones, and the log of events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::call::call;
use super::configuration::{Ahead, Configuration};
use super::event::{Event, line};
use super::observed::{Effect, Observed};
use super::places::Place;
use refmap::report::history::ShownEvent;

/// Log of events by number; it drops old ones that are neither under way nor delayed.
#[derive(Debug)]
pub(super) struct Log<E> {
    events: VecDeque<(Event<E>, Place)>,
    first: u64,
    /// Older events that are not over. An event without an end is never over.
    lasting: BTreeMap<u64, (Event<E>, Place)>,
    /// Number of older events at which those that are over are dropped.
    crowded: usize,
    most: usize,
}

/// Number of older events that may be over before a cleanup, unless half of all is more.
const FEW_LASTING: usize = 64;

impl<E> Log<E> {
    pub fn new() -> Self {
        Self {
            events: VecDeque::new(),
            first: 0,
            lasting: BTreeMap::new(),
            crowded: FEW_LASTING,
            most: 0,
        }
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event<E>, place: Place) {
        self.events.push_back((event, place));
        self.most = self.most.max(self.events.len() + self.lasting.len());
    }

    /// Greatest number of events held at a time.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Number of the next event.
    pub fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// An event as it was recorded.
    pub fn get(&self, number: u64) -> &Event<E> {
        &self.entry(number).0
    }

    /// Place of an event in the search.
    pub fn place(&self, number: u64) -> Place {
        self.entry(number).1
    }

    fn entry(&self, number: u64) -> &(Event<E>, Place) {
        match number.checked_sub(self.first) {
            Some(place) => &self.events[place as usize],
            None => &self.lasting[&number],
        }
    }

    /// Drops the events before `number`, except those that `window`, the search's window at that point, refers to.
    pub fn forget_before(&mut self, number: u64, window: &Window) {
        let is_in = |number: u64, place: &Place| window.has(place.queue, number);
        if self.lasting.len() >= self.crowded {
            self.lasting
                .retain(|number, (_, place)| is_in(*number, place));
            self.crowded = 2 * self.lasting.len() + FEW_LASTING;
        }
        let forgotten = number.saturating_sub(self.first) as usize;
        let forgotten = forgotten.min(self.events.len());
        let numbered = (self.first..).zip(self.events.drain(..forgotten));
        let lasting = numbered.filter(|(number, (_, place))| is_in(*number, place));
        self.lasting.extend(lasting);
        self.first = self.first.max(number);
    }

    /// Effect of an event. One that was not recorded takes effect within its interval.
    pub fn effect<O: Observed<Event = E>>(&self, observed: &O, number: u64) -> Effect {
        let event = self.get(number).event.as_ref();
        event.map_or(Effect::Within, |event| {
            call("`effect` of the adapter", || observed.effect(event))
        })
    }

    /// True if an event only looks. One that was not recorded may do anything.
    pub fn only_looks<O: Observed<Event = E>>(&self, observed: &O, number: u64) -> bool {
        let event = self.get(number).event.as_ref();
        event
            .is_some_and(|event| call("`only_looks` of the adapter", || observed.only_looks(event)))
    }

    /// True if the outlook on an event may say something.
    pub fn confirms<O: Observed<Event = E>>(&self, observed: &O, number: u64) -> bool {
        let event = self.get(number).event.as_ref();
        event.is_some_and(|event| call("`confirms` of the adapter", || observed.confirms(event)))
    }

    /// True if an event may matter to the outlook on another one.
    pub fn matters<O: Observed<Event = E>>(&self, observed: &O, number: u64, other: u64) -> bool {
        match (&self.get(number).event, &self.get(other).event) {
            (Some(event), Some(other)) => call("`matters` of the adapter", || {
                observed.matters(event, other)
            }),
            _ => false,
        }
    }

    /// Number of the first event from `next` on that begins after a time; `known` if none before that does.
    pub fn first_after(&self, time: u64, next: u64, known: u64) -> u64 {
        let (mut low, mut high) = (next, known);
        while low < high {
            let middle = low.midpoint(high);
            if self.place(middle).begin > time {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// The events of these numbers that were recorded.
    pub fn recorded(&self, numbers: impl Iterator<Item = u64>) -> Vec<&E> {
        numbers
            .filter_map(|number| self.get(number).event.as_ref())
            .collect()
    }

    /// An event as an explanation shows it.
    pub fn shown<O: Observed<Event = E>>(&self, observed: &O, number: u64) -> ShownEvent {
        let event = self.get(number);
        let what = event.event.as_ref();
        ShownEvent {
            line: Some(line(number)),
            thread: event.thread,
            place: event.place,
            begin: event.begin,
            end: event.end,
            text: what.map_or_else(
                || "not recorded".to_owned(),
                |what| call("`describe` of the adapter", || observed.describe(what)),
            ),
        }
    }
}

/// Lane: a thread with events in the window, or an event of which the thread does not count.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// Queue of these events.
    number: u64,
    /// Numbers of the events that have begun and not ended, in the order of the queue.
    pub queue: VecDeque<u64>,
    /// Numbers of the delayed events, under way or ended, that are not yet in effect in every configuration.
    pub delayed: VecDeque<u64>,
}

impl Lane {
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.delayed.is_empty()
    }

    /// Next event of this thread.
    pub fn next(&self, ahead: Ahead) -> Option<u64> {
        self.queue.get(ahead.taken as usize).copied()
    }

    /// Number of delayed events taken.
    fn issued(&self, ahead: Ahead) -> usize {
        let until = self.next(ahead).unwrap_or(u64::MAX);
        self.delayed.partition_point(|number| *number < until)
    }

    /// Events taken that are not yet in effect, oldest first.
    pub fn pending(&self, ahead: Ahead) -> impl Iterator<Item = u64> + '_ {
        let issued = self.issued(ahead);
        let range = issued - ahead.pending as usize..issued;
        self.delayed.range(range).copied()
    }
}

/// Greatest number of lanes of which none is given to another queue.
const FEW_LANES: usize = 64;

/// Place of an end among the ends of a history: its time, and the number of its event.
pub(super) type Ending = (u64, u64);

/// Window: the events that have begun and not ended, by thread.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub lanes: Vec<Lane>,
    /// End times of the events that have begun, with their numbers and lanes.
    ends: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// Lanes whose last event has no end, sorted.
    endless: Vec<u32>,
}

impl Window {
    pub fn new() -> Self {
        Self {
            lanes: Vec::new(),
            ends: BinaryHeap::new(),
            endless: Vec::new(),
        }
    }

    fn lane(&mut self, number: u64) -> u32 {
        let known = self.lanes.iter().position(|lane| lane.number == number);
        // Threads come and go, so a free lane is reused.
        let free = || {
            if self.lanes.len() < FEW_LANES {
                None
            } else {
                self.lanes.iter().position(Lane::is_idle)
            }
        };
        let at = known.or_else(free).unwrap_or(self.lanes.len());
        match self.lanes.get_mut(at) {
            Some(lane) => lane.number = number,
            None => self.lanes.push(Lane {
                number,
                queue: VecDeque::new(),
                delayed: VecDeque::new(),
            }),
        }
        at as u32
    }

    /// Begins an event.
    pub fn begin(&mut self, number: u64, place: Place, effect: Effect) {
        let at = self.lane(place.queue);
        let lane = &mut self.lanes[at as usize];
        lane.queue.push_back(number);
        if effect == Effect::Delayed {
            lane.delayed.push_back(number);
        }
        if let Some(end) = place.end {
            self.ends.push(Reverse((end, number, at)));
        } else if let Err(place) = self.endless.binary_search(&at) {
            // Its lane is never idle again, and so belongs to no other queue.
            self.endless.insert(place, at);
        }
    }

    /// Lanes whose last event has no end, sorted.
    pub fn endless(&self) -> impl Iterator<Item = (u32, &Lane)> {
        let lanes = self.endless.iter();
        lanes.map(|lane| (*lane, &self.lanes[*lane as usize]))
    }

    /// Lane of the event that ends first, if it ends before `time`.
    pub fn first_end(&self, time: Option<u64>) -> Option<u32> {
        let &Reverse((end, _, lane)) = self.ends.peek()?;
        time.is_none_or(|time| end < time).then_some(lane)
    }

    /// The end that comes first.
    pub fn first_ending(&self) -> Option<Ending> {
        let &Reverse((end, number, _)) = self.ends.peek()?;
        Some((end, number))
    }

    /// Number of the event of which the end comes first.
    pub fn first_number(&self) -> Option<u64> {
        self.first_ending().map(|(_, number)| number)
    }

    /// Ends that event, which every configuration of `frontier` has taken.
    pub fn end<S, T>(&mut self, frontier: &mut [(Configuration<S>, T)]) {
        let Some(Reverse((_, _, lane))) = self.ends.pop() else {
            return;
        };
        self.lanes[lane as usize].queue.pop_front();
        for (configuration, _) in frontier.iter_mut() {
            configuration.respond(lane);
        }
        for (at, lane) in (0..).zip(&mut self.lanes) {
            if lane.delayed.is_empty() {
                continue;
            }
            let effective = frontier.iter().map(|(configuration, _)| {
                let ahead = configuration.ahead(at);
                lane.issued(ahead) - ahead.pending as usize
            });
            if let Some(everywhere) = effective.min() {
                lane.delayed.drain(..everywhere);
            }
        }
    }

    /// Number of events that have begun and not ended, or are delayed.
    pub fn width(&self) -> usize {
        let lanes = self.lanes.iter();
        lanes
            .map(|lane| lane.queue.len() + lane.delayed.len())
            .sum()
    }

    /// True if the window refers to this event of `queue`.
    fn has(&self, queue: u64, number: u64) -> bool {
        let mut lanes = self.lanes.iter().filter(|lane| lane.number == queue);
        lanes.any(|Lane { queue, delayed, .. }| {
            queue.binary_search(&number).is_ok() || delayed.binary_search(&number).is_ok()
        })
    }

    /// Numbers of the events that the window refers to.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let lanes = self.lanes.iter();
        lanes.flat_map(|lane| lane.queue.iter().chain(&lane.delayed).copied())
    }
}
