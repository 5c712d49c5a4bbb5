//! The configurations that views leave, and what the obligations say of them.

use std::collections::HashSet;
use std::time::Instant;

use super::sized_states::SizedStates;
use crate::crowd::{CrowdFault, ErasedParts, Posed, ViewSearch};
use crate::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::explore::{Limit, Phase, Place, Progress, StateId, Visitor, resident_bytes};
use crate::obligation::found::Totals;
use crate::obligation::settings::Settings;
use crate::obligation::visitor::{Plan, Tally};
use crate::random::walk::Shown;
use crate::statement::asked::model_call::{Panic, catch};
use crate::statement::asked::visit::visit_initial;
use crate::statement::trace::Trace;

/// Configurations between two looks at the clock and the memory.
const PATIENCE: u64 = 1 << 8;

/// Configurations as they are looked at.
pub(super) struct Configurations<'c, 'p, 'a> {
    /// States of configurations, and those in which one member stands for others that are left out, two, and so on.
    sizes: Vec<SizedStates<'p, 'a>>,
    views: ViewSearch<'c>,
    settings: &'c Settings<'c>,
    started: Instant,
    initial: u64,
    looked_at: u64,
    transitions: u64,
    /// Panic where the initial states were enumerated.
    panic: Option<Panic>,
    peak_memory_bytes: u64,
}

/// End of a search of configurations.
enum SearchEnd {
    Complete,
    /// Enough was found.
    Stopped,
    Limit(Limit),
}

/// Findings in states of some number of members: in those in which something failed first, if anything did.
pub(super) struct ViewFindings<'p, 'a> {
    /// The plan of their instance.
    pub plan: &'p Plan<'a>,
    /// Findings of it, and those of the others.
    pub tally: Tally<ErasedRefinement<'a>>,
    /// Behaviours that show what failed.
    pub shown: Shown<ErasedSystem<'a>>,
}

impl<'c, 'p, 'a> Configurations<'c, 'p, 'a> {
    /// Those of the instance of the first plan; the others are of instances with one member more, two, and so on.
    pub fn new(
        plans: &'p [Plan<'a>],
        views: ViewSearch<'c>,
        settings: &'c Settings<'c>,
        started: Instant,
    ) -> Self {
        Self {
            sizes: plans.iter().map(SizedStates::new).collect(),
            views,
            settings,
            started,
            initial: 0,
            looked_at: 0,
            transitions: 0,
            panic: None,
            peak_memory_bytes: 0,
        }
    }

    /// Looks at all that the views leave, as far as the limits go. The first views are those of the initial states of these instances, each with the number
    /// of its members.
    ///
    /// # Errors
    ///
    /// If the crowd is none.
    pub fn search(&mut self, of_views: &[(usize, ErasedSystem<'_>)]) -> Result<Totals, CrowdFault> {
        let mut all = Vec::new();
        let systems = of_views.iter().map(|(_, system)| system);
        for system in systems.chain([&self.sizes[0].system]) {
            match initial(system) {
                Ok(states) => all.push(states),
                Err(panic) => {
                    self.panic = Some(panic);
                    return Ok(self.totals(SearchEnd::Stopped));
                }
            }
        }
        let configurations = all.pop().unwrap_or_default();
        for ((members, _), states) in of_views.iter().zip(&all) {
            for state in states {
                self.views.add_initial(state, *members)?;
            }
        }
        self.initial = configurations.len() as u64;
        for state in &configurations {
            let place = self.place(0);
            self.sizes[0].look_at_state(place, state);
        }
        let end = self.search_views()?;
        Ok(self.totals(end))
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
            let Some(configuration) = next else {
                return Ok(SearchEnd::Complete);
            };
            let targets = self.look(&configuration)?;
            self.transitions += targets.len() as u64;
            let add = || {
                for to in &targets {
                    self.views.add_target(&configuration, to);
                }
            };
            if let Err(panic) = catch(add) {
                self.panic = Some(panic);
                return Ok(SearchEnd::Stopped);
            }
        }
        Ok(SearchEnd::Stopped)
    }

    /// True if what failed is enough. What fails where members stand for others ends a search, since one instance can tell it.
    fn is_enough(&self) -> bool {
        let mut sizes = self.sizes.iter();
        sizes.next().is_some_and(SizedStates::is_enough) || sizes.any(SizedStates::has_failed)
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

    /// Place of the next state; of an initial one, the length is 0.
    fn place(&mut self, length: u32) -> Place {
        let state = StateId(self.looked_at);
        self.looked_at += 1;
        Place {
            length,
            state,
            step: None,
        }
    }

    /// Looks at a configuration, and at its steps beside whatever is left out, and says where these lead to.
    fn look(&mut self, configuration: &Posed) -> Result<Vec<ErasedParts>, CrowdFault> {
        let mut targets = Vec::new();
        if let Some(alone) = &configuration.alone {
            let place = self.place(1);
            self.sizes[0].look_at_state(place, alone);
        }
        for stated in &configuration.stated {
            let place = self.place(1);
            let of_size = &mut self.sizes[stated.others()];
            of_size.look_at_steps(&self.views, place, stated, &mut targets)?;
        }
        Ok(targets)
    }

    /// Findings of the search. If nothing failed, they are those of configurations.
    pub fn findings(self, provenance: &str) -> ViewFindings<'p, 'a> {
        let mut sizes = self.sizes;
        let failed = sizes.iter().position(SizedStates::has_failed);
        let mut told = sizes.swap_remove(failed.unwrap_or(0));
        // Of what failed elsewhere nothing is said, since the search has stopped; nor of rules that have other numbers there.
        let counts = |other: &SizedStates<'p, 'a>| !other.has_failed() && other.has_rules_of(&told);
        let (counted, _): (Vec<_>, Vec<_>) = sizes.into_iter().partition(counts);
        for other in counted {
            told.tester.merge(&mut told.tally, other.tally);
        }
        let mut shown = Shown::new();
        let failures: Vec<_> = told.tally.counts.failures().collect();
        for (failure, place) in failures {
            let mut failed = told.failed.iter();
            let Some((_, state)) = failed.find(|(number, _)| *number == place.state) else {
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
            told.tally.counts.set_first(failure, place);
        }
        ViewFindings {
            plan: told.plan,
            tally: told.tally,
            shown,
        }
    }

    /// Figures where a limit came before anything was looked at.
    pub fn ended_by(&self, limit: Limit) -> Totals {
        self.totals(SearchEnd::Limit(limit))
    }

    fn totals(&self, way: SearchEnd) -> Totals {
        Totals {
            complete: matches!(way, SearchEnd::Complete),
            cut: None,
            limit_process: None,
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
