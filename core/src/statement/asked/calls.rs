//! Calls of a user's functions that are under way, as another thread sees them.
//!
//! A call that does not return cannot be unwound, and its thread cannot say what it waits for. So each thread of a check that is
//! watched publishes what it calls before it calls it. What is asked seldom publishes the function and the state
//! ([`call`]). PERF: the two passes that ask a model by the million publish less: a number that says at which state of which batch
//! they are ([`WorkerPosition`]), and the keys of a batch once. Which function it is that does not return is found out by asking that state
//! again, on a thread that publishes each call.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Debug;
use std::mem::discriminant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::statement::erased::{ErasedState, Plain};
use crate::statement::shown::json::json;

/// System of a refinement whose function is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Of {
    /// A system of which it is not known, or the refinement itself.
    #[default]
    Model,
    /// The implementation.
    Implementation,
    /// The specification.
    Specification,
}

/// Function of a model, as a report names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// One of the functions of a trait.
    Named(Cow<'static, str>, Of),
    /// An invariant, by its name.
    Invariant(Cow<'static, str>),
    /// A liveness property, by its name.
    Property(Cow<'static, str>),
    /// A constraint, by its name.
    Constraint(Cow<'static, str>),
}

impl Function {
    /// A function that belongs to neither of two systems.
    pub const fn named(name: &'static str) -> Self {
        Self::Named(Cow::Borrowed(name), Of::Model)
    }

    /// A function of a system.
    pub const fn of(name: &'static str, of: Of) -> Self {
        Self::Named(Cow::Borrowed(name), of)
    }

    /// The name that a sentence has.
    pub fn told(&self) -> String {
        match self {
            Self::Named(name, Of::Model) => name.to_string(),
            Self::Named(name, Of::Implementation) => format!("{name} of the implementation"),
            Self::Named(name, Of::Specification) => format!("{name} of the specification"),
            Self::Invariant(name) => format!("invariant `{name}`"),
            Self::Property(name) => format!("the liveness property `{name}`"),
            Self::Constraint(name) => format!("the constraint `{name}`"),
        }
    }
}

/// Call of a function that is under way.
#[derive(Clone)]
struct Call {
    function: Function,
    /// Shared, since to clone or to drop a state is a call of the model, too.
    state: Option<Arc<ErasedState>>,
    /// Pulse of its thread when it began.
    began: u64,
}

/// Calls that are under way on a thread, each made by the one before it.
#[derive(Default)]
struct Calls {
    /// Number that changes whenever a call begins, ends, or calls back.
    pulse: AtomicU64,
    stack: Mutex<Vec<Call>>,
}

impl Calls {
    fn stack(&self) -> MutexGuard<'_, Vec<Call>> {
        held(&self.stack)
    }

    fn beat(&self) {
        self.pulse.fetch_add(1, Ordering::Relaxed);
    }
}

/// Microseconds of a time, for a number that threads share.
pub(crate) fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Part of the work on a state that a typed pass is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// Nothing of the model is under way.
    Idle,
    /// The state is asked about.
    Examining,
    /// Its steps are taken.
    Stepping,
    /// Its steps are looked at.
    LookingAt,
    /// Their targets are written down.
    Writing,
    /// It is made, and examined.
    Making,
    /// New states are added, which are not of the batch.
    Adding,
}

impl Stage {
    const ALL: [Self; 7] = [
        Self::Idle,
        Self::Examining,
        Self::Stepping,
        Self::LookingAt,
        Self::Writing,
        Self::Making,
        Self::Adding,
    ];

    /// The functions that may be under way.
    fn functions(self) -> Function {
        match self {
            Self::Idle => Function::named("a function of the model"),
            Self::Stepping => Function::of("`next`", Of::Implementation),
            Self::Examining => Function::named(
                "a function that is asked about a state (an invariant, `map`, `observe` or `is_initial`)",
            ),
            Self::LookingAt => Function::named(
                "a function that is asked about a step (`abstract_steps`, `map`, `allows`, or `next` of the specification)",
            ),
            Self::Writing => Function::named(
                "a function by which a state is kept (`write`, `hash`, `eq`, `clone` or `drop` of a state)",
            ),
            Self::Making => {
                Function::named("`type_correct`, or a function that is asked about its state")
            }
            Self::Adding => Function::named(
                "a function by which states are told apart (`eq` or `drop` of a state)",
            ),
        }
    }
}

/// Keys of the states of a batch.
#[derive(Default)]
pub(crate) enum Batched {
    /// No key: a state is made of its number.
    #[default]
    Numbered,
    /// Words of keys, so many each; none if each has their number before them.
    Words(Vec<u64>, Option<usize>),
    /// States that are kept as they are.
    Whole(Vec<ErasedState>),
}

/// Position of a worker in a pass over states, which it says with one store.
#[derive(Default)]
pub(crate) struct WorkerPosition {
    batches: AtomicU64,
    at: AtomicU64,
    keys: Mutex<Batched>,
}

/// Bits of a stage below a number.
const STAGE_BITS: u32 = 8;

impl WorkerPosition {
    /// Publishes the keys of a batch, which `write` writes over those before.
    pub fn batch(&self, write: impl FnOnce(&mut Batched)) {
        write(&mut held(&self.keys));
        self.batches.fetch_add(1, Ordering::Relaxed);
    }

    /// Publishes which state of the batch, or which number, is worked on, and at what stage.
    #[inline(always)]
    pub fn set(&self, number: u64, stage: Stage) {
        let at = number << STAGE_BITS | stage as u64;
        self.at.store(at, Ordering::Relaxed);
    }

    fn get(&self) -> (u64, Stage) {
        let at = self.at.load(Ordering::Relaxed);
        let stage = Stage::ALL[(at & ((1 << STAGE_BITS) - 1)) as usize];
        (at >> STAGE_BITS, stage)
    }

    fn pulse(&self) -> (u64, u64) {
        let at = self.at.load(Ordering::Relaxed);
        (self.batches.load(Ordering::Relaxed), at)
    }
}

/// Function that asks again about a state, which it shows first.
type AskAgain<'a> = dyn Fn(&WorkerState, &dyn Fn(&ErasedState)) + 'a;

/// State at which a worker is, to be asked about again.
pub(crate) struct WorkerState {
    /// Place of the state in its batch, or its number.
    pub number: u64,
    /// Part of the work on it that the worker is at.
    pub stage: Stage,
    position: Arc<WorkerPosition>,
}

impl WorkerState {
    /// Looks at the keys of its batch.
    pub fn keys<T>(&self, look: impl FnOnce(&Batched) -> T) -> T {
        look(&held(&self.position.keys))
    }
}

/// Answer about a state that was asked again.
#[derive(Default)]
struct AskedState {
    state: Option<Arc<ErasedState>>,
    is_over: bool,
}

/// Question which function it is that does not return.
#[derive(Default)]
enum FunctionQuestion {
    /// Nobody answers.
    #[default]
    Unheard,
    /// A thread waits for it.
    Heard,
    /// It is asked of a state,
    Asked(Box<WorkerState>),
    /// and answered, or being so.
    Answered,
    /// The check is over.
    Closed,
}

/// Settings of a check of which no report would tell otherwise.
#[derive(Clone, Default)]
pub(crate) struct CheckOutline {
    /// The names of the obligations chosen.
    pub obligations: Vec<String>,
    pub threads: usize,
    /// True if the search is by random walks,
    pub is_sampled: bool,
    /// or by views of every number of members.
    pub has_views: bool,
}

/// Call that has not returned for a while.
pub(crate) struct Unfinished {
    pub function: Function,
    pub state: Option<Arc<ErasedState>>,
}

/// Threads of a check that is watched.
#[derive(Default)]
pub(crate) struct Watched {
    /// Time that is not counted against the limit, in microseconds.
    uncounted: AtomicU64,
    /// More of it, as long as a checkpoint is read.
    allowed: AtomicU64,
    threads: Mutex<Vec<Arc<Calls>>>,
    positions: Mutex<Vec<Weak<WorkerPosition>>>,
    /// Positions and calls as they were when they had last changed.
    seen: Mutex<Seen>,
    outline: Mutex<CheckOutline>,
    question: Mutex<FunctionQuestion>,
    changed: Condvar,
    /// Calls of the thread that answers,
    answering: Arc<Calls>,
    /// and what it has found.
    answer: Mutex<AskedState>,
}

#[derive(Default)]
struct Seen {
    threads: Vec<SeenThread>,
    positions: Vec<(Weak<WorkerPosition>, (u64, u64), Instant)>,
}

/// A thread as it was when it was last looked at.
struct SeenThread {
    calls: Arc<Calls>,
    pulse: u64,
    /// Time since when the pulse is that one.
    since: Instant,
    /// The outermost call, by when it began,
    outermost: Option<u64>,
    /// and the time since when it is that one.
    called: Instant,
}

/// Time for which a state is asked again.
const ANSWER: Duration = Duration::from_millis(600);
/// Time after which a call of those who answer does not return.
const SILENCE: Duration = Duration::from_millis(250);

thread_local! {
    static THREAD: RefCell<Option<Thread>> = const { RefCell::new(None) };
}

/// A thread of a check that is watched.
#[derive(Clone)]
struct Thread {
    watched: Arc<Watched>,
    calls: Arc<Calls>,
}

/// The JSON of an action, which the model writes.
pub(crate) fn json_of<T: Serialize + Debug + ?Sized>(action: &T) -> Value {
    call(|| Function::named("`serialize`"), None, || json(action))
}

/// Calls a function of the model, on the state if one is named, so that another thread sees it.
#[inline]
pub(crate) fn call<T>(
    function: impl FnOnce() -> Function,
    state: Option<&ErasedState>,
    call: impl FnOnce() -> T,
) -> T {
    let calls = THREAD.with_borrow(|thread| Some(Arc::clone(&thread.as_ref()?.calls)));
    let _under = calls.map(|calls| CallUnderWay::begin(calls, function(), state));
    call()
}

/// Call under way on a thread that is watched, which has ended when this is dropped.
struct CallUnderWay(Arc<Calls>);

impl CallUnderWay {
    #[inline]
    fn begin(calls: Arc<Calls>, function: Function, state: Option<&ErasedState>) -> Self {
        let begun = Call {
            function,
            state: state.cloned().map(Arc::new),
            began: calls.pulse.load(Ordering::Relaxed),
        };
        let mut stack = calls.stack();
        stack.push(begun);
        calls.beat();
        drop(stack);
        Self(calls)
    }
}

impl Drop for CallUnderWay {
    fn drop(&mut self) {
        let mut stack = self.0.stack();
        let ended = stack.pop();
        self.0.beat();
        // A state may take for ever to drop, and a watchdog waits for the stack.
        drop(stack);
        drop(ended);
    }
}

/// Calls a function of a user, by its name, so that another thread sees it.
pub fn calling<T>(function: &'static str, ask: impl FnOnce() -> T) -> T {
    call(|| Function::named(function), None, ask)
}

/// The same of a function that is asked about a state.
#[inline]
pub fn on_state<S: Plain, T>(function: &'static str, state: &S, ask: impl FnOnce() -> T) -> T {
    if !is_watched() {
        return ask();
    }
    let state = ErasedState::of(state);
    call(|| Function::named(function), Some(&state), ask)
}

fn is_watched() -> bool {
    THREAD.with_borrow(Option::is_some)
}

/// Says that the call under way on this thread goes on, since it calls back.
#[inline]
pub fn calls_back() {
    THREAD.with_borrow(|thread| {
        if let Some(thread) = thread {
            thread.calls.beat();
        }
    });
}

/// The same work, to be done on threads that are watched as this one is.
pub fn watched_as_here<A, T>(work: impl Fn(A) -> T) -> impl Fn(A) -> T {
    let watched = Watched::of_this_thread();
    move |argument| match &watched {
        Some(watched) => watched.on_this_thread(|| work(argument)),
        None => work(argument),
    }
}

impl Watched {
    /// The watch over this thread, if there is one.
    pub fn of_this_thread() -> Option<Arc<Self>> {
        THREAD.with_borrow(|thread| Some(Arc::clone(&thread.as_ref()?.watched)))
    }

    /// Time that is not counted against the limit.
    pub fn uncounted(&self) -> Duration {
        let all = [&self.uncounted, &self.allowed];
        let [uncounted, allowed] = all.map(|time| time.load(Ordering::Relaxed));
        Duration::from_micros(uncounted.saturating_add(allowed))
    }

    /// Does not count some time.
    pub fn does_not_count(&self, time: Duration) {
        self.uncounted
            .fetch_add(microseconds(time), Ordering::Relaxed);
    }

    /// Allows so much more time than the limit, until it allows other.
    pub fn allow(&self, time: Duration) {
        self.allowed.store(microseconds(time), Ordering::Relaxed);
    }

    /// Does work on this thread that is watched.
    pub fn on_this_thread<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let calls = Arc::new(Calls::default());
        held(&self.threads).push(Arc::clone(&calls));
        self.publishing(calls, work)
    }

    fn publishing<T>(self: &Arc<Self>, calls: Arc<Calls>, work: impl FnOnce() -> T) -> T {
        struct Ends(Option<Thread>);
        impl Drop for Ends {
            fn drop(&mut self) {
                let ended = THREAD.replace(self.0.take());
                if let Some(Thread { watched, calls }) = ended {
                    held(&watched.threads).retain(|other| !Arc::ptr_eq(other, &calls));
                }
            }
        }
        let thread = Thread {
            watched: Arc::clone(self),
            calls,
        };
        let _ends = Ends(THREAD.replace(Some(thread)));
        work()
    }

    /// Adds a worker of a pass over states.
    pub fn position(&self, position: &Arc<WorkerPosition>) {
        let mut positions = held(&self.positions);
        positions.retain(|other| other.strong_count() > 0);
        positions.push(Arc::downgrade(position));
    }

    pub fn set_outline(&self, outline: CheckOutline) {
        *held(&self.outline) = outline;
    }

    pub fn outline(&self) -> CheckOutline {
        held(&self.outline).clone()
    }

    /// A call that has gone on since the last times that this was asked, for at least so long: the innermost one, or, where that one comes and
    /// goes, or calls back, the outermost.
    pub fn unfinished(&self, silence: Duration) -> Option<Unfinished> {
        let now = Instant::now();
        let mut seen = held(&self.seen);
        let threads: Vec<_> = held(&self.threads).clone();
        let before = std::mem::take(&mut seen.threads);
        let mut are_silent = true;
        for calls in threads {
            // Both are of one moment: a call that has just begun has not gone on.
            let stack = calls.stack();
            let pulse = calls.pulse.load(Ordering::Relaxed);
            let outermost = stack.first().map(|call| call.began);
            let same = before
                .iter()
                .find(|other| Arc::ptr_eq(&other.calls, &calls));
            let since = same.filter(|other| other.pulse == pulse);
            let since = since.map_or(now, |other| other.since);
            let called = same.filter(|other| other.outermost == outermost);
            let called = called.map_or(now, |other| other.called);
            let is_silent = now - since >= silence;
            let call = if is_silent {
                stack.last().cloned()
            } else if now - called >= silence {
                stack.first().cloned()
            } else {
                None
            };
            drop(stack);
            if let Some(Call {
                function, state, ..
            }) = call
            {
                return Some(Unfinished { function, state });
            }
            are_silent &= is_silent;
            seen.threads.push(SeenThread {
                calls,
                pulse,
                since,
                outermost,
                called,
            });
        }
        let positions: Vec<_> = held(&self.positions).clone();
        let positions = positions.iter().filter_map(Weak::upgrade);
        let before = std::mem::take(&mut seen.positions);
        for position in positions {
            let (_, stage) = position.get();
            let pulse = position.pulse();
            let same = before.iter().find(|(other, before, _)| {
                other.as_ptr() == Arc::as_ptr(&position) && *before == pulse
            });
            let since = same.map_or(now, |(_, _, since)| *since);
            // As long as calls come and go, a state takes long and no call does.
            if are_silent && now - since >= silence && stage != Stage::Idle {
                return Some(self.ask(position));
            }
            seen.positions
                .push((Arc::downgrade(&position), pulse, since));
        }
        None
    }

    /// Asks which function it is that does not return at a position.
    fn ask(&self, position: Arc<WorkerPosition>) -> Unfinished {
        let (number, stage) = position.get();
        if stage == Stage::Adding {
            return Unfinished {
                function: stage.functions(),
                state: None,
            };
        }
        let asked = WorkerState {
            number,
            stage,
            position,
        };
        let is_heard = {
            let mut question = held(&self.question);
            let is_heard = matches!(*question, FunctionQuestion::Heard);
            if is_heard {
                *question = FunctionQuestion::Asked(Box::new(asked));
                self.changed.notify_all();
            }
            is_heard
        };
        let begun = Instant::now();
        let mut last = (0, begun);
        let mut is_found = false;
        while is_heard && begun.elapsed() < ANSWER && !held(&self.answer).is_over {
            let pulse = self.answering.pulse.load(Ordering::Relaxed);
            if pulse != last.0 {
                last = (pulse, Instant::now());
            }
            is_found = last.1.elapsed() >= SILENCE && !self.answering.stack().is_empty();
            if is_found {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let answer = held(&self.answer);
        match self.answering.stack().last().cloned() {
            Some(call) if is_found => Unfinished {
                function: call.function,
                state: call.state,
            },
            _ => Unfinished {
                function: stage.functions(),
                state: answer.state.clone(),
            },
        }
    }

    /// Waits until it is asked where a function does not return, and has `ask` ask again about that state, which it shows first. Returns when the check
    /// is over.
    pub fn answer(self: &Arc<Self>, ask: &AskAgain<'_>) {
        let mut question = held(&self.question);
        let asked = loop {
            match std::mem::take(&mut *question) {
                FunctionQuestion::Closed => {
                    *question = FunctionQuestion::Unheard;
                    return;
                }
                FunctionQuestion::Asked(asked) => {
                    *question = FunctionQuestion::Answered;
                    break asked;
                }
                FunctionQuestion::Unheard
                | FunctionQuestion::Heard
                | FunctionQuestion::Answered => {
                    *question = FunctionQuestion::Heard;
                }
            }
            question = self
                .changed
                .wait(question)
                .unwrap_or_else(PoisonError::into_inner);
        };
        drop(question);
        let show = |state: &ErasedState| {
            let state = Arc::new(state.clone());
            held(&self.answer).state = Some(state);
        };
        self.publishing(Arc::clone(&self.answering), || ask(&asked, &show));
        held(&self.answer).is_over = true;
    }

    /// Ends the thread that answers.
    pub fn close(&self) {
        let mut question = held(&self.question);
        if discriminant(&*question) != discriminant(&FunctionQuestion::Answered) {
            *question = FunctionQuestion::Closed;
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Function that is told where one of so many that are watched, each begun by the one before it, is in a call.
    fn told(watched: &Arc<Watched>, begun: usize, all: usize, calls: usize) -> Option<Function> {
        if begun == all {
            let unfinished = watched.unfinished(Duration::ZERO);
            return unfinished.map(|unfinished| unfinished.function);
        }
        watched.on_this_thread(|| {
            let more = || told(watched, begun + 1, all, calls);
            if begun == calls {
                calling("map", more)
            } else {
                more()
            }
        })
    }

    /// A call that does not return is told, whichever of those that are watched is in it; and none is where all have returned.
    #[test]
    fn a_call_is_told_whoever_makes_it() {
        for all in 1..=4 {
            let watched = Arc::new(Watched::default());
            for calls in 0..all {
                let expected = Some(Function::named("map"));
                assert_eq!(told(&watched, 0, all, calls), expected, "{calls} of {all}");
            }
            assert_eq!(told(&watched, 0, all, all), None, "{all}");
        }
    }
}
