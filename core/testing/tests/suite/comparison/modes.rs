//! Every way to run an exhaustive check: what is said is the same, however states are kept.

use refmap::explore::{Limit, Limits, Storage};
use refmap::obligation::Until;
use refmap::{Report, Settings, check};
use refmap_testing::{up_to_depth, up_to_states};

use super::timeless;
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

/// The ways to keep states.
const STORAGES: [Storage; 2] = [Storage::Packed, Storage::Whole];

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
            for (turn, storage) in (seed..).zip(STORAGES) {
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
                    let report = self.run(Limits::default(), storage, threads as usize, until);
                    assert_eq!(report, *self.plain(until), "{storage:?}");
                }
            }
        }
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
        for (turn, storage) in (seed..).zip(STORAGES) {
            let run = |limits| {
                let threads = 1 + (turn % 3) as usize;
                self.run(limits, storage, threads, Until::End)
            };
            let by_states = run(up_to_states(most));
            assert_eq!(by_states.states, all.min(most), "{storage:?}");
            let limit = (all > most).then_some(Limit::States(most));
            assert_eq!(by_states.limit, limit, "{storage:?}");
            let by_depth = run(up_to_depth(depth));
            assert_eq!(by_depth.limit, deeper.then_some(Limit::Depth(depth)));
            assert_eq!(by_depth.states, near);
            assert_eq!(by_depth.transitions, transitions as u64);
            for (plain, report) in plain.iter_mut().zip([by_states, by_depth]) {
                let plain = plain.get_or_insert_with(|| report.clone());
                assert_eq!(report, *plain, "{storage:?}");
            }
        }
    }

    fn run(&self, limits: Limits, storage: Storage, threads: usize, until: Until) -> Report {
        let settings = Settings {
            threads,
            until,
            limits,
            storage,
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
}
