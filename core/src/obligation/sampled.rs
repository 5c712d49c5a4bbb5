//! The check by random walks: the same obligations, tested on the states and steps of the walks,
//! and the walks that fail shortened.

use std::time::Instant;

use super::check::Enumerated;
use super::examiner::Examiner;
use super::judge::Judge;
use super::selection::{Kind, Row};
use super::tally::Tally;
use super::{Settings, Until};
use crate::explore::Place;
use crate::random::Walks;
use crate::random::shrink::Shrinker;
use crate::random::walk::{Walked, again, walk};
use crate::refinement::Refinement;
use crate::report::{Report, Sample};

/// What failed on a walk.
#[derive(Clone, Copy, PartialEq)]
enum Failure {
    /// A row.
    Row(usize),
    /// `simulation`, by a step of this rule.
    Simulation(usize),
    /// The model itself.
    Model,
}

impl Failure {
    /// Where, as far as `tally` goes.
    fn place<R: Refinement>(self, tally: &Tally<R>) -> Option<Place> {
        match self {
            Self::Row(row) => tally.first[row],
            Self::Simulation(rule) => tally.failed[rule],
            Self::Model => tally.fault.as_ref().map(|(place, _)| *place),
        }
    }
}

/// Makes the walks and the report of them.
pub(super) fn sampled<R: Refinement>(
    examiner: &Examiner<'_, R>,
    walks: Walks,
    settings: &Settings<'_>,
    enumerated: Option<Enumerated<R>>,
) -> Report {
    let started = Instant::now();
    let implementation = examiner.refinement.implementation();
    let mut walked = walk(
        implementation,
        examiner,
        walks,
        settings.threads,
        settings.limits,
        settings.watch,
    );
    let stop = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let notes = shorten(examiner, walks.seed, &mut walked, &stop);
    let mut report = Judge::new(examiner, &walked.explored, settings, None, enumerated).report();
    report.states = walked.visits;
    report.walks = Some(Sample {
        walks: walks.walks,
        steps: walks.steps,
        seed: walks.seed,
        begun: walked.begun,
    });
    for (row, note) in notes {
        let name = &examiner.rows[row].name;
        let judged = report.obligations.iter_mut();
        for judged in judged.filter(|judged| judged.name == *name) {
            judged.note = Some(note.clone());
        }
    }
    report
}

/// Puts in the place of each failing walk what it is shortened to, and says so of each row.
fn shorten<R: Refinement>(
    examiner: &Examiner<'_, R>,
    seed: u64,
    walked: &mut Walked<R::Concrete, Tally<R>>,
    stop: &dyn Fn() -> bool,
) -> Vec<(usize, String)> {
    let mut notes = Vec::new();
    for (index, row) in examiner.rows.iter().enumerate() {
        if !row.selected || walked.explored.tally.first[index].is_none() {
            continue;
        }
        let failures: Vec<_> = match row.kind {
            Kind::Simulation => {
                let rules = 0..walked.explored.tally.failed.len();
                rules.map(Failure::Simulation).collect()
            }
            Kind::Model => vec![Failure::Model],
            _ => vec![Failure::Row(index)],
        };
        let mut found = Vec::new();
        for failure in failures {
            let Some(on_walk) = failure.place(&walked.explored.tally) else {
                continue;
            };
            let shown = shorten_one(examiner, seed, walked, (failure, index), on_walk, stop);
            found.push((shown, on_walk));
        }
        let Some(&(shown, on_walk)) = found.iter().min() else {
            continue;
        };
        walked.explored.tally.first[index] = Some(shown);
        let mut note = format!(
            "walk {} of seed {seed}, {} steps",
            on_walk.state.0, on_walk.length
        );
        if shown.length < on_walk.length {
            note.push_str(&format!(", shortened to {}", shown.length));
        }
        notes.push((index, note));
    }
    notes
}

/// Shortens the walk that `on_walk` names, and says where its failure is in what is kept of it.
fn shorten_one<R: Refinement>(
    examiner: &Examiner<'_, R>,
    seed: u64,
    walked: &mut Walked<R::Concrete, Tally<R>>,
    (failure, row): (Failure, usize),
    on_walk: Place,
    stop: &dyn Fn() -> bool,
) -> Place {
    let implementation = examiner.refinement.implementation();
    let number = on_walk.state.0;
    let walk = again(
        implementation,
        &walked.initial,
        seed,
        number,
        on_walk.length,
    );
    // Only what failed is tested again, unless it can be anything that the model does.
    let rows = examiner.rows.iter().enumerate();
    let rows: Vec<_> = rows
        .map(|(index, other)| Row {
            selected: match failure {
                Failure::Model => other.selected,
                _ => index == row,
            },
            ..other.clone()
        })
        .collect();
    let mut visitor = Examiner::new(
        examiner.refinement,
        examiner.invariants,
        &rows,
        Until::FirstViolation,
    );
    visitor.walks = true;
    visitor.asks_again = failure == Failure::Model;
    let shrinker = Shrinker {
        system: implementation,
        visitor: &visitor,
        fails: |tally: &Tally<R>| failure.place(tally),
        all_offers: matches!(examiner.rows[row].kind, Kind::Deadlock | Kind::Model),
        initial: &walked.initial,
        stop,
    };
    // A model that fails only sometimes is shown as it was seen.
    let (mut trace, mut place, fault) = match shrinker.shrink(&walk) {
        Some(shortened) => (
            shortened.trace,
            shortened.place,
            shortened.tally.fault.map(|(_, fault)| fault),
        ),
        None => (walk, on_walk, None),
    };
    if place.step.is_some() {
        // The step is shown by its place among those that the state offers.
        trace.steps.truncate(place.length as usize - 1);
    }
    let explored = &mut walked.explored;
    place.state = explored.keep(trace);
    let tally = &mut explored.tally;
    match failure {
        Failure::Row(row) => tally.first[row] = Some(place),
        Failure::Simulation(rule) => tally.failed[rule] = Some(place),
        Failure::Model => {
            if let Some((at, seen)) = &mut tally.fault {
                *at = place;
                if let Some(fault) = fault {
                    *seen = fault;
                }
            }
        }
    }
    place
}
