//! Tests of the explanation of a refuted history, and of vacuous histories.

use refmap::{ActionOf, Report, StateOf, Verdict};
use refmap_histories::{
    Event, Explanation, Happening, Observed, Outcome, Settings, StepKind, Validation,
};
use serde_json::json;

use super::heap::{Deed, Heap};
use super::memory::{Access, Buffers, ObservedMemory, Stores};
use super::queue::{Queue, Result, Use};
use super::random::Subject;
use super::{event_in, validated};

/// Event of a thread with its interval.
type Line<E> = (u32, u64, u64, E);

fn events<E>(lines: Vec<Line<E>>) -> Vec<Event<E>> {
    let mut events: Vec<Event<E>> = Vec::new();
    for (thread, begin, end, event) in lines {
        let place = events.iter().filter(|event| event.thread == thread);
        events.push(event_in(thread, place.count() as u64, begin..=end, event));
    }
    events
}

fn run<S: Subject>(subject: &S, events: Vec<Event<S::Event>>) -> Validation {
    validated(subject, &events, &Settings::default())
}

fn refuted<S: Subject>(subject: &S, lines: Vec<Line<S::Event>>) -> (Explanation, String) {
    let validation = run(subject, events(lines));
    assert_eq!(validation.verdict(), Verdict::Violated);
    let mut report = validation.report().named("test", [("a", 1)]);
    let json = serde_json::to_value(&report).expect("a report has a JSON form");
    let again: Report = serde_json::from_value(json).expect("a report is read back");
    assert_eq!(again, report);
    report.seconds = 0.0;
    report.peak_memory_bytes = 0;
    let Outcome::Refuted(explanation) = validation.outcome else {
        panic!("it is refuted");
    };
    (*explanation, report.to_string())
}

fn take(value: u8) -> Use {
    Use::Take(Result::Value(value))
}

#[test]
fn an_explanation_shows_the_longest_orders_and_what_could_come_next() {
    let (explanation, text) = refuted(
        &Queue,
        vec![
            (0, 0, 10, Use::Put(1)),
            (0, 20, 30, Use::Put(2)),
            (1, 25, 50, take(2)),
            (0, 40, 60, Use::Put(3)),
        ],
    );
    let event = explanation.event.as_ref().expect("an event has no place");
    assert_eq!((event.line, event.thread), (Some(4), 1));
    // The third value may be put before the refused event ends.
    assert_eq!(explanation.prefixes.len(), 1);
    let prefix = &explanation.prefixes[0];
    assert_eq!(prefix.events, 3);
    assert_eq!(prefix.last().state, json!([1, 2, 3]));
    let reasons: Vec<_> = prefix.next.iter().map(|next| &next.reason).collect();
    assert_eq!(reasons, ["the queue has [1, 2, 3]"]);
    assert_eq!(
        text,
        "\
test  a 1
violated by behaviour after 3 steps, no order of its events is a behaviour; nothing is said of other
  runs
4 events (4 of interest) of 2 threads, at most 2 under way, at most 1 configuration, 3 steps tried,
  0.00 s, 0 MiB

obligation    verdict            tested
  behaviour   violated                4
  interest    holds                   4

never exercised: rule:take

no order of the events takes line 4, thread 1, [25, 50] ns: take(value=2)

a longest order takes 3 events, the last of them:
      before  []
  line 2, thread 0, [0, 10] ns: put(1) = Put(1)
      then    [1]
  line 3, thread 0, [20, 30] ns: put(2) = Put(2)
      then    [1 2]
  line 5, thread 0, [40, 60] ns: put(3) = Put(3)
      then    [1 2 3]
  what could come next, and why it cannot:
    line 4, thread 1, [25, 50] ns: take(value=2): the queue has [1, 2, 3]

the smallest part that cannot be, from each of the 3 states that the search passed near its end:
  line 4, thread 1, [25, 50] ns: take(value=2)
  line 5, thread 0, [40, 60] ns: put(3)
"
    );
}

#[test]
fn the_heap_is_drawn_before_and_after() {
    let (explanation, text) = refuted(
        &Heap(Stores::AtOnce),
        vec![
            (0, 0, 1, Deed::Alloc { object: 0 }),
            (0, 2, 3, Deed::Alloc { object: 1 }),
            (0, 4, 5, Deed::store(0, Some(1))),
            (0, 6, 7, Deed::Discard { object: 1 }),
            (1, 8, 9, Deed::Free { object: 1 }),
        ],
    );
    let prefix = &explanation.prefixes[0];
    let steps = prefix.steps.iter();
    let drawn: Vec<_> = steps
        .filter_map(|step| step.after.drawing.as_deref())
        .collect();
    assert_eq!(
        drawn,
        [
            "0 root → null",
            "0 root → null   1 root → null",
            "0 root → 1   1 root → null",
            "0 root → 1   1 → null"
        ]
    );
    assert!(text.contains("then    0 root → 1   1 → null"), "{text}");
    assert!(text.contains("object 1 is reachable"), "{text}");
}

/// Earlier events are irrelevant: the smallest window is contradictory by itself.
#[test]
fn the_smallest_part_leaves_out_what_does_not_matter() {
    let mut lines: Vec<Line<Access>> = Vec::new();
    let mut time = 0;
    let mut act = |thread: u32, access: Access| {
        lines.push((thread, time, time + 5, access));
        time += 10;
    };
    for round in 0..100 {
        let value = round % 3;
        act(0, Access::Store { cell: 0, value });
        act(1, Access::load(0, value));
    }
    act(0, Access::Store { cell: 0, value: 3 });
    act(1, Access::load(0, 2));
    act(0, Access::Store { cell: 1, value: 1 });
    let (explanation, _) = refuted(&ObservedMemory(Stores::AtOnce), lines);
    let window = explanation.window.expect("a part of it suffices");
    // All values but the last were in the cell before, so a window of the load alone would be possible.
    let part: Vec<_> = window.events.iter().map(|event| event.line).collect();
    assert_eq!(part, [Some(202), Some(203)]);
    assert!(window.states >= 3, "{}", window.states);
}

#[test]
fn a_fence_waits_for_what_is_delayed() {
    let store = |cell| Access::Store { cell, value: 1 };
    let load = |cell| Access::load(cell, 0);
    let sb = |fence: bool| {
        let mut lines = vec![(0, 0, 10, store(0)), (1, 0, 10, store(1))];
        if fence {
            lines.extend([(0, 11, 20, Access::Fence), (1, 11, 20, Access::Fence)]);
        }
        lines.extend([(0, 21, 30, load(1)), (1, 21, 30, load(0))]);
        lines
    };
    let tso = ObservedMemory(Stores::Delayed);
    // Store buffering: TSO permits the outcome and SC does not.
    assert_eq!(run(&tso, events(sb(false))).verdict(), Verdict::Holds);
    refuted(&ObservedMemory(Stores::AtOnce), sb(false));
    let (explanation, text) = refuted(&tso, sb(true));
    assert!(explanation.event.is_some_and(|event| event.line == Some(6)));
    assert!(text.contains("it would read 1"), "{text}");
    // A thread reads its own delayed store.
    refuted(&tso, vec![(0, 0, 10, store(0)), (0, 11, 20, load(0))]);
}

/// A delayed event must take effect eventually, even if no event observes it.
#[test]
fn what_is_delayed_has_to_take_effect() {
    let (explanation, text) = refuted(
        &Heap(Stores::Delayed),
        vec![
            (0, 0, 1, Deed::Alloc { object: 0 }),
            (1, 2, 3, Deed::store(1, None)),
        ],
    );
    assert_eq!(explanation.event, None);
    let prefix = &explanation.prefixes[0];
    let reason = &prefix.next[0].reason;
    assert!(
        reason.starts_with("it cannot take effect: it was never allocated"),
        "{reason}"
    );
    assert!(text.contains("before  nothing"), "{text}");
    // What took effect before does not matter, and what is delayed still is a part.
    let store = |object| Deed::Store { object, to: None };
    let mut lines = vec![(0, 0, 1, Deed::Alloc { object: 0 })];
    lines.extend((1..9).map(|time| (time as u32 % 2, 2 * time, 2 * time + 1, store(0))));
    lines.extend([(0, 20, 21, store(1)), (1, 22, 23, store(0))]);
    let (explanation, _) = refuted(&Heap(Stores::Delayed), lines);
    assert_eq!(explanation.event, None);
    let window = explanation.window.expect("a part of it suffices");
    let part: Vec<_> = window.events.iter().map(|event| event.line).collect();
    assert_eq!(part, (3..=12).map(Some).collect::<Vec<_>>());
}

#[test]
fn a_history_that_says_nothing_does_not_pass() {
    let none = run(&Queue, Vec::new());
    assert_eq!(none.verdict(), Verdict::Incomplete);
    let behaviour = none.report();
    let behaviour = behaviour.obligation("behaviour").expect("it is listed");
    assert_eq!(
        (behaviour.verdict, behaviour.checked),
        (Verdict::Incomplete, 0)
    );

    let heap = Heap(Stores::AtOnce);
    let dull = run(&heap, events(vec![(0, 0, 1, Deed::Alloc { object: 0 })]));
    assert_eq!(dull.verdict(), Verdict::Incomplete);
    let report = dull.report();
    let row = |name| {
        report
            .obligation(name)
            .map(|row| (row.verdict, row.checked))
    };
    assert_eq!(row("behaviour"), Some((Verdict::Holds, 1)));
    assert_eq!(row("interest"), Some((Verdict::Incomplete, 0)));
}

/// An event without an end may not have taken place, so it is not interesting, whether possible or not.
#[test]
fn an_event_without_an_end_is_of_no_interest() {
    let heap = Heap(Stores::AtOnce);
    let freed = |end| {
        let deeds = [Deed::Alloc { object: 0 }, Deed::Discard { object: 0 }];
        let deeds = (0..).zip(deeds).map(|(at, deed)| (0, at, at, deed));
        let mut all = events(deeds.chain([(1, 2, 3, Deed::Free { object: 0 })]).collect());
        all[2].end = end;
        run(&heap, all)
    };
    assert_eq!(freed(Some(3)).verdict(), Verdict::Holds);
    let open = freed(None);
    assert_eq!((open.verdict(), open.interesting), (Verdict::Incomplete, 0));
    // An object that was never allocated.
    let mut none = events(vec![(0, 0, 1, Deed::Free { object: 0 })]);
    assert_eq!(run(&heap, none.clone()).verdict(), Verdict::Violated);
    none[0].end = None;
    assert_eq!(run(&heap, none).verdict(), Verdict::Incomplete);
}

/// Events without an end make no order longer, however many are in it: orders with none, one and two of them are all shown.
#[test]
fn events_without_an_end_make_no_order_longer() {
    let mut all = events(vec![
        (0, 0, 1, Use::Put(3)),
        (1, 2, 3, Use::Put(1)),
        (2, 4, 5, Use::Put(2)),
        (3, 6, 7, take(2)),
    ]);
    all[1].end = None;
    all[2].end = None;
    let Outcome::Refuted(explanation) = run(&Queue, all).outcome else {
        panic!("nothing was taken before");
    };
    let prefixes = explanation.prefixes.iter();
    let prefixes = prefixes.map(|prefix| (prefix.events, prefix.last().state.clone()));
    let mut prefixes: Vec<_> = prefixes.collect();
    prefixes.sort_by_key(|(events, state)| (*events, state.to_string()));
    let expected = [
        (1, json!([3])),
        (2, json!([3, 1])),
        (2, json!([3, 2])),
        (3, json!([3, 1, 2])),
        (3, json!([3, 2, 1])),
    ];
    assert_eq!(prefixes, expected);
    assert_eq!(explanation.more_prefixes, 0);
}

#[test]
fn what_was_filled_in_is_said() {
    let mut lines = events(vec![
        (0, 0, 1, Use::Put(1)),
        (0, 2, 3, Use::Put(2)),
        (1, 4, 5, Use::Take(Result::Unrecorded)),
        (1, 6, 7, take(2)),
        (2, 8, 9, Use::Put(3)),
        (1, 10, 11, take(3)),
    ]);
    lines[4].end = None;
    let validation = run(&Queue, lines);
    assert_eq!(validation.verdict(), Verdict::Holds);
    let report = validation.report();
    let note = report.obligations[0].note.as_deref().expect("it is noted");
    assert!(note.contains("1 event without an end"), "{note}");
    assert!(note.contains("1 event with a part missing"), "{note}");
    let text = report.to_string();
    assert!(text.contains("line 4: Take(1)"), "{text}");
    assert!(text.contains("line 6: Put(3)"), "{text}");
}

/// Of an order, only the assumptions are reported: at most the first hundred, each once, with its line, and the
/// number of events that lacked each kind of information.
#[test]
fn no_more_was_filled_in_than_is_said() {
    const PAIRS: u64 = 120;
    let mut all = Vec::new();
    for pair in 0..PAIRS {
        let at = 10 * pair;
        all.push((0, at, at + 1, Use::Put((pair % 3) as u8)));
        all.push((1, at + 2, at + 3, Use::Take(Result::Unrecorded)));
    }
    let mut all = events(all);
    let validation = run(&Queue, all.clone());
    assert_eq!(validation.verdict(), Verdict::Holds);
    let partial = validation.partial;
    assert_eq!(
        (partial.unknown, partial.open, partial.incomplete),
        (0, 0, PAIRS)
    );
    let lines = |validation: &Validation| -> Vec<u64> {
        let assumed = validation.assumptions.iter();
        assumed.map(|assumed| assumed.line).collect()
    };
    let hundred: Vec<u64> = (0..100).map(|pair| 2 * pair + 3).collect();
    assert_eq!(lines(&validation), hundred);
    for (pair, assumed) in (0..).zip(&validation.assumptions) {
        assert_eq!(assumed.action, Some(json!({"Take": pair % 3})));
    }
    // Two events are unrecorded, and one of them has no end.
    for unknown in [2, 7] {
        all[unknown].event = None;
    }
    all.truncate(8);
    all[7].end = None;
    let validation = run(&Queue, all);
    assert_eq!(validation.verdict(), Verdict::Holds);
    let partial = validation.partial;
    assert_eq!(
        (partial.unknown, partial.open, partial.incomplete),
        (2, 1, 3)
    );
}

/// Internal steps of the specification are not assumptions, and do not count towards their limit.
#[test]
fn what_no_event_shows_is_nothing_that_was_filled_in() {
    let store = |thread, at: u64| (thread, at, at + 1, Access::Store { cell: 0, value: 1 });
    let fence = |thread, at: u64| (thread, at, at + 1, Access::Fence);
    // After each fence the stored value is committed by an internal step of the memory.
    let rounds = (0..110).flat_map(|round| [store(0, 10 * round), fence(0, 10 * round + 2)]);
    let mut all = events(rounds.collect());
    all.push(Event {
        thread: 1,
        place: 0,
        begin: 2_000,
        end: Some(2_001),
        event: None,
    });
    let validation = run(&Buffers, all);
    assert_eq!(validation.verdict(), Verdict::Holds);
    let lines = validation.assumptions.iter().map(|assumed| assumed.line);
    assert_eq!(lines.collect::<Vec<_>>(), [222]);
}

/// A step that is still possible is not listed as impossible: a pending store may take effect, which enables
/// nothing. Each step of an order is reported once, with its event.
#[test]
fn what_could_come_next_is_not_said_to_be_impossible() {
    let load = |value| Access::load(0, value);
    let (explanation, text) = refuted(
        &ObservedMemory(Stores::Delayed),
        vec![
            (0, 0, 1, Access::Store { cell: 0, value: 1 }),
            (1, 2, 3, Access::load(1, 0)),
            (1, 4, 5, load(3)),
        ],
    );
    let prefixes = &explanation.prefixes;
    // The store has taken effect in one of the prefixes, and not in the other.
    assert_eq!((prefixes.len(), explanation.more_prefixes), (2, 0));
    let mut reasons = Vec::new();
    for prefix in prefixes {
        let [refused] = &prefix.next[..] else {
            panic!("{text}");
        };
        assert_eq!((prefix.events, refused.event.line), (2, Some(4)));
        reasons.push(refused.reason.as_str());
        let steps = prefix.steps.iter();
        let mut steps: Vec<_> = steps
            .map(|step| (step.kind, step.event.as_ref().and_then(|event| event.line)))
            .filter(|(kind, _)| *kind != StepKind::Effect)
            .collect();
        steps.sort_by_key(|(_, line)| *line);
        let once = [(StepKind::Issue, Some(2)), (StepKind::Event, Some(3))];
        assert_eq!(steps, once, "{text}");
    }
    reasons.sort_unstable();
    assert_eq!(reasons, ["it would read 0", "it would read 1"]);
}

/// The refusal of an event that waits for its thread's delayed events has a reason of its own.
#[test]
fn why_an_event_cannot_come_is_its_own_reason() {
    let swap = |at| {
        (
            0,
            at,
            at + 1,
            Access::Swap {
                cell: 0,
                old: 3,
                new: 2,
            },
        )
    };
    let subject = ObservedMemory(Stores::Delayed);
    let (explanation, _) = refuted(&subject, vec![swap(0)]);
    let reason = |explanation: &Explanation| {
        let mut reasons: Vec<_> = explanation
            .prefixes
            .iter()
            .flat_map(|prefix| &prefix.next)
            .map(|refused| refused.reason.clone())
            .collect();
        reasons.sort();
        reasons
    };
    assert_eq!(reason(&explanation), ["it would find Some(0)"]);
    let store = (0, 0, 1, Access::Store { cell: 0, value: 1 });
    let (explanation, _) = refuted(&subject, vec![store, swap(2)]);
    assert_eq!(
        reason(&explanation),
        [
            "it would find Some(1)",
            "what its thread has delayed has not all taken effect"
        ]
    );
}

/// The counterexample of a report is the longest prefix with its steps, in the row of the obligation.
#[test]
fn a_refused_history_is_a_counterexample_with_its_steps() {
    let lines = vec![
        (0, 0, 1, Use::Put(1)),
        (0, 2, 3, Use::Put(2)),
        (1, 4, 5, take(2)),
    ];
    let report = run(&Queue, events(lines)).report();
    let shown = report.counterexample.as_ref().expect("it is refused");
    let row = report.obligation("behaviour").expect("it is listed");
    assert_eq!(row.counterexamples, std::slice::from_ref(shown));
    assert!(shown.reachable);
    let states: Vec<_> = shown.steps.iter().map(|step| step.state.clone()).collect();
    assert_eq!(states, [json!([]), json!([1]), json!([1, 2])]);
    assert_eq!(report.depth, 2);
    assert!(
        shown.explanation.contains("the queue has [1, 2]"),
        "{}",
        shown.explanation
    );
}

/// A limit leaves the claim open, and the report says so.
#[test]
fn a_bound_decides_nothing() {
    let store = |thread| Access::Store {
        cell: 0,
        value: thread as u8,
    };
    let lines: Vec<_> = (0..3)
        .map(|thread| (thread, 0, 10, store(thread)))
        .collect();
    let settings = Settings {
        configurations: 2,
        ..Settings::default()
    };
    let subject = ObservedMemory(Stores::AtOnce);
    // Events after the limit are not processed, and so not refused.
    let load = Access::load(0, 3);
    let mut longer = lines.clone();
    longer.extend([(0, 20, 21, load.clone()), (1, 22, 23, load)]);
    for lines in [lines, longer] {
        let validation = validated(&subject, &events(lines), &settings);
        assert!(matches!(validation.outcome, Outcome::Undecided(_)));
        let report = validation.report();
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        let limit = report.limit.expect("it is said");
        assert_eq!(limit.to_string(), "the limit of 2 states");
    }
}

/// Memory with a wrong adapter: all events are said to commute.
struct Careless(ObservedMemory);

impl Observed for Careless {
    type Specification = <ObservedMemory as Observed>::Specification;
    type Event = Access;

    fn specification(&self) -> &Self::Specification {
        self.0.specification()
    }

    fn shows(
        &self,
        from: &StateOf<Self::Specification>,
        happening: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<ActionOf<Self::Specification>>),
    ) {
        self.0.shows(from, happening, visit);
    }

    fn commute(&self, _one: &Access, _other: &Access) -> bool {
        true
    }
}

/// The load ends first and depends on the store, which the adapter denies: the history is not refuted.
#[test]
fn an_adapter_that_is_wrong_about_its_events_refutes_nothing() {
    let lines = vec![
        (0, 0, 10, Access::Store { cell: 0, value: 1 }),
        (1, 1, 5, Access::load(0, 1)),
    ];
    let right = ObservedMemory(Stores::AtOnce);
    assert_eq!(run(&right, events(lines.clone())).verdict(), Verdict::Holds);
    let wrong = Careless(right);
    let validation = validated(&wrong, &events(lines), &Settings::default());
    assert!(matches!(validation.outcome, Outcome::Misled));
    let report = validation.report().named("test", [("a", 1)]);
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    assert!(
        report.to_string().contains("the adapter is wrong"),
        "{report}"
    );
}
