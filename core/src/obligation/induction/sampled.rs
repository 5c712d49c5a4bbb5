//! Induction decided from type-correct states that are drawn, where they are too many to pass over.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::NearbyState;
use super::draws::{CHUNK, DrawFindings, Draws};
use super::enumerated::Enumerated;
use super::examination::Examination;
use super::findings::Findings;
use super::goal::{Goal, PerGoal};
use super::minimal::{SmallGap, minimal};
use super::reached::{MOST_TO_DRAW, MOST_TO_SHOW, ReachedStates, in_order};
use super::variables::Variables;
use crate::obligation::found::{SearchResult, TellProgress};
use crate::report::DrawnStates;
use crate::statement::asked::model_call::{catch, tolerated};
use crate::statement::erased::{ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::walk::explore::Work;
use crate::walk::parallel::{WorkItems, run_in_parallel};
use crate::walk::random::Samples;

/// Chunks between two looks at the memory.
const PATIENCE: u64 = 256;

/// Findings of the draws.
pub(in crate::obligation) struct Sampled {
    pub findings: Findings,
    pub drawn: DrawnStates,
    /// The gaps that are shown.
    pub cases: PerGoal<Option<SmallGap>>,
    /// Number of reached states of which it is not known how `type_correct` makes them, and the first.
    pub untraced: Option<(u64, ErasedState)>,
}

/// Draws states, and looks for gaps in them.
pub(in crate::obligation) fn sample<'a>(
    enumerated: &dyn Enumerated,
    invariants: &[Invariant<ErasedSystem<'a>>],
    samples: Samples,
    found: &SearchResult<'_, ErasedRefinement<'a>>,
    tell: TellProgress<'_>,
) -> Sampled {
    let (settings, started) = (found.settings, found.started);
    let out_of_time = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let mut sampled = Sampled {
        findings: Findings::new(invariants.len()),
        drawn: DrawnStates {
            samples: samples.samples,
            seed: samples.seed,
            drawn: 0,
            satisfying: 0,
            unmet: 0,
            on_walks: 0,
        },
        cases: PerGoal::new(invariants.len()),
        untraced: None,
    };
    let examination = Examination::begin(
        found.refinement,
        invariants,
        &settings.limits,
        &out_of_time,
        &mut sampled.findings,
    );
    let Some(examination) = examination else {
        return sampled;
    };
    let begun = catch(|| {
        let variables = Variables::new(enumerated);
        let reached =
            ReachedStates::new(found, &variables, samples.seed, MOST_TO_DRAW, &out_of_time);
        (variables, reached)
    });
    let (variables, mut reached) = match begun {
        Ok(begun) => begun,
        Err(panic) => {
            sampled.findings.unmade = Some((0, panic));
            return sampled;
        }
    };
    sampled.untraced = reached.untraced.take();
    let draws = Draws {
        examination: &examination,
        variables: &variables,
        reached: &reached,
        seed: samples.seed,
    };
    let out_of_memory = || settings.limits.out_of_memory().is_some();
    let drawn = draw(
        &draws,
        samples.samples,
        settings.threads,
        &out_of_memory,
        tell,
    );
    sampled.drawn = DrawnStates {
        drawn: drawn.findings.states,
        satisfying: drawn.findings.satisfying,
        unmet: drawn.unmet.len() as u64,
        on_walks: reached.states(),
        ..sampled.drawn
    };
    sampled.findings.merge(drawn.findings.clone());
    let goals: Vec<_> = Goal::all(invariants.len()).collect();
    let cases = in_order(settings.threads, goals.len(), &|place| {
        let (gap, panic) = sampled.findings.gaps[goals[place]].clone()?;
        let values = drawn.values.get(&gap.number)?;
        minimal(&draws, goals[place], values, gap, panic)
    });
    for (goal, case) in goals.into_iter().zip(cases) {
        sampled.cases[goal] = case;
    }
    sampled
}

/// The reached state beside each of the states in which a pass found a gap, by their numbers.
pub(in crate::obligation) fn beside(
    enumerated: &dyn Enumerated,
    found: &SearchResult<'_, ErasedRefinement<'_>>,
    findings: &Findings,
) -> BTreeMap<u64, NearbyState> {
    let (settings, started) = (found.settings, found.started);
    let out_of_time = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let gaps = findings.gaps.iter().flatten();
    let numbers: BTreeSet<u64> = gaps.map(|(gap, _)| gap.number).collect();
    if numbers.is_empty() {
        return BTreeMap::new();
    }
    let implementation = found.refinement.implementation();
    // What is missing here is missed by nothing else.
    let made = tolerated(|| {
        let variables = Variables::new(enumerated);
        let reached = ReachedStates::new(found, &variables, 0, MOST_TO_SHOW, &out_of_time);
        let beside = |number| {
            let values = variables.of_number(number);
            let beside = NearbyState::new(implementation, &variables, &reached, &values)?;
            Some((number, beside))
        };
        numbers.into_iter().filter_map(beside).collect()
    });
    made.unwrap_or_default()
}

/// Makes the draws, as far as there is time and memory for them.
fn draw(
    draws: &Draws<'_, '_>,
    samples: u64,
    threads: usize,
    out_of_memory: &(dyn Fn() -> bool + Sync),
    tell: TellProgress<'_>,
) -> DrawFindings {
    let invariants = draws.examination.invariants.len();
    let chunks = WorkItems::new(samples.div_ceil(CHUNK) as usize);
    let work = |worker| {
        let mut drawn = DrawFindings::new(invariants);
        while let Some(chunk) = chunks.take() {
            let start = chunk as u64 * CHUNK;
            if worker == 0 {
                tell(Some(Work {
                    unit: "states drawn",
                    done: start,
                    total: samples,
                }));
            }
            if (chunk as u64).is_multiple_of(PATIENCE) && out_of_memory() {
                drawn.findings.cut_short = true;
            } else {
                draws.chunk(start..samples.min(start.saturating_add(CHUNK)), &mut drawn);
            }
            if drawn.findings.cut_short {
                break;
            }
        }
        drawn
    };
    let mut all = DrawFindings::new(invariants);
    for drawn in run_in_parallel(0..threads.max(1), work) {
        all.merge(drawn);
    }
    all
}
