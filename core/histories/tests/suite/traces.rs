//! Tests of traces in the Informal Trace Format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hash::Hash;

use refmap::random::Generator;
use refmap::{TransitionSystem, Verdict, check, obligation};
use refmap_histories::{Outcome, Settings, TraceError, Validation, validate_trace};
use refmap_testing::{mapped, sundry_trace};
use serde::Serialize;
use serde_json::{Value, json};

/// A specification that moves numbers from a set to a map, one per step.
struct Moving;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Places {
    left: BTreeSet<u8>,
    moved: BTreeMap<String, (u8, bool)>,
    latest: Option<u8>,
    mood: Mood,
}

impl<S: ?Sized> refmap::State<S> for Places {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
enum Mood {
    Fresh,
    Tired { after: u8 },
}

impl TransitionSystem for Moving {
    type State = Places;
    type Action = u8;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Places)) {
        visit(Places {
            left: BTreeSet::from([9, 10, 11]),
            moved: BTreeMap::new(),
            latest: None,
            mood: Mood::Fresh,
        });
    }

    fn fire(&self, number: &u8, places: &mut Places) -> Option<()> {
        places.left.remove(number).then_some(())?;
        places.moved.insert(number.to_string(), (*number, true));
        places.latest = Some(*number);
        places.mood = Mood::Tired { after: *number };
        Some(())
    }

    fn candidates(&self, from: &Places, visit: &mut impl FnMut(u8)) {
        from.left.iter().copied().for_each(visit);
    }

    fn observe(&self, _: &Places) {}
}

fn big(number: u8) -> Value {
    json!({"#bigint": number.to_string()})
}

/// States with every form in which ITF writes values.
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

/// Every value is compared: a changed one refutes the trace at its state.
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

/// A variable that the trace omits may have any value.
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

/// A specification with a single state of any type.
struct Still<T>(T);

impl<T> TransitionSystem for Still<T>
where
    T: refmap::State<Self>,
{
    type State = T;
    type Action = u8;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(T)) {
        visit(self.0.clone());
    }

    fn fire(&self, _: &u8, _: &mut T) -> Option<()> {
        None
    }

    fn candidates(&self, _: &T, _: &mut impl FnMut(u8)) {}

    fn observe(&self, _: &T) {}
}

/// Whether `shown` equals `own`, as a variable.
fn is_same<T>(own: T, shown: Value) -> bool
where
    T: refmap::State<Still<BTreeMap<String, T>>>,
{
    let own = Still(BTreeMap::from([("it".to_owned(), own)]));
    let trace = json!({"states": [{"it": shown}]});
    let validation = validate_trace(&own, &trace, &Settings::default()).expect("it is a trace");
    validation.verdict() == Verdict::Holds
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
enum Kind {
    Idle,
    None,
    Busy(u8),
}

impl<S: ?Sized> refmap::State<S> for Kind {}

/// A record that has the form of a variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct Labelled {
    tag: String,
    value: Option<u8>,
}

impl<S: ?Sized> refmap::State<S> for Labelled {}

fn variant(tag: &str, value: Value) -> Value {
    json!({"tag": tag, "value": value})
}

fn unit() -> Value {
    json!({"#tup": []})
}

#[test]
fn an_option_of_anything_is_a_variant() {
    let some = |value| variant("Some", value);
    let labelled = || Labelled {
        tag: "a".to_owned(),
        value: Some(1),
    };
    let shown = json!({"tag": "a", "value": big(1)});
    assert!(is_same(Some(labelled()), some(shown.clone())));
    assert!(is_same(Some(labelled()), some(variant("a", some(big(1))))));
    assert!(!is_same(Some(labelled()), variant("a", big(2))));
    assert!(!is_same(Some(labelled()), variant("Any", shown)));
    assert!(is_same(Some("text"), some(json!("text"))));
    assert!(!is_same(Some("text"), some(json!("other"))));
    assert!(is_same(Some(Kind::Idle), some(variant("Idle", unit()))));
    assert!(!is_same(Some(Kind::Idle), some(variant("None", unit()))));
    assert!(is_same(Some(Kind::Busy(3)), some(variant("Busy", big(3)))));
    assert!(!is_same(Some(Kind::Busy(3)), some(variant("Busy", big(4)))));
    assert!(is_same(Some(true), some(json!(true))));
    assert!(!is_same(Some(true), variant("Other", json!(true))));
    let none: Option<Labelled> = None;
    assert!(!is_same(none, some(variant("a", big(1)))));
}

/// The value of a constant variant is the empty tuple, or Apalache's constant.
#[test]
fn a_variant_without_a_value_has_none() {
    for (value, expected) in [
        (unit(), true),
        (json!("U_OF_UNIT"), true),
        (big(5), false),
        (json!("other"), false),
        (json!({"#tup": [1]}), false),
    ] {
        assert_eq!(
            is_same(Kind::Idle, variant("Idle", value.clone())),
            expected
        );
        let none: Option<u8> = None;
        assert_eq!(is_same(none, variant("None", value)), expected);
    }
    assert!(!is_same(Kind::Idle, variant("Busy", unit())));
}

#[test]
fn each_item_of_a_set_and_each_key_of_a_map_is_another() {
    let set = |items: &[u8]| json!({"#set": items});
    let numbers = BTreeSet::from([9, 10]);
    assert!(is_same(numbers.clone(), set(&[10, 9])));
    assert!(!is_same(numbers.clone(), set(&[9, 9])));
    assert!(!is_same(numbers, set(&[9, 10, 10])));
    // The first shown item matches both, and the second only the first: a greedy matching would fail.
    let kinds = BTreeSet::from([None, Some(Kind::None), Some(Kind::Idle)]);
    let [none, some] = ["None", "Idle"].map(|tag| variant(tag, unit()));
    let shown = |items: [&Value; 3]| json!({"#set": items});
    let full = variant("Some", none.clone());
    assert!(is_same(kinds.clone(), shown([&none, &full, &some])));
    assert!(is_same(kinds.clone(), shown([&some, &full, &none])));
    assert!(!is_same(kinds.clone(), shown([&some, &full, &some])));
    assert!(!is_same(kinds, shown([&some, &some, &none])));
    // The second shown item equals only what the first may be, too.
    let kinds = BTreeSet::from([None, Some(Kind::None)]);
    for items in [
        [none.clone(), json!("U_OF_UNIT")],
        [json!("U_OF_UNIT"), none],
    ] {
        assert!(is_same(kinds.clone(), json!({"#set": items})));
    }
    let map = BTreeMap::from([("10", 1), ("11", 1)]);
    let pairs = |keys: [Value; 2]| json!({"#map": keys.map(|key| json!([key, 1]))});
    assert!(is_same(map.clone(), pairs([big(11), json!("10")])));
    assert!(!is_same(map.clone(), pairs([json!("10"), json!("10")])));
    assert!(!is_same(map, pairs([json!("10"), json!("12")])));
}

/// A value that is written as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Written(Value);

impl<S: ?Sized> refmap::State<S> for Written {}

/// Sets are equal if the items are in some order, though each may equal several.
#[test]
fn a_set_is_another_in_some_order() {
    fn is_in_some_order(equal: &[Vec<bool>], left: &mut Vec<usize>) -> bool {
        let Some((first, rest)) = equal.split_first() else {
            return left.is_empty();
        };
        (0..left.len()).any(|at| {
            let own = left.remove(at);
            let is_right = first[own] && is_in_some_order(rest, left);
            left.insert(at, own);
            is_right
        })
    }
    let none = variant("None", unit());
    let shown = [
        none.clone(),
        variant("Some", none.clone()),
        json!("U_OF_UNIT"),
        json!("None"),
        unit(),
        variant("Some", unit()),
        variant("None", json!("U_OF_UNIT")),
        variant("Some", json!("None")),
    ];
    let own = [
        json!(null),
        json!("None"),
        json!({"None": null}),
        json!({"None": []}),
        json!([]),
        json!({"Some": []}),
        json!("U_OF_UNIT"),
    ];
    let table = own.each_ref().map(|own| {
        shown
            .each_ref()
            .map(|shown| is_same(Written(own.clone()), shown.clone()))
    });
    let mut found = [0, 0];
    for seed in 0..4000 {
        let mut random = Generator::new(seed);
        let number = 2 + random.below(4);
        let mut any = |of: usize| (0..number).map(|_| random.below(of)).collect::<Vec<_>>();
        let (items, places) = (any(shown.len()), any(own.len()));
        let equal: Vec<Vec<bool>> = items
            .iter()
            .map(|item| places.iter().map(|place| table[*place][*item]).collect())
            .collect();
        let expected = is_in_some_order(&equal, &mut (0..number).collect());
        let set: Vec<_> = items.iter().map(|item| shown[*item].clone()).collect();
        let owned: Vec<_> = places.iter().map(|place| own[*place].clone()).collect();
        let case = format!("{set:?} {owned:?}");
        assert_eq!(
            is_same(Written(owned.into()), json!({"#set": set})),
            expected,
            "{case}"
        );
        found[usize::from(expected)] += 1;
    }
    assert!(found.iter().all(|found| *found > 200), "{found:?}");
}

/// A state with one field per form of serialization.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Everything {
    action: u8,
    label: Labelled,
    nested: Option<Option<Labelled>>,
    kinds: Vec<Kind>,
    places: BTreeMap<String, Option<(u8, Kind)>>,
    numbers: BTreeSet<i64>,
    nothing: (),
}

impl<S: ?Sized> refmap::State<S> for Everything {}

/// A specification that changes each field to another value, and back.
struct Changing;

impl TransitionSystem for Changing {
    type State = Everything;
    type Action = u8;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Everything)) {
        visit(Everything {
            action: 0,
            label: Labelled {
                tag: "Some".to_owned(),
                value: None,
            },
            nested: None,
            kinds: vec![Kind::Idle],
            places: BTreeMap::new(),
            numbers: BTreeSet::new(),
            nothing: (),
        });
    }

    fn fire(&self, action: &u8, to: &mut Everything) -> Option<()> {
        (*action == to.action).then_some(())?;
        match action {
            0 => to.label.value = Some(1),
            1 => to.nested = Some(Some(to.label.clone())),
            2 => to.kinds.extend([Kind::Busy(2), Kind::None]),
            3 => drop(to.places.insert("a".to_owned(), None)),
            4 => drop(to.places.insert("a".to_owned(), Some((1, Kind::None)))),
            5 => drop(to.numbers.insert(i64::MIN)),
            _ => return None,
        }
        to.action += 1;
        Some(())
    }

    fn candidates(&self, from: &Everything, visit: &mut impl FnMut(u8)) {
        visit(from.action);
    }

    fn observe(&self, _: &Everything) {}
}

/// The traces that a check writes are behaviours of the specification, and are not if one value is changed.
#[test]
fn the_traces_that_checks_write_are_read_back() {
    // The last step alone is answered by none.
    let changing = mapped(Changing, Changing, Clone::clone, |_, action, _| {
        (*action < 5).then_some(*action).into()
    });
    let report = check(&changing, &obligation::Settings::default()).unwrap();
    let trace = report.counterexample.as_ref().unwrap().itf(&report);
    let verdict = |trace: &Value| {
        let validation = validate_trace(&Changing, trace, &Settings::default());
        validation.unwrap().verdict()
    };
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(7));
    assert_eq!(verdict(&trace), Verdict::Holds);
    for (field, state) in [
        ("label", 1),
        ("nested", 2),
        ("kinds", 3),
        ("places", 4),
        ("places", 5),
        ("numbers", 6),
        ("action_", 6),
    ] {
        let mut trace = trace.clone();
        trace["states"][state][field] = trace["states"][state - 1][field].clone();
        assert_eq!(
            verdict(&trace),
            Verdict::Violated,
            "{field} of state {state}"
        );
    }
}

/// The validator accepts the trace files that a check writes.
#[test]
fn what_is_written_is_a_behaviour() {
    let (machine, mut trace) = sundry_trace();
    let settings = Settings::default();
    let verdict = |trace: &Value| {
        let validation = validate_trace(&machine, trace, &settings);
        validation.unwrap().verdict()
    };
    assert_eq!(verdict(&trace), Verdict::Holds);
    // The earlier form of the trace files is accepted too.
    trace["states"][0]["none"] = json!({"tag": "None", "value": {"#tup": []}});
    assert_eq!(verdict(&trace), Verdict::Holds);
    for (variable, other) in [
        ("none", json!("None")),
        ("unit", json!("unit")),
        ("tag", json!({"#map": [["tag", "b"], ["value", 1]]})),
        ("routes", json!({"#map": []})),
        ("huge", json!({"#bigint": "3"})),
    ] {
        let mut spoilt = trace.clone();
        spoilt["states"][0][variable] = other;
        assert_eq!(verdict(&spoilt), Verdict::Violated, "{variable}");
    }
}
