//! Executions under Shuttle.
//!
//! Shuttle prints when a task panics and when there is a deadlock, and then ends. So it sees neither:
//! threads catch their panics (`scheduled::thread`), and beside those of the program there is a task,
//! the *guard*, that could always run, and which is never chosen. Where it alone can run there is a
//! deadlock. An execution that is to end, for whatever reason, is one that the scheduler stops.
//!
//! The threads of an execution are coroutines of one thread of the operating system's. A panic that never
//! ends, since a destructor blocks for ever, leaves that one panicking. So the executions that are left have
//! another one.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use super::choices::Choices;
use super::execution::{Body, Execution, Explored, Judge};
use super::judge::{Lent, lend};
use super::order::Order;
use crate::scheduled::ended::Ended;
use crate::scheduled::panics::{aloud, ended_by, quietly};
use crate::scheduled::record::{self, Recorded};
use crate::scheduled::task::{number, task};
use crate::scheduled::{Scheduler as Of, thread, under};

/// Bytes of a thread's stack. Only what is used takes memory.
const STACK: usize = 0x4_0000;

/// Explores executions of `body` in a given order.
pub(super) fn explore(
    order: &Order,
    most_steps: usize,
    is_traced: bool,
    body: &Arc<Body>,
    judge: &mut Judge<'_>,
) -> Explored {
    let mut exploration = Exploration::new(order, most_steps, is_traced);
    while !exploration.is_over {
        exploration = if thread::panicking() {
            explore_elsewhere(exploration, body, judge)
        } else {
            explore_here(exploration, body, judge)
        };
    }
    Explored {
        executions: exploration.executions,
        complete: false,
    }
}

/// Goes on with `exploration` on a new thread, whose executions are judged on this one.
fn explore_elsewhere(
    exploration: Exploration,
    body: &Arc<Body>,
    judge: &mut Judge<'_>,
) -> Exploration {
    let (to_judge, executions) = channel();
    let (answer, answers) = channel();
    let body = Arc::clone(body);
    let elsewhere = std::thread::spawn(move || {
        explore_here(exploration, &body, &mut |execution| {
            // Where the judge panics nobody answers.
            let _ = to_judge.send(execution);
            answers.recv().unwrap_or(ControlFlow::Break(()))
        })
    });
    for execution in executions {
        let _ = answer.send(judge(execution));
    }
    elsewhere
        .join()
        .unwrap_or_else(|panic| resume_unwind(panic))
}

/// Goes on with `exploration` on this thread, until it is over or the thread is left panicking.
fn explore_here(exploration: Exploration, body: &Arc<Body>, judge: &mut Judge<'_>) -> Exploration {
    let most_steps = exploration.most_steps;
    let shared = Rc::new(RefCell::new(exploration));
    let ran = lend(judge, |judge| {
        let exploration = Rc::clone(&shared);
        let runner = Runner::new(Each { exploration, judge }, config(most_steps));
        let body = Arc::clone(body);
        let run = || runner.run(move || run_body(&*body));
        catch_unwind(AssertUnwindSafe(|| {
            quietly(|| under(Of::Shuttle, run));
        }))
    });
    if let Err(panic) = ran {
        // Shuttle raises what a destructor has panicked with that ran when the execution had ended.
        let failed = shared.borrow_mut().end(Some(ended_by(&*panic)));
        let Some(execution) = failed else {
            resume_unwind(panic);
        };
        let is_over = judge(execution).is_break();
        shared.borrow_mut().is_over |= is_over;
    }
    if let Some(panic) = shared.borrow_mut().judge_panicked.take() {
        resume_unwind(panic);
    }
    shared.take()
}

fn config(most_steps: usize) -> Config {
    let mut config = Config::new();
    config.stack_size = STACK;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    // `Running` stops executions earlier; this bounds destructors of those that it has stopped.
    config.max_steps = MaxSteps::ContinueAfter(most_steps.saturating_mul(2).saturating_add(1));
    config
}

fn run_body(body: &Body) {
    // Dropping its handle detaches the guard: no execution waits for it.
    drop(shuttle::future::spawn(async {}));
    let _ = thread::run(0, body);
}

/// The executions of an exploration, one after another.
#[derive(Default)]
struct Exploration {
    choices: Choices,
    most_steps: usize,
    is_traced: bool,
    executions: usize,
    most_executions: usize,
    is_over: bool,
    /// The execution that runs.
    running: Option<Running>,
    judge_panicked: Option<Box<dyn Any + Send>>,
}

impl Exploration {
    fn new(order: &Order, most_steps: usize, is_traced: bool) -> Self {
        let (choices, most_executions) = Choices::new(order);
        Self {
            choices,
            most_steps,
            is_traced,
            most_executions,
            ..Self::default()
        }
    }

    /// Begins an execution, if there is another one.
    fn begin(&mut self) -> bool {
        self.is_over |= self.executions >= self.most_executions;
        let begins = !self.is_over && !thread::panicking();
        if begins {
            self.choices.begin(self.executions as u64);
            self.executions += 1;
            self.running = Some(Running::default());
            // Its order says when a thread that waits lets others run.
            record::begin(self.is_traced, u32::MAX);
        }
        begins
    }

    /// The execution that has ended, if one ran. Unless it was stopped, Shuttle has ended it by `failed`.
    fn end(&mut self, failed: Option<Ended>) -> Option<Execution> {
        let Running {
            choices, stopped, ..
        } = self.running.take()?;
        let completed = || (failed.unwrap_or(Ended::Completed), record::end());
        let (ended, recorded) = stopped.unwrap_or_else(completed);
        Some(Execution::new(ended, choices, recorded))
    }

    /// The task that runs next, or `None` to stop the execution.
    fn next(&mut self, tasks: &[&Task], yields: bool) -> Option<usize> {
        let running = self.running.as_mut()?;
        running.asked += 1;
        let unwinding = if thread::panicking() {
            Some(*running.unwinding.get_or_insert(running.current))
        } else {
            running.unwinding = None;
            None
        };
        let is_unwinding = unwinding.is_some();
        // A panic gets more steps: one that is stopped never ends.
        let most_steps = if is_unwinding {
            self.most_steps.saturating_mul(2)
        } else {
            self.most_steps
        };
        let can_run = |task: &&Task| number(task.id()).is_some() && task.runnable();
        let ended = if record::has_panicked() && !is_unwinding {
            // The record knows better.
            Some(Ended::Completed)
        } else if record::only_waits() && !is_unwinding {
            Some(Ended::Waiting)
        } else if running.asked > most_steps {
            Some(Ended::TooLong)
        } else if !tasks.iter().any(can_run) {
            Some(Ended::Deadlock)
        } else {
            None
        };
        if let Some(ended) = ended {
            running.stopped = Some((ended, record::end()));
            return None;
        }
        running.runnable.clear();
        let numbers = tasks.iter().filter_map(|task| number(task.id()));
        running.runnable.extend(numbers);
        let chosen = if let [only] = running.runnable[..] {
            only
        } else if let Some(unwinding) = unwinding.filter(|thread| running.runnable.contains(thread))
        {
            // Other threads would see `panicking` too, which is of the operating system's thread.
            unwinding
        } else {
            let chosen =
                self.choices
                    .choose(&running.runnable, running.current, yields, record::again());
            running.choices.push(chosen);
            chosen
        };
        running.current = chosen;
        record::runs(chosen);
        Some(task(chosen))
    }
}

/// An execution that runs.
#[derive(Default)]
struct Running {
    choices: Vec<u32>,
    /// Number of times that Shuttle has asked for the next thread.
    asked: usize,
    /// The thread that runs.
    current: u32,
    /// The thread that a panic unwinds.
    unwinding: Option<u32>,
    /// The threads that can run.
    runnable: Vec<u32>,
    /// The reason why it was stopped, and its record then: destructors that run later are not a part of it.
    stopped: Option<(Ended, Recorded)>,
}

/// The scheduler of an exploration, which has each execution judged.
struct Each {
    exploration: Rc<RefCell<Exploration>>,
    judge: Lent,
}

impl Scheduler for Each {
    fn new_execution(&mut self) -> Option<Schedule> {
        let ended = self.exploration.borrow_mut().end(None);
        if let Some(execution) = ended {
            let judge = || aloud(|| under(Of::OperatingSystem, || self.judge.judge(execution)));
            let judged = catch_unwind(AssertUnwindSafe(judge));
            let mut exploration = self.exploration.borrow_mut();
            match judged {
                Ok(judged) => exploration.is_over |= judged.is_break(),
                Err(panic) => {
                    exploration.judge_panicked = Some(panic);
                    exploration.is_over = true;
                }
            }
        }
        let begins = self.exploration.borrow_mut().begin();
        begins.then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        _current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let next = self.exploration.borrow_mut().next(runnable, is_yielding);
        next.map(TaskId::from)
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}
