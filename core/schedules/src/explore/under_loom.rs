//! Executions under Loom.
//!
//! Loom explores by itself: all it does between two executions is to call the body again. So it has a
//! thread of its own, which hands each execution over before it begins the next one.
//!
//! The first panic ends the exploration, since Loom cannot go on after one. At a deadlock Loom panics too,
//! on the stack of the thread that blocks last, and aborts the process where a destructor on that stack uses
//! a primitive. So such a stack is not unwound: the thread that Loom has is left behind, asleep.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::execution::{Body, Execution, Explored, Judge};
use crate::scheduled::ended::Ended;
use crate::scheduled::panics::{ended_by, quietly};
use crate::scheduled::{Scheduler, record, thread, under};

/// Bounds of an exploration.
pub(super) struct Bounds {
    pub(super) preemptions: Option<usize>,
    pub(super) executions: usize,
    pub(super) steps: usize,
}

/// Number of rounds after which a loop that reads the same is taken for one that waits, unless one is known to end by itself after more.
const PATIENCE: u32 = 2;
/// Greatest number of rounds of a loop that ends by itself.
const MOST_ROUNDS: u32 = 64;
/// Number of executions in which it is looked for loops that end by themselves.
const LOOKS: usize = 64;

/// Explores the executions of `body`.
///
/// After a loop was made to let others run some executions follow in which it goes on for longer. If one is seen to end by itself, executions were
/// left out, and all are explored once more with as much patience as it needs. One that is not seen to counts as one that waits: nothing tells a lock
/// from a loop that counts further.
pub(super) fn explore(
    bounds: &Bounds,
    is_traced: bool,
    body: &Arc<Body>,
    judge: &mut Judge<'_>,
) -> Explored {
    let mut all = Exploration {
        bounds,
        is_traced,
        body,
        judge,
        executions: 0,
        is_over: bounds.executions == 0,
        has_waited: false,
        counted: 0,
    };
    let mut patience = PATIENCE;
    let mut complete = false;
    while !all.is_over && patience <= MOST_ROUNDS {
        all.has_waited = false;
        complete = all.with(patience, usize::MAX);
        if !complete || !all.has_waited || all.is_over {
            break;
        }
        all.with(MOST_ROUNDS, LOOKS);
        if all.counted < patience {
            break;
        }
        complete = false;
        patience = all.counted + 1;
    }
    Explored {
        executions: all.executions,
        complete,
    }
}

/// An exploration, in parts that have more and more patience.
struct Exploration<'a, 'j> {
    bounds: &'a Bounds,
    is_traced: bool,
    body: &'a Arc<Body>,
    judge: &'a mut Judge<'j>,
    executions: usize,
    /// True if the judge has ended it, or there were as many executions as there may be.
    is_over: bool,
    /// True if a thread was made to let others run.
    has_waited: bool,
    /// Greatest number of rounds of a loop that ended by itself.
    counted: u32,
}

impl Exploration<'_, '_> {
    /// Explores with so much patience, and `most` executions. True if there are no others.
    fn with(&mut self, patience: u32, most: usize) -> bool {
        let settings = Settings {
            builder: builder(self.bounds),
            is_traced: self.is_traced,
            patience,
        };
        let last = self.executions.saturating_add(most);
        once(settings, Arc::clone(self.body), &mut |execution| {
            self.executions += 1;
            self.has_waited |= execution.has_waited;
            self.counted = self.counted.max(execution.counted);
            self.is_over |= (self.judge)(execution).is_break();
            self.is_over |= self.executions >= self.bounds.executions;
            if self.is_over || self.executions >= last {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    }
}

/// Explores the executions of `body` once. True if there are no others.
fn once(settings: Settings, body: Arc<Body>, judge: &mut Judge<'_>) -> bool {
    let (to_judge, news) = channel();
    let (answer, answers) = channel();
    let loom = std::thread::spawn(move || run(&settings, body, to_judge, answers));
    let mut has_ended = false;
    // Where it is left behind `loom` never ends. Where the judge panics, `loom` finds that nobody answers.
    for news in news {
        match news {
            News::Stopped => break,
            News::Next(execution) => {
                let _ = answer.send(judge(execution).is_continue());
            }
            News::Last(execution) => {
                has_ended = true;
                let _ = judge(execution);
                break;
            }
            News::Failed(execution, left) => {
                let _ = judge(execution);
                if left == Left::Behind {
                    return false;
                }
                break;
            }
        }
    }
    loom.join().expect("what it panics with is caught");
    has_ended
}

/// Settings of one exploration.
struct Settings {
    builder: loom::model::Builder,
    is_traced: bool,
    /// Number of rounds after which a loop is taken for one that waits.
    patience: u32,
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

/// Runs Loom on the calling thread.
fn run(settings: &Settings, body: Arc<Body>, to_judge: Sender<News>, answers: Receiver<bool>) {
    let behind = to_judge.clone();
    record::if_left_behind(move || {
        let failed = News::Failed(execution(Ended::Deadlock), Left::Behind);
        let _ = behind.send(failed);
    });
    let turns = Mutex::new(Turns {
        is_first: true,
        to_judge: to_judge.clone(),
        answers,
    });
    let Settings {
        ref builder,
        is_traced,
        patience,
    } = *settings;
    let each = move || {
        let goes_on = turns.lock().expect("a turn does not panic").take();
        if !goes_on {
            resume_unwind(Box::new(Stop));
        }
        record::begin(is_traced, patience);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Acquire;

    use super::*;
    use crate::explore::{Order, explore};
    use crate::sync::atomic::AtomicU32;
    use crate::thread;

    /// Reads so often what is never written.
    fn reads(often: u32) {
        let value = AtomicU32::new(0);
        assert!((0..often).all(|_| value.load(Acquire) == 0));
    }

    /// Of two threads with loops that end by themselves the one that goes round more often counts, whichever it is.
    #[test]
    fn the_most_rounds_of_two_threads_count() {
        for often in [[3, 6], [6, 3]] {
            let order = Order::Every {
                preemptions: None,
                most: 5_000,
            };
            let body = move || {
                let other = thread::spawn(move || reads(often[1]));
                reads(often[0]);
                other.join().expect("it does not panic");
            };
            let mut counted = 0;
            let explored = explore(&order, 20_000, false, body, &mut |execution| {
                counted = counted.max(execution.counted);
                ControlFlow::Continue(())
            });
            assert_eq!((counted, explored.complete), (5, true), "{often:?}");
        }
    }
}
