//! Searches that a limit ends, wherever it falls: what was seen is told, and no more than was seen.

use std::time::Duration;

use refmap::explore::{Limit, Limits};
use refmap::{Report, Settings, Verdict};
use refmap_testing::{Random, row_of, up_to_depth, up_to_seconds, up_to_states};

use super::{Way, Weave, fates, of_states_and_steps, run, ways};
use crate::comparison::fate;
use crate::oracle::{Fate, Oracle};

/// Ends searches of a web by each limit in turn.
pub fn compare_limits(refinement: &Weave, oracle: &Oracle<'_, Weave>, seed: u64) {
    let rng = &mut Random(seed);
    let fates = fates(oracle);
    let all = oracle.states.len();
    for way in ways(seed as usize).skip(seed as usize % 3).step_by(2) {
        let case = Case {
            refinement,
            oracle,
            fates: &fates,
            way,
        };
        case.by_states(1 + rng.below(all + 1));
        case.by_depth(rng.below(oracle.depth() as usize + 2) as u32);
        case.by_cancellation(rng.below(all + 2) as u64);
        if seed.is_multiple_of(16) {
            case.by_time(1 + rng.below(all) as u64);
        }
    }
}

struct Case<'a> {
    refinement: &'a Weave,
    oracle: &'a Oracle<'a, Weave>,
    fates: &'a [(String, Fate)],
    way: Way,
}

impl Case<'_> {
    fn run_within(&self, limits: Limits) -> Report {
        let settings = Settings {
            limits,
            ..of_states_and_steps()
        };
        run(self.refinement, self.way, settings)
    }

    /// The states reached are as many as the limit allows, the first ones.
    fn by_states(&self, most: usize) {
        let report = self.run_within(up_to_states(most as u64));
        let all = self.oracle.states.len();
        // A limit that falls among the initial states leaves some of them out.
        let limit = (all > most).then_some(Limit::States(most as u64));
        assert_eq!(report.limit, limit, "{:?}", self.way);
        assert_eq!(report.states, all.min(most) as u64, "{:?}", self.way);
        self.is_sound(&report);
        let seen = all.min(most);
        self.tells_of_states(&report, |number| number < seen);
    }

    /// No state beyond the depth is reached, and all states up to it are.
    fn by_depth(&self, depth: u32) {
        let report = self.run_within(up_to_depth(depth));
        assert!(
            report.depth <= depth,
            "{} > {depth}, {:?}",
            report.depth,
            self.way
        );
        self.is_sound(&report);
        let beyond = self.oracle.depth() > depth;
        if beyond {
            assert_eq!(report.limit, Some(Limit::Depth(depth)), "{:?}", self.way);
        }
        let depths = &self.oracle.depths;
        let near = depths.iter().filter(|at| **at <= depth).count() as u64;
        assert_eq!(report.states, near, "{:?}", self.way);
        self.tells_of_states(&report, |number| depths[number] <= depth);
        self.tells_of_steps(&report, |number| depths[number] < depth);
    }

    /// Cancelled when `next` has been asked so often, a search forgets the wave that it was in and tells of the rest.
    fn by_cancellation(&self, after: u64) {
        let refinement = Weave {
            concrete: self.refinement.concrete.cancelled_after(after),
            ..self.refinement.clone()
        };
        let report = run(&refinement, self.way, of_states_and_steps());
        let cut_short = report.limit.is_some();
        if cut_short {
            assert_eq!(report.limit, Some(Limit::Cancelled), "{:?}", self.way);
        } else {
            let fuse = refinement.concrete.fuse.as_ref().expect("it has one");
            let blown = fuse.blown.load(std::sync::atomic::Ordering::Relaxed);
            // What is cancelled with the last states may be done all the same.
            let all = self.oracle.states.len() as u64;
            assert!(
                !blown || after + 1100 > all,
                "{after} of {all}, {:?}",
                self.way
            );
        }
        self.is_sound(&report);
    }

    /// The time is up within a wave, when `next` has been asked so often; on a slow machine it may be earlier.
    fn by_time(&self, after: u64) {
        let time = Duration::from_millis(20);
        let refinement = Weave {
            concrete: self.refinement.concrete.sleeping_after(after, time),
            ..self.refinement.clone()
        };
        let settings = Settings {
            limits: up_to_seconds(time.as_secs_f64()),
            ..of_states_and_steps()
        };
        let report = run(&refinement, self.way, settings);
        if let Some(limit) = report.limit {
            assert_eq!(limit, Limit::Seconds(time.as_secs_f64()), "{:?}", self.way);
        }
        self.is_sound(&report);
    }

    /// Nothing is said that is not so, nothing is left open in a complete search, and whatever was reached was looked
    /// at: each state once, and each step counted.
    fn is_sound(&self, report: &Report) {
        let way = self.way;
        let complete = report.limit.is_none();
        for (row, (name, decided)) in report.obligations.iter().zip(self.fates) {
            // A shortest counterexample is among the first.
            assert_eq!(row.name, *name, "{way:?}");
            match row.verdict {
                Verdict::Violated => {
                    assert_eq!(decided.verdict, Verdict::Violated, "{name}, {way:?}");
                    assert_eq!(fate(row), *decided, "{name}, {way:?}");
                }
                Verdict::Holds => assert!(complete, "{name} holds, {way:?}: {report}"),
                other => assert_eq!((other, complete), (Verdict::Incomplete, false), "{way:?}"),
            }
            if complete {
                assert_eq!(row.verdict, decided.verdict, "{name}, {way:?}");
            }
        }
        let model = report.obligation("model").map(|row| row.verdict);
        assert!(report.obligations.len() >= 5 && model != Some(Verdict::Holds));
        let checked = |name: &str| {
            let row = row_of(report, name);
            row.checked
        };
        assert_eq!(checked("observation"), report.states, "{way:?}");
        assert_eq!(checked("invariant:sound"), report.states, "{way:?}");
        assert_eq!(checked("initiality"), report.initial_states, "{way:?}");
        assert_eq!(checked("simulation"), report.transitions, "{way:?}");
        let fired: u64 = report.coverage.iter().map(|row| row.fired).sum();
        assert_eq!(fired, report.transitions, "{way:?}");
        assert!(checked("deadlock") <= report.states, "{way:?}");
        if !complete {
            assert_ne!(report.verdict, Some(Verdict::Holds), "{way:?}");
        }
    }

    /// Of the states that were seen nothing is missed.
    fn tells_of_states(&self, report: &Report, seen: impl Fn(usize) -> bool) {
        let oracle = self.oracle;
        let fails: [(&str, &dyn Fn(usize) -> bool); 2] = [
            ("observation", &|number| oracle.misshown(number)),
            ("invariant:sound", &|number| {
                self.refinement.fails[oracle.states[number].0 as usize]
            }),
        ];
        for (name, fails) in fails {
            let expected = (0..oracle.states.len()).any(|number| seen(number) && fails(number));
            let row = row_of(report, name);
            assert_eq!(
                row.verdict == Verdict::Violated,
                expected,
                "{name}, {:?}",
                self.way
            );
        }
    }

    /// Of the steps of the states that were expanded nothing is missed.
    fn tells_of_steps(&self, report: &Report, expanded: impl Fn(usize) -> bool) {
        let oracle = self.oracle;
        let expanded: Vec<_> = (0..oracle.states.len()).filter(|s| expanded(*s)).collect();
        let wrong = |s: &usize| {
            let mut steps = oracle.steps[*s].iter();
            steps.any(|(action, to)| !oracle.simulated(*s, action, *to))
        };
        let steps: usize = expanded.iter().map(|s| oracle.steps[*s].len()).sum();
        assert_eq!(report.transitions, steps as u64, "{:?}", self.way);
        for (name, expected) in [
            ("simulation", expanded.iter().any(wrong)),
            ("deadlock", expanded.iter().any(|s| oracle.stuck(*s))),
        ] {
            let row = row_of(report, name);
            assert_eq!(
                row.verdict == Verdict::Violated,
                expected,
                "{name}, {:?}",
                self.way
            );
        }
    }
}
