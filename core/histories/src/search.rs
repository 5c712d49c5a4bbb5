//! The search for an order.
//!
//! It keeps the *frontier*: every configuration to which some order of the events that have ended leads,
//! with whatever of the events that are still under way that order needs. When an event ends, each
//! configuration in which it is not taken is continued, depth first and each configuration once, by
//! events that have begun, by effects of delayed events and by internal steps, until the event is taken;
//! nothing more is taken than that, and what another one can still lead to is left out. So the frontier is
//! exact: any order that there is leads through it, since what stands in it before the event has begun
//! when the event ends. When it is empty there is no order, and it never needs to be known how it was
//! reached.
//!
//! Three things spare it orders that make no difference: an event that only looks is taken as soon as it
//! may be (`look`), a step that can still be taken later is left for later (`postpone`), and events that
//! commute with all that matters are not tried before it ([`Needed`]).
//!
//! Source: the search just in time is that of Lowe, *Testing for linearizability*, Concurrency and
//! Computation 29(4), 2017. The delayed effects, internal steps and partial events are added.

mod compared;
mod pruning;
mod steps;

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use super::configuration::{Configuration, Link, Set, Taken, Trail};
use super::needed::Needed;
use super::observed::Observed;
use super::validator::Settings;
use super::window::{Log, Window};
pub(super) use compared::Compared;
use refmap::explore::Limit;
use refmap::model_call::{break_off, until_enough};
use refmap::{ActionOf, StateOf, TransitionSystem};
use steps::Fresh;

pub(super) use steps::{happening, is_partial, pending};

pub(super) type State<O> = StateOf<<O as Observed>::Specification>;
pub(super) type Action<O> = ActionOf<<O as Observed>::Specification>;
pub(super) type Way<O> = Trail<Action<O>, State<O>>;
pub(super) type Frontier<O> = Vec<(Configuration<State<O>>, Way<O>)>;

/// Why a search does not go on.
pub(super) enum Stop {
    /// No configuration is left; those that were visited last are in `visited`. The event has no place;
    /// where there is none, delayed events cannot take effect.
    Stuck(Option<u64>),
    /// A bound came first.
    Limit(Limit),
}

/// Which steps are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remember {
    /// Those by which the search filled in what was not recorded.
    Assumptions,
    /// All.
    Everything,
}

/// As many assumptions are remembered.
const MOST_ASSUMPTIONS: usize = 100;
/// How many configurations are continued between two looks at the clock.
const PATIENCE: u32 = 1024;
/// How many between two at the memory, which take longer.
const MORE_PATIENCE: u32 = 8 * PATIENCE;

/// A search, and where it stands.
pub(super) struct Search<'a, O: Observed> {
    pub observed: &'a O,
    pub window: Window,
    pub frontier: Frontier<O>,
    pub remember: Remember,
    pub counts: Counts,
    /// The bound that came before all initial states were there.
    pub began_short: Option<Limit>,
    /// The bound that came before all was visited that an explanation shows.
    pub cut_short: Option<Limit>,
    /// Whether the event that has no place has one in an order that the adapter says need not be tried.
    pub misled: bool,
    settings: &'a Settings<'a>,
    started: Instant,
    /// What was continued when the latest event ended.
    pub visited: Set<State<O>, Action<O>>,
    found: Set<State<O>, Action<O>>,
    /// Which events are tried for the one that ends; empty if all are.
    needed: Needed,
    /// Where `successor` of the specification was compared with `next`.
    pub compared: RefCell<Compared>,
    stack: Vec<usize>,
    fresh: Vec<Fresh<O>>,
    turns: u32,
}

/// How much was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub configurations: u64,
    pub steps: u64,
    pub widest_frontier: usize,
    /// Steps by each rule of the specification.
    pub fired: Vec<u64>,
}

impl<'a, O: Observed> Search<'a, O> {
    /// In the initial states, before all events.
    pub fn new(observed: &'a O, settings: &'a Settings<'a>, started: Instant) -> Self {
        let mut initial = Set::new();
        let specification = observed.specification();
        let mut shown: u32 = 0;
        let mut limit = None;
        until_enough(|| {
            specification.initial(&mut |state| {
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

    /// Somewhere in a history.
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

    /// A search of the same kind somewhere else.
    pub fn elsewhere(&self, window: Window, frontier: Frontier<O>) -> Self {
        Self::at(self.observed, self.settings, self.started, window, frontier)
    }

    /// The events that can be taken next, or take effect next.
    pub fn possible(&self, log: &Log<O::Event>, from: &Configuration<State<O>>) -> Vec<u64> {
        let mut fresh = Vec::new();
        self.steps(log, from, None, &Needed::default(), &mut fresh);
        fresh.iter().filter_map(|step| step.step.event).collect()
    }

    /// An event begins. What has ended before has to have been dealt with.
    pub fn begin(&mut self, log: &Log<O::Event>, number: u64) {
        let effect = log.effect(self.observed, number);
        self.window.begin(number, log.get(number), effect);
    }

    /// Deals with all events that end before `time`; with all, if there is none.
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

    /// There is no order. An explanation shows how far all orders get, those included that need not be
    /// tried to find one.
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

    /// After all events: whether what is delayed can take effect, but for events that have no end.
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

    /// A configuration is reached: it is found, if the first event of `target` is taken in it, and is to
    /// be continued otherwise.
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

    /// Takes every step from a configuration, and stops where one takes the first event of `target`.
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

    /// The bound on time or memory that has come, if one has.
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
