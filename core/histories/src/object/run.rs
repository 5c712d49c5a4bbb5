//! Run of a program on a fresh object.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

#[cfg(any(feature = "shuttle", feature = "loom"))]
use refmap_schedules::explore::note;

use super::choice::Balance;
use super::concurrent::EventOf;
use super::record::Record;
use super::slot::Telling;
use super::{CallOf, Object};
#[cfg(any(feature = "shuttle", feature = "loom"))]
use crate::Observed;
use crate::ThreadLog;
use crate::specifications::Called;

/// This file, of which a step between two calls is none of the object's.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(super) const FILE: &str = file!();

/// Run: the object, and what its threads do.
pub(super) struct Running<O: Object> {
    object: Arc<O>,
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    specification: O::Specification,
    shared: O::Shared,
    /// Read between two calls of a thread, so that a schedule may go on with another one there.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    between: refmap_schedules::sync::atomic::AtomicBool,
    /// Record of the calls of its threads.
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
            #[cfg(any(feature = "shuttle", feature = "loom"))]
            between: refmap_schedules::sync::atomic::AtomicBool::new(false),
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

    /// Makes calls as long as `choose` has the place of one among those that the thread may make, and those with which the thread has to stop.
    pub fn play(
        mut self,
        mut balance: Balance,
        mut choose: impl FnMut(&[CallOf<O>]) -> Option<usize>,
    ) {
        let object = &*self.running.object;
        loop {
            self.offered.clear();
            object.calls(&self.handle, &mut |call| self.offered.push(call));
            balance.retain(&mut self.offered);
            let Some(place) = choose(&self.offered) else {
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
        #[cfg(any(feature = "shuttle", feature = "loom"))]
        if refmap_schedules::is_scheduled() {
            self.running.between.load(Ordering::Relaxed);
        }
        self.note(&call, None);
        let begin = self.log.begin();
        self.telling.begins(&call, begin.time());
        // What the call does lies between its times: no load of it is done before, and no store of it waits in a buffer after. Without
        // fences a store that releases would be seen too late, by the clock, in code that is right by Rust's memory model.
        fence(Ordering::SeqCst);
        let answer = self.running.object.call(&mut self.handle, &call);
        fence(Ordering::SeqCst);
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
