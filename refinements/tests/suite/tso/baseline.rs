//! The unchanged collector of the paper, at instances that the catalogue does not have, or that take longer.

use super::*;

/// Asserts that all that can be decided holds, with these numbers of states and transitions.
#[track_caller]
fn assert_holds(scope: Scope, settings: &Settings<'_>, expected: (u64, u64)) -> Report {
    let report = report(scope, Variant::default(), settings);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), expected);
    report
}

/// All obligations that are decided at coarse granularity.
fn at_coarse(symmetry: Symmetry) -> Settings<'static> {
    Settings {
        obligations: Selection::only(AT_COARSE),
        symmetry,
        ..Settings::default()
    }
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

/// Two references, without symmetry.
#[test]
#[ignore = "some 4 s"]
fn slow_tso_collects_only_garbage_with_two_references() {
    let settings = at_coarse(Symmetry::None);
    let report = assert_holds(coarse(1, 2, 1), &settings, (532_198, 2_029_628));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// All obligations, those of the environment too, where every guard is a step.
#[test]
#[ignore = "some 150 s"]
fn nightly_tso_collects_only_garbage_with_two_references_at_fine() {
    let scope = scope(1, 2, 1, Granularity::Fine);
    let report = assert_holds(scope, &Settings::default(), (9_904_200, 30_294_450));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// … with another mutator and with another reference, modulo symmetry.
#[test]
#[ignore = "some 50 s"]
fn slow_tso_collects_only_garbage_at_larger_instances() {
    let settings = at_coarse(Symmetry::Full);
    assert_holds(coarse(2, 1, 1), &settings, (132_361, 763_752));
    assert_holds(coarse(1, 3, 1), &settings, (6_163_500, 23_218_957));
}

/// … and with two mutators and two references: all invariants, of every reachable state modulo symmetry.
#[test]
#[ignore = "some 15 minutes on two cores, and 5 GB"]
fn nightly_tso_collects_only_garbage_with_two_mutators_and_two_references() {
    let settings = Settings {
        threads: 2,
        ..at_coarse(Symmetry::Full)
    };
    let report = assert_holds(coarse(2, 2, 1), &settings, (116_512_937, 607_723_787));
    assert_eq!(report.depth, 219);
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// … with two stores in a mutator's buffer.
#[test]
#[ignore = "some 10 minutes and 3 GB"]
fn nightly_tso_collects_only_garbage_with_two_stores_at_fine() {
    let scope = scope(1, 2, 2, Granularity::Fine);
    let report = assert_holds(scope, &Settings::default(), (54_086_260, 173_777_550));
    assert_eq!(report.unexercised, Vec::<String>::new());
}
