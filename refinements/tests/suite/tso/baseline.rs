//! The unchanged collector of the paper: each instance that was explored completely.

use super::*;

/// [section 1.1] at one mutator and one reference; the count is that of a second formulation.
#[test]
fn tso_collects_only_garbage_at_the_smallest_instance() {
    let fine = check(scope(1, 1, 1, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(fine.verdict, Some(Verdict::Holds), "{fine}");
    assert_eq!((fine.states, fine.transitions), (78_740, 233_030));
    // Local fusion changes only the counts.
    let coarse = check(coarse(1, 1, 1), Variant::default(), &[]);
    assert_eq!(coarse.verdict, Some(Verdict::Holds), "{coarse}");
    assert_eq!((coarse.states, coarse.transitions), (6_518, 25_462));
}

/// Any heap, any roots.
#[test]
fn tso_collects_only_garbage_from_every_beginning() {
    let scope = Scope {
        initial: Initial::All,
        ..coarse(1, 1, 1)
    };
    let report = check(scope, Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // No object, or one that points nowhere, to itself; held or not, where there is one.
    assert_eq!(report.initial_states, 1 + 2 * 2);
}

/// Two references: every rule fires, and every premise is true somewhere.
#[test]
#[ignore = "some 4 s"]
fn slow_tso_collects_only_garbage_with_two_references() {
    let report = check(coarse(1, 2, 1), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (532_198, 2_029_628));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// The same, where every guard is a step.
#[test]
#[ignore = "some 150 s"]
fn nightly_tso_collects_only_garbage_with_two_references_at_fine() {
    let report = check(scope(1, 2, 1, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (9_904_200, 30_294_450));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// All obligations decided at coarse granularity, with another mutator and with another reference, modulo symmetry.
#[test]
#[ignore = "some 50 s"]
fn slow_tso_collects_only_garbage_at_larger_instances() {
    for (mutators, refs, states, transitions) in
        [(2, 1, 132_361, 763_752), (1, 3, 6_163_500, 23_218_957)]
    {
        let settings = Settings {
            obligations: Selection::only(AT_COARSE),
            symmetry: Symmetry::Full,
            ..Settings::default()
        };
        let report = report(coarse(mutators, refs, 1), Variant::default(), &settings);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// … and with two mutators and two references: all invariants, of every reachable state modulo symmetry.
#[test]
#[ignore = "some 15 minutes on two cores, and 5 GB"]
fn nightly_tso_collects_only_garbage_with_two_mutators_and_two_references() {
    let settings = Settings {
        obligations: Selection::only(AT_COARSE),
        symmetry: Symmetry::Full,
        threads: 2,
        ..Settings::default()
    };
    let report = report(coarse(2, 2, 1), Variant::default(), &settings);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(
        (report.states, report.transitions, report.depth),
        (116_512_937, 607_723_787, 219)
    );
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// All obligations, those of the environment too, with two stores in a mutator's buffer.
#[test]
#[ignore = "some 10 minutes and 3 GB"]
fn nightly_tso_collects_only_garbage_with_two_stores_at_fine() {
    let report = check(scope(1, 2, 2, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(
        (report.states, report.transitions),
        (54_086_260, 173_777_550)
    );
    assert_eq!(report.unexercised, Vec::<String>::new());
}
