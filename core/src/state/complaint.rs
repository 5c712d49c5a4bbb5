//! Reasons why a state cannot be written.

use std::fmt::Write;

use super::sink::{Misfit, Part, Sink};
use crate::state::PackingError;

/// Finds the first value that is not as it is said to be, and the way to it.
#[derive(Default)]
pub(crate) struct Complaint {
    path: String,
    /// The lengths of the ways to what was entered.
    lengths: Vec<usize>,
    error: Option<PackingError>,
}

impl Complaint {
    /// Complaint that was found.
    pub fn error(self) -> Option<PackingError> {
        self.error
    }
}

impl Sink for Complaint {
    fn number(&mut self, most: u64, value: u64) {
        if value > most {
            self.misfit(Misfit::Integer {
                value: value.into(),
                low: 0,
                high: most.into(),
            });
        }
    }

    fn enter(&mut self, part: Part<'_>) {
        self.lengths.push(self.path.len());
        write!(self.path, "{part}").expect("a text takes any text");
    }

    fn leave(&mut self) {
        if let Some(length) = self.lengths.pop() {
            self.path.truncate(length);
        }
    }

    fn misfit(&mut self, misfit: Misfit) {
        let field = match self.path.trim_start_matches('.') {
            "" => "the state",
            path => path,
        };
        self.error
            .get_or_insert_with(|| PackingError::OutsideRange {
                field: field.to_owned(),
                misfit,
            });
    }
}
