//! Run of a program on a fresh object.

use std::sync::Arc;

#[cfg(any(feature = "shuttle", feature = "loom"))]
use refmap_schedules::explore::note;

use super::choice::Balance;
use super::record::Record;
use super::slot::Telling;
use super::{CallOf, Object, choice};
use crate::specifications::Called;
use crate::{Observed, ThreadLog};

/// Recorded event of an object.
pub(super) type EventOf<O> = <<O as Object>::Specification as Observed>::Event;

/// Run: the object, and what its threads do.
pub(super) struct Running<O: Object> {
    object: Arc<O>,
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    specification: O::Specification,
    shared: O::Shared,
    /// What the threads do.
    pub record: Arc<Record<O>>,
}

impl<O: Object> Running<O> {
    /// Makes the object.
    pub fn new(object: &Arc<O>, record: &Arc<Record<O>>) -> Self {
        Self {
            object: Arc::clone(object),
            #[cfg(any(feature = "shuttle", feature = "loom"))]
            specification: object.specification(),
            shared: object.make(),
            record: Arc::clone(record),
        }
    }
}

/// One thread of a run.
pub(super) struct Player<'a, O: Object> {
    running: &'a Running<O>,
    handle: O::Handle<'a>,
    log: ThreadLog<EventOf<O>>,
    telling: Telling<'a, CallOf<O>>,
    offered: Vec<CallOf<O>>,
}

impl<'a, O: Object> Player<'a, O> {
    /// Gives the thread its handle.
    pub fn new(running: &'a Running<O>, thread: u32, log: ThreadLog<EventOf<O>>) -> Self {
        Self {
            running,
            handle: running.object.handle(&running.shared, thread),
            log,
            telling: Telling::of(&running.record.slots[thread as usize]),
            offered: Vec::new(),
        }
    }

    /// Makes one call for each number, as long as there are any to make, and those with which the thread has to stop.
    pub fn play(mut self, mut balance: Balance, numbers: impl IntoIterator<Item = u32>) {
        let object = &*self.running.object;
        for number in numbers {
            self.offered.clear();
            object.calls(&self.handle, &mut |call| self.offered.push(call));
            balance.retain(&mut self.offered);
            let Some(place) = choice::chosen(&self.offered, number) else {
                break;
            };
            let call = self.offered.swap_remove(place);
            balance.count(&call);
            self.make(call);
        }
        while let Some(call) = object.last(&self.handle) {
            self.make(call);
        }
    }

    fn make(&mut self, call: CallOf<O>) {
        self.note(&call, None);
        let begin = self.log.begin();
        self.telling.begins(&call, begin.time());
        let answer = self.running.object.call(&mut self.handle, &call);
        self.note(&call, Some(&answer));
        let answer = Some(answer);
        self.log.end(begin, Called { call, answer });
        self.telling.returned();
    }

    /// Adds a call that begins, or one that has this answer, to the trace of a scheduler.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    fn note(&self, call: &CallOf<O>, answer: Option<&super::AnswerOf<O>>) {
        note(|| {
            let (call, answer) = (call.clone(), answer.cloned());
            let returns = answer.is_some();
            let text = self
                .running
                .specification
                .describe(&Called { call, answer });
            if returns {
                format!("└ {text}")
            } else {
                format!("┌ {}", text.trim_end_matches(" → ?"))
            }
        });
    }

    #[cfg(not(any(feature = "shuttle", feature = "loom")))]
    fn note(&self, _: &CallOf<O>, _: Option<&super::AnswerOf<O>>) {}
}
