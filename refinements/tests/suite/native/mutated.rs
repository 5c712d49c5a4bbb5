//! Histories with arbitrary changes: each has a verdict, or an error with its line, and nothing panics.

use std::fmt::Debug;

use refmap::random::Generator;
use refmap::{TransitionSystem, steps};
use refmap_histories::{
    Event as Recorded, Header, History, Observed, Problem, Settings, Writer, validate,
};
use refmap_refinements::native::{ObservedHeap, ObservedMemory, ObservedModel};
use refmap_systems::native::ben_ari;
use refmap_systems::native::free_list::{Action, FreeList};
use refmap_systems::native::model::Model;
use refmap_systems::native::on_the_fly::Shape;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::projected;

/// Greatest number of events.
const LENGTH: usize = 60;
/// Changed histories of each kind.
const SEEDS: u64 = 300;

/// The lines of a history, as JSON.
fn lines<E: Serialize>(events: &[Recorded<E>]) -> Vec<Value> {
    let mut writer = Writer::new(Vec::new(), &Header::default()).expect("there is memory");
    for event in events.iter().take(LENGTH) {
        writer.write(event).expect("there is memory");
    }
    let text = writer.finish().expect("there is memory");
    let lines = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let lines = lines.map(serde_json::from_slice);
    lines.collect::<Result<_, _>>().expect("each line is JSON")
}

/// Shape of the heap of [`projected`].
const SHAPE: Shape = Shape {
    objects: projected::OBJECTS as u32,
    fields: 1,
};

fn model() -> Model {
    let model = Model::new(projected::MUTATORS, projected::OBJECTS, 1);
    model.expect("the model has such an instance")
}

// Real threads would record other events under load, so that what becomes of the changed histories depended on the scheduler.
/// The begin of a random execution of the model, as the collector would record it.
fn of_the_collector() -> Vec<Value> {
    lines(&projected::run(&model(), 1, 2_000))
}

const BOUNDS: ben_ari::Bounds = ben_ari::Bounds {
    nodes: 5,
    sons: 2,
    roots: 2,
};

/// A random execution of the specification, as Ben-Ari's collector and its mutator would record it.
fn of_ben_ari() -> Vec<Value> {
    let mut random = Generator::new(1);
    let specification = FreeList { bounds: BOUNDS };
    let mut state = None;
    specification.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is one");
    let mut places = [0; 2];
    let mut history = Vec::new();
    for time in 0..LENGTH as u64 {
        // Appends are few among the steps, and are taken wherever there is one at every other time.
        let mut offered = steps(&specification, &state);
        let is_append = |action: &Action| matches!(action, Action::Append { .. });
        if time % 2 == 0 && offered.iter().any(|(action, _)| is_append(action)) {
            offered.retain(|(action, _)| is_append(action));
        }
        let (action, to) = offered.swap_remove(random.below(offered.len()));
        let (thread, event) = match action {
            Action::Mutate { node, son, to } => (0, ben_ari::Event::Redirect { node, son, to }),
            Action::Append { node } => (1, ben_ari::Event::Append { node }),
        };
        history.push(Recorded {
            thread,
            place: places[thread as usize],
            begin: 10 * time,
            end: Some(10 * time + 5),
            event: Some(event),
        });
        places[thread as usize] += 1;
        state = to;
    }
    lines(&history)
}

/// Values without others in them.
fn leaves<'a>(value: &'a mut Value, all: &mut Vec<&'a mut Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| leaves(item, all)),
        Value::Object(fields) => fields.values_mut().for_each(|field| leaves(field, all)),
        leaf => all.push(leaf),
    }
}

fn objects<'a>(value: &'a mut Value, all: &mut Vec<&'a mut Map<String, Value>>) {
    // An object and those in it cannot be borrowed at once: the innermost of a line are enough.
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| objects(item, all)),
        Value::Object(fields) => {
            if fields.values().any(Value::is_object) {
                let inner = fields.values_mut();
                inner.for_each(|field| objects(field, all));
            } else {
                all.push(fields);
            }
        }
        _ => (),
    }
}

fn another(random: &mut Generator) -> Value {
    const WIDE: u64 = 1 << 32;
    let any = [
        json!(null),
        json!(true),
        json!("2"),
        json!(-1),
        json!(1.5),
        json!([]),
        json!({}),
    ];
    let numbers = [
        0,
        1,
        2,
        3,
        4,
        7,
        63,
        64,
        255,
        256,
        65_535,
        65_536,
        WIDE - 1,
        WIDE,
        u64::MAX,
    ];
    match random.below(3) {
        0 => any[random.below(any.len())].clone(),
        _ => numbers[random.below(numbers.len())].into(),
    }
}

fn change(lines: &mut Vec<Value>, random: &mut Generator) {
    let at = random.below(lines.len());
    match random.below(10) {
        0..4 => {
            let mut all = Vec::new();
            leaves(&mut lines[at], &mut all);
            let number = all.len();
            if number > 0 {
                *all[random.below(number)] = another(random);
            }
        }
        4 => {
            let mut all = Vec::new();
            objects(&mut lines[at], &mut all);
            let number = all.len();
            if number > 0 {
                let fields = &mut all[random.below(number)];
                let name = fields
                    .keys()
                    .nth(random.below(fields.len().max(1)))
                    .cloned();
                let value = name.and_then(|name| fields.remove(&name));
                if random.below(2) == 0 {
                    fields.insert("other".to_owned(), value.unwrap_or_default());
                }
            }
        }
        5 => lines.insert(at, lines[at].clone()),
        6 => drop(lines.remove(at)),
        // Something is named that there is not.
        7 | 8 if at > 0 => {
            let mut all = Vec::new();
            leaves(&mut lines[at], &mut all);
            all.retain(|leaf| leaf.is_u64());
            let number = all.len();
            if number > 0 {
                *all[random.below(number)] = 200.into();
            }
        }
        _ => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
    }
}

/// Numbers of changed histories by what became of them.
#[derive(Debug, Default)]
struct Fates {
    decided: u32,
    headers: u32,
    lines: u32,
    /// Those that name something that there is not.
    named: u32,
}

fn run<O: Observed>(observed: &O, lines: Vec<Value>, fates: &mut Fates, case: &dyn Debug) {
    let mut text: Vec<u8> = Vec::new();
    for line in &lines {
        serde_json::to_writer(&mut text, line).expect("there is memory");
        text.push(b'\n');
    }
    let settings = Settings {
        configurations: 200,
        ..Settings::default()
    };
    let history = match History::open(text.as_slice()) {
        Ok(history) => history,
        Err(error) => {
            assert_eq!(error.line, 1, "{case:?}: {error}");
            fates.headers += 1;
            return;
        }
    };
    match validate(observed, history.events(), &settings) {
        Ok(validation) => {
            assert_eq!(validation.panicked, None, "{case:?}");
            let _ = validation.report().to_string();
            fates.decided += 1;
        }
        Err(error) => {
            assert!(
                (2..=lines.len() as u64).contains(&error.line),
                "{case:?}: {error}"
            );
            fates.lines += 1;
            fates.named += u32::from(matches!(error.problem, Problem::NoSuch(_)));
        }
    }
}

fn mutated<O: Observed>(sound: &[Value], observed: &O) {
    let mut fates = Fates::default();
    for seed in 0..SEEDS {
        let mut random = Generator::new(seed);
        let mut lines = sound.to_vec();
        for _ in 0..=random.below(2) {
            change(&mut lines, &mut random);
        }
        run(observed, lines, &mut fates, &seed);
    }
    assert!(fates.decided > 3 && fates.headers > 0, "{fates:?}");
    assert!(fates.lines > 40 && fates.named > 1, "{fates:?}");
    let mut fates = Fates::default();
    run(observed, sound.to_vec(), &mut fates, &"sound");
    assert_eq!(fates.decided, 1, "{fates:?}");
}

#[test]
fn a_collector_s_history_may_be_changed() {
    let sound = of_the_collector();
    let heap = ObservedHeap::new(SHAPE).expect("the heap can be");
    mutated(&sound, &heap);
    mutated(&sound, &ObservedModel::new(model()));
}

#[test]
fn ben_ari_s_history_may_be_changed() {
    let memory = ObservedMemory::new(BOUNDS).expect("the memory can be");
    mutated(&of_ben_ari(), &memory);
}

/// A field, a slot, a node and a son that the instance does not have are refused with their line, in whatever event
/// they are, and are no violation.
#[test]
fn what_the_instance_does_not_have_is_refused() {
    let shape = Shape {
        objects: 4,
        fields: 1,
    };
    let heap = ObservedHeap::new(shape).expect("the heap can be");
    let model = Model::new(3, 4, 1).expect("the model has such an instance");
    let model = ObservedModel::new(model);
    let memory = ObservedMemory::new(BOUNDS).expect("the memory can be");
    let refusal = |event: &str, validator: &str| -> String {
        let event: Value = serde_json::from_str(event).expect(event);
        let lines = [
            json!({"history": "refmap", "version": 1}),
            json!({"thread": 0, "place": 0, "begin": 0, "end": 1, "event": event}),
            json!({"history": "end", "events": 1}),
        ];
        let text = lines.map(|line| line.to_string()).join("\n");
        let history = History::open(text.as_bytes()).expect("there is a header");
        let settings = Settings::default();
        let decided = match validator {
            "heap" => validate(&heap, history.events(), &settings),
            "model" => validate(&model, history.events(), &settings),
            _ => validate(&memory, history.events(), &settings),
        };
        let error = decided.expect_err("the history is malformed");
        assert_eq!(error.line, 2);
        error.problem.to_string()
    };
    let there = r#"{"slot": 3, "generation": 0}"#;
    let gone = r#"{"slot": 4, "generation": 0}"#;
    let cases = r#"
{"hold": {"reference": GONE}} => slot 4
{"alloc": {"reference": GONE}} => slot 4
{"load": {"src": GONE, "field": 0, "value": null}} => slot 4
{"load": {"src": THERE, "field": 1, "value": null}} => field 1
{"load": {"src": THERE, "field": 0, "value": GONE}} => slot 4
{"overwrite": {"src": THERE, "field": 2, "was": null, "value": null}} => field 2
{"overwrite": {"src": THERE, "field": 0, "was": GONE, "value": null}} => slot 4
{"overwrite": {"src": THERE, "field": 0, "was": null, "value": GONE}} => slot 4
{"store": {"src": THERE, "field": 4294967295, "value": null}} => field 4294967295
{"store": {"src": THERE, "field": 0, "value": GONE}} => slot 4
{"discard": {"reference": GONE}} => slot 4
{"sense": {"reference": GONE, "fm": true}} => slot 4
{"look": {"reference": GONE, "mark": true}} => slot 4
{"test": {"reference": GONE, "phase": "idle"}} => slot 4
{"mark": {"reference": GONE, "won": true}} => slot 4
{"trace": {"reference": GONE}} => slot 4
{"scan": {"src": THERE, "field": 1, "value": null}} => field 1
{"free": {"reference": GONE}} => slot 4"#;
    for case in cases.lines().skip(1) {
        let (event, told) = case.split_once(" => ").expect(case);
        let event = event.replace("THERE", there).replace("GONE", gone);
        for validator in ["heap", "model"] {
            let refused = refusal(&event, validator);
            assert!(
                refused.starts_with(&format!("there is no {told}:")),
                "{event}: {refused}"
            );
        }
    }
    let cases = r#"
{"append": {"node": 5}} => node 5
{"redirect": {"node": 5, "son": 0, "to": 0}} => node 5
{"redirect": {"node": 0, "son": 2, "to": 0}} => son 2
{"redirect": {"node": 0, "son": 0, "to": 5}} => node 5"#;
    for case in cases.lines().skip(1) {
        let (event, told) = case.split_once(" => ").expect(case);
        let refused = refusal(event, "memory");
        assert!(
            refused.starts_with(&format!("there is no {told}:")),
            "{event}: {refused}"
        );
    }
}
