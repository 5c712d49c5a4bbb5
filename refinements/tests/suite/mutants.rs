//! Mutation tests: every mutant of every rule of every level is refuted by some obligation, or
//! listed as equivalent, with the reason. Where only liveness fails, that is listed too.
//!
//! A rule at a location has a guard and an effect; a mutant drops or negates the guard, or drops the effect.

use refmap::explore::Storage;
use refmap::obligation::Liveness;
use refmap::{Action as _, ActionOf, RuleId, Settings, Verdict};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3};
use refmap_systems::ben_ari::{Mutant, Mutation, Scope};
use strum::VariantArray;

use crate::decide;

/// The size at which a mutant must survive to count as equivalent,
const SMALL: (u8, u8, u8) = (3, 1, 1);
/// and one that is large enough for a scan to fail.
const LARGE: (u8, u8, u8) = (4, 1, 1);

/// Why a mutant still satisfies the safety obligations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// The rule has no guard in the figure.
    NoGuard,
    /// The level above allows its steps.
    AllowedAbove,
    /// It is safe, and violates a liveness obligation that the algorithm meets: it collects less, or nothing.
    OnlyLiveness,
}

fn refuted<R: Checked>(refinement: &R) -> bool {
    // Kept whole, so that no obligation is spared by a variable that leaves its range.
    let settings = Settings {
        storage: Storage::Whole,
        ..Settings::default()
    };
    let report = decide(&*refinement.checker(), &settings);
    assert_ne!(report.verdict, Some(Verdict::Incomplete));
    report.verdict == Some(Verdict::Violated)
}

/// The liveness obligations with this verdict.
fn liveness<R: Checked>(refinement: &R, verdict: Verdict) -> Vec<String> {
    let settings = Settings {
        liveness: Liveness::Included,
        storage: Storage::Whole,
        ..Settings::default()
    };
    let report = decide(&*refinement.checker(), &settings);
    let rows = report.obligations.iter();
    let with_verdict = rows.filter(|row| row.verdict == verdict && is_liveness(&row.name));
    with_verdict.map(|row| row.name.clone()).collect()
}

fn is_liveness(name: &str) -> bool {
    let kinds = ["fairness:", "leads-to:", "always-eventually:"];
    kinds.iter().any(|kind| name.starts_with(kind))
}

/// Asserts that every mutant is refuted at one of the sizes, but those that are `equivalent`: of these a liveness
/// obligation that holds without the mutant fails if, and only if, that is the reason.
fn assert_refuted<R: Checked>(
    of: fn(Scope, Mutant) -> R,
    sizes: &[(u8, u8, u8)],
    equivalent: &[(&str, Mutation, Reason)],
) {
    let nowhere = Mutant {
        rule: RuleId(usize::MAX),
        mutation: DropEffect,
    };
    let sound = of(Scope::new(2, 1, 1), nowhere);
    assert!(!refuted(&sound), "no mutant, no refutation");
    let mut survivors = Vec::new();
    let live = sizes.iter().map(|&(nodes, sons, roots)| {
        let held = liveness(&of(Scope::new(nodes, sons, roots), nowhere), Verdict::Holds);
        assert!(!held.is_empty());
        held
    });
    let live: Vec<_> = live.collect();
    for (index, rule) in ActionOf::<R::Implementation>::rules(sound.implementation())
        .iter()
        .enumerate()
    {
        for &mutation in Mutation::VARIANTS {
            let mutant = Mutant {
                rule: RuleId(index),
                mutation,
            };
            let refuted = sizes
                .iter()
                .any(|&(nodes, sons, roots)| refuted(&of(Scope::new(nodes, sons, roots), mutant)));
            if !refuted {
                let mut both = sizes.iter().zip(&live);
                let fails = both.any(|(&(nodes, sons, roots), live)| {
                    let mutant = of(Scope::new(nodes, sons, roots), mutant);
                    let violated = liveness(&mutant, Verdict::Violated);
                    violated.iter().any(|name| live.contains(name))
                });
                survivors.push((rule.name.to_string(), mutation, fails));
            }
        }
    }
    let listed = equivalent.iter();
    let listed: Vec<_> = listed
        .map(|&(rule, mutation, reason)| {
            let fails = reason == OnlyLiveness;
            (rule.to_owned(), mutation, fails)
        })
        .collect();
    assert_eq!(survivors, listed);
}

use Mutation::{DropEffect, DropGuard, NegateGuard};
use Reason::{AllowedAbove, NoGuard, OnlyLiveness};

/// Colouring is a stutter of the specification: a collector that colours less, or that leaves the
/// append phase early, or gets stuck in it, collects less.
#[test]
fn every_mutant_of_level_1_is_refuted_or_equivalent() {
    assert_refuted(
        Refinement1::with_mutant,
        &[SMALL],
        &[
            ("colour_target", DropGuard, NoGuard),
            ("colour", DropGuard, NoGuard),
            ("colour", NegateGuard, OnlyLiveness),
            ("colour", DropEffect, OnlyLiveness),
            ("stop_appending", DropGuard, OnlyLiveness),
            ("stop_appending", NegateGuard, OnlyLiveness),
            ("stop_appending", DropEffect, OnlyLiveness),
            ("continue_appending", DropGuard, OnlyLiveness),
            ("black_to_white", DropGuard, OnlyLiveness),
        ],
    );
}

/// Level 1 lets any node be coloured. A propagation that never follows a pointer from a black node to a white one does not
/// come to its end.
#[test]
fn every_mutant_of_level_2_is_refuted_or_equivalent() {
    assert_refuted(
        Refinement2::with_mutant,
        &[SMALL],
        &[
            ("colour_target", DropGuard, NoGuard),
            ("propagate", DropGuard, AllowedAbove),
            ("propagate", NegateGuard, OnlyLiveness),
        ],
    );
}

/// A scan or a count that gets stuck at white nodes comes to its end only when all are black.
/// Scanning once more than needed does no harm.
#[test]
#[ignore = "some ten seconds"]
fn slow_every_mutant_of_level_3_is_refuted_or_equivalent() {
    assert_refuted(
        Refinement3::with_mutant,
        &[SMALL, LARGE],
        &[
            ("colour_target", DropGuard, NoGuard),
            ("white_node", NegateGuard, OnlyLiveness),
            ("white_node", DropEffect, OnlyLiveness),
            ("skip_white", DropEffect, OnlyLiveness),
            ("redo_propagation", DropGuard, OnlyLiveness),
        ],
    );
}
