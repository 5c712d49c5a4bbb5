//! Recording what real threads do.
//!
//! Every thread has a [`ThreadLog`], which it alone writes to: recording takes no lock. A log is handed
//! over, under a lock, when it is full, flushed or dropped.
//!
//! A log also says from when on it may still hold events ([`ThreadLog::begin`] tells how), so that
//! [`Recorder::drain`] can write out what is complete while threads go on, in the order of a history
//! and in memory that depends on how far the slowest thread is behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{io, mem};

use serde::Serialize;

use super::event::Event;
use super::writer::Writer;

/// How many events a log holds before it hands them over.
const FULL: usize = 4096;
/// Of a log that holds nothing, and whose thread is between two events.
const IDLE: u64 = u64::MAX;

/// Records what threads do.
#[derive(Debug)]
pub struct Recorder<E> {
    shared: Arc<Shared<E>>,
}

#[derive(Debug)]
struct Shared<E> {
    origin: Instant,
    handed_over: Mutex<HandedOver<E>>,
}

#[derive(Debug)]
struct HandedOver<E> {
    /// How many threads there have been.
    threads: u32,
    /// Of each thread that still records: since when its log may hold something.
    logs: Vec<Arc<AtomicU64>>,
    /// What has not been written out.
    events: Vec<Event<E>>,
}

impl<E> Shared<E> {
    fn now(&self) -> u64 {
        // 584 years after the start the clock stands still.
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(IDLE - 1)
    }

    /// Whoever panicked while it was held has left nothing half done.
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
    /// A recorder whose clock starts now.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                origin: Instant::now(),
                handed_over: Mutex::new(HandedOver {
                    threads: 0,
                    logs: Vec::new(),
                    events: Vec::new(),
                }),
            }),
        }
    }

    /// A log for a thread of its own.
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

    /// What was handed over and is complete: no event that begins before one of these can still come.
    fn complete(&self) -> Vec<Event<E>> {
        let mut handed_over = self.shared.handed_over();
        // Before the logs are looked at: see `ThreadLog::begin`.
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

    /// Writes out what is complete, while threads go on recording. Says how many events that were.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
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

    /// All events that have been handed over and not been written out, in the order of a history. Logs
    /// have to be dropped first: what they still hold is not among them.
    pub fn finish(self) -> Vec<Event<E>> {
        let mut events = mem::take(&mut self.shared.handed_over().events);
        sort(&mut events);
        events
    }
}

fn sort<E>(events: &mut [Event<E>]) {
    events.sort_unstable_by_key(|event| (event.begin, event.thread, event.place));
}

/// When an event began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "an event that begins and does not end is recorded as lost"]
pub struct Begin(u64);

/// The log of one thread.
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
    /// The thread's number in the history.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Before the thread does something: the time.
    pub fn begin(&mut self) -> Begin {
        if self.events.is_empty() {
            // Whoever does not see this looked at the clock before we do, and so takes nothing for
            // complete that begins after us.
            self.since.store(self.shared.now(), Ordering::SeqCst);
        }
        let begin = Begin(self.shared.now());
        self.under_way = Some(begin);
        begin
    }

    /// After it: what it was, and what came of it.
    pub fn end(&mut self, begin: Begin, event: E) {
        let end = self.shared.now();
        self.record(begin, Some(end), Some(event));
        if self.events.len() >= FULL {
            self.flush();
        }
    }

    /// It turned out to be nothing.
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

    /// Hands over what has been recorded.
    pub fn flush(&mut self) {
        let mut handed_over = self.shared.handed_over();
        handed_over.events.append(&mut self.events);
        let since = self.under_way.map_or(IDLE, |Begin(begin)| begin);
        self.since.store(since, Ordering::SeqCst);
    }
}

impl<E> Drop for ThreadLog<E> {
    /// An event under way is recorded as one that has no end: the thread may have panicked in it.
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

    /// What is complete has begun before the clock was looked at, whatever the logs say: a thread that has just begun
    /// to record is not seen yet.
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

    /// An event that began when a log's thread did is not complete, and one before it is.
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
