//! What a command says where nobody reads its results: the status of what it decided.

use std::fs;
use std::io;
use std::process::Command;

/// The exit status of `refmap` with these arguments where whoever would have read the results is gone before
/// anything is written.
fn unread(words: &str) -> i32 {
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
fn the_verdict_is_in_the_status_though_nobody_reads_it() {
    for (more, expected) in [
        ("", 0),
        ("--json", 0),
        ("--figure-14 as-printed", 1),
        ("--figure-14 as-printed --json", 1),
        ("--max-depth 3", 3),
    ] {
        let words = format!("check ben-ari-3 --nodes 2 --sons 1 {more}");
        assert_eq!(unread(&words), expected, "{words}");
    }
    assert_eq!(unread("list"), 0);
}

/// A row or a file that is left is not said to be as it should.
#[test]
fn what_is_left_when_nobody_reads_on_is_incomplete() {
    let litmus = concat!(env!("CARGO_MANIFEST_DIR"), "/../systems/litmus");
    for (words, expected) in [
        ("table yrc".to_owned(), 3),
        ("table copying".to_owned(), 3),
        (format!("litmus {litmus}/SB.litmus"), 0),
        (format!("litmus {litmus}/SB.litmus {litmus}/MP.litmus"), 3),
    ] {
        assert_eq!(unread(&words), expected, "{words}");
    }
}

/// Results that somebody waits for and does not get are another matter.
#[cfg(target_os = "linux")]
#[test]
fn where_there_is_no_room_for_the_results_that_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_refmap"))
        .arg("list")
        .stdout(full.expect("there is a device that is always full"))
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).expect("the program prints text");
    assert!(told.contains("cannot write the results"), "{told}");
}

#[test]
fn the_counterexample_is_written_though_nobody_reads_the_report() {
    let path = std::env::temp_dir().join(format!("refmap-unread-{}.json", std::process::id()));
    let file = path.display();
    let words = format!("check ben-ari-3 --nodes 2 --sons 1 --figure-14 as-printed --trace {file}");
    assert_eq!(unread(&words), 1);
    let trace = fs::read_to_string(&path).expect("the trace is written");
    fs::remove_file(&path).expect("the trace can be removed");
    assert!(trace.contains("states"), "{trace}");
}
