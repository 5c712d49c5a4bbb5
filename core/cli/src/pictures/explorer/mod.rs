//! Explorer: walks through a refinement in the browser, with no search behind it.
//!
//! A small server on the loopback address. What it shows is asked of the model when it is asked for; the address of a page
//! has the steps taken, so that a page can be opened again. It answers GET alone, for its own host alone, under a path
//! with a random token.

mod address;
mod http;
mod once;
mod place;
mod ran;
mod server;

pub use address::Address;
pub use server::{ExplorerError, Listen, Server};

use refmap::report::Report;

use super::include::Within;
use crate::watchdogs::Watchdogs;

/// Instance of a check that is explored.
pub struct Explored<'e> {
    /// Its name.
    pub check: &'e str,
    /// The instance: each parameter with its value.
    pub parameters: String,
    /// The command, as it is typed.
    pub command: &'e str,
    /// Checks it, for its counterexample.
    pub run: &'e (dyn Fn() -> Result<Report, String> + Sync),
    /// Compares its systems without the mapping, for the page of the comparison.
    pub compare: &'e (dyn Fn(Within<'_>) -> Result<String, String> + Sync),
    /// Watchdogs over what a page asks of the model.
    pub watchdogs: &'e Watchdogs,
}
