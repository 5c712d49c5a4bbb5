//! Published queues: the project `published`, which is no part of the workspace.

use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "minutes"]
fn nightly_published_queues_have_their_verdicts() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--release", "--locked"]);
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("published"));
    let output = cargo.env("CARGO_TARGET_DIR", target).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    // Seven of queues with a fault, and four of others.
    let passed = "test result: ok. 11 passed; 0 failed; 5 ignored";
    assert!(printed.contains(passed), "{printed}");
}
