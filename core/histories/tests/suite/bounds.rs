//! Tests of the limits on memory and time, and of the report when they are reached.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use refmap::explore::{Limit, Limits, Progress, Watch};
use refmap::{TransitionSystem, Verdict};
use refmap_histories::{
    Event, Explanation, Happening, Observed, Ordered, Outcome, Settings, Validation, validate,
    validate_trace,
};
use serde::{Deserialize, Serialize};

use super::event_in;

/// Specification with a chain of internal steps of the given length, and an event at its end.
struct Way {
    length: u32,
    /// Additional size of each state of the chain, in bytes.
    load: usize,
    /// Number of calls after which the search is cancelled.
    patience: u64,
    looks: AtomicU64,
    cancel: AtomicBool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Place {
    at: u32,
    load: Vec<u8>,
}

impl<S: ?Sized> refmap::State<S> for Place {}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sign {
    /// Possible along the whole chain.
    Begun,
    /// Possible at the end of the chain.
    Arrived,
    /// Never possible.
    Beyond,
}

impl Way {
    fn new(length: u32) -> Self {
        Self {
            length,
            load: 0,
            patience: u64::MAX,
            looks: AtomicU64::new(0),
            cancel: AtomicBool::new(false),
        }
    }

    fn validate(&self, events: Vec<Event<Sign>>, limits: Limits) -> Validation {
        let settings = Settings {
            limits,
            watch: Watch {
                cancel: Some(&self.cancel),
                ..Watch::default()
            },
            // All orders are looked at.
            crowd: usize::MAX,
            ..Settings::default()
        };
        validate(self, Ordered::of(events), &settings).expect("it is in order")
    }
}

impl TransitionSystem for Way {
    type State = Place;
    type Action = ();
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Place)) {
        let load = vec![0; self.load];
        visit(Place { at: 0, load });
    }

    fn fire(&self, (): &(), place: &mut Place) -> Option<()> {
        place.at += 1;
        (place.at <= self.length).then_some(())
    }

    fn observe(&self, _: &Place) {}
}

impl Observed for Way {
    type Specification = Self;
    type Event = Sign;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Place,
        happening: &Happening<'_, Sign>,
        visit: &mut impl FnMut(Option<()>),
    ) {
        match happening.event {
            Sign::Begun => visit(None),
            Sign::Arrived if from.at == self.length => visit(None),
            Sign::Arrived | Sign::Beyond => (),
        }
    }

    fn internal(&self, from: &Place, visit: &mut impl FnMut(())) {
        if self.looks.fetch_add(1, Ordering::Relaxed) == self.patience {
            self.cancel.store(true, Ordering::Relaxed);
        }
        if from.at < self.length {
            visit(());
        }
    }
}

fn event(thread: u32, place: u64, begin: u64, event: Sign) -> Event<Sign> {
    event_in(thread, place, begin..=begin + 1, event)
}

fn explanation(validation: &Validation) -> &Explanation {
    match &validation.outcome {
        Outcome::Refuted(explanation) => explanation,
        outcome => panic!("{outcome:?}"),
    }
}

/// An event that never ends, together with a long history: only that event is held.
#[test]
fn an_event_without_an_end_is_all_that_is_kept_of_its_time() {
    let long = |open: bool| {
        let mut events = vec![event(0, 0, 0, Sign::Begun)];
        if open {
            events[0].end = None;
        }
        let others = (0..20_000).map(|place| event(1, place, 2 * place + 1, Sign::Begun));
        events.extend(others);
        Way::new(0).validate(events, Limits::default())
    };
    let [without, with] = [false, true].map(long);
    assert_eq!(with.verdict(), Verdict::Holds);
    assert_eq!((with.events, with.partial.open), (20_001, 1));
    let most = 3 * Settings::default().context as usize;
    let kept = [without.most_kept, with.most_kept];
    assert!(kept.iter().all(|kept| *kept <= most), "{kept:?}");
}

/// A sequence of events that each last for long: those that are over are dropped.
#[test]
fn what_lasted_is_forgotten_when_it_is_over() {
    let lasting = |place: u64| Event {
        end: Some(600 * place + 599),
        ..event(0, place, 600 * place, Sign::Begun)
    };
    let mut events: Vec<_> = (0..300).map(lasting).collect();
    let short = (0..30_000).map(|place| event(1, place, 6 * place + 1, Sign::Begun));
    events.extend(short);
    events.sort_by_key(|event| event.begin);
    let validation = Way::new(0).validate(events, Limits::default());
    assert_eq!(validation.verdict(), Verdict::Holds);
    let most = 3 * Settings::default().context as usize;
    assert!(validation.most_kept <= most, "{}", validation.most_kept);
}

/// An event that is refused long after others were dropped is explained, together with the open event.
#[test]
fn what_is_kept_explains_what_comes_long_after_it() {
    let mut events = vec![event(0, 0, 0, Sign::Beyond)];
    events[0].end = None;
    events.extend((0..1_000).map(|place| event(1, place, 2 * place + 1, Sign::Begun)));
    events.push(event(1, 1_000, 2_001, Sign::Beyond));
    let validation = Way::new(0).validate(events, Limits::default());
    let explanation = explanation(&validation);
    let next = explanation.prefixes[0].next.iter();
    let lines: Vec<_> = next.map(|refused| refused.event.line).collect();
    assert_eq!(lines, [Some(2), Some(1_003)]);
    let window = explanation.window.as_ref().expect("it is found");
    let lines: Vec<_> = window.events.iter().map(|event| event.line).collect();
    assert_eq!(lines, [Some(2), Some(1_003)]);
    assert_eq!(explanation.cut_short, None);
}

/// A single event whose search takes more memory than the limit.
#[test]
fn the_memory_is_looked_at_in_the_middle_of_a_search() {
    let held = Way::new(0).validate(Vec::new(), Limits::default());
    let run = |most: Option<u64>| {
        let way = Way {
            load: 4096,
            ..Way::new(30_000)
        };
        let limits = Limits {
            memory_bytes: most,
            ..Limits::default()
        };
        way.validate(vec![event(0, 0, 0, Sign::Arrived)], limits)
    };
    let most = held.peak_memory_bytes + (40 << 20);
    let bounded = run(Some(most));
    assert!(
        matches!(bounded.outcome, Outcome::Undecided(Limit::MemoryBytes(limit)) if limit == most),
        "{:?}",
        bounded.outcome
    );
    assert_eq!(run(None).verdict(), Verdict::Holds);
}

/// A search that runs out of time has no verdict, before the first event or in the middle of one event's expansion;
/// with enough time it has one.
#[test]
fn time_that_is_up_is_no_verdict() {
    let run = |length, sign, seconds| {
        let limits = Limits {
            seconds: Some(seconds),
            ..Limits::default()
        };
        Way::new(length).validate(vec![event(0, 0, 0, sign)], limits)
    };
    // Far more steps than can be taken in that time.
    for (length, seconds) in [(10, 0.0), (5_000_000, 0.02)] {
        for sign in [Sign::Begun, Sign::Arrived, Sign::Beyond] {
            let cut = run(length, sign, seconds);
            let expected = Limit::Seconds(seconds);
            assert!(
                matches!(cut.outcome, Outcome::Undecided(limit) if limit == expected),
                "{:?}",
                cut.outcome
            );
            assert_eq!(cut.verdict(), Verdict::Incomplete);
        }
    }
    assert_eq!(run(10, Sign::Arrived, 1e6).verdict(), Verdict::Holds);
    assert_eq!(run(10, Sign::Beyond, 1e6).verdict(), Verdict::Violated);
}

/// Cancelling an explanation preserves the verdict, and the report says that the explanation may be partial.
#[test]
fn an_explanation_can_be_interrupted() {
    let length = 20_000;
    let refused = |patience| {
        let way = Way {
            patience,
            ..Way::new(length)
        };
        way.validate(vec![event(0, 0, 0, Sign::Beyond)], Limits::default())
    };
    let interrupted = refused(u64::from(length) + u64::from(length) / 2);
    assert_eq!(interrupted.verdict(), Verdict::Violated);
    let cut = explanation(&interrupted);
    assert_eq!(cut.cut_short, Some(Limit::Cancelled));
    assert_eq!(cut.event.as_ref().and_then(|event| event.line), Some(2));
    let text = interrupted.report().to_string();
    assert!(
        text.contains("cancellation came before all orders were looked at to explain it"),
        "{text}"
    );
    let whole = refused(u64::MAX);
    assert_eq!(explanation(&whole).cut_short, None);
    assert!(!explanation(&whole).prefixes.is_empty());
    // If cancelled before the verdict, there is none.
    let early = refused(u64::from(length) / 2);
    assert!(matches!(
        early.outcome,
        Outcome::Undecided(Limit::Cancelled)
    ));
}

/// If cancelled after the verdict and before the minimization, the report says that a smaller part may exist.
#[test]
fn a_smaller_part_that_was_not_looked_for_is_not_said_not_to_be() {
    let refused = |patience| {
        let way = Way {
            patience,
            ..Way::new(10)
        };
        way.validate(vec![event(0, 0, 0, Sign::Beyond)], Limits::default())
    };
    // Eleven calls up to the verdict, twice as many to take all events again, and then one for each prefix.
    let interrupted = refused(35);
    let cut = explanation(&interrupted);
    assert_eq!(cut.cut_short, Some(Limit::Cancelled));
    assert!(cut.window.is_none() && !cut.prefixes.is_empty());
    let whole = refused(u64::MAX);
    assert_eq!(explanation(&whole).cut_short, None);
    assert!(explanation(&whole).window.is_some());
}

/// A watcher is called periodically with the progress.
#[test]
fn a_long_history_tells_how_far_it_is() {
    let told = Mutex::new(Vec::new());
    let tell = |progress: &Progress| {
        let Progress {
            states,
            depth,
            frontier,
            ..
        } = *progress;
        told.lock().unwrap().push((depth, states, frontier));
    };
    let settings = Settings {
        watch: Watch {
            progress: Some(&tell),
            ..Watch::default()
        },
        ..Settings::default()
    };
    let events = (0..5_000).map(|place| event(1, place, 2 * place, Sign::Begun));
    let validation = validate(&Way::new(0), Ordered::of(events), &settings);
    assert_eq!(
        validation.expect("it is in order").verdict(),
        Verdict::Holds
    );
    // All but the last of the preceding events have ended.
    assert_eq!(told.into_inner().unwrap(), [(0, 0, 1), (4096, 4095, 1)]);
}

/// The recorded path to a refusal is long, and is dropped on a small stack.
#[test]
fn a_long_row_of_steps_needs_no_deep_stack() {
    let run = || {
        let events = vec![event(0, 0, 0, Sign::Beyond)];
        Way::new(100_000)
            .validate(events, Limits::default())
            .verdict()
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    let verdict = thread.spawn(run).expect("there is a thread").join();
    assert_eq!(verdict.expect("it does not panic"), Verdict::Violated);
}

/// Specification with the given number of initial states and no steps.
struct Beginnings {
    states: u32,
    /// Number of initial states visited.
    shown: AtomicU64,
    cancel: AtomicBool,
}

impl TransitionSystem for Beginnings {
    type State = u32;
    type Action = ();
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        for state in 0..self.states {
            self.shown.fetch_add(1, Ordering::Relaxed);
            visit(state);
        }
    }

    fn fire(&self, (): &(), _: &mut u32) -> Option<()> {
        None
    }

    fn observe(&self, _: &u32) {}
}

impl Observed for Beginnings {
    type Specification = Self;
    type Event = Sign;

    fn specification(&self) -> &Self {
        self
    }

    /// The specification may begin in any state; the event is possible only in the last one.
    fn shows(
        &self,
        from: &u32,
        happening: &Happening<'_, Sign>,
        visit: &mut impl FnMut(Option<()>),
    ) {
        match happening.event {
            Sign::Begun => visit(None),
            Sign::Arrived if from + 1 == self.states => visit(None),
            Sign::Arrived | Sign::Beyond => (),
        }
    }
}

/// If a limit is reached before all initial states are visited, no event is processed: another initial state might
/// permit what the visited ones refuse.
#[test]
fn a_bound_holds_while_initial_states_are_shown() {
    let run = |states, configurations, limits, cancelled| {
        let system = Beginnings {
            states,
            shown: AtomicU64::new(0),
            cancel: AtomicBool::new(cancelled),
        };
        let settings = Settings {
            configurations,
            limits,
            watch: Watch {
                cancel: Some(&system.cancel),
                ..Watch::default()
            },
            ..Settings::default()
        };
        let events = Ordered::of(vec![event(0, 0, 0, Sign::Arrived)]);
        let validation = validate(&system, events, &settings).expect("it is in order");
        (validation, system.shown.load(Ordering::Relaxed))
    };
    const MANY: u32 = 1 << 16;
    let most = 1 << 20;
    let in_time = Limits {
        seconds: Some(0.0),
        ..Limits::default()
    };
    let in_memory = Limits {
        memory_bytes: Some(1),
        ..Limits::default()
    };
    for (configurations, limits, cancelled, expected) in [
        (50, Limits::default(), false, Limit::States(50)),
        (most, in_time, false, Limit::Seconds(0.0)),
        (most, in_memory, false, Limit::MemoryBytes(1)),
        (most, Limits::default(), true, Limit::Cancelled),
    ] {
        let (cut, shown) = run(MANY, configurations, limits, cancelled);
        assert!(
            matches!(cut.outcome, Outcome::Undecided(limit) if limit == expected),
            "{:?} {expected}",
            cut.outcome
        );
        assert_eq!(cut.verdict(), Verdict::Incomplete);
        assert!(cut.initial_states as u64 == shown && shown < u64::from(MANY) / 4);
        assert_eq!((cut.events, cut.configurations, cut.steps), (0, 0, 0));
    }
    let (whole, shown) = run(50, 60, Limits::default(), false);
    assert_eq!(whole.verdict(), Verdict::Holds);
    assert_eq!((whole.initial_states, shown), (50, 50));
}

/// The counters of a report equal those of a search counted by hand.
#[test]
fn what_a_search_does_is_counted() {
    let events = vec![
        event(0, 0, 0, Sign::Begun),
        event(1, 0, 2, Sign::Arrived),
        event(7, 0, 3, Sign::Begun),
        event(1, 1, 5, Sign::Arrived),
    ];
    let validation = Way::new(3).validate(events, Limits::default());
    assert_eq!(validation.verdict(), Verdict::Holds);
    let report = validation.report();
    assert_eq!((report.threads, report.initial_states), (1, 1));
    assert_eq!((report.depth, report.deadlocks), (4, 0));
    // The first event is possible at each of four positions, which three steps lead to. At each of them the third
    // event may come before the second or not, and at the last one the second may come either way; the later of
    // these two is pruned. Two more events have one position each, and so has the end.
    let configurations = 4 + 4 * 2 + 1 + 1 + 1;
    let steps = (4 + 3) + (3 + 4 + 1) + (3 + 1) + 1 + 1;
    assert_eq!(
        (validation.configurations, validation.steps),
        (configurations, steps)
    );
    let [go] = &report.coverage[..] else {
        panic!("there is one rule");
    };
    assert_eq!((go.rule.as_str(), go.fired), ("step", 3 + 3 + 3));
    assert_eq!((validation.threads, validation.events), (3, 4));
    assert_eq!(
        (validation.widest_window, validation.widest_frontier),
        (2, 4)
    );
    assert_eq!(validation.most_kept, 4);
}

/// A counter with infinitely many initial states.
struct Endless(Instant);

const SECONDS: f64 = 0.05;
const LONGER_THAN_ANY_LIMIT: Duration = Duration::from_secs(60);

impl TransitionSystem for Endless {
    type State = u64;
    type Action = ();
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u64)) {
        for number in 0.. {
            visit(number);
            assert!(
                self.0.elapsed() < LONGER_THAN_ANY_LIMIT,
                "no limit was looked at"
            );
        }
    }

    fn fire(&self, (): &(), _: &mut u64) -> Option<()> {
        None
    }

    fn observe(&self, _: &u64) {}
}

#[test]
fn time_is_up_before_a_trace_is_read() {
    let settings = Settings {
        limits: Limits {
            seconds: Some(SECONDS),
            ..Limits::default()
        },
        configurations: usize::MAX,
        ..Settings::default()
    };
    let trace = serde_json::json!({"states": [{"state": "none"}]});
    let validation = validate_trace(&Endless(Instant::now()), &trace, &settings).unwrap();
    let Outcome::Undecided(limit) = validation.outcome else {
        panic!("{:?}", validation.outcome);
    };
    assert_eq!(limit, Limit::Seconds(SECONDS));
}
