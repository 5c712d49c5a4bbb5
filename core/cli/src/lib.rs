//! Command line of refmap over a user-defined catalogue.
//!
//! A [`Catalogue`](catalogue::Catalogue) is data: named checks with their parameters, claims about them, tables,
//! programs for fence synthesis, and stress runs on real threads. One catalogue serves the command line, its
//! default run, the tests and the documentation, so that every claim is checked. A project gets the command line
//! over its own checks with a `main` of a few lines:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     let catalogue = refmap_cli::catalogue::Catalogue::default();
//!     refmap_cli::main("my-project", "Checks that my queue is a queue.", &catalogue)
//! }
//! ```
//!
//! This crate names no system. Results go to standard output, progress and errors to standard error. Of refmap's
//! libraries, only this one prints and exits.

pub mod catalogue;
mod command_line;
pub mod graph;
mod in_order;
pub mod table;

pub use command_line::{
    CommandError, HistoryFileError, OutputFile, SizeError, Status, TraceFileError, Unwritten, main,
    markdown, run,
};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
