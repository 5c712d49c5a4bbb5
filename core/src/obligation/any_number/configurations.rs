//! The configurations that views leave, and what the obligations say of them.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::obligation::found::Totals;
use crate::obligation::subject::totals;
use crate::obligation::visitor::{ObligationTally, Plan, Tester};
use crate::state::hiding::Hiding;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{Panic, catch, panic_again};
use crate::statement::erased::{ErasedRefinement, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::statement::system::TransitionSystem;
use crate::statement::trace::Trace;
use crate::view::crowd::{Configuration, CrowdForm, Posed, Posing, ViewsOf};
use crate::walk::explore::{Explored, Place, StateId, Visitor, look_at, look_at_step};
use crate::walk::random::walk::ShownBehaviours;

/// Bits of the number of a view in that of a configuration, above which there is its number among those that are posed at the view.
const VIEW_BITS: u32 = 40;
/// Configurations as they are looked at: states of one number of members, with what was found of them.
pub(super) struct Configurations<'c, 'p, 'a> {
    plan: &'p Plan<'a>,
    tester: Tester<'p, 'a, ErasedRefinement<'a>>,
    form: &'c dyn CrowdForm,
    views: &'c ViewsOf<'c>,
    /// Views at which something was met that is met again when they are, in a search that goes on.
    recalled: Mutex<BTreeSet<Configuration>>,
}

/// Findings of a worker.
pub(super) struct ConfigurationTally<'a> {
    pub obligations: ObligationTally<ErasedRefinement<'a>>,
    pub looked_at: u64,
    pub transitions: u64,
    /// The first panic where a part was looked at, with its view.
    pub panic: Option<(StateId, Panic)>,
}

/// Findings that are kept with a checkpoint.
#[derive(Serialize, Deserialize)]
struct SavedTally {
    obligations: Value,
    looked_at: u64,
    transitions: u64,
    /// True if a step was met that chooses another member.
    chooses: bool,
    /// Views at which something was met that is met again when they are.
    met_at: BTreeSet<Configuration>,
}

impl<'c, 'p, 'a> Configurations<'c, 'p, 'a> {
    /// Those of the instance of a plan.
    pub fn new(plan: &'p Plan<'a>, form: &'c dyn CrowdForm, views: &'c ViewsOf<'c>) -> Self {
        Self {
            tester: plan.tester(),
            plan,
            form,
            views,
            recalled: Mutex::default(),
        }
    }

    /// Looks at a configuration, which is posed at a view, and at its steps.
    fn look_at(&self, tally: &mut ConfigurationTally<'a>, at: Place, posed: &Posed) {
        let (view, state) = (at.state, &posed.state);
        let number = u64::from(posed.number) << VIEW_BITS | view.0;
        assert!(
            of_configuration(StateId(number)) == view
                && number >> VIEW_BITS == u64::from(posed.number),
            "there are more configurations than are told apart"
        );
        let instance = self.plan.asking.refinement.implementation();
        let is_initial = at.length == 1 && instance.call_is_initial(state);
        let place = Place {
            length: u32::from(!is_initial),
            state: StateId(number),
            step: None,
        };
        tally.looked_at += 1;
        tally.transitions += posed.steps.len() as u64;
        let place_of = Cell::new(place);
        let _hidden = Hiding::begin();
        let obligations = &mut tally.obligations;
        let looked = catch(|| {
            let image = look_at(&self.tester, obligations, place, state);
            for (position, (action, to)) in (0..).zip(&posed.steps) {
                let place = place.of_step(position);
                place_of.set(place);
                self.tester.offered(obligations, action);
                let from = (state, &image);
                look_at_step(&self.tester, obligations, place, from, action, to);
            }
            if let Some(panic) = &posed.panic {
                panic_again(panic.clone());
            }
            place_of.set(place);
            let count = posed.steps.len() as u32;
            self.tester.leave(obligations, place, state, count);
        });
        if let Err(panic) = looked {
            self.tester.panicked(obligations, place_of.get(), panic);
        }
    }

    fn recalled(&self) -> MutexGuard<'_, BTreeSet<Configuration>> {
        self.recalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Meets again what a search before this one has met.
    pub fn meet_again(&self) {
        for view in &*self.recalled() {
            self.views.next(view, &mut |_, _| ());
        }
    }

    /// Behaviours that show what failed.
    pub fn shown(
        &self,
        explored: &mut ExploredViews<'c, 'a>,
        provenance: &str,
    ) -> ShownBehaviours<ErasedSystem<'a>> {
        let mut shown = ShownBehaviours::new();
        let failures: Vec<_> = explored.tally.obligations.counts.failures().collect();
        for (failure, place) in failures {
            let view = explored.state(self.views, of_configuration(place.state));
            let number = (place.state.0 >> VIEW_BITS) as usize;
            let of_view = |view| self.views.posed(&view).into_iter().nth(number);
            let Some(initial) = view.and_then(of_view) else {
                continue;
            };
            let behaviour = Trace {
                initial,
                steps: Vec::new(),
            };
            let place = Place {
                length: u32::from(place.step.is_some()),
                state: shown.keep(behaviour, provenance.to_owned()),
                step: place.step,
            };
            explored.tally.obligations.counts.set_first(failure, place);
        }
        shown
    }

    /// Figures of a search.
    pub fn totals(&self, explored: &ExploredViews<'c, 'a>) -> Totals {
        let ConfigurationTally {
            looked_at,
            transitions,
            panic,
            ..
        } = &explored.tally;
        let totals = totals(explored);
        let in_views = || panic.as_ref().map(|(_, panic)| panic.clone());
        Totals {
            initial_states: self.views.initial_states(),
            states: *looked_at,
            transitions: *transitions,
            depth: 0,
            unexamined: 0,
            kept: None,
            panic: totals.panic.clone().or_else(in_views),
            ..totals
        }
    }
}

/// Outcome of a search of views.
pub(super) type ExploredViews<'v, 'a> = Explored<ViewsOf<'v>, ConfigurationTally<'a>>;

/// The view at which a configuration was posed.
fn of_configuration(configuration: StateId) -> StateId {
    StateId(configuration.0 & ((1 << VIEW_BITS) - 1))
}

impl<'a> Visitor<ViewsOf<'_>> for Configurations<'_, '_, 'a> {
    type Tally = ConfigurationTally<'a>;
    type Image = ();
    const PASSES_TWICE: bool = true;

    fn tally(&self) -> Self::Tally {
        ConfigurationTally {
            obligations: self.tester.tally(),
            looked_at: 0,
            transitions: 0,
            panic: None,
        }
    }

    fn merge(&self, into: &mut Self::Tally, from: Self::Tally) {
        self.tester.merge(&mut into.obligations, from.obligations);
        into.looked_at += from.looked_at;
        into.transitions += from.transitions;
        let panics = into.panic.take().into_iter().chain(from.panic);
        into.panic = panics.min_by_key(|(view, _)| *view);
    }

    /// None where the search ends with this level: it is begun anew.
    fn tell(&self, tally: &Self::Tally) -> Option<Value> {
        if self.form.has_met() || self.views.is_unkept() {
            return None;
        }
        let mut met_at = self.recalled().clone();
        met_at.extend(self.form.met_at());
        let saved = SavedTally {
            obligations: self.tester.tell(&tally.obligations)?,
            looked_at: tally.looked_at,
            transitions: tally.transitions,
            chooses: self.form.chooses(),
            met_at,
        };
        serde_json::to_value(saved).ok()
    }

    fn hear(
        &self,
        into: &mut Self::Tally,
        told: &Value,
        number: &dyn Fn(StateId) -> StateId,
    ) -> bool {
        let Ok(saved) = SavedTally::deserialize(told) else {
            return false;
        };
        into.looked_at += saved.looked_at;
        into.transitions += saved.transitions;
        self.form.note_choice(saved.chooses);
        self.recalled().extend(saved.met_at);
        let number = |id: StateId| {
            let view = of_configuration(id);
            StateId(id.0 - view.0 + number(view).0)
        };
        self.tester
            .hear(&mut into.obligations, &saved.obligations, &number)
    }

    fn is_at_fault(&self, tally: &Self::Tally) -> bool {
        tally.panic.is_some() || self.tester.is_at_fault(&tally.obligations)
    }

    fn mentioned(&self, tally: &Self::Tally) -> Vec<StateId> {
        let all = self.tester.mentioned(&tally.obligations).into_iter();
        all.map(of_configuration).collect()
    }

    fn is_sampled(&self, view: StateId) -> bool {
        // The first configuration that is posed at it has its number.
        let state = view;
        let step = None;
        let mut places = [0, 1]
            .map(|length| Place {
                length,
                state,
                step,
            })
            .into_iter();
        places.any(|place| self.plan.asking.is_asked_again(place))
    }

    fn find_again(&self, into: &mut Self::Tally, found: Self::Tally) {
        self.tester
            .find_again(&mut into.obligations, found.obligations);
    }

    fn met(&self, place: Place, view: &Configuration) -> bool {
        self.views.meet(place.length, view);
        false
    }

    fn examine(&self, _: &mut Self::Tally, _: Place, _: &Configuration) {}

    fn image(&self, _: &mut Self::Tally, _: &Configuration) {}

    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        _: (&Configuration, &()),
        posing: &Posing,
        _: &Configuration,
    ) -> u32 {
        if let Posing(Some(posed)) = posing {
            self.look_at(tally, place, posed);
        }
        0
    }

    fn leave(&self, _: &mut Self::Tally, _: Place, _: &Configuration, _: u32) {}

    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic) {
        let first = tally
            .panic
            .get_or_insert_with(|| (place.state, panic.clone()));
        if place.state < first.0 {
            *first = (place.state, panic);
        }
    }

    /// Length after which the search ends: a finding for which it is begun anew ends it with its level, so that it is the same for any number of threads.
    fn stop(&self, tally: &Self::Tally) -> Option<u32> {
        let is_over = tally.panic.is_some() || self.form.has_met() || self.views.is_unkept();
        let stop = self.plan.stop(&tally.obligations.counts);
        stop.or(is_over.then_some(1))
    }
}
