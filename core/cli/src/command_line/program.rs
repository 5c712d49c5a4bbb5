//! Program whose command line it is.

use crate::catalogue::Catalogue;

/// Program over a catalogue.
#[derive(Clone, Copy)]
pub(super) struct Program<'a> {
    pub name: &'static str,
    /// Description in a line.
    pub about: &'static str,
    pub catalogue: &'a Catalogue,
}
