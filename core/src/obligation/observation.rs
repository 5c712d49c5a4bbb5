//! `observation`: a state and its image show the same, π₁(f(s)) = π₂(s) for every state s reached.
//!
//! Source: Havelund & Shankar, Definition 6 (1).

use super::choice::Choice;
use super::counterexample::counterexample;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::Tested;
use crate::report::Counterexample;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::named;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::shown::number::grouped;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::Place;

const KIND: ObligationKind = ObligationKind::Observation;

/// Observation of a state of the implementation.
type ObservationIn<R> = <<R as Refinement>::Implementation as TransitionSystem>::Observation;

#[derive(Clone)]
pub(super) struct ObservationRow {
    pub row: ObligationRow,
}

impl ObservationRow {
    pub fn new(choice: &Choice<'_>) -> Self {
        Self {
            row: choice.by_default(KIND.to_string()),
        }
    }

    /// Tests a state beside its image, and says what it shows.
    #[inline(always)]
    pub fn test<R: Refinement>(
        refinement: &R,
        tested: &mut Tested,
        place: Place,
        state: &StateOf<R::Implementation>,
        image: &StateOf<R::Specification>,
    ) -> ObservationIn<R> {
        let mapped = named("`observe` of the specification", || {
            refinement.specification().call_observe(image)
        });
        let own = named("`observe` of the implementation", || {
            refinement.implementation().call_observe(state)
        });
        tested.note(place, named("`eq` of an observation", || mapped == own));
        own
    }

    pub fn judge<R: Refinement>(
        &self,
        tested: Tested,
        found: &SearchResult<'_, R>,
    ) -> Option<Judged> {
        let refinement = found.refinement;
        self.row.judged(Weight::Behaviour, || {
            let fails = |trace: &_| {
                let (own, mapped) = shown(refinement, trace);
                own != mapped
            };
            found.judge(&self.row, tested, &fails, &|trace| {
                explain(refinement, trace)
            })
        })
    }

    /// That the observation is the same in all reachable states, if it is.
    pub fn doubt<R: Refinement>(&self, found: &SearchResult<'_, R>) -> Option<String> {
        let implementation = found.refinement.implementation();
        let count = found.states.len();
        if !self.row.selected || count < 2 {
            return None;
        }
        let mut states = found.few().chain(found.kept().map(|(_, state)| state));
        let first = implementation.call_observe(&states.next()?);
        let same = states.all(|state| implementation.call_observe(&state) == first);
        (same && found.looked_at_all()).then(|| {
            format!(
                "all {} states reached show the same, so `observation` says nothing, and the specification may hide what \
                 matters",
                grouped(count as u64)
            )
        })
    }
}

/// Observations of the last state of a behaviour, and of its image.
fn shown<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> (ObservationIn<R>, ObservationIn<R>) {
    let own = refinement.implementation().call_observe(trace.last());
    let image = refinement.call_map(trace.last());
    (own, refinement.specification().call_observe(&image))
}

/// That the last state of a behaviour and its image show different things.
pub(super) fn explain<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> Counterexample {
    let (own, mapped) = shown(refinement, trace);
    let explanation =
        format!("the implementation shows {own:?}, and the mapped state shows {mapped:?}");
    counterexample(refinement, trace, explanation)
}
