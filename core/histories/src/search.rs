//! Search for a valid order of the events.
//!
//! The search keeps the *frontier*: the set of all configurations that some order of the ended events reaches,
//! together with those events still under way that the order needs. When an event ends, each configuration that has
//! not taken it is expanded, depth first and each configuration once, by events that have begun, by effects of
//! delayed events and by internal steps, until the event is taken. Expansion stops there, and configurations
//! reachable from another frontier configuration are left out. The frontier is exact: every valid order passes
//! through it, since the events that precede an event in an order have begun when that event ends. If the frontier
//! is empty, there is no valid order. The path to a configuration is not needed.
//!
//! Three reductions avoid equivalent orders: an event that only reads is taken as soon as it can be (`look`), a
//! step that can still be taken later is postponed (`postpone`), and events that commute with everything relevant
//! are not tried before the ending event ([`Needed`]). Where the configurations are more than a few, those that no order of the
//! rest of the history goes on from are dropped ([`Expected`]).
//!
//! Source: the just-in-time search of Lowe, *Testing for linearizability*, Concurrency and Computation 29(4), 2017.
//! Delayed effects, internal steps and partial events are additions.

mod compared;
mod first_order;
mod patience;
mod pruning;
mod steps;

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use super::call::call;
use super::configuration::{Configuration, Fresh, Frontier, Link, Taken, Way};
use super::needed::Needed;
use super::observed::{Action, Observed, State, is_partial};
use super::outlook::{Expected, Horizon};
use super::set::{Endless, Set};
use super::settings::Settings;
use super::window::{Log, Window};
pub(super) use compared::Compared;
pub(super) use first_order::GROWTH;
use patience::Patience;
use refmap::explore::Limit;
use refmap::internal::{break_off, calls_back, until_enough, visit_initial};
use refmap::{Action as _, ActionOf, Rule, TransitionSystem};

/// Reason why a search stops.
pub(super) enum Stop {
    /// The frontier is empty; `visited` holds the configurations that were visited last. The number is that of the
    /// refused event; without one, delayed events cannot take effect.
    Stuck(Option<u64>),
    /// The configurations of one event have become more than a few, and the outlook from them was not asked. The frontier is what it
    /// was.
    Unasked,
    /// The configurations of one event have become as many as [`Search::crowd`] says. The frontier is what it was.
    Crowded,
    /// A limit was reached.
    Limit(Limit),
}

/// Kinds of steps to record on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remember {
    /// Steps that fill in unrecorded information.
    Assumptions,
    /// All steps.
    Everything,
}

/// Greatest number of recorded assumptions.
pub(super) const MOST_ASSUMPTIONS: usize = 100;
/// Number of configurations of one event beyond which the outlook from each is asked.
///
/// PERF: most events have fewer, and are decided without reading ahead.
pub(super) const FEW: usize = 1 << 6;
/// Number of events ahead of which the outlook is asked at first, and at least.
///
/// PERF: what it takes to ask grows with the square. Mostly the next events tell enough.
pub(super) const NEAR: u64 = 1 << 4;
/// Number of configurations of one event from which on it is worth to look further ahead.
///
/// PERF: one order is mostly found before.
const MANY: usize = 1 << 8;

/// Search with its current frontier.
pub(super) struct Search<'a, O: Observed> {
    pub observed: &'a O,
    pub window: Window,
    pub frontier: Frontier<O>,
    pub remember: Remember,
    pub counts: Counts,
    /// The limit that stopped the enumeration of the initial states.
    pub began_short: Option<Limit>,
    /// The limit that stopped the exploration for an explanation.
    pub cut_short: Option<Limit>,
    /// True if the refused event is possible in an order that the adapter allowed the search to skip.
    pub misled: bool,
    /// Number of configurations of one event at which the search stops as crowded.
    pub crowd: usize,
    /// Events of which the outlook may be asked.
    pub horizon: Horizon,
    /// True if it is known that there are events that confirm something.
    pub confirms: bool,
    /// Number of configurations that were dropped because they have no hope.
    pub dropped: u64,
    /// Number of events ahead of which the outlook is asked, at most [`foresight`](Self::foresight).
    pub reach: u64,
    settings: &'a Settings<'a>,
    started: Instant,
    patience: Patience<'a>,
    pub pass: Pass<O>,
    /// Sampled comparison of the specification's `fire` with `next`.
    pub compared: RefCell<Compared>,
    fresh: Vec<Fresh<O>>,
}

/// Search for the orders that take one event that ends.
pub(super) struct Pass<O: Observed> {
    /// Configurations that have not taken it.
    pub visited: Set<State<O>, Action<O>>,
    /// Configurations that have.
    pub found: Set<State<O>, Action<O>>,
    /// Those visited that are not expanded yet.
    stack: Vec<usize>,
    /// Stubborn set for the ending event; empty if all events are tried.
    needed: Needed,
    /// Events of which the outlook is asked.
    expected: Option<Expected>,
}

impl<O: Observed> Pass<O> {
    fn new() -> Self {
        Self {
            visited: Set::new(),
            found: Set::new(),
            stack: Vec::new(),
            needed: Needed::default(),
            expected: None,
        }
    }

    fn clear(&mut self, window: &Window) {
        let endless = Endless::of(window);
        self.visited.clear(endless.clone());
        self.found.clear(endless);
        self.stack.clear();
        self.needed = Needed::default();
        self.expected = None;
    }

    fn len(&self) -> usize {
        self.visited.entries.len() + self.found.entries.len()
    }
}

/// Counters of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub configurations: u64,
    pub steps: u64,
    pub widest_frontier: usize,
    /// True if some step led to another state.
    pub has_changed: bool,
    /// Number of steps of each rule of the specification.
    pub fired: Vec<u64>,
}

impl<'a, O: Observed> Search<'a, O> {
    /// Starts in the initial states, before all events.
    pub fn new(observed: &'a O, settings: &'a Settings<'a>, started: Instant) -> Self {
        let mut initial = Set::new();
        let specification = observed.specification();
        let patience = Patience::new(settings, started);
        call("`initial` of the specification", || {
            until_enough(|| {
                visit_initial(specification, &mut |state| {
                    calls_back();
                    initial.insert(Configuration::new(state), None);
                    if patience.turn_with(initial.entries.len()).is_some() {
                        break_off();
                    }
                });
            });
        });
        let limit = patience.reached();
        let mut search = Self::at(observed, settings, started, Window::new(), initial.entries);
        search.began_short = limit;
        search
    }

    /// Starts at a given point of a history.
    pub fn at(
        observed: &'a O,
        settings: &'a Settings<'a>,
        started: Instant,
        window: Window,
        frontier: Frontier<O>,
    ) -> Self {
        Self {
            observed,
            window,
            frontier,
            remember: Remember::Assumptions,
            counts: Counts {
                fired: vec![0; rules_of(observed.specification()).len()],
                ..Counts::default()
            },
            began_short: None,
            cut_short: None,
            misled: false,
            crowd: usize::MAX,
            horizon: Horizon::default(),
            confirms: false,
            dropped: 0,
            reach: settings.context.max(1) - 1,
            settings,
            started,
            patience: Patience::new(settings, started),
            pass: Pass::new(),
            compared: RefCell::default(),
            fresh: Vec::new(),
        }
    }

    /// Starts a search with the same settings at another point.
    pub fn elsewhere(&self, window: Window, frontier: Frontier<O>) -> Self {
        Self {
            crowd: self.crowd,
            horizon: self.horizon,
            confirms: self.confirms,
            reach: self.reach,
            ..Self::at(self.observed, self.settings, self.started, window, frontier)
        }
    }

    /// Events that can be taken next, or take effect next; a limit is reached before all are known.
    pub fn possible(
        &self,
        log: &Log<O::Event>,
        from: &Configuration<State<O>>,
    ) -> Result<Vec<u64>, Limit> {
        let mut fresh = Vec::new();
        let everything = Needed::default();
        self.steps(log, from, None, &everything, &mut fresh)?;
        let events = fresh.iter().filter_map(|step| step.step.event);
        Ok(events.collect())
    }

    /// Begins an event. Every event that has ended before must be processed.
    pub fn begin(&mut self, log: &Log<O::Event>, number: u64) {
        let effect = log.effect(self.observed, number);
        self.confirms |= log.confirms(self.observed, number);
        self.window.begin(number, log.place(number), effect);
    }

    /// Takes the event that ends first, which is the first of its lane. Stops where there are more than a few configurations, if the
    /// outlook from them could be asked.
    pub fn respond(&mut self, log: &Log<O::Event>, lane: u32) -> Result<(), Stop> {
        self.pass.clear(&self.window);
        if self.confirms {
            self.respond_below(FEW.min(self.crowd), Stop::Unasked, log, lane)
        } else {
            self.respond_below(self.crowd, Stop::Crowded, log, lane)
        }
    }

    /// Takes that event after [`Stop::Unasked`], and asks for the outlook from all configurations. Event `next` begins next; if
    /// `is_whole`, the history ends where the log does.
    pub fn respond_by_outlook(
        &mut self,
        log: &Log<O::Event>,
        lane: u32,
        next: u64,
        is_whole: bool,
    ) -> Result<(), Stop> {
        self.pass.clear(&self.window);
        self.pass.expected = Some(self.expected(log, &self.window, next, is_whole));
        self.respond_below(self.crowd, Stop::Crowded, log, lane)
    }

    /// Looks further ahead from now on; false if that is not possible, or not worth it.
    pub fn looks_further(&mut self) -> bool {
        if self.crowd < MANY {
            return false;
        }
        let before = self.reach;
        self.reach = (2 * before).min(self.foresight());
        self.reach > before
    }

    /// Greatest number of events ahead of which the outlook may be asked. Between the checkpoint with which an explanation begins and the
    /// refusal there are more, so that no configuration of the checkpoint was dropped for an event that ends after the refusal.
    pub fn foresight(&self) -> u64 {
        self.settings.context.max(1) - 1
    }

    fn expected(
        &self,
        log: &Log<O::Event>,
        window: &Window,
        next: u64,
        is_whole: bool,
    ) -> Expected {
        let most = self.reach;
        Expected::of(
            self.observed,
            log,
            window,
            next,
            most,
            is_whole,
            self.horizon,
        )
    }

    /// Takes that event with at most so many configurations; `stop` says that there are more.
    fn respond_below(
        &mut self,
        most: usize,
        stop: Stop,
        log: &Log<O::Event>,
        lane: u32,
    ) -> Result<(), Stop> {
        for (configuration, trail) in mem::take(&mut self.frontier) {
            self.arrive(log, configuration, trail, Some(lane));
        }
        let visited = self.pass.visited.entries.len();
        let found = self.pass.found.entries.len();
        if !self.pass.stack.is_empty() {
            self.pass.needed = Needed::by(self.observed, log, &self.window, lane);
        }
        while let Some(at) = self.pass.stack.pop() {
            if self.pass.len() > most {
                // What came later is reached from these again.
                self.frontier
                    .extend(self.pass.visited.entries.drain(..visited));
                self.frontier.extend(self.pass.found.entries.drain(..found));
                return Err(stop);
            }
            self.expand(log, at, Some(lane)).map_err(Stop::Limit)?;
        }
        if self.pass.found.entries.is_empty() {
            return Err(self.stuck(log, lane));
        }
        if self.pass.found.entries.len() > 1 {
            self.postpone(log).map_err(Stop::Limit)?;
        }
        self.frontier = self.pass.found.take();
        self.window.end(&mut self.frontier);
        self.counts.widest_frontier = self.counts.widest_frontier.max(self.frontier.len());
        Ok(())
    }

    /// Handles an empty frontier. For an explanation, expands the visited configurations again with all events, not
    /// only those of the stubborn set.
    fn stuck(&mut self, log: &Log<O::Event>, lane: u32) -> Stop {
        self.pass.needed = Needed::default();
        if self.remember == Remember::Everything {
            self.pass.stack.extend(0..self.pass.visited.entries.len());
            while let Some(at) = self.pass.stack.pop() {
                if self.pass.len() > self.crowd {
                    self.cut_short = Some(Limit::States(self.crowd as u64));
                    break;
                }
                if let Err(limit) = self.expand(log, at, Some(lane)) {
                    self.cut_short = Some(limit);
                    break;
                }
            }
            self.misled = !self.pass.found.entries.is_empty();
        }
        Stop::Stuck(self.window.lanes[lane as usize].queue.front().copied())
    }

    /// Processes the end of the history: checks that delayed events can take effect, except those without an end.
    pub fn settle(&mut self, log: &Log<O::Event>) -> Result<(), Stop> {
        self.pass.clear(&self.window);
        for (configuration, trail) in mem::take(&mut self.frontier) {
            self.arrive(log, configuration, trail, None);
        }
        while let Some(at) = self.pass.stack.pop() {
            if let Some(settled) = self.settled(log, at) {
                self.frontier = vec![settled];
                return Ok(());
            }
            self.expand(log, at, None).map_err(Stop::Limit)?;
        }
        Err(Stop::Stuck(None))
    }

    /// The configuration, if in it all delayed events have taken effect.
    fn settled(&self, log: &Log<O::Event>, at: usize) -> Option<(Configuration<State<O>>, Way<O>)> {
        let (configuration, trail) = &self.pass.visited.entries[at];
        let is_settled = self.is_settled(log, configuration);
        is_settled.then(|| (configuration.clone(), trail.clone()))
    }

    fn is_settled(&self, log: &Log<O::Event>, configuration: &Configuration<State<O>>) -> bool {
        configuration.all_ahead().iter().all(|ahead| {
            let lane = &self.window.lanes[ahead.lane as usize];
            lane.pending(*ahead)
                .all(|number| log.get(number).end.is_none())
        })
    }

    /// Adds a configuration: to the new frontier if it has taken the first event of `target`, otherwise to the ones
    /// to expand.
    fn arrive(
        &mut self,
        log: &Log<O::Event>,
        mut configuration: Configuration<State<O>>,
        mut trail: Way<O>,
        target: Option<u32>,
    ) {
        self.look(log, &mut configuration, &mut trail);
        if !self.has_hope(log, &configuration) {
            self.dropped += 1;
            return;
        }
        let Pass {
            visited,
            found,
            stack,
            ..
        } = &mut self.pass;
        if target.is_some_and(|lane| configuration.ahead(lane).taken > 0) {
            found.insert(configuration, trail);
        } else if visited.insert(configuration, trail) {
            stack.push(visited.entries.len() - 1);
            self.counts.configurations += 1;
        }
    }

    /// False if a configuration is known to be hopeless.
    fn has_hope(&self, log: &Log<O::Event>, configuration: &Configuration<State<O>>) -> bool {
        let expected = self.pass.expected.as_ref();
        expected.is_none_or(|expected| expected.has_hope(self.observed, log, configuration))
    }

    /// Takes every step from a configuration; a step that takes the first event of `target` is not expanded
    /// further.
    fn expand(&mut self, log: &Log<O::Event>, at: usize, target: Option<u32>) -> Result<(), Limit> {
        if self.pass.visited.is_superfluous(at) {
            return Ok(());
        }
        if let Some(limit) = self.patience.turn_with(self.pass.len()) {
            return Err(limit);
        }
        let mut fresh = mem::take(&mut self.fresh);
        let from = &self.pass.visited.entries[at].0;
        let taken = self.steps(log, from, target, &self.pass.needed, &mut fresh);
        for Fresh { step, to } in fresh.drain(..) {
            self.counts.steps += 1;
            // PERF: states are compared until one differs.
            self.counts.has_changed =
                self.counts.has_changed || self.pass.visited.entries[at].0.state != to.state;
            if let Some(action) = &step.action {
                let specification = self.observed.specification();
                let rule = call("`rule` of the specification", || {
                    action.rule(specification).0
                });
                // An action of a rule that there is not is a contradiction, which is found when it is compared.
                if let Some(fired) = self.counts.fired.get_mut(rule) {
                    *fired += 1;
                }
            }
            let trail = self.trail(log, &self.pass.visited.entries[at].1, step, &to.state);
            self.arrive(log, to, trail, target);
        }
        self.fresh = fresh;
        taken
    }

    /// The limit on time or memory that has been reached, if any.
    pub fn exhausted(&self) -> Option<Limit> {
        self.patience.exhausted()
    }

    fn trail(
        &self,
        log: &Log<O::Event>,
        before: &Way<O>,
        step: Taken<Action<O>>,
        state: &State<O>,
    ) -> Way<O> {
        let length = before.as_ref().map_or(0, |link| link.length);
        let remembered = match self.remember {
            Remember::Everything => true,
            Remember::Assumptions => step.event.is_some_and(|number| {
                length < MOST_ASSUMPTIONS && is_partial(self.observed, log.get(number))
            }),
        };
        if !remembered {
            return before.clone();
        }
        Some(Arc::new(Link {
            before: before.clone(),
            length: length + 1,
            step,
            state: state.clone(),
        }))
    }
}

/// The rules of a specification.
pub(super) fn rules_of<S: TransitionSystem>(specification: &S) -> &[Rule] {
    call("`rules` of the specification", || {
        ActionOf::<S>::rules(specification)
    })
}
