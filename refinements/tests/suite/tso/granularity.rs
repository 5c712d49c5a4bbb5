//! The reductions at each granularity change no verdict, and obligations that they do not preserve are refused.

use refmap::obligation::Until;

use super::*;

/// At coarse granularity `environment` is undecided, with the reason.
#[test]
fn tso_leaves_the_environment_undecided_where_steps_are_fused() {
    let open = report(
        coarse(1, 1, 1),
        Variant::default(),
        &Settings {
            threads: 3,
            ..Settings::default()
        },
    );
    assert_eq!(open.verdict, Some(Verdict::Incomplete), "{open}");
    let rows = open.obligations.iter();
    let rows = rows.filter(|row| row.verdict == Verdict::Incomplete);
    let reasons: Vec<_> = rows.map(|row| (&*row.name, row.note.as_deref())).collect();
    assert!(!reasons.is_empty());
    for (name, reason) in reasons {
        assert!(name.starts_with("environment"), "{name}");
        assert!(reason.is_some_and(|reason| reason.contains("fine granularity")));
    }
    let refinement = refinement(coarse(1, 1, 1), Variant::default());
    let settings = Settings {
        obligations: Selection::only(["environment"]),
        ..Settings::default()
    };
    let refused = refinement.checker().check(&settings);
    let refused = refused.expect_err("it cannot be decided").to_string();
    assert!(refused.starts_with("environment cannot be decided here: steps are run together"));
}

/// Local fusion preserves which invariants fail, whatever part is left out.
#[test]
#[ignore = "some ten seconds"]
fn slow_tso_local_fusion_changes_no_verdict() {
    let mut broken = 0;
    for &part in Part::VARIANTS {
        let settings = Settings {
            until: Until::End,
            obligations: Selection::only(AT_COARSE),
            ..Settings::default()
        };
        let violated = |granularity| -> Vec<String> {
            let scope = scope(1, 1, 1, granularity);
            let report = report(scope, Variant::without(part), &settings);
            report.violated().map(str::to_owned).collect()
        };
        let fine = violated(Granularity::Fine);
        broken += usize::from(!fine.is_empty());
        assert_eq!(fine, violated(Granularity::Coarse), "{part:?}");
    }
    assert!(broken >= 6, "{broken}");
}

/// Lipton reduction decides as local fusion does, in every variant.
fn reduction_changes_no_verdict(mutators: u8, refs: u8) -> usize {
    let mut violated = 0;
    for variant in variants() {
        let buffer = buffer(variant);
        let [coarse, reduced] = [
            coarse(mutators, refs, buffer),
            reduced(mutators, refs, buffer),
        ]
        .map(|scope| freed(scope, variant));
        assert_eq!(coarse.verdict, reduced.verdict, "{variant:?}");
        violated += usize::from(reduced.verdict == Some(Verdict::Violated));
        let by = |report: &Report| report.counterexample.as_ref().map(|c| c.obligation.clone());
        assert_eq!(by(&coarse), by(&reduced), "{variant:?}");
        if reduced.verdict == Some(Verdict::Holds) {
            assert!(reduced.states < coarse.states, "{variant:?}");
        }
    }
    violated
}

#[test]
fn tso_lipton_reduction_changes_no_verdict() {
    reduction_changes_no_verdict(1, 1);
}

#[test]
#[ignore = "some 60 s"]
fn slow_tso_lipton_reduction_changes_no_verdict_at_larger_instances() {
    assert!(reduction_changes_no_verdict(1, 2) >= 9);
    assert!(reduction_changes_no_verdict(2, 1) >= 5);
}

/// Lipton reduction leaves the obligations undecided that it does not preserve.
#[test]
fn tso_lipton_reduction_leaves_the_other_obligations_undecided() {
    let all = report(reduced(1, 1, 1), Variant::default(), &Settings::default());
    assert_eq!(all.verdict, Some(Verdict::Incomplete), "{all}");
    for row in &all.obligations {
        let is_decided = AT_REDUCED.contains(&&*row.name);
        let expected = if is_decided {
            Verdict::Holds
        } else {
            Verdict::Incomplete
        };
        assert_eq!(row.verdict, expected, "{}", row.name);
        assert!(is_decided || row.note.is_some(), "{}", row.name);
    }
    let refinement = refinement(reduced(1, 1, 1), Variant::default());
    for name in [
        "invariant:valid_refs",
        "invariant",
        "coverage",
        "environment",
    ] {
        let settings = Settings {
            obligations: Selection::only([name]),
            ..Settings::default()
        };
        let refused = refinement.checker().check(&settings);
        let refused = refused.expect_err("it cannot be decided").to_string();
        assert!(
            refused.starts_with(&format!("{name} cannot be decided here: steps")),
            "{refused}"
        );
    }
}
