//! The check of a crowd: the obligations that speak of few members are decided for every number of them, by views.
//!
//! Small instances are checked first as they are, whatever is asked of them: what one of them violates is `violated`, with its behaviour. With fewer members than a
//! configuration has, all are searched; beyond, all configurations are looked at that views leave. What fails in one of these may fail in no instance: it is not known.

mod beside;
mod configurations;
mod crowds;
mod of_crowd;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use foldhash::HashSet;

use self::configurations::{Configurations, ExploredViews};
use self::crowds::CrowdObject;
pub(super) use self::of_crowd::{OfCrowd, of_crowd};
use super::error::CheckError;
use super::found::SearchResult;
use super::identity::identity;
use super::judge::{self, Labelled};
use super::model::AsksAgain;
use super::obligations::Obligations;
use super::recorded::RecordedGraph;
use super::selection::Selection;
use super::settings::{Induction, Liveness, Search, Settings, Symmetry};
use super::subject::{Alike, Subject, declared};
use super::unreturned::outline;
use super::visitor::Plan;
use crate::report::{Counterexample, EveryNumber, Evidence, Obligation, Report, Verdict, Warning};
use crate::statement::asked::model_call::UNNAMED;
use crate::statement::erased::{ErasedRefinement, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::shown::number::{counted, one_of};
use crate::view::crowd::{CrowdFault, CrowdForm, Part, ViewsOf};
use crate::walk::explore::{
    End, Journal, Limit, Limits, Means, NoOutcome, Options, Phase, Progress, Watch, explore_on,
};

/// Members that a view may have: all parts of a configuration are looked at.
const MOST_MEMBERS: usize = 6;
/// Members of the largest views of those that are tried in turn.
const IN_TURN: usize = 3;
/// Members of the largest instance that is checked as it is beside the views,
const MOST_BESIDE: usize = 5;
/// and states of all of them together. An instance that has more, or no end of them, is checked as far as these go.
const STATES_BESIDE: u64 = 10_000;
/// Views that are looked at, at most, where more is kept of the members that they leave out since it is not known without.
const MOST_FINER: u64 = 100_000;
/// Kinds of obligations that are decided.
const KINDS: [ObligationKind; 5] = [
    ObligationKind::Observation,
    ObligationKind::Initiality,
    ObligationKind::Simulation,
    ObligationKind::Agency,
    ObligationKind::Invariant,
];

/// Decides a crowd with views of so many members, or, where none are said, of the fewest that suffice; small instances are searched first, where a search of them is
/// given.
fn any_number(
    crowd: &dyn CrowdObject,
    views: Option<usize>,
    settings: &Settings<'_>,
    started: Instant,
    search: Option<Alike<'_>>,
) -> Result<Report, CheckError> {
    validate(settings)?;
    let form = crowd.form();
    let widths = declared("`invariants`", || form.widths())?;
    let widest = widths.iter().max_by_key(|(_, members)| *members);
    let needed = widest.map_or(1, |(_, members)| members.saturating_sub(1).max(1));
    if let Some(size) = views {
        if !(1..=MOST_MEMBERS).contains(&size) {
            let most = MOST_MEMBERS;
            return Err(CrowdFault::Size { size, most }.into());
        }
        if let Some((name, members)) = widest.filter(|_| needed > size) {
            let fault = CrowdFault::TooWide {
                obligation: format!("{}:{name}", ObligationKind::Invariant.name()),
                members: *members,
                size,
                shown: size + 1,
                needed,
            };
            return Err(fault.into());
        }
    }
    if let Some(checkpoints) = &settings.checkpoints {
        checkpoints.test_parts()?;
    }
    let mut decision = CrowdDecision {
        crowd,
        form,
        settings,
        started,
        searches: Cell::new(0),
        complete: 0,
        held: 0,
        warnings: Vec::new(),
        undeclared: Vec::new(),
    };
    let first = views.unwrap_or(needed);
    crowd.with_instance(first + 1, &mut |subject| {
        with_plan(subject, first, settings, |plan, settings| {
            outline(plan, &settings);
            Ok(())
        })
    })?;
    if let Some(search) = search
        && let Some(report) = decision.beside(first, search)?
    {
        return Ok(report);
    }
    let mut report = decision.with_views(first)?;
    if views.is_none() {
        for size in first + 1..=IN_TURN {
            let found = report.every_number.as_ref();
            let is_larger_wanted = report.verdict != Some(Verdict::Holds)
                && report.limit.is_none()
                && found.is_none_or(|found| found.failed_with.is_none());
            if !is_larger_wanted {
                break;
            }
            report = decision.with_views(size)?;
        }
    }
    Ok(report)
}

/// Tests that the settings mean something here.
fn validate(settings: &Settings<'_>) -> Result<(), CheckError> {
    let refused = [
        (settings.symmetry != Symmetry::None, "symmetry"),
        (settings.induction != Induction::Omitted, "induction"),
        (settings.liveness != Liveness::Omitted, "liveness"),
        (settings.peers.is_some(), "peers"),
        (settings.limits.depth.is_some(), "limits.depth"),
    ];
    match refused.iter().find(|(is_given, _)| *is_given) {
        Some((_, setting)) => Err(CheckError::NotOfEveryNumber { setting }),
        None => Ok(()),
    }
}

/// The obligations of the refinement that are not decided for every number, where none is chosen by name: an instance may violate them.
fn not_asked<'a>(
    settings: &Settings<'_>,
    refinement: &ErasedRefinement<'a>,
    invariants: &[Invariant<ErasedSystem<'a>>],
) -> Result<Vec<String>, CheckError> {
    if settings.obligations != Selection::Default {
        return Ok(Vec::new());
    }
    let settings = Settings {
        search: Search::Exhaustive,
        liveness: Liveness::Included,
        ..settings.clone()
    };
    let all = Obligations::new(refinement, invariants, &settings, false)?;
    let mut names = all.chosen();
    names.retain(|name| !is_decided(name));
    Ok(names)
}

/// The obligations of a refinement that are no rows of the report on the crowd of which it is an instance: it may have more than what is claimed of a crowd.
fn not_reported(
    subject: &dyn Subject,
    settings: &Settings<'_>,
    report: &Report,
) -> Result<Vec<String>, CheckError> {
    let refinement = ErasedRefinement::of(subject);
    let invariants = refinement.invariants();
    let mut names = not_asked(settings, &refinement, &invariants)?;
    if settings.obligations == Selection::Default {
        let named = |invariant: &Invariant<_>| {
            format!("{}:{}", ObligationKind::Invariant.name(), invariant.name())
        };
        names.extend(invariants.iter().map(named));
        names.retain(|name| report.obligation(name).is_none());
    }
    Ok(names)
}

/// True of the name of an obligation that is decided for every number, and of that which belongs to every check.
fn is_decided(name: &str) -> bool {
    let kind = ObligationKind::of(name);
    kind.is_some_and(|kind| kind == ObligationKind::Model || KINDS.contains(&kind))
}

/// The obligations of these settings that speak of few members, by default; those that are named have to.
fn selected<'s, 'a>(
    settings: &Settings<'s>,
    refinement: &ErasedRefinement<'a>,
    invariants: &[Invariant<ErasedSystem<'a>>],
) -> Result<Settings<'s>, CheckError> {
    let mut settings = Settings {
        search: Search::Exhaustive,
        ..settings.clone()
    };
    if settings.obligations == Selection::Default {
        let names = KINDS
            .iter()
            .filter(|kind| **kind != ObligationKind::Invariant || !invariants.is_empty());
        settings.obligations = Selection::only(names.map(|kind| kind.name()));
    }
    let all = Obligations::new(refinement, invariants, &settings, false)?;
    match all.chosen().into_iter().find(|name| !is_decided(name)) {
        None => Ok(settings),
        Some(name) => Err(CheckError::Unsupported {
            name,
            reason: "of every number of members, obligations are decided that speak of a state or a step and of few members: observation, \
                     initiality, simulation, agency and invariant:*",
        }),
    }
}

/// Makes the plan of an instance, with the settings of a search by views of so many members.
fn with_plan<T>(
    subject: &dyn Subject,
    size: usize,
    settings: &Settings<'_>,
    then: impl FnOnce(&Plan<'_>, Settings<'_>) -> Result<T, CheckError>,
) -> Result<T, CheckError> {
    let refinement = ErasedRefinement::of(subject);
    let invariants = refinement.invariants();
    let settings = selected(settings, &refinement, &invariants)?;
    let obligations = Obligations::new(&refinement, &invariants, &settings, false)?;
    let plan = || Plan::new(&refinement, &invariants, obligations, settings.until);
    let mut plan = declared(UNNAMED, plan)?;
    plan.needs.environment = false;
    plan.needs.fairness = false;
    plan.asking.asks_again = AsksAgain::OnTheWay;
    // A configuration need not be an initial state, as the first of a walk is.
    plan.asking.walks = true;
    let search = Search::AnyNumber { views: Some(size) };
    then(&plan, Settings { search, ..settings })
}

/// The decision of a crowd.
struct CrowdDecision<'c> {
    crowd: &'c dyn CrowdObject,
    form: &'c dyn CrowdForm,
    settings: &'c Settings<'c>,
    started: Instant,
    /// Number of searches of views so far.
    searches: Cell<u32>,
    /// The most members of which all states were searched, and of fewer,
    complete: usize,
    /// and of which nothing was violated that was asked of all of these.
    held: usize,
    /// Doubts about the largest of these,
    warnings: Vec<Warning>,
    /// and its obligations that speak of nothing that is declared.
    undeclared: Vec<String>,
}

impl CrowdDecision<'_> {
    /// The report of the smallest instance that violates an obligation, whichever is asked of it, if one does. A rule that few members never simulate is none
    /// where more of them do: coverage is that of the largest instance of which all is known.
    fn beside(&mut self, size: usize, search: Alike<'_>) -> Result<Option<Report>, CheckError> {
        let mut left = STATES_BESIDE;
        let mut uncovered = None;
        for members in 1..=MOST_BESIDE {
            let mut settings = Settings {
                search: Search::Exhaustive,
                checkpoints: None,
                spill: None,
                ..self.settings.clone()
            };
            // An even part, so that one without an end leaves some for those that follow.
            let part = left / (MOST_BESIDE + 1 - members) as u64;
            let most = settings.limits.states.unwrap_or(part);
            settings.limits.states = Some(most.min(part));
            let mut found = None;
            self.crowd.with_instance(members, &mut |subject| {
                found = Some(search(subject, &settings)?);
                Ok(())
            })?;
            let report = found.expect("an instance was shown");
            let is_coverage = |name| ObligationKind::of(name) == Some(ObligationKind::Coverage);
            let is_covered = report.violated().next().is_none();
            if !report.violated().all(is_coverage) {
                return Ok(Some(self.of_few(report, members, size)));
            }
            if report.complete && self.complete + 1 == members {
                self.complete = members;
                self.held = members;
                self.warnings.clone_from(&report.warnings);
                let rows = report.obligations.iter();
                let undeclared = rows.filter(|row| row.verdict == Verdict::NoneDeclared);
                self.undeclared = undeclared.map(|row| row.name.clone()).collect();
            }
            left = left.saturating_sub(report.states);
            if !is_covered {
                uncovered = Some(self.of_few(report, members, size));
            } else if report.complete {
                uncovered = None;
            }
        }
        Ok(uncovered)
    }

    /// The report of an instance with few members, as one of the crowd.
    fn of_few(&self, mut report: Report, members: usize, size: usize) -> Report {
        report.every_number = Some(EveryNumber {
            failed_with: Some(members),
            ..self.every_number(size, size + 1, 0)
        });
        self.timed(report)
    }

    /// The report with views of so many members. Instances with fewer members than a configuration has come first, each of which is a view and a configuration: so they
    /// have an end where they have counters, too.
    fn with_views(&mut self, size: usize) -> Result<Report, CheckError> {
        loop {
            let configuration = self.configuration(size);
            while self.complete + 1 < configuration {
                let members = self.complete + 1;
                let report = self.by_views(members, 0)?;
                if report.verdict != Some(Verdict::Holds) && report.verdict.is_some() {
                    return Ok(report);
                }
                self.complete = members;
            }
            let report = self.by_views(size, configuration - size)?;
            // A step that chooses another member may be met only here.
            if configuration == self.configuration(size) {
                return Ok(report);
            }
        }
    }

    /// Members of a configuration.
    fn configuration(&self, size: usize) -> usize {
        size + 1 + usize::from(self.form.chooses())
    }

    /// The report of views of so many members, of which configurations have so many more.
    fn by_views(&self, size: usize, more: usize) -> Result<Report, CheckError> {
        let mut unknown: Option<Report> = None;
        loop {
            let most = unknown.as_ref().map(|_| MOST_FINER);
            let report = self.searched(size, more, most)?;
            let is_unknown = report.verdict == Some(Verdict::Incomplete);
            if is_unknown && report.limit.is_none() && self.form.learn_denied() {
                unknown.get_or_insert(report);
                continue;
            }
            return Ok(match unknown {
                Some(coarser) if is_unknown => coarser,
                _ => report,
            });
        }
    }

    /// The same with so many views at most: searches in turn, until what is kept of members that are left out suffices.
    fn searched(&self, size: usize, more: usize, most: Option<u64>) -> Result<Report, CheckError> {
        let mut found = None;
        self.crowd.with_instance(size + more, &mut |subject| {
            with_plan(subject, size, self.settings, |plan, mut settings| {
                settings.limits.states = settings.limits.states.into_iter().chain(most).min();
                let mut earlier = HashSet::default();
                found = Some(loop {
                    match self.search(subject, plan, &settings, [size, more], earlier)? {
                        SearchEnd::Report(report) => break *report,
                        SearchEnd::Again(members) => earlier = members,
                    }
                });
                Ok(())
            })
        })?;
        Ok(found.expect("a report ends the searches"))
    }

    /// A search of views, where some members are known already.
    fn search(
        &self,
        subject: &dyn Subject,
        plan: &Plan<'_>,
        settings: &Settings<'_>,
        [size, more]: [usize; 2],
        earlier: HashSet<Arc<Part>>,
    ) -> Result<SearchEnd, CheckError> {
        self.form.begin();
        let asking = &plan.asking;
        let instance = *asking.refinement.implementation();
        let views = ViewsOf::new(self.form, instance, size, more, earlier);
        let configurations = Configurations::new(plan, self.form, &views);
        let mut explored = self.explored(subject, plan, settings, &views, &configurations)?;
        configurations.meet_again();
        // Another search would have as many views, and no time.
        let is_again = matches!(
            explored.end,
            End::Complete | End::Stopped | End::Limit(Limit::States(_))
        );
        if is_again && self.form.learn() {
            return Ok(SearchEnd::Again(HashSet::default()));
        }
        if is_again && views.is_unkept() {
            self.form.forget();
            return Ok(SearchEnd::Again(HashSet::default()));
        }
        if explored.is_complete()
            && let Some(members) = views.unseen()
        {
            return Ok(SearchEnd::Again(members));
        }
        let totals = configurations.totals(&explored);
        let provenance = format!(
            "of a state in which all views of {} can be reached, and which may itself not be: larger views, or the search of an instance, tell",
            counted(size as u64, "member")
        );
        let shown = configurations.shown(&mut explored, &provenance);
        let of_search = SearchResult::new(
            asking.refinement,
            settings,
            asking.started,
            totals,
            &shown,
            None,
        );
        let labelled = Labelled {
            recorded: &RecordedGraph::nothing(),
            inputs: &[],
            between: &[],
        };
        let counts = &explored.tally.obligations.counts;
        let mut report = judge::report(plan, counts, &labelled, None, &of_search);
        not_excluded(&mut report, &instance);
        let not_asked = not_asked(self.settings, asking.refinement, asking.invariants)?;
        let rows = not_asked.iter().map(|name| self.not_decided(name));
        report.obligations.extend(rows);
        report.not_asked = not_asked;
        for warning in &self.warnings {
            if !report.warnings.contains(warning) {
                report.warnings.push(warning.clone());
            }
        }
        let views = explored.states() as u64;
        report.every_number = Some(self.every_number(size, size + more, views));
        Ok(SearchEnd::Report(Box::new(self.timed(report))))
    }

    /// Explores the views.
    fn explored<'v, 'a>(
        &self,
        subject: &dyn Subject,
        plan: &Plan<'a>,
        settings: &Settings<'_>,
        views: &ViewsOf<'v>,
        configurations: &Configurations<'_, '_, 'a>,
    ) -> Result<ExploredViews<'v, 'a>, CheckError> {
        let number = self.searches.replace(self.searches.get() + 1);
        let journal = match &settings.checkpoints {
            None => None,
            Some(checkpoints) => {
                let mut identity = identity(subject, plan, settings);
                let own = [
                    ("the number of the search", number as usize),
                    ("the number of members of a view", views.size),
                    (
                        "the number of members that a configuration has more",
                        views.more,
                    ),
                ];
                identity.extend(own.map(|(what, number)| (what.to_owned(), number.into())));
                let journal = Journal::open(&checkpoints.of_part(number), identity)?;
                Some(journal.within(&settings.limits)?)
            }
        };
        let means = Means {
            journal,
            spill: settings.spill.as_ref(),
            ..Means::default()
        };
        let progress = settings.watch.progress.map(|progress| {
            move |told: &Progress| {
                progress(&Progress {
                    phase: Phase::Views,
                    ..*told
                });
            }
        });
        let options = Options {
            threads: settings.threads,
            limits: Limits {
                since: settings.limits.since.or(Some(self.started)),
                ..settings.limits
            },
            watch: Watch {
                progress: progress.as_ref().map(|progress| progress as _),
                ..settings.watch
            },
            ..Options::default()
        };
        let explored = explore_on(views, configurations, &options, means);
        let mut explored = explored.map_err(|error| match error {
            NoOutcome::Disk(error) => CheckError::from(error),
            NoOutcome::Peers(_) | NoOutcome::Served(_) => unreachable!("one process searches"),
        })?;
        if let (Some(written), Some(checkpoints)) = (&mut explored.written, &settings.checkpoints) {
            written.folder.clone_from(&checkpoints.folder);
        }
        Ok(explored)
    }

    /// The row of an obligation that is not decided for every number: what instances say of it, or that nothing is declared of which it speaks.
    fn not_decided(&self, name: &str) -> Obligation {
        use ObligationKind::{Coverage, Deadlock, Environment};
        if self.undeclared.iter().any(|other| other == name) {
            return Obligation {
                name: name.to_owned(),
                ..Obligation::new(Verdict::NoneDeclared, 0)
            };
        }
        let held = counted(self.held as u64, one_of(self.form.members()));
        let note = match ObligationKind::of(name) {
            Some(Coverage) if self.held > 0 => {
                format!("the instance with {held} does not violate it")
            }
            Some(Deadlock | Environment) if self.held > 0 => {
                format!("no instance with up to {held} violates it")
            }
            _ => "an instance may violate it".to_owned(),
        };
        Obligation {
            name: name.to_owned(),
            ..Obligation::new(Verdict::NotDecided, 0).noted(&note)
        }
    }

    fn every_number(&self, size: usize, configuration: usize, views: u64) -> EveryNumber {
        EveryNumber {
            members: self.form.members().to_owned(),
            bounds: self.form.bounds(),
            view_members: size,
            configuration_members: configuration,
            views,
            failed_with: None,
        }
    }

    fn timed(&self, mut report: Report) -> Report {
        report.seconds = self.started.elapsed().as_secs_f64();
        report.evidence = Evidence::Views;
        report
    }
}

/// End of a search of views.
enum SearchEnd {
    Report(Box<Report>),
    /// Another one begins, for which more is kept of the members that views leave out, or nothing; or some members are known by which a change of all others that was taken before
    /// may lead elsewhere.
    Again(HashSet<Arc<Part>>),
}

/// Says of what fails in a state that views leave that it is not known.
fn not_excluded(report: &mut Report, system: &ErasedSystem<'_>) {
    let unknown = |verdict: &mut Verdict| {
        if *verdict == Verdict::Violated {
            *verdict = Verdict::Incomplete;
        }
    };
    let shown = |counterexample: &mut Counterexample| {
        counterexample.reachable = false;
        counterexample.by_views = true;
        beside::compare(system, counterexample);
    };
    report.verdict.iter_mut().for_each(unknown);
    for row in &mut report.obligations {
        unknown(&mut row.verdict);
        row.counterexamples.iter_mut().for_each(shown);
    }
    report.counterexample.iter_mut().for_each(shown);
}
