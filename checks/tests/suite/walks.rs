//! Random walks find a published error where exploration takes long, with a short counterexample.

use refmap::random::Walks;
use refmap::{
    AbstractSteps, Action as _, Evidence, Refinement, Search, Settings, TransitionSystem, Verdict,
};
use refmap_checks::catalogue;
use refmap_refinements::ben_ari::Refinement3;
use refmap_systems::ben_ari::{Figure14, Scope, process};
use std::collections::HashSet;

/// Length of the shortest counterexample of the collector's steps alone, over all initial colours.
const SHORTEST: usize = 82;

/// Fig. 14 as printed, at six nodes: each of five seeds finds it in few walks.
#[test]
fn walks_find_figure_14_as_printed() {
    let catalogue = catalogue();
    let check = catalogue.check("ben-ari-3").unwrap();
    let arguments = "--nodes 6 --sons 2 --roots 2 --figure-14 as-printed";
    let arguments = check.arguments(arguments).unwrap();
    for seed in 0..5 {
        let settings = Settings {
            search: Search::Walks(Walks {
                walks: 20,
                steps: 1000,
                seed,
            }),
            ..Settings::default()
        };
        let report = check.run(&arguments, &settings).unwrap();
        assert_eq!(report.verdict, Some(Verdict::Violated), "seed {seed}");
        assert_eq!(report.evidence, Evidence::Sampled);
        let shown = report.counterexample.as_ref().unwrap();
        assert_eq!(shown.obligation, "simulation");
        let last = shown.steps.last().unwrap();
        assert_eq!(last.rule.as_deref(), Some("stop_appending"));
        let lengths = SHORTEST..=2 * SHORTEST;
        assert!(lengths.contains(&shown.length), "{}", shown.length);
        println!(
            "seed {seed}: {:?}",
            report.obligation("simulation").unwrap().note
        );
    }
}

/// Computes `SHORTEST` by a breadth-first search of the collector's steps alone.
#[test]
fn the_collector_alone_shows_figure_14_as_printed_after_82_steps() {
    let refinement = Refinement3::new(Scope {
        figure_14: Figure14::AsPrinted,
        ..Scope::new(6, 2, 2)
    });
    let system = refinement.implementation();
    let simulates = |from: &_, action: &_, to: &_| {
        let (image, target) = (refinement.map(from), refinement.map(to));
        match refinement.abstract_steps(from, action, to) {
            AbstractSteps::One(answer) => {
                refinement.specification().allows(&image, &answer, &target)
            }
            AbstractSteps::Stutter => image == target,
            several @ AbstractSteps::Several(_) => panic!("{several:?}"),
        }
    };
    let mut level = HashSet::new();
    system.initial(&mut |state| {
        level.insert(state);
    });
    // The collector is deterministic and its states are few, so none needs to be remembered.
    let mut length = 0;
    let mut failed = false;
    while !failed {
        length += 1;
        let mut next = HashSet::new();
        for from in level {
            system.next(&from, &mut |action, to| {
                if action.process(system) == process::COLLECTOR {
                    failed |= !simulates(&from, &action, to);
                    next.insert(*to);
                }
            });
        }
        level = next;
        assert!(!level.is_empty() && length < 1000);
    }
    assert_eq!(length, SHORTEST);
}
