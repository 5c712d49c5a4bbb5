//! Runs of small programs under a scheduler.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use refmap::random::Generator;
use refmap::report::Verdict;
use refmap_schedules::explore::{Ended, Execution, Order, Traced, explore};
use refmap_schedules::thread;

use super::finding::{Fault, Finding};
use super::lanes;
use super::once::Once;
use super::program::{Program, read_numbers, write_numbers};
use super::record::Record;
use super::run::{EventOf, Player, Running};
use super::tested::{Part, Run, Tested};
use super::{Effort, Object, stuck};
use crate::{Event, Recorder};

/// Number of steps at which an execution is given up: one that waits for something that does not come never ends.
const MOST_STEPS: usize = 20_000;
/// Greatest number of calls of a thread.
const MOST_CALLS: usize = 3;
/// Greatest number of threads, unless the object needs more.
const MOST_THREADS: u32 = 3;
/// Least and greatest depth of a schedule: one more than the number of places where it takes another thread than the first that could go on.
const DEPTHS: [usize; 3] = [2, 3, 4];
/// Number of schedules of a program that is made smaller.
const MOST_TRIES: usize = 2_000;

/// Tries small programs under schedules of few preemptions.
#[cfg(feature = "shuttle")]
pub(super) fn schedules<O: Object>(
    object: &Arc<O>,
    specification: &O::Specification,
    effort: &Effort,
) -> Part {
    let mut part = Part::new::<O>(Run::Schedules);
    let mut generator = Generator::new(effort.seed);
    let numbers: Vec<u32> = numbers(&**object).collect();
    for number in 0..effort.programs as usize {
        let threads = numbers[number % numbers.len()];
        let program = Program::random(&mut generator, threads, 1 + number % MOST_CALLS);
        let order = |executions| Order::Pct {
            seed: effort.seed.wrapping_add(number as u64),
            depth: DEPTHS[number % DEPTHS.len()],
            executions,
        };
        let tried = Trial {
            object,
            specification,
            program: &program,
        };
        let schedules = effort.schedules as usize;
        let wrong = tried.first_wrong(&order(schedules), false, &mut part);
        if wrong.is_some() {
            let (program, choices) = smallest(object, specification, program, &order);
            part.found(told(object, specification, &program, &choices));
            return part;
        }
    }
    part.conclude();
    part
}

/// Numbers of threads of small programs.
fn numbers<O: Object>(object: &O) -> impl Iterator<Item = u32> + use<O> {
    let threads = object.threads();
    let (least, most) = (*threads.start(), *threads.end());
    least..=most.min(MOST_THREADS.max(least))
}

/// Program that is tried.
struct Trial<'a, O: Object> {
    object: &'a Arc<O>,
    specification: &'a O::Specification,
    program: &'a Program,
}

/// Wrong execution.
struct Wrong<O: Object> {
    once: Once<O>,
    execution: Execution,
}

impl<O: Object> Trial<'_, O> {
    /// The first wrong execution.
    fn first_wrong(&self, order: &Order, traced: bool, part: &mut Part) -> Option<Wrong<O>> {
        let mut found = None;
        self.executions(order, traced, part, &mut |wrong| {
            found = Some(wrong);
            ControlFlow::Break(())
        });
        found
    }

    /// Visits the wrong executions. Executions of which the records are equal are judged once.
    fn executions(
        &self,
        order: &Order,
        traced: bool,
        part: &mut Part,
        visit: &mut dyn FnMut(Wrong<O>) -> ControlFlow<()>,
    ) -> bool {
        let latest: Arc<Mutex<Option<Arc<Record<O>>>>> = Arc::default();
        let body = {
            let (object, latest) = (Arc::clone(self.object), Arc::clone(&latest));
            let threads = self.program.threads.clone();
            move || {
                let record = Arc::new(Record::of(threads.len(), Recorder::counting()));
                let set = Some(Arc::clone(&record));
                *latest.lock().unwrap_or_else(PoisonError::into_inner) = set;
                let running = Arc::new(Running::new(&object, &record));
                let threads = (0..).zip(&threads).zip(record.logs());
                let threads = threads.map(|((thread, numbers), log)| {
                    let (running, numbers) = (Arc::clone(&running), numbers.clone());
                    thread::spawn(move || Player::new(&running, thread, log).play(numbers))
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
                Ended::Deadlock if stuck::is_permitted(self.specification, &events) => {
                    part.blocked += 1;
                    return ControlFlow::Continue(());
                }
                Ended::Deadlock => Some(Fault::waits::<O>(self.specification, &record.slots)),
                Ended::Panicked(panic) => Some(Fault::in_execution::<O>(
                    self.specification,
                    &record.slots,
                    panic,
                )),
            };
            let once = Once::<O>::judged(self.specification, events, fault);
            part.count(&once);
            if once.is_wrong() {
                return visit(Wrong { once, execution });
            }
            judged.insert(once.events);
            ControlFlow::Continue(())
        };
        explore(order, MOST_STEPS, traced, body, judge).complete
    }
}

/// The program with as few calls as leaving some out leads to, and the choices of its wrong schedule that changes threads least.
fn smallest<O: Object>(
    object: &Arc<O>,
    specification: &O::Specification,
    mut program: Program,
    order: &dyn Fn(usize) -> Order,
) -> (Program, Vec<u32>) {
    let least = |program: &Program| {
        let mut least: Option<Vec<u32>> = None;
        let trial = Trial {
            object,
            specification,
            program,
        };
        let order = order(MOST_TRIES);
        trial.executions(
            &order,
            false,
            &mut Part::new::<O>(Run::Schedules),
            &mut |wrong| {
                let choices = wrong.execution.choices;
                if least
                    .as_ref()
                    .is_none_or(|least| changes(&choices) < changes(least))
                {
                    least = Some(choices);
                }
                ControlFlow::Continue(())
            },
        );
        least
    };
    let mut choices = least(&program);
    loop {
        let smaller = program.smaller().find_map(|program| {
            let choices = least(&program)?;
            Some((program, choices))
        });
        match smaller {
            Some((smaller, found)) => (program, choices) = (smaller, Some(found)),
            None => break,
        }
    }
    (program, choices.unwrap_or_default())
}

/// Number of times at which another thread goes on than before.
fn changes(choices: &[u32]) -> usize {
    choices.windows(2).filter(|two| two[0] != two[1]).count()
}

/// The finding of one schedule.
fn told<O: Object>(
    object: &Arc<O>,
    specification: &O::Specification,
    program: &Program,
    choices: &[u32],
) -> Finding {
    let trial = Trial {
        object,
        specification,
        program,
    };
    let order = Order::Repeat(choices.to_vec());
    let wrong = trial.first_wrong(&order, true, &mut Part::new::<O>(Run::Schedules));
    match wrong {
        Some(Wrong { once, execution }) => {
            let mut finding = Finding::of(Run::Schedules, specification, once);
            finding.schedule = Some(steps(&execution.trace));
            finding.repeat = Some(repeated(program, choices));
            finding
        }
        None => Finding::unrepeatable(Run::Schedules),
    }
}

/// Text that names a program and its schedule.
fn repeated(program: &Program, choices: &[u32]) -> String {
    struct Schedule<'a>(&'a [u32]);
    impl std::fmt::Display for Schedule<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write_numbers(f, self.0)
        }
    }
    format!("{program}@{}", Schedule(choices))
}

/// The schedule in columns. The body, which makes the object and waits for the threads, is no thread of the run.
fn steps(trace: &[Traced]) -> String {
    let lines = trace.iter().filter_map(|step| {
        let thread = step.thread.checked_sub(1)?;
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

/// Tries one schedule again.
pub(super) fn repeat<O: Object>(object: O, run: &str) -> Tested {
    let read = || {
        let (program, choices) = run.split_once('@')?;
        Some((
            program.parse::<Program>().ok()?,
            read_numbers(choices).ok()?,
        ))
    };
    let Some((program, choices)) = read() else {
        panic!("{run:?} names no run: it has to be what a finding says");
    };
    let object = Arc::new(object);
    let specification = object.specification();
    let trial = Trial {
        object: &object,
        specification: &specification,
        program: &program,
    };
    let mut part = Part::new::<O>(Run::Schedules);
    let order = Order::Repeat(choices.clone());
    if trial.first_wrong(&order, false, &mut part).is_some() {
        part.found(told(&object, &specification, &program, &choices));
    } else {
        part.verdict = Verdict::Incomplete;
        part.notes
            .push("this is one schedule, and nothing wrong was seen in it".to_owned());
    }
    Tested {
        seed: 0,
        parts: vec![part],
    }
}
