//! Systems with any number of members: what holds for every number, what is not known, and what the ordinary search says of a few.

use refmap::crowd::CrowdRefinement;
use refmap::obligation::{CheckError, Selection, Until};
use refmap::{Report, Search, Settings, Verdict, check};
use refmap_programs::MemoryModel;
use refmap_refinements::CheckedCrowd;
use refmap_refinements::ben_ari::AnyMutators;
use refmap_refinements::locks::{AnySpinLock, LockRefinement};
use refmap_refinements::stacks::TreiberRefinement;
use refmap_systems::ben_ari::{Look, Midway, MutatorOrder, Scope};
use refmap_systems::locks::spin::SpinFence;
use refmap_systems::locks::szymanski::{Omits, Szymanski};
use refmap_systems::locks::test_and_set::{Takes, TestAndSet};
use refmap_systems::locks::ticket::{Counters, TicketLock};
use refmap_systems::stacks::treiber::{Reuses, Treiber};

/// A crowd whose checker is compiled in the library, where it is optimised.
trait Asked: CheckedCrowd + Clone {
    /// The check of every number of members.
    fn asked(&self, views: Option<usize>) -> Result<Report, CheckError> {
        let settings = Settings {
            search: Search::AnyNumber { views },
            ..Settings::default()
        };
        self.clone().into_checker(1).check(&settings)
    }

    /// The check of the instance with so many members.
    fn with(&self, members: usize) -> Report {
        let checker = self.clone().into_checker(members);
        let report = checker.check(&Settings::default());
        report.expect("it can be checked")
    }
}

impl<C: CheckedCrowd + Clone> Asked for C {}

fn asked(crowd: &impl Asked, views: Option<usize>) -> Report {
    crowd.asked(views).expect("it is a crowd")
}

/// Asserts that a crowd holds for every number, and with one to `most` members.
fn assert_holds(crowd: &impl Asked, views: usize, most: usize) {
    let report = asked(crowd, None);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let found = report.every_number.expect("it is asked for");
    assert_eq!(found.view_members, views);
    for members in 1..=most {
        let report = crowd.with(members);
        assert_eq!(report.violated().count(), 0, "{members}: {report}");
        assert!(report.complete);
    }
}

/// Asserts that a crowd fails with so many members, and with no fewer, and that this is said of it whatever views are asked for.
fn assert_fails(crowd: &impl Asked, members: usize) {
    for fewer in 1..=members {
        let report = crowd.with(fewer);
        let fails = report.violated().next() == Some("simulation");
        assert_eq!(fails, fewer == members, "{fewer}: {report}");
    }
    for views in [None, Some(members), Some(members + 1)] {
        let report = asked(crowd, views);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert_eq!(shown.obligation, "simulation");
    }
    let found = asked(crowd, Some(members)).every_number;
    let found = found.expect("it is asked for");
    assert_eq!(found.failed_with, Some(members));
}

#[test]
fn a_flag_that_is_tested_and_set_at_once_excludes_any_number() {
    let lock = |takes| LockRefinement(TestAndSet { takes });
    assert_holds(&lock(Takes::AtOnce), 2, 5);
    assert_fails(&lock(Takes::InTwoSteps), 2);
}

/// A lock of a flag under memory models: of any number of threads it is safe where it is with three, and that takes a fence where stores may be reordered.
fn assert_a_flag_excludes(models: &[MemoryModel]) {
    let all = [SpinFence::None, SpinFence::Release];
    let mut safe = Vec::new();
    for &model in models {
        for fences in all {
            let crowd = AnySpinLock { model, fences };
            let with_three = crowd.with(3);
            let report = asked(&crowd, None);
            let holds = report.verdict == Some(Verdict::Holds);
            assert_eq!(
                holds,
                with_three.violated().count() == 0,
                "{model} {fences:?}: {report}"
            );
            if holds {
                // A rule is one of all threads, whichever of them views put first.
                assert!(report.unexercised.is_empty(), "{report}");
                safe.push((model, fences));
            } else {
                assert_eq!(report.verdict, Some(Verdict::Violated));
                assert_fails(&crowd, 2);
            }
        }
    }
    // Where stores are in order none is asked for.
    let in_order = |model| [MemoryModel::Sc, MemoryModel::Tso].contains(&model);
    let pairs = models.iter();
    let pairs = pairs.flat_map(|model| all.map(|fences| (*model, fences)));
    let expected =
        pairs.filter(|(model, fences)| in_order(*model) || *fences == SpinFence::Release);
    let expected: Vec<_> = expected.collect();
    assert_eq!(safe, expected);
}

/// One that has stores in order, and one that has not.
#[test]
fn a_flag_excludes_any_number_under_memory_models() {
    assert_a_flag_excludes(&[MemoryModel::Sc, MemoryModel::RmoNo]);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_a_flag_excludes_any_number_under_every_memory_model() {
    assert_a_flag_excludes(&MemoryModel::ALL);
}

#[test]
fn tickets_without_end_exclude_any_number() {
    let lock = |counters| LockRefinement(TicketLock { counters });
    let report = asked(&lock(Counters::Unbounded), None);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Safe for two threads, and not for three.
    assert_fails(&lock(Counters::Bits), 3);
}

/// That there is someone who closes the door is kept with the views that leave it out.
#[test]
fn a_waiting_room_excludes_any_number() {
    let lock = |omits| LockRefinement(Szymanski { omits });
    assert_holds(&lock(Omits::Nothing), 2, 3);
    for omits in [Omits::Lower, Omits::Higher] {
        assert_fails(&lock(omits), 2);
    }
}

/// Ben-Ari's collector with mutators of an order, which are looked at where they are midway, or not.
fn collector(scope: Scope, mutator: MutatorOrder, look: Option<Look>) -> AnyMutators {
    AnyMutators::new(Scope {
        mutator,
        midway: look.map_or(Midway::Ignored, |_| Midway::Coloured),
        look: look.unwrap_or(scope.look),
        ..scope
    })
}

/// A repair whose invariants speak of one mutator at a time.
fn coloured_before(scope: Scope) -> AnyMutators {
    let look = Some(Look::BeforeScanning);
    collector(scope, MutatorOrder::ColouredBefore, look)
}

#[test]
fn a_collector_that_looks_before_it_scans_takes_any_number_of_mutators() {
    for scope in [Scope::new(2, 1, 1), Scope::new(2, 2, 1)] {
        assert_holds(&coloured_before(scope), 1, 2);
    }
}

#[test]
#[ignore = "a minute"]
fn slow_a_collector_of_three_nodes_takes_any_number_of_mutators() {
    for scope in [Scope::new(3, 1, 1), Scope::new(3, 1, 2)] {
        assert_holds(&coloured_before(scope), 1, 2);
    }
}

/// The other repair holds where two nodes have a cell each. Beyond, one mutator's mistake is another one's to mend, and views do not tell of it.
#[test]
fn that_another_mutator_will_colour_something_views_do_not_tell() {
    let order = MutatorOrder::Announced;
    let look = Some(Look::OneByOne);
    assert_holds(&collector(Scope::new(2, 1, 1), order, look), 1, 2);
    let report = asked(&collector(Scope::new(2, 2, 1), order, look), None);
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    let shown = report.counterexample.as_ref().expect("it is shown");
    assert!(shown.by_views, "{report}");
    assert_eq!(shown.obligation, "invariant:uncoloured_count_has_no_bw");
}

/// The order of the paper, and a repair without one of its parts.
fn assert_unsafe_with_several_mutators(scopes: &[Scope]) {
    for scope in scopes {
        for (order, look) in [
            (MutatorOrder::RedirectFirst, None),
            (MutatorOrder::ColourFirst, None),
            (MutatorOrder::Announced, None),
            (MutatorOrder::Unchecked, Some(Look::OneByOne)),
        ] {
            let crowd = collector(*scope, order, look);
            for views in [None, Some(1)] {
                let report = asked(&crowd, views);
                assert_ne!(report.verdict, Some(Verdict::Holds), "{report}");
            }
        }
    }
}

#[test]
fn what_is_unsafe_with_several_mutators_never_holds() {
    assert_unsafe_with_several_mutators(&[Scope::new(2, 1, 1)]);
}

/// Figures of a check: the sizes, and the obligations that are violated.
fn told(report: &Report) -> (u64, u64, Vec<String>) {
    let violated = report.violated().map(str::to_owned).collect();
    (report.states, report.transitions, violated)
}

/// The instances of the crowd are the composed refinement of so many mutators, whenever and however the collector looks at these.
#[test]
fn mutators_of_a_crowd_are_those_of_an_instance() {
    let scope = Scope::new(2, 1, 1);
    let of_paper = [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst];
    let ignored = of_paper.map(|mutator| Scope { mutator, ..scope });
    let all = [Midway::Coloured, Midway::Awaited].into_iter();
    let all = all.flat_map(|midway| {
        [
            Look::OneByOne,
            Look::AtOnce,
            Look::BeforeScanning,
            Look::AfterCounting,
        ]
        .into_iter()
        .flat_map(move |look| {
            [
                MutatorOrder::RedirectFirst,
                MutatorOrder::Announced,
                MutatorOrder::ColouredBefore,
            ]
            .map(|mutator| Scope {
                mutator,
                midway,
                look,
                ..scope
            })
        })
    });
    let settings = Settings {
        obligations: Selection::only(["observation", "initiality", "simulation", "agency"]),
        until: Until::End,
        ..Settings::default()
    };
    let mut failing = 0;
    for scope in ignored.into_iter().chain(all) {
        let crowd = AnyMutators::new(scope);
        for mutators in 1..=2 {
            let plain = crowd.clone().into_checker(mutators).check(&settings);
            let plain = plain.expect("it can be checked");
            let derived = check(&crowd.of(mutators), &settings).expect("it can be checked");
            assert_eq!(
                told(&plain),
                told(&derived),
                "{scope:?} {mutators}: {plain}{derived}"
            );
            failing += usize::from(plain.violated().count() > 0);
        }
    }
    assert!(failing > 0);
    // Of three, with all that is claimed of one.
    let crowd = coloured_before(scope);
    let [plain, derived] = [
        crowd.with(3),
        check(&crowd.of(3), &Settings::default()).expect("it can be checked"),
    ];
    assert_eq!(told(&plain), told(&derived), "{plain}{derived}");
    assert_eq!(plain.verdict, Some(Verdict::Holds), "{plain}");
}

/// As above, of threads under a memory model.
#[test]
fn threads_of_a_crowd_are_those_of_a_program() {
    for model in [MemoryModel::Tso, MemoryModel::RmoNo] {
        for fences in [SpinFence::None, SpinFence::Release] {
            let crowd = AnySpinLock { model, fences };
            for threads in 1..=3 {
                let plain = crowd.with(threads);
                let derived = check(&crowd.threads().of(threads), &Settings::default());
                let derived = derived.expect("it can be checked");
                assert_eq!(told(&plain), told(&derived), "{plain}{derived}");
                assert_eq!(plain.verdict, derived.verdict);
                // What is doubtful of a program is so of its one thread.
                let doubts = |report: &Report| report.warnings.len();
                assert_eq!(doubts(&plain) > 0, doubts(&derived) > 0, "{plain}{derived}");
            }
        }
    }
}

#[test]
#[ignore = "some ten seconds"]
fn slow_what_is_unsafe_with_several_mutators_never_holds_of_more_nodes() {
    let scopes = [(2, 2, 1), (3, 1, 1), (3, 1, 2)];
    let scopes = scopes.map(|(nodes, sons, roots)| Scope::new(nodes, sons, roots));
    assert_unsafe_with_several_mutators(&scopes);
}

#[test]
fn a_stack_takes_any_number_of_threads() {
    let stack = |reuses| TreiberRefinement(Treiber { nodes: 2, reuses });
    assert_holds(&stack(Reuses::Unreferenced), 1, 2);
    assert_fails(&stack(Reuses::Freed), 2);
}

#[test]
#[ignore = "a minute"]
fn slow_a_stack_of_three_nodes_takes_any_number_of_threads() {
    let stack = Treiber {
        nodes: 3,
        reuses: Reuses::Unreferenced,
    };
    assert_holds(&TreiberRefinement(stack), 1, 2);
}
