//! Executions under Shuttle.
//!
//! Shuttle prints when a task panics and when there is a deadlock, and then ends. So it sees neither:
//! threads catch their panics (`scheduled::thread`), and beside those of the program there is a task,
//! the *guard*, that could always run, and which is never chosen. Where it alone can run there is a
//! deadlock. An execution that is to end, for whatever reason, is one that the scheduler stops.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use super::order::Choices;
use super::quiet::{panic_text, quietly};
use super::{Ended, Execution, Explored, Order};
use crate::scheduled::record::{self, Recorded};
use crate::scheduled::{self, thread};

/// Task number of the guard: the body spawns it before all else.
const GUARD: usize = 1;

/// Bytes of a thread's stack. Only what is used takes memory.
const STACK: usize = 0x4_0000;

/// An execution and the choices of its exploration.
struct Running {
    choices: Choices,
    made: Vec<u32>,
    /// Number of times that Shuttle has asked.
    asked: usize,
    most: usize,
    current: u32,
    runnable: Vec<u32>,
    /// How the execution was stopped, and what it had recorded then.
    stopped: Option<(Ended, Recorded)>,
}

impl Running {
    fn begin(&mut self, execution: u64, is_traced: bool) {
        self.choices.begin(execution);
        self.made.clear();
        self.asked = 0;
        self.current = 0;
        self.stopped = None;
        record::begin(is_traced);
    }

    /// The task that runs next, or `None` to stop the execution.
    fn next(&mut self, tasks: &[&Task], yields: bool) -> Option<usize> {
        self.asked += 1;
        let is_unwinding = thread::panicking();
        let end = if record::has_panicked() && !is_unwinding {
            Some(Ended::Panicked(String::new()))
        } else if self.asked > self.most {
            Some(Ended::TooLong)
        } else if !tasks
            .iter()
            .any(|task| number(task).is_some() && task.runnable())
        {
            Some(Ended::Deadlock)
        } else {
            None
        };
        if let Some(ended) = end {
            let recorded = record::end(ended == Ended::Deadlock);
            self.stopped = Some((ended, recorded));
            return None;
        }
        self.runnable.clear();
        self.runnable
            .extend(tasks.iter().filter_map(|task| number(task)));
        let chosen = if let [only] = self.runnable[..] {
            only
        } else if is_unwinding && self.runnable.contains(&self.current) {
            // Other threads must not see `panicking`, which is of the operating system's thread.
            self.current
        } else {
            let chosen = self.choices.choose(&self.runnable, self.current, yields);
            self.made.push(chosen);
            chosen
        };
        self.current = chosen;
        record::runs(chosen);
        Some(task(chosen))
    }
}

/// Number of the thread that `task` runs; the guard is none.
fn number(task: &Task) -> Option<u32> {
    match usize::from(task.id()) {
        0 => Some(0),
        GUARD => None,
        id => Some(id as u32 - 1),
    }
}

/// Number of the task of a thread.
fn task(thread: u32) -> usize {
    match thread {
        0 => 0,
        _ => thread as usize + 1,
    }
}

/// Scheduler of one execution.
struct Once {
    running: Rc<RefCell<Running>>,
    is_begun: bool,
}

impl Scheduler for Once {
    fn new_execution(&mut self) -> Option<Schedule> {
        let is_begun = std::mem::replace(&mut self.is_begun, true);
        (!is_begun).then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        _current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let next = self.running.borrow_mut().next(runnable, is_yielding);
        next.map(TaskId::from)
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}

/// Explores executions of `body` in a given order.
pub(super) fn explore(
    order: &Order,
    most_steps: usize,
    is_traced: bool,
    body: impl Fn() + Send + Sync + 'static,
    judge: &mut dyn FnMut(Execution) -> ControlFlow<()>,
) -> Explored {
    let body = Arc::new(body);
    let (choices, most_executions) = Choices::new(order);
    let running = Rc::new(RefCell::new(Running {
        choices,
        made: Vec::new(),
        asked: 0,
        most: most_steps,
        current: 0,
        runnable: Vec::new(),
        stopped: None,
    }));
    let mut executions = 0;
    while executions < most_executions {
        running.borrow_mut().begin(executions as u64, is_traced);
        executions += 1;
        let execution = execute(&running, Arc::clone(&body));
        if judge(execution).is_break() {
            break;
        }
    }
    Explored {
        executions,
        complete: false,
    }
}

fn execute(
    running: &Rc<RefCell<Running>>,
    body: Arc<impl Fn() + Send + Sync + 'static>,
) -> Execution {
    let mut config = Config::new();
    config.stack_size = STACK;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    let most = running.borrow().most;
    // The scheduler stops earlier; destructors of an execution that it has stopped may not spin.
    config.max_steps = MaxSteps::ContinueAfter(most.saturating_add(1));
    let scheduler = Once {
        running: Rc::clone(running),
        is_begun: false,
    };
    let run = || {
        Runner::new(scheduler, config).run(move || {
            // Dropping its handle detaches it: no execution waits for it.
            drop(shuttle::future::spawn(async {}));
            let _ = thread::run(0, || body());
        })
    };
    let run = || quietly(|| scheduled::under(scheduled::Scheduler::Shuttle, run));
    let failed = catch_unwind(AssertUnwindSafe(run)).err();
    let mut running = running.borrow_mut();
    let stopped = running.stopped.take();
    let is_stopped = stopped.is_some();
    let (ended, recorded) = stopped.unwrap_or_else(|| (Ended::Completed, record::end(false)));
    let ended = match (failed, recorded.panic) {
        (_, Some(panic)) => Ended::Panicked(panic),
        (Some(payload), None) => Ended::Panicked(panic_text(&*payload)),
        (None, None) if !is_stopped && recorded.live > 0 => Ended::TooLong,
        (None, None) => ended,
    };
    Execution {
        ended,
        choices: running.made.clone(),
        steps: recorded.steps,
        sequentially_consistent: recorded.sequentially_consistent,
        trace: recorded.trace,
    }
}

/// Scheduler of one execution in which there is nothing to choose.
#[derive(Default)]
pub(super) struct Nothing {
    is_begun: bool,
}

impl Scheduler for Nothing {
    fn new_execution(&mut self) -> Option<Schedule> {
        let is_begun = std::mem::replace(&mut self.is_begun, true);
        (!is_begun).then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        runnable.first().map(|task| task.id())
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}
