//! Deciding whether a history is a behaviour of a specification.

use std::time::Instant;

use foldhash::{HashSet, HashSetExt};

use super::configuration::Kind;
use super::event::Event;
use super::explain::{Misled, explain};
use super::observed::Observed;
use super::ordered::Ordered;
use super::problem::HistoryError;
use super::search::{Frontier, Search, Stop, Way};
use super::window::{Log, Window};
use refmap::report::history::{Assumption, Explanation, Partial};

use refmap::Disagreement;
use refmap::TransitionSystem;
use refmap::explore::{Limit, Limits, Phase, Progress, Watch, resident_bytes};
use refmap::report::{RuleCoverage, Verdict};

/// How a history is validated.
#[derive(Clone)]
pub struct Settings<'a> {
    /// The most configurations that are kept at a time. Where more are needed the verdict is
    /// `incomplete`.
    pub configurations: usize,
    /// How many delayed events of a thread may be waiting for their effect; any number, by default. A
    /// processor's store buffer has some dozens of entries, so a bound that is lower than that of the
    /// processor refuses histories that it can produce. Without one, what threads store and never wait
    /// for is kept.
    pub buffer: Option<u32>,
    /// How many events before the one that fails are looked at to explain it: at least as many, and at
    /// most twice as many, are kept.
    pub context: u64,
    /// When to end early; of these the bounds on time and memory.
    pub limits: Limits,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            configurations: 1 << 20,
            buffer: None,
            context: 128,
            limits: Limits::default(),
            watch: Watch::default(),
        }
    }
}

/// What came of a history.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Whether it is a behaviour.
    pub outcome: Outcome,
    /// Events that were read.
    pub events: u64,
    /// Those that the adapter calls interesting, and that have an end.
    pub interesting: u64,
    /// Threads that did something.
    pub threads: usize,
    /// Events that were recorded in part.
    pub partial: Partial,
    /// What the search filled in, in the order in which it assumed it; the first hundred, at most.
    pub assumptions: Vec<Assumption>,
    /// Initial states of the specification.
    pub initial_states: usize,
    /// The most events that were under way, or delayed, at a time.
    pub widest_window: usize,
    /// The most events that were kept at a time: under way, delayed, or to explain a refusal.
    pub most_kept: usize,
    /// The most configurations that were left after an event.
    pub widest_frontier: usize,
    /// Configurations that were continued.
    pub configurations: u64,
    /// Steps of the specification, and of events that change nothing, that were taken on all the orders
    /// that were tried.
    pub steps: u64,
    /// Of the steps, those by each rule of the specification.
    pub coverage: Vec<RuleCoverage>,
    /// How the specification contradicts itself, if it was seen to: `successor`, by which the history was decided, was
    /// compared with `next` in a sample of the steps.
    pub disagreement: Option<Disagreement>,
    /// The rules of which `successor` allowed a step where `next` shows none, so that it was taken at its word.
    pub taken_at_word: Vec<String>,
    /// Time taken.
    pub seconds: f64,
    /// The most memory that the process was seen to hold.
    pub peak_memory_bytes: u64,
}

/// Whether a history is a behaviour of the specification.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is an order of its events of which the specification takes every step.
    Behaviour,
    /// There is none, and this is how far one gets.
    Refuted(Box<Explanation>),
    /// A bound came first.
    Undecided(Limit),
    /// The adapter's [`commute`](Observed::commute) or [`only_looks`](Observed::only_looks) is wrong: no
    /// order was found without those that it says need not be tried, and one of them goes on.
    Misled,
}

impl Validation {
    /// `Holds` if the history is a behaviour and has an interesting event; a history that has none says
    /// nothing, and leaves the claim `Incomplete`. A specification that contradicts itself is `Violated`.
    pub fn verdict(&self) -> Verdict {
        match self.outcome {
            _ if self.disagreement.is_some() => Verdict::Violated,
            Outcome::Refuted(_) => Verdict::Violated,
            Outcome::Behaviour if self.interesting > 0 => Verdict::Holds,
            Outcome::Behaviour | Outcome::Undecided(_) | Outcome::Misled => Verdict::Incomplete,
        }
    }
}

/// Where a search stood before an event.
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

/// How many events are read between two looks at the clock and the memory.
const PATIENCE: u64 = 1 << 12;

/// Decides whether there is an order of `events` that respects the order of each thread, the intervals
/// (what ended before something began came first) and when events take effect, and of which the
/// specification takes every step. It stops at the first event that no order can take.
///
/// The memory needed depends on how many events are under way at a time and on how many configurations
/// these allow, and not on how long the history is. An event without an end is under way to the end of the
/// history, and a delayed one until a draining event of its thread.
///
/// # Errors
///
/// If the history is damaged, before there is a verdict.
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
    /// Outside: the history cannot be read. Inside: the search ended.
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
                // This event was not looked at, and is not counted.
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
                // One that has no end need not have come about.
                let ended = event.end.is_some();
                self.interesting += u64::from(ended && observed.is_interesting(what));
            }
        }
        self.partial.open += u64::from(event.end.is_none());
    }

    /// What is due now and then.
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
            });
        }
        self.search.exhausted().map_or(Ok(()), Err)
    }

    /// Goes the last part of the way again, and remembers it.
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

/// What was assumed on the way to a configuration.
fn assumptions<O: Observed>(way: &Way<O>) -> Vec<Assumption> {
    let mut assumed = Vec::new();
    let mut link = way.as_ref();
    while let Some(at) = link {
        link = at.before.as_ref();
        if let (Some(number), Kind::Event | Kind::Effect) = (at.step.event, at.step.kind) {
            let action = at.step.action.as_ref();
            assumed.push(Assumption {
                line: line(number),
                action: action.and_then(|action| serde_json::to_value(action).ok()),
            });
        }
    }
    assumed.reverse();
    assumed
}

/// The line on which an event stands: the first is the header.
pub(super) fn line(number: u64) -> u64 {
    number + 2
}
