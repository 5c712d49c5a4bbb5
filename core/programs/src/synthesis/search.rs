//! Search of a synthesis: the checks that it makes, and the answer that follows from them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::super::model::MemoryModel;
use super::places::{Places, minimal};
use super::scenario::Scenario;
use super::{
    Answer, Failure, Held, MOST_PLACES, MinimalSet, PlaceOfFences, Synthesis, SynthesisError,
    Undecided, VacuousSet, Without,
};
use crate::program::Program;
use refmap::explore::Limit;
use refmap::obligation::{ObligationKind, Settings};
use refmap::report::{Counterexample, Obligation, Report, Verdict};

/// Finds all minimal sets of places at which fences make every scenario hold under `model`.
///
/// `settings` apply to each check, except for the time limit, which applies to the whole. A limit that is reached
/// yields [`Answer::Incomplete`].
///
/// # Errors
///
/// If the scenarios are incompatible, cannot be checked, or depend on fences other than through the order that
/// these enforce.
pub fn synthesise(
    scenarios: &[Scenario],
    model: MemoryModel,
    settings: &Settings<'_>,
) -> Result<Synthesis, SynthesisError> {
    let started = Instant::now();
    if scenarios.is_empty() {
        return Err(SynthesisError::NoScenario);
    }
    for (number, scenario) in scenarios.iter().enumerate() {
        let same = |other: &Scenario| other.name() == scenario.name();
        if scenarios[..number].iter().any(same) {
            let name = scenario.name().to_owned();
            return Err(SynthesisError::DuplicateScenario { name });
        }
    }
    let mut places = places_of(scenarios);
    if places.len() > MOST_PLACES {
        let given = places.len();
        return Err(SynthesisError::TooManyPlaces { given });
    }
    let weaker = weaker(scenarios, &places);
    for (number, below) in weaker.iter().enumerate() {
        let names = below.iter().map(|place| places[place].name.clone());
        places[number].weaker = names.collect();
    }
    let mut search = Search {
        scenarios,
        model,
        settings,
        started,
        weaker,
        places,
        decided: BTreeMap::new(),
        checks: 0,
        states: 0,
        cut_off: BTreeSet::new(),
    };
    let answer = match search.answer() {
        Ok(answer) => answer,
        Err(Stop::Undecided(undecided)) => Answer::Incomplete(undecided),
        Err(Stop::Error(error)) => return Err(error),
    };
    Ok(Synthesis {
        memory: model,
        scenarios: scenarios
            .iter()
            .map(|scenario| scenario.name().to_owned())
            .collect(),
        answer,
        places: search.places,
        checks: search.checks,
        states: search.states,
        cut_off: search.cut_off.into_iter().collect(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Collects the places of all scenarios without duplicates.
fn places_of(scenarios: &[Scenario]) -> Vec<PlaceOfFences> {
    let mut all: Vec<PlaceOfFences> = Vec::new();
    for program in scenarios.iter().map(Scenario::program) {
        for place in &program.places {
            let known = all.iter().position(|known| known.name == place.name);
            let number = known.unwrap_or_else(|| {
                all.push(PlaceOfFences {
                    name: place.name.clone(),
                    fences: Vec::new(),
                    weaker: Vec::new(),
                });
                all.len() - 1
            });
            for fence in program.fences_at(&place.name) {
                if !all[number].fences.contains(&fence) {
                    all[number].fences.push(fence);
                }
            }
        }
    }
    all
}

/// Per place, the places whose fences its own makes redundant, but not the other way round.
fn weaker(scenarios: &[Scenario], places: &[PlaceOfFences]) -> Vec<Places> {
    let covers = |stronger: &PlaceOfFences, weaker: &PlaceOfFences| {
        let covers = |program: &Program| program.covers(&stronger.name, &weaker.name);
        scenarios.iter().map(Scenario::program).all(covers)
    };
    let below = |stronger: &PlaceOfFences| {
        let numbers = 0..places.len();
        numbers
            .filter(|other| covers(stronger, &places[*other]) && !covers(&places[*other], stronger))
            .collect()
    };
    places.iter().map(below).collect()
}

/// Reason why a search ends without an answer.
enum Stop {
    Undecided(Undecided),
    Error(SynthesisError),
}

impl From<SynthesisError> for Stop {
    fn from(error: SynthesisError) -> Self {
        Self::Error(error)
    }
}

/// Result of checking all scenarios with fences at some places.
#[derive(Clone)]
enum Decided {
    /// No scenario fails.
    Suffices {
        held: Vec<Held>,
        /// The first coverage obligation that fails.
        vacuous: Option<(String, Obligation)>,
    },
    Fails(Failure),
}

struct Search<'a> {
    scenarios: &'a [Scenario],
    model: MemoryModel,
    settings: &'a Settings<'a>,
    started: Instant,
    places: Vec<PlaceOfFences>,
    /// Per place, the places whose fences its own makes redundant.
    weaker: Vec<Places>,
    /// Cached results.
    decided: BTreeMap<Places, Decided>,
    checks: u64,
    states: u64,
    /// Threads that were cut off in some check.
    cut_off: BTreeSet<String>,
}

impl Search<'_> {
    fn answer(&mut self) -> Result<Answer, Stop> {
        let count = self.places.len();
        if let Decided::Fails(failure) = self.decide(Places::first(count))? {
            return Ok(Answer::Unmendable {
                failure: Some(Box::new(failure)),
                vacuous: Vec::new(),
            });
        }
        let all = minimal(count, |set| {
            Ok::<_, Stop>(matches!(self.decide(set)?, Decided::Suffices { .. }))
        })?;
        let (mut sets, mut vacuous_sets) = (Vec::new(), Vec::new());
        for set in &all {
            let effect = self.effect(*set);
            let can_be_weakened = all.iter().map(|other| self.effect(*other)).any(|other| {
                // A set of weaker fences at the same points has a smaller effect.
                other != effect && other.is_within(effect)
            });
            if can_be_weakened {
                continue;
            }
            let fences = self.names(*set);
            match self.decide(*set)? {
                Decided::Fails(_) => unreachable!("it was found to suffice"),
                Decided::Suffices {
                    vacuous: Some((scenario, row)),
                    ..
                } => vacuous_sets.push(VacuousSet {
                    fences,
                    scenario,
                    obligation: row.name,
                    note: row.note,
                }),
                Decided::Suffices {
                    held,
                    vacuous: None,
                } => sets.push(MinimalSet {
                    fences,
                    holds: held,
                    without: self.without_each(*set)?,
                    warnings: self.warnings(*set)?,
                }),
            }
        }
        Ok(if sets.is_empty() {
            Answer::Unmendable {
                failure: None,
                vacuous: vacuous_sets,
            }
        } else {
            Answer::Mended {
                sets,
                vacuous: vacuous_sets,
            }
        })
    }

    /// Doubts of the programs with fences at exactly these places; programs of several scenarios may share one.
    fn warnings(&self, set: Places) -> Result<Vec<String>, Stop> {
        let Settings { limits, watch, .. } = self.settings;
        let mut warnings = Vec::new();
        for scenario in self.scenarios {
            // The doubts of a large program take a quarter of a second.
            if let Some(limit) = limits.out_of_time(watch, self.started) {
                return Err(Stop::Undecided(Undecided {
                    fences: self.names(set),
                    scenario: String::new(),
                    limit: Some(limit),
                }));
            }
            let fences = set.iter().map(|place| self.places[place].name.as_str());
            for doubt in scenario.with_fences(fences).doubts(self.model) {
                if !warnings.contains(&doubt) {
                    warnings.push(doubt);
                }
            }
        }
        Ok(warnings)
    }

    /// Failure without each of the fences, with all weaker ones left in its place.
    fn without_each(&mut self, set: Places) -> Result<Vec<Without>, Stop> {
        let effect = self.effect(set);
        let mut without = Vec::new();
        for fence in set.iter() {
            let fence = Places::NONE.with(fence);
            let rest = effect.without(fence);
            let failure = match self.decide(rest)? {
                Decided::Fails(failure) => failure,
                Decided::Suffices { .. } => return Err(self.contradiction(rest).into()),
            };
            without.push(Without {
                fence: self.names(fence).concat(),
                instead: self.names(self.effect(fence).without(fence)),
                failure,
            });
        }
        Ok(without)
    }

    /// The set together with everything that its fences make redundant.
    fn effect(&self, set: Places) -> Places {
        set.iter()
            .map(|place| self.weaker[place])
            .fold(set, Places::and)
    }

    fn names(&self, set: Places) -> Vec<String> {
        set.iter()
            .map(|place| self.places[place].name.clone())
            .collect()
    }

    /// Error: a set holds although it is a subset of a failing one, from which the search has concluded that it
    /// fails.
    fn contradiction(&self, holds: Places) -> SynthesisError {
        let fails = self
            .decided
            .iter()
            .find_map(|(set, decided)| match decided {
                Decided::Fails(failure) if holds.is_within(*set) => Some((*set, failure)),
                _ => None,
            });
        let (set, failure) = fails.expect("a set is left out because it is within one that fails");
        SynthesisError::Contradiction {
            scenario: failure.scenario.clone(),
            more: listed(&self.names(set)),
            fewer: listed(&self.names(holds)),
        }
    }

    /// Checks the scenarios in order until one fails.
    fn decide(&mut self, set: Places) -> Result<Decided, Stop> {
        if let Some(decided) = self.decided.get(&set) {
            return Ok(decided.clone());
        }
        let (mut held, mut vacuous) = (Vec::new(), None);
        for scenario in self.scenarios {
            let mut settings = self.settings.clone();
            if let Some(seconds) = self.settings.limits.seconds {
                let left = seconds - self.started.elapsed().as_secs_f64();
                settings.limits.seconds = Some(left.max(f64::MIN_POSITIVE));
            }
            let name = || scenario.name().to_owned();
            let fences = set.iter().map(|place| self.places[place].name.as_str());
            let report = scenario
                .check(fences, self.model, &settings)
                .map_err(|error| SynthesisError::Check {
                    scenario: name(),
                    error,
                })?;
            self.checks += 1;
            self.states += report.states;
            if let Some(cut_off) = &report.cut_off {
                self.cut_off.extend(cut_off.threads.iter().cloned());
            }
            match judge(scenario.name(), &report)? {
                Judged::Fails(counterexample) => {
                    let failure = Decided::Fails(Failure {
                        scenario: name(),
                        counterexample: counterexample.clone(),
                    });
                    self.decided.insert(set, failure.clone());
                    return Ok(failure);
                }
                Judged::Undecided(limit) => {
                    return Err(Stop::Undecided(Undecided {
                        fences: self.names(set),
                        scenario: name(),
                        limit,
                    }));
                }
                Judged::Holds => (),
                Judged::Vacuous(row) => {
                    vacuous.get_or_insert_with(|| (name(), row.clone()));
                }
            }
            held.push(Held {
                scenario: name(),
                states: report.states,
                transitions: report.transitions,
            });
        }
        let suffices = Decided::Suffices { held, vacuous };
        self.decided.insert(set, suffices.clone());
        Ok(suffices)
    }
}

/// Formats places for a sentence.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => "no place".to_owned(),
        names => names.join(", "),
    }
}

/// Verdict of a report on a set of fences.
enum Judged<'a> {
    Holds,
    /// The scenario holds, and an obligation to exercise something fails.
    Vacuous(&'a Obligation),
    Fails(&'a Counterexample),
    Undecided(Option<Limit>),
}

/// Direction in which an obligation is monotone in the set of fences.
enum Direction {
    /// An added fence preserves that it holds.
    Kept,
    /// An added fence preserves that it fails.
    Lost,
    /// Neither is known.
    Unknown,
}

fn direction(obligation: &str) -> Direction {
    match ObligationKind::of(obligation) {
        Some(
            ObligationKind::Observation
            | ObligationKind::Initiality
            | ObligationKind::Simulation
            | ObligationKind::Agency
            | ObligationKind::Invariant
            | ObligationKind::Deadlock
            | ObligationKind::Model,
        ) => Direction::Kept,
        Some(ObligationKind::Coverage) => Direction::Lost,
        Some(
            ObligationKind::Inductive
            | ObligationKind::Auxiliary
            | ObligationKind::Environment
            | ObligationKind::Fairness
            | ObligationKind::LeadsTo
            | ObligationKind::Eventually
            | ObligationKind::AlwaysEventually
            | ObligationKind::EventuallyAlways,
        )
        | None => Direction::Unknown,
    }
}

fn judge<'a>(scenario: &str, report: &'a Report) -> Result<Judged<'a>, SynthesisError> {
    let nothing = |why| SynthesisError::NothingDecided {
        scenario: scenario.to_owned(),
        why,
    };
    if report.walks.is_some() {
        return Err(nothing("walks at random"));
    }
    let Some(verdict) = report.verdict else {
        return Err(nothing("has no obligation"));
    };
    for row in &report.obligations {
        let unknown = matches!(direction(&row.name), Direction::Unknown);
        if unknown && row.verdict != Verdict::NoneDeclared {
            return Err(SynthesisError::NotMonotone {
                scenario: scenario.to_owned(),
                obligation: row.name.clone(),
            });
        }
    }
    let goes_wrong = |shown: &&Counterexample| {
        let kept = matches!(direction(&shown.obligation), Direction::Kept);
        kept && report.violated().any(|name| name == shown.obligation)
    };
    let rows = report.obligations.iter();
    let shown = rows.flat_map(|row| &row.counterexamples);
    let mut shown = report.counterexample.iter().chain(shown);
    if let Some(counterexample) = shown.find(goes_wrong) {
        return Ok(Judged::Fails(counterexample));
    }
    let violated = |row: &&Obligation| row.verdict == Verdict::Violated;
    let mut vacuous = None;
    for row in report.obligations.iter().filter(violated) {
        match direction(&row.name) {
            Direction::Lost => vacuous = vacuous.or(Some(row)),
            _ => return Err(nothing("fails without a counterexample")),
        }
    }
    // What happens nowhere before threads are cut off may happen later; within the bound nothing shows it.
    let is_cut = report.cut_off.is_some() && report.limit.is_none();
    let open = |row: &&Obligation| row.verdict == Verdict::Incomplete;
    let mut open = report.obligations.iter().filter(open);
    let first_open = open
        .clone()
        .next()
        .filter(|_| is_cut && open.all(|row| matches!(direction(&row.name), Direction::Lost)));
    Ok(match (vacuous.or(first_open), verdict) {
        (Some(row), Verdict::Incomplete) if first_open.is_some() => Judged::Vacuous(row),
        (Some(row), Verdict::Holds | Verdict::Violated) => Judged::Vacuous(row),
        (None, Verdict::Holds) => Judged::Holds,
        (None, Verdict::Violated) => return Err(nothing("fails by none of its obligations")),
        (
            _,
            Verdict::Incomplete | Verdict::NoneDeclared | Verdict::Untested | Verdict::NotDecided,
        ) => Judged::Undecided(report.limit),
    })
}
