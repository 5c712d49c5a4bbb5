//! Tests of `--inductive --samples`: what a command draws, says, and refuses.

use refmap::Invariant;
use refmap::obligation::{Checker, Induction};
use refmap::random::{Samples, Walks};
use refmap::{Search, report::Report};
use refmap_cli::Status;
use refmap_cli::catalogue::{Catalogue, Check, Nothing};
use refmap_testing::{Machine, counter, itself};
use serde_json::Value;

use super::cases;
use super::run_all::{page, run};
use crate::has;

/// An invariant, and its name.
type Named = (&'static str, fn(&u8) -> bool);

/// A counter in steps of two from 0, round at 8: odd numbers are type-correct and never reached.
fn evens(name: &'static str, invariants: &'static [Named]) -> Check {
    Check::new(name, "", "", move |_: &Nothing| {
        let next = |n: &u8| vec![(("tick", 0), (n + 2) % 8)];
        let mut system = Machine::new(&[("tick", "clock")], [0], next, |n| *n);
        system.type_correct = (0..8).collect();
        let mut refinement = itself(system);
        let invariants = invariants.iter();
        refinement.invariants = invariants
            .map(|(name, holds)| Invariant::new(*name, "a test", *holds))
            .collect();
        Ok(Box::new(Checker::owning(refinement).inductive()))
    })
}

fn catalogue() -> Catalogue {
    let untyped = Check::new("untyped", "", "", |_: &Nothing| {
        Ok(Box::new(Checker::owning(itself(counter()))))
    });
    Catalogue {
        checks: vec![
            evens("alone", &[("not_five", |n| *n != 5)]),
            evens(
                "not_one",
                &[
                    ("not_one", |n| *n != 1),
                    ("three", |n| *n != 7 && *n != 5 && *n != 3),
                ],
            ),
            evens("exact", &[("even", |n| n.is_multiple_of(2))]),
            evens("loose", &[("small", |n| *n < 8)]),
            untyped,
        ],
        ..Catalogue::default()
    }
}

fn told(words: &str) -> (Result<Status, String>, String) {
    run(&catalogue(), &format!("check {words}"), false)
}

fn json(words: &str) -> Value {
    let (_, text) = told(&format!("{words} --json"));
    serde_json::from_str(&text).expect("it is JSON")
}

/// A gap is a violation, with the reached state beside it, as text and as JSON.
#[test]
fn a_gap_that_is_drawn_is_a_violation() {
    let (status, text) = told("alone --inductive --samples 50");
    assert_eq!(status, Ok(Status::Violated));
    for part in [
        "violated by inductive:not_five after 1 step",
        "sampled: 100 random walks of at most 1 000 steps, seed 0",
        "(a counterexample to induction: no claim that it is reached)",
        "the nearest state is reached by walk 0 of seed 0 after 0 steps; it differs in 1 variable, which an invariant would have to exclude:",
        "0 → 3",
    ] {
        let words: Vec<_> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(part), "{part}: {text}");
    }
    let report = json("alone --inductive --samples 50 --seed 3 --walks 4");
    let typed: Report = serde_json::from_value(report.clone()).expect("it is a report");
    assert_eq!(
        typed.walks.map(|walks| (walks.walks, walks.seed)),
        Some((4, 3))
    );
    let shown = &report["counterexample"];
    assert_eq!(shown["reachable"], false);
    assert_eq!(shown["steps"][0]["state"], 3);
    let nearest = &shown["nearest_reached"];
    assert_eq!((&nearest["walk"], &nearest["seed"]), (&0.into(), &3.into()));
    let expected = serde_json::json!([{"field": "", "from": nearest["state"], "to": 3}]);
    assert_eq!(nearest["differs"], expected);
    let samples = &report["samples"];
    assert_eq!(
        (&samples["samples"], &samples["seed"], &samples["on_walks"]),
        (&50.into(), &3.into(), &4.into())
    );
    // A pass shows the state beside its gap, too.
    let passed = json("alone --inductive");
    assert_eq!(
        passed["counterexample"]["nearest_reached"]["differs"][0]["to"],
        3
    );
    assert_eq!(passed.get("samples"), None);
}

/// Without a gap nothing holds.
#[test]
fn without_a_gap_the_check_is_incomplete() {
    let (status, text) = told("loose --inductive --samples 50");
    assert_eq!(status, Ok(Status::Incomplete));
    has(
        &text,
        "sampled: 50 states drawn, 50 of which satisfy the invariants",
    );
    let (status, _) = told("loose --inductive --samples 50 --expect incomplete");
    assert_eq!(status, Ok(Status::Success));
    let (status, _) = told("loose --inductive --samples 50 --expect holds");
    assert_eq!(status, Ok(Status::Violated));
    assert_eq!(
        told("loose --inductive --max-seconds 60").0,
        Ok(Status::Success)
    );
}

/// A sample that says no more than the walks fails, whatever is expected.
#[test]
fn a_sample_of_nothing_fails() {
    for expected in ["", "--expect incomplete", "--expect holds"] {
        let (status, text) = told(&format!("exact --inductive --samples 50 {expected}"));
        assert_eq!(status, Ok(Status::Violated), "{expected}: {text}");
        has(
            &text,
            "no state was drawn that satisfies the invariants and is on no walk",
        );
    }
    let (status, text) = told("not_one --inductive --samples 50");
    assert_eq!(status, Ok(Status::Violated), "{text}");
}

/// An interrupted check says what it has.
#[test]
fn what_is_cancelled_is_incomplete() {
    let (status, text) = run(
        &catalogue(),
        "check loose --inductive --samples 5000000000",
        true,
    );
    assert_eq!(status, Ok(Status::Incomplete), "{text}");
}

#[test]
fn samples_are_refused_without_sense() {
    for (words, part) in cases(
        "
loose --samples 9 => --inductive
loose --inductive --samples 0 => 0 is not in 1..
loose --inductive --samples many => invalid value 'many'
loose --inductive --samples 9 --max-states 3 => cannot be used with
loose --inductive --samples 9 --symmetry full => cannot be used with
loose --inductive --samples 9 --checkpoint here => cannot be used with
loose --inductive --samples 9 --obligations none => cannot be used with
loose --seed 9 => --walks <N> or --samples <N>
untyped --inductive --samples 9 => does not enumerate type-correct states",
    ) {
        let (status, text) = told(words);
        let error = status.expect_err(words);
        assert!(error.contains(part), "{words}: {error} {text}");
    }
}

/// A claim may draw states, and tells two numbers of them, or two seeds, apart.
#[test]
fn a_claim_may_be_about_samples() {
    let broken = "violated by inductive:not_five after 1 step";
    let rows = [
        ("check alone --inductive --samples 50", broken),
        ("check alone --inductive --samples 51", broken),
        ("check exact --inductive --samples 50", "violated by sample"),
        (
            "check loose --inductive --samples 50 --seed 1",
            "incomplete",
        ),
        (
            "check loose --inductive --samples 50 --seed 2",
            "incomplete",
        ),
    ]
    .map(|(check, expected)| [check, expected, "a test: it is drawn"]);
    let catalogue = Catalogue {
        claims: page(&rows),
        ..catalogue()
    };
    let claims = catalogue.claims().expect("they are claims");
    assert_eq!(claims.len(), rows.len());
    let samples = Samples {
        samples: 50,
        seed: 1,
    };
    assert_eq!(claims[3].settings.induction, Induction::Sampled(samples));
    let walks = Walks {
        walks: 100,
        steps: 1000,
        seed: 1,
    };
    assert_eq!(claims[3].settings.search, Search::Walks(walks));
}
