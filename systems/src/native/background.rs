//! A collector in a thread of its own, which begins a cycle on request or when few slots are free.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::on_the_fly::{Collector, Heap, Violation};

/// Polling interval of the number of free slots.
const LOOK: Duration = Duration::from_millis(1);

/// Trigger of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Only on request.
    OnDemand,
    /// When fewer slots than this are free for mutators to take.
    FreeBelow(usize),
}

/// A running collector. When it is dropped it ends after the current cycle; mutators must answer
/// handshakes until then, or to have left.
pub struct BackgroundCollector {
    asked: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<(), Violation>>>,
}

impl BackgroundCollector {
    /// Starts the collector of a heap, which must have no other.
    pub fn start(heap: &Arc<Heap>, trigger: Trigger) -> Self {
        let (asked, asks) = mpsc::channel();
        let heap = Arc::clone(heap);
        let thread = thread::spawn(move || {
            let mut collector = Collector::new(&heap);
            loop {
                match asks.recv_timeout(LOOK) {
                    Ok(()) => (),
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => match trigger {
                        Trigger::FreeBelow(slots) if heap.free_slots() < slots => (),
                        Trigger::FreeBelow(_) | Trigger::OnDemand => continue,
                    },
                }
                collector.cycle()?;
            }
        });
        Self {
            asked: Some(asked),
            thread: Some(thread),
        }
    }

    /// Requests a cycle, without waiting for it. It begins after the current one, so objects that are garbage now
    /// are freed after two cycles.
    pub fn request(&self) {
        if let Some(asked) = &self.asked {
            // `end` reports a collector that has ended by a violation.
            let _ = asked.send(());
        }
    }

    /// Ends it, after the current cycle.
    ///
    /// # Errors
    ///
    /// If it ended before by a violation.
    pub fn end(mut self) -> Result<(), Violation> {
        self.asked = None;
        match self.thread.take() {
            Some(thread) => thread.join().expect("the collector does not panic"),
            None => Ok(()),
        }
    }
}

impl Drop for BackgroundCollector {
    fn drop(&mut self) {
        self.asked = None;
        if let Some(thread) = self.thread.take() {
            // Only `end` reports a violation.
            let _ = thread.join();
        }
    }
}
