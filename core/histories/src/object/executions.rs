//! Executions of a program under a scheduler, judged.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use refmap::internal::grouped;
use refmap_schedules::explore::{Ended, Execution, Explored, Order, Traced, explore};
use refmap_schedules::thread;

use super::case::Case;
use super::choice::{Balance, chosen};
use super::concurrent::EventOf;
use super::fault::{Fault, under_way};
use super::kind::Run;
use super::lanes;
use super::once::Once;
use super::program::Program;
use super::record::Record;
use super::run::{FILE, Player, Running};
use super::slot::Slot;
use super::tested::Part;
use super::tiny::Offers;
use super::{Object, stuck};
use crate::{Event, Recorder};

/// Number of steps at which an execution is given up: one that waits for something that does not come never ends.
const MOST_STEPS: usize = 20_000;
/// Begin of what is said of threads that only wait. That they wait for ever is not certain: a loop may count how often it goes round.
const WAITS: &str =
    "all threads read the same again and again, though the specification permits one to go on";

/// Wrong execution.
pub(super) struct Wrong<O: Object> {
    pub once: Once<O>,
    pub execution: Execution,
}

/// Exploration of a program.
pub(super) struct Exploration<'a> {
    pub program: &'a Program,
    pub order: &'a Order,
    pub is_traced: bool,
    /// Told which calls threads may make.
    pub offers: Option<&'a Arc<Offers>>,
}

/// Visits the wrong executions of a program. Executions of which the records are equal are judged once.
pub(super) fn executions<O: Object>(
    case: &Case<'_, O>,
    exploration: &Exploration<'_>,
    part: &mut Part,
    visit: &mut dyn FnMut(Wrong<O>) -> ControlFlow<()>,
) -> Explored {
    let specification = &case.specification;
    let latest: Arc<Mutex<Option<Arc<Record<O>>>>> = Arc::default();
    let body = {
        let (object, latest) = (Arc::clone(&case.object), Arc::clone(&latest));
        let threads = exploration.program.threads.clone();
        let offers = exploration.offers.map(Arc::clone);
        move || {
            let record = Arc::new(Record::of(threads.len(), Recorder::counting()));
            let set = Some(Arc::clone(&record));
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = set;
            let running = Arc::new(Running::new(&object, &record));
            let threads = (0..).zip(&threads).zip(record.logs());
            let threads = threads.map(|((thread, numbers), log)| {
                let (running, numbers) = (Arc::clone(&running), numbers.clone());
                let offers = offers.clone();
                thread::spawn(move || {
                    let mut numbers = numbers.into_iter().enumerate();
                    let player = Player::new(&running, thread, log);
                    player.play(Balance::new(u64::MAX), |offered| {
                        let (place, number) = numbers.next()?;
                        if let Some(offers) = &offers {
                            offers.tell(thread as usize, place, offered);
                        }
                        chosen(offered, number)
                    });
                })
            });
            let threads: Vec<_> = threads.collect();
            for thread in threads {
                // One that panics ends the execution.
                let _ = thread.join();
            }
        }
    };
    let mut judged: HashSet<Vec<Event<EventOf<O>>>> = HashSet::new();
    let judge = &mut |execution: Execution| {
        let record = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(record) = record else {
            return ControlFlow::Continue(());
        };
        let events = record.history();
        let begun: u64 = record.slots.iter().map(Slot::begun).sum();
        // The run itself takes one step before each call.
        part.steps += execution.steps.saturating_sub(begun);
        let fault = match &execution.ended {
            Ended::TooLong => {
                part.given_up += 1;
                part.remark(endless(&execution));
                None
            }
            Ended::Waiting if stuck::is_permitted(specification, part.run, &events) => {
                part.blocked += 1;
                return ControlFlow::Continue(());
            }
            Ended::Waiting => {
                part.given_up += 1;
                let waiting = under_way::<O>(specification, &record.slots);
                let waits = format!("{WAITS}: {waiting}, {}", places(&execution));
                // Loom may have a thread read for ever what another one has overwritten.
                if part.run == Run::Memory {
                    part.remark(waits);
                } else if !part.notes.iter().any(|note| note.starts_with(WAITS)) {
                    part.notes.push(waits);
                }
                None
            }
            Ended::Completed if judged.contains(&events) => {
                part.count_again::<O>(&events);
                return ControlFlow::Continue(());
            }
            Ended::Completed => None,
            Ended::Deadlock if stuck::is_permitted(specification, part.run, &events) => {
                part.blocked += 1;
                return ControlFlow::Continue(());
            }
            Ended::Deadlock => Some(Fault::waits::<O>(specification, &record.slots)),
            Ended::Panicked(panic) => Some(Fault::in_execution::<O>(
                specification,
                &record.slots,
                panic,
            )),
        };
        let once = Once::judged(case, part.run, events, fault);
        part.count(&once);
        if once.is_wrong() {
            return visit(Wrong { once, execution });
        }
        judged.insert(once.events);
        ControlFlow::Continue(())
    };
    let Exploration {
        order, is_traced, ..
    } = exploration;
    explore(order, MOST_STEPS, *is_traced, body, judge)
}

/// Reason why an execution was given up that did not end.
fn endless(execution: &Execution) -> String {
    format!(
        "an execution had not ended after {} steps, {}: a loop that waits for another thread has to let it run, by `hint::spin_loop` or \
         `thread::yield_now` of `refmap_schedules`",
        grouped(MOST_STEPS as u64),
        places(execution)
    )
}

/// Places of the last steps of the threads that had not ended.
fn places(execution: &Execution) -> String {
    let places = execution.last.iter().filter_map(|(thread, place)| {
        let thread = thread.checked_sub(1)?;
        (place.file() != FILE)
            .then(|| format!("thread {thread} at {}:{}", place.file(), place.line()))
    });
    let places: Vec<_> = places.collect();
    if places.is_empty() {
        "in no place that is known".to_owned()
    } else {
        places.join(", ")
    }
}

/// The schedule in columns. The body, which makes the object and waits for the threads, is no thread of the run.
pub(super) fn steps(trace: &[Traced]) -> String {
    let lines = trace.iter().filter_map(|step| {
        let thread = step.thread.checked_sub(1)?;
        if step.place.is_some_and(|place| place.file() == FILE) {
            return None;
        }
        let text = match step.place {
            Some(place) => format!("│ {}  {}:{}", step.text, place.file(), place.line()),
            // A line of the test itself begins or ends a call.
            None if step.text.starts_with(['┌', '└']) => step.text.clone(),
            None => format!("│ {}", step.text),
        };
        Some((thread, text))
    });
    let lines: Vec<_> = lines.collect();
    lanes::steps(&lines)
}
