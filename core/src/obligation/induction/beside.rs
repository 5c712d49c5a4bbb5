//! The state that was reached beside a state in which there is a gap.

use super::reached::ReachedStates;
use super::variables::Variables;
use crate::report::{NearestReached, Value, changes};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::tolerated;
use crate::statement::erased::ErasedSystem;

/// A state that was reached, and differs from another one in as few variables as any of those that are known.
#[derive(Clone, Debug)]
pub(super) struct NearbyState {
    /// The state, as reports show it.
    pub shown: Value,
    /// Number of the walk, and its seed.
    pub walk: u32,
    pub seed: u64,
    /// Number of the steps to it.
    pub steps: u32,
}

impl NearbyState {
    /// The one beside the state of these values; none if no walk reached any.
    pub fn new(
        implementation: &ErasedSystem<'_>,
        variables: &Variables<'_>,
        reached: &ReachedStates,
        values: &[u64],
    ) -> Option<Self> {
        let base = &reached.bases[reached.nearest(values)?];
        Some(Self {
            shown: tolerated(|| implementation.call_show(&variables.make(&base.values)))?,
            walk: base.walk,
            seed: reached.seed,
            steps: base.steps,
        })
    }

    /// The state beside another one, as a report shows them.
    pub fn told(&self, other: &Value) -> NearestReached {
        NearestReached {
            differs: changes(&self.shown, other),
            state: self.shown.clone(),
            walk: self.walk,
            seed: self.seed,
            steps: self.steps,
        }
    }
}
