//! Runs on real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use refmap::internal::catch;
use refmap::random::Generator;

use super::case::Case;
use super::choice::Balance;
use super::finding::{Fault, Finding};
use super::once::Once;
use super::run::{Player, Running};
#[cfg(feature = "shuttle")]
use super::schedules;
use super::tested::{Part, Run};
use super::{Object, calibration};
use crate::Recorder;

/// Number of turns of a thread that waits for others to start before it lets others run.
const TURNS: u32 = 1 << 10;
/// Time for which the other threads of one that panicked may go on.
const AFTER_PANIC: Duration = Duration::from_secs(1);

/// Greatest number by which the calls of a rule are ahead of those of others.
const MOST_AHEAD: u64 = 4;

/// Number of times as many runs as were asked for that are made while no two calls overlap, as on a machine that has no core to spare.
const MORE: u32 = 5;

/// Numbers that choose the calls of a thread.
pub(super) type Choices = Box<dyn Iterator<Item = u32> + Send>;

/// Tries real threads that make many calls, each run on an object of its own.
pub(super) fn threads<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Threads);
    let numbers: Vec<u32> = case.object.threads().collect();
    let mut latest = Vec::new();
    let most = effort.runs.saturating_mul(MORE);
    for (run, threads) in (0..most).zip(numbers.iter().cycle()) {
        if run >= effort.runs && part.overlapping > 0 {
            break;
        }
        let choices = (0..*threads).map(|thread| -> Choices {
            let number = (u64::from(run) << 32) | u64::from(thread);
            let mut generator = Generator::numbered(effort.seed, number);
            Box::new((0..effort.calls).map(move |_| generator.bits() as u32))
        });
        let recorder = Recorder::new();
        case.begins(Run::Threads, &run);
        let once = Once::on_threads(
            case,
            recorder,
            choices.collect(),
            1 + u64::from(run) % MOST_AHEAD,
        );
        part.count(&once);
        if once.is_wrong() {
            part.found(finding(case, once));
            return part;
        }
        latest = once.events;
    }
    let mut generator = Generator::new(effort.seed);
    if !calibration::refuses_wrong::<O>(&case.specification, &latest, &mut generator) {
        part.notes.push(
            "wrong answers that were put into the record were not refused: the specification tells too little apart".to_owned(),
        );
    }
    part.conclude();
    part
}

/// The finding of a run, with a schedule of its calls that is wrong, if the object has schedules and one is found.
fn finding<O: Object>(case: &Case<'_, O>, once: Once<O>) -> Finding {
    #[cfg(feature = "shuttle")]
    let schedule = (case.object.has_schedules() && once.fault.is_none())
        .then(|| schedules::of_window(case, &once));
    #[cfg_attr(
        not(feature = "shuttle"),
        expect(unused_mut, reason = "without schedules")
    )]
    let mut finding = Finding::of(case, Run::Threads, once);
    #[cfg(feature = "shuttle")]
    match schedule {
        None => (),
        Some(None) => {
            finding.told += "; no schedule of these calls was found that shows it";
        }
        Some(Some(of_schedule)) => {
            finding.schedule = of_schedule.schedule;
            finding.repeat = of_schedule.repeat;
        }
    }
    finding
}

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
    for ((thread, choices), log) in (0..).zip(choices).zip(running.record.logs()) {
        let (running, missing, done) = (Arc::clone(running), Arc::clone(&missing), done.clone());
        thread::spawn(move || {
            let result = catch(|| {
                let arrival = Arrival(&missing);
                let player = Player::new(&running, thread, log);
                arrival.wait();
                player.play(Balance::new(ahead), choices);
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
