//! States that are hard to represent for other tools.

use refmap::{Invariant, Settings, check};

use crate::{Machine, itself};

/// A state with every form of serialization, and unusual names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Sundry {
    none: Option<u8>,
    unit: (),
    nothing: [u8; 0],
    text: &'static str,
    large: u64,
    pair: (u8, Option<bool>),
    kinds: Vec<Kind>,
    numbered: std::collections::BTreeMap<u8, Option<u8>>,
    routes: std::collections::BTreeMap<(u8, Option<bool>), Kind>,
    huge: i128,
    tag: Tagged,
    r#from: Keyword,
    empty: std::collections::BTreeMap<String, u8>,
}

impl<S: ?Sized> refmap::State<S> for Sundry {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Kind {
    None,
    Busy { r#for: u8 },
    Done(u8, u8),
}

/// A record that has the form of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Tagged {
    tag: &'static str,
    value: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Keyword {
    class: u8,
    _hidden: u8,
    #[serde(rename = "#tup")]
    tuple: u8,
    #[serde(rename = "zwei Wörter")]
    words: u8,
}

pub fn sundry(large: u64) -> Sundry {
    Sundry {
        none: None,
        unit: (),
        nothing: [],
        text: "\u{1b}",
        large,
        pair: (3, None),
        kinds: vec![Kind::None, Kind::Busy { r#for: 1 }, Kind::Done(1, 2)],
        numbered: [(1, None), (2, Some(3))].into(),
        routes: [((1, None), Kind::None), ((1, Some(true)), Kind::Done(3, 4))].into(),
        huge: i128::MIN,
        tag: Tagged { tag: "a", value: 1 },
        r#from: Keyword {
            class: 1,
            _hidden: 2,
            tuple: 3,
            words: 4,
        },
        empty: std::collections::BTreeMap::new(),
    }
}

/// A counterexample of one step between such states, as ITF.
pub fn sundry_trace() -> (Machine<Sundry>, serde_json::Value) {
    let next = |from: &Sundry| vec![(("grow", 0), sundry(from.large.saturating_add(u64::MAX / 2)))];
    let machine = Machine::new(&[("grow", "it")], [sundry(0)], next, |_| 0);
    let mut refinement = itself(machine.clone());
    refinement.invariants = vec![Invariant::new("small", "a test", |state: &Sundry| {
        state.large < u64::MAX / 2
    })];
    let report = check(&refinement, &Settings::default()).expect("the settings fit");
    let counterexample = report.counterexample.as_ref().expect("it is violated");
    let trace = counterexample.itf(&report);
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(2));
    (machine, trace)
}
