//! `initiality`: f maps every initial state to an initial state, and there is one.
//!
//! Source: Havelund & Shankar, Definition 6 (2).

use super::choice::Choice;
use super::counterexample::counterexample;
use super::found::SearchResult;
use super::row::{Judged, ObligationRow, Weight};
use super::tested::Tested;
use crate::report::{Counterexample, Obligation};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::named;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::StateOf;
use crate::statement::trace::Trace;
use crate::walk::explore::Place;

const KIND: ObligationKind = ObligationKind::Initiality;

#[derive(Clone)]
pub(super) struct Initiality {
    pub row: ObligationRow,
}

impl Initiality {
    pub fn new(choice: &Choice<'_>) -> Self {
        Self {
            row: choice.by_default(KIND.to_string()),
        }
    }

    /// Tests the image of a state, if the state is initial.
    #[inline(always)]
    pub fn test<R: Refinement>(
        refinement: &R,
        tested: &mut Tested,
        place: Place,
        image: &StateOf<R::Specification>,
    ) {
        if place.length == 0 {
            let is_initial = || refinement.specification().call_is_initial(image);
            tested.note(
                place,
                named("`is_initial` of the specification", is_initial),
            );
        }
    }

    pub fn judge<R: Refinement>(
        &self,
        tested: Tested,
        found: &SearchResult<'_, R>,
    ) -> Option<Judged> {
        let refinement = found.refinement;
        self.row.judged(Weight::Behaviour, || {
            let totals = &found.totals;
            // Where a limit or a fault of the model came first it is not known whether there is one.
            let is_known =
                totals.limit.is_none() && totals.panic.is_none() && totals.initial_misfit.is_none();
            if totals.initial_states == 0 && is_known {
                let explanation = "the implementation has no initial state, so nothing was checked";
                let nothing = Counterexample::without_steps(explanation.to_owned());
                return Obligation::violated(0, vec![nothing]);
            }
            let fails = |trace: &Trace<R::Implementation>| {
                let image = refinement.call_map(trace.last());
                !refinement.specification().call_is_initial(&image)
            };
            found.judge(&self.row, tested, &fails, &|trace| {
                explain(refinement, trace)
            })
        })
    }
}

/// That an initial state maps to no initial state.
pub(super) fn explain<R: Refinement>(
    refinement: &R,
    trace: &Trace<R::Implementation>,
) -> Counterexample {
    let explanation = "the mapped state is not an initial state of the specification";
    counterexample(refinement, trace, explanation.to_owned())
}
