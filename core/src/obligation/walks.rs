//! The check by random walks: the same obligations, tested on the states and steps of the walks,
//! and the walks that fail shortened.

use std::time::Instant;

use super::counts::Counts;
use super::found::{Found, Totals};
use super::induction::Enumerated;
use super::judge;
use super::model::Rechecks;
use super::obligations::Failure;
use super::recorded::Recorded;
use super::settings::{Settings, Until};
use super::visitor::Tester;
use crate::explore::Place;
use crate::model_call::tolerated;
use crate::random::Walks;
use crate::random::shrink::Shrinker;
use crate::random::walk::{Shown, Walked, WalksEnd, again, walk};
use crate::refinement::Refinement;
use crate::report::{Report, Sample};

/// Makes the walks and the report of them.
pub(super) fn report<R: Refinement>(
    tester: &Tester<'_, R>,
    walks: Walks,
    settings: &Settings<'_>,
    enumerated: Option<&Enumerated<R>>,
) -> Report {
    let started = Instant::now();
    let implementation = tester.refinement.implementation();
    let mut walked = walk(
        implementation,
        tester,
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
        tester,
        seed: walks.seed,
        stop: &stop,
    };
    let shown = shown.shorten(&mut walked);
    let of = (tester.refinement, settings, tester.asking.started);
    let mut found = Found::new(of, totals(&walked), &shown, None);
    found.constraint = tester.constraint;
    let mut report = judge::report(
        tester,
        &walked.tally,
        &Recorded::nothing(),
        enumerated,
        &found,
    );
    report.walks = Some(Sample {
        walks: walks.walks,
        steps: walks.steps,
        seed: walks.seed,
        begun: walked.begun,
    });
    report
}

fn totals<R: Refinement>(walked: &Walked<R::Concrete, Counts<R>>) -> Totals {
    Totals {
        complete: false,
        cut: None,
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
    }
}

/// Shortens walks that fail.
struct Shortening<'a, R: Refinement> {
    tester: &'a Tester<'a, R>,
    seed: u64,
    stop: &'a dyn Fn() -> bool,
}

impl<R: Refinement> Shortening<'_, R> {
    /// The walks that fail, shortened; what failed has its place there from now on.
    fn shorten(&self, walked: &mut Walked<R::Concrete, Counts<R>>) -> Shown<R::Concrete> {
        let mut shown = Shown::new();
        let failures = self.tester.obligations.failures(&walked.tally);
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
        walked: &mut Walked<R::Concrete, Counts<R>>,
        failure: Failure,
        on_walk: Place,
        shown: &mut Shown<R::Concrete>,
    ) {
        let seed = self.seed;
        let implementation = self.tester.refinement.implementation();
        let number = on_walk.state.0;
        let walk = again(
            implementation,
            &walked.initial,
            seed,
            number,
            on_walk.length,
        );
        // Only what failed is tested again, unless it can be anything that the model does.
        let only = self.tester.obligations.only(failure);
        let of = (self.tester.refinement, self.tester.asking.invariants);
        let mut tester = Tester::new(of, only, Until::FirstViolation);
        tester.constraint = self.tester.constraint;
        tester.asking.steps_of_walk = Some(on_walk.length);
        tester.asking.rechecks = if failure == Failure::Model {
            Rechecks::Everywhere
        } else {
            Rechecks::Nowhere
        };
        let shrinker = Shrinker {
            system: implementation,
            visitor: &tester,
            fails: |counts: &Counts<R>| counts.first(failure),
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
                shortened.tally.model.fault.map(|(_, fault)| fault),
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
        walked.tally.set_first(failure, place);
        if failure == Failure::Model
            && let (Some((_, seen)), Some(fault)) = (&mut walked.tally.model.fault, fault)
        {
            *seen = fault;
        }
    }
}
