//! A check of the states that a limit leaves, against one of all states.

use refmap::obligation::Until;
use refmap::{Settings, Verdict};
use refmap_testing::{checked, row_of, up_to_states};

use super::{Case, run, show};
use crate::oracle::Oracle;
use crate::table::random::{Size, draw};

/// Counts of environment obligations, as decided on parts of the cases' graphs.
#[derive(Debug, Default)]
pub struct Parts {
    /// Violations of the whole graph that a part shows.
    pub shown: u64,
    /// Those that it does not.
    pub hidden: u64,
    /// Obligations that neither the whole graph nor a part violates.
    pub open: u64,
}

/// Compares what `environment` says after each number of states to what it says in the end.
pub fn compare_part(seed: u64, parts: &mut Parts) {
    let refinement = &draw(seed, Size::Small);
    let _case = Case(seed, refinement);
    let oracle = &Oracle::new(refinement);
    let whole = run(refinement, 1, Until::End);
    let simulated = whole.obligation("simulation").map(|row| row.verdict) == Some(Verdict::Holds);
    if oracle.has_idle_process() || !simulated {
        return;
    }
    for states in 1..whole.states {
        let settings = Settings {
            threads: 1 + states as usize % 3,
            until: Until::End,
            limits: up_to_states(states),
            ..Settings::default()
        };
        let part = checked(refinement, &settings);
        assert!(part.limit.is_some());
        show(oracle, &part);
        let rows = part.obligations.iter();
        for row in rows.filter(|row| row.name.starts_with("environment:")) {
            let of_whole = row_of(&whole, &row.name);
            match (row.verdict, of_whole.verdict) {
                (Verdict::Violated, Verdict::Violated) => {
                    let [here, there] = [row, of_whole].map(|row| row.counterexamples[0].length);
                    assert!(here >= there, "{part}");
                    parts.shown += 1;
                }
                (Verdict::Incomplete, Verdict::Violated) => parts.hidden += 1,
                (Verdict::Incomplete, _) => parts.open += 1,
                (verdict, _) => panic!("{verdict:?} after {states} states: {part}"),
            }
        }
    }
}
