//! The function lemmas hold, and need their premises.

mod cases;
mod seeded_bugs;

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use refmap::Action as _;
use refmap_systems::ben_ari::lemmas::{Case, Lemma, lemmas};
use refmap_systems::ben_ari::{
    Colours, Level1, Level2, Level3, Memory, NodeSet, Scope, Shape, Step,
};

/// NODES, SONS and ROOTS.
const SHAPES: [(u8, u8, u8); 6] = [
    (1, 1, 1),
    (2, 1, 1),
    (2, 1, 2),
    (2, 2, 1),
    (3, 1, 2),
    (3, 1, 1),
];

fn all_cases(shapes: &[(u8, u8, u8)]) -> impl Iterator<Item = Case> {
    shapes
        .iter()
        .flat_map(|&(nodes, sons, roots)| Case::all(Shape { nodes, sons, roots }))
}

fn small_cases() -> impl Iterator<Item = Case> {
    all_cases(&SHAPES)
}

/// Asserts that all lemmas hold of all `cases`, and that each says something about one of them.
fn assert_all_hold(cases: impl Iterator<Item = Case>) -> usize {
    let lemmas = lemmas();
    let mut exercised = vec![0u64; lemmas.len()];
    let mut count = 0;
    for case in cases {
        count += 1;
        for (lemma, exercised) in lemmas.iter().zip(&mut exercised) {
            assert!(lemma.holds(&case), "{} fails: {case:?}", lemma.name);
            *exercised += u64::from(lemma.applies(&case));
        }
    }
    assert_exercised(&lemmas, &exercised);
    count
}

fn assert_exercised(lemmas: &[Lemma], exercised: &[u64]) {
    for (lemma, exercised) in lemmas.iter().zip(exercised) {
        assert!(*exercised > 0, "{} was never exercised", lemma.name);
    }
}

/// The number is that of the module's head. The first ten are those that the paper prints.
#[test]
fn there_are_51_lemmas_with_different_names() {
    let lemmas = lemmas();
    let names: BTreeSet<_> = lemmas.iter().map(|lemma| lemma.name).collect();
    assert_eq!((lemmas.len(), names.len()), (51, 51));
    let printed: Vec<_> = lemmas.iter().take(10).map(|lemma| lemma.name).collect();
    assert_eq!(
        printed,
        [
            "mem_ax1",
            "mem_ax2",
            "append_ax",
            "accessible1",
            "blackened1",
            "blackened2",
            "blackened3",
            "blackened4",
            "blackened5",
            "blackened6",
        ]
    );
}

/// Uses of a lemma name existing rules, invariants and lemmas.
#[test]
fn every_use_is_of_something_that_exists() {
    let invariants = [
        "inv1",
        "inv2",
        "roots_below_k_black",
        "roots_black",
        "scanned_node_black",
        "old_count_is_a_lower_bound",
        "count_is_a_lower_bound",
        "old_count_is_at_most_the_new",
        "target_accessible",
        "bw_behind_scan_is_pending",
        "bw_behind_scan_has_one_ahead",
        "uncoloured_count_has_no_bw",
        "no_bw_at_quit",
        "blackened_from_l",
    ];
    let scope = Scope::new(2, 1, 1);
    let (level_1, level_2, level_3) = (Level1::new(scope), Level2::new(scope), Level3::new(scope));
    let rules = [
        Step::rules(&level_1),
        Step::rules(&level_2),
        Step::rules(&level_3),
    ]
    .concat();
    let mut known: BTreeSet<String> = invariants.map(str::to_owned).into();
    known.extend(rules.iter().map(|rule| rule.name.to_string()));
    known.extend(lemmas().iter().map(|lemma| lemma.name.to_owned()));
    for lemma in lemmas() {
        let words = lemma
            .used_by
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.contains('_')) {
            assert!(known.contains(word), "{}: {word}", lemma.name);
        }
    }
    for invariant in invariants {
        let mut lemmas = lemmas().into_iter();
        assert!(
            lemmas.any(|lemma| lemma.used_by.contains(invariant)),
            "{invariant} rests on no lemma"
        );
    }
}

#[test]
fn every_lemma_holds_of_all_small_memories() {
    // Memories × colourings × pairs of cells × targets × positions, over the shapes above.
    let count: u64 = SHAPES
        .into_iter()
        .map(|(nodes, sons, _)| {
            let (n, s) = (u64::from(nodes), u64::from(sons));
            n.pow((n * s) as u32) * 2u64.pow(n as u32) * (n * s).pow(2) * n * (n + 1) * (s + 1)
        })
        .sum();
    assert_eq!(assert_all_hold(small_cases()) as u64, count);
}

#[test]
#[ignore = "7.6 million cases take some ten seconds"]
fn slow_every_lemma_holds_of_all_memories_of_three_nodes_with_two_sons() {
    assert_all_hold(Case::all(Shape {
        nodes: 3,
        sons: 2,
        roots: 1,
    }));
}

/// Lemmas claim nothing of cases that are not well-formed, so none may be made.
fn well_formed(case: &Case) -> bool {
    let Shape { nodes, sons, roots } = case.m.shape;
    let within = case.m.shape.cells().all(|(n, i)| case.m.son(n, i) < nodes);
    let arguments = [case.n, case.n1, case.k].iter().all(|&n| n < nodes)
        && [case.i, case.i1].iter().all(|&i| i < sons)
        && case.bound <= nodes
        && case.j <= sons;
    within && arguments && roots <= nodes && case.c.black.from(nodes) == NodeSet::default()
}

#[test]
fn every_lemma_holds_of_random_memories() {
    let lemmas = lemmas();
    let exercised = RefCell::new(vec![0u64; lemmas.len()]);
    let config = Config {
        cases: 10_000,
        failure_persistence: None,
        ..Config::default()
    };
    let verdict = TestRunner::new(config).run(&cases::case(), |case| {
        if !well_formed(&case) {
            return Err(TestCaseError::fail("the case is not well-formed"));
        }
        for (lemma, exercised) in lemmas.iter().zip(exercised.borrow_mut().iter_mut()) {
            if !lemma.holds(&case) {
                return Err(TestCaseError::fail(lemma.name));
            }
            *exercised += u64::from(lemma.applies(&case));
        }
        Ok(())
    });
    assert!(verdict.is_ok(), "{verdict:?}");
    assert_exercised(&lemmas, &exercised.borrow());
}

/// Premises that our functions do not need, by the lemma and the premise's number.
const UNNEEDED: [(&str, usize); 1] = [("blackened5", 0)];

/// Each premise is needed: without it the lemma fails of some small memory.
#[test]
fn no_lemma_holds_without_one_of_its_premises() {
    let mut unneeded = Vec::new();
    let mut premises = 0;
    for lemma in lemmas() {
        for premise in 0..lemma.premises.len() {
            premises += 1;
            let stronger = lemma.without(premise);
            if small_cases().all(|case| stronger.holds(&case)) {
                unneeded.push((lemma.name, premise));
            }
        }
    }
    assert_eq!(unneeded, UNNEEDED);
    assert!(premises > 0);
}

/// (Appendix B.1, `blackened5`) The premise is needed where only the axiom is known of append, as
/// in the paper: it allows anything if the node is accessible.
#[test]
fn by_the_axiom_alone_appending_an_accessible_node_may_leave_a_white_one() {
    let shape = Shape {
        nodes: 2,
        sons: 1,
        roots: 1,
    };
    let m = Memory::null_array(shape);
    let only_root_black = Colours {
        black: NodeSet::first(1),
    };
    assert!(m.accessible().contains(0) && only_root_black.blackened(&m, 0));
    let after = m.set_son(0, 0, 1);
    assert!(m.append_ax(0, &after));
    assert!(!only_root_black.blackened(&after, 1));
}

/// (Deviation D3) What another mutator is about to use may become garbage: the lemma
/// `redirect_keeps_target` is about the target alone, so several mutators lose `target_accessible`.
#[test]
fn redirecting_may_lose_what_is_not_the_target() {
    let lost = small_cases().find(|case| {
        let accessible = case.m.accessible();
        let after = case.m.set_son(case.n, case.i, case.k).accessible();
        let both = accessible.contains(case.k) && accessible.contains(case.n1);
        both && after.contains(case.k) && !after.contains(case.n1)
    });
    assert!(lost.is_some());
}
