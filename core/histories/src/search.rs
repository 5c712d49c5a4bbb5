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
//! are not tried before the ending event ([`Needed`]).
//!
//! Source: the just-in-time search of Lowe, *Testing for linearizability*, Concurrency and Computation 29(4), 2017.
//! Delayed effects, internal steps and partial events are additions.

mod compared;
mod pruning;
mod steps;

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use super::configuration::{Configuration, Fresh, Frontier, Link, Set, Taken, Way};
use super::needed::Needed;
use super::observed::{Action, Observed, State, is_partial};
use super::settings::Settings;
use super::window::{Log, Window};
pub(super) use compared::Compared;
use refmap::TransitionSystem;
use refmap::explore::Limit;
use refmap::internal::{break_off, until_enough, visit_initial};

/// Reason why a search stops.
pub(super) enum Stop {
    /// The frontier is empty; `visited` holds the configurations that were visited last. The number is that of the
    /// refused event; without one, delayed events cannot take effect.
    Stuck(Option<u64>),
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
const MOST_ASSUMPTIONS: usize = 100;
/// Number of expansions between two reads of the clock.
const PATIENCE: u32 = 1024;
/// Number of expansions between two measurements of memory, which take longer.
const MORE_PATIENCE: u32 = 8 * PATIENCE;

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
    /// Whether the refused event is possible in an order that the adapter allowed the search to skip.
    pub misled: bool,
    settings: &'a Settings<'a>,
    started: Instant,
    /// Configurations expanded for the latest ended event.
    pub visited: Set<State<O>, Action<O>>,
    found: Set<State<O>, Action<O>>,
    /// Stubborn set for the ending event; empty if all events are tried.
    needed: Needed,
    /// Sampled comparison of the specification's `successor` with `next`.
    pub compared: RefCell<Compared>,
    stack: Vec<usize>,
    fresh: Vec<Fresh<O>>,
    turns: u32,
}

/// Counters of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub configurations: u64,
    pub steps: u64,
    pub widest_frontier: usize,
    /// Number of steps of each rule of the specification.
    pub fired: Vec<u64>,
}

impl<'a, O: Observed> Search<'a, O> {
    /// Starts in the initial states, before all events.
    pub fn new(observed: &'a O, settings: &'a Settings<'a>, started: Instant) -> Self {
        let mut initial = Set::new();
        let specification = observed.specification();
        let mut shown: u32 = 0;
        let mut limit = None;
        until_enough(|| {
            visit_initial(specification, &mut |state| {
                initial.insert(Configuration::new(state), None);
                shown = shown.wrapping_add(1);
                let Settings { limits, watch, .. } = settings;
                if initial.entries.len() > settings.configurations {
                    limit = Some(Limit::States(settings.configurations as u64));
                } else if shown.is_multiple_of(PATIENCE) {
                    limit = limits.out_of_time(watch, started);
                }
                if shown.is_multiple_of(MORE_PATIENCE) {
                    limit = limit.or_else(|| limits.out_of_memory());
                }
                if limit.is_some() {
                    break_off();
                }
            });
        });
        let rules = specification.rules().len();
        let counts = Counts {
            fired: vec![0; rules],
            ..Counts::default()
        };
        let mut search = Self::at(observed, settings, started, Window::new(), initial.entries);
        search.counts = counts;
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
                fired: vec![0; observed.specification().rules().len()],
                ..Counts::default()
            },
            began_short: None,
            cut_short: None,
            misled: false,
            settings,
            started,
            visited: Set::new(),
            found: Set::new(),
            needed: Needed::default(),
            compared: RefCell::default(),
            stack: Vec::new(),
            fresh: Vec::new(),
            turns: 0,
        }
    }

    /// Starts a search with the same settings at another point.
    pub fn elsewhere(&self, window: Window, frontier: Frontier<O>) -> Self {
        Self::at(self.observed, self.settings, self.started, window, frontier)
    }

    /// Events that can be taken next, or take effect next.
    pub fn possible(&self, log: &Log<O::Event>, from: &Configuration<State<O>>) -> Vec<u64> {
        let mut fresh = Vec::new();
        self.steps(log, from, None, &Needed::default(), &mut fresh);
        fresh.iter().filter_map(|step| step.step.event).collect()
    }

    /// Begins an event. Every event that has ended before must be processed.
    pub fn begin(&mut self, log: &Log<O::Event>, number: u64) {
        let effect = log.effect(self.observed, number);
        self.window.begin(number, log.get(number), effect);
    }

    /// Processes all events that end before `time`, or all events if it is `None`.
    pub fn end_before(&mut self, log: &Log<O::Event>, time: Option<u64>) -> Result<(), Stop> {
        while let Some(lane) = self.window.first_end(time) {
            self.respond(log, lane)?;
        }
        Ok(())
    }

    /// Takes the event that ends first, which is the first of its lane.
    pub fn respond(&mut self, log: &Log<O::Event>, lane: u32) -> Result<(), Stop> {
        self.visited.clear();
        self.found.clear();
        self.stack.clear();
        let frontier = mem::take(&mut self.frontier);
        for (configuration, trail) in frontier {
            self.arrive(log, configuration, trail, Some(lane));
        }
        if !self.stack.is_empty() {
            self.needed = Needed::by(self.observed, log, &self.window, lane);
        }
        while let Some(at) = self.stack.pop() {
            self.expand(log, at, Some(lane))?;
        }
        if self.found.entries.is_empty() {
            return Err(self.stuck(log, lane));
        }
        if self.found.entries.len() > 1 {
            self.postpone(log);
        }
        self.frontier = mem::take(&mut self.found.entries);
        self.window.end(&mut self.frontier);
        self.counts.widest_frontier = self.counts.widest_frontier.max(self.frontier.len());
        Ok(())
    }

    /// Handles an empty frontier. For an explanation, expands the visited configurations again with all events, not
    /// only those of the stubborn set.
    fn stuck(&mut self, log: &Log<O::Event>, lane: u32) -> Stop {
        self.needed = Needed::default();
        if self.remember == Remember::Everything {
            self.stack.extend(0..self.visited.entries.len());
            while let Some(at) = self.stack.pop() {
                if let Err(Stop::Limit(limit)) = self.expand(log, at, Some(lane)) {
                    self.cut_short = Some(limit);
                    break;
                }
            }
            self.misled = !self.found.entries.is_empty();
        }
        Stop::Stuck(self.window.lanes[lane as usize].queue.front().copied())
    }

    /// Processes the end of the history: checks that delayed events can take effect, except those without an end.
    pub fn settle(&mut self, log: &Log<O::Event>) -> Result<(), Stop> {
        self.visited.clear();
        self.found.clear();
        self.stack.clear();
        self.needed = Needed::default();
        for (configuration, trail) in mem::take(&mut self.frontier) {
            self.arrive(log, configuration, trail, None);
        }
        while let Some(at) = self.stack.pop() {
            let (configuration, trail) = &self.visited.entries[at];
            if self.is_settled(log, configuration) {
                self.frontier = vec![(configuration.clone(), trail.clone())];
                return Ok(());
            }
            self.expand(log, at, None)?;
        }
        Err(Stop::Stuck(None))
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
        if target.is_some_and(|lane| configuration.ahead(lane).taken > 0) {
            self.found.insert(configuration, trail);
        } else if self.visited.insert(configuration, trail) {
            self.stack.push(self.visited.entries.len() - 1);
            self.counts.configurations += 1;
        }
    }

    /// Takes every step from a configuration; a step that takes the first event of `target` is not expanded
    /// further.
    fn expand(&mut self, log: &Log<O::Event>, at: usize, target: Option<u32>) -> Result<(), Stop> {
        self.within_bounds()?;
        let mut fresh = mem::take(&mut self.fresh);
        let from = &self.visited.entries[at].0;
        self.steps(log, from, target, &self.needed, &mut fresh);
        for Fresh { step, to } in fresh.drain(..) {
            self.counts.steps += 1;
            if let Some(action) = &step.action {
                let rule = self.observed.specification().rule_of(action).0;
                self.counts.fired[rule] += 1;
            }
            let trail = self.trail(log, &self.visited.entries[at].1, step, &to.state);
            self.arrive(log, to, trail, target);
        }
        self.fresh = fresh;
        Ok(())
    }

    fn within_bounds(&mut self) -> Result<(), Stop> {
        let most = self.settings.configurations;
        if self.visited.entries.len() + self.found.entries.len() > most {
            return Err(Stop::Limit(Limit::States(most as u64)));
        }
        self.turns = self.turns.wrapping_add(1);
        let limit = if self.turns.is_multiple_of(MORE_PATIENCE) {
            self.exhausted()
        } else if self.turns.is_multiple_of(PATIENCE) {
            self.out_of_time()
        } else {
            None
        };
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// The limit on time or memory that has been reached, if any.
    pub fn exhausted(&self) -> Option<Limit> {
        let full = self.settings.limits.out_of_memory();
        full.or_else(|| self.out_of_time())
    }

    fn out_of_time(&self) -> Option<Limit> {
        let Settings { limits, watch, .. } = self.settings;
        limits.out_of_time(watch, self.started)
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
