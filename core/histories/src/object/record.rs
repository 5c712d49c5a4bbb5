//! Record of what the threads of a run do.

use super::CallOf;
use super::Object;
use super::concurrent::EventOf;
use super::slot::Slot;
use crate::specifications::Called;
use crate::{Event, Recorder, ThreadLog};

/// Record of a run, which outlives its object.
pub(super) struct Record<O: Object> {
    recorder: Recorder<EventOf<O>>,
    /// One of each thread.
    pub slots: Vec<Slot<CallOf<O>>>,
}

impl<O: Object> Record<O> {
    /// Record of so many threads.
    pub fn of(threads: usize, recorder: Recorder<EventOf<O>>) -> Self {
        Self {
            recorder,
            slots: (0..threads).map(|_| Slot::new()).collect(),
        }
    }

    /// Logs of the threads, in their order.
    pub fn logs(&self) -> Vec<ThreadLog<EventOf<O>>> {
        self.slots.iter().map(|_| self.recorder.thread()).collect()
    }

    /// Events that were recorded. A call that is under way has no end, and no answer; it is there if it is known which call it is.
    pub fn history(&self) -> Vec<Event<EventOf<O>>> {
        let mut events = self.recorder.handed_over();
        // A log that is dropped in a call does not know which.
        events.retain(|event| event.event.is_some());
        for (thread, slot) in (0..).zip(&self.slots) {
            let Some((begin, Some(call))) = slot.pending() else {
                continue;
            };
            let own = events.iter().filter(|event| event.thread == thread);
            let place = own.count() as u64;
            events.push(Event {
                thread,
                place,
                begin,
                end: None,
                event: Some(Called { call, answer: None }),
            });
        }
        events.sort_unstable_by_key(|event| (event.begin, event.thread, event.place));
        events
    }
}
