//! Executions under Loom.
//!
//! Loom explores by itself: all it does between two executions is to call the body again. So it has a
//! thread of its own, which hands each execution over before it begins the next one.
//!
//! The first panic ends the exploration, since Loom cannot go on after one. At a deadlock Loom panics too,
//! on the stack of the thread that blocks last, and aborts the process where a destructor on that stack uses
//! a primitive. So such a stack is not unwound: the thread that Loom has is left behind, asleep.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::panics::{ended_by, quietly};
use super::{Body, Ended, Execution, Explored, Judge};
use crate::scheduled::{Scheduler, record, thread, under};

/// Bounds of an exploration.
pub(super) struct Bounds {
    pub(super) preemptions: Option<usize>,
    pub(super) executions: usize,
    pub(super) steps: usize,
}

/// Explores the executions of `body`.
pub(super) fn explore(
    bounds: &Bounds,
    is_traced: bool,
    body: Arc<Body>,
    judge: &mut Judge<'_>,
) -> Explored {
    let mut explored = Explored {
        executions: 0,
        complete: false,
    };
    if bounds.executions == 0 {
        return explored;
    }
    let builder = builder(bounds);
    let (to_judge, news) = channel();
    let (answer, answers) = channel();
    let loom = std::thread::spawn(move || run(&builder, is_traced, body, to_judge, answers));
    // Where it is left behind `loom` never ends. Where the judge panics, `loom` finds that nobody answers.
    for news in news {
        match news {
            News::Stopped => break,
            News::Next(execution) => {
                explored.executions += 1;
                let goes_on = judge(execution).is_continue();
                let goes_on = goes_on && explored.executions < bounds.executions;
                let _ = answer.send(goes_on);
            }
            News::Last(execution) => {
                explored.executions += 1;
                explored.complete = true;
                let _ = judge(execution);
                break;
            }
            News::Failed(execution, left) => {
                explored.executions += 1;
                let _ = judge(execution);
                if left == Left::Behind {
                    return explored;
                }
                break;
            }
        }
    }
    loom.join().expect("what it panics with is caught");
    explored
}

/// Loom reserves address space for the branches of an execution: some gigabytes for these.
const MOST_BRANCHES: usize = 10_000_000;

fn builder(bounds: &Bounds) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = bounds.steps.min(MOST_BRANCHES);
    // Loom counts up to 255.
    builder.preemption_bound = bounds
        .preemptions
        .filter(|most| u8::try_from(*most).is_ok());
    // Explorations are bounded by executions, which are counted here, and not by Loom.
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.checkpoint_file = None;
    builder.checkpoint_interval = usize::MAX;
    builder.location = false;
    builder.log = false;
    builder
}

/// News for the thread that judges.
enum News {
    /// An execution, after which there is another one. An answer says whether to go on.
    Next(Execution),
    /// The last one.
    Last(Execution),
    /// An execution, after which Loom cannot go on.
    Failed(Execution, Left),
    /// Loom has stopped since it was told to.
    Stopped,
}

/// The state of Loom's thread after an execution that failed.
#[derive(PartialEq, Eq)]
enum Left {
    Ended,
    Behind,
}

/// Panic that stops Loom.
struct Stop;

thread_local! {
    /// End of the channel by which a thread that Loom runs sends news, if it is left behind.
    static TO_JUDGE: RefCell<Option<Sender<News>>> = const { RefCell::new(None) };
}

/// Runs Loom on the calling thread.
fn run(
    builder: &loom::model::Builder,
    is_traced: bool,
    body: Arc<Body>,
    to_judge: Sender<News>,
    answers: Receiver<bool>,
) {
    TO_JUDGE.set(Some(to_judge.clone()));
    let turns = Mutex::new(Turns {
        is_first: true,
        to_judge: to_judge.clone(),
        answers,
    });
    let each = move || {
        let goes_on = turns.lock().expect("a turn does not panic").take();
        if !goes_on {
            resume_unwind(Box::new(Stop));
        }
        record::begin(is_traced);
        let _ = thread::run(0, &*body);
    };
    let check = || quietly(|| under(Scheduler::Loom, || builder.check(each)));
    let news = match catch_unwind(AssertUnwindSafe(check)) {
        Ok(()) => News::Last(execution(Ended::Completed)),
        Err(payload) if payload.is::<Stop>() => News::Stopped,
        Err(payload) => News::Failed(execution(ended_by(&*payload)), Left::Ended),
    };
    let _ = to_judge.send(news);
}

/// The times at which Loom calls the body.
struct Turns {
    is_first: bool,
    to_judge: Sender<News>,
    answers: Receiver<bool>,
}

impl Turns {
    /// Hands over the execution before this one. Whether to go on with this one.
    fn take(&mut self) -> bool {
        if std::mem::take(&mut self.is_first) {
            return true;
        }
        let sent = self.to_judge.send(News::Next(execution(Ended::Completed)));
        sent.is_ok() && self.answers.recv().unwrap_or(false)
    }
}

/// The execution that has ended, by a panic if there was one.
fn execution(ended: Ended) -> Execution {
    Execution::new(ended, Vec::new(), record::end())
}

/// Leaves the calling thread behind, which Loom runs, and whose stack must not be unwound at a deadlock.
pub(crate) fn leave_behind() -> ! {
    let failed = News::Failed(execution(Ended::Deadlock), Left::Behind);
    if let Some(to_judge) = TO_JUDGE.take() {
        let _ = to_judge.send(failed);
    }
    loop {
        std::thread::park();
    }
}

/// Runs Loom once, which installs its panic hook.
pub(super) fn install_hook() {
    loom::model::Builder::new().check(|| ());
}
