//! Seeded bugs in the functions that the lemmas are about: every bug violates a lemma, and every lemma detects a bug.

use std::collections::BTreeSet;

use refmap_systems::ben_ari::lemmas::{Case, Functions, Lemma, lemmas};
use refmap_systems::ben_ari::{Colours, Memory, NodeSet, Shape};

use super::{all_cases, small_cases};

fn named(name: &str) -> Lemma {
    let mut lemmas = lemmas().into_iter();
    let lemma = lemmas.find(|lemma| lemma.name == name);
    lemma.expect("a lemma has this name")
}

/// The cases of two nodes are few, and suffice where a lemma has to fail.
fn cases_of_two_nodes() -> impl Iterator<Item = Case> {
    all_cases(&[(2, 1, 1), (2, 2, 1)])
}

/// The nodes within `steps` pointers of a root.
fn within(m: &Memory, steps: u8) -> NodeSet {
    (0..steps).fold(NodeSet::first(m.shape.roots), |reached, _| {
        reached
            .iter()
            .fold(reached, |all, n| m.sons(n).fold(all, NodeSet::with))
    })
}

/// A path without repetitions leaves the roots behind and passes each other node at most once.
fn one_step_too_few(m: &Memory) -> NodeSet {
    within(m, (m.shape.nodes - m.shape.roots).saturating_sub(1))
}

/// Functions of which some are wrong.
macro_rules! bug {
    ($name:literal, $($function:ident: $wrong:expr),+) => {
        Functions {
            name: $name,
            $($function: $wrong,)+
            ..Functions::OURS
        }
    };
}

/// The seeded bugs: functions each of which is wrong in one way.
fn bugs() -> Vec<Functions> {
    vec![
        bug!("append sets the head alone", append_to_free: |m, n| m.set_son(0, 0, n)),
        bug!("append sets the sons alone", append_to_free: |m, n| {
            let head = m.son(0, 0);
            m.shape.indices().fold(m, |m, i| m.set_son(n, i, head))
        }),
        bug!("append sets the first son alone", append_to_free: |m, n| {
            m.set_son(0, 0, n).set_son(n, 0, m.son(0, 0))
        }),
        bug!("append forgets the list", append_to_free: |m, n| {
            let headed = m.set_son(0, 0, n);
            m.shape.indices().fold(headed, |m, i| m.set_son(n, i, 0))
        }),
        bug!("append clears the last node", append_to_free: |m, n| {
            let last = m.shape.nodes - 1;
            let after = m.append_to_free(n);
            if last == n || last == 0 {
                return after;
            }
            m.shape.indices().fold(after, |m, i| m.set_son(last, i, 0))
        }),
        bug!("accessible takes one step too few",
            accessible: one_step_too_few,
            blackened: |c, m, from| one_step_too_few(m).from(from).is_subset_of(c.black)),
        bug!("accessible is everything",
            accessible: |m| NodeSet::first(m.shape.nodes),
            blackened: |c, m, from| NodeSet::first(m.shape.nodes).from(from).is_subset_of(c.black)),
        bug!("accessible is nothing", accessible: |_| NodeSet::default(), blackened: |_, _, _| true),
        bug!("the first memory points to the last node",
            null_array: |shape| Memory::null_array(shape).set_son(0, 0, shape.nodes - 1)),
        bug!("set_son sets all sons",
            set_son: |m, n, _, k| m.shape.indices().fold(m, |m, i| m.set_son(n, i, k))),
        bug!("set_son sets nothing", set_son: |m, _, _, _| m),
        bug!("set_son sets the next target",
            set_son: |m, n, i, k| m.set_son(n, i, (k + 1) % m.shape.nodes)),
        bug!("set_son sets the same cell of the next node",
            set_son: |m, n, i, k| m.set_son((n + 1) % m.shape.nodes, i, k)),
        bug!("set_colour changes the colour whatever it was",
            set_colour: |c, n, _| c.set_colour(n, !c.colour(n))),
        bug!("set_colour changes nothing", set_colour: |c, _, _| c),
        bug!("set_colour forgets the other colours",
            set_colour: |_, n, black| Colours::WHITE.set_colour(n, black)),
        bug!("set_colour ignores the colour", set_colour: |c, n, _| c.set_colour(n, true)),
        bug!("black_roots includes the bound",
            black_roots: |c, bound| c.blacks_below((bound + 1).min(8)) > bound.min(7)),
        bug!("blackened leaves out the bound", blackened: |c, m, from| {
            let above = m.accessible().from(from).without(NodeSet::one(from.min(7)));
            above.is_subset_of(c.black)
        }),
        bug!("blackened is never true", blackened: |_, _, _| false),
        bug!("bw ignores the source", bw: |c, m, n, i| !c.colour(m.son(n, i))),
        bug!("bw ignores the target", bw: |c, _, n, _| c.colour(n)),
        bug!("bw is never true", bw: |_, _, _, _| false),
        bug!("bw is always true", bw: |_, _, _, _| true),
        bug!("exists_bw looks at the first node",
            exists_bw: |c, m| m.shape.indices().any(|i| c.bw(m, 0, i))),
        bug!("exists_bw is always true", exists_bw: |_, _| true),
        bug!("below includes the bound", blacks_below: |c, bound| c.blacks_below((bound + 1).min(8))),
        bug!("below counts white nodes", blacks_below: |c, bound| bound - c.blacks_below(bound)),
        bug!("below counts to one", blacks_below: |c, bound| c.blacks_below(bound).min(1)),
        bug!("from leaves out the bound", blacks_from: |c, bound| c.blacks_from((bound + 1).min(8))),
        bug!("from counts the nodes below", blacks_from: |c, bound| c.blacks_below(bound)),
        bug!("from counts white nodes", blacks_from: |c, bound| 8 - bound - c.blacks_from(bound)),
        bug!("a cell is behind itself", behind: |cell, at| cell <= at),
        bug!("a cell is behind the next node", behind: |(n, _), (at, _)| n < at),
        bug!("a cell is behind those before it", behind: |cell, at| cell > at),
    ]
}

/// The lemmas that fail for `functions` in one of `cases`, in the order of the lemmas.
fn violated(functions: Functions, cases: impl Iterator<Item = Case>) -> Vec<&'static str> {
    let lemmas = lemmas();
    let mut failed = vec![false; lemmas.len()];
    for case in cases {
        let case = Case { functions, ..case };
        for (lemma, failed) in lemmas.iter().zip(&mut failed) {
            *failed = *failed || !lemma.holds(&case);
        }
    }
    let failing = lemmas.iter().zip(failed).filter(|(_, failed)| *failed);
    failing.map(|(lemma, _)| lemma.name).collect()
}

#[test]
fn wrong_append_and_wrong_accessible_are_caught_by_the_lemmas_about_them() {
    let expected: [(&str, &[&str]); 8] = [
        (
            "append sets the head alone",
            &["append_ax", "blackened5", "append_tail"],
        ),
        ("append sets the sons alone", &["append_ax", "append_head"]),
        ("append sets the first son alone", &["append_tail"]),
        ("append forgets the list", &["append_ax", "append_tail"]),
        ("append clears the last node", &["append_elsewhere"]),
        (
            "accessible takes one step too few",
            &["append_ax", "son_accessible"],
        ),
        (
            "accessible is everything",
            &["blackened_by_propagation", "white_accessible_has_bw"],
        ),
        ("accessible is nothing", &["append_ax", "root_accessible"]),
    ];
    let bugs = bugs();
    for (name, by) in expected {
        let bug = bugs.iter().find(|bug| bug.name == name);
        let bug = bug.expect("the bug is one of those above");
        assert_eq!(violated(*bug, small_cases()), by, "{name}");
    }
}

fn case_of(m: Memory) -> Case {
    let mut cases = Case::all(m.shape);
    let first = cases.next().expect("every shape has a case");
    Case { m, ..first }
}

/// The axiom detects the append that sets only the first son too, if that makes garbage accessible: node 2,
/// to which the second son of node 1 points. That takes three nodes with two sons.
#[test]
fn an_append_that_leaves_a_son_breaks_the_axiom() {
    let shape = Shape {
        nodes: 3,
        sons: 2,
        roots: 1,
    };
    let m = Memory::null_array(shape).set_son(1, 1, 2);
    let case = Case {
        n: 1,
        n1: 2,
        ..case_of(m)
    };
    let functions = bug!("first son alone", append_to_free: |m, n| {
        m.set_son(0, 0, n).set_son(n, 0, m.son(0, 0))
    });
    let append_ax = named("append_ax");
    assert!(append_ax.holds(&case));
    assert!(!append_ax.holds(&Case { functions, ..case }));
}

/// A chain 0, 1, 2, 3: a search that is one step short misses that 3 is accessible, until the
/// chain is shortened. So redirecting to an accessible node seems to make another one accessible.
#[test]
fn one_step_too_few_breaks_the_key_lemma_on_a_chain() {
    let shape = Shape {
        nodes: 4,
        sons: 1,
        roots: 1,
    };
    let chain = (0..3).fold(Memory::null_array(shape), |m, n| m.set_son(n, 0, n + 1));
    let case = Case {
        k: 2,
        n1: 3,
        ..case_of(chain)
    };
    let functions = bug!("one step too few", accessible: one_step_too_few);
    let accessible1 = named("accessible1");
    assert!(accessible1.holds(&case));
    assert!(!accessible1.holds(&Case { functions, ..case }));
}

/// No lemma holds for all functions, not even one without a premise.
#[test]
fn every_bug_violates_a_lemma_and_every_lemma_detects_a_bug() {
    let mut detecting = BTreeSet::new();
    for bug in bugs() {
        let by = violated(bug, cases_of_two_nodes());
        assert!(!by.is_empty(), "{}", bug.name);
        detecting.extend(by);
    }
    let lemmas = lemmas().into_iter().map(|lemma| lemma.name);
    let idle: Vec<_> = lemmas.filter(|name| !detecting.contains(name)).collect();
    // An append has to lose a list, so that three nodes are needed: see the test of wrong appends.
    assert_eq!(idle, ["blackened5"]);
}
