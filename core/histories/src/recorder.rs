//! Recorder of the events of real threads.
//!
//! Every thread has a [`ThreadLog`], which it alone writes to, so recording takes no lock. A log moves its events
//! to the recorder, under a lock, when it is full, flushed or dropped.
//!
//! A log also publishes the time from which it may still hold events (see [`ThreadLog::begin`]). So
//! [`Recorder::drain`] can write complete events while threads continue, in the order of a history and in memory
//! proportional to the delay of the slowest thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{io, mem};

use serde::Serialize;

use super::event::Event;
use super::writer::Writer;

/// Number of events at which a log of a clock moves them to the recorder.
const FULL: usize = 4096;
/// Value of `since` for an empty log whose thread is between two events.
const IDLE: u64 = u64::MAX;

/// Recorder of the events of threads.
#[derive(Debug)]
pub struct Recorder<E> {
    shared: Arc<Shared<E>>,
}

/// Clock that the threads share.
#[derive(Debug)]
enum Clock {
    /// Nanoseconds since then.
    Time(Instant),
    /// Number of readings: each is later than all before it.
    Readings(AtomicU64),
}

impl Clock {
    /// Number of events at which a log moves them to the recorder. One of a counting clock keeps none: its thread may never go on.
    fn full(&self) -> usize {
        match self {
            Self::Time(_) => FULL,
            Self::Readings(_) => 1,
        }
    }
}

#[derive(Debug)]
struct Shared<E> {
    clock: Clock,
    handed_over: Mutex<HandedOver<E>>,
}

#[derive(Debug)]
struct HandedOver<E> {
    /// Number of threads created so far.
    threads: u32,
    /// Per thread that still records, the time from which its log may hold events.
    logs: Vec<Arc<AtomicU64>>,
    /// Events that are not yet written.
    events: Vec<Event<E>>,
}

impl<E> Shared<E> {
    fn now(&self) -> u64 {
        match &self.clock {
            // The clock saturates 584 years after the start.
            Clock::Time(origin) => u64::try_from(origin.elapsed().as_nanos()).unwrap_or(IDLE - 1),
            Clock::Readings(number) => number.fetch_add(1, Ordering::SeqCst),
        }
    }

    /// A poisoned lock is ignored: a panic under it leaves no inconsistent state.
    fn handed_over(&self) -> MutexGuard<'_, HandedOver<E>> {
        self.handed_over
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E> Default for Recorder<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Recorder<E> {
    /// Creates a recorder whose clock starts now.
    pub fn new() -> Self {
        Self::on(Clock::Time(Instant::now()))
    }

    /// Creates a recorder whose clock counts how often it is read, so that times are the order of begins and ends and nothing else.
    /// For threads of which a scheduler runs one at a time; others would wait for each other at the clock.
    pub fn counting() -> Self {
        Self::on(Clock::Readings(AtomicU64::new(0)))
    }

    fn on(clock: Clock) -> Self {
        Self {
            shared: Arc::new(Shared {
                clock,
                handed_over: Mutex::new(HandedOver {
                    threads: 0,
                    logs: Vec::new(),
                    events: Vec::new(),
                }),
            }),
        }
    }

    /// Creates the log of a new thread.
    ///
    /// # Panics
    ///
    /// After 2³² threads.
    pub fn thread(&self) -> ThreadLog<E> {
        let mut handed_over = self.shared.handed_over();
        let thread = handed_over.threads;
        handed_over.threads = thread.checked_add(1).expect("a thread's number fits");
        let since = Arc::new(AtomicU64::new(IDLE));
        handed_over.logs.push(Arc::clone(&since));
        drop(handed_over);
        ThreadLog {
            shared: Arc::clone(&self.shared),
            thread,
            place: 0,
            under_way: None,
            events: Vec::new(),
            since,
        }
    }

    /// Takes the complete events: no event that is still to come begins before one of these.
    fn complete(&self) -> Vec<Event<E>> {
        let mut handed_over = self.shared.handed_over();
        // Read the clock before the logs: see `ThreadLog::begin`.
        let now = self.shared.now();
        let since = handed_over.logs.iter();
        let until = since.map(|since| since.load(Ordering::SeqCst)).min();
        let until = until.unwrap_or(IDLE).min(now);
        let events = mem::take(&mut handed_over.events);
        let (mut complete, rest): (Vec<_>, _) =
            events.into_iter().partition(|event| event.begin < until);
        handed_over.events = rest;
        drop(handed_over);
        sort(&mut complete);
        complete
    }

    /// Writes the complete events while threads continue to record, and returns their number.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn drain<W: io::Write>(&self, writer: &mut Writer<W>) -> io::Result<usize>
    where
        E: Serialize,
    {
        let complete = self.complete();
        for event in &complete {
            writer.write(event)?;
        }
        Ok(complete.len())
    }

    /// All remaining events, in the order of a history. Logs must be dropped first: events that they still hold are
    /// not included.
    pub fn finish(self) -> Vec<Event<E>> {
        self.handed_over()
    }

    /// The events that logs have moved here and that are not written, in the order of a history.
    pub(crate) fn handed_over(&self) -> Vec<Event<E>> {
        let mut events = mem::take(&mut self.shared.handed_over().events);
        sort(&mut events);
        events
    }
}

fn sort<E>(events: &mut [Event<E>]) {
    events.sort_unstable_by_key(|event| (event.begin, event.thread, event.place));
}

/// Start time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "an event that begins and does not end is recorded as lost"]
pub struct Begin(u64);

impl Begin {
    /// The time.
    pub(crate) fn time(self) -> u64 {
        self.0
    }
}

/// Log of one thread.
#[derive(Debug)]
pub struct ThreadLog<E> {
    shared: Arc<Shared<E>>,
    thread: u32,
    place: u64,
    /// The event that has begun and not ended.
    under_way: Option<Begin>,
    events: Vec<Event<E>>,
    since: Arc<AtomicU64>,
}

impl<E> ThreadLog<E> {
    /// Number of the thread in the history.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Reads the clock before an operation.
    pub fn begin(&mut self) -> Begin {
        if self.events.is_empty() {
            // A reader that does not see this store read the clock before this thread does, so it treats no event
            // as complete that begins after this one.
            self.since.store(self.shared.now(), Ordering::SeqCst);
        }
        let begin = Begin(self.shared.now());
        self.under_way = Some(begin);
        begin
    }

    /// Records an operation after it, with its result.
    pub fn end(&mut self, begin: Begin, event: E) {
        let end = self.shared.now();
        self.record(begin, Some(end), Some(event));
        if self.events.len() >= self.shared.clock.full() {
            self.flush();
        }
    }

    /// Discards an event that has begun.
    pub fn forget(&mut self, _begin: Begin) {
        self.under_way = None;
        if self.events.is_empty() {
            self.since.store(IDLE, Ordering::SeqCst);
        }
    }

    fn record(&mut self, begin: Begin, end: Option<u64>, event: Option<E>) {
        self.under_way = None;
        self.events.push(Event {
            thread: self.thread,
            place: self.place,
            begin: begin.0,
            end,
            event,
        });
        self.place += 1;
    }

    /// Moves the recorded events to the recorder.
    pub fn flush(&mut self) {
        let mut handed_over = self.shared.handed_over();
        handed_over.events.append(&mut self.events);
        let since = self.under_way.map_or(IDLE, |Begin(begin)| begin);
        self.since.store(since, Ordering::SeqCst);
    }
}

impl<E> Drop for ThreadLog<E> {
    /// Records an event that has not ended as one without an end: the thread may have panicked in it.
    fn drop(&mut self) {
        if let Some(begin) = self.under_way {
            self.record(begin, None, None);
        }
        self.flush();
        let mut handed_over = self.shared.handed_over();
        handed_over
            .logs
            .retain(|since| !Arc::ptr_eq(since, &self.since));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Complete events begin before the clock was read, whatever the logs contain: the reader may not yet see a
    /// thread that has just begun to record.
    #[test]
    fn nothing_is_complete_that_begins_after_the_look_at_the_clock() {
        let recorder: Recorder<u8> = Recorder::new();
        let event = |begin, place| Event {
            thread: 0,
            place,
            begin,
            end: Some(begin + 1),
            event: Some(0),
        };
        let now = recorder.shared.now();
        let events = [event(now, 0), event(now + (1 << 50), 1), event(IDLE - 1, 2)];
        recorder.shared.handed_over().events.extend(events);
        while recorder.shared.now() == now {}
        let places = |events: Vec<Event<u8>>| -> Vec<u64> {
            events.iter().map(|event| event.place).collect()
        };
        assert_eq!(places(recorder.complete()), [0]);
        assert!(recorder.complete().is_empty());
        assert_eq!(places(recorder.finish()), [1, 2]);
    }

    /// An event that begins at the time of a log's thread is not complete, and an earlier one is.
    #[test]
    fn nothing_is_complete_that_a_log_may_precede() {
        let recorder: Recorder<u8> = Recorder::new();
        let mut log = recorder.thread();
        let mut other = recorder.thread();
        let begin = other.begin();
        other.end(begin, 1);
        other.flush();
        while recorder.shared.now() == begin.0 {}
        let Begin(since) = log.begin();
        let same = Event {
            thread: 9,
            place: 0,
            begin: log.since.load(Ordering::SeqCst),
            end: None,
            event: Some(2),
        };
        assert!(same.begin <= since);
        recorder.shared.handed_over().events.push(same);
        while recorder.shared.now() <= since {}
        let events = recorder.complete();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].event, Some(1));
        log.forget(Begin(since));
        assert_eq!(recorder.complete().len(), 1);
    }
}
