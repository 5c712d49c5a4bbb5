//! Random systems of hundreds of states, against plain decomposition: around the ends of words of states and of conditions,
//! with several initial states.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use refmap::Strength;
use refmap::explore::{Limit, Limits, Watch};
use refmap::internal::explore::Clock;
use refmap::internal::liveness::Lasso;
use refmap_cli::Status;
use refmap_cli::graph::{Decider, System, Undecided, read};
use refmap_testing::Random;
use refmap_testing::clustered::Clustered;
use refmap_testing::decomposed::{ALTERED, Large, Marks, marks};
use refmap_testing::textbook::{Pairs, Said};
use serde_json::{Value, json};

use super::random::{large, said, vacuous};
use super::refused::decided;

const STATES: [usize; 9] = [63, 64, 65, 100, 127, 128, 129, 200, 257];
const CONDITIONS: [usize; 10] = [1, 6, 31, 33, 63, 64, 65, 96, 128, 140];

/// The line of a random system.
fn line(seed: u64) -> Value {
    let random = &mut Random(seed);
    let conditions = CONDITIONS[seed as usize % CONDITIONS.len()];
    let states = random.pick(&STATES);
    let system = Clustered::new(random, states, conditions + 3);
    let rule = |rule: u32| format!("rule {rule}");
    // In no order: what is enabled where has nothing to do with the number of the condition.
    let order = random.shuffled(conditions + 3);
    let fairness: Vec<Value> = order[..conditions]
        .iter()
        .enumerate()
        .map(|(number, of)| {
            let mut rules = vec![rule(*of)];
            if random.percent(5) {
                rules.push(rule(random.pick(&order)));
            }
            let kind = ["weak", "strong"][random.below(2)];
            json!({"name": format!("F{number}"), "kind": kind, "rules": rules})
        })
        .collect();
    let unfair = rule(order[conditions]);
    let any = rule(random.pick(&order));
    let chance = 20 + random.below(80);
    let premise = system.some_states(random, 30);
    let conclusion = system.some_states(random, chance);
    // All states, or all but some.
    let mut seldom = conclusion.clone();
    seldom.truncate(random.pick(&[0, 1, 4, conclusion.len()]));
    let all_but: Vec<u32> = (0..system.states)
        .filter(|at| !seldom.contains(at))
        .collect();
    // So often that most loops meet it, sometimes.
    let conclusion = if seed.is_multiple_of(3) {
        let but = system.some_states(random, 4);
        let all = 0..system.states;
        all.filter(|at| !but.contains(at)).collect()
    } else {
        conclusion
    };
    let properties = json!([
        {"name": "0", "kind": "leads_to", "premise": "P", "conclusion": "Q"},
        {"name": "1", "kind": "eventually", "conclusion": "Q"},
        {"name": "2", "kind": "always_eventually", "conclusion": "Q"},
        {"name": "3", "kind": "eventually_always", "conclusion": "R"},
        {"name": "4", "kind": "eventually_always", "premise": "P", "conclusion": "R"},
        {"name": "5", "kind": "always", "conclusion": "R"},
        {"name": "6", "kind": "weak_fairness", "rules": [unfair]},
        {"name": "7", "kind": "strong_fairness", "rules": [any]},
    ]);
    let steps = system.steps.iter();
    let steps: Vec<Value> = steps
        .map(|(from, by, to)| json!([from, rule(*by), to]))
        .collect();
    json!({
        "name": seed.to_string(), "states": states, "initial": system.initial,
        // The first label has all states, so that they are numbered in this order.
        "labels": {"all": random.shuffled(states), "P": premise, "Q": conclusion, "R": all_but},
        "steps": steps, "fairness": fairness, "properties": properties,
    })
}

/// A system of more steps than are taken between two looks at the clock, each of which a behaviour may stay before.
#[test]
fn the_time_of_a_clock_holds_within_a_property() {
    const STATES: u64 = 10_000;
    let steps: Vec<Value> = (1..STATES).map(|to| json!([to - 1, "go", to])).collect();
    let line = json!({
        "name": "a line", "states": STATES, "initial": [0], "labels": {"Q": [STATES - 1]}, "steps": steps,
        "fairness": [{"name": "F", "kind": "strong", "rules": ["go"]}],
        "properties": [{"name": "p", "kind": "eventually", "conclusion": "Q"}],
    });
    let system = read(line.to_string().as_bytes()).expect("it is of its form");
    let cancel = AtomicBool::new(false);
    let watch = Watch {
        cancel: Some(&cancel),
        ..Watch::default()
    };
    let clock = Clock::new(Limits::default(), watch);
    let decider = Decider::within(&system, clock).expect("there is time");
    let decide = || decider.decide(&system.properties[0].kind);
    assert!(decide().is_ok_and(|decided| decided.violation.is_none()));
    cancel.store(true, Ordering::Relaxed);
    assert!(matches!(decide(), Err(Undecided::Limit(Limit::Cancelled))));
    let other = Decider::within(&system, clock);
    assert_eq!(other.err(), Some(Limit::Cancelled));
}

/// Meaning of a property, with marks as sets of states.
fn of_marks(system: &System, number: usize) -> Said<Marks> {
    said(system, &system.properties[number].kind, |states| {
        marks(system.given.len() as u32, states.iter().copied())
    })
}

/// Decides random systems as the decomposition does. Each kind of property holds in some and is violated in some; and each
/// alteration changes what is found in some of the systems that it is tried on.
fn compare(seeds: std::ops::Range<u64>, altered_every: u64) {
    let cases = seeds.end - seeds.start;
    let mut fates = [[0; 2]; 8];
    let (mut vacuous_ones, mut idle_ones) = (0, 0);
    let mut mattered = [0; ALTERED.len()];
    for seed in seeds {
        let line = line(seed).to_string();
        let system = read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {seed}"));
        let decider = Decider::new(&system);
        let large = large(&system);
        let reached = large.reached();
        let idle = system.conditions.iter().zip(&large.conditions);
        let idle = idle.filter(|(_, (_, action))| {
            let mut sources = action.iter().map(|(from, _)| *from);
            !sources.any(|from| reached[from as usize])
        });
        let idle: Vec<&str> = idle.map(|(condition, _)| &*condition.name).collect();
        let found: Vec<&str> = decider.idle_conditions().map(|one| &*one.name).collect();
        assert_eq!(found, idle, "{seed}");
        idle_ones += idle.len() as u64;
        for (number, property) in system.properties.iter().enumerate() {
            let decided = decider.decide(&property.kind);
            let decided = decided.unwrap_or_else(|fault| panic!("{fault}: {seed}: {number}"));
            let lasso = decided.violation.as_ref().map(|(lasso, _)| lasso);
            let stem = lasso.map(|lasso| lasso.stem());
            let said = of_marks(&system, number);
            assert_eq!(stem, large.stem(&said), "{seed}: {number}");
            let is_one =
                |lasso: &Lasso| large.is_violated_by(&said, &lasso.states, lasso.loop_start);
            assert!(lasso.is_none_or(is_one), "{seed}: {number}");
            let vacuous = vacuous(&system, &property.kind, &reached);
            assert_eq!(decided.vacuous, vacuous, "{seed}: {number}");
            fates[number][usize::from(stem.is_some())] += 1;
            vacuous_ones += u64::from(vacuous.is_some());
            if seed % altered_every == 0 {
                for ((_, alter), mattered) in ALTERED.iter().zip(&mut mattered) {
                    let mut altered = large.clone();
                    alter(&mut altered);
                    *mattered += u64::from(altered.stem(&said) != stem);
                }
            }
        }
    }
    for fate in fates {
        assert!(fate.iter().all(|count| *count > cases / 20), "{fates:?}");
    }
    assert!(vacuous_ones > cases / 10, "{vacuous_ones}");
    assert!(idle_ones > cases, "{idle_ones}");
    for ((what, _), count) in ALTERED.iter().zip(mattered) {
        assert!(count > cases / 20, "{what}: {mattered:?}");
    }
}

#[test]
fn large_systems_are_decided_as_the_decomposition_decides_them() {
    compare(0..30, 3);
}

#[test]
#[ignore = "takes two minutes"]
fn slow_large_systems_are_decided_as_the_decomposition_decides_them() {
    compare(30..2_030, 3);
}

/// A system and what its properties say, from its line alone.
fn written(line: &Value) -> (Large, Vec<Said<Marks>>) {
    let numbers = |of: &Value| -> Vec<u32> {
        let all = of.as_array().expect("it is of its form").iter();
        all.map(|number| number.as_u64().expect("it is of its form") as u32)
            .collect()
    };
    let states = line["states"].as_u64().expect("it is of its form") as u32;
    let pairs = |rules: Option<&Value>| -> Pairs {
        let steps = line["steps"].as_array().expect("it is of its form").iter();
        let of = steps.filter(|step| {
            let takes = |rules: &Value| {
                rules
                    .as_array()
                    .expect("it is of its form")
                    .contains(&step[1])
            };
            step[0] != step[2] && rules.is_none_or(takes)
        });
        of.map(|step| [&step[0], &step[2]].map(|at| at.as_u64().expect("it is of its form") as u32))
            .map(|[from, to]| (from, to))
            .collect()
    };
    let strength = |kind: &Value| match kind.as_str().expect("it is of its form") {
        "weak" | "weak_fairness" => Strength::Weak,
        _ => Strength::Strong,
    };
    let conditions = line["fairness"]
        .as_array()
        .expect("it is of its form")
        .iter();
    let conditions = conditions.map(|one| (strength(&one["kind"]), pairs(Some(&one["rules"]))));
    let large = Large {
        states,
        initial: numbers(&line["initial"]),
        steps: pairs(None),
        conditions: conditions.collect(),
    };
    let properties = line["properties"]
        .as_array()
        .expect("it is of its form")
        .iter();
    let said = properties.map(|property| {
        let label = |key: &str| {
            let name = property[key].as_str().expect("it is of its form");
            marks(states, numbers(&line["labels"][name]))
        };
        match property["kind"].as_str().expect("it is of its form") {
            "leads_to" => Said::LeadsTo {
                premise: label("premise"),
                conclusion: label("conclusion"),
            },
            "eventually" => Said::Eventually(label("conclusion")),
            "always_eventually" => Said::AlwaysEventually(label("conclusion")),
            "eventually_always" => Said::EventuallyAlways {
                premise: match property["premise"] {
                    Value::Null => vec![true; states as usize],
                    _ => label("premise"),
                },
                conclusion: label("conclusion"),
            },
            "always" => Said::Always(label("conclusion")),
            _ => {
                let pairs = pairs(Some(&property["rules"]));
                let enabled = marks(states, pairs.iter().map(|(from, _)| *from));
                Said::Fair(strength(&property["kind"]), enabled, pairs)
            }
        }
    });
    (large, said.collect())
}

#[test]
fn lassos_of_large_systems_are_printed_as_they_are() {
    let folder = tempfile::tempdir().expect("it is of its form");
    let file = folder.path().join("systems.jsonl");
    let lines: Vec<Value> = (100..116).map(line).collect();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&file, text.join("\n")).expect("it is of its form");
    let (status, all) = decided(&[&file]);
    assert_eq!((status, &all["errors"]), (Status::Violated, &json!([])));
    let graphs = all["graphs"].as_array().expect("it is of its form");
    assert_eq!(graphs.len(), lines.len());
    let (mut greatest, mut lassos) = (0, 0);
    for (line, graph) in lines.iter().zip(graphs) {
        let (large, said) = written(line);
        let name = &line["name"];
        assert_eq!(&graph["name"], name);
        let properties = graph["properties"].as_array().expect("it is of its form");
        assert_eq!(properties.len(), said.len());
        for (number, (found, said)) in properties.iter().zip(&said).enumerate() {
            assert_eq!(found["name"], line["properties"][number]["name"]);
            assert_eq!(found["stem"], json!(large.stem(said)), "{name}: {number}");
            let Some(states) = found["states"].as_array() else {
                assert_eq!(found["verdict"], "holds");
                continue;
            };
            assert_eq!(found["verdict"], "violated");
            let states = states
                .iter()
                .map(|state| state.as_u64().expect("it is of its form") as u32);
            let states: Vec<u32> = states.collect();
            greatest = states
                .iter()
                .copied()
                .max()
                .max(Some(greatest))
                .expect("it is of its form");
            let stem = found["stem"].as_u64().expect("it is of its form") as usize;
            assert!(
                large.is_violated_by(said, &states, stem),
                "{name}: {number}"
            );
            let around = states.len() - stem;
            let around = if around == 1 { 0 } else { around };
            assert_eq!(found["loop"], json!(around));
            lassos += 1;
        }
    }
    assert!(greatest > 200 && lassos > 50, "{greatest} {lassos}");
}
