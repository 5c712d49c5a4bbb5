//! Executions of a program under a scheduler, judged.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use refmap_schedules::explore::{Ended, Execution, Order, Traced, explore};
use refmap_schedules::thread;

use super::case::Case;
use super::choice::Balance;
use super::fault::Fault;
use super::lanes;
use super::once::Once;
use super::program::Program;
use super::record::Record;
use super::run::{FILE, Player, Running};
use super::tested::Part;
use super::{EventOf, Object, stuck};
use crate::{Event, Recorder};

/// Number of steps at which an execution is given up: one that waits for something that does not come never ends.
const MOST_STEPS: usize = 20_000;
/// Wrong execution.
pub(super) struct Wrong<O: Object> {
    pub once: Once<O>,
    pub execution: Execution,
}

/// Visits the wrong executions of a program, and returns whether there are no others. Executions of which the records are equal are
/// judged once.
pub(super) fn executions<O: Object>(
    case: &Case<'_, O>,
    program: &Program,
    order: &Order,
    traced: bool,
    part: &mut Part,
    visit: &mut dyn FnMut(Wrong<O>) -> ControlFlow<()>,
) -> bool {
    let specification = &case.specification;
    let latest: Arc<Mutex<Option<Arc<Record<O>>>>> = Arc::default();
    let body = {
        let (object, latest) = (Arc::clone(&case.object), Arc::clone(&latest));
        let threads = program.threads.clone();
        move || {
            let record = Arc::new(Record::of(threads.len(), Recorder::counting()));
            let set = Some(Arc::clone(&record));
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = set;
            let running = Arc::new(Running::new(&object, &record));
            let threads = (0..).zip(&threads).zip(record.logs());
            let threads = threads.map(|((thread, numbers), log)| {
                let (running, numbers) = (Arc::clone(&running), numbers.clone());
                thread::spawn(move || {
                    Player::new(&running, thread, log).play(Balance::new(u64::MAX), numbers)
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
        let fault = match &execution.ended {
            Ended::TooLong => {
                part.given_up += 1;
                return ControlFlow::Continue(());
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
    explore(order, MOST_STEPS, traced, body, judge).complete
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
