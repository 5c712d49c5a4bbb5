//! Every execution of tiny programs, with the memory model of Rust's atomics as far as Loom has it.
//!
//! An order has to respect the order of each thread, and no more: that a call ended before another one began is no reason why the other
//! should see it, where nothing synchronizes them. So two critical sections that overlapped are never found here.
//!
//! Loom takes a sequentially consistent access for one that acquires and releases, so that an execution with one may be impossible: it
//! refutes nothing.

use std::ops::ControlFlow;

use refmap::random::Generator;
use refmap_schedules::explore::Order;

use super::Object;
use super::case::Case;
use super::executions::{Wrong, executions, steps};
use super::finding::Finding;
use super::kind::Run;
use super::program::Program;
use super::tested::Part;

/// Greatest number of calls of a thread.
const MOST_CALLS: usize = 2;

/// Tries every execution of tiny programs, each of as few threads as the object is tried with.
pub(super) fn memory<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Memory);
    let mut generator = Generator::new(effort.seed);
    let threads = *case.object.threads().start();
    let mut has_completed = false;
    let mut is_doubtful = false;
    for number in 0..effort.tiny_programs as usize {
        let program = Program::random(&mut generator, threads, 1 + number % MOST_CALLS);
        case.begins(Run::Memory, &program);
        let mut of_program = Part::new::<O>(Run::Memory);
        let search = Search::of(case, &program, false, &mut of_program);
        is_doubtful |= search.is_doubtful;
        if search.wrong.is_some() {
            part.add(of_program);
            // The executions come in the same order again.
            let again = Search::of(case, &program, true, &mut Part::new::<O>(Run::Memory));
            if let Some(Wrong { once, execution }) = again.wrong.or(search.wrong) {
                let mut finding = Finding::of(case, Run::Memory, once);
                finding.schedule = Some(steps(&execution.trace));
                part.found(finding);
                return part;
            }
        } else if search.is_complete {
            has_completed = true;
            part.add(of_program);
        } else {
            // What was cut off stays around its first execution: its number says nothing.
            part.given_up += 1;
        }
    }
    if is_doubtful {
        part.notes.push(
            "an execution with a sequentially consistent access is wrong, which Loom takes for one that acquires and releases: it may be impossible"
                .to_owned(),
        );
    }
    if !has_completed {
        part.notes.push(format!(
            "no program was tried completely within {} executions",
            effort.executions
        ));
    }
    part.conclude();
    part
}

/// Search through the executions of a program.
struct Search<O: Object> {
    /// The first wrong one.
    wrong: Option<Wrong<O>>,
    /// True if one is wrong that may be impossible.
    is_doubtful: bool,
    /// True if all were tried.
    is_complete: bool,
}

impl<O: Object> Search<O> {
    fn of(case: &Case<'_, O>, program: &Program, traced: bool, part: &mut Part) -> Self {
        let order = Order::Every {
            preemptions: None,
            most: case.effort.executions as usize,
        };
        let (mut wrong, mut is_doubtful) = (None, false);
        let is_complete = executions(case, program, &order, traced, part, &mut |found| {
            if found.execution.sequentially_consistent {
                is_doubtful = true;
                return ControlFlow::Continue(());
            }
            wrong = Some(found);
            ControlFlow::Break(())
        });
        Self {
            wrong,
            is_doubtful,
            is_complete,
        }
    }
}
