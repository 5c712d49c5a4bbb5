//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::time::Instant;

use super::counts::Counts;
use super::error::CheckError;
use super::found::Found;
use super::judge::{self, Labelled};
use super::obligations::Obligations;
use super::settings::{Search, Settings, Symmetry};
#[cfg(feature = "stepper")]
use super::stepper::Stepper;
use super::subject::{Enumerated, QuotientOf, Subject, Typed, declared, quotient};
use super::visitor::Plan;
use super::walks;
use crate::erased::ErasedRefinement;
use crate::explore::{FINGERPRINT_BITS, Record, Storage};
use crate::model_call::{UNNAMED, take_tolerated};
use crate::refinement::Refinement;
use crate::report::Report;
use crate::report::number::grouped;
use crate::state::Kept;
use crate::symmetry::Symmetric;
use crate::type_correct::TypeCorrect;

/// Discharges the obligations of `refinement` on all reachable states of its instance.
///
/// The report has neither a name nor parameters: see [`Report::named`].
///
/// # Errors
///
/// If `settings` name an obligation that the refinement does not have, or ask for what only a
/// [`Checker`] can be told of, or the refinement contradicts itself (two invariants of one name, a
/// waiver for an unknown rule).
pub fn check<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError> {
    Checker::new(refinement).check(settings)
}

/// A refinement, and what its systems have beside them: which states are type-correct, what can be exchanged.
///
/// ```no_run
/// # use refmap::{Refinement, Report, Settings, TypeCorrect};
/// # use refmap::obligation::{CheckError, Checker};
/// fn check<R>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError>
/// where
///     R: Refinement<Concrete: TypeCorrect>,
/// {
///     Checker::new(refinement).inductive().check(settings)
/// }
/// ```
///
/// A check is compiled where the checker is made, and not once more where it is run: the search, that is, and all else is the
/// library's.
pub struct Checker<'a, R: Refinement> {
    refinement: &'a R,
    run: fn(Checker<'a, R>, &Settings<'_>) -> Result<Report, CheckError>,
    enumerated: Option<Enumerated<R>>,
    quotient: Option<QuotientOf<R>>,
}

impl<'a, R: Refinement> Checker<'a, R> {
    /// A check of `refinement`, of whose systems nothing is known but that they are systems.
    pub fn new(refinement: &'a R) -> Self {
        Self {
            refinement,
            run: Self::run,
            enumerated: None,
            quotient: None,
        }
    }

    /// `inductive:*` can be chosen.
    #[must_use]
    pub fn inductive(mut self) -> Self
    where
        R::Concrete: TypeCorrect,
    {
        self.enumerated = Some(Enumerated::new());
        self
    }

    /// States that differ by a permutation can be identified.
    #[must_use]
    pub fn symmetric(mut self) -> Self
    where
        R::Concrete: Symmetric,
        R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
    {
        self.quotient = Some(quotient::<R>);
        self
    }

    /// Discharges the obligations that `settings` choose.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn check(self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        (self.run)(self, settings)
    }

    fn run(self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        guarded(settings, &|| {
            let started = Instant::now();
            let subject = Typed::new(self.refinement, self.enumerated, self.quotient)?;
            run(&subject, settings, started)
        })
    }
}

/// Runs a check: whatever a model does, it ends with a report or an error.
fn guarded(
    settings: &Settings<'_>,
    run: &dyn Fn() -> Result<Report, CheckError>,
) -> Result<Report, CheckError> {
    // What another check on this thread did without is not this one's.
    take_tolerated();
    #[cfg(feature = "stepper")]
    if settings.step_through.is_some() {
        // What receives the refinement is not the model.
        return run();
    }
    #[cfg(not(feature = "stepper"))]
    let _ = settings;
    declared(UNNAMED, run)?
}

/// Discharges the obligations of a refinement that `settings` choose.
fn run(
    subject: &dyn Subject,
    settings: &Settings<'_>,
    started: Instant,
) -> Result<Report, CheckError> {
    let refinement = declared(UNNAMED, || ErasedRefinement::of(subject))?;
    let invariants = refinement.invariants();
    let constraint = refinement.constraint();
    let declare = || Obligations::new(&refinement, &invariants, settings, subject.is_enumerated());
    let obligations = declared("a function that declares something of the model", declare)??;
    if subject.kept() == Kept::Encoded
        && settings.storage == Storage::Fingerprints
        && let Some(bits) = subject.shape().bits()
        && bits <= FINGERPRINT_BITS
        && settings.search == Search::Exhaustive
    {
        return Err(CheckError::FingerprintsOfSmallStates { bits });
    }
    let is_quotient = settings.symmetry == Symmetry::Full;
    if is_quotient {
        subject.identify()?;
    }
    if let Some(declared) = settings.declared {
        declared(obligations.chosen());
        return Err(CheckError::OnlyDeclared);
    }
    let out_of_time = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let plan = || Plan::new(&refinement, &invariants, obligations, settings.until);
    let mut plan = declared(UNNAMED, plan)?;
    plan.constraint = constraint.as_ref();
    plan.asking.symmetry = is_quotient.then_some(subject);
    #[cfg(feature = "stepper")]
    if let Some(step_through) = settings.step_through {
        plan.needs.environment = false;
        plan.needs.fairness = false;
        plan.asking.asks_again = false;
        step_through(Stepper::new(&plan));
        return Err(CheckError::SteppedThrough);
    }
    plan.asking.out_of_time = &out_of_time;
    let enumerated = subject.is_enumerated().then_some(subject);
    if let Search::Walks(walks) = settings.search {
        plan.needs.environment = false;
        plan.needs.fairness = false;
        plan.asking.walks = true;
        let mut report = walks::report(&plan, walks, settings, enumerated);
        report.seconds = started.elapsed().as_secs_f64();
        return Ok(report);
    }
    plan.asking.fingerprints = settings.storage == Storage::Fingerprints;
    let needs_graph = plan.obligations.need_graph(&refinement, settings);
    let record = match needs_graph {
        true => Record::Graph,
        false => Record::States,
    };
    let mut searched = subject.search(&plan, settings, record);
    searched.totals.cut = cut(&plan, &searched.counts);
    let of = (&refinement, settings, plan.asking.started);
    let symmetry = is_quotient.then(|| subject.symmetry());
    let mut found = Found::new(of, searched.totals, &*searched.states, symmetry);
    found.constraint = plan.constraint;
    let labelled = Labelled {
        recorded: &searched.recorded,
        inputs: &searched.inputs,
        between: &plan.between.all(),
    };
    let mut report = judge::report(&plan, &searched.counts, &labelled, enumerated, &found);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Reason why what was found nowhere may be found beyond a bound of the instance, if the bound left something out.
fn cut(plan: &Plan<'_>, counts: &Counts) -> Option<String> {
    let constraint = plan.constraint.filter(|_| counts.constraint.outside() > 0);
    let of_constraint = constraint.map(|constraint| {
        let (states, were) = match counts.constraint.outside() {
            1 => ("1 state".to_owned(), "was"),
            outside => (format!("{} states", grouped(outside)), "were"),
        };
        let name = constraint.name();
        format!("{states} outside of the constraint `{name}` {were} not expanded")
    });
    of_constraint.or_else(|| {
        let cut_off = counts
            .deadlock
            .cut_off(plan.asking.refinement.implementation())?;
        Some(cut_off.told())
    })
}
