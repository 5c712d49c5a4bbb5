//! Calls of the model that do not return: finding out which function it is, and the report of a check that cannot end otherwise.

use std::sync::Arc;
use std::thread;

use serde_json::Map;

use super::settings::{Search, Settings};
use super::subject::Subject;
use super::visitor::Plan;
use crate::report::{Evidence, Obligation, Report, UnreturnedCall, Verdict};
use crate::statement::asked::calls::{Batched, CheckOutline, Stage, Watched, WorkerState};
use crate::statement::asked::model_call::catch;
use crate::statement::asked::type_correct::Choices;
use crate::statement::erased::{ErasedState, ErasedSystem};
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::steps;
use crate::walk::explore::{
    Place, STACK, StateId, Unreturned, Visitor, look_at, look_at_step, published,
};

/// Does the work of a check. Where that is watched a thread beside it asks once more about the state at which a pass does not go on.
pub(super) fn watched<T>(
    plan: &Plan<'_>,
    subject: &dyn Subject,
    settings: &Settings<'_>,
    work: impl FnOnce() -> T,
) -> T {
    struct Closes<'w>(&'w Watched);
    impl Drop for Closes<'_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let Some(watched) = Watched::of_this_thread() else {
        return work();
    };
    outline(plan, settings);
    let answers = Arc::clone(&watched);
    thread::scope(|scope| {
        let answer = move || answers.answer(&|asked, show| again(plan, subject, asked, show));
        let thread = thread::Builder::new().stack_size(STACK);
        // Without it nobody answers, and it is not told which call it is.
        let _ = thread.spawn_scoped(scope, answer);
        let _closes = Closes(&watched);
        work()
    })
}

/// Tells a watchdog, if there is one, the settings of a check of which no report may tell.
pub(super) fn outline(plan: &Plan<'_>, settings: &Settings<'_>) {
    let Some(watched) = Watched::of_this_thread() else {
        return;
    };
    // A row of the model is listed only if it is violated.
    let is_listed = |name: &String| *name != ObligationKind::Model.to_string();
    let chosen = plan.obligations.chosen().into_iter();
    watched.set_outline(CheckOutline {
        obligations: chosen.filter(is_listed).collect(),
        threads: settings.threads,
        is_sampled: matches!(settings.search, Search::Walks(_)),
        has_views: matches!(settings.search, Search::AnyNumber { .. }),
    });
}

/// Asks about a state once more as a search does, each call for itself: one of these does not return either, unless the model is no function.
fn again(plan: &Plan<'_>, subject: &dyn Subject, asked: &WorkerState, show: &dyn Fn(&ErasedState)) {
    let made = catch(|| asked.keys(|batched| state(subject, batched, asked.number)));
    let Ok(Some(state)) = made else {
        return;
    };
    show(&state);
    if asked.stage == Stage::Stepping {
        return;
    }
    let place = Place {
        length: 0,
        state: StateId(asked.number),
        step: None,
    };
    // A panic would be told by the search.
    let _ = catch(|| {
        let tester = plan.tester();
        let mut tally = tester.tally();
        let image = look_at(&tester, &mut tally, place, &state);
        if !tester.is_expanded(&mut tally, place, &state) {
            return;
        }
        let steps = steps(plan.asking.refinement.implementation(), &state);
        for (position, (action, to)) in (0..).zip(&steps) {
            let place = place.of_step(position);
            look_at_step(&tester, &mut tally, place, (&state, &image), action, to);
        }
        tester.leave(&mut tally, place, &state, steps.len() as u32);
    });
}

/// The state at which a pass is.
fn state(subject: &dyn Subject, batched: &Batched, number: u64) -> Option<ErasedState> {
    match batched {
        Batched::Numbered => Some(subject.inductive()?.make(&mut Choices::of(number))),
        batched => {
            let system = ErasedSystem::alone(subject.implementation());
            published(system, batched, number as usize)
        }
    }
}

impl Unreturned {
    /// The report of the check: nothing is decided.
    pub fn report(&self) -> Report {
        let note = format!("not decided: {} did not return", self.function());
        let open = |name: &String| Obligation {
            name: name.clone(),
            ..Obligation::incomplete(&note)
        };
        let outline = &self.outline;
        let is_asked = !outline.obligations.is_empty();
        Report {
            check: String::new(),
            claim: None,
            parameters: Map::new(),
            verdict: is_asked.then_some(Verdict::Incomplete),
            evidence: match (outline.is_sampled, outline.has_views) {
                (true, _) => Evidence::Sampled,
                (false, true) => Evidence::Views,
                (false, false) => Evidence::Bounded,
            },
            complete: false,
            walks: None,
            every_number: None,
            samples: None,
            history: None,
            symmetry: None,
            limit: Some(self.limit),
            limit_process: None,
            unreturned: Some(UnreturnedCall {
                function: self.function(),
                state: self.state.clone(),
            }),
            initial_states: 0,
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            seconds: self.seconds,
            peak_memory_bytes: self.memory_bytes,
            states_kept: None,
            checkpoints: None,
            spilled: None,
            threads: outline.threads,
            processes: None,
            obligations: outline.obligations.iter().map(open).collect(),
            coverage: Vec::new(),
            warnings: Vec::new(),
            taken_at_word: Vec::new(),
            asked_again: 0,
            not_compared: 0,
            deadlocks: 0,
            cut_off: None,
            constraint: None,
            not_asked: Vec::new(),
            unexercised: Vec::new(),
            counterexample: None,
        }
    }
}
