//! The tests of the refinements: what holds, and what is violated for which reason.
//!
//! Claims of the catalogue (`checks/CLAIMS.md`) are decided where that is. Here is what a row cannot say, and what takes other instances.

mod any_number;
mod auxiliary;
mod ben_ari;
mod ben_ari_several;
mod copying;
mod induction;
mod mutants;
mod native;
mod packing;
mod properties;
mod published;
mod symmetry;
mod tso;
mod yrc;
mod yrc_second_formulation;

use std::collections::HashSet;

use refmap::obligation::{Checkable, Until};
use refmap::{Evidence, Report, Settings, StateOf, TransitionSystem, Verdict, steps};

/// TLC's counts: distinct states, states generated with the initial ones, depth in states.
type Counts = (u64, u64, u32);

/// Every reachable state and the counts of a system, by a search so plain that it is obviously right.
fn search<S: TransitionSystem>(system: &S) -> (HashSet<StateOf<S>>, Counts) {
    let mut wave = Vec::new();
    system.initial(&mut |state| wave.push(state));
    let mut generated = wave.len();
    let mut seen: HashSet<StateOf<S>> = wave.iter().cloned().collect();
    let mut depth = 0;
    while !wave.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for state in wave {
            for (_, to) in steps(system, &state) {
                generated += 1;
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        wave = next;
    }
    let counts = (seen.len() as u64, generated as u64, depth);
    (seen, counts)
}

/// Every reachable state.
fn reachable<S: TransitionSystem>(system: &S) -> HashSet<StateOf<S>> {
    search(system).0
}

/// The report of a check of which everything can be decided.
#[track_caller]
fn decide(checker: &dyn Checkable, settings: &Settings<'_>) -> Report {
    checker.check(settings).expect("it can be decided")
}

/// The counts of a refinement that holds, of every reachable state or of those within the bound that the instance has.
#[track_caller]
fn counts(checker: &dyn Checkable, evidence: Evidence) -> Counts {
    let report = decide(checker, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.evidence, evidence);
    let generated = report.initial_states + report.transitions;
    (report.states, generated, report.depth + 1)
}

/// All obligations that are violated.
#[track_caller]
fn violated(checker: &dyn Checkable) -> Vec<String> {
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = decide(checker, &settings);
    report.violated().map(str::to_owned).collect()
}
