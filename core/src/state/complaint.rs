//! Why a state cannot be written.

use super::sink::{Misfit, Sink};
use crate::packed::PackingError;

/// Finds the first value that is not as it is said to be.
#[derive(Default)]
pub(crate) struct Complaint {
    field: Option<&'static str>,
    error: Option<PackingError>,
}

impl Complaint {
    /// What was found.
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

    fn field(&mut self, name: &'static str) {
        self.field = Some(name);
    }

    fn misfit(&mut self, misfit: Misfit) {
        let field = self.field.unwrap_or("the state");
        self.error
            .get_or_insert_with(|| PackingError::OutsideRange {
                field: field.to_owned(),
                misfit,
            });
    }
}
