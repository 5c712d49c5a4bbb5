//! Doubts: facts that make a verdict say less than it seems to. Vacuity is told.

use super::found::SearchResult;
use super::obligations::{ObligationCounts, Obligations};
use super::{constraint, coverage, deadlock, environment, induction};
use crate::report::{About, Warning};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{catch, named};
use crate::statement::erased::ErasedRefinement;
use crate::statement::refinement::Refinement;
use crate::walk::explore::Panic;

/// Findings of the judgement of some obligations that bear on what others say.
pub(super) struct Judgements<'a, R: Refinement> {
    pub environment: &'a environment::EnvironmentOutcome<R>,
    pub induction: Option<&'a induction::InductionOutcome<'a>>,
    /// The doubts of conditions of the implementation that assume nothing.
    pub assuming_nothing: &'a [String],
    /// Doubts about the rules of the specification.
    pub of_rules: &'a [String],
}

/// Everything that is doubtful. What a function of the model panics with, so that it is not known, is added to `panics`.
pub(super) fn warnings(
    obligations: &Obligations<'_>,
    counts: &ObligationCounts,
    judgements: &Judgements<'_, ErasedRefinement<'_>>,
    found: &SearchResult<'_, ErasedRefinement<'_>>,
    panics: &mut Vec<Panic>,
) -> Vec<Warning> {
    let Judgements {
        environment,
        induction,
        of_rules,
        ..
    } = *judgements;
    let refinement = found.refinement;
    let acting = counts.model.acting();
    let doubts: [(About, &dyn Fn() -> Option<String>); 8] = [
        (About::Constraint, &|| {
            constraint::doubt(&counts.constraint, found)
        }),
        (About::Specification, &|| {
            obligations.simulation.doubt(found)
        }),
        (About::Observation, &|| obligations.observation.doubt(found)),
        (About::MayStop, &|| {
            obligations.deadlock.doubt(&counts.deadlock, found)
        }),
        (About::Specification, &|| {
            deadlock::doubt_of_bound(&counts.deadlock, refinement)
        }),
        (About::Environment, &|| {
            let environment_of = &obligations.environment;
            environment_of.doubt_of_left_out(environment, acting.iter())
        }),
        (About::Environment, &|| {
            obligations.environment.doubt_of_untested(environment)
        }),
        (About::TypeCorrect, &|| {
            induction.and_then(|decided| decided.doubt.clone())
        }),
    ];
    let mut warnings = Vec::new();
    for (about, doubt) in doubts {
        match catch(doubt) {
            Ok(doubt) => warnings.extend(doubt.map(|text| Warning { about, text })),
            // What else is doubtful is told all the same.
            Err(panic) => panics.push(panic),
        }
    }
    match catch(|| refinement.implementation().call_caveats().doubts()) {
        Ok(doubts) => warnings.extend(doubts.into_iter().map(warning(About::Implementation))),
        Err(panic) => panics.push(panic),
    }
    let waivers = named("`waivers`", || refinement.waivers());
    let unreasoned = coverage::doubts_of_waivers(&waivers);
    let misnamed = counts.model.again.misnamed(refinement);
    let conditions = judgements.assuming_nothing.iter().cloned();
    warnings.extend(conditions.map(warning(About::Fairness)));
    warnings.extend(unreasoned.map(warning(About::Waiver)));
    warnings.extend(
        of_rules
            .iter()
            .cloned()
            .map(warning(About::SpecificationRule)),
    );
    warnings.extend(misnamed.into_iter().map(warning(About::Rule)));
    warnings
}

fn warning(about: About) -> impl Fn(String) -> Warning {
    move |text| Warning { about, text }
}
