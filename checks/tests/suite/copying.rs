//! Copying protocols on the command line: `check copying`, `table copying`.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use refmap::internal::TextOptions;
use refmap_checks::catalogue;
use refmap_cli::Status;
use refmap_cli::table::{Expected, Failing, PublishedRow, Rows};
use serde_json::{Value, json};

use crate::has;
use crate::program::{each_is_refused, json, refmap, status, text};

#[test]
fn a_cell_is_checked_with_its_bounds_in_the_verdict() {
    let words = "check copying --protocol stopless --memory tso --scenario wr --json";
    assert_eq!(status(&refmap(words)), 0);
    let report = json(words);
    assert_eq!(report["verdict"], "holds");
    // The loops are run once, and that cuts threads off.
    assert_eq!(report["evidence"], "bounded");
    let parameters = &report["parameters"];
    assert_eq!(parameters["alpha"], 0);
    assert_eq!(parameters["iterations"], 1);
    assert_eq!(parameters["mutators"], 1);
    assert_eq!(parameters["without"], Value::Array(Vec::new()));
    let rows = report["obligations"].as_array().expect("it is a list");
    let row = |name| {
        rows.iter()
            .find(|row| row["name"] == name)
            .expect("it is there")
    };
    assert_eq!(row("environment")["verdict"], "none declared");
    assert_eq!(row("deadlock")["verdict"], "holds");
    assert_eq!(row("coverage")["checked"], 2);
}

/// Each loop runs once by default; the report names the threads whose executions the bound cuts off.
#[test]
fn a_thread_that_was_cut_off_is_named() {
    let words = "check copying --protocol stopless --memory tso --scenario wr";
    let report = json(&format!("{words} --json"));
    let cut_off = &report["cut_off"];
    assert_eq!(cut_off["threads"], json!(["collector", "mutator"]));
    let states = cut_off["states"].as_u64().expect("a number");
    let ends = report["deadlocks"].as_u64().expect("a number");
    assert!(0 < states && states < ends, "{states} of {ends}");
    let shown = text(&refmap(words).stdout);
    let line = format!("cut off in {states} of {ends} ends");
    has(&shown, &line);
    let line = "holds, each loop once: collector, mutator were cut off, bounded";
    assert!(shown.replace("\n  ", " ").contains(line), "{shown}");
    let shown = text(&refmap("fences stopless --memory tso").stdout);
    let line = "\ncut off by the bound on loops: collector, mutator\n";
    has(&shown, line);
    let schism = json("check copying --protocol schism --memory tso --scenario wr --json");
    assert!(schism.get("cut_off").is_none());
}

#[test]
fn a_cell_that_fails_tells_its_story() {
    let output = refmap("check copying --protocol clover --memory sc --scenario wr");
    assert_eq!(status(&output), 1);
    let report = text(&output.stdout);
    for part in [
        "simulation fails after 12 steps",
        "to_data := value, writes 0",
        "readval := to_data",
    ] {
        assert!(report.contains(part), "{part}\n\n{report}");
    }
}

/// Whether progress is made is decided without `--liveness`: a mutator of Compressor waits for the collector, which has stopped.
#[test]
fn progress_that_is_not_made_is_shown_as_a_lasso() {
    let words = "check copying --protocol compressor --memory sc --scenario w --progress lock-free";
    let output = refmap(words);
    assert_eq!(status(&output), 1);
    let report = text(&output.stdout).replace("\n  ", " ");
    for part in [
        "always-eventually:completes-odd fails: after 9 steps nothing happens any more",
        "success := CAS(page, 1, 2), reads 1 and writes 2  [collector, 4]",
        "weak mutator goes on (thread 1): it is enabled nowhere in the loop",
    ] {
        assert!(report.contains(part), "{part}\n\n{report}");
    }
    assert_eq!(
        status(&refmap(&words.replace("lock-free", "starvation-free"))),
        0
    );
}

/// A repeated parameter accumulates: Stopless's three fences, added one by one.
#[test]
fn names_may_be_given_again() {
    let mut words = "check copying --protocol stopless --memory pso-no --scenario wr".to_owned();
    let mut lengths = Vec::new();
    for fence in [
        "fence-before-flip",
        "fence-after-wide-forward",
        "fence-after-copy",
    ] {
        let report = json(&format!("{words} --json"));
        lengths.push(report["counterexample"]["length"].clone());
        words += &format!(" --with {fence}");
    }
    assert_eq!(lengths, [11, 12, 16]);
    assert_eq!(status(&refmap(&words)), 0);
}

#[test]
fn bad_input_is_one_clear_message_and_exit_status_2() {
    each_is_refused(
        "check copying ",
        r#"
--protocol stoples => stoples … stopless-for-rmo … schism
--memory x86 => x86 … sc, tso, pso-full, pso-no, rmo-full, rmo-no
--scenario ww => ww … wr, rw
--alpha 3 => --alpha … 0..=2
--iterations 0 => --iterations … 1..=
--memory sc --scenario wr => protocol is not given, and must be one of stopless,
--protocol stopless --scenario wr => memory is not given, and must be one of sc, tso, pso-full, pso-no, rmo-full, rmo-no
--protocol stopless --memory sc => scenario is not given, and must be one of wr, rw,
--protocol stopless --memory sc --scenario wr --alpha 1 => stopless has no alpha … clover-fix
--protocol stopless --memory sc --scenario wr --without fence-after-copy => stopless cannot be checked without "fence-after-copy" … what can be taken away is: status-cas
--protocol stopless-for-rmo --memory sc --scenario wr --without log => without "log" … fence-after-wide-forward, fence-after-copy, status-cas, fence-before-flip
--protocol x86-sapphire --memory sc --scenario wr --with log => with "log" … what can be added is:  … literal-fence
--protocol stopless --memory sc --scenario wr --progress lock-free --iterations 2 => lock-free … iterations cannot be given
--protocol stopless --memory rmo-no --scenario wr --progress lock-free => under rmo-no a loop without a bound reads ahead without end"#,
    );
}

/// The ablations by their names on the command line, per protocol.
#[test]
fn the_ablations_have_their_names() {
    let without = |protocol: &str, names: &[&str]| {
        for name in names {
            let output = refmap(&format!(
                "check copying --protocol {protocol} --memory sc --scenario rw --without {name} --quiet"
            ));
            assert_ne!(
                status(&output),
                2,
                "{protocol} {name}: {}",
                text(&output.stderr)
            );
        }
    };
    without(
        "stopless-for-rmo",
        &[
            "fence-after-wide-forward",
            "fence-after-copy",
            "fence-before-flip",
        ],
    );
    for staccato in ["staccato", "staccato-fence", "staccato-rel-fence"] {
        without(
            staccato,
            &[
                "read-sync",
                "write-sync",
                "yieldpoint-fence",
                "copying-cas-result",
            ],
        );
    }
    without("clover-fix", &["alpha-check"]);
    without("clover-for-rmo", &["alpha-check", "fence-before-alpha"]);
    for sapphire in ["sapphire-iteration", "sapphire-llsc"] {
        without(
            sapphire,
            &["collector-fences", "mutator-fence", "fence-after-last"],
        );
    }
    for stopping in ["baker", "replication", "compressor", "pauseless"] {
        without(stopping, &["yieldpoint-fence"]);
    }
    without("replication", &["log"]);
    without("compressor", &["fence-before-unprotect"]);
    without("schism", &["publication-fence"]);
    without("x86-sapphire", &["check-fence"]);
    for words in [
        "--protocol chicken --with fence-after-forward",
        "--protocol x86-sapphire --with literal-fence",
    ] {
        let output = refmap(&format!(
            "check copying {words} --memory sc --scenario rw --quiet"
        ));
        assert_eq!(status(&output), 0, "{words}: {}", text(&output.stderr));
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("it is an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn the_table_is_printed_with_what_the_paper_leaves_out_in_parentheses() {
    let output = refmap("table copying");
    assert_eq!(status(&output), 0);
    let printed = text(&output.stdout);
    has(&printed, "124 of 124 published cells agree");
    has(&printed, "138 of 138 cells are as claimed");
    assert_eq!(printed.matches("(holds)").count(), 12);
    assert_eq!(printed.matches("(wr fails)").count(), 2);
    let row = printed.lines().find(|line| line.starts_with("chicken"));
    let row = row.expect("there is such a row");
    let words: Vec<_> = row.split("  ").filter(|word| !word.is_empty()).collect();
    let words: Vec<_> = words.iter().map(|word| word.trim()).collect();
    assert_eq!(
        words,
        [
            "chicken",
            "holds",
            "holds",
            "wr fails",
            "both fail",
            "wr fails",
            "both fail"
        ]
    );
}

/// Output of a command over Clover's row with α = 1, with wrong expectations in two of its cells.
fn over_a_wrong_row(words: &str) -> String {
    let mut catalogue = catalogue();
    for table in &mut catalogue.tables {
        let Rows::Published(published) = &mut table.rows else {
            continue;
        };
        let is_clover = |row: &PublishedRow| row.given.starts_with("--protocol clover --alpha 1");
        published.rows.retain(is_clover);
        if table.name == "copying" {
            let row = &mut published.rows[0];
            row.cells[0] = Expected::published(Failing(3));
            row.cells[1] = Expected::found(Failing(1));
        }
    }
    let words = ["refmap"].into_iter().chain(words.split_whitespace());
    let mut output = Vec::new();
    let status = refmap_cli::run(
        "refmap",
        "",
        &catalogue,
        words.map(OsString::from),
        &AtomicBool::new(false),
        TextOptions::default(),
        &mut output,
    );
    assert_eq!(status.expect("it is carried out"), Status::Success);
    text(&output)
}

/// Each differing cell has one line, whether its result was published or not.
#[test]
fn cells_that_are_not_as_claimed_are_named_by_row_and_column() {
    let printed = over_a_wrong_row("table copying");
    for line in [
        "protocol clover, alpha 1, sc: holds; paper: both fail; claimed: both fail",
        "protocol clover, alpha 1, tso: holds; claimed: wr fails",
    ] {
        assert!(printed.lines().any(|other| other == line), "{printed}");
    }
    assert!(!printed.contains("pso-full:"), "{printed}");
    let heading = printed.lines().find(|line| line.starts_with("protocol"));
    let heading = heading.expect("the columns have names");
    let at = |name| heading.find(name).expect("it is a column");
    let widest = "! wr not exercised  ";
    assert_eq!(at("pso-full") - at("tso"), widest.len());
}

/// A sweep without published results reports no agreement with a paper.
#[test]
fn a_table_of_our_own_says_nothing_of_a_paper() {
    let printed = over_a_wrong_row("table copying-ablations --json");
    let table: Value = serde_json::from_str(&printed).expect("it is JSON");
    let cell = &table["rows"][0]["cells"][0];
    assert_eq!(keys(cell), ["memory", "ours", "states", "seconds"]);
}
