//! The check of a crowd: the obligations that speak of few members are decided for every number of them, by views.
//!
//! With fewer members than a configuration has, the instances are searched as they are; beyond, all configurations are looked at that views leave. What
//! fails in one of these may fail in no instance, so nothing is `violated` here: it is not known.

mod alone;
mod configurations;
mod crowds;
mod sized_states;

use std::time::Instant;

use self::alone::Alone;
use self::configurations::Configurations;
pub(super) use self::crowds::CrowdObject;
use super::error::CheckError;
use super::found::Found;
use super::judge::{self, Labelled};
use super::kind::ObligationKind;
use super::model::AsksAgain;
use super::obligations::Obligations;
use super::recorded::Recorded;
use super::selection::Selection;
use super::settings::{Induction, Liveness, Search, Settings, Symmetry};
use super::subject::{Subject, declared};
use super::unreturned::outline;
use super::visitor::Plan;
use crate::crowd::{CrowdFault, CrowdTest, Declared, FewMembers, TestedCrowd, ViewSearch, test};
use crate::erased::{ErasedRefinement, ErasedSystem};
use crate::explore::Limit;
use crate::report::number::counted;
use crate::report::{Counterexample, EveryNumber, Evidence, Report, Verdict};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::UNNAMED;
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;

/// Members that a view may have: all parts of a configuration are looked at.
const MOST_MEMBERS: usize = 6;
/// Members of the largest instance of which states on walks are tested: what waits for several members, or speaks of them, may speak of more than views show.
const MOST_SAMPLED: usize = 6;
/// Kinds of members that are kept apart: there are views for each set of them.
const MOST_KINDS: u32 = 6;
/// Members of the largest views of those that are tried in turn.
const IN_TURN: usize = 3;
/// Kinds of obligations that are decided.
const KINDS: [ObligationKind; 5] = [
    ObligationKind::Observation,
    ObligationKind::Initiality,
    ObligationKind::Simulation,
    ObligationKind::Agency,
    ObligationKind::Invariant,
];

/// Exhaustive search of one instance.
pub(super) type Alike<'s> = &'s dyn Fn(&dyn Subject, &Settings<'_>) -> Result<Report, CheckError>;

/// Decides a crowd with views of so many members, or, where none are said, of the fewest that suffice.
pub(super) fn any_number(
    crowd: &dyn CrowdObject,
    views: Option<usize>,
    settings: &Settings<'_>,
    started: Instant,
    search: Alike<'_>,
) -> Result<Report, CheckError> {
    validate(settings)?;
    let decide = |size| {
        let sizes = ViewSizes::new(crowd.declared(), size)?;
        sizes.decide(crowd, settings, started, search)
    };
    if let Some(size) = views {
        return decide(size);
    }
    let mut report = decide(1);
    for size in 2..=IN_TURN {
        let is_larger_wanted = match &report {
            Ok(report) => {
                let found = report.every_number.as_ref();
                report.verdict != Some(Verdict::Holds)
                    && report.limit.is_none()
                    && found.is_none_or(|found| found.failed_with.is_none())
            }
            Err(CheckError::Crowd(fault)) => matches!(**fault, CrowdFault::TooWide { .. }),
            Err(_) => false,
        };
        if !is_larger_wanted {
            break;
        }
        match decide(size) {
            Err(CheckError::Crowd(fault)) if matches!(*fault, CrowdFault::Most { .. }) => break,
            larger => report = larger,
        }
    }
    report
}

/// Numbers of members that come with a size of views.
#[derive(Clone, Copy)]
struct ViewSizes {
    /// Members of a view,
    view: usize,
    /// and of a configuration.
    configuration: usize,
    /// Number of kinds of members that may be left out.
    kinds: usize,
    /// Members of the largest instance of which all choices of members are tested,
    tested: usize,
    /// and of the largest that is tested at all.
    sampled: usize,
}

impl ViewSizes {
    /// Those of views of a size.
    fn new(crowd: &dyn Declared, size: usize) -> Result<Self, CrowdFault> {
        if !(1..=MOST_MEMBERS).contains(&size) {
            let most = MOST_MEMBERS;
            return Err(CrowdFault::Size { size, most });
        }
        let kinds = crowd.kinds();
        if kinds > MOST_KINDS {
            let most = MOST_KINDS;
            return Err(CrowdFault::Kinds { kinds, most });
        }
        let kinds = kinds as usize;
        let configuration = size + 1;
        let sizes = Self {
            view: size,
            configuration,
            kinds,
            // One member more tells whether obligations speak of as many as is said, and another one whether there may be several of a kind.
            tested: configuration + 1 + kinds.min(1),
            sampled: MOST_SAMPLED.min(crowd.most()),
        };
        let (needed, most) = (sizes.needed(), crowd.most());
        if needed > most {
            return Err(CrowdFault::Most { size, needed, most });
        }
        Ok(sizes)
    }

    /// Members of the largest instance that is needed: a configuration has one member more of each kind.
    fn needed(&self) -> usize {
        self.tested.max(self.configuration + self.kinds)
    }

    /// Members of the largest instance.
    fn largest(&self) -> usize {
        self.needed().max(self.sampled)
    }

    /// Decides a crowd with these views.
    fn decide(
        self,
        crowd: &dyn CrowdObject,
        settings: &Settings<'_>,
        started: Instant,
        search: Alike<'_>,
    ) -> Result<Report, CheckError> {
        let mut report = None;
        crowd.with_instances(self.largest(), &mut |subjects| {
            let refinements: Vec<_> = subjects
                .iter()
                .map(|one| ErasedRefinement::of(*one))
                .collect();
            let invariants: Vec<_> = refinements.iter().map(Refinement::invariants).collect();
            let of_configuration = self.configuration - 1;
            let (of_refinement, of_invariants) = (
                &refinements[of_configuration],
                &invariants[of_configuration],
            );
            let not_asked = not_asked(settings, of_refinement, of_invariants)?;
            let settings = selected(settings, of_refinement, of_invariants)?;
            let mut plans = Vec::new();
            for (refinement, invariants) in refinements.iter().zip(&invariants) {
                plans.push(plan(refinement, invariants, &settings, AsksAgain::Never)?);
            }
            let decision = CrowdDecision {
                crowd: crowd.declared(),
                subjects,
                plans: &plans,
                sizes: self,
                settings: &settings,
                started,
            };
            report = Some(Report {
                not_asked,
                ..decision.report(search)?
            });
            Ok(())
        })?;
        Ok(report.expect("instances were shown"))
    }
}

/// Tests that the settings mean something here.
fn validate(settings: &Settings<'_>) -> Result<(), CheckError> {
    let refused = [
        (settings.symmetry != Symmetry::None, "symmetry"),
        (settings.induction != Induction::Omitted, "induction"),
        (settings.liveness != Liveness::Omitted, "liveness"),
        (settings.checkpoints.is_some(), "checkpoints"),
        (settings.spill.is_some(), "spill"),
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

/// The plan of an instance.
fn plan<'a>(
    refinement: &'a ErasedRefinement<'a>,
    invariants: &'a [Invariant<ErasedSystem<'a>>],
    settings: &Settings<'_>,
    asks_again: AsksAgain,
) -> Result<Plan<'a>, CheckError> {
    let caveats = refinement.implementation().call_caveats();
    let constraint = refinement.constraint().map(|one| one.name().to_owned());
    if let Some(bound) = constraint.or_else(|| caveats.bound().map(str::to_owned)) {
        return Err(CrowdFault::Bounded { bound }.into());
    }
    let obligations = Obligations::new(refinement, invariants, settings, false)?;
    let plan = || Plan::new(refinement, invariants, obligations, settings.until);
    let mut plan = declared(UNNAMED, plan)?;
    plan.needs.environment = false;
    plan.needs.fairness = false;
    plan.asking.asks_again = asks_again;
    // A configuration need not be an initial state, as the first of a walk is.
    plan.asking.walks = true;
    Ok(plan)
}

/// The decision of a crowd with views of one size.
struct CrowdDecision<'c, 'a> {
    crowd: &'c dyn Declared,
    /// Instances with one member, two, and so on, up to the largest that is needed;
    subjects: &'c [&'c dyn Subject],
    /// their plans.
    plans: &'c [Plan<'a>],
    sizes: ViewSizes,
    settings: &'c Settings<'c>,
    started: Instant,
}

impl<'a> CrowdDecision<'_, 'a> {
    fn report(&self, search: Alike<'_>) -> Result<Report, CheckError> {
        self.validate()?;
        outline(&self.plans[0], &self.of_views());
        let tested = match self.test()? {
            CrowdTest::All(tested) => tested,
            CrowdTest::Limit(limit) => {
                return self.by_views(
                    TestedCrowd::default(),
                    Some(limit),
                    self.sizes.view,
                    self.sizes.configuration,
                );
            }
            // The search of that instance finds it, and shows how it is reached, unless the instance is a large one.
            CrowdTest::Panicked(members, panic) => {
                if members > self.sizes.tested {
                    return Err(CheckError::Panicked(Box::new(panic)));
                }
                let tested = TestedCrowd::default();
                let report = self.of_instance(members, tested, search)?;
                let of_few = self.of_few(report, members, tested);
                return of_few.map_err(|_| CheckError::Panicked(Box::new(panic)));
            }
        };
        for members in 1..self.sizes.configuration {
            let report = self.of_instance(members, tested, search)?;
            if let Ok(report) = self.of_few(report, members, tested) {
                return Ok(report);
            }
        }
        self.by_views(tested, None, self.sizes.view, self.sizes.configuration)
    }

    /// The report of the instance with so many members. Counters may grow for ever, so one that has counters is searched by states that stand for
    /// others as well, each of which is a view and a configuration.
    fn of_instance(
        &self,
        members: usize,
        tested: TestedCrowd,
        search: Alike<'_>,
    ) -> Result<Report, CheckError> {
        match self.crowd.far() {
            Some(_) => self.by_views(tested, None, members, members),
            None => search(self.subjects[members - 1], self.settings),
        }
    }

    /// The settings of the search by views.
    fn of_views(&self) -> Settings<'_> {
        Settings {
            search: Search::AnyNumber {
                views: Some(self.sizes.view),
            },
            ..self.settings.clone()
        }
    }

    /// Tests that the instances have the same obligations, of few enough members.
    fn validate(&self) -> Result<(), CrowdFault> {
        let chosen = self.plans[self.sizes.configuration - 1]
            .obligations
            .chosen();
        for (members, plan) in (1..).zip(self.plans) {
            if plan.obligations.chosen() != chosen {
                let others = self.sizes.configuration;
                return Err(CrowdFault::OtherObligations { members, others });
            }
        }
        let size = self.sizes.view;
        let wide = chosen.into_iter().find(|name| {
            *name != ObligationKind::Model.name() && self.crowd.speaks_of(name) > size + 1
        });
        match wide {
            None => Ok(()),
            Some(obligation) => Err(CrowdFault::TooWide {
                members: self.crowd.speaks_of(&obligation),
                obligation,
                size,
            }),
        }
    }

    fn test(&self) -> Result<CrowdTest, CrowdFault> {
        let alone: Vec<_> = self.plans.iter().map(Alone::new).collect();
        let instances = self.plans.iter().zip(&alone);
        let instances: Vec<_> = instances
            .map(|(plan, judge)| FewMembers {
                system: *plan.asking.refinement.implementation(),
                judge,
            })
            .collect();
        let Settings { limits, watch, .. } = self.settings;
        test(self.crowd, &instances, self.sizes.tested, &|| {
            limits.out_of_time(watch, self.started)
        })
    }

    /// The report of the views, or of none where a limit came first. Views and configurations have so many members.
    fn by_views(
        &self,
        tested: TestedCrowd,
        limit: Option<Limit>,
        size: usize,
        members: usize,
    ) -> Result<Report, CheckError> {
        // A view of all members of an instance leaves none out.
        let (kinds, initial) = if size == members {
            (0, size..=size)
        } else {
            (self.sizes.kinds, size..=size + self.sizes.kinds)
        };
        let of_sizes = &self.plans[members - 1..members + kinds];
        let of_sizes = of_sizes.iter().map(|of| {
            let asks_again = AsksAgain::OnTheWay;
            plan(
                of.asking.refinement,
                of.asking.invariants,
                self.settings,
                asks_again,
            )
        });
        let of_sizes = of_sizes.collect::<Result<Vec<_>, _>>()?;
        let views = ViewSearch::new(self.crowd, size, members - size);
        let settings = self.of_views();
        outline(&self.plans[0], &settings);
        let mut configurations = Configurations::new(&of_sizes, views, &settings, self.started);
        let system = |of: &Plan<'a>| *of.asking.refinement.implementation();
        let of_views = initial.map(|members| (members, system(&self.plans[members - 1])));
        let of_views: Vec<_> = of_views.collect();
        let totals = match limit {
            Some(limit) => configurations.ended_by(limit),
            None => configurations.search(&of_views)?,
        };
        let provenance = format!(
            "of a state in which all views of {} can be reached, and which may itself not be: larger views, or the search of an instance, tell",
            counted(size as u64, "member")
        );
        let views = configurations.views();
        let findings = configurations.findings(&provenance);
        let asking = &findings.plan.asking;
        let found = Found::new(
            asking.refinement,
            &settings,
            asking.started,
            totals,
            &findings.shown,
            None,
        );
        let labelled = Labelled {
            recorded: &Recorded::nothing(),
            inputs: &[],
            between: &[],
        };
        let counts = &findings.tally.counts;
        let mut report = judge::report(findings.plan, counts, &labelled, None, &found);
        not_excluded(&mut report, false);
        report.every_number = Some(EveryNumber {
            view_members: size,
            configuration_members: members,
            views,
            ..self.every_number(tested)
        });
        Ok(self.timed(report))
    }

    /// The report where the search of an instance with few members has an answer that is none for every number; itself where it has not.
    fn of_few(
        &self,
        mut report: Report,
        members: usize,
        tested: TestedCrowd,
    ) -> Result<Report, Box<Report>> {
        let is_violated = report.violated().next().is_some();
        let is_unknown = report.every_number.is_some() && report.counterexample.is_some();
        if report.complete && !is_violated && !is_unknown {
            return Err(Box::new(report));
        }
        if report.every_number.is_none() {
            not_excluded(&mut report, true);
            report.every_number = Some(EveryNumber {
                failed_with: is_violated.then_some(members),
                ..self.every_number(tested)
            });
        }
        Ok(self.timed(report))
    }

    fn every_number(&self, tested: TestedCrowd) -> EveryNumber {
        EveryNumber {
            members: self.crowd.members().to_owned(),
            bounds: self.crowd.bounds(),
            view_members: self.sizes.view,
            configuration_members: self.sizes.configuration,
            views: 0,
            tested_states: tested.states,
            tested_members: tested.members,
            mixed_states: tested.mixed,
            failed_with: None,
        }
    }

    fn timed(&self, mut report: Report) -> Report {
        report.seconds = self.started.elapsed().as_secs_f64();
        report.evidence = Evidence::Views;
        report
    }
}

/// Says of what fails that it is not known, of whether the instance that shows it is one of few members, or a state is that views leave.
fn not_excluded(report: &mut Report, is_reached: bool) {
    let unknown = |verdict: &mut Verdict| {
        if *verdict == Verdict::Violated {
            *verdict = Verdict::Incomplete;
        }
    };
    let shown = |counterexample: &mut Counterexample| {
        if !is_reached {
            counterexample.reachable = false;
            counterexample.by_views = true;
        }
    };
    report.verdict.iter_mut().for_each(unknown);
    for row in &mut report.obligations {
        unknown(&mut row.verdict);
        row.counterexamples.iter_mut().for_each(shown);
    }
    report.counterexample.iter_mut().for_each(shown);
}
