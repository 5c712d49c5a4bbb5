//! Counterexamples as people and other tools see them: text, diagrams and graphs.

use std::collections::{BTreeMap, VecDeque};

use refmap::explore::StatesKept;
use refmap::internal::{Colour, Detail, TextOptions};
use refmap::report::Counterexample;
use refmap::{AbstractSteps, Invariant, Report, Settings, State, TransitionSystem};
use refmap_testing::{Machine, Via, alike, checked, itself, mapped};
use serde::Serialize;
use serde_json::json;

/// Two bits for a counter to 4, and a carry that is forgotten: a bit a step.
fn adder() -> Via<(u8, u8, bool), u8> {
    let next = |&(high, low, carry): &(u8, u8, bool)| match (carry, low) {
        (true, _) => vec![(("carry", 0), (high ^ 1, low, false))],
        (false, 0) => vec![(("low", 0), (high, 1, false))],
        (false, _) => vec![(("low", 0), (high, 0, high == 0))],
    };
    let rules = [("low", "clock"), ("carry", "wire \"a\"; #1")];
    let implementation = Machine::new(&rules, [(0, 0, false)], next, |_| 0);
    let tick = |n: &u8| vec![(("tick", 0), (n + 1) % 4)];
    let specification = Machine::new(&[("tick", "clock")], [0], tick, |_| 0);
    mapped(
        implementation,
        specification,
        |&(high, low, carry)| 2 * (high ^ u8::from(carry)) + low,
        |_, action, _| (action.0 == "low").then_some(("tick", 0)).into(),
    )
}

fn report() -> (Report, Counterexample) {
    let mut refinement = adder();
    // The second carry is answered as if it were a tick.
    refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::One(("tick", 0)));
    let report = checked(&refinement, &Settings::default());
    let report = report.named("adder", [("bits", 2)]);
    let counterexample = report
        .counterexample
        .clone()
        .expect("something is violated");
    (report, counterexample)
}

fn columns(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

const GOLDEN_TEXT: &str = r##"simulation fails after 3 steps: wire "a"; #1 takes `carry` (a test), which is not the
  specification's `tick` as answered

   0  initially
       [0 0 false]
       abstract: 0
   1  clock: [low 0]  [a test]  answered by [tick 0]
       [1]: 0 → 1
       abstract: 0 → 1
   2  clock: [low 0]  [a test]  answered by [tick 0]
       [1]: 1 → 0  [2]: false → true
       abstract: 1 → 2

   3  wire "a"; #1: [carry 0]  [a test]  answered by [tick 0]
       implementation               specification
       * [0 0 true] → [1 0 false]     2

  the nearest abstract actions, and why each does not fit:
    [tick 0] (as answered): the state would be 3, and is 2
    a stutter: leads where the step leads, but is not what was answered
"##;

#[test]
fn text_shows_the_way_and_both_states_at_its_end() {
    let (_, counterexample) = report();
    assert_eq!(
        counterexample.to_string(),
        GOLDEN_TEXT,
        "\n{counterexample}"
    );
}

#[test]
fn text_is_as_wide_as_it_is_told() {
    let (report, _) = report();
    for width in [40, 60, 80, 120] {
        for detail in [Detail::Changes, Detail::WholeStates] {
            let options = TextOptions {
                width,
                detail,
                ..TextOptions::default()
            };
            let text = report.text(options).to_string();
            assert!(columns(&text) <= width, "{text}");
        }
    }
}

/// Colours change nothing but the colours.
#[test]
fn coloured_text_is_the_plain_text_with_escapes() {
    let (report, _) = report();
    let options = TextOptions {
        colour: Colour::Ansi,
        ..TextOptions::default()
    };
    let coloured = report.text(options).to_string();
    let mut plain = String::new();
    for (index, part) in coloured.split('\x1b').enumerate() {
        plain += match index {
            0 => part,
            _ => part.split_once('m').unwrap().1,
        };
    }
    assert!(coloured.contains("\x1b[1;31mviolated\x1b[0m"));
    assert_eq!(plain, report.to_string());
}

#[test]
fn whole_states_are_shown_when_asked_for() {
    let (_, counterexample) = report();
    let options = TextOptions {
        detail: Detail::WholeStates,
        ..TextOptions::default()
    };
    let text = counterexample.text(options).to_string();
    let states = counterexample.steps.len() - 1;
    assert!(text.matches("abstract: ").count() > states, "{text}");
    assert!(text.contains("\n       [0 0 true]\n"), "{text}");
}

/// A drawing is shown where it differs from the one before, and at the end.
#[test]
fn drawings_are_shown_where_they_change() {
    let (_, mut counterexample) = report();
    for (step, drawing) in counterexample
        .steps
        .iter_mut()
        .zip(["(a)", "(a)", "(b)", "(c)"])
    {
        step.drawing = Some(drawing.to_owned());
    }
    let text = counterexample.to_string();
    for drawing in ["(a)", "(b)", "(c)"] {
        assert_eq!(text.matches(drawing).count(), 1, "{text}");
    }
}

const GOLDEN_MERMAID: &str = r##"sequenceDiagram
    participant p0 as clock
    participant p1 as wire #34;a#34;#59; #35;1
    participant s as specification
    Note over p0,s: adder, initially
    p0->>s: 1 [low 0] ⇒ [tick 0]
    p0->>s: 2 [low 0] ⇒ [tick 0]
    p1-xs: 3 [carry 0] ⇒ [tick 0]
    Note over p1: [0]: 0 → 1<br/>[2]: true → false
    Note over p0,s: simulation fails: wire #34;a#34;#59; #35;1 takes `carry` (a test), which is not the specification's `tick` as answered
"##;

#[test]
fn a_sequence_diagram_has_one_arrow_a_step() {
    let (report, counterexample) = report();
    let diagram = counterexample.mermaid(&report);
    assert_eq!(diagram, GOLDEN_MERMAID, "\n{diagram}");
    let arrows = diagram
        .lines()
        .filter(|line| line.contains("->>") || line.contains("-xs"));
    assert_eq!(arrows.count(), counterexample.length);
    // A semicolon or a hash sign outside of an entity would end the line there.
    let entities = diagram.matches(';').count();
    assert_eq!(diagram.matches('#').count(), entities);
}

const GOLDEN_DOT: &str = r##"digraph counterexample {
    label="adder: simulation fails: wire \"a\"; #1 takes `carry` (a test), which is not the specification's `tick` as answered\l";
    labelloc=t;
    node [shape=box, fontname=monospace];
    s0 [label="0\l[0 0 false]\l"];
    s1 [label="1\l[1]: 0 → 1\l"];
    s2 [label="2\l[1]: 1 → 0\l[2]: false → true\l"];
    s3 [label="3\l[0]: 0 → 1\l[2]: true → false\l"];
    s0 -> s1 [label="clock: [low 0]\l⇒ [tick 0]\l"];
    s1 -> s2 [label="clock: [low 0]\l⇒ [tick 0]\l"];
    s2 -> s3 [label="wire \"a\"; #1: [carry 0]\l⇒ [tick 0]\l", color=red, fontcolor=red];
}
"##;

#[test]
fn a_graph_has_one_edge_a_step_the_last_one_red() {
    let (report, mut counterexample) = report();
    let graph = counterexample.dot(&report);
    assert_eq!(graph, GOLDEN_DOT, "\n{graph}");
    counterexample.explanation = "a \"quote\" and a \\ in \n two lines".to_owned();
    let graph = counterexample.dot(&report);
    let edges: Vec<_> = graph
        .lines()
        .filter(|line| line.contains(" -> s"))
        .collect();
    assert_eq!(edges.len(), counterexample.length);
    assert!(
        edges
            .iter()
            .rev()
            .skip(1)
            .all(|edge| !edge.contains("color=red"))
    );
    assert!(edges.last().unwrap().contains("color=red"));
    for line in graph.lines() {
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        assert!(bare.matches('"').count() % 2 == 0, "{line}");
    }
}

/// A counterexample without steps has a rendering too.
#[test]
fn no_steps_are_no_reason_to_panic() {
    let (report, mut counterexample) = report();
    counterexample.steps.clear();
    counterexample.length = 0;
    assert!(counterexample.dot(&report).ends_with("}\n"));
    assert!(counterexample.mermaid(&report).contains("fails"));
    assert!(counterexample.to_string().contains(" fails: "));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Channel {
    #[state(range = 0..2)]
    from: u8,
    #[state(range = 0..2)]
    to: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Content {
    Ack,
    Data(#[state(range = 0..8)] i8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Link {
    sent: bool,
    #[state(max_len = 3, range = 0..8)]
    queue: VecDeque<u8>,
}

/// Maps whose keys are records and variants with fields, one within the other, and a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Network {
    links: BTreeMap<Channel, Link>,
    copies: BTreeMap<Content, bool>,
    #[state(max_len = 3, range = 0..8)]
    backlog: VecDeque<u8>,
}

const CHANNEL: Channel = Channel { from: 0, to: 1 };

/// A step changes a field within what a map has at a key, one brings a key and one takes one, and with the last the queue moves
/// on.
fn network() -> Machine<Network> {
    let link = Link {
        sent: false,
        queue: VecDeque::from([1]),
    };
    let back = Channel { from: 1, to: 0 };
    let initial = Network {
        links: BTreeMap::from([(CHANNEL, link.clone()), (back, link)]),
        copies: BTreeMap::from([(Content::Ack, true)]),
        backlog: VecDeque::from([3, 4, 5]),
    };
    let next = |from: &Network| {
        let mut to = from.clone();
        let link = to.links.get_mut(&CHANNEL).expect("it is always there");
        match (link.sent, from.copies.len()) {
            (false, _) => {
                link.sent = true;
                link.queue.push_back(2);
            }
            (true, 1) => assert!(to.copies.insert(Content::Data(3), false).is_none()),
            (true, _) if to.copies.contains_key(&Content::Ack) => {
                assert_eq!(to.copies.remove(&Content::Ack), Some(true));
                to.copies.insert(Content::Data(3), true);
                to.copies.insert(Content::Data(4), true);
                assert_eq!(to.backlog.pop_front(), Some(3));
                to.backlog.push_back(7);
            }
            (true, _) => {}
        }
        vec![(("go", 0), to)]
    };
    Machine::new(&[("go", "network")], [initial], next, |_| 0)
}

/// A state with such maps is shown by its fields, and by what differs within them; it is packed like any other.
#[test]
fn maps_with_keys_of_any_type_are_shown_by_their_fields() {
    let mut refinement = itself(network());
    refinement.invariants = vec![Invariant::new("backlog", "a test", |state: &Network| {
        state.backlog.front() == Some(&3)
    })];
    let report = checked(&refinement, &Settings::default());
    let kept = report.states_kept;
    assert!(matches!(kept, Some(StatesKept::Packed { .. })), "{kept:?}");
    let shown = report.counterexample.as_ref().expect("it is violated");
    assert_eq!((shown.length, &*shown.obligation), (3, "invariant:backlog"));
    let links = |sent: bool, queue: &[u8]| {
        json!({"#map": [
            [{"from": 0, "to": 1}, {"sent": sent, "queue": queue}],
            [{"from": 1, "to": 0}, {"sent": false, "queue": [1]}],
        ]})
    };
    let states: Vec<_> = shown.steps.iter().map(|step| step.state.clone()).collect();
    let data = |value: bool| json!([{"Data": 3}, value]);
    assert_eq!(
        states,
        [
            json!({"links": links(false, &[1]), "copies": {"Ack": true}, "backlog": [3, 4, 5]}),
            json!({"links": links(true, &[1, 2]), "copies": {"Ack": true}, "backlog": [3, 4, 5]}),
            json!({"links": links(true, &[1, 2]), "copies": {"#map": [["Ack", true], data(false)]}, "backlog": [3, 4, 5]}),
            json!({
                "links": links(true, &[1, 2]),
                "copies": {"#map": [data(true), [{"Data": 4}, true]]},
                "backlog": [4, 5, 7],
            }),
        ]
    );
    let text = shown.to_string();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "initially links {{from=0, to=1}={sent=false, queue=[1]}, {from=1, to=0}={sent=false, queue=[1]}} copies Ack(true)",
        "links[{from=0, to=1}].sent: false → true links[{from=0, to=1}].queue + 2 ",
        " copies + Data(3)=false ",
        "* backlog [3 4 5] → [4 5 7]",
    ] {
        assert!(words.contains(told), "{told}\n{words}");
    }
    // The one and only way to tell of differences.
    let differences = [
        "copies[Data(3)]: false → true",
        "copies − Ack=true + Data(4)=true",
        "backlog: front 3 leaves, 7 joins the back",
    ];
    let last = &shown.steps[2..];
    let told: Vec<_> = refmap::internal::changes(&last[0].state, &last[1].state)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(told, differences);
    for rendering in [shown.mermaid(&report), shown.dot(&report)] {
        assert!(
            rendering.contains("front 3 leaves, 7 joins the back"),
            "{rendering}"
        );
        assert!(!rendering.contains("#map"), "{rendering}");
    }
    // What is read back is the same report.
    let json = serde_json::to_string(&report).expect("a report has JSON");
    assert_eq!(
        serde_json::from_str::<Report>(&json).expect("it is one"),
        report
    );
}

/// A counter to 4 with one action, which goes on by so many.
struct Counter(u8);

impl TransitionSystem for Counter {
    type State = u8;
    type Action = ();
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, (): &(), counter: &mut u8) -> Option<()> {
        *counter = (*counter + self.0) % 4;
        Some(())
    }

    fn observe(&self, _: &u8) {}
}

/// In a report null is no action: the one that serialises to it has the name of its rule.
#[test]
fn an_action_that_serialises_to_null_has_the_name_of_its_rule() {
    let report = checked(&alike(Counter(1), Counter(2)), &Settings::default());
    let counterexample = report.counterexample.expect("the counters differ");
    let step = &counterexample.steps[1];
    let actions = [&step.action, &step.abstract_action];
    assert_eq!(actions, [&Some(json!("step")); 2]);
    let shown = counterexample.to_string().replace("\n ", "");
    for told in [
        "takes `step`, which is not the specification's `step` as answered",
        "system: step  answered by step",
        "step (as answered): the state would be 2, and is 1",
    ] {
        assert!(shown.contains(told), "{shown}");
    }
}
