//! Validator: decides whether a history is a behaviour of a specification.

use std::mem;
use std::time::Instant;

use foldhash::{HashSet, HashSetExt};

use super::call::{Panicked, call, guarded};
use super::configuration::{Frontier, Kind, Way};
use super::event::{Event, line};
use super::explain::{Misled, explain, value};
use super::input::{Events, Failure, Input};
use super::observed::Observed;
use super::ordered::Ordered;
use super::outlook::{Ahead, Horizon, read_ahead};
use super::problem::HistoryError;
use super::refused::first as first_refused;
use super::search::{FEW, GROWTH, NEAR, Search, Stop, rules_of};
use super::settings::Settings;
use super::smallest::ENOUGH;
use super::smallest::Replay;
use super::window::{Log, Window};
use refmap::report::history::{Assumption, Criterion, Explanation, NoEnd, Partial};

use refmap::Disagreement;
use refmap::explore::{Limit, Progress};
use refmap::internal::explore::Phase;
use refmap::internal::resident_bytes;
use refmap::report::{RuleCoverage, Verdict};

/// Result of a validation.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Orders that count.
    pub criterion: Criterion,
    /// Result of the search for an order.
    pub outcome: Outcome,
    /// Place up to which the history was read, where a limit was reached before its end.
    pub unread: Option<String>,
    /// Number of events read.
    pub events: u64,
    /// Number of interesting events that have an end.
    pub interesting: u64,
    /// Number of threads with an event.
    pub threads: usize,
    /// Counts of partially recorded events.
    pub partial: Partial,
    /// Place where the history stops, if it has no end.
    pub no_end: Option<NoEnd>,
    /// True if the refused event was under way where the history stops that has no end: an event that is missing may have made
    /// it possible. An event that had ended before the last one began is refused whatever is missing.
    pub is_refused_at_stop: bool,
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
    /// True if some of these steps led to another state.
    pub has_changed: bool,
    /// Number of these steps by rule of the specification.
    pub coverage: Vec<RuleCoverage>,
    /// Inconsistency of the specification, if one was found: in a sample of the steps, `fire`, which decides
    /// the history, was compared with `next`.
    pub disagreement: Option<Disagreement>,
    /// Panic of the specification or the adapter, if there was one: before there was an outcome, or while a refusal was
    /// explained.
    pub panicked: Option<Panicked>,
    /// Rules of which `fire` permitted a step that `next` does not visit, so that it could not be confirmed.
    pub taken_at_word: Vec<String>,
    /// Parts of the history, if they were decided apart.
    pub parts: Option<Parts>,
    /// Time taken.
    pub seconds: f64,
    /// Greatest memory use of the process that was measured.
    pub peak_memory_bytes: u64,
}

/// Parts of a history that were decided apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Number of them.
    pub all: usize,
    /// Name of the first that is refuted, else of the first that is undecided.
    pub telling: Option<String>,
}

/// Outcome of a validation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Some order of the events is a behaviour of the specification.
    Behaviour,
    /// No order of the recorded events is; the explanation shows the longest valid prefixes. Of a history without an end see
    /// [`Validation::is_refused_at_stop`].
    Refuted(Box<Explanation>),
    /// A limit was reached.
    Undecided(Limit),
    /// The adapter or the specification is at fault: its [`commute`](Observed::commute) or
    /// [`only_looks`](Observed::only_looks) is wrong, so that without the orders that it allows the search to skip no order
    /// was found, but one of the skipped ones continues; or a function panicked ([`Validation::panicked`]).
    Misled,
}

impl Validation {
    /// `Holds` if the history is a behaviour, has an end, and has an interesting event; without one the claim is vacuous,
    /// and `Incomplete`, as it is about a history that may have been cut. An inconsistent specification, and one that
    /// panics, is `Violated`.
    pub fn verdict(&self) -> Verdict {
        match self.outcome {
            _ if self.disagreement.is_some() || self.panicked.is_some() => Verdict::Violated,
            Outcome::Refuted(_) if !self.is_refused_at_stop => Verdict::Violated,
            Outcome::Behaviour if self.interesting > 0 && self.no_end.is_none() => Verdict::Holds,
            Outcome::Behaviour | Outcome::Refuted(_) | Outcome::Undecided(_) | Outcome::Misled => {
                Verdict::Incomplete
            }
        }
    }

    /// Validation of a history of which nothing is decided, since a limit was reached before it was read; `far` says so.
    pub fn unread(criterion: Criterion, limit: Limit, far: String) -> Self {
        Self {
            unread: Some(far),
            ..Self::nothing(criterion, Outcome::Undecided(limit))
        }
    }

    /// Validation before which a function of the model panicked.
    pub(super) fn after(criterion: Criterion, panicked: Panicked) -> Self {
        Self {
            panicked: Some(panicked),
            ..Self::nothing(criterion, Outcome::Misled)
        }
    }

    /// Validation of a history of nothing, of whatever instance: it is one of every specification, and says nothing.
    pub fn of_nothing(criterion: Criterion) -> Self {
        Self::nothing(criterion, Outcome::Behaviour)
    }

    /// Validation that has looked at nothing.
    pub(super) fn nothing(criterion: Criterion, outcome: Outcome) -> Self {
        Self {
            criterion,
            outcome,
            unread: None,
            events: 0,
            interesting: 0,
            threads: 0,
            partial: Partial::default(),
            no_end: None,
            is_refused_at_stop: false,
            assumptions: Vec::new(),
            initial_states: 0,
            widest_window: 0,
            most_kept: 0,
            widest_frontier: 0,
            configurations: 0,
            steps: 0,
            has_changed: false,
            coverage: Vec::new(),
            disagreement: None,
            panicked: None,
            taken_at_word: Vec::new(),
            parts: None,
            seconds: 0.0,
            peak_memory_bytes: resident_bytes().unwrap_or(0),
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

/// Claim of an adapter on which a refusal rests, if configurations were dropped by it.
const HOPELESS: &str = "that nothing leads from some states to what was recorded later, as `is_hopeless` of the adapter states it";

/// Number of events read between two checks of time and memory.
const PATIENCE: u64 = 1 << 12;

/// Decides whether some order of `events` is a behaviour of the specification. By default the order must respect the order of
/// each thread, the intervals (an event that ended before another one began precedes it) and the times of effects; see
/// [`Settings::criterion`]. Stops at the first event that no order can take.
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
    mut events: Ordered<I>,
    settings: &Settings<'_>,
) -> Result<Validation, HistoryError>
where
    O: Observed,
    I: Iterator<Item = Result<Event<O::Event>, HistoryError>>,
{
    decide(observed, &mut events, settings)
}

/// The same of events from wherever they come: compiled once for each adapter.
fn decide<O: Observed>(
    observed: &O,
    events: &mut Events<'_, O::Event>,
    settings: &Settings<'_>,
) -> Result<Validation, HistoryError> {
    let started = Instant::now();
    let search = match guarded(|| Search::new(observed, settings, started)) {
        Ok(search) => search,
        Err(panicked) => {
            return Ok(Validation {
                seconds: started.elapsed().as_secs_f64(),
                ..Validation::after(settings.criterion, panicked)
            });
        }
    };
    let mut run = Run {
        initial_states: search.frontier.len(),
        search,
        log: Log::new(),
        begun: 0,
        older: None,
        newer: None,
        settings,
        interesting: 0,
        partial: Partial::default(),
        no_end: None,
        is_refused_at_stop: false,
        has_looked: false,
        is_whole: false,
        widest_window: 0,
        threads: HashSet::new(),
        panicked: None,
        peak_memory_bytes: resident_bytes().unwrap_or(0),
        started,
    };
    let mut input = Input::new(events, settings.criterion);
    let stopped = guarded(|| run.events(&mut input));
    run.no_end = input.no_end();
    let mut unread = None;
    let outcome = match stopped {
        Err(panicked) => {
            run.panicked = Some(panicked);
            Outcome::Misled
        }
        Ok(Ok(())) => Outcome::Behaviour,
        Ok(Err(Stopped::Limit(limit))) => Outcome::Undecided(limit),
        Ok(Err(Stopped::Refused(refused))) => run.refused(refused),
        Ok(Err(Stopped::Unread)) => match input.into_failure() {
            Some(Failure::Error(error)) => return Err(error),
            Some(Failure::Interrupted(interrupted)) => {
                unread = Some(interrupted.to_string());
                Outcome::Undecided(interrupted.limit)
            }
            None => unreachable!("what is not known has a reason"),
        },
    };
    Ok(Validation {
        unread,
        ..run.validation(outcome)
    })
}

/// Reason why a validation ends before all events have an order.
enum Stopped {
    Refused(Refusal),
    Limit(Limit),
    /// The rest of the history is not known.
    Unread,
}

/// No order goes on.
struct Refusal {
    /// The event that no order takes; none if delayed events cannot take effect.
    event: Option<u64>,
    /// True if the history stops before it is known what else could come before the event.
    is_at_stop: bool,
}

struct Run<'a, O: Observed> {
    search: Search<'a, O>,
    log: Log<O::Event>,
    /// Number of events that have begun; the log may be ahead.
    begun: u64,
    older: Option<Checkpoint<O>>,
    newer: Option<Checkpoint<O>>,
    settings: &'a Settings<'a>,
    initial_states: usize,
    interesting: u64,
    partial: Partial,
    no_end: Option<NoEnd>,
    is_refused_at_stop: bool,
    /// True if one order was looked for because configurations were more than a few.
    has_looked: bool,
    /// True if the history is known to end where the log does.
    is_whole: bool,
    widest_window: usize,
    threads: HashSet<u32>,
    panicked: Option<Panicked>,
    peak_memory_bytes: u64,
    started: Instant,
}
impl<O: Observed> Run<'_, O> {
    fn events(&mut self, input: &mut Input<'_, O::Event>) -> Result<(), Stopped> {
        if let Some(limit) = self.search.began_short {
            return Err(Stopped::Limit(limit));
        }
        self.search.crowd = self.settings.crowd;
        self.search.reach = NEAR.min(self.search.foresight());
        let observed = self.search.observed;
        loop {
            let time = match input.read(observed, &mut self.log, self.begun) {
                Ahead::Event => Some(self.log.place(self.begun).begin),
                Ahead::End => None,
                Ahead::Unknown => return Err(Stopped::Unread),
            };
            if time.is_some() {
                self.pause(self.begun).map_err(Stopped::Limit)?;
            }
            if self.end_before(time, input)? {
                return Ok(());
            }
            if time.is_none() {
                let settled = self.search.settle(&self.log);
                return settled.map_err(|stop| self.stopped(stop, time));
            }
            self.count(self.begun);
            self.search.begin(&self.log, self.begun);
            self.begun += 1;
            self.widest_window = self.widest_window.max(self.search.window.width());
        }
    }

    /// Processes all events that end before `time`, or all events if it is `None`. Returns whether that has found an order of
    /// the whole history.
    fn end_before(
        &mut self,
        time: Option<u64>,
        input: &mut Input<'_, O::Event>,
    ) -> Result<bool, Stopped> {
        while let Some(lane) = self.search.window.first_end(time) {
            let mut responded = self.search.respond(&self.log, lane);
            if let Err(Stop::Unasked) = responded {
                if !mem::replace(&mut self.has_looked, true) && self.finds_order(FEW, input)? {
                    return Ok(true);
                }
                responded = self.respond_by_outlook(lane, input);
            }
            match responded {
                Ok(()) => (),
                Err(Stop::Crowded) if self.learns_what_confirms(input) => (),
                Err(Stop::Crowded) => {
                    let crowd = self.search.crowd;
                    self.search.crowd = crowd.max(1).saturating_mul(GROWTH);
                    if self.finds_order(crowd, input)? {
                        return Ok(true);
                    }
                }
                Err(stop) => return Err(self.stopped(stop, time)),
            }
        }
        Ok(false)
    }

    /// Takes the event that ends first after its configurations have become more than a few; looks as far ahead as that needs.
    fn respond_by_outlook(
        &mut self,
        lane: u32,
        input: &mut Input<'_, O::Event>,
    ) -> Result<(), Stop> {
        self.search.reach = (self.search.reach / 2).max(NEAR.min(self.search.foresight()));
        loop {
            let is_whole = self.read_ahead(self.search.reach, input);
            let search = &mut self.search;
            let responded = search.respond_by_outlook(&self.log, lane, self.begun, is_whole);
            match responded {
                Err(Stop::Crowded) if self.search.looks_further() => (),
                other => return other,
            }
        }
    }

    /// Looks for one order of the whole history, before more configurations than a crowd are kept; returns whether it is found.
    fn finds_order(
        &mut self,
        crowd: usize,
        input: &mut Input<'_, O::Event>,
    ) -> Result<bool, Stopped> {
        let observed = self.search.observed;
        let read = &mut |log: &mut Log<_>, number| input.read(observed, log, number);
        let (search, log) = (&mut self.search, &mut self.log);
        let found = search.look_ahead(log, self.begun, crowd, read);
        let Some(widest) = found.map_err(Stopped::Limit)? else {
            return Ok(false);
        };
        self.widest_window = self.widest_window.max(widest);
        (self.begun..self.log.end()).for_each(|number| self.count(number));
        self.begun = self.log.end();
        Ok(true)
    }

    /// Reads so many events ahead; returns whether the history ends there.
    fn read_ahead(&mut self, most: u64, input: &mut Input<'_, O::Event>) -> bool {
        let observed = self.search.observed;
        let read = &mut |log: &mut Log<_>, number| input.read(observed, log, number);
        self.is_whole |= read_ahead(&mut self.log, self.begun, most, read);
        self.is_whole
    }

    /// True if it was not known that the history has events that confirm something, and now is.
    fn learns_what_confirms(&mut self, input: &mut Input<'_, O::Event>) -> bool {
        if self.search.confirms {
            return false;
        }
        self.read_ahead(self.search.foresight(), input);
        let observed = self.search.observed;
        let mut ahead = self.begun..self.log.end();
        self.search.confirms = ahead.any(|number| self.log.confirms(observed, number));
        self.search.confirms
    }

    fn stopped(&self, stop: Stop, time: Option<u64>) -> Stopped {
        match stop {
            Stop::Limit(limit) => Stopped::Limit(limit),
            Stop::Stuck(event) => Stopped::Refused(Refusal {
                event,
                is_at_stop: time.is_none(),
            }),
            Stop::Crowded | Stop::Unasked => unreachable!("a crowd is looked through"),
        }
    }

    /// Counts an event that has begun.
    fn count(&mut self, number: u64) {
        let observed = self.search.observed;
        let event = self.log.get(number);
        self.threads.insert(event.thread);
        match &event.event {
            None => self.partial.unknown += 1,
            Some(what) => {
                let is_partial = call("`is_partial` of the adapter", || observed.is_partial(what));
                self.partial.incomplete += u64::from(is_partial);
                let is_interesting = || {
                    call("`is_interesting` of the adapter", || {
                        observed.is_interesting(what)
                    })
                };
                // An event without an end may not have taken place.
                let counts = event.end.is_some() && is_interesting();
                self.interesting += u64::from(counts);
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
                disk: None,
                peers: None,
            });
        }
        self.search.exhausted().map_or(Ok(()), Err)
    }

    /// The outcome of a refusal.
    fn refused(&mut self, mut refusal: Refusal) -> Outcome {
        let explained = guarded(|| {
            let cut_short = self.find_first(&mut refusal);
            self.explain(refusal.event, cut_short)
        });
        let Refusal { event, is_at_stop } = refusal;
        let explanation = match explained {
            Ok(Ok(explanation)) => explanation,
            Ok(Err(Misled)) => return Outcome::Misled,
            Err(panicked) => {
                self.panicked = Some(panicked);
                self.unexplained(event)
            }
        };
        self.is_refused_at_stop = is_at_stop && self.no_end.is_some();
        Outcome::Refuted(Box::new(explanation))
    }

    /// Finds the first event that no order takes, if configurations were dropped because of later ones; returns the limit that
    /// came before it was known whether there is an earlier one.
    fn find_first(&mut self, refusal: &mut Refusal) -> Option<Limit> {
        if self.search.dropped == 0 || refusal.event.is_none() {
            return None;
        }
        let log = &self.log;
        let first = self.search.window.first_ending();
        let ahead = log.end().min(self.begun + self.search.foresight());
        let numbers = self.search.window.numbers().chain(self.begun..ahead);
        let ends = numbers.filter_map(|number| Some((log.place(number).end?, number)));
        let mut ends: Vec<_> = ends.filter(|end| Some(*end) >= first).collect();
        ends.sort_unstable();
        let found = first_refused(|| self.again(), log, self.replayed(), &ends);
        let (end, number) = found.end;
        let begun = log.first_after(end, self.begun, log.end());
        refusal.event = Some(number);
        refusal.is_at_stop = begun == log.end();
        (self.begun..begun).for_each(|number| self.count(number));
        self.begun = begun;
        found.unsure
    }

    /// Explanation that has nothing but the refused event.
    fn unexplained(&self, event: Option<u64>) -> Explanation {
        let observed = self.search.observed;
        let shown = event.and_then(|number| guarded(|| self.log.shown(observed, number)).ok());
        Explanation {
            event: shown,
            prefixes: Vec::new(),
            more_prefixes: 0,
            window: None,
            cut_short: None,
        }
    }

    /// Repeats the last part of the search with recorded paths.
    fn explain(
        &self,
        refused: Option<u64>,
        cut_short: Option<Limit>,
    ) -> Result<Explanation, Misled> {
        let whole = self.replayed();
        let again = self.again();
        let Some(number) = refused.filter(|_| self.search.dropped > 0) else {
            return explain(again, &self.log, whole, refused, None);
        };
        let end = self.log.place(number).end.map(|end| (end, number));
        let part = Replay {
            until: end,
            ..whole
        };
        // All orders of what has ended before, if they are few; otherwise those that later events permit.
        let horizons = [
            Horizon {
                before: end,
                without: None,
            },
            Horizon {
                before: None,
                without: refused,
            },
        ];
        let mut limit = cut_short;
        let mut explained = None;
        for horizon in horizons {
            let mut again = self.again();
            again.crowd = ENOUGH;
            again.horizon = horizon;
            let explanation = explain(again, &self.log, part, refused, limit)?;
            let is_told = !explanation.prefixes.is_empty();
            limit = explanation.cut_short;
            explained = Some(explanation);
            if is_told {
                break;
            }
        }
        Ok(explained.expect("there are two horizons"))
    }

    /// Search that starts where an explanation does.
    fn again(&self) -> Search<'_, O> {
        let (observed, settings, started) = (self.search.observed, self.settings, self.started);
        let mut again = match self.beginning() {
            Some(at) => {
                let (window, frontier) = (at.window.clone(), at.frontier.clone());
                Search::at(observed, settings, started, window, frontier)
            }
            None => Search::new(observed, settings, started),
        };
        again.confirms = self.search.dropped > 0;
        again
    }

    /// The checkpoint with which an explanation begins.
    fn beginning(&self) -> Option<&Checkpoint<O>> {
        self.older.as_ref().or(self.newer.as_ref())
    }

    /// The part of the log that an explanation repeats.
    fn replayed(&self) -> Replay {
        Replay {
            from: self.beginning().map_or(0, |at| at.before),
            until: None,
            is_whole: self.is_whole,
        }
    }

    fn validation(self, outcome: Outcome) -> Validation {
        let Self {
            search,
            log,
            begun,
            initial_states,
            interesting,
            partial,
            no_end,
            is_refused_at_stop,
            widest_window,
            threads,
            mut panicked,
            settings,
            peak_memory_bytes,
            started,
            ..
        } = self;
        let first = search.frontier.first();
        let assumptions = guarded(|| first.map_or_else(Vec::new, |(_, way)| assumptions::<O>(way)));
        let assumptions = assumptions.unwrap_or_else(|panic| {
            panicked.get_or_insert(panic);
            Vec::new()
        });
        let rules = rules_of(search.observed.specification()).iter();
        let compared = search.compared.borrow();
        let words = compared.words();
        let words = words.map(|rule| {
            let name = rules.clone().nth(rule).map_or("", |rule| &rule.name);
            format!("`{name}` of the specification, as `fire` states it")
        });
        let is_refuted = matches!(outcome, Outcome::Refuted(_));
        let hopeless = (is_refuted && search.dropped > 0).then(|| HOPELESS.to_owned());
        let resident = resident_bytes().unwrap_or(0);
        Validation {
            criterion: settings.criterion,
            outcome,
            unread: None,
            events: begun,
            interesting,
            threads: threads.len(),
            partial,
            no_end,
            is_refused_at_stop,
            assumptions,
            initial_states,
            widest_window,
            most_kept: log.most(),
            widest_frontier: search.counts.widest_frontier,
            configurations: search.counts.configurations,
            steps: search.counts.steps,
            has_changed: search.counts.has_changed,
            disagreement: compared.disagreement(),
            panicked,
            taken_at_word: words.chain(hopeless).collect(),
            parts: None,
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
                action: action.and_then(value),
            });
        }
    }
    assumed.reverse();
    assumed
}
