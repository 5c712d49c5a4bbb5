//! What a search may take: memory and time, and what is said where it was not enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use refmap::explore::{Limit, Limits, Watch};
use refmap::validate::{
    Event, Explanation, Happening, Observed, Ordered, Outcome, Settings, Validation, validate,
};
use refmap::{Rule, RuleId, TransitionSystem, Verdict};
use serde::{Deserialize, Serialize};

/// A way of so many steps that no event shows, at whose end something happens.
struct Way {
    length: u32,
    /// How much each state on the way holds besides, in bytes.
    load: usize,
    /// After so many looks somebody has had enough.
    patience: u64,
    looks: AtomicU64,
    cancel: AtomicBool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Place {
    at: u32,
    load: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sign {
    /// It is there from the beginning to the end of the way.
    Begun,
    /// Somebody is at the end of the way.
    Arrived,
    /// Never seen.
    Beyond,
}

static RULES: [Rule; 1] = [Rule::new("go", "walker", "test")];

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
            ..Settings::default()
        };
        validate(self, Ordered::of(events), &settings).expect("it is in order")
    }
}

impl TransitionSystem for Way {
    type State = Place;
    type Action = ();
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        &RULES
    }

    fn rule_of(&self, (): &()) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(Place)) {
        let load = vec![0; self.load];
        visit(Place { at: 0, load });
    }

    fn next(&self, from: &Place, visit: &mut impl FnMut((), Place)) {
        if from.at < self.length {
            let mut to = from.clone();
            to.at += 1;
            visit((), to);
        }
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
    Event {
        thread,
        place,
        begin,
        end: Some(begin + 1),
        event: Some(event),
    }
}

fn explanation(validation: &Validation) -> &Explanation {
    match &validation.outcome {
        Outcome::Refuted(explanation) => explanation,
        outcome => panic!("{outcome:?}"),
    }
}

/// An event that never ends, and a long history beside it.
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

/// One event after the other that lasts for long.
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

/// The event is explained that is refused after all that was forgotten, and the open one stands beside it.
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

/// Between two events a search takes more memory than there may be.
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

/// A search that is out of time has no verdict, whether the time is up before the first event or in the middle of what
/// lies between two; with time enough there is one.
#[test]
fn time_that_is_up_is_no_verdict() {
    let run = |length, sign, seconds| {
        let limits = Limits {
            seconds: Some(seconds),
            ..Limits::default()
        };
        Way::new(length).validate(vec![event(0, 0, 0, sign)], limits)
    };
    // More steps than are taken in that time, by far.
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

/// Who interrupts an explanation gets the verdict, and is told that there may be more to see.
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
    // Before there is a verdict that ends without one.
    let early = refused(u64::from(length) / 2);
    assert!(matches!(
        early.outcome,
        Outcome::Undecided(Limit::Cancelled)
    ));
}

/// The steps to what is refused are remembered one behind the other, and forgotten on a small stack.
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
