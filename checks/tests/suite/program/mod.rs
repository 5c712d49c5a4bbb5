//! Runs the program as a subprocess.

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
