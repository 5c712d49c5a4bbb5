//! Observations by number.

use std::sync::{PoisonError, RwLock};

use super::edge::StepLabel;
use crate::state::numbered::Numbered;
use crate::statement::erased::ErasedObservation;

/// Observations by number, which two systems share, and several workers. Their labels are one more.
#[derive(Default)]
pub(super) struct Observations(RwLock<Numbered<ErasedObservation>>);

impl Observations {
    /// Label of a step that leads to this observation, if that is another one than before. An observation may have panicked with the
    /// lock; those before it are as they were.
    pub fn label(&self, observation: ErasedObservation) -> StepLabel {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = all.find(&observation);
        drop(all);
        let add = || {
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            all.number(observation)
        };
        StepLabel(known.unwrap_or_else(add) + 1)
    }

    /// Observation that a label shows; none if it is invisible.
    pub fn observation(&self, label: StepLabel) -> Option<ErasedObservation> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let place = label.0.checked_sub(1)?;
        all.values().get(place as usize).cloned()
    }
}
