//! Tests that a broken pipe preserves the verdict's exit status.

use std::fs;
use std::io;
use std::process::Command;

use crate::has;

/// Exit status of `refmap` with these arguments if the reader closes the pipe before anything is written.
fn status_on_broken_pipe(words: &str) -> i32 {
    let (reader, writer) = io::pipe().expect("there are pipes");
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_refmap"))
        .args(words.split_whitespace())
        .stdout(writer)
        .status();
    let status = status.expect("the program runs");
    status.code().expect("the program ends by itself")
}

#[test]
fn the_exit_status_is_that_of_the_verdict() {
    for (more, expected) in [
        ("", 0),
        ("--json", 0),
        ("--figure-14 as-printed", 1),
        ("--figure-14 as-printed --json", 1),
        ("--max-depth 3", 3),
    ] {
        let words = format!("check ben-ari-3 --nodes 2 --sons 1 {more}");
        assert_eq!(status_on_broken_pipe(&words), expected, "{words}");
    }
    assert_eq!(status_on_broken_pipe("list"), 0);
}

/// If rows or files remain undecided, the status is `incomplete`, not success.
#[test]
fn an_interrupted_command_is_incomplete() {
    let litmus = concat!(env!("CARGO_MANIFEST_DIR"), "/../systems/litmus");
    for (words, expected) in [
        ("table yrc".to_owned(), 3),
        ("table copying".to_owned(), 3),
        (format!("litmus {litmus}/SB.litmus"), 0),
        (format!("litmus {litmus}/SB.litmus {litmus}/MP.litmus"), 3),
    ] {
        assert_eq!(status_on_broken_pipe(&words), expected, "{words}");
    }
}

/// Other errors than a closed pipe are reported.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
        .arg("list")
        .stdout(full.expect("there is a device that is always full"))
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).expect("the program prints text");
    has(&told, "cannot write the results");
}

#[test]
fn the_counterexample_is_written_on_a_broken_pipe() {
    let path = std::env::temp_dir().join(format!("refmap-unread-{}.json", std::process::id()));
    let file = path.display();
    let words = format!("check ben-ari-3 --nodes 2 --sons 1 --figure-14 as-printed --trace {file}");
    assert_eq!(status_on_broken_pipe(&words), 1);
    let trace = fs::read_to_string(&path).expect("the trace is written");
    fs::remove_file(&path).expect("the trace can be removed");
    has(&trace, "states");
}
