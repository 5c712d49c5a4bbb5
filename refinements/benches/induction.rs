//! Induction by sampling: how long it takes to find a counterexample where an invariant of Ben-Ari's levels is left out.
//!
//! `cargo bench -p refmap-refinements --bench induction [-- SEED]`. Each invariant that is needed is left out in turn, at (3, 1, 1) nodes,
//! sons and roots and at (5, 2, 2). It ends with an error if one is not found, or all
//! draws take more than ten seconds.

#![allow(clippy::print_stdout, missing_docs)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use refmap::obligation::{Checker, Induction, Search, Selection, Settings};
use refmap::random::{Samples, Walks};
use refmap::{Refinement, TypeCorrect};
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3};
use refmap_systems::ben_ari::Scope;
use refmap_testing::WithInvariants;

/// Time within which a counterexample is to be found.
const BAR: Duration = Duration::from_secs(10);
/// Draws of each.
const SAMPLES: u64 = 100_000;
/// The invariant that the others imply, so that nothing is to be found without it [Appendix B.2].
const IMPLIED: &str = "inv1";

/// The draws of a run.
struct Draws {
    seed: u64,
    missed: u64,
}

impl Draws {
    /// Leaves out each invariant of a level in turn.
    fn leave_out<R>(&mut self, level: &str, size: &str, new: impl Fn() -> R)
    where
        R: Refinement<Implementation: TypeCorrect>,
    {
        for (place, invariant) in new().invariants().iter().enumerate() {
            let name = invariant.name();
            if name == IMPLIED {
                continue;
            }
            let lacking = WithInvariants::new(new(), |invariants| {
                invariants.remove(place);
            });
            let settings = Settings {
                obligations: Selection::only(["inductive"]),
                induction: Induction::Sampled(Samples {
                    samples: SAMPLES,
                    seed: self.seed,
                }),
                search: Search::Walks(Walks {
                    walks: 100,
                    steps: 1000,
                    seed: self.seed,
                }),
                ..Settings::default()
            };
            let started = Instant::now();
            let report = Checker::new(&lacking).inductive().check(&settings);
            let elapsed = started.elapsed();
            let report = report.expect("the settings fit");
            let is_found = report.violated().next().is_some();
            let told = if !is_found {
                "  not found"
            } else if elapsed > BAR {
                "  too late"
            } else {
                ""
            };
            self.missed += u64::from(!told.is_empty());
            let seconds = elapsed.as_secs_f64();
            println!("{level}  {size}  {name:32}  {seconds:6.2} s{told}");
        }
    }
}

fn main() -> ExitCode {
    let mut given = std::env::args().filter_map(|argument| argument.parse().ok());
    let mut draws = Draws {
        seed: given.next_back().unwrap_or(0),
        missed: 0,
    };
    for (nodes, sons, roots) in [(3, 1, 1), (5, 2, 2)] {
        let scope = Scope::new(nodes, sons, roots);
        let size = format!("({nodes}, {sons}, {roots})");
        draws.leave_out("level 1", &size, || Refinement1::new(scope));
        draws.leave_out("level 2", &size, || Refinement2::new(scope));
        draws.leave_out("level 3", &size, || Refinement3::new(scope));
    }
    if draws.missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
