//! Objects of which nothing can be said, and those that panic, hang, or wait as they may.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refmap::{Action, State, StateOf, TransitionSystem, Verdict};
use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, Tested, test};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{
    Answer, AnswerKind, Answered, Bounded, NoValue, Operation, Operations, Semaphore, Sequential,
    semaphore,
};
use refmap_schedules::sync::{Condvar, Mutex};
use serde::{Deserialize, Serialize};

use super::{NEVER_POISONED, found, little};

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
    let effort = Effort {
        patience: Duration::from_millis(200),
        ..little()
    };
    let odd = Odd {
        oddity,
        is_over: Arc::clone(&is_over),
    };
    let tested = test(odd, &effort);
    is_over.store(true, Ordering::Relaxed);
    tested
}

/// Asserts that nothing can be said of the object, and that this part tells why.
#[track_caller]
fn assert_vacuous(tested: &Tested, run: Run, reason: &str) {
    assert_eq!(tested.verdict(), Verdict::Incomplete, "{tested}");
    let part = tested.parts.iter().find(|part| part.run == run);
    let notes = &part.expect("it was tried").notes;
    let is_told = notes.iter().any(|note| note.contains(reason));
    assert!(is_told, "{reason:?} is missing: {tested}");
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
    let words = ["`make` panicked", "not made", "vacuous.rs:"];
    found(&tested(Oddity::MakePanics), Run::Alone, &words);
}

#[test]
fn a_call_that_panics_is_violated() {
    let words = ["thread 0 panicked in pop", "a pop", "vacuous.rs:"];
    found(&tested(Oddity::Panics(0)), Run::Alone, &words);
    let words = ["thread 1 panicked in pop", "a pop", "vacuous.rs:"];
    found(&tested(Oddity::Panics(1)), Run::Threads, &words);
    let words = [
        "a thread panicked",
        "under schedules",
        "vacuous.rs:",
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

/// Specification that permits each answer to each call.
struct Anything;

/// Call of an object of which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case")]
enum Toggle {
    Toggle,
}

impl Answered for Toggle {
    type Value = NoValue;

    fn kind(&self) -> AnswerKind {
        AnswerKind::Is
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Position(bool);

impl TransitionSystem for Anything {
    type State = Position;
    type Action = Operation<Toggle, Answer<NoValue>>;
    type Observation = Position;

    fn initial(&self, visit: &mut impl FnMut(Position)) {
        visit(Position(false));
    }

    fn next(&self, from: &Position, visit: &mut impl FnMut(Self::Action, Position)) {
        self.answers(from, &Toggle::Toggle, &mut |answer| {
            let call = Toggle::Toggle;
            visit(Operation { call, answer }, Position(!from.0));
        });
    }

    fn observe(&self, state: &Position) -> Position {
        state.clone()
    }
}

impl Sequential for Anything {
    type Call = Toggle;
    type Answer = Answer<NoValue>;

    fn answers(&self, _: &StateOf<Self>, _: &Toggle, visit: &mut impl FnMut(Answer<NoValue>)) {
        [false, true].map(Answer::Is).into_iter().for_each(visit);
    }
}

/// Object of which each answer is permitted.
struct Permitted;

impl Object for Permitted {
    type Specification = Operations<Anything>;
    type Shared = AtomicBool;
    type Handle<'a> = &'a AtomicBool;

    fn specification(&self) -> Self::Specification {
        Operations(Anything)
    }

    fn make(&self) -> AtomicBool {
        AtomicBool::new(false)
    }

    fn handle<'a>(&self, toggle: &'a AtomicBool, _: u32) -> &'a AtomicBool {
        toggle
    }

    fn calls(&self, _: &&AtomicBool, visit: &mut impl FnMut(Toggle)) {
        visit(Toggle::Toggle);
    }

    fn call(&self, toggle: &mut &AtomicBool, _: &Toggle) -> AnswerOf<Self> {
        toggle.fetch_not(Ordering::AcqRel).into()
    }
}

#[test]
fn a_specification_that_permits_everything_is_incomplete() {
    let tested = test(Permitted, &little());
    assert_vacuous(&tested, Run::Threads, "tells too little apart");
}

/// Semaphore of two permits, of which each thread may take both, one by one: two that have one each wait for ever.
struct Greedy;

impl Object for Greedy {
    type Specification = Operations<Semaphore>;
    type Shared = (Mutex<u32>, Condvar);
    /// With the number of permits that the thread has.
    type Handle<'a> = (&'a Self::Shared, u32);

    fn specification(&self) -> Self::Specification {
        Operations(Semaphore { permits: 2 })
    }

    fn make(&self) -> Self::Shared {
        (Mutex::new(2), Condvar::new())
    }

    fn handle<'a>(&self, semaphore: &'a Self::Shared, _: u32) -> Self::Handle<'a> {
        (semaphore, 0)
    }

    fn calls(&self, (_, has): &Self::Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        if *has < 2 {
            visit(semaphore::Call::Acquire);
        }
        if *has > 0 {
            visit(semaphore::Call::Release);
        }
    }

    fn call(
        &self,
        ((permits, released), has): &mut Self::Handle<'_>,
        call: &CallOf<Self>,
    ) -> AnswerOf<Self> {
        let mut permits = permits.lock().expect(NEVER_POISONED);
        if *call == semaphore::Call::Release {
            *permits += 1;
            *has -= 1;
            released.notify_one();
        } else {
            while *permits == 0 {
                permits = released.wait(permits).expect(NEVER_POISONED);
            }
            *permits -= 1;
            *has += 1;
        }
        ().into()
    }

    fn last(&self, (_, has): &Self::Handle<'_>) -> Option<CallOf<Self>> {
        (*has > 0).then_some(semaphore::Call::Release)
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn threads_that_wait_as_they_may_are_not_violated() {
    let effort = Effort {
        patience: Duration::from_millis(200),
        ..little()
    };
    let tested = test(Greedy, &effort);
    assert_ne!(tested.verdict(), Verdict::Violated, "{tested}");
    let schedules = &tested.parts[1];
    assert_eq!(schedules.run, Run::Schedules);
    assert_eq!(schedules.verdict, Verdict::Holds, "{tested}");
    assert!(schedules.blocked > 0, "{tested}");
}
