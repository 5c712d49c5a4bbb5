//! Traces of states in the Informal Trace Format.

use std::collections::{BTreeMap, BTreeSet};

use refmap::validate::{Outcome, Settings, TraceError, Validation, validate_trace};
use refmap::{Rule, RuleId, TransitionSystem, Verdict};
use serde::Serialize;
use serde_json::{Value, json};

/// Numbers are moved from a set to a map, one by one.
struct Moving;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Places {
    left: BTreeSet<u8>,
    moved: BTreeMap<String, (u8, bool)>,
    latest: Option<u8>,
    mood: Mood,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
enum Mood {
    Fresh,
    Tired { after: u8 },
}

static RULES: [Rule; 1] = [Rule::new("move", "mover", "test")];

impl TransitionSystem for Moving {
    type State = Places;
    type Action = u8;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        &RULES
    }

    fn rule_of(&self, _: &u8) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(Places)) {
        visit(Places {
            left: BTreeSet::from([9, 10, 11]),
            moved: BTreeMap::new(),
            latest: None,
            mood: Mood::Fresh,
        });
    }

    fn next(&self, from: &Places, visit: &mut impl FnMut(u8, Places)) {
        for number in &from.left {
            let mut to = from.clone();
            to.left.remove(number);
            to.moved.insert(number.to_string(), (*number, true));
            to.latest = Some(*number);
            to.mood = Mood::Tired { after: *number };
            visit(*number, to);
        }
    }

    fn observe(&self, _: &Places) {}
}

fn big(number: u8) -> Value {
    json!({"#bigint": number.to_string()})
}

/// All the ways in which ITF writes values.
fn states() -> Vec<Value> {
    let none = json!({"tag": "None", "value": {"#tup": []}});
    let fresh = json!({"tag": "Fresh", "value": {"#tup": []}});
    let tired = |after| json!({"tag": "Tired", "value": {"after": big(after)}});
    let moved = |number: u8| json!([number.to_string(), {"#tup": [big(number), true]}]);
    vec![
        json!({
            "#meta": {"index": 0}, "action": none, "mood": fresh, "latest": none,
            "left": {"#set": [10, 9, 11]}, "moved": {"#map": []},
        }),
        json!({
            "left": {"#set": [big(11), big(9)]}, "moved": {"#map": [moved(10)]},
            "latest": {"tag": "Some", "value": big(10)}, "mood": tired(10),
        }),
        json!({
            "left": [9], "latest": 11, "mood": tired(11),
            "moved": {"11": [11, true], "10": [10, true]},
        }),
    ]
}

fn run(states: Vec<Value>) -> Result<Validation, TraceError> {
    let trace = json!({"#meta": {"format": "ITF"}, "vars": ["left"], "states": states});
    validate_trace(&Moving, &trace, &Settings::default())
}

#[test]
fn a_trace_is_validated_state_by_state() {
    let validation = run(states()).unwrap();
    assert_eq!(validation.verdict(), Verdict::Holds);
    assert_eq!((validation.events, validation.coverage[0].fired), (3, 2));
}

/// Each value matters: with another one the trace is refused where it stands.
#[test]
fn every_value_is_compared() {
    let mut wrong = 0;
    for (state, field, value) in [
        (0, "left", json!({"#set": [10, 9]})),
        (0, "latest", json!(9)),
        (1, "left", json!({"#set": [9, 10]})),
        (1, "moved", json!({"#map": []})),
        (
            1,
            "moved",
            json!({"#map": [["10", {"#tup": [big(10), false]}]]}),
        ),
        (1, "latest", json!({"tag": "None", "value": {"#tup": []}})),
        (1, "latest", json!({"tag": "Some", "value": big(9)})),
        (1, "mood", json!({"tag": "Fresh", "value": {"#tup": []}})),
        (
            1,
            "mood",
            json!({"tag": "Tired", "value": {"after": big(9)}}),
        ),
        (2, "moved", json!({"11": [11, true]})),
        (2, "latest", json!(10)),
    ] {
        let mut states = states();
        states[state][field] = value;
        let validation = run(states).unwrap();
        let Outcome::Refuted(explanation) = &validation.outcome else {
            panic!("state {state}, {field}");
        };
        let event = explanation.event.as_ref().expect("a state is refused");
        assert_eq!((event.place, event.line), (state as u64, None));
        let reason = &explanation.prefixes[0].next[0].reason;
        assert!(reason.contains(field), "{reason}");
        wrong += 1;
    }
    assert_eq!(wrong, 11);
}

/// What a trace does not show may be anything that makes it a behaviour.
#[test]
fn a_trace_may_show_some_of_the_variables() {
    let latest = |number| json!({"latest": number});
    let first = json!({"left": [9, 10, 11]});
    let numbers = |numbers: &[u8]| {
        let rest = numbers.iter().map(|number| latest(*number));
        std::iter::once(first.clone()).chain(rest).collect()
    };
    let verdict = |states| run(states).unwrap().verdict();
    assert_eq!(verdict(numbers(&[9, 9, 11])), Verdict::Holds);
    assert_eq!(verdict(numbers(&[9, 10, 9])), Verdict::Violated);
    assert_eq!(verdict(Vec::new()), Verdict::Incomplete);
}

#[test]
fn what_is_no_trace_of_the_specification_is_refused() {
    let none = validate_trace(&Moving, &json!([]), &Settings::default());
    assert_eq!(none.unwrap_err(), TraceError::NoStates);
    let error = |state| run(vec![states()[0].clone(), state]).unwrap_err();
    assert_eq!(error(json!(3)), TraceError::NoState { state: 1 });
    let nothing = error(json!({"#meta": {}, "action": "x"}));
    assert_eq!(nothing, TraceError::NoVariable { state: 1 });
    let message = error(json!({"left": [9], "right": []})).to_string();
    assert!(
        message.contains("state 1 has a variable \"right\""),
        "{message}"
    );
    assert!(
        message.ends_with("there are: left, moved, latest, mood"),
        "{message}"
    );
}
