//! The configurations that views leave, and what the obligations say of them.

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Instant;

use crate::crowd::{CrowdFault, ViewSearch};
use crate::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::explore::{
    Limit, Phase, Place, Progress, StateId, Visitor, look_at, look_at_step, resident_bytes,
};
use crate::model_call::{Panic, catch, named};
use crate::obligation::found::Totals;
use crate::obligation::settings::Settings;
use crate::obligation::visitor::{Plan, Tally, Tester};
use crate::random::walk::Shown;
use crate::refinement::Refinement;
use crate::system::steps;
use crate::trace::Trace;
use crate::visit::visit_initial;

/// Configurations between two looks at the clock and the memory.
const PATIENCE: u64 = 1 << 8;

/// Configurations as they are looked at.
pub(super) struct Configurations<'c, 'p, 'a> {
    plan: &'p Plan<'a>,
    tester: Tester<'p, 'a, ErasedRefinement<'a>>,
    pub tally: Tally<ErasedRefinement<'a>>,
    system: ErasedSystem<'a>,
    views: ViewSearch<'c>,
    settings: &'c Settings<'c>,
    started: Instant,
    initial: u64,
    looked_at: u64,
    transitions: u64,
    /// Those in which something failed first, by their numbers.
    failed: Vec<(StateId, ErasedState)>,
    /// Panic where the initial states were enumerated.
    panic: Option<Panic>,
    peak_memory_bytes: u64,
}

/// SearchEnd in which a search of configurations ended.
enum SearchEnd {
    Complete,
    /// Enough was found.
    Stopped,
    Limit(Limit),
}

impl<'c, 'p, 'a> Configurations<'c, 'p, 'a> {
    /// Those of the instance of a plan.
    pub fn new(
        plan: &'p Plan<'a>,
        views: ViewSearch<'c>,
        settings: &'c Settings<'c>,
        started: Instant,
    ) -> Self {
        let tester = plan.tester();
        Self {
            tally: tester.tally(),
            tester,
            system: *plan.asking.refinement.implementation(),
            plan,
            views,
            settings,
            started,
            initial: 0,
            looked_at: 0,
            transitions: 0,
            failed: Vec::new(),
            panic: None,
            peak_memory_bytes: 0,
        }
    }

    /// Looks at all that the views leave, the initial ones being those of `of_views`, as far as the limits go.
    ///
    /// # Errors
    ///
    /// If the crowd is none.
    pub fn search(&mut self, of_views: &ErasedSystem<'_>) -> Result<Totals, CrowdFault> {
        let way = match (initial(of_views), initial(&self.system)) {
            (Ok(views), Ok(initial)) => {
                for view in &views {
                    self.views.add_initial(view)?;
                }
                for state in &initial {
                    self.look(state, 0);
                }
                self.initial = initial.len() as u64;
                self.search_views()?
            }
            (Err(panic), _) | (_, Err(panic)) => {
                self.panic = Some(panic);
                SearchEnd::Stopped
            }
        };
        Ok(self.totals(way))
    }

    /// Number of views.
    pub fn views(&self) -> u64 {
        self.views.views()
    }

    fn search_views(&mut self) -> Result<SearchEnd, CrowdFault> {
        while !self.is_enough() {
            let limit = self.limit();
            if let Some(limit) = limit {
                return Ok(SearchEnd::Limit(limit));
            }
            let next = catch(|| self.views.next());
            let Ok(next) = next.map_err(|panic| self.panic = Some(panic)) else {
                return Ok(SearchEnd::Stopped);
            };
            let Some((parts, state)) = next else {
                return Ok(SearchEnd::Complete);
            };
            for to in self.look(&state, 1) {
                self.transitions += 1;
                self.views.add_target(&parts, &to)?;
            }
        }
        Ok(SearchEnd::Stopped)
    }

    fn is_enough(&self) -> bool {
        self.plan.stop(&self.tally.counts).is_some()
    }

    fn limit(&mut self) -> Option<Limit> {
        let limits = &self.settings.limits;
        let views = self.views.views();
        if let Some(most) = limits.states.filter(|most| views > *most) {
            return Some(Limit::States(most));
        }
        if !self.looked_at.is_multiple_of(PATIENCE) {
            return None;
        }
        self.peak_memory_bytes = self.peak_memory_bytes.max(resident_bytes().unwrap_or(0));
        if let Some(progress) = self.settings.watch.progress {
            progress(&Progress {
                phase: Phase::Views,
                states: views,
                transitions: self.transitions,
                depth: 0,
                frontier: 0,
                elapsed: self.started.elapsed(),
                work: None,
                disk: None,
                peers: None,
            });
        }
        let out_of_time = limits.out_of_time(&self.settings.watch, self.started);
        out_of_time.or_else(|| limits.out_of_memory())
    }

    /// Looks at a state and its steps, and says where they lead to; of an initial state, which has a length of 0, at the state alone.
    fn look(&mut self, state: &ErasedState, length: u32) -> Vec<ErasedState> {
        let place = Place {
            length,
            state: StateId(self.looked_at),
            step: None,
        };
        self.looked_at += 1;
        let (tester, tally) = (&self.tester, &mut self.tally);
        let at = Cell::new(place);
        let targets = catch(|| {
            let image = look_at(tester, tally, place, state);
            if length == 0 {
                return Vec::new();
            }
            let taken = named("`next` of the implementation", || {
                steps(&self.system, state)
            });
            for (action, _) in &taken {
                tester.offered(tally, action);
            }
            for (position, (action, to)) in (0..).zip(&taken) {
                at.set(place.of_step(position));
                look_at_step(tester, tally, at.get(), (state, &image), action, to);
            }
            at.set(place);
            tester.leave(tally, place, state, taken.len() as u32);
            taken.into_iter().map(|(_, to)| to).collect()
        });
        let targets = targets.unwrap_or_else(|panic| {
            tester.panicked(tally, at.get(), panic);
            Vec::new()
        });
        let mut failures = self.plan.obligations.failures(&self.tally.counts);
        if failures.any(|(_, first)| first.state == place.state) {
            self.failed.push((place.state, state.clone()));
        }
        targets
    }

    /// Behaviours that show what failed: each begins with its configuration. What failed has its place there from now on.
    pub fn shown(&mut self, provenance: &str) -> Shown<ErasedSystem<'a>> {
        let mut shown = Shown::new();
        let failures: Vec<_> = self.tally.counts.failures().collect();
        for (failure, place) in failures {
            let failed = self
                .failed
                .iter()
                .find(|(number, _)| *number == place.state);
            let Some((_, state)) = failed else {
                continue;
            };
            let behaviour = Trace {
                initial: state.clone(),
                steps: Vec::new(),
            };
            let place = Place {
                length: u32::from(place.step.is_some()),
                state: shown.keep(behaviour, provenance.to_owned()),
                step: place.step,
            };
            self.tally.counts.set_first(failure, place);
        }
        shown
    }

    /// Figures where a limit came before anything was looked at.
    pub fn ended_by(&self, limit: Limit) -> Totals {
        self.totals(SearchEnd::Limit(limit))
    }

    fn totals(&self, way: SearchEnd) -> Totals {
        Totals {
            complete: matches!(way, SearchEnd::Complete),
            cut: None,
            limit: match way {
                SearchEnd::Limit(limit) => Some(limit),
                SearchEnd::Complete | SearchEnd::Stopped => None,
            },
            initial_states: self.initial,
            states: self.looked_at - self.initial,
            transitions: self.transitions,
            depth: 0,
            unexamined: 0,
            seconds: self.started.elapsed().as_secs_f64(),
            peak_memory_bytes: self.peak_memory_bytes.max(resident_bytes().unwrap_or(0)),
            kept: None,
            panic: self.panic.clone(),
            strange: None,
            initial_misfit: None,
            written: None,
            spilled: None,
        }
    }
}

/// The distinct initial states of a system, in its order.
fn initial(system: &ErasedSystem<'_>) -> Result<Vec<ErasedState>, Panic> {
    catch(|| {
        let mut seen = HashSet::new();
        let mut states = Vec::new();
        visit_initial(system, &mut |state| {
            if seen.insert(state.clone()) {
                states.push(state);
            }
        });
        states
    })
}
