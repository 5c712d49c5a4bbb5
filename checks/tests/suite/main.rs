//! The tests of the catalogue and of the command line over it.

mod book;
mod broken_pipe;
mod browser;
mod catalogue;
mod command_line;
mod compare;
mod copying;
mod fences;
mod flags;
mod imports;
mod inclusion;
mod litmus;
mod modes;
mod new;
mod packages;
mod program;
mod tiers;
mod validate;
mod walks;
mod words;

/// Tests that a text has a part.
#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in: {text}");
}
