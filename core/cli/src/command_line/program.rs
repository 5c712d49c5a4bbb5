//! Program whose command line it is.

use super::error::CommandError;
use super::status::Status;
use crate::catalogue::Catalogue;

/// Program over a catalogue.
#[derive(Clone, Copy)]
pub(super) struct Program<'a> {
    pub name: &'static str,
    /// Description in a line.
    pub about: &'static str,
    pub catalogue: &'a Catalogue,
    /// Function that ends the process with what a command comes to; none where the process is not the program's own.
    pub end: Option<fn(Result<Status, CommandError>) -> !>,
}
