//! Tests of histories without an end.

use refmap::Verdict;
use refmap::random::Generator;
use refmap_histories::{
    Event, Header, History, NoEnd, Outcome, Settings, Validation, Writer, validate,
};

use super::automaton::{Automaton, Of};
use super::event_in;
use super::memory::{Access, ObservedMemory, Stores};
use super::oracle::Oracle;

fn written<E: serde::Serialize>(events: &[Event<E>]) -> String {
    let mut writer = Writer::new(Vec::new(), &Header::default()).expect("there is memory");
    for event in events {
        writer.write(event).expect("there is memory");
    }
    let text = writer.finish().expect("there is memory");
    String::from_utf8(text).expect("it is text")
}

fn decided(text: &str) -> Validation {
    let history = History::open(text.as_bytes()).expect("there is a header");
    let memory = ObservedMemory(Stores::AtOnce);
    validate(&memory, history.events(), &Settings::default()).expect("it is in order")
}

fn event(thread: u32, begin: u64, end: u64, event: Access) -> Event<Access> {
    event_in(thread, 0, begin..=end, event)
}

fn load(value: u8) -> Access {
    Access::load(0, value)
}

fn store(value: u8) -> Access {
    Access::Store { cell: 0, value }
}

/// The same events with and without an end: the text says what the verdict means.
#[test]
fn a_history_that_was_cut_does_not_hold() {
    let events = [event(0, 0, 10, store(1)), event(1, 20, 30, load(1))];
    let whole = written(&events);
    let holds = decided(&whole);
    assert_eq!((holds.verdict(), holds.no_end), (Verdict::Holds, None));
    let names = |validation: &Validation| -> Vec<String> {
        let rows = validation.report().obligations.into_iter();
        rows.map(|row| row.name).collect()
    };
    assert_eq!(names(&holds), ["behaviour", "interest"]);
    let end = whole.rfind("{\"history\"").expect("it has an end");
    for (cut, line, within_line, place) in [
        (
            end,
            3,
            false,
            "it stops after line 3, and no line says that this is all",
        ),
        (end + 12, 4, true, "it stops in the middle of line 4"),
        (end - 12, 3, true, "it stops in the middle of line 3"),
    ] {
        let validation = decided(&whole[..cut]);
        assert_eq!(validation.verdict(), Verdict::Incomplete);
        assert_eq!(validation.no_end, Some(NoEnd { line, within_line }));
        assert!(matches!(validation.outcome, Outcome::Behaviour));
        assert_eq!(names(&validation), ["behaviour", "interest", "end"]);
        let report = validation.report();
        let row = report.obligation("end").expect("it is listed");
        assert_eq!(row.verdict, Verdict::Incomplete);
        let note = row.note.as_deref().expect("it says why");
        assert_eq!(
            note,
            format!(
                "{place}: there is an order of the events up to there; nothing is said of what may be missing"
            )
        );
        let text = report.to_string();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let means = format!(
            "an order of its events up to line {line} is a behaviour: it has no end, so that more may be missing"
        );
        assert!(text.contains(&format!("incomplete, {means}")), "{text}");
    }
}

/// A load of a value that nobody is seen to have stored. It had ended before the last event began, and nothing missing can
/// have stored it; or it was under way, and a store that is missing may have come first.
#[test]
fn what_was_under_way_at_a_cut_is_not_refuted() {
    for (events, verdict) in [
        (
            vec![event(0, 0, 10, load(2)), event(1, 20, 30, store(1))],
            Verdict::Violated,
        ),
        (
            vec![event(1, 0, 10, store(1)), event(0, 20, 30, load(2))],
            Verdict::Incomplete,
        ),
        // One that ends when the last one begins is still under way: another may begin then.
        (
            vec![event(0, 0, 10, load(2)), event(1, 10, 30, store(1))],
            Verdict::Incomplete,
        ),
    ] {
        let is_at_stop = verdict == Verdict::Incomplete;
        let whole = written(&events);
        let refuted = decided(&whole);
        assert_eq!(refuted.verdict(), Verdict::Violated);
        let end = whole.rfind("{\"history\"").expect("it has an end");
        let validation = decided(&whole[..end]);
        assert_eq!(validation.verdict(), verdict);
        assert_eq!(validation.is_refused_at_stop, is_at_stop);
        let report = validation.report();
        assert_eq!(report.verdict, Some(verdict));
        assert_eq!(
            report.counterexample.is_some(),
            verdict == Verdict::Violated
        );
        // What comes after a refusal is not read.
        let note = report
            .obligation("end")
            .map(|row| row.note.clone().expect("it says why"));
        let means = "an event that is missing may have made it possible";
        assert_eq!(
            note.map(|note| note.contains(means)),
            is_at_stop.then_some(true)
        );
        let Outcome::Refuted(explanation) = &validation.outcome else {
            panic!("no order of what is there is found");
        };
        assert!(!explanation.prefixes.is_empty());
    }
}

/// A prefix of a history is never violated where the whole has an order: on random histories, cut after any line.
#[test]
fn a_cut_refutes_nothing_that_the_rest_makes_possible() {
    let (mut refuted, mut open) = (0, 0);
    for seed in 0..3000 {
        let mut random = Generator::numbered(seed, 11);
        let automaton = Automaton::new(&mut random);
        let events: Vec<Event<Of>> = automaton.history(&mut random, 6);
        let accepted = Oracle::new(&automaton, &events, None).accepts();
        let whole = written(&events);
        let ends = whole.match_indices('\n').map(|(at, _)| at + 1);
        for end in ends.take(events.len() + 1) {
            let history = History::open(&whole.as_bytes()[..end]).expect("there is a header");
            let validation = validate(&automaton, history.events(), &Settings::default());
            let validation = validation.expect("it is in order");
            assert_ne!(validation.verdict(), Verdict::Holds);
            let is_violated = validation.verdict() == Verdict::Violated;
            assert!(is_violated || validation.no_end.is_some());
            if is_violated {
                assert!(
                    !accepted,
                    "seed {seed}, cut at {end}: {events:?} {automaton:?}"
                );
                refuted += 1;
            }
            open += u32::from(accepted && validation.is_refused_at_stop);
        }
    }
    // Some are refused that the rest makes possible.
    assert!(refuted > 500 && open > 20, "{refuted} {open}");
}
