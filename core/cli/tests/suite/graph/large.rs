//! Random systems of hundreds of states, against plain decomposition: around the ends of words of states and of conditions,
//! with several initial states.

use std::fs;

use refmap::liveness::Lasso;
use refmap_cli::Status;
use refmap_cli::graph::{Decider, System, read};
use refmap_testing::Random;
use refmap_testing::clustered::Clustered;
use refmap_testing::decomposed::{ALTERED, Marks, marks};
use refmap_testing::textbook::Said;
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
        "labels": {"P": premise, "Q": conclusion, "R": all_but},
        "steps": steps, "fairness": fairness, "properties": properties,
    })
}

/// What a property says.
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
    let mut vacuous_ones = 0;
    let mut mattered = [0; ALTERED.len()];
    for seed in seeds {
        let line = line(seed).to_string();
        let system = read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {seed}"));
        let decider = Decider::new(&system);
        let large = large(&system);
        let reached = large.reached();
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
    for ((what, _), count) in ALTERED.iter().zip(mattered) {
        assert!(count > cases / 20, "{what}: {mattered:?}");
    }
}

#[test]
fn large_systems_are_decided_as_the_decomposition_decides_them() {
    compare(0..40, 3);
}

#[test]
#[ignore = "takes two minutes"]
fn slow_large_systems_are_decided_as_the_decomposition_decides_them() {
    compare(40..2_040, 3);
}

/// What is printed of large systems are lassos of theirs, in the numbers of their lines.
#[test]
fn lassos_of_large_systems_are_printed_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    let lines: Vec<String> = (100..116).map(|seed| line(seed).to_string()).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let (status, all) = decided(&[&file]);
    assert_eq!((status, &all["errors"]), (Status::Violated, &json!([])));
    let graphs = all["graphs"].as_array().unwrap();
    assert_eq!(graphs.len(), lines.len());
    let (mut greatest, mut lassos) = (0, 0);
    for (line, graph) in lines.iter().zip(graphs) {
        let system = read(line.as_bytes()).unwrap();
        let large = large(&system);
        assert_eq!(graph["name"], system.name);
        let properties = graph["properties"].as_array().unwrap();
        assert_eq!(properties.len(), system.properties.len());
        for (number, found) in properties.iter().enumerate() {
            assert_eq!(found["name"], system.properties[number].name);
            let said = of_marks(&system, number);
            assert_eq!(found["stem"], json!(large.stem(&said)));
            let Some(states) = found["states"].as_array() else {
                assert_eq!(found["verdict"], "holds");
                continue;
            };
            assert_eq!(found["verdict"], "violated");
            let states = states.iter().map(|state| state.as_u64().unwrap());
            let states: Vec<u32> = states
                .inspect(|state| greatest = greatest.max(*state))
                .map(|state| system.given.iter().position(|given| *given == state))
                .map(|at| at.expect("the system has the state") as u32)
                .collect();
            let stem = found["stem"].as_u64().unwrap() as usize;
            assert!(
                large.is_violated_by(&said, &states, stem),
                "{number}: {line}"
            );
            let around = states.len() - stem;
            let around = if around == 1 { 0 } else { around };
            assert_eq!(found["loop"], json!(around));
            lassos += 1;
        }
    }
    assert!(greatest > 200 && lassos > 50, "{greatest} {lassos}");
}
