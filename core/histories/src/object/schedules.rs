//! Runs of small programs under a scheduler.

use std::ops::ControlFlow;

use refmap::random::Generator;
use refmap::report::Verdict;
use refmap_schedules::explore::Order;

use super::case::Case;
use super::executions::{Exploration, Wrong, executions, steps};
use super::finding::Finding;
use super::kind::Run;
use super::once::Once;
use super::program::{CHOICES, Program, read_numbers, write_numbers};
use super::tested::{Part, Tested};
use super::{Effort, Object, choice};
use crate::Validation;

/// Greatest number of calls of a thread.
const MOST_CALLS: usize = 3;
/// Greatest number of threads, unless the object needs more.
const MOST_THREADS: u32 = 4;
/// Least and greatest depth of a schedule: one more than the number of places where it takes another thread than the first that could go on.
const DEPTHS: [usize; 3] = [2, 3, 4];
/// Number of schedules of a program that is made smaller.
const MOST_TRIES: usize = 2_000;

/// Number of programs of the calls of one part, each with other calls before.
const MOST_BEGINNINGS: usize = 50;
/// One more than the greatest number of calls before.
const MOST_BEFORE: usize = 5;

/// Tries small programs under schedules of few preemptions.
pub(super) fn schedules<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Schedules);
    let mut generator = Generator::new(effort.seed);
    let numbers: Vec<u32> = numbers(&*case.object).collect();
    for number in 0..effort.programs as usize {
        let threads = numbers[generator.below(numbers.len())];
        let most = 1 + generator.below(MOST_CALLS);
        let program = Program::random(&mut generator, threads, most);
        let depth = DEPTHS[generator.below(DEPTHS.len())];
        let order = |executions| Order::Pct {
            seed: effort.seed.wrapping_add(number as u64),
            depth,
            executions,
        };
        if !part.begins(case, &program) {
            return part;
        }
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

/// The first wrong execution of a program.
fn first_wrong<O: Object>(
    case: &Case<'_, O>,
    program: &Program,
    order: &Order,
    is_traced: bool,
    part: &mut Part,
) -> Option<Wrong<O>> {
    let mut found = None;
    let exploration = Exploration {
        program,
        order,
        is_traced,
        offers: None,
    };
    executions(case, &exploration, part, &mut |wrong| {
        found = Some(wrong);
        ControlFlow::Break(())
    });
    found
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
            let number = choice::number_of(&offered, call)?;
            program.threads[event.thread as usize].push(number);
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
        let exploration = Exploration {
            program,
            order: &order,
            is_traced: false,
            offers: None,
        };
        executions(case, &exploration, part, &mut |wrong| {
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
    let case = &Case::new(object, &effort, &|_| true);
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
        left_out: Vec::new(),
    }
}
