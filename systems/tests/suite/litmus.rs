//! The battery: every test has its verdict under all six models.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use refmap_programs::{Machine, MemoryModel, litmus, outcomes};
use refmap_systems::litmus::{LitmusTest, Reached, tests};

/// More states than any of the tests has.
const STATES: u64 = 100_000;

fn expected(reached: Reached, model: MemoryModel) -> bool {
    use MemoryModel::{Ibm370, PsoFull, PsoNo, RmoFull, RmoNo, Sc, Tso};
    match model {
        Sc => false,
        Tso | Ibm370 => reached == Reached::FromTso,
        PsoFull | PsoNo => matches!(reached, Reached::FromTso | Reached::FromPso),
        RmoFull | RmoNo => reached != Reached::Never,
    }
}

fn is_reached(test: &LitmusTest, model: MemoryModel) -> bool {
    let outcomes = outcomes(&Machine::new(test.program.clone(), model), STATES);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{}: {error}", test.name));
    assert!(!outcomes.is_empty(), "{}", test.name);
    outcomes.iter().any(|outcome| test.asks_for(outcome))
}

/// The stated tests whose verdicts under `model` differ from those expected under `column`.
fn stated_differences(column: MemoryModel, model: MemoryModel) -> BTreeSet<&'static str> {
    let differs = |test: &&LitmusTest| is_reached(test, model) != expected(test.reached, column);
    tests()
        .iter()
        .filter(differs)
        .map(|test| test.name)
        .collect()
}

/// The same of the files.
fn file_differences(column: MemoryModel, model: MemoryModel) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let table = fs::read_to_string(folder.join("verdicts.tsv")).expect("the table is there");
    let mut lines = table.lines();
    let head: Vec<_> = lines.next().expect("it has a head").split('\t').collect();
    let position = head.iter().position(|name| *name == column.name());
    let position = position.expect("the model has a column");
    let mut different = BTreeSet::new();
    let mut named = BTreeSet::new();
    for line in lines {
        let cells: Vec<_> = line.split('\t').collect();
        assert!(cells.len() == head.len() && !cells[7].is_empty(), "{line}");
        let file = format!("{}.litmus", cells[0]);
        let text = fs::read_to_string(folder.join(&file)).expect("the test is there");
        let test = litmus::read(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let answer = test.run(model, &litmus::Bounds::default());
        let answer = answer.unwrap_or_else(|error| panic!("{file}: {error}"));
        if format!("{:?}", answer.verdict) != cells[position] {
            different.insert(cells[0].to_owned());
        }
        named.insert(file);
    }
    let files = fs::read_dir(&folder).expect("the folder can be read");
    let files = files.map(|file| file.expect("it can be read").file_name());
    let files = files.filter_map(|name| name.into_string().ok());
    let files: BTreeSet<_> = files.filter(|name| name.ends_with(".litmus")).collect();
    assert_eq!(files, named, "every file has a row, and every row a file");
    different
}

#[test]
fn every_file_has_its_verdict_under_every_model() {
    for model in MemoryModel::ALL {
        assert_eq!(file_differences(model, model), BTreeSet::new(), "{model}");
    }
}

#[test]
fn every_stated_test_has_its_verdict_under_every_model() {
    for model in MemoryModel::ALL {
        assert_eq!(stated_differences(model, model), BTreeSet::new(), "{model}");
    }
}

/// Without forwarding, a thread that reads its own store waits for its commit, and so for those before it.
#[test]
fn tso_without_forwarding_is_caught_by_reads_of_own_stores() {
    let different = file_differences(MemoryModel::Tso, MemoryModel::Ibm370);
    assert_eq!(
        different,
        BTreeSet::from(["SB+rfis", "n6"].map(str::to_owned))
    );
}

#[test]
fn pso_coded_as_tso_is_caught_by_message_passing() {
    for column in [MemoryModel::PsoFull, MemoryModel::PsoNo] {
        assert!(file_differences(column, MemoryModel::Tso).contains("MP"));
        assert!(stated_differences(column, MemoryModel::Tso).contains("2+2W+acqs"));
    }
}

#[test]
fn rmo_coded_as_pso_is_caught_by_load_buffering() {
    for (column, model) in [
        (MemoryModel::RmoFull, MemoryModel::PsoFull),
        (MemoryModel::RmoNo, MemoryModel::PsoNo),
    ] {
        assert!(file_differences(column, model).contains("LB"));
        assert!(stated_differences(column, model).contains("MP+rel+po"));
    }
}

/// The fences of an update are detected, one column at a time.
#[test]
fn an_update_without_its_fences_is_caught() {
    let different = file_differences(MemoryModel::PsoFull, MemoryModel::PsoNo);
    assert!(different.contains("SB+failed-cmpxchgs"), "{different:?}");
    let different = file_differences(MemoryModel::RmoFull, MemoryModel::RmoNo);
    assert!(different.contains("SB+xchgs"), "{different:?}");
}
