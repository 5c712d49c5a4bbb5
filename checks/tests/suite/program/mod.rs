//! Runs the program as a subprocess, and compares what it prints with what a page shows.

use std::path::Path;
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

/// The workspace, which is a checkout of refmap.
pub fn checkout() -> &'static Path {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR"));
    checks.parent().expect("it is in the workspace")
}

/// Contents of a file of the checkout.
pub fn page(path: impl AsRef<Path>) -> String {
    let path = checkout().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
