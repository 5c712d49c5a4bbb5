//! Tests of the program `refmap`: its output and its exit statuses.

mod any_number;
mod checkpoints;
mod files;
mod junit;
mod messages;
mod offered;
mod processes;
mod recording;
mod schema;
mod shell;
mod signals;

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::has;
use crate::program::{each_is_refused, json, refmap, refused, status, text};

const SMALL: &str = "--nodes 2 --sons 1";

#[test]
fn a_check_that_holds_exits_with_0() {
    let output = refmap(&format!("check ben-ari-3 {SMALL}"));
    assert_eq!(status(&output), 0);
    assert!(text(&output.stdout).contains("holds, exhaustive"));
    assert!(
        output.stderr.is_empty(),
        "no progress where there is no terminal"
    );
}

#[test]
fn a_violation_exits_with_1_and_tells_its_story() {
    let output = refmap(&format!("check ben-ari-3 {SMALL} --figure-14 as-printed"));
    assert_eq!(status(&output), 1);
    let report = text(&output.stdout);
    for part in [
        "simulation fails after 33 steps",
        "collector: stop_appending  [Fig. 14, TEST_L.1, as printed]",
        "* chi       test_l → test_i             * chi       test_l → propagate",
        "0 ○ root → 1   1 ○ → 0   free list: 1",
        "by the same steps as simulation, above",
        "the nearest abstract actions, and why each does not fit",
        "stop_appending (as answered): chi would be colour_roots, and is propagate",
    ] {
        assert!(report.contains(part), "{part}\n\n{report}");
    }
}

#[test]
fn a_limit_exits_with_3_and_a_partial_report() {
    for limit in [
        "--max-states 100",
        "--max-depth 3",
        "--max-seconds 0.000001",
        "--max-memory 1KiB",
    ] {
        let output = refmap(&format!("check ben-ari-3 {limit} --json"));
        assert_eq!(status(&output), 3, "{limit}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verdict"], "incomplete");
        assert_eq!(report["evidence"], "bounded");
        assert!(report["states"].as_u64().unwrap() > 0);
        assert!(!report["limit"].is_null());
    }
    let report = json("check ben-ari-3 --max-states 100 --json");
    assert_eq!(report["states"], 100);
    let report = json("check ben-ari-3 --max-depth 3 --json");
    assert_eq!(report["depth"], 3);
}

#[test]
fn walks_exit_with_1_or_3() {
    let output = refmap(&format!(
        "check ben-ari-3 {SMALL} --figure-14 as-printed --walks 10 --steps 500 --seed 3"
    ));
    assert_eq!(status(&output), 1);
    let report = text(&output.stdout);
    for part in [
        " of 10 random walks of at most 500 steps, seed 3",
        "walk 0 of seed 3, ",
        "simulation fails after ",
    ] {
        assert!(report.contains(part), "{part}\n\n{report}");
    }
    let output = refmap(&format!("check ben-ari-3 {SMALL} --walks 10 --json"));
    assert_eq!(status(&output), 3);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["evidence"], "sampled");
    assert_eq!(
        report["walks"],
        serde_json::json!({"walks": 10, "steps": 1000, "seed": 0, "begun": 10})
    );
    assert_eq!(report["transitions"], 10_000);
}

#[test]
fn options_of_walks_go_together() {
    each_is_refused(
        "check ben-ari-3 ",
        "
--steps 9 => --walks <N>
--seed 9 => --walks <N>
--walks 0 => 0 is not in 1..
--walks 9 --steps 0 => 0 is not in 1..
--walks 9 --max-depth 3 => cannot be used with
--walks 9 --max-states 3 => cannot be used with",
    );
}

#[test]
fn expect_decides_the_exit_status() {
    let printed = format!("check ben-ari-3 {SMALL} --figure-14 as-printed --quiet");
    assert_eq!(status(&refmap(&format!("{printed} --expect violated"))), 0);
    assert_eq!(status(&refmap(&format!("{printed} --expect holds"))), 1);
    let limited = "check ben-ari-3 --max-states 9 --quiet";
    assert_eq!(
        status(&refmap(&format!("{limited} --expect incomplete"))),
        0
    );
    assert_eq!(status(&refmap(&format!("{limited} --expect holds"))), 1);
}

#[test]
fn the_json_report_has_what_was_found() {
    let report = json(&format!(
        "check ben-ari-3 {SMALL} --figure-14 as-printed --json"
    ));
    assert_eq!(report["check"], "ben-ari-3");
    assert_eq!(report["parameters"]["nodes"], 2);
    assert_eq!(report["parameters"]["colours"], "any");
    let row = &report["obligations"][2];
    assert_eq!(
        (&row["name"], &row["verdict"]),
        (&"simulation".into(), &"violated".into())
    );
    let rule = &report["coverage"][0];
    assert_eq!(
        (&rule["rule"], &rule["process"]),
        (&"mutate".into(), &"mutator".into())
    );
    let counterexample = &report["counterexample"];
    assert_eq!(counterexample["obligation"], "simulation");
    assert_eq!(counterexample["length"], 33);
    assert_eq!(counterexample["reachable"], true);
    assert!(counterexample["refused"].is_null());
    let steps = counterexample["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 34);
    assert!(steps[0]["action"].is_null());
}

#[test]
fn no_obligations_give_counts_and_no_verdict() {
    let output = refmap("check ben-ari-3 --colours white --obligations none --json");
    assert_eq!(status(&output), 0);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["verdict"].is_null());
    assert_eq!(report["states"], 415_633);
    assert_eq!(report["transitions"], 3_659_911);
    assert_eq!(report["obligations"], Value::Array(Vec::new()));
}

#[test]
fn chosen_obligations_are_the_only_ones() {
    let report = json(&format!(
        "check ben-ari {SMALL} --obligations invariant:inv1,environment --json"
    ));
    let names: Vec<_> = report["obligations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "invariant:inv1",
            "environment:mutate",
            "environment:at_rest"
        ]
    );
}

#[test]
fn keep_going_tells_the_fate_of_every_obligation() {
    let words =
        format!("check ben-ari {SMALL} --mutators 2 --mutator colour-first --keep-going --json");
    let report = json(&words);
    assert_eq!(report["evidence"], "exhaustive");
    let rows = report["obligations"].as_array().unwrap();
    let row = |name| rows.iter().find(|row| row["name"] == name).unwrap();
    let failures: Vec<_> = row("simulation")["counterexamples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            (
                found["length"].as_u64().unwrap(),
                found["steps"].as_array().unwrap().last().unwrap()["process"]
                    .as_str()
                    .unwrap(),
            )
        })
        .collect();
    // The mutator's own second step, and the collector's.
    assert_eq!(failures, [(36, "mutator 1"), (106, "collector")]);
    assert_eq!(row("environment:mutate")["verdict"], "incomplete");
    assert!(
        row("environment:mutate")["note"]
            .as_str()
            .unwrap()
            .contains("simulation fails")
    );
}

#[test]
fn bad_input_is_one_clear_message_and_exit_status_2() {
    each_is_refused(
        "",
        r#"
check ben-ari-3 --nodes 9 => --nodes … 9 … 1..=8
check ben-ari-3 --nodes 2 --roots 3 => roots is 3 … at most nodes, which is 2
check ben-ari-4 => ben-ari-4 … did you mean … there are: ben-ari-1
check ben-ari-3 --node 3 => --node … --nodes
check ben-ari-3 --colours black => black … any, white
check ben-ari-3 --obligations simulatoin => simulatoin … did you mean "simulation"
check ben-ari-3 --obligations invariant:inv7 => invariant:inv7 … there are
check ben-ari-3 --max-memory 4Gb => 4Gb … 512MiB … KiB, MiB, GiB, TiB and kB, MB, GB, TB
check ben-ari-3 --trace /no/such/folder/trace.json => /no/such/folder/trace.json
check ben-ari-3 --trace / => cannot write the trace to /
check ben-ari-3 --trace trace.txt => trace.txt … .itf.json or .json … .mmd … .dot
check ben-ari-3 --trace trace => must end in .itf.json
check => check … NAME
chekc ben-ari-3 => chekc … check"#,
    );
}

#[test]
fn the_trace_file_is_written_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("refmap-trace-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("trace.itf.json");
    let trace = format!("--quiet --trace {}", file.display());

    let output = refmap(&format!("check ben-ari-3 {SMALL} {trace}"));
    assert_eq!(status(&output), 0);
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        0,
        "no counterexample, no file"
    );

    let output = refmap(&format!(
        "check ben-ari-3 {SMALL} --figure-14 as-printed {trace}"
    ));
    assert_eq!(status(&output), 1);
    let written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["#meta"]["format"], "ITF");
    assert_eq!(written["states"].as_array().unwrap().len(), 34);
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "nothing is left beside it"
    );
    fs::remove_dir_all(&folder).unwrap();
}

/// The ending of the file chooses the format.
#[test]
fn counterexamples_are_written_as_diagrams_and_graphs() {
    let folder = std::env::temp_dir().join(format!("refmap-formats-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let written = |name: &str| {
        let file = folder.join(name);
        let words = format!("check ben-ari-3 {SMALL} --figure-14 as-printed --quiet --trace");
        let output = refmap(&format!("{words} {}", file.display()));
        assert_eq!(status(&output), 1, "{}", text(&output.stderr));
        fs::read_to_string(&file).unwrap()
    };
    let diagram = written("trace.mmd");
    assert!(diagram.starts_with("sequenceDiagram\n"));
    assert!(diagram.contains("33 stop_appending ⇒ stop_appending"));
    let graph = written("trace.dot");
    assert_eq!(graph.matches(" -> s").count(), 33);
    let trace: Value = serde_json::from_str(&written("trace.json")).unwrap();
    assert_eq!(trace["#meta"]["format"], "ITF");
    fs::remove_dir_all(&folder).unwrap();
}

/// Text is wrapped to the terminal's width, and is plain if it does not go to a terminal.
#[test]
fn text_fits_and_is_plain() {
    let words = format!("check ben-ari-3 {SMALL} --figure-14 as-printed");
    for (columns, more) in [(100, ""), (60, ""), (100, "--verbose")] {
        let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
            .args(words.split_whitespace().chain(more.split_whitespace()))
            .env("COLUMNS", columns.to_string())
            .output()
            .unwrap();
        let report = text(&output.stdout);
        assert!(!report.contains('\x1b'));
        for line in report.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        for step in 0..=33 {
            let number = format!("{step:>4}  ");
            let lines = report.lines().filter(|line| line.starts_with(&number));
            assert_eq!(lines.count(), 1, "step {step} of\n{report}");
        }
    }
}

/// The heap is drawn as the model draws it, on both sides.
#[test]
fn the_json_report_has_drawings() {
    let report = json(&format!(
        "check ben-ari {SMALL} --figure-14 as-printed --json"
    ));
    let last = report["counterexample"]["steps"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert!(
        last["drawing"].as_str().unwrap().contains("● root")
            || last["drawing"].as_str().unwrap().contains("○ root")
    );
    assert!(
        last["abstract_drawing"]
            .as_str()
            .unwrap()
            .starts_with("0 root")
    );
}

#[test]
fn quiet_leaves_json_and_errors_alone() {
    let output = refmap(&format!("check ben-ari-1 {SMALL} --quiet"));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    let output = refmap(&format!("check ben-ari-1 {SMALL} --quiet --json"));
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok());
    let output = refmap("check ben-ari-1 --quiet --nodes 0");
    assert!(!output.stderr.is_empty());
}

#[test]
fn the_catalogue_is_listed_for_people_and_programs() {
    let listed = json("list --json");
    let names: Vec<_> = listed["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    for name in ["ben-ari-1", "ben-ari-2", "ben-ari-3", "ben-ari"] {
        assert!(names.contains(&name));
    }
    assert!(!listed["claims"].as_array().unwrap().is_empty());
    let listed = text(&refmap("list").stdout);
    assert!(listed.contains("ben-ari-3: ") && listed.contains("--figure-14"));
}

#[test]
fn help_names_parameters_ranges_and_defaults() {
    let output = refmap("check ben-ari-3 --help");
    assert_eq!(status(&output), 0);
    let help = text(&output.stdout);
    for part in [
        "--nodes",
        "[1 to 8]",
        "[default: 3]",
        "redirect-first, colour-first",
        "--max-memory",
    ] {
        assert!(help.contains(part), "{part}\n{help}");
    }
}

/// A check may have a parameter `threads`; the engine's threads are then its workers.
#[test]
fn a_parameter_named_threads_leaves_workers_to_the_engine() {
    let report = json("check yrc-module --threads 2 --workers 1 --json");
    assert_eq!(report["parameters"]["threads"], 2);
    assert_eq!(
        (&report["threads"], &report["states"]),
        (&1.into(), &48.into())
    );
    assert_eq!(report["counterexample"]["obligation"], "environment:store");
    assert_eq!(report["counterexample"]["refused"]["store"]["value"], 0);
    for option in ["--threads", "--workers"] {
        let report = json(&format!("check ben-ari-1 {SMALL} {option} 1 --json"));
        assert_eq!(report["threads"], 1);
    }
}

#[test]
fn inductive_adds_its_obligations() {
    let report = json(&format!("check ben-ari-3 {SMALL} --inductive --json"));
    let rows = report["obligations"].as_array().unwrap();
    let inductive = |row: &&Value| row["name"].as_str().unwrap().starts_with("inductive:");
    assert_eq!(rows.iter().filter(inductive).count(), 15);
    let untyped = "does not enumerate type-correct states";
    refused("check yrc-module --inductive", &[untyped]);
}

/// The numbers of safe and unsafe combinations were found by this checker, and are pinned against change.
#[test]
#[ignore = "half a minute"]
fn slow_the_table_of_yrc_decides_every_combination() {
    let printed = schema::assert_fits("table", "table yrc --json --quiet");
    assert_eq!(printed["not_run"], 0);
    let rows = printed["rows"].as_array().unwrap();
    let with = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();
    assert_eq!((with("holds"), with("violated")), (218, 102));
    for row in rows {
        let violated = row["verdict"] == "violated";
        assert_eq!(row["length"].is_u64(), violated, "{row}");
        assert_eq!(row["by"].is_string(), violated, "{row}");
        let tried = row["instances"].as_array().unwrap().len();
        assert!(
            violated || tried == 4,
            "a row that holds was tried at every instance"
        );
    }
    let as_described = &rows[0];
    assert_eq!(as_described["length"], 14);
    assert_eq!(as_described["instances"].as_array().unwrap().len(), 1);
}

#[test]
fn an_unknown_table_is_refused() {
    refused("table yrk", &["yrc"]);
}

/// If the transition graph exceeds the memory limit, obligations that do not need it are decided, and the
/// others say why they are undecided, unless what was kept of it violates them.
#[test]
fn a_graph_without_room_makes_room_and_shows_what_it_can() {
    let check = "check ben-ari-3 --nodes 3 --sons 2 --colours white --threads 1 --json";
    let peak = |words: &str| json(words)["peak_memory_bytes"].as_u64().expect("a number");
    let without = peak(&format!("{check} --obligations simulation"));
    let with = peak(check);
    assert!(with > without + (8 << 20), "{without} {with}");
    let limit = without + (with - without) / 3;
    let report = json(&format!("{check} --max-memory {limit}"));
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["states"], 415_633);
    let rows = report["obligations"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect(name);
    assert_eq!(row("simulation")["verdict"], "holds");
    let open = row("environment:mutate");
    assert_eq!(open["verdict"], "incomplete");
    let note = open["note"].as_str().expect("a reason");
    has(note, "no room for the graph");
    has(note, "whose steps are known do not violate it");

    // A collector that may rest for ever does so from the start, and a search that a limit ends shows it.
    // Midway between the program by itself and its search.
    let alone = peak(&format!("{check} --obligations simulation --max-states 1"));
    let least = alone.midpoint(without);
    let unfair = "--fairness none --liveness --keep-going --max-memory";
    let report = json(&format!("{check} {unfair} {least}"));
    assert!(
        report["limit"]["memory_bytes"].is_u64(),
        "{}",
        report["limit"]
    );
    let rows = report["obligations"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect(name);
    assert_eq!(row("simulation")["verdict"], "incomplete");
    assert_eq!(row("fairness:collector")["verdict"], "violated");
}

#[test]
fn what_cannot_be_decided_in_a_mode_is_refused_with_the_reason() {
    each_is_refused(
        &format!("check ben-ari-1 {SMALL} "),
        "
--symmetry full --obligations environment => a quotient by symmetry exchanges them
--symmetry full --liveness --obligations fairness => it asks for fair cycles, and a cycle of a quotient by symmetry may come back with processes exchanged
--storage fingerprints => possible values: packed, whole
--order depth-first => unexpected argument '--order'",
    );
    refused("check yrc --symmetry full", &["no symmetry to offer"]);
}

/// Stress program that frees an object and stores during a collection under every schedule.
const TWO_CYCLES: &str =
    "alloc; discard 1; until get-roots; store 0.0=0; until idle; until get-roots; until idle";

/// A clean stress run is `incomplete`, and reports what it exercised.
#[test]
fn a_stress_run_without_a_violation_is_incomplete_and_exits_with_0() {
    let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
        .args(["stress", "collector", "--seconds", "0.01", "--seed", "3"])
        .args(["--program", TWO_CYCLES, "--program", TWO_CYCLES, "--json"])
        .output()
        .unwrap();
    assert_eq!(status(&output), 0, "{}", text(&output.stdout));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["check"], "stress collector");
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["evidence"], "sampled");
    assert!(report["failure"].is_null());
    for count in [
        "cycles",
        "freed",
        "handshakes",
        "marks",
        "stores_while_collecting",
    ] {
        assert!(report["counts"][count].as_u64().unwrap() > 0, "{count}");
    }
    let ben_ari = json("stress ben-ari --seconds 0.5 --json");
    assert_eq!(ben_ari["verdict"], "incomplete");
    assert!(ben_ari["counts"]["appended"].as_u64().unwrap() > 0);
}

/// A seeded fault is detected with a small failing program, whose history is refused.
#[test]
fn a_fault_in_the_native_collector_is_caught_and_its_history_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("history.jsonl");
    let shown = file.display();
    let run = refmap(&format!(
        "stress collector --fault early-sweep --json --record {shown}"
    ));
    assert_eq!(status(&run), 1, "{}", text(&run.stderr));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "violated");
    assert!(report["failure"]["operations"].as_u64().unwrap() <= 12);
    assert!(report["failure"]["failed"].as_u64().unwrap() > 0);
    assert!(report["recorded"]["events"].as_u64().unwrap() > 0);
    assert_eq!(report["recorded"]["fails"], true);
    let against = |name: &str| refmap(&format!("validate {shown} --against {name}"));
    let validate = || against("collect-only-garbage");
    let refused = validate();
    assert_eq!(status(&refused), 1, "{}", text(&refused.stdout));
    assert!(text(&refused.stdout).contains("is reachable"));
    let run = Command::new(env!("CARGO_BIN_EXE_refmap"))
        .args(["stress", "collector", "--seconds", "0.01"])
        .args(["--program", TWO_CYCLES, "--program", TWO_CYCLES, "--record"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(status(&run), 0, "{}", text(&run.stdout));
    assert_eq!(status(&validate()), 0);
    // The model has no heap of that size.
    let large = against("tso");
    assert_eq!(status(&large), 2);
    let told = text(&large.stderr);
    has(
        &told,
        "line 1: objects is 16, and must be a number from 1 to 4",
    );
    let small = "stress collector --seconds 0.1 --objects 4 --threads 1 --record";
    let run = refmap(&format!("{small} {shown}"));
    assert_eq!(status(&run), 0, "{}", text(&run.stdout));
    let held = against("tso");
    assert_eq!(status(&held), 0, "{}", text(&held.stdout));
}

/// The header of a history selects the validator of Ben-Ari's collector.
#[test]
fn histories_of_ben_ari_are_recorded_and_validated() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("history.jsonl");
    // It ends when something fails.
    for (fault, seconds, expected) in [("none", "1", 0), ("no-count", "20", 1)] {
        let stress = format!("stress ben-ari --seconds {seconds} --fault {fault} --json");
        let run = refmap(&format!("{stress} --record {}", file.display()));
        assert_eq!(status(&run), expected, "{}", text(&run.stdout));
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert!(report["recorded"]["events"].as_u64().unwrap() > 0);
        let against = |name: &str| refmap(&format!("validate {} --against {name}", file.display()));
        let decided = against("collect-only-garbage");
        assert_eq!(status(&decided), expected, "{}", text(&decided.stdout));
        assert_eq!(
            text(&decided.stdout).contains("is accessible"),
            expected == 1
        );
        // It is no history of the model.
        assert_eq!(status(&against("tso")), 2);
    }
}

/// A run that exercised nothing fails: it would hold vacuously.
#[test]
fn a_quiet_stress_run_fails() {
    let output = refmap("stress collector --seconds 0.1 --program safepoint");
    assert_eq!(status(&output), 1);
    let quiet = text(&output.stdout);
    let words: Vec<_> = quiet.split_whitespace().collect();
    let missing = "there was no object freed, no store during a collection";
    assert!(words.join(" ").contains(missing), "{quiet}");
    // As many threads as the program has.
    has(&quiet, "  threads 1");
    // Nothing is run whose history could not be written.
    each_is_refused(
        "stress ",
        r#"
collector --program nonsense => "nonsense" is no operation
collector --seconds 600 --record no-such-folder/h.jsonl => cannot write the history to no-such-folder/h.jsonl
colector => did you mean "collector""#,
    );
    // Longer than a clock goes.
    let output = refmap("stress collector --fault early-sweep --seconds 1e20");
    assert_eq!(status(&output), 1, "{}", text(&output.stderr));
}
