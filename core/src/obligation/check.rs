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
    Explored, FINGERPRINT_BITS, Options, Record, Storage, explore, explore_framed, explore_packed,
};
use crate::framed::{FramedRefinement, PackedPart};
use crate::invariant::Invariant;
use crate::packed::Packed;
use crate::refinement::Refinement;
use crate::report::Report;
use crate::symmetry::{Quotient, Quotienting, Symmetric, Tested, asymmetry_in_turn};
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
    symmetry: Option<SymmetryOf<R>>,
}

/// A search of the states of a refinement's implementation.
type Explore<R> = for<'e> fn(
    &'e <R as Refinement>::Concrete,
    &'e Examiner<'_, R>,
    &'e Options<'_, <R as Refinement>::Concrete>,
) -> Found<R>;

/// What it finds.
type Found<R> = Explored<<R as Refinement>::Concrete, Tally<R>>;

/// The symmetry that a refinement's systems have in common.
struct SymmetryOf<R: Refinement> {
    quotient: QuotientOf<R>,
    asymmetry: AsymmetryAt<R>,
}

/// Makes the quotient of the implementation.
type QuotientOf<R> = for<'s> fn(
    &'s <R as Refinement>::Concrete,
) -> Box<dyn Quotienting<<R as Refinement>::Concrete> + 's>;

/// Whether the symmetry is none, as a state of some number shows; asks now and then whether to stop.
pub(super) type AsymmetryAt<R> = fn(
    &R,
    &[Invariant<<R as Refinement>::Concrete>],
    &StateOf<<R as Refinement>::Concrete>,
    usize,
    &dyn Fn() -> bool,
) -> Tested;

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

impl<'a, R: Refinement> Checker<'a, R> {
    /// A check of `refinement`, of whose systems nothing is known but that they are systems.
    pub fn new(refinement: &'a R) -> Self {
        Self {
            refinement,
            explore: |system, examiner, options| explore(system, examiner, options),
            bits: None,
            enumerated: None,
            symmetry: None,
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

    /// States of the implementation are kept packed, and the steps of a part are taken and judged once for
    /// all states with that part.
    #[must_use]
    pub fn framed(mut self) -> Self
    where
        R: FramedRefinement<Concrete: PackedPart>,
    {
        self.explore = |system, examiner, options| explore_framed(system, examiner, options);
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
        self.symmetry = Some(SymmetryOf {
            quotient: |system| Box::new(Quotient::of(system)),
            asymmetry: asymmetry_in_turn::<R>,
        });
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
        let invariants = refinement.invariants();
        let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
        let rows = rows(refinement, &names, settings, self.enumerated.is_some())?;
        let bits = self.bits.map(|bits| bits(refinement.implementation()));
        if let Some(bits) = bits.filter(|_| settings.storage == Storage::Fingerprints)
            && bits <= FINGERPRINT_BITS
            && settings.search == Search::Exhaustive
        {
            return Err(CheckError::FingerprintsOfSmallStates { bits });
        }
        let symmetry = match (settings.symmetry, self.symmetry) {
            (Symmetry::None, _) => None,
            (Symmetry::Full, Some(symmetry)) => Some(symmetry),
            (Symmetry::Full, None) => return Err(CheckError::NotSymmetric),
        };
        let quotient = symmetry
            .as_ref()
            .map(|symmetry| (symmetry.quotient)(refinement.implementation()));
        let mut examiner = Examiner::new(refinement, &invariants, &rows, settings.until);
        examiner.asymmetry = symmetry.map(|symmetry| symmetry.asymmetry);
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
            symmetry: quotient.as_deref(),
        };
        let explored = (self.explore)(refinement.implementation(), &examiner, &options);
        let symmetry = options.symmetry;
        let judge = Judge::new(&examiner, &explored, settings, symmetry, self.enumerated);
        let mut report = judge.report();
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }
}
