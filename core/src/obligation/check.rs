//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::any_number::OfCrowd;
#[cfg(feature = "any-number")]
use super::any_number::of_crowd;
use super::error::CheckError;
use super::found::SearchResult;
use super::identity::identity;
use super::judge::{self, Labelled};
use super::model::AsksAgain;
use super::obligations::{ObligationCounts, Obligations};
use super::settings::{Search, Settings, Symmetry};
use super::stepper::Stepper;
use super::subject::{Alike, AskNames, Passes, Subject, Typed, declared};
use super::unreturned::watched;
use super::visitor::Plan;
use super::walks;
use crate::report::Report;
use crate::state::Kept;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{UNNAMED, take_tolerated};
use crate::statement::asked::type_correct::TypeCorrect;
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::shown::number::grouped;
#[cfg(feature = "any-number")]
use crate::view::crowd::{CrowdRefinement, Formed};
#[cfg(feature = "inclusion")]
use crate::view::inclusion::{Comparison, Inclusion, of_refinement};
use crate::walk::explore::{
    Attended, Checkpoints, DiskError, Journal, Limits, Means, NoOutcome, Party, PeersError, Record,
    Watch, conclude,
};

/// Discharges the obligations of `refinement` on all reachable states of its instance.
///
/// The report has neither a name nor parameters: see [`Report::named`]. Limits and cancellation hold between the calls of the model's functions. One
/// that does not return holds this function up: a [`Watchdog`](crate::explore::Watchdog) notices it, and its caller can end the process.
///
/// # Errors
///
/// If `settings` name an obligation that the refinement does not have, or ask for what only a
/// [`Checker`] can be told of, or the refinement contradicts itself (two invariants of one name, a
/// waiver for an unknown rule).
pub fn check<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError> {
    Checker::new(refinement).check(settings)
}

/// A refinement, and what its systems have beside them: which states are type-correct, of which crowd it is an instance.
///
/// ```no_run
/// # use refmap::{Refinement, Report, Settings, TypeCorrect};
/// # use refmap::obligation::{CheckError, Checker};
/// fn check<R>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError>
/// where
///     R: Refinement<Implementation: TypeCorrect>,
/// {
///     Checker::new(refinement).inductive().check(settings)
/// }
/// ```
///
/// The search of a checker is compiled where it is used, or made a [`Checkable`]; all else is the library's.
pub struct Checker<'a, R: Refinement> {
    refinement: MaybeOwned<'a, R>,
    passes: Option<Passes<R>>,
    crowd: OfCrowd<'a>,
}

enum MaybeOwned<'a, R> {
    Borrowed(&'a R),
    Owned(R),
}

/// A check of a refinement, of whatever types.
///
/// ```
/// # use refmap::Refinement;
/// # use refmap::obligation::{Checkable, Checker};
/// fn checks(
///     first: impl Refinement + 'static,
///     second: impl Refinement + 'static,
/// ) -> [Box<dyn Checkable>; 2] {
///     [Box::new(Checker::owning(first)), Box::new(Checker::owning(second))]
/// }
/// ```
pub trait Checkable {
    /// Discharges the obligations that `settings` choose.
    ///
    /// # Errors
    ///
    /// As [`check`].
    fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError>;

    /// The names of the obligations that a check with these settings decides. Nothing is searched: what is wrong with an
    /// instance or with settings can be told so before anything is.
    ///
    /// # Errors
    ///
    /// As [`check`].
    fn declared(&self, settings: &Settings<'_>) -> Result<Vec<String>, CheckError>;

    /// Name of the members of which there may be any number, if there are such.
    fn any_number_of(&self) -> Option<&str>;

    /// Compares what can be observed of the two systems, without the mapping: see [`inclusion`](crate::inclusion).
    ///
    /// # Errors
    ///
    /// If a function of the model panics, or a folder cannot be used as the settings say.
    #[cfg(feature = "inclusion")]
    fn include(&self, comparison: &Comparison<'_>) -> Result<Inclusion, CheckError>;

    /// Hands the refinement to `receive`, to step through it.
    ///
    /// # Errors
    ///
    /// As [`check`]; then nothing is handed over.
    fn step_through(
        &self,
        settings: &Settings<'_>,
        receive: &mut dyn FnMut(Stepper<'_>),
    ) -> Result<(), CheckError>;
}

impl<'a, R: Refinement> Checker<'a, R> {
    /// A check of `refinement`, of whose systems nothing is known but that they are systems.
    pub fn new(refinement: &'a R) -> Self {
        Self::of(MaybeOwned::Borrowed(refinement))
    }

    /// The same of a refinement that the check keeps.
    pub fn owning(refinement: R) -> Self {
        Self::of(MaybeOwned::Owned(refinement))
    }

    fn of(refinement: MaybeOwned<'a, R>) -> Self {
        Self {
            refinement,
            passes: None,
            crowd: OfCrowd::default(),
        }
    }

    /// Every number of members can be asked for, of this crowd: that of which the refinement is an instance.
    #[cfg(feature = "any-number")]
    #[must_use]
    pub fn crowd(mut self, crowd: impl CrowdRefinement) -> Self {
        self.crowd = OfCrowd::new(crowd);
        self
    }

    /// `inductive:*` can be chosen.
    #[must_use]
    pub fn inductive(mut self) -> Self
    where
        R::Implementation: TypeCorrect,
    {
        self.passes = Some(Passes::new());
        self
    }

    /// Discharges the obligations that `settings` choose.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        Checkable::check(self, settings)
    }
}

/// A refinement to be checked, of whatever types: all that a [`Checker`] compiles beside the search.
trait Showing {
    /// Shows the refinement to `then`, with what it declares once for a check.
    fn show(&self, then: &mut Then<'_>) -> Result<(), CheckError>;
    /// The crowd of which it is an instance.
    fn crowd(&self) -> &OfCrowd<'_>;
}

impl<R: Refinement> Showing for Checker<'_, R> {
    fn show(&self, then: &mut Then<'_>) -> Result<(), CheckError> {
        let refinement = match &self.refinement {
            MaybeOwned::Borrowed(refinement) => refinement,
            MaybeOwned::Owned(refinement) => refinement,
        };
        then(&Typed::new(refinement, self.passes)?)
    }

    fn crowd(&self) -> &OfCrowd<'_> {
        &self.crowd
    }
}

impl<R: Refinement> Checkable for Checker<'_, R> {
    fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        check_shown(self, settings)
    }

    fn declared(&self, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
        declared_by(self, settings)
    }

    fn any_number_of(&self) -> Option<&str> {
        self.crowd.members()
    }

    #[cfg(feature = "inclusion")]
    fn include(&self, comparison: &Comparison<'_>) -> Result<Inclusion, CheckError> {
        include(self, comparison)
    }

    fn step_through(
        &self,
        settings: &Settings<'_>,
        receive: &mut dyn FnMut(Stepper<'_>),
    ) -> Result<(), CheckError> {
        step_through(self, settings, receive)
    }
}

fn check_shown(shown: &dyn Showing, settings: &Settings<'_>) -> Result<Report, CheckError> {
    if let Search::AnyNumber { views } = settings.search {
        let of_instance = |ask: AskNames<'_>| guarded(shown, &|subject, _| ask(subject));
        return shown.crowd().check(views, settings, ALIKE, &of_instance);
    }
    refuse_line(shown, settings)?;
    guarded(shown, &|subject, started| run(subject, settings, started))
}

/// Exhaustive search of an instance of a crowd.
const ALIKE: Alike<'static> = &|subject, settings| run(subject, settings, Instant::now());

/// Refuses a symmetry of members that are said to stand in a line.
fn refuse_line(shown: &dyn Showing, settings: &Settings<'_>) -> Result<(), CheckError> {
    let asked = (settings.symmetry == Symmetry::Full).then(|| shown.crowd());
    match asked.and_then(OfCrowd::in_line) {
        None => Ok(()),
        Some(members) => Err(CheckError::InLine {
            members: members.to_owned(),
        }),
    }
}

fn declared_by(shown: &dyn Showing, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
    refuse_line(shown, settings)?;
    guarded(shown, &|subject, _| chosen(subject, settings))
}

#[cfg(feature = "inclusion")]
fn include(shown: &dyn Showing, comparison: &Comparison<'_>) -> Result<Inclusion, CheckError> {
    guarded(shown, &|subject, _| Ok(of_refinement(subject, comparison)?))
}

/// Hands a refinement over to be stepped through.
fn step_through(
    shown: &dyn Showing,
    settings: &Settings<'_>,
    receive: &mut dyn FnMut(Stepper<'_>),
) -> Result<(), CheckError> {
    refuse_line(shown, settings)?;
    shown.show(&mut |subject| hand_over(subject, settings, receive))
}

/// Discharges the obligations of a crowd for every number of members: those that speak of a state or a step, and of few members. Of the settings that is
/// [`Search::AnyNumber`], whatever search they name besides.
///
/// # Errors
///
/// As [`check`], and if the crowd is none.
#[cfg(feature = "any-number")]
pub fn check_any_number<R: CrowdRefinement>(
    crowd: &R,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    let views = views_of(settings);
    of_crowd(&Formed::new(crowd.clone()), views, settings, Some(ALIKE))
}

/// The same as [`check_any_number`] by views alone, without the small instances that come first: what these violate shows in a test what views make of it.
#[cfg(feature = "any-number")]
pub fn check_by_views<R: CrowdRefinement>(
    crowd: &R,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    let views = views_of(settings);
    of_crowd(&Formed::new(crowd.clone()), views, settings, None)
}

#[cfg(feature = "any-number")]
fn views_of(settings: &Settings<'_>) -> Option<usize> {
    match settings.search {
        Search::AnyNumber { views } => views,
        Search::Exhaustive | Search::Walks(_) => None,
    }
}

/// The same as [`check`], of which the search is run without the types of the model as well: what tests compare.
pub fn check_erased<R: Refinement>(
    refinement: &R,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    let mut report = None;
    Checker::new(refinement).show(&mut |subject| {
        let erased = ErasedRefinement::of(subject);
        report = Some(Checker::new(&erased).check(settings)?);
        Ok(())
    })?;
    Ok(report.expect("the refinement was shown"))
}

/// Receives a refinement.
type Then<'a> = dyn FnMut(&dyn Subject) -> Result<(), CheckError> + 'a;

/// Asks something of a refinement: whatever a model does, there is an answer or an error.
fn guarded<T>(
    shown: &dyn Showing,
    ask: &dyn Fn(&dyn Subject, Instant) -> Result<T, CheckError>,
) -> Result<T, CheckError> {
    // What another check on this thread did without is not this one's.
    take_tolerated();
    let started = Instant::now();
    let mut answer = None;
    declared(UNNAMED, || {
        shown.show(&mut |subject| {
            answer = Some(ask(subject, started)?);
            Ok(())
        })
    })??;
    Ok(answer.expect("the refinement was shown"))
}

/// The obligations of a refinement, as `settings` choose them.
fn declare<'a>(
    subject: &dyn Subject,
    refinement: &'a ErasedRefinement<'a>,
    invariants: &[Invariant<ErasedSystem<'a>>],
    settings: &Settings<'_>,
) -> Result<Obligations<'a>, CheckError> {
    let is_enumerated = subject.inductive().is_some();
    let declare = || Obligations::new(refinement, invariants, settings, is_enumerated);
    let obligations = declared("a function that declares something of the model", declare)??;
    if settings.symmetry == Symmetry::Full {
        subject.identify()?;
    }
    Ok(obligations)
}

/// The names of the obligations of a refinement that `settings` choose.
fn chosen(subject: &dyn Subject, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
    let refinement = ErasedRefinement::of(subject);
    let invariants = refinement.invariants();
    let obligations = declare(subject, &refinement, &invariants, settings)?;
    Ok(obligations.chosen())
}

/// Hands a refinement over to be stepped through. What receives it is not the model, and has guards of its own.
fn hand_over(
    subject: &dyn Subject,
    settings: &Settings<'_>,
    receive: &mut dyn FnMut(Stepper<'_>),
) -> Result<(), CheckError> {
    let refinement = declared(UNNAMED, || ErasedRefinement::of(subject))?;
    let invariants = refinement.invariants();
    let constraint = refinement.constraint();
    let obligations = declare(subject, &refinement, &invariants, settings)?;
    let plan = || Plan::new(&refinement, &invariants, obligations, settings.until);
    let mut plan = declared(UNNAMED, plan)?;
    plan.constraint = constraint.as_ref();
    plan.needs.environment = false;
    plan.needs.fairness = false;
    plan.asking.asks_again = AsksAgain::Never;
    receive(Stepper::new(&plan));
    Ok(())
}

/// Discharges the obligations of a refinement that `settings` choose; where several processes search, attended by the limits of this one.
fn run(
    subject: &dyn Subject,
    settings: &Settings<'_>,
    started: Instant,
) -> Result<Report, CheckError> {
    let Some(peers) = &settings.peers else {
        return run_here(subject, settings, None, started);
    };
    let attended = Arc::new(Attended::new(peers));
    let here = Settings {
        peers: Some(Arc::clone(&attended) as _),
        watch: Watch {
            cancel: Some(attended.stops()),
            ..settings.watch
        },
        ..settings.clone()
    };
    let work = || run_here(subject, &here, Some(&attended), started);
    let done = attended.attend(&settings.watch, work);
    done.map_err(CheckError::Peers)?
}

/// Discharges the obligations of a refinement that `settings` choose.
fn run_here(
    subject: &dyn Subject,
    settings: &Settings<'_>,
    peers: Option<&Arc<Attended>>,
    started: Instant,
) -> Result<Report, CheckError> {
    let refinement = ErasedRefinement::of(subject);
    let invariants = refinement.invariants();
    let constraint = refinement.constraint();
    let obligations = declare(subject, &refinement, &invariants, settings)?;
    // What it took to read a checkpoint is not counted.
    let uncounted = &AtomicU64::new(0);
    let out_of_time = || {
        let uncounted = microseconds(uncounted);
        let limits = settings.limits.not_counting(uncounted);
        let limit = limits.out_of_time(&settings.watch, started + uncounted);
        limit.is_some()
    };
    let plan = || Plan::new(&refinement, &invariants, obligations, settings.until);
    let mut plan = declared(UNNAMED, plan)?;
    plan.constraint = constraint.as_ref();
    let is_quotient = settings.symmetry == Symmetry::Full;
    let test_symmetry = |state: &ErasedState, turn: usize, out_of_time: &dyn Fn() -> bool| {
        subject.asymmetry(state, turn, out_of_time)
    };
    plan.asking.symmetry = is_quotient.then_some(&test_symmetry);
    plan.asking.out_of_time = &out_of_time;
    let enumerated = subject.inductive();
    if let Search::Walks(walks) = settings.search {
        plan.needs.environment = false;
        plan.needs.fairness = false;
        plan.asking.walks = true;
        let walk = || walks::report(&plan, walks, settings, enumerated);
        let mut report = watched(&plan, subject, settings, walk);
        report.seconds = started.elapsed().as_secs_f64();
        return Ok(report);
    }
    let party = match peers {
        Some(peers) => Some(party(subject, &mut plan, settings, peers)?),
        None => None,
    };
    watched(&plan, subject, settings, || {
        explored(subject, &plan, settings, party, started, uncounted)
    })
}

/// Discharges the obligations of a plan on the states of a search.
fn explored<'a>(
    subject: &'a dyn Subject,
    plan: &Plan<'a>,
    settings: &Settings<'_>,
    party: Option<Party>,
    started: Instant,
    uncounted: &AtomicU64,
) -> Result<Report, CheckError> {
    let refinement = plan.asking.refinement;
    let enumerated = subject.inductive();
    let is_quotient = settings.symmetry == Symmetry::Full;
    // Of several processes one keeps the checkpoints of all.
    let is_first = (settings.peers.as_ref()).is_none_or(|peers| peers.process() == 0);
    let journal = match &settings.checkpoints {
        Some(checkpoints) if is_first => Some(journal(subject, plan, settings, checkpoints)?),
        _ => None,
    };
    let means = Means {
        journal,
        spill: settings.spill.as_ref(),
        party,
        uncounted: Some(uncounted),
    };
    let is_in_memory = means.journal.is_none() && means.spill.is_none() && means.party.is_none();
    let record = if plan.obligations.need_graph() && is_in_memory {
        Record::Graph
    } else {
        Record::States
    };
    let mut searched = match subject.search(plan, settings, record, means) {
        Ok(searched) => searched,
        Err(NoOutcome::Served(report)) => return served(&report),
        Err(NoOutcome::Disk(error)) => return Err(error.into()),
        Err(NoOutcome::Peers(error)) => return Err(CheckError::Peers(error)),
    };
    searched.totals.cut = cut(plan, &searched.counts);
    let symmetry = is_quotient.then(|| subject.symmetry() as _);
    let uncounted = microseconds(uncounted);
    let settings = &Settings {
        limits: settings.limits.not_counting(uncounted),
        ..settings.clone()
    };
    let mut found = SearchResult::new(
        refinement,
        settings,
        plan.asking.started + uncounted,
        searched.totals,
        &*searched.states,
        symmetry,
    );
    found.constraint = plan.constraint;
    let labelled = Labelled {
        recorded: &searched.recorded,
        inputs: &searched.inputs,
        between: &plan.between.all(),
    };
    let mut report = judge::report(plan, &searched.counts, &labelled, enumerated, &found);
    report.seconds = started.elapsed().as_secs_f64();
    if let Some(peers) = settings.peers.as_ref().filter(|_| cfg!(feature = "disk")) {
        let text = serde_json::to_string(&report).expect("a report has a text");
        conclude(&**peers, &text).map_err(CheckError::Peers)?;
    }
    Ok(report)
}

/// The report of another process.
#[cfg(feature = "disk")]
fn served(report: &str) -> Result<Report, CheckError> {
    let report = serde_json::from_str(report);
    report.map_err(|_| CheckError::Peers(PeersError::Garbled { process: 0 }))
}

#[cfg(not(feature = "disk"))]
fn served(_: &str) -> Result<Report, CheckError> {
    Err(DiskError::MissingFeature.into())
}

fn microseconds(count: &AtomicU64) -> Duration {
    Duration::from_micros(count.load(Ordering::Relaxed))
}

/// Processes that search together, and what tells whether they search the same.
fn party(
    subject: &dyn Subject,
    plan: &mut Plan<'_>,
    settings: &Settings<'_>,
    peers: &Arc<Attended>,
) -> Result<Party, CheckError> {
    if subject.implementation().kept() != Kept::Encoded {
        return Err(CheckError::Together);
    }
    plan.asking.asks_again = AsksAgain::Afterwards(AtomicBool::new(false));
    let mut identity = identity(subject, plan, settings);
    // Time and memory are those of each process.
    let Limits { states, depth, .. } = settings.limits;
    identity.insert("the limit on states".to_owned(), states.into());
    identity.insert("the limit on depth".to_owned(), depth.into());
    Ok(Party {
        peers: Arc::clone(peers),
        identity,
    })
}

/// The journal of a search, which tells by what its outcome depends on whether a checkpoint is one of the same search.
fn journal(
    subject: &dyn Subject,
    plan: &Plan<'_>,
    settings: &Settings<'_>,
    checkpoints: &Checkpoints,
) -> Result<Journal, CheckError> {
    if subject.implementation().kept() != Kept::Encoded {
        return Err(DiskError::NotWritten.into());
    }
    let journal = Journal::open(checkpoints, identity(subject, plan, settings))?;
    Ok(journal.within(&settings.limits)?)
}

/// Reason why what was found nowhere may be found beyond a bound of the instance, if the bound left something out.
fn cut(plan: &Plan<'_>, counts: &ObligationCounts) -> Option<String> {
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
        let implementation = plan.asking.refinement.implementation();
        let cut_off = counts.deadlock.cut_off(&implementation.call_caveats())?;
        Some(cut_off.told())
    })
}
