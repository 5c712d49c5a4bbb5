//! Queue that panics, hangs, or of which nothing can be said.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Run, Tested, test};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Bounded, Operations};
use refmap_schedules::sync::Mutex;

use super::{NEVER_POISONED, assert_vacuous, found, impatient, little};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Oddity {
    /// No call succeeds, as there is no room.
    NoRoom,
    /// It says that it has schedules, and does not name its lock by the crate of schedules.
    Unnamed,
    /// One thread is all that it is tried with.
    OneThread,
    /// `make` panics.
    MakePanics,
    /// A pop of this thread panics, on real threads alone.
    Panics(u32),
    /// A pop of any thread but the first panics, under schedules too.
    PanicsUnderSchedules,
    /// A pop of this thread does not return.
    Hangs(u32),
}

/// Queue of two values under a lock, with an oddity.
struct Odd {
    oddity: Oddity,
    /// True once the test is over.
    is_over: Arc<AtomicBool>,
}

struct Shared {
    values: std::sync::Mutex<VecDeque<u8>>,
    turn: Mutex<()>,
}

impl Odd {
    fn capacity(&self) -> usize {
        match self.oddity {
            Oddity::NoRoom => 0,
            _ => 2,
        }
    }

    /// Carries out a pop's oddity, of a thread.
    fn misbehave(&self, thread: u32) {
        match self.oddity {
            Oddity::PanicsUnderSchedules if thread > 0 => panic!("a pop under schedules"),
            Oddity::Panics(of) if of == thread => panic!("a pop"),
            Oddity::Hangs(of) if of == thread => {
                while !self.is_over.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            _ => (),
        }
    }
}

impl Object for Odd {
    type Specification = Operations<Bounded<u8>>;
    type Shared = Shared;
    type Handle<'a> = (&'a Shared, u32);

    fn specification(&self) -> Self::Specification {
        Operations(Bounded::new(self.capacity()))
    }

    fn make(&self) -> Shared {
        assert!(self.oddity != Oddity::MakePanics, "not made");
        Shared {
            values: std::sync::Mutex::default(),
            turn: Mutex::new(()),
        }
    }

    fn handle<'a>(&self, queue: &'a Shared, thread: u32) -> (&'a Shared, u32) {
        (queue, thread)
    }

    fn calls(&self, _: &(&Shared, u32), visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Pop);
        visit(Call::Push(1));
    }

    fn call(&self, (queue, thread): &mut (&Shared, u32), call: &CallOf<Self>) -> AnswerOf<Self> {
        if *call == Call::Pop {
            self.misbehave(*thread);
        }
        let is_named = self.oddity != Oddity::Unnamed;
        let turn = is_named.then(|| queue.turn.lock().expect(NEVER_POISONED));
        let mut values = queue.values.lock().expect(NEVER_POISONED);
        let answer = match call {
            Call::Push(value) => {
                let has_room = values.len() < self.capacity();
                values.extend(has_room.then_some(*value));
                has_room.into()
            }
            Call::Pop => values.pop_front().into(),
        };
        drop(values);
        drop(turn);
        answer
    }

    fn has_schedules(&self) -> bool {
        match self.oddity {
            Oddity::NoRoom | Oddity::Unnamed | Oddity::PanicsUnderSchedules => true,
            Oddity::OneThread | Oddity::MakePanics | Oddity::Panics(_) | Oddity::Hangs(_) => false,
        }
    }

    fn threads(&self) -> RangeInclusive<u32> {
        match self.oddity {
            Oddity::OneThread => 1..=1,
            _ => 2..=3,
        }
    }
}

fn tested(oddity: Oddity) -> Tested {
    let is_over = Arc::new(AtomicBool::new(false));
    let effort = match oddity {
        Oddity::Hangs(_) => impatient(),
        _ => little(),
    };
    let odd = Odd {
        oddity,
        is_over: Arc::clone(&is_over),
    };
    let tested = test(odd, &effort);
    is_over.store(true, Ordering::Relaxed);
    tested
}

#[test]
fn an_object_in_which_nothing_succeeds_is_incomplete() {
    let tested = tested(Oddity::NoRoom);
    for run in [Run::Alone, Run::Schedules, Run::Memory, Run::Threads] {
        assert_vacuous(&tested, run, "no call changed the object");
    }
}

#[test]
fn an_object_that_does_not_name_its_primitives_is_incomplete() {
    let tested = tested(Oddity::Unnamed);
    assert_vacuous(&tested, Run::Schedules, "`refmap_schedules`");
    assert_vacuous(&tested, Run::Memory, "`refmap_schedules`");
}

#[test]
fn an_object_that_is_tried_with_one_thread_is_incomplete() {
    let tested = tested(Oddity::OneThread);
    assert_vacuous(&tested, Run::Threads, "no two calls overlapped");
}

#[test]
fn an_object_that_is_not_made_is_violated() {
    let words = ["`make` panicked", "not made", "odd.rs:"];
    found(&tested(Oddity::MakePanics), Run::Alone, &words);
}

#[test]
fn a_call_that_panics_is_violated() {
    let words = ["thread 0 panicked in pop", "a pop", "odd.rs:"];
    found(&tested(Oddity::Panics(0)), Run::Alone, &words);
    let words = ["thread 1 panicked in pop", "a pop", "odd.rs:"];
    found(&tested(Oddity::Panics(1)), Run::Threads, &words);
    let words = [
        "a thread panicked",
        "under schedules",
        "odd.rs:",
        "pop of thread",
    ];
    let finding = found(
        &tested(Oddity::PanicsUnderSchedules),
        Run::Schedules,
        &words,
    );
    assert!(finding.repeat.is_some(), "{finding}");
}

#[test]
fn a_call_that_does_not_return_is_incomplete() {
    for (thread, run) in [(0, Run::Alone), (1, Run::Threads)] {
        let tested = tested(Oddity::Hangs(thread));
        assert_eq!(tested.verdict(), Verdict::Incomplete, "{tested}");
        let finding = tested.finding().expect("it has hung");
        assert_eq!(finding.run, run, "{tested}");
        assert!(finding.told.contains("have hung"), "{tested}");
        let of = format!("thread {thread}, after ");
        assert!(finding.told.contains(&of), "{tested}");
        assert!(finding.told.contains("from pop"), "{tested}");
    }
}

#[test]
fn a_test_that_is_joined_with_another_holds_where_both_do() {
    let alone = |tested: &Tested| {
        let mut parts = tested.parts.iter();
        let part = parts.find(|part| part.run == Run::Alone);
        part.expect("it was tried").verdict
    };
    let [sound, vacuous] = [Oddity::Unnamed, Oddity::NoRoom].map(tested);
    let joined = |one: &Tested, other: &Tested| alone(&one.clone().and(other.clone()));
    assert_eq!(joined(&sound, &sound), Verdict::Holds);
    for (one, other) in [(&sound, &vacuous), (&vacuous, &sound), (&vacuous, &vacuous)] {
        assert_eq!(joined(one, other), Verdict::Incomplete);
    }
}
