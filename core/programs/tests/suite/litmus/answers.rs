//! 266 litmus tests with known results, found by two other programs, an axiomatic and an operational one, both
//! independent of this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use refmap_programs::MemoryModel;
use refmap_programs::litmus::{Answer, Bounds, Test, read};
use serde::Serialize;

/// Folder of the tests.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/litmus")
}

/// Texts of all tests, by path below the folder.
pub fn texts() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for family in fs::read_dir(folder()).expect("the folder is there") {
        let family = family.expect("the folder can be read").path();
        if !family.is_dir() {
            continue;
        }
        for file in fs::read_dir(&family).expect("the folder can be read") {
            let path = file.expect("the folder can be read").path();
            let name = path.strip_prefix(folder()).expect("it lies there");
            let name = name.to_str().expect("names are plain").to_owned();
            texts.insert(
                name,
                fs::read_to_string(&path).expect("the file can be read"),
            );
        }
    }
    texts
}

/// Row of the table of results.
struct Row {
    file: String,
    model: String,
    quantifier: String,
    verdict: String,
    observation: String,
    states: BTreeSet<Vec<String>>,
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(folder().join("expected.tsv")).expect("the table is there");
    let rows = table.lines().skip(1).map(|line| {
        let cells: Vec<_> = line.split('\t').collect();
        let [file, model, quantifier, verdict, observation, states] = cells[..] else {
            panic!("six columns: {line}");
        };
        let (keys, values) = states.split_once('|').expect("keys and values");
        let state = |values: &str| -> Vec<String> {
            let pairs = keys.split(',').zip(values.split(','));
            let mut cells: Vec<_> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
            cells.sort();
            cells
        };
        Row {
            file: file.to_owned(),
            model: model.to_owned(),
            quantifier: quantifier.to_owned(),
            verdict: verdict.to_owned(),
            observation: observation.to_owned(),
            states: values.split(' ').map(state).collect(),
        }
    });
    rows.collect()
}

fn text(value: impl Serialize) -> String {
    let json = serde_json::to_value(value).expect("it can be serialised");
    json.as_str()
        .map_or_else(|| json.to_string(), str::to_owned)
}

fn states(test: &Test, answer: &Answer) -> BTreeSet<Vec<String>> {
    let keys: Vec<_> = test.keys().collect();
    let rows = answer.states.iter().map(|values| {
        let pairs = keys.iter().zip(values);
        let mut cells: Vec<_> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        cells.sort();
        cells
    });
    rows.collect()
}

/// Lists the rows of `column` that differ from the results under `model`.
fn differences(column: &str, model: MemoryModel) -> Vec<String> {
    let texts = texts();
    let mut compared = 0;
    let mut different = Vec::new();
    for row in rows().into_iter().filter(|row| row.model == column) {
        let test = read(&texts[&row.file]).unwrap_or_else(|error| panic!("{}: {error}", row.file));
        let answer = test.run(model, &Bounds::default());
        let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", row.file));
        compared += 1;
        let same = test.quantifier.keyword() == row.quantifier
            && text(answer.verdict) == row.verdict
            && text(answer.observation) == row.observation
            && states(&test, &answer) == row.states;
        if !same {
            different.push(row.file);
        }
    }
    assert_eq!(compared, 266);
    different
}

#[test]
fn every_test_has_its_answer_under_every_model() {
    assert_eq!(texts().len(), 266);
    for model in MemoryModel::ALL {
        assert_eq!(
            differences(model.name(), model),
            [] as [String; 0],
            "{model}"
        );
    }
}

/// A test that reads its own store early detects a load that waits for the thread's own store.
#[test]
fn tso_without_forwarding_is_caught() {
    let different = differences("tso", MemoryModel::Ibm370);
    assert!(!different.is_empty());
}

#[test]
fn pso_coded_as_tso_is_caught() {
    let different = differences("pso-no", MemoryModel::Tso);
    assert!(
        different.contains(&"diy-x86-2t/MP000.litmus".to_owned()),
        "{different:?}"
    );
}

#[test]
fn rmo_coded_as_pso_is_caught() {
    for (column, model) in [
        ("rmo-no", MemoryModel::PsoNo),
        ("rmo-full", MemoryModel::PsoFull),
    ] {
        let different = differences(column, model);
        assert!(different.len() > 10, "{different:?}");
    }
}

/// A test detects a change in what a CAS orders.
#[test]
fn an_update_without_its_fences_is_caught() {
    assert!(!differences("pso-full", MemoryModel::PsoNo).is_empty());
    assert!(!differences("rmo-full", MemoryModel::RmoNo).is_empty());
}
