//! Checkpoints on the command line: what is killed goes on, and what cannot is refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use refmap::random::Generator;
use serde_json::Value;
use tempfile::tempdir;

use crate::has;
use crate::program::{json, refmap, refused, text};

/// The report of a command, without what differs from run to run.
fn report(output: &Output) -> Value {
    let mut report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let fields = report.as_object_mut().expect("a report is an object");
    for name in ["seconds", "peak_memory_bytes", "threads", "checkpoints"] {
        fields.remove(name);
    }
    if fields.contains_key("rung") {
        // Abstract states of steps that were taken before are not met again.
        fields.remove("specification_states");
    }
    report
}

/// Runs a command, `check NAME` say, that is killed again and again, each time after a while, and that goes on each time with another number of
/// threads; what it says in the end, and how often it was killed after a checkpoint.
fn killed(words: &str, folder: &Path, kills: u32, longest: Duration, seed: u64) -> (Value, u32) {
    let mut generator = Generator::new(seed);
    let mut resumed = 0;
    let begins = words.split(' ').take(2);
    for kill in 0..=kills {
        let is_there = folder.join("checkpoint").exists();
        if !is_there {
            // It was killed before the first one.
            let _ = fs::remove_dir_all(folder);
        }
        resumed += u32::from(is_there);
        let mut command = Command::new(env!("CARGO_BIN_EXE_refmap"));
        if is_there {
            command.args(begins.clone()).arg("--resume").arg(folder);
        } else {
            command
                .args(words.split(' '))
                .arg("--checkpoint")
                .arg(folder);
        }
        let threads = 1 + generator.below(3);
        command
            .args([
                "--every",
                "0.001",
                "--json",
                "--threads",
                &threads.to_string(),
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        if kill < kills {
            let while_it_runs = longest.mul_f64(generator.below(1000) as f64 / 1000.0);
            let begun = Instant::now();
            while begun.elapsed() < while_it_runs
                && child.try_wait().expect("it can be asked").is_none()
            {
                thread::sleep(Duration::from_millis(2));
            }
            if child.try_wait().expect("it can be asked").is_none() {
                // SIGKILL: nothing is tidied up.
                child.kill().expect("it can be killed");
                child.wait().expect("it has ended");
                continue;
            }
        }
        let output = child.wait_with_output().expect("the program ends");
        return (report(&output), resumed);
    }
    unreachable!("the last one is not killed")
}

/// A command that is killed says what it says otherwise.
fn compare(words: &str, kills: u32, seed: u64) -> u32 {
    let folder = tempdir().expect("there is room for a folder");
    let folder = folder.path().join("kept");
    let whole = tempdir().expect("there is room for a folder");
    let begun = Instant::now();
    let whole = refmap(&format!(
        "{words} --checkpoint {} --every 0.001 --json",
        whole.path().join("kept").display()
    ));
    // So that a search is killed so often before it ends, about.
    let longest = begun.elapsed() * 2 / (kills + 2);
    let whole = report(&whole);
    let (found, resumed) = killed(words, &folder, kills, longest, seed);
    assert_eq!(found, whole, "{words}");
    resumed
}

/// A search that ends with the first violation, after 119 steps.
const VIOLATED: &str = "check tso --without insertion-barrier --obligations observation,initiality,simulation,agency,deadlock";

#[test]
fn a_check_that_is_killed_goes_on() {
    for (seed, check) in (1..).zip([
        "check ben-ari-3 --nodes 4 --sons 1 --without environment*",
        VIOLATED,
    ]) {
        let resumed = compare(check, 2, seed);
        assert!(resumed > 0, "{check}");
    }
}

#[test]
#[ignore = "a minute"]
fn slow_checks_that_are_killed_in_every_mode_go_on() {
    for (seed, check) in (1..).zip([
        "check ben-ari-3 --nodes 4 --sons 1 --without environment*",
        "check ben-ari-3 --nodes 4 --sons 1 --without environment* --storage whole",
        "check ben-ari-3 --nodes 4 --sons 1 --without environment* --figure-14 as-printed --keep-going",
        VIOLATED,
    ]) {
        let resumed = compare(check, 6, seed);
        assert!(resumed > 0, "{check}");
    }
}

#[test]
#[ignore = "minutes"]
fn slow_a_large_check_is_killed_at_twenty_moments() {
    let resumed = compare(
        "check ben-ari-3 --nodes 5 --sons 1 --without environment*",
        20,
        5,
    );
    assert!(resumed > 5, "{resumed}");
    for (seed, violated) in (6..).zip([
        "check ben-ari-3 --nodes 4 --sons 1 --without environment* --figure-14 as-printed --keep-going",
        VIOLATED,
    ]) {
        let resumed = compare(violated, 20, seed);
        assert!(resumed > 2, "{violated}: {resumed}");
    }
}

/// A prophecy is needed, so that pairs are searched to the end.
const PO_FIFO: &str = "include po-fifo --enqueuers 2 --dequeuers 2 --data 2 --ids 2";

#[test]
fn an_inclusion_that_is_killed_goes_on() {
    for (seed, words) in (1..).zip([PO_FIFO.to_owned(), format!("{PO_FIFO} --receives any")]) {
        let resumed = compare(&words, 2, seed);
        assert!(resumed > 0 || words != PO_FIFO, "{words}");
    }
}

#[test]
#[ignore = "minutes"]
fn slow_an_inclusion_is_killed_at_twenty_moments() {
    let resumed = compare(PO_FIFO, 20, 7);
    assert!(resumed > 5, "{resumed}");
}

#[test]
fn what_an_inclusion_cannot_resume_is_refused_with_the_reason() {
    let all = tempdir().expect("there is room for a folder");
    let kept = all.path().join("kept");
    let kept = kept.display();
    let include = "include po-fifo --enqueuers 2 --dequeuers 1 --data 2 --ids 1";
    let written = json(&format!("{include} --checkpoint {kept} --every 0 --json"));
    assert!(written["checkpoints"]["checkpoints"].as_u64() > Some(3));
    let resumed = json(&format!(
        "include po-fifo --resume {kept} --json --threads 1"
    ));
    for name in [
        "parameters",
        "verdict",
        "rung",
        "pairs",
        "states",
        "evidence",
    ] {
        assert_eq!(resumed[name], written[name], "{name}");
    }
    refused(
        &format!("{include} --checkpoint {kept}"),
        &["has a checkpoint, which would be lost"],
    );
    refused(
        &format!("check po-fifo --resume {kept}"),
        &["is one of the command \"include\""],
    );
    refused(
        &format!("include ben-ari-3 --resume {kept}"),
        &["is one of the check \"po-fifo\""],
    );
    refused(
        &format!("{include} --resume {kept}"),
        &["cannot be used with '--resume <DIR>'"],
    );
    refused("include po-fifo --every 1", &["give '--checkpoint <DIR>'"]);
}

/// Two systems in files are known by what is in them.
#[test]
fn an_inclusion_of_files_goes_on() {
    let all = tempdir().expect("there is room for a folder");
    let path = |name: &str| all.path().join(name).display().to_string();
    let [one, other, kept] = ["one.aut", "other.aut", "kept"].map(path);
    let write = |path: &str, text: &str| fs::write(path, text).expect("there is room");
    write(&one, "des (0, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(2, c, 0)\n");
    write(&other, "des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n");
    let written = json(&format!(
        "include {one} {other} --checkpoint {kept} --every 0 --json"
    ));
    assert_eq!(written["verdict"], "not_included");
    assert_eq!(written["trace_length"], 3);
    let resumed = json(&format!("include {one} {other} --resume {kept} --json"));
    assert_eq!(resumed["evidence"], written["evidence"]);
    refused(
        &format!("include {other} {one} --resume {kept}"),
        &["the checksum of the"],
    );
    refused(
        &format!("include po-fifo --resume {kept}"),
        &["is one of the check \"of two files\""],
    );
}

#[test]
fn what_cannot_be_resumed_is_refused_with_the_reason() {
    let all = tempdir().expect("there is room for a folder");
    let kept = all.path().join("kept");
    let kept = kept.display();
    refused(
        &format!("check ben-ari-3 --resume {kept}"),
        &["has no checkpoint"],
    );
    let written = json(&format!(
        "check ben-ari-3 --nodes 2 --sons 1 --checkpoint {kept} --every 0 --json"
    ));
    assert!(written["checkpoints"]["checkpoints"].as_u64() > Some(10));
    // What needs the complete graph says so, and the verdict with it.
    assert_eq!(written["verdict"], "incomplete");
    refused(
        &format!("check ben-ari-3 --checkpoint {kept}"),
        &["has a checkpoint, which would be lost"],
    );
    refused(
        &format!("check ben-ari-2 --resume {kept}"),
        &["is one of the check \"ben-ari-3\""],
    );
    refused(
        &format!("check ben-ari-3 --nodes 3 --resume {kept}"),
        &["the argument '--nodes' cannot be used with '--resume <DIR>'"],
    );
    refused(
        &format!("check ben-ari-3 --resume {kept} --checkpoint {kept}"),
        &["cannot be used with"],
    );
    refused("check ben-ari-3 --every 1", &["give '--checkpoint <DIR>'"]);
    refused(
        &format!("check ben-ari-3 --walks 3 --checkpoint {kept}"),
        &["cannot be used with"],
    );
    let resumed = json(&format!("check ben-ari-3 --resume {kept} --json"));
    assert_eq!(resumed["parameters"], written["parameters"]);
    assert_eq!(resumed["states"], written["states"]);
    assert!(resumed["checkpoints"]["resumed_states"].as_u64() > Some(0));
}

/// A search that a limit has ended goes on under other limits.
#[test]
fn a_limit_is_of_one_command() {
    let all = tempdir().expect("there is room for a folder");
    let kept = all.path().join("kept");
    let kept = kept.display();
    let check = "ben-ari-3 --nodes 3 --sons 1 --without environment*";
    let ended = json(&format!(
        "check {check} --max-depth 20 --checkpoint {kept} --json"
    ));
    assert_eq!(ended["limit"]["depth"], 20);
    let further = json(&format!(
        "check ben-ari-3 --resume {kept} --max-depth 40 --json"
    ));
    assert_eq!(further["limit"]["depth"], 40);
    assert!(further["states"].as_u64() > ended["states"].as_u64());
    let resumed = json(&format!("check ben-ari-3 --resume {kept} --json"));
    let whole = json(&format!("check {check} --json"));
    for name in [
        "verdict",
        "states",
        "transitions",
        "depth",
        "coverage",
        "obligations",
    ] {
        assert_eq!(resumed[name], whole[name], "{name}");
    }
}

/// A disk without room ends the search with the reason, and what the last checkpoint had is there.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_search() {
    let all = tempdir().expect("there is room for a folder");
    let kept = all.path().join("kept");
    // A limit on the size of files, as `ulimit` sets it, in blocks of 512 bytes or of 1024.
    let script = format!(
        "trap '' XFSZ; ulimit -f 60; exec \"$0\" check ben-ari-3 --nodes 3 --sons 1 --without 'environment*' \
         --checkpoint {} --every 0 --json",
        kept.display()
    );
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_refmap")])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("it prints a report");
    assert_eq!(found["limit"], "disk");
    let ended = found["checkpoints"]["ended"].as_str().expect("it says why");
    has(ended, "states");
    let resumed = json(&format!(
        "check ben-ari-3 --resume {} --json",
        kept.display()
    ));
    assert_eq!(resumed["states"], 12_751);
    assert_eq!(resumed["verdict"], "holds");
}
