//! A refinement whose implementation makes its type-correct states.

use super::findings::Findings;
use crate::obligation::found::TellProgress;
use crate::obligation::settings::Settings;
use crate::statement::asked::type_correct::Choices;
use crate::statement::erased::ErasedState;

/// A refinement whose implementation makes its type-correct states.
pub(in crate::obligation) trait Enumerated: Sync {
    /// Passes over all type-correct states, and looks for those `reached` among them.
    fn induct(
        &self,
        reached: &[ErasedState],
        settings: &Settings<'_>,
        tell: TellProgress<'_>,
    ) -> Findings;
    /// The type-correct state of some choices.
    fn make(&self, choices: &mut Choices) -> ErasedState;
    /// The numbers that are written of a state; none if a state is kept whole, or does not fit its packing.
    fn numbers(&self, state: &ErasedState) -> Option<Vec<WrittenNumber>>;
}

/// A number that is written of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::obligation) struct WrittenNumber {
    /// The greatest that it may be.
    pub most: u64,
    /// The number.
    pub value: u64,
}
