//! Command line of refmap over a user-defined catalogue.
//!
//! A [`Catalogue`](catalogue::Catalogue) is data: named checks with their parameters, a page of claims about them, tables,
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
//! A check makes a refinement of its arguments, which are the fields of a struct, and a claim is a row of a page
//! ([`Catalogue::claims`](catalogue::Catalogue::claims) has its grammar):
//!
//! ```
//! use refmap::AbstractSteps::{self, One};
//! use refmap::obligation::Checker;
//! use refmap::{Action, Refinement, Settings, TransitionSystem};
//! use refmap_cli::catalogue::{Catalogue, Check, number};
//! use refmap_cli::clap;
//!
//! struct Counter(u8);
//! #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
//! enum Step { Increment }
//! impl TransitionSystem for Counter {
//!     type State = u8;
//!     type Action = Step;
//!     type Observation = bool;
//!     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0) }
//!     fn fire(&self, _: &Step, n: &mut u8) -> Option<()> {
//!         *n = (*n + 1) % self.0;
//!         Some(())
//!     }
//!     fn observe(&self, n: &u8) -> bool { n % 2 == 0 }
//! }
//!
//! /// A counter of any size refines one modulo 2, of which the parity is seen, if the size is even.
//! struct RefinesParity(Counter);
//! impl Refinement for RefinesParity {
//!     type Implementation = Counter;
//!     type Specification = Counter;
//!     fn implementation(&self) -> &Counter { &self.0 }
//!     fn specification(&self) -> &Counter { &Counter(2) }
//!     fn map(&self, n: &u8) -> u8 { n % 2 }
//!     fn abstract_steps(&self, _: &u8, _: &Step, _: &u8) -> AbstractSteps<Step> { One(Step::Increment) }
//! }
//!
//! #[derive(Clone, clap::Args)]
//! struct Scope {
//!     /// Size of the counter
//!     #[arg(long, default_value_t = 4, value_parser = number::<u8>(1..=9))]
//!     size: u8,
//! }
//!
//! let parity = Check::new(
//!     "parity",
//!     "a counter refines its parity",
//!     "this page",
//!     |scope: &Scope| Ok(Box::new(Checker::owning(RefinesParity(Counter(scope.size))))),
//! );
//! let claims = "
//! | claim | expected | source |
//! |---|---|---|
//! | `check parity` | holds, 4 states | this page: an even size has a parity |
//! | `check parity --size 3` | violated by simulation | this page: an odd one has none |
//! ";
//! let catalogue = Catalogue {
//!     checks: vec![parity],
//!     claims: claims.to_owned(),
//!     ..Catalogue::default()
//! };
//! for claim in catalogue.claims()? {
//!     let report = catalogue.run(&claim, &Settings::default())?;
//!     assert_eq!(claim.differences(&report), [""; 0]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The book in the repository, `examples/book`, begins with a project of your own that has such a catalogue;
//! `refmap new NAME` writes it.
//!
//! This crate names no system. Results go to standard output, progress and errors to standard error. Of refmap's
//! libraries, only this one prints and exits.

// What features share is used by none of them alone. With all of them nothing is unused.
#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, unused_imports, unused_mut, unused_variables)
)]

#[cfg(feature = "inclusion")]
pub mod aldebaran;
pub mod catalogue;
mod claims;
mod command_line;
#[cfg(feature = "graph")]
pub mod graph;
mod in_order;
mod json;
mod output_file;
#[cfg(feature = "pictures")]
mod pictures;
mod shell;
mod temporary;
mod watchdogs;

#[cfg(feature = "pictures")]
pub use pictures::check::html as page;

pub use catalogue::table;
/// Parser of command lines, whose [`Args`](clap::Args) the parameters of a check derive.
pub use clap;
#[cfg(feature = "histories")]
pub use command_line::HistoryFileError;
pub use command_line::{
    CommandError, JunitFileError, SizeError, Status, TraceFileError, main, run,
};
pub use output_file::{OutputFile, Unwritten};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
