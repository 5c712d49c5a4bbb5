//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::time::Instant;

use super::counts::Counts;
use super::error::CheckError;
use super::found::{Found, Totals};
use super::induction::{self, Enumerated};
use super::obligations::Obligations;
use super::recorded::Recorded;
use super::settings::{Search, Settings, Symmetry};
#[cfg(feature = "stepper")]
use super::stepper::Stepper;
use super::visitor::Tester;
use super::{judge, walks};
use crate::explore::{End, Explored, FINGERPRINT_BITS, Options, Record, Storage, explore};
use crate::model_call::{UNNAMED, catch, named, take_tolerated};
use crate::refinement::Refinement;
use crate::report::Report;
use crate::report::number::grouped;
use crate::state::{Kept, Limits, State};
use crate::symmetry::{Quotient, Symmetric, TestedQuotient};
use crate::system::{StateOf, TransitionSystem};
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
/// A check is compiled where the checker is made, and not once more where it is run.
pub struct Checker<'a, R: Refinement> {
    refinement: &'a R,
    run: fn(Checker<'a, R>, &Settings<'_>) -> Result<Report, CheckError>,
    enumerated: Option<Enumerated<R>>,
    quotient: Option<QuotientOf<R>>,
}

/// Makes the quotient of the implementation by the symmetry that a refinement's systems have in common.
type QuotientOf<R> = for<'s> fn(&'s <R as Refinement>::Concrete) -> Box<dyn TestedQuotient<R> + 's>;

/// What a model declares beside its states, which no counterexample can show.
fn declared<T>(function: &str, declare: impl FnOnce() -> T) -> Result<T, CheckError> {
    catch(|| named(function, declare)).map_err(|panic| CheckError::Panicked(Box::new(panic)))
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
        self.enumerated = Some(Enumerated {
            decide: induction::decide::<R>,
            state: induction::state::<R::Concrete>,
        });
        self
    }

    /// States that differ by a permutation can be identified.
    #[must_use]
    pub fn symmetric(mut self) -> Self
    where
        R::Concrete: Symmetric,
        R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
    {
        self.quotient = Some(|system| Box::new(Quotient::of(system)));
        self
    }

    /// Discharges the obligations that `settings` choose.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn check(self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        // What another check on this thread did without is not this one's.
        take_tolerated();
        // Whatever a model does, a check ends with a report or an error.
        let run = || (self.run)(self, settings);
        #[cfg(feature = "stepper")]
        if settings.step_through.is_some() {
            // What receives the refinement is not the model.
            return run();
        }
        declared(UNNAMED, run)?
    }

    fn run(self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        let started = Instant::now();
        let refinement = self.refinement;
        let shape = || StateOf::<R::Concrete>::shape(refinement.implementation(), Limits::NONE);
        let shape = declared("`shape` of a state", shape)?;
        if let Some(wrong) = shape.error() {
            return Err(CheckError::WrongLimits(Box::new(wrong.clone())));
        }
        let invariants = declared("`invariants`", || refinement.invariants())?;
        let constraint = declared("`constraint`", || refinement.constraint())?;
        let is_enumerated = self.enumerated.is_some();
        let declare = || Obligations::new(refinement, &invariants, settings, is_enumerated);
        let obligations = declared("a function that declares something of the model", declare)??;
        if StateOf::<R::Concrete>::KEPT == Kept::Encoded
            && settings.storage == Storage::Fingerprints
            && let Some(bits) = shape.bits()
            && bits <= FINGERPRINT_BITS
            && settings.search == Search::Exhaustive
        {
            return Err(CheckError::FingerprintsOfSmallStates { bits });
        }
        let quotient = match (settings.symmetry, self.quotient) {
            (Symmetry::None, _) => None,
            (Symmetry::Full, Some(quotient)) => {
                let system = refinement.implementation();
                let made = declared("`permutations`", || quotient(system))?;
                if made.quotient().permutations() == 0 {
                    return Err(CheckError::NoPermutations);
                }
                Some(made)
            }
            (Symmetry::Full, None) => return Err(CheckError::NotSymmetric),
        };
        if let Some(declared) = settings.declared {
            declared(obligations.chosen());
            return Err(CheckError::OnlyDeclared);
        }
        let tester = || Tester::new((refinement, &invariants), obligations, settings.until);
        let mut tester = declared(UNNAMED, tester)?;
        tester.constraint = constraint.as_ref();
        tester.asking.symmetry = quotient.as_deref();
        #[cfg(feature = "stepper")]
        if let Some(step_through) = settings.step_through {
            tester.needs.environment = false;
            tester.needs.fairness = false;
            tester.asking.asks_again = false;
            step_through(Stepper::new(&tester));
            return Err(CheckError::SteppedThrough);
        }
        let out_of_time = || {
            let limit = settings.limits.out_of_time(&settings.watch, started);
            limit.is_some()
        };
        tester.asking.out_of_time = &out_of_time;
        let enumerated = self.enumerated.as_ref();
        if let Search::Walks(walks) = settings.search {
            tester.needs.environment = false;
            tester.needs.fairness = false;
            tester.asking.walks = true;
            let mut report = walks::report(&tester, walks, settings, enumerated);
            report.seconds = started.elapsed().as_secs_f64();
            return Ok(report);
        }
        tester.asking.fingerprints = settings.storage == Storage::Fingerprints;
        let needs_graph = tester.obligations.need_graph(refinement, settings);
        let options = Options {
            threads: settings.threads,
            limits: settings.limits,
            watch: settings.watch,
            record: match needs_graph {
                true => Record::Graph,
                false => Record::States,
            },
            order: settings.order,
            storage: settings.storage,
            symmetry: quotient.as_deref().map(TestedQuotient::quotient),
        };
        let explored = explore(refinement.implementation(), &tester, &options);
        let recorded = Recorded::of(&explored);
        let of = (refinement, settings, tester.asking.started);
        let mut totals = totals(&explored);
        totals.cut = cut(&tester, &explored.tally);
        let mut found = Found::new(of, totals, explored.reached(), options.symmetry);
        found.constraint = constraint.as_ref();
        let mut report = judge::report(&tester, &explored.tally, &recorded, enumerated, &found);
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// Reason why what was found nowhere may be found beyond a bound of the instance, if the bound left something out.
fn cut<R: Refinement>(tester: &Tester<'_, R>, counts: &Counts<R>) -> Option<String> {
    let constraint = tester
        .constraint
        .filter(|_| counts.constraint.outside() > 0);
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
            .cut_off(tester.refinement.implementation())?;
        Some(cut_off.told())
    })
}

/// The figures of a search.
fn totals<S: TransitionSystem, T>(explored: &Explored<S, T>) -> Totals {
    let misfit = explored.initial_misfit.as_ref();
    Totals {
        complete: explored.is_complete(),
        cut: None,
        limit: match explored.end {
            End::Limit(limit) => Some(limit),
            End::Complete | End::Stopped | End::Panicked => None,
        },
        initial_states: explored.initial_states,
        states: explored.states() as u64,
        transitions: explored.transitions,
        depth: explored.depth,
        unexamined: explored.unexamined,
        seconds: explored.seconds,
        peak_memory_bytes: explored.peak_memory_bytes,
        kept: Some(explored.kept),
        panic: explored.panic.clone(),
        initial_misfit: misfit.map(|(state, error)| {
            format!("an initial state cannot be packed: {error}; it is {state:?}")
        }),
    }
}
