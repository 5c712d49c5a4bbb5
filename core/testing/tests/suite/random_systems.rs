//! The engine against the textbook: on random refinements between small systems, `check` says what
//! the oracle says, shows counterexamples as short, and each of them replays.
//!
//! A failure prints the seed and the tables of its case.

use std::collections::HashSet;

use refmap::obligation::{Selection, Until};
use refmap::{Report, Settings};
use refmap_testing::{checked, row_of, until_with};

use crate::comparison::{
    Constrained, Distribution, Parts, Sampled, Thoroughness, compare, compare_constrained,
    compare_drawn, compare_part, compare_walks, run,
};
use crate::table::random::{Size, draw, draw_with_several_steps};
use crate::webs::{self, Shape};

/// Seeds of the default tests.
const SEEDS: u64 = 600;

fn compare_all(
    seeds: std::ops::Range<u64>,
    size: Size,
    thoroughness: Thoroughness,
) -> Distribution {
    let mut distribution = Distribution::default();
    for seed in seeds {
        compare(seed, size, thoroughness, &mut distribution);
    }
    distribution
}

#[test]
fn the_engine_agrees_with_the_oracle() {
    compare_all(0..SEEDS, Size::Small, Thoroughness::ByTurns).assert_rich(SEEDS);
}

#[test]
#[ignore = "takes a minute"]
fn slow_the_engine_agrees_with_the_oracle_at_length() {
    let cases = 100_000;
    compare_all(SEEDS..SEEDS + cases, Size::Small, Thoroughness::All).assert_rich(cases);
}

/// Steps that are answered by several abstract steps are tested, counted and shown as such.
#[test]
fn the_engine_agrees_with_the_oracle_on_several_abstract_steps() {
    let mut distribution = Distribution::default();
    let mut several = 0;
    let cases = SEEDS / 2;
    for seed in 0..cases {
        let refinement = draw_with_several_steps(seed);
        several += refinement.before.len();
        compare_drawn(seed, &refinement, Thoroughness::ByTurns, &mut distribution);
    }
    distribution.assert_rich(cases);
    assert!(several > 3 * cases as usize, "{several}");
}

/// A level of a small system is one worker's work; these have levels that several workers share.
#[test]
fn the_engine_agrees_with_the_oracle_when_workers_share_a_level() {
    let distribution = compare_all(8..20, Size::Wide, Thoroughness::ByTurns);
    assert!(distribution.widest_level > 300);
}

/// Levels longer than what all workers together take at a time.
#[test]
fn the_engine_agrees_with_the_oracle_when_a_level_takes_several_waves() {
    let distribution = compare_all(9..12, Size::Huge, Thoroughness::Few);
    assert!(distribution.widest_level > 20_000);
}

/// Violations shown by the states expanded before a limit are those of the whole.
#[test]
fn a_part_of_the_graph_shows_what_the_whole_shows() {
    let mut parts = Parts::default();
    let cases = 400;
    for seed in 0..cases {
        compare_part(seed, &mut parts);
    }
    eprintln!("{parts:?}");
    assert!(parts.shown > cases / 4 && parts.hidden > cases / 4 && parts.open > cases);
}

/// A constraint leaves steps out, counts what it leaves out, and decides nothing that lies beyond it.
#[test]
fn a_constrained_search_is_one_of_the_system_without_the_steps_from_outside() {
    let mut constrained = Constrained::default();
    for (cases, size) in [(350, Size::Small), (1, Size::Wide)] {
        for seed in 0..cases {
            compare_constrained(seed, size, &mut constrained);
        }
    }
    eprintln!("{constrained:?}");
    assert!(constrained.cut > 100 && constrained.all_initial_outside > 20);
    assert!(constrained.holds > 20 && constrained.violated > 150);
    assert!(constrained.refused > 8 && constrained.beyond > 4 && constrained.met > 20);
}

/// A search that tests nothing only counts steps for their rules; one that tests all looks at each.
#[test]
fn a_plain_search_counts_what_a_testing_one_counts() {
    let mut told_apart = 0;
    let cases = 500;
    for seed in 0..cases {
        let refinement = draw(seed, Size::Small);
        let testing = run(&refinement, 1, Until::End);
        for obligations in [Selection::Nothing, Selection::only([])] {
            let settings = Settings {
                threads: 1 + seed as usize % 2,
                obligations,
                ..Settings::default()
            };
            let plain = checked(&refinement, &settings);
            assert_eq!(plain.verdict, None);
            assert_eq!(plain.coverage, testing.coverage, "{seed}");
            let counts = |report: &Report| {
                let Report {
                    states,
                    transitions,
                    depth,
                    deadlocks,
                    ..
                } = *report;
                (states, transitions, depth, deadlocks)
            };
            assert_eq!(counts(&plain), counts(&testing), "{seed}");
        }
        let fired: HashSet<u64> = testing.coverage.iter().map(|rule| rule.fired).collect();
        told_apart += usize::from(fired.len() > 1);
    }
    // Where all rules fire equally often, it does not show which of them is counted.
    assert!(told_apart > 100, "{told_apart}");
}

/// Random walks report no violation that there is not, and nearly all that a walk can show.
#[test]
fn walks_find_what_there_is_and_nothing_else() {
    let mut sampled = Sampled::default();
    for seed in 0..SEEDS / 2 {
        compare_walks(seed, &mut sampled);
    }
    println!("{sampled:?}");
    assert!(sampled.found > 200);
    // What is missed is where a walk seldom goes, and does not come back from.
    assert!(sampled.missed * 100 < sampled.found, "{sampled:?}");
    // Shortened walks are nearly as short as can be.
    assert!(sampled.shortest * 100 > sampled.found * 98, "{sampled:?}");
}

/// Every width from one bit to the four words that are kept packed, deep and wide by turns, and the limits
/// wherever they fall.
#[test]
fn webs_of_every_width_are_decided_as_the_oracle_decides_them() {
    let deepest = compare_every_width(7, 150);
    assert!(deepest > 100, "{deepest}");
}

#[test]
#[ignore = "half a minute"]
fn slow_webs_of_every_width_are_decided_as_the_oracle_decides_them_at_length() {
    let deepest = compare_every_width(9, 350);
    assert!(deepest > 400, "{deepest}");
}

/// The depth of the deepest web of at most 2 to the power of `digits` states.
fn compare_every_width(digits: u32, wide: usize) -> u32 {
    let mut faults = HashSet::new();
    let mut deepest = 0;
    for width in 1..=256u32 {
        let seed = u64::from(width);
        let most = 1usize << width.min(digits);
        let (shape, states) = match width % 4 {
            0 if width > digits => (Shape::Wide, wide),
            1 => (Shape::Levels(40), most),
            _ => (
                Shape::Deep,
                most - width as usize % 7 * usize::from(most > 7),
            ),
        };
        let (web, fault) = webs::draw(seed, shape, states, width);
        let oracle = webs::compare(&web, width as usize, 2);
        webs::compare_limits(&web, &oracle, seed);
        faults.insert(format!("{fault:?}"));
        deepest = deepest.max(oracle.depth());
    }
    assert_eq!(faults.len(), 6);
    deepest
}

/// Larger than what the search takes at a time, deeper than 100, wider than 256 steps a state.
#[test]
fn large_webs_are_decided_as_the_oracle_decides_them() {
    for (turn, (shape, states, width)) in [
        (Shape::Levels(1000), 70_000, 40),
        (Shape::Wide, 20_000, 23),
        (Shape::Levels(3000), 30_000, 64),
        (Shape::Deep, 5_000, 130),
    ]
    .into_iter()
    .enumerate()
    {
        let (web, _) = webs::draw(7 + turn as u64, shape, states, width);
        let oracle = webs::compare(&web, turn, if states > 1 << 16 { 2 } else { 3 });
        assert_eq!(oracle.states.len(), states);
        if states < 1 << 16 {
            webs::compare_limits(&web, &oracle, turn as u64);
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn nightly_webs_are_decided_as_the_oracle_decides_them_at_length() {
    for seed in 0..3000u64 {
        let width = 17 + (seed * 7 % 240) as u32;
        let shapes = [
            (Shape::Deep, 3000),
            (Shape::Wide, 4000),
            (Shape::Levels(700), 40_000),
            (Shape::Levels(5), 2000),
        ];
        let (shape, states) = shapes[(seed % 4) as usize];
        let (web, _) = webs::draw(seed, shape, states, width);
        let oracle = webs::compare(&web, seed as usize, 5);
        webs::compare_limits(&web, &oracle, seed);
    }
}

/// Three processes with up to 150 inputs each: an input that is left out is the one that is refused, whichever it is.
#[test]
fn an_input_that_is_refused_is_found_among_many() {
    let mut refused = 0;
    for seed in 0..60 {
        let (web, left_out) = webs::environment(seed, 66 + seed as usize % 80);
        let settings = until_with(Until::End, 1 + seed as usize % 4);
        let report = checked(&web, &settings);
        let row = row_of(&report, "environment:move");
        let shown = row.counterexamples.first();
        let shown = shown.map(|shown| shown.refused.clone().expect("an action is refused"));
        let expected = left_out.map(|(process, argument)| {
            serde_json::json!({ "rule": 0, "process": process, "argument": argument })
        });
        assert_eq!(shown, expected, "{seed}");
        refused += u64::from(left_out.is_some());
    }
    assert!((20..50).contains(&refused), "{refused}");
}
