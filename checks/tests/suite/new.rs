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

#[test]
fn a_new_project_runs_and_its_tests_pass() {
    let here = tempfile::tempdir().expect("there is room");
    let folder = here.path().join("my-counter");
    let written = new(&folder, &["--refmap", &checkout().display().to_string()]);
    assert!(written.status.success(), "{written:?}");
    // The versions that the workspace has locked, so that nothing is fetched.
    let lock = std::fs::read(checkout().join("Cargo.lock")).expect("the workspace has one");
    std::fs::write(folder.join("Cargo.lock"), lock).expect("there is room");
    let cargo = |words: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        // A folder that is kept: what was compiled for an earlier run is used again.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
        cargo.args(words).arg("--offline").current_dir(&folder);
        cargo
            .env("CARGO_TARGET_DIR", target)
            .output()
            .expect("it runs")
    };
    let tested = cargo(&["test", "--quiet"]);
    assert!(tested.status.success(), "{tested:?}");
    let claims = cargo(&["run", "--quiet"]);
    let text = String::from_utf8_lossy(&claims.stdout);
    assert!(
        claims.status.success() && text.contains("3 as claimed, 0 otherwise"),
        "{text}"
    );
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

/// The book explains the program that is written: the two are the same but for its anchors.
#[test]
fn the_book_explains_this_project() {
    let read = |path: &str| std::fs::read_to_string(checkout().join(path)).expect("it is there");
    let plain = |text: String| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| !line.contains("ANCHOR") && !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let book = plain(read("examples/book/counter/src/main.rs"));
    assert_eq!(plain(read("core/cli/template/main.rs")), book);
}
