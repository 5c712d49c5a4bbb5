//! The reached state that comes nearest to one that views leave.

use std::collections::HashSet;

use crate::report::{Counterexample, NearestReached, Value, changes};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::catch;
use crate::statement::asked::visit::some_initial;
use crate::statement::erased::ErasedSystem;
use crate::view::crowd::BESIDES;
use crate::walk::random::walk::again;

/// Walks of an instance, and their steps, on which states are compared.
const WALKS: u32 = 128;
const STEPS: u32 = 64;
/// The most initial states from which they begin.
const MOST_INITIAL: usize = 256;
/// Their seed.
const SEED: u64 = 0;

/// Says of a counterexample in a state that views leave which state of the instance comes nearest that is reached by random walks.
pub(super) fn compare(system: &ErasedSystem<'_>, counterexample: &mut Counterexample) {
    let Some(Value::Object(shown)) = counterexample.steps.first().map(|step| &step.state) else {
        return;
    };
    let mut shown = shown.clone();
    shown.retain(|field, _| !field.ends_with(BESIDES));
    let shown = Value::Object(shown);
    // A model that panics here does so where it is told, too.
    let Ok(Some(nearest)) = catch(|| nearest(system, &shown)) else {
        return;
    };
    counterexample.nearest_reached = Some(Box::new(nearest));
}

fn nearest(system: &ErasedSystem<'_>, other: &Value) -> Option<NearestReached> {
    let (initial, _) = some_initial(system, MOST_INITIAL);
    if initial.is_empty() {
        return None;
    }
    let mut met = HashSet::new();
    let mut nearest: Option<NearestReached> = None;
    for walk in 0..WALKS {
        let walked = again(system, &initial, SEED, walk, STEPS);
        for (steps, state) in (0..).zip(walked.states()) {
            if !met.insert(state.clone()) {
                continue;
            }
            let state = system.call_show(state);
            let differs = changes(&state, other);
            if nearest
                .as_ref()
                .is_none_or(|nearest| differs.len() < nearest.differs.len())
            {
                nearest = Some(NearestReached {
                    state,
                    walk,
                    seed: SEED,
                    steps,
                    differs,
                });
            }
        }
    }
    nearest
}
