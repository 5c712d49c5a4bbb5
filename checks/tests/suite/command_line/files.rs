//! The files that commands write: whose they are, where they lead, and what is left.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{refmap, status, text};

const HOLDS: &str = "check ben-ari-3 --nodes 2 --sons 1 --quiet";
const VIOLATED: &str = "check ben-ari-3 --nodes 2 --sons 1 --figure-14 as-printed --quiet";

/// `refmap` with these words, and with a trace written to `file`, by a process with this umask.
fn traced(words: &str, file: &Path, umask: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_refmap"))
        .args(words.split(' '))
        .arg("--trace")
        .arg(file)
        .output()
        .expect("the program runs")
}

fn mode(file: &Path) -> u32 {
    let file = fs::metadata(file).expect("there is a file");
    file.permissions().mode() & 0o777
}

fn is_trace(text: &str) -> bool {
    let trace: Result<Value, _> = serde_json::from_str(text);
    trace.is_ok_and(|trace| {
        trace["states"]
            .as_array()
            .is_some_and(|all| all.len() == 34)
    })
}

fn has_trace(file: &Path) -> bool {
    is_trace(&fs::read_to_string(file).expect("there is a file"))
}

#[test]
fn a_new_file_has_the_permissions_of_the_umask_and_another_keeps_its_own() {
    let folder = tempfile::tempdir().expect("there is a folder");
    for (umask, expected) in [("022", 0o644), ("027", 0o640), ("002", 0o664)] {
        let file = folder.path().join(format!("{umask}.json"));
        assert_eq!(status(&traced(VIOLATED, &file, umask)), 1);
        assert_eq!(mode(&file), expected, "{umask}");
        assert!(has_trace(&file));
    }
    let file = folder.path().join("kept.json");
    fs::write(&file, "old ".repeat(100_000)).expect("it can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o606)).expect("they can be set");
    assert_eq!(status(&traced(VIOLATED, &file, "022")), 1);
    assert_eq!(mode(&file), 0o606);
    assert!(has_trace(&file));
    assert_eq!(fs::read_dir(&folder).expect("there is a folder").count(), 4);
}

#[test]
fn links_are_followed_whether_or_not_there_is_a_file() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("elsewhere")).expect("it can be made");
    fs::write(path("elsewhere/there.json"), "old").expect("it can be written");
    symlink("elsewhere/there.json", path("to-there.json")).expect("it can be made");
    symlink("elsewhere/new.json", path("elsewhere-new.json")).expect("it can be made");
    symlink("elsewhere-new.json", path("to-new.json")).expect("it can be made");
    for (link, target) in [
        ("to-there.json", "elsewhere/there.json"),
        ("to-new.json", "elsewhere/new.json"),
    ] {
        assert_eq!(status(&traced(VIOLATED, &path(link), "022")), 1);
        assert!(path(link).is_symlink());
        assert!(!path(target).is_symlink());
        assert!(has_trace(&path(target)), "{target}");
    }
    symlink("round.json", path("round.json")).expect("it can be made");
    let output = traced(VIOLATED, &path("round.json"), "022");
    assert_eq!(status(&output), 2);
    assert!(text(&output.stderr).contains("cannot write the trace"));
}

#[test]
fn standard_output_and_devices_get_what_a_file_would_have() {
    let output = traced(VIOLATED, Path::new("/dev/stdout"), "022");
    assert_eq!(status(&output), 1, "{}", text(&output.stderr));
    assert!(is_trace(&text(&output.stdout)));
    // Behind the report, where both go to one file, whatever it is called.
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("both.json");
    for path in [Path::new("/dev/stdout"), &file] {
        let both = fs::File::create(&file).expect("it can be made");
        let ended = Command::new(env!("CARGO_BIN_EXE_refmap"))
            .args(VIOLATED.trim_end_matches(" --quiet").split(' '))
            .arg("--trace")
            .arg(path)
            .stdout(both)
            .status();
        assert_eq!(ended.expect("the program runs").code(), Some(1));
        let both = fs::read_to_string(&file).expect("there is a file");
        let (report, trace) = both.split_at(both.find("\n{").expect("there is a trace"));
        assert!(report.contains("simulation fails after 33 steps"));
        assert!(is_trace(trace));
    }
    assert_eq!(status(&traced(VIOLATED, Path::new("/dev/null"), "022")), 1);
    #[cfg(target_os = "linux")]
    {
        let output = traced(VIOLATED, Path::new("/dev/full"), "022");
        assert_eq!(status(&output), 2);
        assert!(text(&output.stderr).contains("cannot write the trace to /dev/full"));
    }
}

/// With or without a counterexample its reader comes to an end.
#[test]
fn a_fifo_has_a_reader_who_comes_to_an_end() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("it can be made").success());
    for (words, expected) in [(VIOLATED, 1), (HOLDS, 0)] {
        let reader = {
            let file = file.clone();
            thread::spawn(move || fs::read_to_string(file).expect("it can be read"))
        };
        // The reader has to wait when nothing is written: nothing waits for a reader then.
        thread::sleep(Duration::from_millis(50));
        let output = traced(words, &file, "022");
        assert_eq!(status(&output), expected, "{}", text(&output.stderr));
        let read = reader.join().expect("it is read");
        assert_eq!(is_trace(&read), expected == 1);
        assert_eq!(read.is_empty(), expected == 0);
    }
    // And nothing waits where there is no reader.
    assert_eq!(status(&traced(HOLDS, &file, "022")), 0);
}

/// A file of an earlier run is not taken for one of this run.
#[test]
fn where_nothing_is_violated_an_earlier_file_is_named() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("trace.json");
    let told = |words: &str| {
        let output = traced(words, &file, "022");
        assert_eq!(status(&output), 0);
        text(&output.stderr)
    };
    assert_eq!(told(HOLDS), "");
    assert!(!file.exists());
    let aloud = HOLDS.trim_end_matches(" --quiet");
    assert_eq!(told(aloud), "no counterexample, so no trace was written\n");
    fs::write(&file, "").expect("it can be written");
    assert_eq!(told(HOLDS), "");
    fs::write(&file, "of yesterday").expect("it can be written");
    let expected = format!(
        "no counterexample, so no trace was written; {} is of an earlier run\n",
        file.display()
    );
    assert_eq!(told(HOLDS), expected);
    assert_eq!(told(aloud), expected);
    assert_eq!(
        fs::read_to_string(&file).expect("there is a file"),
        "of yesterday"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_a_run_that_is_killed() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("trace.json");
    let file = file.to_str().expect("it is text");
    let mut child = super::signals::long_check("", &["--trace", file]);
    thread::sleep(Duration::from_millis(200));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert_eq!(fs::read_dir(&folder).expect("there is a folder").count(), 0);
}

/// Histories are written as traces are.
#[test]
fn a_history_keeps_permissions_and_goes_to_standard_output() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    let recorded = |file: &Path| {
        let stress = "stress ben-ari --seconds 0.5 --quiet --record";
        let output = refmap(&format!("{stress} {}", file.display()));
        assert_eq!(status(&output), 0, "{}", text(&output.stderr));
        output
    };
    fs::write(&file, "").expect("it can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).expect("they can be set");
    recorded(&file);
    assert_eq!(mode(&file), 0o604);
    let output = recorded(Path::new("/dev/stdout"));
    let header = "{\"history\":\"refmap\"";
    for history in [
        text(&output.stdout),
        fs::read_to_string(&file).expect("there is a file"),
    ] {
        assert!(history.starts_with(header));
        assert!(history.lines().count() > 10);
    }
}
