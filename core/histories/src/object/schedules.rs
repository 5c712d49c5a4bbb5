//! Runs of small programs under a scheduler.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use refmap::random::Generator;
use refmap::report::Verdict;
use refmap_schedules::explore::{Ended, Execution, Order, Traced, explore};
use refmap_schedules::thread;

use super::case::Case;
use super::finding::{Fault, Finding};
use super::lanes;
use super::once::Once;
use super::program::{CHOICES, Program, read_numbers, write_numbers};
use super::record::Record;
use super::run::{EventOf, Player, Running};
use super::tested::{Part, Run, Tested};
use super::{Effort, Object, stuck};
use crate::{Event, Recorder, Validation};

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

/// Number of programs of the calls of one part, each with other calls before.
const MOST_BEGINNINGS: usize = 50;
/// One more than the greatest number of calls before.
const MOST_BEFORE: usize = 5;

/// Tries small programs under schedules of few preemptions.
#[cfg(feature = "shuttle")]
pub(super) fn schedules<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Schedules);
    let mut generator = Generator::new(effort.seed);
    let numbers: Vec<u32> = numbers(&*case.object).collect();
    for number in 0..effort.programs as usize {
        let threads = numbers[number % numbers.len()];
        let program = Program::random(&mut generator, threads, 1 + number % MOST_CALLS);
        let order = |executions| Order::Pct {
            seed: effort.seed.wrapping_add(number as u64),
            depth: DEPTHS[number % DEPTHS.len()],
            executions,
        };
        case.begins(Run::Schedules, &program);
        let order_of_few = order(effort.schedules as usize);
        if first_wrong(case, &program, &order_of_few, false, &mut part).is_some() {
            let (program, choices) = smallest(case, program, &order);
            part.found(told(case, &program, &choices));
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

/// Wrong execution.
struct Wrong<O: Object> {
    once: Once<O>,
    execution: Execution,
}

/// The first wrong execution of a program.
fn first_wrong<O: Object>(
    case: &Case<'_, O>,
    program: &Program,
    order: &Order,
    traced: bool,
    part: &mut Part,
) -> Option<Wrong<O>> {
    let mut found = None;
    executions(case, program, order, traced, part, &mut |wrong| {
        found = Some(wrong);
        ControlFlow::Break(())
    });
    found
}

/// Visits the wrong executions of a program, and returns whether there are no others. Executions of which the records are equal are
/// judged once.
fn executions<O: Object>(
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
            Ended::Deadlock if stuck::is_permitted(specification, &events) => {
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
        let once = Once::judged(case, events, fault);
        part.count(&once);
        if once.is_wrong() {
            return visit(Wrong { once, execution });
        }
        judged.insert(once.events);
        ControlFlow::Continue(())
    };
    explore(order, MOST_STEPS, traced, body, judge).complete
}

/// A schedule of the calls of the smallest impossible part of a run on real threads, as they are told, after some calls that bring the
/// object where it was: there may be none.
pub(super) fn of_window<O: Object>(case: &Case<'_, O>, once: &Once<O>) -> Option<Finding> {
    let window = once.validation.as_ref().and_then(Validation::window)?;
    let calls = window.iter().filter_map(|place| once.events.get(*place));
    let threads = once.events.iter().map(|event| event.thread + 1).max()?;
    let mut program = Program {
        threads: vec![Vec::new(); threads as usize],
    };
    {
        let shared = case.object.make();
        for event in calls {
            let call = &event.event.as_ref()?.call;
            let handle = case.object.handle(&shared, event.thread);
            let mut offered = Vec::new();
            case.object.calls(&handle, &mut |call| offered.push(call));
            let number = offered.iter().position(|offered| offered == call)?;
            program.threads[event.thread as usize].push(u32::try_from(number).ok()?);
        }
    }
    let mut generator = Generator::new(case.effort.seed);
    (0..MOST_BEGINNINGS).find_map(|number| {
        let mut program = program.clone();
        let first = generator.below(threads as usize);
        for _ in 0..number % MOST_BEFORE {
            let any = generator.below(CHOICES) as u32;
            program.threads[first].insert(0, any);
        }
        let order = |executions| Order::Pct {
            seed: case.effort.seed.wrapping_add(number as u64),
            depth: DEPTHS[number % DEPTHS.len()],
            executions,
        };
        let part = &mut Part::new::<O>(Run::Schedules);
        let few = order(case.effort.schedules as usize);
        first_wrong(case, &program, &few, false, part)?;
        let (program, choices) = smallest(case, program, &order);
        Some(told(case, &program, &choices))
    })
}

/// The program with as few calls as leaving some out leads to, and the choices of its wrong schedule that changes threads least.
fn smallest<O: Object>(
    case: &Case<'_, O>,
    mut program: Program,
    order: &dyn Fn(usize) -> Order,
) -> (Program, Vec<u32>) {
    let least = |program: &Program| {
        let mut least: Option<Vec<u32>> = None;
        let most = MOST_TRIES.max(case.effort.schedules as usize);
        let (order, part) = (order(most), &mut Part::new::<O>(Run::Schedules));
        executions(case, program, &order, false, part, &mut |wrong| {
            let choices = wrong.execution.choices;
            if least
                .as_ref()
                .is_none_or(|least| changes(&choices) < changes(least))
            {
                least = Some(choices);
            }
            ControlFlow::Continue(())
        });
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
fn told<O: Object>(case: &Case<'_, O>, program: &Program, choices: &[u32]) -> Finding {
    let order = Order::Repeat(choices.to_vec());
    let part = &mut Part::new::<O>(Run::Schedules);
    let wrong = first_wrong(case, program, &order, true, part);
    match wrong {
        Some(Wrong { once, execution }) => {
            let mut finding = Finding::of(case, Run::Schedules, once);
            finding.schedule = Some(steps(&execution.trace));
            finding.repeat = Some(repeated(program, choices));
            finding
        }
        None => {
            let told = "a wrong run was seen, and tried again it was another one: the object depends on more than its calls and their schedule";
            Finding::bare(Run::Schedules, Verdict::Violated, told.to_owned())
        }
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
    let effort = Effort::default();
    let case = &Case::new(object, &effort, &|_| ());
    let mut part = Part::new::<O>(Run::Schedules);
    let order = Order::Repeat(choices.clone());
    if first_wrong(case, &program, &order, false, &mut part).is_some() {
        part.found(told(case, &program, &choices));
    } else {
        part.verdict = Verdict::Incomplete;
        part.notes
            .push("this is one schedule, and nothing wrong was seen in it".to_owned());
    }
    Tested {
        seed: effort.seed,
        parts: vec![part],
    }
}
