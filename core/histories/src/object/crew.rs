//! Crew: the real threads of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use refmap::internal::catch;

use super::Object;
use super::case::Case;
use super::choice::{Balance, chosen};
use super::fault::Fault;
use super::run::{Player, Running};

/// Number of turns of a thread that waits for others to start before it lets others run.
const TURNS: u32 = 1 << 10;
/// Time for which the other threads of one that panicked may go on.
const AFTER_PANIC: Duration = Duration::from_secs(1);

/// Numbers that choose the calls of a thread.
pub(super) type Choices = Box<dyn Iterator<Item = u32> + Send>;

/// Arrival of a thread where all start; a thread that panics before has arrived, too.
struct Arrival<'a>(&'a AtomicUsize);

impl Arrival<'_> {
    /// Waits for all others.
    fn wait(self) {
        let Self(missing) = self;
        missing.fetch_sub(1, Ordering::AcqRel);
        std::mem::forget(self);
        let mut turns = 0_u32;
        while missing.load(Ordering::Acquire) > 0 {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(TURNS) {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Runs a thread for each of `choices`, and returns the fault in which that ended, if it did. Threads that do not return are left
/// to themselves.
pub(super) fn run<O: Object>(
    case: &Case<'_, O>,
    running: &Arc<Running<O>>,
    choices: Vec<Choices>,
    ahead: u64,
) -> Option<Fault> {
    let specification = &case.specification;
    let slots = &running.record.slots;
    let missing = Arc::new(AtomicUsize::new(choices.len()));
    let (done, ended) = channel();
    for ((thread, mut choices), log) in (0..).zip(choices).zip(running.record.logs()) {
        let (running, missing, done) = (Arc::clone(running), Arc::clone(&missing), done.clone());
        thread::spawn(move || {
            let result = catch(|| {
                let arrival = Arrival(&missing);
                let player = Player::new(&running, thread, log);
                arrival.wait();
                player.play(Balance::new(ahead), |offered| {
                    chosen(offered, choices.next()?)
                });
            });
            // Its receiver has gone if this thread was left to itself.
            let _ = done.send((thread, result));
        });
    }
    drop(done);
    let mut is_running: Vec<_> = slots.iter().map(|_| true).collect();
    let mut returned: Vec<u64> = vec![0; slots.len()];
    let mut fault: Option<Fault> = None;
    while is_running.contains(&true) {
        let patience = match &fault {
            Some(_) => AFTER_PANIC,
            None => case.effort.patience,
        };
        match ended.recv_timeout(patience) {
            Ok((thread, result)) => {
                is_running[thread as usize] = false;
                if let Err(panic) = result {
                    fault.get_or_insert_with(|| {
                        Fault::panicked::<O>(specification, slots, thread, panic.to_string())
                    });
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let now: Vec<_> = slots.iter().map(|slot| slot.returned()).collect();
                let hangs = |thread: usize| is_running[thread] && now[thread] == returned[thread];
                if (0..now.len()).any(hangs) {
                    return Some(
                        fault
                            .unwrap_or_else(|| Fault::hung::<O>(specification, slots, &is_running)),
                    );
                }
                returned = now;
            }
        }
    }
    fault
}
