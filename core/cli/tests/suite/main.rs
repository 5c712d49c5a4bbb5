//! Test suite of `refmap-cli`.

mod claims;
mod damaged;
mod escapes;
mod fences;
mod graph;
mod histories;
mod include;
mod names;
mod objects;
mod obligations;
mod outputs;
mod pictures;
mod reading;
mod run_all;
mod samples;
mod several;
mod shell;
mod tables;

use refmap_cli::catalogue::{Catalogue, Check};

/// A catalogue of checks alone.
fn over(checks: Vec<Check>) -> Catalogue {
    Catalogue {
        checks,
        ..Catalogue::default()
    }
}

/// Cases that a test has as lines.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty())
}

/// The same of what is given and what is expected, with `=>` between them.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    lines(text).map(|line| line.split_once(" => ").expect(line))
}

/// Tests that a text has a part.
#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in: {text}");
}
