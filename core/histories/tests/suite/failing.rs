//! Tests of specifications and adapters that panic, or that enumerate without an end.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use refmap::drawing::Drawing;
use refmap::explore::{Limit, Limits, Watch};
use refmap::{Action, Process, Rule, TransitionSystem, Verdict};
use refmap_histories::{
    Effect, Event, Happening, NoSuch, Observed, Ordered, Outcome, Problem, Settings, Validation,
    validate,
};
use serde::{Deserialize, Serialize, Serializer};

use super::event_in;

/// Function of the specification or the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Initial,
    Rules,
    Fire,
    Shows,
    Unrecorded,
    Internal,
    Effect,
    OnlyLooks,
    Commute,
    IsInteresting,
    IsPartial,
    Check,
    Hash,
    // Called to explain a refusal only.
    Refusal,
    Describe,
    Draw,
    Serialize,
    Process,
    None,
}

/// Counter to which threads add, and that they read.
struct Counter {
    /// The function that panics at its call of this number, from 0.
    panics: Function,
    at: u64,
    calls: AtomicU64,
    /// Number of steps enumerated.
    shown: AtomicU64,
    /// Number of steps that an event which was not recorded, and `internal`, enumerate.
    many: u64,
    /// Number of these after which the search is cancelled.
    patience: u64,
    cancel: AtomicBool,
    /// True if `fire` leads to another state than `next`.
    contradicts: bool,
}

thread_local! {
    /// Functions of a state do not know the specification.
    static OF_STATES: std::cell::Cell<Function> = const { std::cell::Cell::new(Function::None) };
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sum(u64);

impl<S: ?Sized> refmap::State<S> for Sum {}

impl Hash for Sum {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        assert!(OF_STATES.get() != Function::Hash, "on purpose");
        self.0.hash(hasher);
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(OF_STATES.get() != Function::Serialize, "on purpose");
        serializer.serialize_u64(self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Call {
    Add(u64),
    Read(u64),
}

impl Counter {
    fn new(panics: Function, at: u64) -> Self {
        Self {
            panics,
            at,
            calls: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            many: 1,
            patience: u64::MAX,
            cancel: AtomicBool::new(false),
            contradicts: false,
        }
    }

    fn calls(&self, function: Function) {
        if self.panics == function && self.calls.fetch_add(1, Ordering::Relaxed) == self.at {
            panic!("on purpose");
        }
    }

    /// Enumerates steps of a specification that has many.
    fn enumerate(&self, visit: &mut impl FnMut(By)) {
        for by in 0..self.many {
            if self.shown.fetch_add(1, Ordering::Relaxed) == self.patience {
                self.cancel.store(true, Ordering::Relaxed);
            }
            visit(By(by));
        }
    }

    fn validate(&self, events: Vec<Event<Call>>) -> Validation {
        let settings = Settings {
            limits: Limits::default(),
            watch: Watch {
                cancel: Some(&self.cancel),
                ..Watch::default()
            },
            configurations: usize::MAX,
            ..Settings::default()
        };
        validate(self, Ordered::of(events), &settings).expect("it is in order")
    }
}

/// The step that adds so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct By(u64);

impl Action<Counter> for By {
    fn rules(counter: &Counter) -> &[Rule] {
        counter.calls(Function::Rules);
        const { &[Rule::new("add", "thread", "test")] }
    }

    fn process(&self, counter: &Counter) -> Process {
        counter.calls(Function::Process);
        Process::new("thread")
    }
}

impl TransitionSystem for Counter {
    type State = Sum;
    type Action = By;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Sum)) {
        self.calls(Function::Initial);
        visit(Sum(0));
    }

    fn fire(&self, By(by): &By, sum: &mut Sum) -> Option<()> {
        self.calls(Function::Fire);
        sum.0 += by + u64::from(self.contradicts);
        Some(())
    }

    fn next(&self, from: &Sum, visit: &mut impl FnMut(By, &Sum)) {
        (0..100).for_each(|by| visit(By(by), &Sum(from.0 + by)));
    }

    fn observe(&self, _: &Sum) {}

    fn draw(&self, _: &Sum) -> Option<Drawing> {
        self.calls(Function::Draw);
        None
    }
}

impl Observed for Counter {
    type Specification = Self;
    type Event = Call;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Sum,
        happening: &Happening<'_, Call>,
        visit: &mut impl FnMut(Option<By>),
    ) {
        self.calls(Function::Shows);
        match *happening.event {
            Call::Add(by) => visit(Some(By(by))),
            Call::Read(value) if value == from.0 => visit(None),
            Call::Read(_) => (),
        }
    }

    fn unrecorded(&self, _: &Sum, _: u32, visit: &mut impl FnMut(By)) {
        self.calls(Function::Unrecorded);
        self.enumerate(visit);
    }

    fn internal(&self, _: &Sum, visit: &mut impl FnMut(By)) {
        self.calls(Function::Internal);
        if self.panics == Function::Internal {
            visit(By(0));
        }
    }

    fn effect(&self, _: &Call) -> Effect {
        self.calls(Function::Effect);
        Effect::Within
    }

    fn only_looks(&self, call: &Call) -> bool {
        self.calls(Function::OnlyLooks);
        matches!(call, Call::Read(_))
    }

    fn commute(&self, _: &Call, _: &Call) -> bool {
        self.calls(Function::Commute);
        false
    }

    fn check(&self, call: &Call) -> Result<(), NoSuch> {
        self.calls(Function::Check);
        match *call {
            Call::Add(by) => NoSuch::unless("summand", by, 100_u64),
            Call::Read(_) => Ok(()),
        }
    }

    fn refusal(&self, from: &Sum, _: &Happening<'_, Call>) -> String {
        self.calls(Function::Refusal);
        format!("the sum is {}", from.0)
    }

    fn is_interesting(&self, _: &Call) -> bool {
        self.calls(Function::IsInteresting);
        true
    }

    fn is_partial(&self, _: &Call) -> bool {
        self.calls(Function::IsPartial);
        false
    }

    fn describe(&self, call: &Call) -> String {
        self.calls(Function::Describe);
        format!("{call:?}")
    }
}

/// Six threads that add at the same time, one of which was not recorded, and a read at the end.
fn events(read: u64) -> Vec<Event<Call>> {
    let event = |thread, begin, end, event| Event {
        thread,
        place: 0,
        begin,
        end: Some(end),
        event,
    };
    let adds = (0..5).map(|thread| event(thread, 0, 10, Some(Call::Add(1 << thread))));
    let lost = event(5, 0, 10, None);
    let read = event(6, 20, 30, Some(Call::Read(read)));
    adds.chain([lost, read]).collect()
}

/// A panic of any function, at its first call or a later one, is a finding that names the function, and where a refusal was
/// found before, that is told too.
#[test]
fn a_panic_is_a_finding() {
    use Function as F;
    let deciding = [
        (F::Initial, "`initial` of the specification"),
        (F::Rules, "`rules` of the specification"),
        (F::Fire, "`fire` of the specification"),
        (F::Shows, "`shows` of the adapter"),
        (F::Unrecorded, "`unrecorded` of the adapter"),
        (F::Internal, "`internal` of the adapter"),
        (F::Effect, "`effect` of the adapter"),
        (F::OnlyLooks, "`only_looks` of the adapter"),
        (F::Commute, "`commute` of the adapter"),
        (F::IsInteresting, "`is_interesting` of the adapter"),
        (F::IsPartial, "`is_partial` of the adapter"),
        (F::Check, "`check` of the adapter"),
        (F::Process, "`rule` or `process` of the specification"),
        (F::Hash, "a function of a state"),
    ];
    let explaining = [
        (F::Refusal, "`refusal` of the adapter"),
        (F::Describe, "`describe` of the adapter"),
        (F::Draw, "`draw` of the specification"),
        (F::Serialize, "`Serialize` of a state or an action"),
    ];
    let all = deciding.map(|(function, name)| (function, name, false));
    for (function, name, is_explaining) in all
        .into_iter()
        .chain(explaining.map(|(function, name)| (function, name, true)))
    {
        let later = match function {
            F::Initial | F::Rules | F::Hash | F::Serialize | F::Refusal => 0,
            _ => 2,
        };
        for at in [0, later] {
            let counter = Counter::new(function, at);
            if matches!(function, F::Hash | F::Serialize) {
                OF_STATES.set(function);
            }
            let validation = counter.validate(events(99));
            OF_STATES.set(F::None);
            let case = format!("{function:?}, call {at}");
            let panicked = validation.panicked.as_ref();
            let panicked = panicked.unwrap_or_else(|| panic!("{case}: {:?}", validation.outcome));
            assert!(panicked.function.starts_with(name), "{case}: {panicked}");
            assert!(panicked.panic.contains("on purpose"), "{case}: {panicked}");
            assert_eq!(validation.verdict(), Verdict::Violated, "{case}");
            let is_refuted = matches!(validation.outcome, Outcome::Refuted(_));
            assert_eq!(is_refuted, is_explaining, "{case}");
            let report = validation.report();
            let model = report.obligation("model").expect("it is listed");
            assert_eq!(model.verdict, Verdict::Violated);
            let text = report.to_string();
            assert!(text.contains("on purpose"), "{case}: {text}");
        }
    }
    // Nothing else makes it panic.
    let sound = Counter::new(F::None, 0).validate(events(31));
    assert_eq!(
        (sound.panicked.clone(), sound.verdict()),
        (None, Verdict::Holds)
    );
    let refused = Counter::new(F::None, 0).validate(events(99));
    assert_eq!(
        (refused.panicked.clone(), refused.verdict()),
        (None, Verdict::Violated)
    );
}

/// Of a specification that contradicts itself and an adapter that panics both are told, whether the panic comes while the history is decided or
/// while it is explained.
#[test]
fn two_faults_of_a_model_are_told() {
    for (function, name) in [
        (Function::IsInteresting, "`is_interesting` of the adapter"),
        (Function::Refusal, "`refusal` of the adapter"),
    ] {
        let counter = Counter {
            contradicts: true,
            ..Counter::new(function, 0)
        };
        let report = match function {
            Function::Refusal => counter.validate(events(99)),
            _ => {
                let counter = Counter { at: 5, ..counter };
                counter.validate(events(31))
            }
        };
        let report = report.report();
        let model = report.obligation("model").expect("it is listed");
        let told = model.counterexamples.iter();
        let told: Vec<_> = told.map(|found| found.explanation.as_str()).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("fire disagrees with next"), "{told:?}");
        assert!(told[1].contains(name), "{told:?}");
        let text = report.to_string();
        assert!(text.contains("on purpose"), "{text}");
    }
}

/// The steps of one event have no end, and neither are they looked at to their end: when deciding and when explaining.
#[test]
fn an_enumeration_is_left_when_it_is_cancelled() {
    let lost = Event {
        thread: 0,
        place: 0,
        begin: 0,
        end: Some(10),
        event: None,
    };
    let endless = Counter {
        many: u64::MAX,
        patience: 5_000,
        ..Counter::new(Function::None, 0)
    };
    let validation = endless.validate(vec![lost.clone()]);
    assert!(
        matches!(validation.outcome, Outcome::Undecided(Limit::Cancelled)),
        "{:?}",
        validation.outcome
    );
    let shown = endless.shown.load(Ordering::Relaxed);
    assert!(shown < 5_010, "{shown}");
    // The read is refused after each of them.
    let read = event_in(1, 0, 20..=30, Call::Read(10_000));
    let refused = |patience| {
        let counter = Counter {
            many: 1_000,
            patience,
            ..Counter::new(Function::None, 0)
        };
        counter.validate(vec![lost.clone(), read.clone()])
    };
    let whole = refused(u64::MAX);
    let Outcome::Refuted(explanation) = &whole.outcome else {
        panic!("{:?}", whole.outcome);
    };
    assert_eq!(explanation.cut_short, None);
    let cut = refused(1_500);
    let Outcome::Refuted(explanation) = &cut.outcome else {
        panic!("{:?}", cut.outcome);
    };
    assert_eq!(explanation.cut_short, Some(Limit::Cancelled));
    assert_eq!(cut.verdict(), Verdict::Violated);
}

/// An event that names what the instance does not have is refused with its line, wherever in the history it is.
#[test]
fn what_there_is_not_is_refused_with_its_line() {
    for at in 0..5 {
        let mut events = events(31);
        events[at].event = Some(Call::Add(100));
        let counter = Counter::new(Function::None, 0);
        let error = validate(&counter, Ordered::of(events), &Settings::default());
        let error = error.expect_err("there is no such summand");
        assert_eq!(error.line, at as u64 + 2);
        assert!(matches!(error.problem, Problem::NoSuch(_)));
        assert!(
            error.to_string().contains("there is no summand 100"),
            "{error}"
        );
    }
}
