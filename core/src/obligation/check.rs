//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::time::Instant;

use super::environment;
use super::examiner::Examiner;
use super::induction;
use super::judge::Judge;
use super::sampled::sampled;
use super::selection::{CheckError, rows};
use super::tally::Tally;
use super::{Search, Settings, Symmetry};
use crate::explore::{
    Explored, FINGERPRINT_BITS, Options, Record, Storage, catch, explore, explore_local,
    explore_packed,
};
use crate::invariant::Invariant;
use crate::local::{LocalRefinement, PackedLocal};
use crate::packed::Packed;
use crate::refinement::Refinement;
use crate::report::Report;
use crate::symmetry::{Quotient, Symmetric, TestedQuotient};
use crate::system::StateOf;
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

/// The same for a refinement whose implementation enumerates its type-correct states: `inductive:*`
/// can be chosen.
///
/// # Errors
///
/// As [`check`].
pub fn check_with_induction<R: Refinement>(
    refinement: &R,
    settings: &Settings<'_>,
) -> Result<Report, CheckError>
where
    R::Concrete: TypeCorrect,
{
    Checker::new(refinement).inductive().check(settings)
}

/// A refinement, and what its systems have beside them: how states are packed, which of them are
/// type-correct, what can be exchanged.
///
/// ```no_run
/// # use refmap::{Packed, Refinement, Report, Settings, TypeCorrect};
/// # use refmap::obligation::{CheckError, Checker};
/// fn check<R>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError>
/// where
///     R: Refinement<Concrete: Packed + TypeCorrect>,
/// {
///     Checker::new(refinement).packed().inductive().check(settings)
/// }
/// ```
pub struct Checker<'a, R: Refinement> {
    refinement: &'a R,
    explore: Explore<R>,
    /// The bits into which a state is packed.
    bits: Option<fn(&R::Concrete) -> u32>,
    enumerated: Option<Enumerated<R>>,
    quotient: Option<QuotientOf<R>>,
}

/// A search of the states of a refinement's implementation.
type Explore<R> = for<'e> fn(
    &'e <R as Refinement>::Concrete,
    &'e Examiner<'_, R>,
    &'e Options<'_, <R as Refinement>::Concrete>,
) -> Found<R>;

/// What it finds.
type Found<R> = Explored<<R as Refinement>::Concrete, Tally<R>>;

/// Makes the quotient of the implementation by the symmetry that a refinement's systems have in common.
type QuotientOf<R> = for<'s> fn(&'s <R as Refinement>::Concrete) -> Box<dyn TestedQuotient<R> + 's>;

/// What it takes to decide `inductive:*`, where the implementation enumerates its type-correct
/// states.
pub(super) struct Enumerated<R: Refinement> {
    pub decide: Decide<R>,
    pub state: fn(&R::Concrete, u64) -> StateOf<R::Concrete>,
}

/// A pass over all type-correct states.
type Decide<R> = fn(
    &R,
    &[Invariant<<R as Refinement>::Concrete>],
    &[StateOf<<R as Refinement>::Concrete>],
    &Settings<'_>,
) -> induction::Findings;

/// What a model declares beside its states, which no counterexample can show.
fn declared<T>(functions: &'static str, declare: impl FnOnce() -> T) -> Result<T, CheckError> {
    catch(declare).map_err(|panic| CheckError::Panicked {
        functions,
        panic: Box::new(panic),
    })
}

impl<'a, R: Refinement> Checker<'a, R> {
    /// A check of `refinement`, of whose systems nothing is known but that they are systems.
    pub fn new(refinement: &'a R) -> Self {
        Self {
            refinement,
            explore: |system, examiner, options| explore(system, examiner, options),
            bits: None,
            enumerated: None,
            quotient: None,
        }
    }

    /// States of the implementation are kept packed.
    #[must_use]
    pub fn packed(mut self) -> Self
    where
        R::Concrete: Packed,
    {
        self.explore = |system, examiner, options| explore_packed(system, examiner, options);
        self.bits = Some(|system| system.layout().bits());
        self
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
        let started = Instant::now();
        let refinement = self.refinement;
        let invariants = declared("invariants", || refinement.invariants())?;
        let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
        let rows = || rows(refinement, &names, settings, self.enumerated.is_some());
        let rows = declared("rules, environment, acts_for or waivers", rows)??;
        let bits = self.bits.map(|bits| bits(refinement.implementation()));
        if let Some(bits) = bits.filter(|_| settings.storage == Storage::Fingerprints)
            && bits <= FINGERPRINT_BITS
            && settings.search == Search::Exhaustive
        {
            return Err(CheckError::FingerprintsOfSmallStates { bits });
        }
        let quotient = match (settings.symmetry, self.quotient) {
            (Symmetry::None, _) => None,
            (Symmetry::Full, Some(quotient)) => {
                let system = refinement.implementation();
                let made = declared("permutations", || quotient(system))?;
                if made.quotient().permutations() == 0 {
                    return Err(CheckError::NoPermutations);
                }
                Some(made)
            }
            (Symmetry::Full, None) => return Err(CheckError::NotSymmetric),
        };
        let mut examiner = Examiner::new(refinement, &invariants, &rows, settings.until);
        examiner.symmetry = quotient.as_deref();
        let out_of_time = || {
            let limit = settings.limits.out_of_time(&settings.watch, started);
            limit.is_some()
        };
        examiner.out_of_time = &out_of_time;
        if let Search::Walks(walks) = settings.search {
            examiner.wants.labels = false;
            examiner.walks = true;
            let mut report = sampled(&examiner, walks, settings, self.enumerated);
            report.seconds = started.elapsed().as_secs_f64();
            return Ok(report);
        }
        examiner.fingerprints = settings.storage == Storage::Fingerprints;
        let undecidable = environment::undecidable(refinement, settings);
        let options = Options {
            threads: settings.threads,
            limits: settings.limits,
            watch: settings.watch,
            record: match examiner.wants.environment && undecidable.is_none() {
                true => Record::Graph,
                false => Record::States,
            },
            order: settings.order,
            storage: settings.storage,
            symmetry: quotient.as_deref().map(TestedQuotient::quotient),
        };
        let explored = (self.explore)(refinement.implementation(), &examiner, &options);
        let symmetry = options.symmetry;
        let judge = Judge::new(&examiner, &explored, settings, symmetry, self.enumerated);
        let mut report = judge.report();
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }
}

impl<R: LocalRefinement<Concrete: PackedLocal>> Checker<'_, R> {
    /// States of the implementation are kept packed, and local transitions are computed and judged once for all
    /// states with the same projection.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.explore = |system, examiner, options| explore_local(system, examiner, options);
        self.bits = Some(|system| PackedLocal::layout(system).bits());
        self
    }
}
