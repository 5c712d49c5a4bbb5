//! Tests of which obligations a command chooses, by patterns, and of claims that are validated before any is decided.

use std::sync::atomic::{AtomicUsize, Ordering};

use refmap::obligation::{Checker, Settings};
use refmap::{Fairness, Invariant, Property};
use refmap_cli::Status;
use refmap_cli::catalogue::{Catalogue, Check, Nothing, number};
use refmap_cli::clap;
use refmap_cli::table::{Axis, Expected, Failing, Published, PublishedRow, Rows, Table};
use refmap_testing::{Adjusting, counter, itself};
use serde_json::{Value, json};

use super::run_all::{carried_out, page, run};
use super::{cases, lines};
use crate::{has, over};

/// Number of runs of a check of the test of validated claims.
static SEARCHED: AtomicUsize = AtomicUsize::new(0);

/// A counter with obligations of every kind.
fn catalogue() -> Catalogue {
    let count = Check::new("count", "", "", |_: &Nothing| {
        let mut counter = counter();
        counter.fairness = vec![Fairness::weak("tick", ["tick"])];
        counter.type_correct = (0..4).collect();
        let mut refinement = itself(counter);
        refinement.invariants = ["small", "small too", "no loss, ever"]
            .map(|name| Invariant::new(name, "a test", |n: &u8| *n < 4))
            .into();
        refinement.liveness = vec![Property::eventually("three", "a test", |n: &u8| *n == 3)];
        Ok(Box::new(Checker::owning(refinement).inductive()))
    });
    over(vec![count])
}

/// Like a shell, for words in single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The rows of the report of a check with these options, or why it is refused.
fn rows(options: &str) -> Result<Vec<String>, String> {
    let command = words(&format!("check count --json {options}"));
    let (ended, text) = carried_out(&catalogue(), command, &false.into());
    ended.map_err(|error| error.to_string())?;
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    let rows = report["obligations"].as_array().expect("there are rows");
    let name = |row: &Value| row["name"].as_str().expect("it has a name").to_owned();
    Ok(rows.iter().map(name).collect())
}

const DEFAULT: [&str; 10] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant:small",
    "invariant:small too",
    "invariant:no loss, ever",
    "environment",
    "deadlock",
    "coverage",
];

#[test]
fn patterns_choose_rows() {
    for (options, expected) in cases(
        r#"
--obligations 'invariant:s*' => invariant:small; invariant:small too
--obligations 'invariant:small too' => invariant:small too
--obligations 'deadlock,invariant:no loss\, ever' => invariant:no loss, ever; deadlock
--obligations '*:small,*:three' => invariant:small; inductive:small; eventually:three
--obligations 'in*' --without '*:*l*' => initiality
--obligations invariant --without 'invariant:*too' => invariant:small; invariant:no loss, ever
--obligations simulation --liveness --inductive --without 'fairness,inductive:small*' => simulation; inductive:no loss, ever; inductive:simulation; eventually:three"#,
    ) {
        let expected: Vec<_> = expected.split("; ").collect();
        assert_eq!(
            rows(options).expect("they are there"),
            expected,
            "{options}"
        );
    }
    let mut all = DEFAULT.to_vec();
    assert_eq!(rows("").expect("they are there"), all);
    all.retain(|name| !name.starts_with("invariant") && *name != "agency");
    let left = rows("--without 'agency,invariant:*'");
    assert_eq!(left.expect("they are there"), all);
}

#[test]
fn a_pattern_that_stands_for_nothing_is_refused() {
    for (options, expected) in cases(
        r#"
--obligations 'invarient:*' => there is no obligation "invarient:*" (did you mean "invariant:*"?); there are: environment, invariant,
--without 'simulatoin' => there is no obligation "simulatoin" (did you mean "simulation"?)
--without 'invariant:b*' => there is no obligation "invariant:b*"
--without '' => there is no obligation ""
--obligations 'leads-to:*' => "leads-to:*" stands for nothing: the refinement has no leads-to:*
--without model => "model" belongs to every check, and cannot be left out
--without '*' => without * nothing is left to check
--obligations simulation --without simulation => without simulation nothing is left to check
--obligations none --without agency => cannot be used with
--obligations none --inductive => cannot be used with"#,
    ) {
        let error = rows(options).expect_err("nothing is there");
        assert!(error.contains(expected), "{options}: {error}");
    }
}

/// Obligations that are left out by name are not told of as not asked for.
#[test]
fn what_is_left_out_is_not_asked_for() {
    let text = |options: &str| run(&catalogue(), &format!("check count {options}"), false).1;
    assert!(text("").contains("not asked for: fairness:tick, eventually:three"));
    assert!(text("--without fairness").contains("not asked for: eventually:three"));
    assert!(!text("--without fairness,eventually").contains("not asked for"));
}

/// A check with a parameter of that name has the option by its long name alone.
#[test]
fn a_parameter_without_is_no_option() {
    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long)]
        without: Vec<String>,
    }
    let count = Check::new("count", "", "", |arguments: &Arguments| {
        assert_eq!(arguments.without, ["a part"; 0]);
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    let catalogue = over(vec![count]);
    let (status, text) = run(
        &catalogue,
        "check count --without-obligations deadlock",
        false,
    );
    assert_eq!(status, Ok(Status::Success));
    assert!(
        text.contains("simulation") && !text.contains("  deadlock"),
        "{text}"
    );
}

/// The command of a claim has the claim's obligations when it is typed to a shell.
#[test]
fn a_claim_is_repeated_by_its_command() {
    let command = "check count --obligations 'invariant:no loss\\, ever,invariant:small too,deadlock' \
                   --without-obligations 'invariant:s*'";
    let catalogue = Catalogue {
        claims: page(&[[command, "holds", "a test: it counts"]]),
        ..catalogue()
    };
    let claim = &catalogue.claims().expect("it is one")[0];
    assert_eq!(claim.command, command);
    let options = command.strip_prefix("check count ").expect("it begins so");
    let by_command = rows(options).expect("it is a command");
    assert_eq!(by_command, ["invariant:no loss, ever", "deadlock"]);
    let report = catalogue.run(claim, &Default::default());
    let report = report.expect("it is well stated");
    let by_claim = report.obligations.iter().map(|row| &row.name);
    assert!(by_claim.eq(&by_command));
    assert_eq!(json!(claim)["without"], json!(["invariant:s*"]));
}

#[derive(Clone, clap::Args)]
#[allow(dead_code, reason = "that they are read is tested")]
struct Sizes {
    #[arg(long, default_value_t = 4, value_parser = number::<u8>(1..=9))]
    size: u8,
    #[arg(long, default_value = "one", value_parser = ["one", "two"])]
    by: String,
    #[arg(long, default_value = "left", value_parser = ["left", "right"])]
    part: String,
}

/// Claims about a check that counts how often it searches.
fn counted(claims: &[[&str; 3]], tables: Vec<Table>) -> Catalogue {
    let count = Check::new("count", "", "", |_: &Sizes| {
        let count = |_: &mut Settings<'_>| {
            SEARCHED.fetch_add(1, Ordering::Relaxed);
        };
        let checker = Checker::owning(itself(counter()));
        Ok(Box::new(Adjusting(checker, count)))
    });
    Catalogue {
        checks: vec![count],
        claims: page(claims),
        tables,
        ..Catalogue::default()
    }
}

fn table(given: &str, cells: usize) -> Table {
    let axis = |parameter, values: [&'static str; 2]| Axis {
        parameter,
        values: values.to_vec(),
    };
    Table {
        name: "sizes",
        about: "",
        check: "count",
        rows: Rows::Published(Published {
            source: "nowhere",
            named: vec!["size"],
            columns: axis("by", ["one", "two"]),
            parts: axis("part", ["left", "right"]),
            rows: vec![PublishedRow {
                given: given.to_owned(),
                cells: vec![Expected::found(Failing::NONE); cells],
            }],
        }),
    }
}

#[test]
fn every_claim_is_validated_before_one_is_decided() {
    let says = "a test: it counts";
    let right = ["check count --size 3", "holds", says];
    let wrong = lines(
        r#"
check count --size x => holds => the claim `check count --size x` cannot be decided: size is "x", and must be a number from 1 to 9
check count --size 10 => holds => size is 10, and must be a number from 1 to 9
check count --colour red => holds => count has no parameter "colour"
check cuont => holds => there is no check "cuont" (did you mean "count"?)
check count --obligations simulatoin => holds => there is no obligation "simulatoin"
check count --without '*' => holds => nothing is left to check
check count --symmetry full => holds => this check has no symmetry to offer
check count --inductive => holds => this check cannot decide inductive:*
check count => violated by deadlok => no obligation "deadlok" is checked, which is expected to be violated (did you mean "deadlock"?)
check count --obligations simulation => violated by deadlock => no obligation "deadlock" is checked
check count --keep-going => violated by deadlock, and by agenda => no obligation "agenda" is checked
check count => violated by deadlock, and by agency => further violated obligations are expected, which are decided with --keep-going alone
check count => holds after 3 steps => the length of a counterexample is expected, and the verdict holds"#,
    );
    let wrong: Vec<_> = wrong
        .map(|case| {
            let parts: Vec<_> = case.split(" => ").collect();
            ([parts[0], parts[1], says], parts[2])
        })
        .collect();
    let before = SEARCHED.load(Ordering::Relaxed);
    for (claim, expected) in &wrong {
        // The one that is wrong comes last, and would take long to be found.
        let catalogue = counted(&[right, *claim], Vec::new());
        let (status, text) = run(&catalogue, "", false);
        let error = status.expect_err("it is wrong");
        has(&error, expected);
        assert!(error.starts_with("error: line 6: the claim `"), "{error}");
        assert_eq!(text, "");
    }
    for (given, cells, expected) in [
        ("--size 10", 2, "size is 10"),
        (
            "--size 1",
            3,
            "row 1 has 3 cells, and must have 2, one a column",
        ),
        (
            "--size $1",
            2,
            "'$' means something to a shell: the word has to be in single quotes",
        ),
    ] {
        for words in ["", "table sizes"] {
            let catalogue = counted(&[right], vec![table(given, cells)]);
            let (status, text) = run(&catalogue, words, false);
            let error = status.expect_err("it is wrong");
            has(&error, expected);
            assert_eq!(text, "");
        }
    }
    // All that are wrong are told at once.
    let claims: Vec<_> = wrong.iter().map(|(claim, _)| *claim).collect();
    let (status, _) = run(&counted(&claims, vec![table("--size 10", 2)]), "", false);
    let error = status.expect_err("they are wrong");
    assert_eq!(error.lines().count(), wrong.len() + 1, "{error}");
    assert_eq!(
        SEARCHED.load(Ordering::Relaxed),
        before,
        "nothing was searched"
    );
    let catalogue = counted(&[right], vec![table("--size 2", 2)]);
    assert!(catalogue.validate().is_ok());
    let (status, _) = run(&catalogue, "", false);
    assert_eq!(status, Ok(Status::Success));
    assert_eq!(
        SEARCHED.load(Ordering::Relaxed),
        before + 5,
        "they were searched once"
    );
}
