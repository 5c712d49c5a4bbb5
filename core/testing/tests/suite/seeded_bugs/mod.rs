//! A plain sequential engine with a mistake in it, if so wished.

use std::collections::HashSet;

use refmap::{Refinement, TransitionSystem, Verdict};

use crate::oracle::Oracle;
use crate::table::{Correspondence, State};

/// A mistake that an engine might make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// None.
    None,
    /// One successor in a thousand is not looked at, over all cases together.
    SkipsOneSuccessorInAThousand,
    /// Two states are taken for one if their hidden parts alone differ.
    ComparesOnlyPartOfAState,
    /// The states that are found last are not expanded.
    DropsTheLastFrontier,
}

/// Findings of an engine.
#[derive(Debug, PartialEq, Eq)]
pub struct Findings {
    states: usize,
    transitions: usize,
    depth: u32,
    deadlocks: usize,
    simulation: Verdict,
}

impl Findings {
    /// Findings of the oracle.
    pub fn of(oracle: &Oracle<'_, Correspondence>) -> Self {
        let fates = oracle.fates();
        let mut fates = fates.iter();
        let simulation = fates.find(|(name, _)| name == "simulation");
        Self {
            states: oracle.states.len(),
            transitions: oracle.transitions(),
            depth: oracle.depth(),
            deadlocks: oracle.steps.iter().filter(|s| s.is_empty()).count(),
            simulation: simulation.expect("it is always decided").1.verdict,
        }
    }
}

/// Explores level by level. `successors` counts the steps looked at in all cases so far.
pub fn explore(refinement: &Correspondence, bug: Bug, successors: &mut u64) -> Findings {
    let system = refinement.implementation();
    let compared = |state: State| match bug {
        Bug::ComparesOnlyPartOfAState => State { secret: 0, ..state },
        _ => state,
    };
    let mut seen = HashSet::new();
    let mut level = Vec::new();
    system.initial(&mut |state| {
        if seen.insert(compared(state)) {
            level.push(state);
        }
    });
    let mut findings = Findings {
        states: 0,
        transitions: 0,
        depth: 0,
        deadlocks: 0,
        simulation: Verdict::Holds,
    };
    let mut before = Findings { ..findings };
    while !level.is_empty() {
        before = Findings { ..findings };
        findings.depth += u32::from(findings.states > 0);
        findings.states += level.len();
        let mut next_level = Vec::new();
        for from in level {
            let image = refinement.map(&from);
            let mut steps = 0;
            system.next(&from, &mut |action, to| {
                *successors += 1;
                if bug == Bug::SkipsOneSuccessorInAThousand && successors.is_multiple_of(1000) {
                    return;
                }
                steps += 1;
                let target = refinement.map(to);
                let simulates = match refinement.abstract_steps(&from, &action, to).actions() {
                    [] => image == target,
                    [answer] => refinement.specification().allows(&image, answer, &target),
                    _ => panic!("each step of these models simulates one at most"),
                };
                if !simulates {
                    findings.simulation = Verdict::Violated;
                }
                if seen.insert(compared(*to)) {
                    next_level.push(*to);
                }
            });
            findings.transitions += steps;
            findings.deadlocks += usize::from(steps == 0);
        }
        level = next_level;
    }
    match bug {
        // The last states were seen, and nothing of what comes after them.
        Bug::DropsTheLastFrontier => Findings {
            states: findings.states,
            depth: findings.depth,
            ..before
        },
        _ => findings,
    }
}
