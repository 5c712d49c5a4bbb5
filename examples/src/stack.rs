//! A lock-free stack that runs on real threads, and the check of a recorded history.
//!
//! The one idea: no model of the code. The code itself runs, its threads record a history of their calls, and
//! the history is validated against a specification of one line. The stack is Treiber's (*Systems Programming:
//! Coping with Parallelism*, IBM RJ 5118, 1986) on numbered slots that are used again, and has the
//! ABA bug of such stacks: a slot that was freed and reused looks as if nothing had happened.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Barrier, Mutex, PoisonError};
use std::{mem, thread};

use refmap::{TransitionSystem, guard};
use refmap_histories::{
    Happening, Observed, Ordered, Recorder, Settings, ThreadLog, Validation, validate,
};
use serde::{Deserialize, Serialize};

/// Content of a head, which a CAS compares with an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heads {
    /// The slot alone.
    Bare,
    /// The slot and a number that grows with each change.
    Tagged,
}

/// The implementation. A link is a slot's number plus one, or 0 for none.
struct Stack {
    heads: Heads,
    /// A link, and above it the tag.
    head: AtomicU64,
    links: Vec<AtomicU64>,
    values: Vec<AtomicU64>,
    /// Free slots. Behind a lock, since allocation is not the subject here.
    free: Mutex<VecDeque<u64>>,
}

/// Mask of the bits of a head that hold the link.
const LINK: u64 = u32::MAX as u64;

impl Stack {
    fn new(heads: Heads, slots: u64) -> Self {
        let zeros = || (0..slots).map(|_| AtomicU64::new(0)).collect();
        Self {
            heads,
            head: AtomicU64::new(0),
            links: zeros(),
            values: zeros(),
            free: Mutex::new((1..=slots).collect()),
        }
    }

    fn free(&self) -> std::sync::MutexGuard<'_, VecDeque<u64>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one place in which the two kinds of heads differ.
    fn moved(&self, head: u64, link: u64) -> u64 {
        match self.heads {
            Heads::Bare => link,
            Heads::Tagged => ((head >> 32) + 1) << 32 | link,
        }
    }

    fn push(&self, value: u64) {
        let link = self.free().pop_front().expect("there is a free slot");
        let slot = link as usize - 1;
        self.values[slot].store(value, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.links[slot].store(head & LINK, SeqCst);
            let to = self.moved(head, link);
            if self.head.compare_exchange(head, to, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        self.pop_pausing(|| ())
    }

    /// Calls `pause` where it is dangerous to be interrupted.
    fn pop_pausing(&self, mut pause: impl FnMut()) -> Option<u64> {
        loop {
            let head = self.head.load(SeqCst);
            let link = head & LINK;
            let slot = (link as usize).checked_sub(1)?;
            let below = self.links[slot].load(SeqCst);
            pause();
            // If the slot was freed and used again in between, `below` is no longer what is below it.
            let to = self.moved(head, below);
            if self.head.compare_exchange(head, to, SeqCst, SeqCst).is_ok() {
                let value = self.values[slot].load(SeqCst);
                self.free().push_back(link);
                return Some(value);
            }
        }
    }
}

/// An event that a thread records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Call {
    Push(u64),
    /// With the value returned.
    Pop(Option<u64>),
}

/// The specification: last in, first out, one call after the other.
struct Lifo;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "thread", source = "last in, first out")]
enum Step {
    Push(#[action(range = 1..=9)] u64),
    Pop(#[action(range = 1..=9)] u64),
}

impl TransitionSystem for Lifo {
    type State = Vec<u64>;
    type Action = Step;
    type Observation = Vec<u64>;

    fn initial(&self, visit: &mut impl FnMut(Vec<u64>)) {
        visit(Vec::new());
    }

    fn fire(&self, step: &Step, stack: &mut Vec<u64>) -> Option<()> {
        match *step {
            Step::Push(value) => stack.push(value),
            Step::Pop(value) => {
                guard("the value is on top", stack.last() == Some(&value))?;
                stack.pop();
            }
        }
        Some(())
    }

    fn observe(&self, stack: &Vec<u64>) -> Vec<u64> {
        stack.clone()
    }
}

/// Maps a recorded call to the action of the specification that it shows.
impl Observed for Lifo {
    type Specification = Self;
    type Event = Call;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        stack: &Vec<u64>,
        call: &Happening<'_, Call>,
        visit: &mut impl FnMut(Option<Step>),
    ) {
        match call.event {
            Call::Push(value) => visit(Some(Step::Push(*value))),
            Call::Pop(Some(value)) => visit(Some(Step::Pop(*value))),
            Call::Pop(None) if stack.is_empty() => visit(None),
            Call::Pop(None) => (),
        }
    }

    fn refusal(&self, stack: &Vec<u64>, _: &Happening<'_, Call>) -> String {
        match stack.last() {
            Some(top) => format!("{top} is on top"),
            None => "the stack is empty".to_owned(),
        }
    }
}

fn push(log: &mut ThreadLog<Call>, stack: &Stack, value: u64) {
    let begin = log.begin();
    stack.push(value);
    log.end(begin, Call::Push(value));
}

fn pop(log: &mut ThreadLog<Call>, stack: &Stack) {
    let begin = log.begin();
    let value = stack.pop();
    log.end(begin, Call::Pop(value));
}

/// One thread is interrupted in the middle of a pop while another one empties the stack and fills it
/// again. The barrier forces the schedule that would otherwise be rare.
fn run(heads: Heads) -> Validation {
    let stack = Stack::new(heads, 3);
    let recorder = Recorder::new();
    let barrier = Barrier::new(2);
    let mut log = recorder.thread();
    push(&mut log, &stack, 1);
    push(&mut log, &stack, 2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = recorder.thread();
            let mut first = true;
            let begin = log.begin();
            let value = stack.pop_pausing(|| {
                if mem::take(&mut first) {
                    barrier.wait();
                    barrier.wait();
                }
            });
            log.end(begin, Call::Pop(value));
        });
        scope.spawn(|| {
            let mut log = recorder.thread();
            barrier.wait();
            pop(&mut log, &stack);
            pop(&mut log, &stack);
            push(&mut log, &stack, 3);
            push(&mut log, &stack, 4);
            barrier.wait();
        });
    });
    pop(&mut log, &stack);
    pop(&mut log, &stack);
    drop(log);
    let events = Ordered::of(recorder.finish());
    validate(&Lifo, events, &Settings::default()).expect("the recorder keeps the order")
}

pub fn main() {
    println!(
        "{}",
        run(Heads::Bare)
            .report()
            .named("bare heads", [("slots", 3)])
    );
    println!(
        "{}",
        run(Heads::Tagged)
            .report()
            .named("tagged heads", [("slots", 3)])
    );
}

// How to read the first report. Up to the refused event there is an order: the interrupted pop took
// effect at its end and returned 4. Then a pop returns 1, which the other thread has popped already,
// although 3 is on top: the slot under 4 was another one by then. The smallest part shows what does not
// depend on anything before.
//
// What mends it: a tag that changes with the head, so that the head of the interrupted pop is no longer
// the same when the slot is back. In 2³² changes it is; a history would have to be as long to show it.
//
// The change that makes the second check fail: let `moved` keep the tag.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;
    use refmap_histories::Outcome;

    #[test]
    fn a_slot_that_comes_back_is_taken_for_the_one_it_was() {
        let validation = run(Heads::Bare);
        assert_eq!(validation.verdict(), Verdict::Violated);
        let Outcome::Refuted(explanation) = &validation.outcome else {
            panic!("it is refuted");
        };
        let event = explanation.event.as_ref().expect("an event has no place");
        assert_eq!(event.text, "pop(1)");
        let prefix = &explanation.prefixes[0];
        assert_eq!(prefix.events, 7);
        assert_eq!(prefix.last().state, serde_json::json!([3]));
        let refused = &prefix.next[0];
        assert_eq!(
            (refused.event.line, refused.reason.as_str()),
            (event.line, "3 is on top")
        );
        let text = validation.report().to_string();
        assert!(text.contains("pop(1): 3 is on top"), "{text}");
    }

    #[test]
    fn a_tag_tells_them_apart() {
        let validation = run(Heads::Tagged);
        assert_eq!(validation.verdict(), Verdict::Holds);
        assert_eq!((validation.events, validation.threads), (9, 3));
        let fired: Vec<_> = validation
            .coverage
            .iter()
            .map(|rule| rule.fired > 0)
            .collect();
        assert_eq!(fired, [true, true]);
    }
}
