//! `refmap new`: what it writes runs, and its tests pass.

use std::path::Path;
use std::process::{Command, Output};

/// The workspace, which is a checkout of refmap.
fn checkout() -> &'static Path {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR"));
    checks.parent().expect("it is in the workspace")
}

fn new(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refmap"));
    command.arg("new").arg(folder).args(arguments);
    command.output().expect("it runs")
}

/// The words of `text`, those that are measured left out: seconds, memory and cores.
fn words(text: &str) -> Vec<&str> {
    let words: Vec<_> = text.split_whitespace().collect();
    let is_unit = |word: &&str| ["s", "s,", "MiB,", "threads,"].contains(word);
    let is_measured = |at: usize| words.get(at + 1).is_some_and(is_unit);
    (0..words.len())
        .filter(|at| !is_measured(*at))
        .map(|at| words[at])
        .collect()
}

#[test]
fn a_new_project_runs_and_its_tests_pass() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = here.path().join("counter");
    let written = new(&folder, &["--refmap", &checkout().display().to_string()]);
    assert!(written.status.success(), "{written:?}");
    // The versions that the workspace has locked, so that nothing is fetched.
    let lock = std::fs::read(checkout().join("Cargo.lock")).expect("the workspace has one");
    std::fs::write(folder.join("Cargo.lock"), lock).expect("there is room");
    // A folder that is kept: what was compiled for an earlier run is used again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let cargo = |words: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(words).arg("--offline").current_dir(&folder);
        cargo
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .expect("it runs")
    };
    let tested = cargo(&["test", "--quiet"]);
    assert!(tested.status.success(), "{tested:?}");
    // All claims at once, by cargo.
    let claims = cargo(&["run", "--quiet"]);
    let text = String::from_utf8_lossy(&claims.stdout);
    let all_are = text.contains("3 as claimed, 0 otherwise");
    assert!(claims.status.success() && all_are, "{text}");
    let page = checkout().join("examples/book/src/your-own-project.md");
    let page = std::fs::read_to_string(page).expect("there is a page");
    let blocks: Vec<_> = page.split("```text\n$ cargo run").skip(1).collect();
    assert_eq!(blocks.len(), 3, "the page has other commands");
    for block in blocks {
        let block = block.split("\n```").next().expect("it ends");
        let (command, shown) = block.split_once('\n').expect("it shows something");
        let arguments = command.split_whitespace().filter(|word| *word != "--");
        let output = Command::new(target.join("debug/counter"))
            .args(arguments)
            .output()
            .expect("it was built");
        let printed = String::from_utf8(output.stdout).expect("it is text");
        assert_eq!(words(shown), words(&printed), "{command}:\n{printed}");
    }
}

#[test]
fn nothing_is_written_over_what_is_there() {
    let here = tempfile::tempdir().expect("there is room");
    let refused = new(here.path(), &[]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.starts_with("error: "), "{message}");
    let refused = new(&here.path().join("2pc"), &[]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        message.contains("\"2pc\" is no name of a package"),
        "{message}"
    );
}
