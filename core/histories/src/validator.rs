//! Validator: decides whether a history is a behaviour of a specification.

use std::time::Instant;

use foldhash::{HashSet, HashSetExt};

use super::configuration::{Frontier, Kind, Way};
use super::event::{Event, line};
use super::explain::{Misled, explain};
use super::observed::Observed;
use super::ordered::Ordered;
use super::problem::HistoryError;
use super::search::{Search, Stop};
use super::settings::Settings;
use super::window::{Log, Window};
use refmap::report::history::{Assumption, Explanation, Partial};

use refmap::Disagreement;
use refmap::TransitionSystem;
use refmap::explore::{Limit, Phase, Progress};
use refmap::internal::{json, resident_bytes};
use refmap::report::{RuleCoverage, Verdict};

/// Result of a validation.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Whether the history is a behaviour.
    pub outcome: Outcome,
    /// Number of events read.
    pub events: u64,
    /// Number of interesting events that have an end.
    pub interesting: u64,
    /// Number of threads with an event.
    pub threads: usize,
    /// Counts of partially recorded events.
    pub partial: Partial,
    /// Assumptions of the search about unrecorded information, in order; at most the first hundred.
    pub assumptions: Vec<Assumption>,
    /// Number of initial states of the specification.
    pub initial_states: usize,
    /// Greatest number of events under way or delayed at a time.
    pub widest_window: usize,
    /// Greatest number of events held at a time: under way, delayed, or for an explanation.
    pub most_kept: usize,
    /// Greatest size of the frontier after an event.
    pub widest_frontier: usize,
    /// Number of expanded configurations.
    pub configurations: u64,
    /// Number of steps taken, of the specification and of read-only events, over all orders tried.
    pub steps: u64,
    /// Number of these steps by rule of the specification.
    pub coverage: Vec<RuleCoverage>,
    /// Inconsistency of the specification, if one was found: in a sample of the steps, `successor`, which decides
    /// the history, was compared with `next`.
    pub disagreement: Option<Disagreement>,
    /// Rules of which `successor` permitted a step that `next` does not visit, so that it could not be confirmed.
    pub taken_at_word: Vec<String>,
    /// Time taken.
    pub seconds: f64,
    /// Greatest memory use of the process that was measured.
    pub peak_memory_bytes: u64,
}

/// Outcome of a validation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Some order of the events is a behaviour of the specification.
    Behaviour,
    /// No order is; the explanation shows the longest valid prefixes.
    Refuted(Box<Explanation>),
    /// A limit was reached.
    Undecided(Limit),
    /// The adapter's [`commute`](Observed::commute) or [`only_looks`](Observed::only_looks) is wrong: without the
    /// orders that it allows the search to skip no order was found, but one of the skipped ones continues.
    Misled,
}

impl Validation {
    /// `Holds` if the history is a behaviour and has an interesting event; without one the claim is vacuous, and
    /// `Incomplete`. An inconsistent specification is `Violated`.
    pub fn verdict(&self) -> Verdict {
        match self.outcome {
            _ if self.disagreement.is_some() => Verdict::Violated,
            Outcome::Refuted(_) => Verdict::Violated,
            Outcome::Behaviour if self.interesting > 0 => Verdict::Holds,
            Outcome::Behaviour | Outcome::Undecided(_) | Outcome::Misled => Verdict::Incomplete,
        }
    }
}

/// State of a search before an event.
struct Checkpoint<O: Observed> {
    before: u64,
    window: Window,
    frontier: Frontier<O>,
}

impl<O: Observed> Checkpoint<O> {
    fn of(search: &Search<'_, O>, before: u64) -> Self {
        let frontier = search.frontier.iter();
        Self {
            before,
            window: search.window.clone(),
            frontier: frontier
                .map(|(configuration, _)| (configuration.clone(), None))
                .collect(),
        }
    }
}

/// Number of events read between two checks of time and memory.
const PATIENCE: u64 = 1 << 12;

/// Decides whether some order of `events` is a behaviour of the specification. The order must respect the order of
/// each thread, the intervals (an event that ended before another one began precedes it) and the times of effects.
/// Stops at the first event that no order can take.
///
/// The memory needed depends on the number of events under way at a time and on the number of configurations that
/// they permit, not on the length of the history. An event without an end is under way until the end of the
/// history, and a delayed one until a draining event of its thread.
///
/// # Errors
///
/// If the history is malformed, before there is a verdict.
pub fn validate<O, I>(
    observed: &O,
    events: Ordered<I>,
    settings: &Settings<'_>,
) -> Result<Validation, HistoryError>
where
    O: Observed,
    I: Iterator<Item = Result<Event<O::Event>, HistoryError>>,
{
    let started = Instant::now();
    let mut run = Run {
        search: Search::new(observed, settings, started),
        log: Log::new(),
        older: None,
        newer: None,
        settings,
        interesting: 0,
        partial: Partial::default(),
        widest_window: 0,
        threads: HashSet::new(),
        peak_memory_bytes: resident_bytes().unwrap_or(0),
        started,
    };
    let initial_states = run.search.frontier.len();
    let stopped = run.events(events)?;
    let outcome = match stopped {
        Ok(()) => Outcome::Behaviour,
        Err(Stop::Limit(limit)) => Outcome::Undecided(limit),
        Err(Stop::Stuck(refused)) => match run.explain(refused) {
            Ok(explanation) => Outcome::Refuted(Box::new(explanation)),
            Err(Misled) => Outcome::Misled,
        },
    };
    Ok(run.validation(outcome, initial_states))
}

struct Run<'a, O: Observed> {
    search: Search<'a, O>,
    log: Log<O::Event>,
    older: Option<Checkpoint<O>>,
    newer: Option<Checkpoint<O>>,
    settings: &'a Settings<'a>,
    interesting: u64,
    partial: Partial,
    widest_window: usize,
    threads: HashSet<u32>,
    peak_memory_bytes: u64,
    started: Instant,
}

impl<O: Observed> Run<'_, O> {
    /// Processes the events. The outer error is a malformed history; the inner one is the end of the search.
    fn events<I>(&mut self, events: I) -> Result<Result<(), Stop>, HistoryError>
    where
        I: Iterator<Item = Result<Event<O::Event>, HistoryError>>,
    {
        if let Some(limit) = self.search.began_short {
            return Ok(Err(Stop::Limit(limit)));
        }
        let mut thread = None;
        for event in events {
            let event = event?;
            let number = self.log.end();
            if let Err(limit) = self.pause(number) {
                return Ok(Err(Stop::Limit(limit)));
            }
            if let Err(stop) = self.search.end_before(&self.log, Some(event.begin)) {
                // This event was not processed, and is not counted.
                return Ok(Err(stop));
            }
            if thread != Some(event.thread) {
                thread = Some(event.thread);
                self.threads.insert(event.thread);
            }
            self.count(&event);
            self.log.push(event);
            self.search.begin(&self.log, number);
            self.widest_window = self.widest_window.max(self.search.window.width());
        }
        let ended = self.search.end_before(&self.log, None);
        Ok(ended.and_then(|()| self.search.settle(&self.log)))
    }

    fn count(&mut self, event: &Event<O::Event>) {
        let observed = self.search.observed;
        match &event.event {
            None => self.partial.unknown += 1,
            Some(what) => {
                self.partial.incomplete += u64::from(observed.is_partial(what));
                // An event without an end may not have taken place.
                let ended = event.end.is_some();
                self.interesting += u64::from(ended && observed.is_interesting(what));
            }
        }
        self.partial.open += u64::from(event.end.is_none());
    }

    /// Periodic work: progress, limits and cancellation.
    fn pause(&mut self, number: u64) -> Result<(), Limit> {
        if number.is_multiple_of(self.settings.context.max(1)) {
            let here = Checkpoint::of(&self.search, number);
            self.older = self.newer.replace(here);
            if let Some(older) = self.older.as_ref().or(self.newer.as_ref()) {
                self.log.forget_before(older.before, &older.window);
            }
        }
        if !number.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        let resident = resident_bytes().unwrap_or(0);
        self.peak_memory_bytes = self.peak_memory_bytes.max(resident);
        if let Some(progress) = self.settings.watch.progress {
            progress(&Progress {
                phase: Phase::Search,
                states: self.search.counts.configurations,
                transitions: self.search.counts.steps,
                depth: u32::try_from(number).unwrap_or(u32::MAX),
                frontier: self.search.frontier.len() as u64,
                elapsed: self.started.elapsed(),
                work: None,
            });
        }
        self.search.exhausted().map_or(Ok(()), Err)
    }

    /// Repeats the last part of the search with recorded paths.
    fn explain(&mut self, refused: Option<u64>) -> Result<Explanation, Misled> {
        let observed = self.search.observed;
        let checkpoint = self.older.take().or(self.newer.take());
        let (before, window, frontier) = match checkpoint {
            Some(at) => (at.before, at.window, at.frontier),
            None => {
                let initial = Search::new(observed, self.settings, self.started);
                (0, initial.window, initial.frontier)
            }
        };
        let again = Search::at(observed, self.settings, self.started, window, frontier);
        explain(again, &self.log, before, refused)
    }

    fn validation(self, outcome: Outcome, initial_states: usize) -> Validation {
        let Self {
            search,
            log,
            interesting,
            partial,
            widest_window,
            threads,
            peak_memory_bytes,
            started,
            ..
        } = self;
        let rules = search.observed.specification().rules().iter();
        let compared = search.compared.borrow();
        let words = compared.words();
        let words = words.map(|rule| {
            let name = rules.clone().nth(rule).map_or("", |rule| &rule.name);
            format!("`{name}` of the specification, as `successor` states it")
        });
        let resident = resident_bytes().unwrap_or(0);
        Validation {
            outcome,
            events: log.end(),
            interesting,
            threads: threads.len(),
            partial,
            assumptions: search
                .frontier
                .first()
                .map_or_else(Vec::new, |(_, way)| assumptions::<O>(way)),
            initial_states,
            widest_window,
            most_kept: log.most(),
            widest_frontier: search.counts.widest_frontier,
            configurations: search.counts.configurations,
            steps: search.counts.steps,
            disagreement: compared.disagreement(),
            taken_at_word: words.collect(),
            coverage: rules
                .zip(&search.counts.fired)
                .map(|(rule, fired)| RuleCoverage {
                    rule: rule.name.clone().into_owned(),
                    process: rule.process.to_owned(),
                    fired: *fired,
                })
                .collect(),
            seconds: started.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory_bytes.max(resident),
        }
    }
}

/// The assumptions on the path to a configuration.
fn assumptions<O: Observed>(way: &Way<O>) -> Vec<Assumption> {
    let mut assumed = Vec::new();
    let mut link = way.as_ref();
    while let Some(at) = link {
        link = at.before.as_ref();
        if let (Some(number), Kind::Event | Kind::Effect) = (at.step.event, at.step.kind) {
            let action = at.step.action.as_ref();
            assumed.push(Assumption {
                line: line(number),
                action: action.map(json),
            });
        }
    }
    assumed.reverse();
    assumed
}
