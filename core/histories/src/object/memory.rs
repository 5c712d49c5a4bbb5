//! Every execution of tiny programs, with the memory model of Rust's atomics as far as Loom has it.
//!
//! An order has to respect the order of each thread, and no more: that a call ended before another one began is no reason why the other
//! should see it, where nothing synchronizes them. So two critical sections that overlapped are never found here.
//!
//! Loom takes a sequentially consistent access for one that acquires and releases, so that an execution with one may be impossible: it
//! refutes nothing.

use std::ops::ControlFlow;
use std::sync::Arc;

use refmap::internal::{counted, grouped};
use refmap::random::Generator;
use refmap_schedules::explore::{Explored, Order};

use super::Object;
use super::case::Case;
use super::executions::{Exploration, Wrong, executions, steps};
use super::finding::Finding;
use super::kind::Run;
use super::program::Program;
use super::tested::Part;
use super::tiny::{Offers, Tiny};

/// Greatest number of calls of a thread of a random program.
const MOST_CALLS: usize = 2;
/// Number of calls of a program that has all the executions that one may have, if all programs of so many are tried.
const FEW_CALLS: usize = 2;
/// Part of them that a program of more calls has.
const SHARE: u32 = 4;

/// Tries every execution of tiny programs: of all of two and three calls, and then of random ones, each of as few threads as the object is tried
/// with.
pub(super) fn memory<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Memory);
    let mut tried = Tried::default();
    let mut tiny = Tiny::of(&*case.object);
    let mut left = u64::from(effort.executions) * u64::from(effort.tiny_programs);
    let mut extent = "not all";
    while left > 0 {
        let Some(program) = tiny.next() else {
            extent = "all";
            break;
        };
        if tiny.is_renamed() {
            extent = "all, up to names,";
        }
        let calls: usize = program.threads.iter().map(Vec::len).sum();
        // So that more programs have their turn.
        let share = if calls > FEW_CALLS { SHARE } else { 1 };
        let most = left.min(u64::from(effort.executions / share).max(1)) as usize;
        let tried_one = tried.program(case, &program, most, &tiny.offers, &mut part);
        let Some((executions, finding)) = tried_one else {
            return part;
        };
        left = left.saturating_sub(executions);
        if let Some(finding) = finding {
            part.found(finding);
            return part;
        }
    }
    let (programs, complete) = (counted(tried.programs, "program"), tried.complete);
    let remark = format!(
        "{extent} of two and three calls: {programs}, {} of them in every execution",
        grouped(complete)
    );
    part.remarks.insert(0, remark);
    let mut generator = Generator::new(effort.seed);
    let threads = *case.object.threads().start();
    for number in 0..effort.tiny_programs as usize {
        let program = Program::random(&mut generator, threads, 1 + number % MOST_CALLS);
        let most = effort.executions as usize;
        let tried_one = tried.program(case, &program, most, &tiny.offers, &mut part);
        let Some((_, finding)) = tried_one else {
            return part;
        };
        if let Some(finding) = finding {
            part.found(finding);
            return part;
        }
    }
    if tried.is_doubtful {
        part.notes.push(
            "an execution with a sequentially consistent access is wrong, which Loom takes for one that acquires and releases: it may be impossible"
                .to_owned(),
        );
    }
    if tried.complete == 0 {
        part.notes.push(format!(
            "of no program was every execution tried, within {}",
            counted(effort.executions.into(), "execution")
        ));
    }
    part.conclude();
    part
}

/// Programs that were tried.
#[derive(Default)]
struct Tried {
    programs: u64,
    /// Number of those of which every execution was.
    complete: u64,
    /// True if an execution is wrong that may be impossible.
    is_doubtful: bool,
}

impl Tried {
    /// Tries a program, unless the test is cancelled: the number of executions, and the finding, if one is wrong. What was seen of a program that
    /// is given up counts, too.
    fn program<O: Object>(
        &mut self,
        case: &Case<'_, O>,
        program: &Program,
        most: usize,
        offers: &Arc<Offers>,
        part: &mut Part,
    ) -> Option<(u64, Option<Finding>)> {
        if !part.begins(case, program) {
            return None;
        }
        let mut search = Search {
            program,
            most,
            offers,
            is_doubtful: false,
        };
        let (explored, wrong) = search.first_wrong(case, false, part);
        self.programs += 1;
        self.complete += u64::from(explored.complete);
        self.is_doubtful |= search.is_doubtful;
        let executions = explored.executions as u64;
        let Some(wrong) = wrong else {
            if !explored.complete && explored.executions >= most {
                part.given_up += 1;
                part.remark(format!(
                    "a program was given up after {}",
                    counted(executions, "execution")
                ));
            }
            return Some((executions, None));
        };
        // The executions come in the same order again.
        let (_, again) = search.first_wrong(case, true, &mut Part::new::<O>(Run::Memory));
        let Wrong { once, execution } = again.unwrap_or(wrong);
        let mut finding = Finding::of(case, Run::Memory, once);
        finding.schedule = Some(steps(&execution.trace));
        Some((executions, Some(finding)))
    }
}

/// Search through the executions of a program.
struct Search<'a> {
    program: &'a Program,
    /// Greatest number of executions.
    most: usize,
    offers: &'a Arc<Offers>,
    /// True if one is wrong that may be impossible.
    is_doubtful: bool,
}

impl Search<'_> {
    /// The first execution that is wrong for certain.
    fn first_wrong<O: Object>(
        &mut self,
        case: &Case<'_, O>,
        is_traced: bool,
        part: &mut Part,
    ) -> (Explored, Option<Wrong<O>>) {
        let order = Order::Every {
            preemptions: None,
            most: self.most,
        };
        let exploration = Exploration {
            program: self.program,
            order: &order,
            is_traced,
            offers: Some(self.offers),
        };
        let mut wrong = None;
        let explored = executions(case, &exploration, part, &mut |found| {
            if found.execution.sequentially_consistent {
                self.is_doubtful = true;
                return ControlFlow::Continue(());
            }
            wrong = Some(found);
            ControlFlow::Break(())
        });
        (explored, wrong)
    }
}
