//! The configurations that views leave, and what the obligations say of them.

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Instant;

use crate::obligation::found::Totals;
use crate::obligation::settings::Settings;
use crate::obligation::visitor::{ObligationTally, Plan, Tester};
use crate::state::hiding::Hiding;
use crate::statement::asked::model_call::{Panic, catch, named};
use crate::statement::asked::visit::visit_initial;
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::statement::system::steps;
use crate::statement::trace::Trace;
use crate::view::crowd::{CrowdForm, Posed, Unkept, ViewSearch};
use crate::walk::explore::{
    Limit, Phase, Place, Progress, StateId, Visitor, look_at, look_at_step, resident_bytes,
};
use crate::walk::random::walk::ShownBehaviours;

/// Configurations between two looks at the clock and the memory.
const PATIENCE: u64 = 1 << 8;

/// Configurations as they are looked at: states of one number of members, with what was found of them.
pub(super) struct Configurations<'c, 'p, 'a> {
    plan: &'p Plan<'a>,
    tester: Tester<'p, 'a, ErasedRefinement<'a>>,
    tally: ObligationTally<ErasedRefinement<'a>>,
    system: ErasedSystem<'a>,
    /// Those in which something failed first, by their numbers.
    failed: Vec<(StateId, ErasedState)>,
    form: &'c dyn CrowdForm,
    views: ViewSearch<'c>,
    settings: &'c Settings<'c>,
    started: Instant,
    initial: u64,
    looked_at: u64,
    transitions: u64,
    /// Panic where the initial states were enumerated, or a part was looked at.
    panic: Option<Panic>,
    peak_memory_bytes: u64,
}

/// End of a search of configurations.
pub(super) enum SearchEnd {
    Complete,
    /// Enough was found.
    Stopped,
    Limit(Limit),
    /// Something was met for which more is to be kept of the members that views leave out, or larger configurations are needed.
    Met,
    /// The classes of members that are left out cannot be told any more: no question is to be kept.
    Unkept,
}

impl<'c, 'p, 'a> Configurations<'c, 'p, 'a> {
    /// Those of the instance of a plan.
    pub fn new(
        plan: &'p Plan<'a>,
        form: &'c dyn CrowdForm,
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
            failed: Vec::new(),
            form,
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

    /// Looks at all that the views leave, as far as the limits go.
    pub fn search(&mut self) -> SearchEnd {
        let begun = initial(&self.system).and_then(|states| {
            catch(|| self.views.begin())?;
            Ok(states)
        });
        let Ok(states) = begun.map_err(|panic| self.panic = Some(panic)) else {
            return SearchEnd::Stopped;
        };
        self.initial = states.len() as u64;
        for state in &states {
            let place = self.place(0);
            self.look(place, state, &mut |these, _| {
                look_at(&these.tester, &mut these.tally, place, state);
            });
        }
        while !self.is_enough() {
            if let Some(limit) = self.limit() {
                return SearchEnd::Limit(limit);
            }
            let next = catch(|| self.views.next());
            let Ok(next) = next.map_err(|panic| self.panic = Some(panic)) else {
                return SearchEnd::Stopped;
            };
            let configuration = match next {
                Err(Unkept) => return SearchEnd::Unkept,
                Ok(None) => return SearchEnd::Complete,
                Ok(Some(configuration)) => configuration,
            };
            let targets = self.look_at(&configuration);
            self.transitions += targets.len() as u64;
            if self.form.has_met() {
                return SearchEnd::Met;
            }
            let mut add = || {
                let mut targets = targets.iter();
                targets.try_for_each(|to| self.views.add_target(&configuration, to))
            };
            match catch(&mut add) {
                Ok(Ok(())) => (),
                Ok(Err(Unkept)) => return SearchEnd::Unkept,
                Err(panic) => {
                    self.panic = Some(panic);
                    return SearchEnd::Stopped;
                }
            }
        }
        SearchEnd::Stopped
    }

    /// Number of views.
    pub fn views(&self) -> u64 {
        self.views.views()
    }

    /// True if something failed with which a check ends.
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

    /// Looks at a configuration and at its steps, and says where these lead to.
    fn look_at(&mut self, configuration: &Posed) -> Vec<ErasedState> {
        let mut targets = Vec::new();
        let place = self.place(1);
        let state = &configuration.state;
        self.look(place, state, &mut |these, at| {
            let image = look_at(&these.tester, &mut these.tally, place, state);
            let taken = named("`next` of the implementation", || {
                steps(&these.system, state)
            });
            let count = taken.len() as u32;
            for (position, (action, to)) in (0..).zip(taken) {
                at.set(place.of_step(position));
                let (tester, tally) = (&these.tester, &mut these.tally);
                tester.offered(tally, &action);
                look_at_step(tester, tally, at.get(), (state, &image), &action, &to);
                // Counters that have come further than views tell panic as they are read, while they are hidden.
                these.form.read_counters(&to);
                targets.push(to);
            }
            at.set(place);
            these.tester.leave(&mut these.tally, place, state, count);
        });
        targets
    }

    /// Looks at a state, where a function of the model may panic.
    fn look(
        &mut self,
        place: Place,
        state: &ErasedState,
        look: &mut dyn FnMut(&mut Self, &Cell<Place>),
    ) {
        let at = Cell::new(place);
        let _hidden = Hiding::begin();
        if let Err(panic) = catch(|| look(self, &at)) {
            self.tester.panicked(&mut self.tally, at.get(), panic);
        }
        let mut failures = self.plan.obligations.failures(&self.tally.counts);
        if failures.any(|(_, first)| first.state == place.state) {
            self.failed.push((place.state, state.clone()));
        }
    }

    /// Behaviours that show what failed, and how often all was asked.
    pub fn findings(
        mut self,
        provenance: &str,
    ) -> (
        ObligationTally<ErasedRefinement<'a>>,
        ShownBehaviours<ErasedSystem<'a>>,
    ) {
        let mut shown = ShownBehaviours::new();
        let failures: Vec<_> = self.tally.counts.failures().collect();
        for (failure, place) in failures {
            let mut failed = self.failed.iter();
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
            self.tally.counts.set_first(failure, place);
        }
        (self.tally, shown)
    }

    /// Figures of a search that has ended so.
    pub fn totals(&self, end: &SearchEnd) -> Totals {
        Totals {
            complete: matches!(end, SearchEnd::Complete),
            cut: None,
            limit_process: None,
            limit: match end {
                SearchEnd::Limit(limit) => Some(*limit),
                _ => None,
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
