//! Pages of HTML, and the explorer, without a browser.

mod explorer;
mod model;
mod pages;

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use refmap::internal::TextOptions;
use refmap_cli::{CommandError, Status};

/// Carries out a command over the catalogue of [`model`].
fn run(
    words: &[&str],
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let words = ["test"].iter().chain(words).map(OsString::from);
    let catalogue = model::catalogue();
    let options = TextOptions::default();
    refmap_cli::run("test", "a test", &catalogue, words, cancel, options, output)
}
