//! Ben-Ari's collector: the composition against its ends, the specification in its two forms, and
//! the invariants against the obligations that they are for.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::obligation::{Checkable, Checker, Liveness, Selection, Settings, Until};
use refmap::{Invariant, Process, Refinement, Report, Verdict, check, compose};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3, composed};
use refmap_systems::ben_ari::level_3::{Action, State};
use refmap_systems::ben_ari::{
    AppendToFree, CollectorFairness, Level0, Level3, Memory, MutatorAction, MutatorOrder, Scope,
    Step, level_0, process,
};

use crate::decide;

/// Level 3 as a direct refinement of the specification, without the levels between.
struct Direct {
    implementation: Level3,
    specification: Level0,
    mutators: [Process; 1],
}

impl Direct {
    fn new(scope: Scope, append: AppendToFree) -> Self {
        Self {
            implementation: Level3::new(scope),
            specification: Level0 { scope, append },
            mutators: [process::mutator(0, 1)],
        }
    }
}

impl Refinement for Direct {
    type Implementation = Level3;
    type Specification = Level0;

    fn implementation(&self) -> &Level3 {
        &self.implementation
    }

    fn specification(&self) -> &Level0 {
        &self.specification
    }

    fn map(&self, state: &State) -> Memory {
        state.shared.m
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Step<Action>,
        _: &State,
    ) -> AbstractSteps<level_0::Action> {
        match *action {
            Step::Mutator(MutatorAction::Mutate { mutator, n, i, k }) => {
                One(level_0::Action::Mutate { mutator, n, i, k })
            }
            Step::Collector(Action::AppendWhite) => {
                One(level_0::Action::Append { n: from.shared.l })
            }
            _ => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<Level3>> {
        Vec::new()
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    fn at_rest(&self, state: &State, _: Process) -> bool {
        state.shared.at_rest(0)
    }
}

/// [Appendix B.3, `ref`] The composed refinement and one stated between its ends agree, obligation
/// by obligation and test by test.
#[test]
fn the_composition_agrees_with_its_ends() {
    for (nodes, sons, roots) in [(2, 1, 1), (2, 2, 1), (3, 1, 1)] {
        let scope = Scope::new(nodes, sons, roots);
        let ends = Direct::new(scope, AppendToFree::Axiom);
        let ends = check(&ends, &Settings::default()).unwrap();
        let composed = decide(&*composed(scope).checker(), &Settings::default());
        assert_eq!(ends.verdict, Some(Verdict::Holds));
        assert_eq!(composed.verdict, Some(Verdict::Holds));
        assert_eq!(
            (ends.states, ends.transitions),
            (composed.states, composed.transitions)
        );
        for row in &ends.obligations {
            assert_eq!(Some(row), composed.obligation(&row.name));
        }
    }
}

/// The specification leaves the result of an append open; the algorithm also refines the narrower
/// one that demands the free list (deviation D5 hides nothing here).
#[test]
fn the_algorithm_refines_the_free_list_too() {
    for (nodes, sons, roots) in [(2, 1, 1), (2, 2, 1), (3, 1, 1), (3, 1, 2)] {
        let refinement = Direct::new(Scope::new(nodes, sons, roots), AppendToFree::FreeList);
        let report = check(&refinement, &Settings::default()).unwrap();
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}

/// Several mutators only break level 3: the other two do not depend on the mutator being alone.
#[test]
fn levels_1_and_2_hold_with_two_mutators() {
    let scope = Scope {
        mutators: 2,
        ..Scope::new(2, 2, 1)
    };
    let settings = Settings::default();
    for report in [
        decide(&*Refinement1::new(scope).checker(), &settings),
        decide(&*Refinement2::new(scope).checker(), &settings),
    ] {
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}

/// The number of threads changes nothing but the time, in a check that holds and in two that do not.
#[test]
fn threads_change_no_verdict_no_count_and_no_counterexample() {
    use refmap_systems::ben_ari::Figure14;
    let scopes = [
        Scope::new(3, 1, 1),
        Scope {
            figure_14: Figure14::AsPrinted,
            ..Scope::new(3, 1, 1)
        },
        Scope {
            mutators: 2,
            mutator: MutatorOrder::ColourFirst,
            ..Scope::new(2, 1, 1)
        },
    ];
    for scope in scopes {
        for until in [Until::FirstViolation, Until::End] {
            let run = |threads| {
                let settings = Settings {
                    threads,
                    until,
                    ..Settings::default()
                };
                let mut report = decide(&*Refinement3::new(scope).checker(), &settings);
                // What may differ.
                (report.seconds, report.peak_memory_bytes, report.threads) = (0.0, 0, 0);
                report
            };
            let alone = run(1);
            for threads in [2, 3, 7] {
                assert_eq!(alone, run(threads));
            }
        }
    }
}

/// [Section 6.3.2] The two invariants that the paper names are what simulation needs: where
/// simulation fails, one of them failed before.
#[test]
fn a_failed_simulation_is_announced_by_the_paper_s_invariants() {
    let scope = Scope {
        mutators: 2,
        ..Scope::new(3, 1, 1)
    };
    let settings = Settings {
        until: Until::End,
        obligations: Selection::only(["simulation", "invariant:no_bw_at_quit"]),
        ..Settings::default()
    };
    let report = decide(&*Refinement3::new(scope).checker(), &settings);
    let length = |name| report.obligation(name).unwrap().counterexamples[0].length;
    assert_eq!(length("invariant:no_bw_at_quit") + 1, length("simulation"));
}

/// Level 2 collects all garbage, composed with the first refinement; level 1 alone need not. A second mutator
/// changes nothing.
#[test]
fn garbage_is_collected_in_the_end_below_level_1() {
    let of = |scope: Scope| compose(Refinement1::new(scope), Refinement2::new(scope));
    for mutators in [1, 2] {
        let scope = Scope {
            mutators,
            ..Scope::new(3, 1, 1)
        };
        let report = with_liveness(&Checker::new(&of(scope)));
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    let unfair = Scope {
        fairness: CollectorFairness::None,
        ..Scope::new(3, 1, 1)
    };
    for report in [
        with_liveness(&Checker::new(&of(unfair))),
        with_liveness(&*Refinement1::new(Scope::new(3, 1, 1)).checker()),
    ] {
        let violated: Vec<_> = report.violated().collect();
        for name in ["fairness:collector", "leads-to:collected(1)"] {
            assert!(violated.contains(&name), "{report}");
        }
    }
}

/// The fault of the refuted order is what it collects, not what it leaves.
#[test]
fn the_refuted_order_collects_all_garbage_too() {
    let scope = Scope {
        mutator: MutatorOrder::ColourFirst,
        ..Scope::new(3, 1, 1)
    };
    let report = with_liveness(&*composed(scope).checker());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

fn with_liveness(checker: &dyn Checkable) -> Report {
    let settings = Settings {
        obligations: Selection::only(["simulation"]),
        liveness: Liveness::Included,
        ..Settings::default()
    };
    decide(checker, &settings)
}
