//! A collector in a thread of its own, that begins a cycle when it is asked to or when little is free.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::on_the_fly::{Collector, Heap, Violation};

/// How often the collector looks how much is free.
const LOOK: Duration = Duration::from_millis(1);

/// When the collector begins a cycle by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Never: only when it is asked to.
    OnDemand,
    /// When fewer slots than this are free for mutators to take.
    FreeBelow(usize),
}

/// A collector that runs. When it is dropped it ends, after the cycle it is in; mutators have to answer
/// handshakes until then, or to have left.
pub struct Running {
    asked: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<(), Violation>>>,
}

impl Running {
    /// Starts the collector of a heap, which is to have no other.
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

    /// Asks for a cycle, and does not wait for it. It begins after the one that is under way, so that
    /// what is garbage now is gone after two.
    pub fn request(&self) {
        if let Some(asked) = &self.asked {
            // Who has ended, by a violation, is told of by `end`.
            let _ = asked.send(());
        }
    }

    /// Ends it, after the cycle it is in.
    ///
    /// # Errors
    ///
    /// If it found something that a correct collector does not bring about, and so ended before.
    pub fn end(mut self) -> Result<(), Violation> {
        self.asked = None;
        match self.thread.take() {
            Some(thread) => thread.join().expect("the collector does not panic"),
            None => Ok(()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.asked = None;
        if let Some(thread) = self.thread.take() {
            // What it found is told of by `end` alone.
            let _ = thread.join();
        }
    }
}
