//! Runs the program as a subprocess, and compares what it prints with what a page shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `refmap` with these arguments.
pub fn refmap(words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refmap"))
        .args(words.split_whitespace())
        .env_remove("COLUMNS")
        .output()
        .expect("the program runs")
}

/// Exit status of `refmap`.
pub fn status(output: &Output) -> i32 {
    output.status.code().expect("the program ends by itself")
}

/// Standard output of `refmap`.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program prints text")
}

/// Standard output of `refmap`, parsed as JSON.
pub fn json(words: &str) -> Value {
    let output = refmap(words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{words}: {error}: {}", text(&output.stderr));
    })
}

/// Tests that a command exits with 2, prints nothing, and tells these parts in its error.
#[track_caller]
pub fn refused(words: &str, parts: &[&str]) {
    let output = refmap(words);
    let told = text(&output.stderr);
    assert_eq!(status(&output), 2, "{words}: {told}");
    for part in parts {
        assert!(told.contains(part), "{words}: {part:?} is not in {told}");
    }
    assert!(output.stdout.is_empty(), "{words}");
    assert!(!told.contains("panicked"), "{told}");
}

/// The same of each line `WORDS => PART … PART`; the words of all begin with `common`.
#[track_caller]
pub fn each_is_refused(common: &str, cases: &str) {
    for case in cases.lines().skip(1) {
        let (words, parts) = case.split_once(" => ").expect(case);
        let parts: Vec<_> = parts.split(" … ").collect();
        refused(&format!("{common}{words}"), &parts);
    }
}

/// The workspace, which is a checkout of refmap.
pub fn checkout() -> &'static Path {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR"));
    checks.parent().expect("it is in the workspace")
}

/// Files below a folder of the checkout whose names end so, but what is hidden or was built.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut folders = vec![checkout().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.expect("it has a name");
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if name.ends_with(ending) {
                files.push(path);
            }
        }
    }
    files
}

/// Contents of a file of the checkout.
pub fn page(path: impl AsRef<Path>) -> String {
    let path = checkout().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asserts that `printed` has the words of `shown`, but for measurements: seconds, memory and cores. `…` in `shown`
/// stands for any words.
pub fn assert_shows(shown: &str, printed: &str, command: &str) {
    assert!(shows(shown, printed), "{command}:\n{printed}");
}

fn shows(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (unmeasured(shown), unmeasured(printed));
    let parts: Vec<_> = shown.split(|word| *word == "…").collect();
    let (first, parts) = parts.split_first().expect("there is a first part");
    let Some((last, between)) = parts.split_last() else {
        return *first == printed;
    };
    let Some(mut rest) = printed.strip_prefix(*first) else {
        return false;
    };
    for part in between {
        let mut starts = 0..=rest.len();
        let Some(start) = starts.find(|start| rest[*start..].starts_with(part)) else {
            return false;
        };
        rest = &rest[start + part.len()..];
    }
    rest.ends_with(last)
}

fn unmeasured(text: &str) -> Vec<&str> {
    let words: Vec<_> = text.split_whitespace().collect();
    let is_unit = |word: &&str| ["s", "s,", "MiB,", "threads,"].contains(word);
    let is_measured = |at: usize| words.get(at + 1).is_some_and(is_unit);
    (0..words.len())
        .filter(|at| !is_measured(*at))
        .map(|at| words[at])
        .collect()
}

#[test]
fn what_is_shown_is_compared_word_by_word() {
    let printed = "counter threads 2\nholds\n12 states, 0.00 s, 7 MiB, 2 threads, packed\n";
    for shown in [
        "counter threads 2 holds 12 states, 9.99 s, 8 MiB, 4 threads, packed",
        "counter … packed",
        "… holds … packed",
        "counter … states, …",
        "…",
    ] {
        assert!(shows(shown, printed), "{shown}");
    }
    for other in [
        "counter threads 3 holds 12 states, 0.00 s, 7 MiB, 2 threads, packed",
        "threads 2 …",
        "… holds",
        "… 12 states, … holds … packed",
        "counter threads 2",
        "",
    ] {
        assert!(!shows(other, printed), "{other}");
    }
}
