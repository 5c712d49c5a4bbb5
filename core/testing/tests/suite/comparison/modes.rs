//! Every way to run an exhaustive check: what may be said is the same, however states are kept and
//! whoever comes first, but for what a way says it cannot decide.

use refmap::explore::{Limit, Limits, Order, Storage};
use refmap::obligation::Until;
use refmap::report::{About, Warning};
use refmap::{Report, Settings, Verdict, check};
use refmap_testing::row_of;

use super::{fate, show, timeless};
use crate::oracle::Oracle;
use crate::table::Correspondence;

/// Share of the ways taken, and their numbers of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// A quarter of the ways, by turns: for cases that take long.
    Few,
    /// Each way, with one, two or three threads by turns, to the end; those that end at the first violation by turns
    /// too. In every 25th case all.
    ByTurns,
    /// Each way with one, two and three threads.
    All,
}

/// A way to run a check.
#[derive(Clone, Copy, Debug)]
struct Mode {
    storage: Storage,
    order: Order,
}

/// The ways there are; fingerprints need states breadth first, and such as are not packed into a word.
const MODES: [Mode; 5] = {
    use Order::{BreadthFirst, DepthFirst};
    use Storage::{Fingerprints, Packed, Whole};
    const fn mode(storage: Storage, order: Order) -> Mode {
        Mode { storage, order }
    }
    [
        mode(Packed, BreadthFirst),
        mode(Whole, BreadthFirst),
        mode(Fingerprints, BreadthFirst),
        mode(Packed, DepthFirst),
        mode(Whole, DepthFirst),
    ]
};

/// A case with what the plain check says, of which the oracle has approved.
pub struct Modes<'a> {
    pub oracle: &'a Oracle<'a, Correspondence>,
    pub to_the_end: &'a Report,
    pub to_the_first: &'a Report,
}

impl Modes<'_> {
    /// Compares all ways with the plain one.
    pub fn compare(&self, seed: u64, thoroughness: Thoroughness) {
        let all = match thoroughness {
            Thoroughness::Few => false,
            Thoroughness::ByTurns => seed.is_multiple_of(25),
            Thoroughness::All => true,
        };
        if all {
            self.limits_agree(seed);
        }
        for until in [Until::End, Until::FirstViolation] {
            // Whatever finds states again, and however many threads do: the order decides.
            let mut depth_first: Option<Report> = None;
            for (turn, mode) in (seed..).zip(self.modes()) {
                let taken = match thoroughness {
                    Thoroughness::Few => turn % 4 == 0,
                    Thoroughness::ByTurns => until == Until::End || turn % 2 == 0,
                    Thoroughness::All => true,
                };
                if !(all || taken) {
                    continue;
                }
                let by_turns = 1 + turn % 3;
                for threads in (1..=3).filter(|threads| all || *threads == by_turns) {
                    let report = self.run(mode, threads as usize, until);
                    match (mode.storage, mode.order) {
                        (Storage::Fingerprints, _) => self.fingerprints_agree(report, until),
                        (_, Order::BreadthFirst) => {
                            assert_eq!(report, *self.plain(until), "{mode:?}");
                        }
                        (_, Order::DepthFirst) => match &depth_first {
                            Some(first) => assert_eq!(report, *first, "{mode:?}"),
                            None => {
                                self.depth_first_agrees(&report, until);
                                depth_first = Some(report);
                            }
                        },
                    }
                }
            }
        }
    }

    /// The ways in which states can be kept.
    fn modes(&self) -> impl Iterator<Item = Mode> {
        let is_a_word = self.oracle.refinement.concrete.packing.is_a_word();
        let is_refused = move |mode: &Mode| is_a_word && mode.storage == Storage::Fingerprints;
        MODES.into_iter().filter(move |mode| !is_refused(mode))
    }

    /// A search that a limit ends has seen the same, whatever it keeps.
    fn limits_agree(&self, seed: u64) {
        let oracle = self.oracle;
        let all = oracle.states.len() as u64;
        let most = 1 + seed % (all + 1);
        let depth = (seed % (u64::from(oracle.depth()) + 2)) as u32;
        let deeper = oracle.depths.iter().any(|at| *at >= depth);
        let near = oracle.depths.iter().filter(|at| **at <= depth).count() as u64;
        let of_nearer = oracle.depths.iter().zip(&oracle.steps);
        let of_nearer = of_nearer.filter(|(at, _)| **at < depth);
        let transitions: usize = of_nearer.map(|(_, steps)| steps.len()).sum();
        let mut plain: [Option<Report>; 2] = [None, None];
        for (turn, mode) in (seed..).zip(self.modes()) {
            let run = |limits| {
                let threads = 1 + (turn % 3) as usize;
                self.run_within(limits, mode, threads, Until::End)
            };
            let by_states = run(Limits {
                states: Some(most),
                ..Limits::default()
            });
            assert_eq!(by_states.states, all.min(most), "{mode:?}");
            let limit = (all > most).then_some(Limit::States(most));
            assert_eq!(by_states.limit, limit, "{mode:?}");
            if mode.order == Order::DepthFirst {
                continue;
            }
            let by_depth = run(Limits {
                depth: Some(depth),
                ..Limits::default()
            });
            assert_eq!(by_depth.limit, deeper.then_some(Limit::Depth(depth)));
            assert_eq!(by_depth.states, near);
            assert_eq!(by_depth.transitions, transitions as u64);
            for (plain, report) in plain.iter_mut().zip([by_states, by_depth]) {
                let plain = plain.get_or_insert_with(|| report.clone());
                if mode.storage != Storage::Fingerprints {
                    assert_eq!(report, *plain, "{mode:?}");
                }
                assert_eq!(report.transitions, plain.transitions, "{mode:?}");
                assert_eq!(report.depth, plain.depth, "{mode:?}");
            }
        }
    }

    fn run(&self, mode: Mode, threads: usize, until: Until) -> Report {
        self.run_within(Limits::default(), mode, threads, until)
    }

    fn run_within(&self, limits: Limits, mode: Mode, threads: usize, until: Until) -> Report {
        let settings = Settings {
            threads,
            until,
            limits,
            storage: mode.storage,
            order: mode.order,
            ..Settings::default()
        };
        let report = check(self.oracle.refinement, &settings);
        timeless(report.expect("the refinement does not contradict itself"))
    }

    fn plain(&self, until: Until) -> &Report {
        match until {
            Until::End => self.to_the_end,
            Until::FirstViolation => self.to_the_first,
        }
    }

    /// Fingerprints say what whole states say, but for what they refuse.
    fn fingerprints_agree(&self, report: Report, until: Until) {
        let plain = self.plain(until);
        let mut expected = plain.clone();
        expected.warnings.clone_from(&report.warnings);
        assert_eq!(report.obligations.len(), expected.obligations.len());
        for (row, expected) in report.obligations.iter().zip(&mut expected.obligations) {
            let note = row.note.as_deref().unwrap_or_default();
            let refused = match row.name.split(':').next() {
                Some("environment") => {
                    let asked = expected.verdict != Verdict::NoneDeclared;
                    let simulated = self.simulated(plain);
                    if asked && simulated {
                        assert!(note.contains("fingerprints may leave states out"), "{note}");
                    }
                    asked && simulated
                }
                // What the specification could do is looked for only if something is missing.
                Some("coverage") => note.contains("fingerprints keep none"),
                _ => false,
            };
            if refused {
                assert_eq!((row.verdict, row.checked), (Verdict::Incomplete, 0));
                assert_eq!(row.counterexamples, []);
                *expected = row.clone();
            }
        }
        conclude(&mut expected);
        let states = plain.states as f64;
        let pairs = states * (states - 1.0).max(0.0) / 2.0;
        expected.omission_probability = Some(pairs / 2f64.powi(64));
        assert_eq!(report, expected);
    }

    fn simulated(&self, report: &Report) -> bool {
        let simulation = row_of(report, "simulation");
        simulation.verdict != Verdict::Violated
    }

    /// Depth first the same is true, and what is wrong may be shown by more steps.
    fn depth_first_agrees(&self, report: &Report, until: Until) {
        let plain = self.to_the_end;
        show(self.oracle, report);
        let complete = until == Until::End || self.to_the_first == plain;
        if complete {
            assert!(report.depth >= plain.depth);
            let mut expected = plain.clone();
            expected.depth = report.depth;
            expected.obligations.clone_from(&report.obligations);
            conclude(&mut expected);
            // What is told of the environment rests on the complete graph.
            let mut found = report.clone();
            for report in [&mut found, &mut expected] {
                let of_environment = |warning: &Warning| warning.about == About::Environment;
                report.warnings.retain(|warning| !of_environment(warning));
            }
            assert_eq!(found, expected);
        } else {
            assert_eq!(report.verdict, Some(Verdict::Violated));
            assert_eq!(report.initial_states, plain.initial_states);
            assert!(report.states <= plain.states && report.transitions <= plain.transitions);
        }
        for (row, plain) in report.obligations.iter().zip(&plain.obligations) {
            assert_eq!(row.name, plain.name);
            let environment = row.name.starts_with("environment")
                && plain.verdict != Verdict::NoneDeclared
                && self.simulated(report);
            if environment {
                let note = row.note.as_deref().unwrap_or_default();
                assert_eq!((row.verdict, row.checked), (Verdict::Incomplete, 0));
                assert!(note.contains("breadth-first order only"), "{note}");
            } else if complete {
                assert_eq!((row.verdict, row.checked), (plain.verdict, plain.checked));
                assert_eq!(row.counterexamples.len(), plain.counterexamples.len());
            } else if row.verdict != Verdict::Incomplete {
                assert_eq!(row.verdict, plain.verdict);
            }
            assert!(fate(row).length.is_none() || fate(row).length >= fate(plain).length);
        }
    }
}

/// The verdict, and what it rests on, of a finished check with these rows.
fn conclude(report: &mut Report) {
    let rows = &report.obligations;
    let any = |verdict| rows.iter().any(|row| row.verdict == verdict);
    let fates: Vec<_> = rows
        .iter()
        .map(|row| (row.name.clone(), fate(row)))
        .collect();
    let untested = any(Verdict::Incomplete) || super::all_untested(&fates);
    report.verdict = Some(match (any(Verdict::Violated), untested) {
        (true, _) => Verdict::Violated,
        (false, true) => Verdict::Incomplete,
        (false, false) => Verdict::Holds,
    });
    let shown = rows.iter().flat_map(|row| row.counterexamples.first());
    let first = shown.min_by_key(|shown| (shown.obligation == "coverage", shown.length));
    report.counterexample = first.cloned();
}
