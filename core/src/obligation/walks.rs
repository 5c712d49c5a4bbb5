//! The check by random walks: the same obligations, tested on the states and steps of the walks,
//! and the walks that fail shortened.

use std::time::Instant;

use super::found::{SearchResult, Totals};
use super::induction::Enumerated;
use super::judge::{self, Labelled};
use super::model::AsksAgain;
use super::obligations::Failure;
use super::recorded::RecordedGraph;
use super::settings::{Settings, Until};
use super::visitor::{ObligationTally, Plan};
use crate::report::{Report, Sample};
use crate::statement::asked::model_call::tolerated;
use crate::statement::erased::{ErasedRefinement, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::walk::explore::Place;
use crate::walk::random::Walks;
use crate::walk::random::shrink::Shrinker;
use crate::walk::random::walk::{ShownBehaviours, Walked, WalksEnd, again, walk};

/// Makes the walks and the report of them.
pub(super) fn report<'a>(
    plan: &Plan<'a>,
    walks: Walks,
    settings: &Settings<'_>,
    enumerated: Option<&'a dyn Enumerated>,
) -> Report {
    let started = Instant::now();
    let refinement = plan.asking.refinement;
    let mut walked = walk(
        refinement.implementation(),
        &plan.tester(),
        walks,
        settings.threads,
        settings.limits,
        settings.watch,
    );
    let stop = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let shown = Shortening {
        plan,
        seed: walks.seed,
        stop: &stop,
    };
    let shown = shown.shorten(&mut walked);
    let started = plan.asking.started;
    let mut found = SearchResult::new(refinement, settings, started, totals(&walked), &shown, None);
    found.constraint = plan.constraint;
    let labelled = Labelled {
        recorded: &RecordedGraph::nothing(),
        inputs: &[],
        between: &[],
    };
    let counts = &walked.tally.counts;
    let mut report = judge::report(plan, counts, &labelled, enumerated, &found);
    report.walks = Some(Sample {
        walks: walks.walks,
        steps: walks.steps,
        seed: walks.seed,
        begun: walked.begun,
    });
    report
}

fn totals(walked: &Made<'_>) -> Totals {
    Totals {
        complete: false,
        cut: None,
        limit_process: None,
        limit: match walked.end {
            WalksEnd::Limit(limit) => Some(limit),
            WalksEnd::AllMade | WalksEnd::Stopped => None,
        },
        initial_states: walked.initial.len() as u64,
        states: walked.visits,
        transitions: walked.steps,
        depth: walked.longest,
        unexamined: 0,
        seconds: walked.seconds,
        peak_memory_bytes: walked.peak_memory_bytes,
        kept: None,
        panic: walked.panic.clone(),
        initial_misfit: None,
        written: None,
        spilled: None,
    }
}

/// Walks that were made.
type Made<'a> = Walked<ErasedSystem<'a>, ObligationTally<ErasedRefinement<'a>>>;

/// Shortens walks that fail.
struct Shortening<'s, 'a> {
    plan: &'s Plan<'a>,
    seed: u64,
    stop: &'s dyn Fn() -> bool,
}

impl<'a> Shortening<'_, 'a> {
    /// The walks that fail, shortened; what failed has its place there from now on.
    fn shorten(&self, walked: &mut Made<'a>) -> ShownBehaviours<ErasedSystem<'a>> {
        let mut shown = ShownBehaviours::new();
        let failures = self.plan.obligations.failures(&walked.tally.counts);
        let failures: Vec<_> = failures.collect();
        for (failure, on_walk) in failures {
            // What the model does otherwise than on the walk is told where the behaviour is to be shown.
            let _ = tolerated(|| self.shorten_one(walked, failure, on_walk, &mut shown));
        }
        shown
    }

    /// Shortens the walk on which something failed.
    fn shorten_one(
        &self,
        walked: &mut Made<'a>,
        failure: Failure,
        on_walk: Place,
        shown: &mut ShownBehaviours<ErasedSystem<'a>>,
    ) {
        let seed = self.seed;
        let plan = self.plan;
        let refinement = plan.asking.refinement;
        let implementation = refinement.implementation();
        let number = on_walk.state.0 as u32;
        let walk = again(
            implementation,
            &walked.initial,
            seed,
            number,
            on_walk.length,
        );
        // Only what failed is tested again, unless it can be anything that the model does.
        let only = plan.obligations.only(failure);
        let invariants = plan.asking.invariants;
        let mut only = Plan::new(refinement, invariants, only, Until::FirstViolation);
        only.constraint = plan.constraint;
        only.asking.walks = true;
        only.asking.asks_again = if failure == Failure::Model {
            AsksAgain::OnTheWay
        } else {
            AsksAgain::Never
        };
        let shrinker = Shrinker {
            system: implementation,
            visitor: &only.tester(),
            fails: |tally: &ObligationTally<_>| tally.counts.first(failure),
            all_offers: matches!(failure, Failure::Deadlock | Failure::Model),
            initial: &walked.initial,
            stop: self.stop,
        };
        // A model that fails only sometimes is shown as it was seen.
        let shortened = tolerated(|| shrinker.shrink(&walk)).flatten();
        let (mut trace, mut place, fault) = match shortened {
            Some(shortened) => (
                shortened.trace,
                shortened.place,
                shortened.tally.counts.model.fault.map(|(_, fault)| fault),
            ),
            None => (walk, on_walk, None),
        };
        if place.step.is_some() {
            // The step is shown by its place among those that the state offers.
            trace.steps.truncate(place.length as usize - 1);
        }
        let mut note = format!("walk {number} of seed {seed}, {} steps", on_walk.length);
        if place.length < on_walk.length {
            note.push_str(&format!(", shortened to {}", place.length));
        }
        place.state = shown.keep(trace, note);
        walked.tally.counts.set_first(failure, place);
        if failure == Failure::Model
            && let (Some((_, seen)), Some(fault)) = (&mut walked.tally.counts.model.fault, fault)
        {
            *seen = fault;
        }
    }
}
