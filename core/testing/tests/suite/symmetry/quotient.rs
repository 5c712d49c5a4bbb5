//! A check of one state of each class against one of all states.

use std::collections::HashSet;

use refmap::explore::Storage;
use refmap::obligation::{CheckError, Checker, Selection, Symmetry, Until};
use refmap::{Refinement, Report, Settings, StateOf, Verdict, asymmetry};
use refmap_testing::{checked, row_of, until_with};

use super::crowds::{Crowd, Likeness, draw};
use crate::alike::permutations;
use crate::comparison::{assert_idle, fate, show, timeless};
use crate::oracle::Oracle;

/// Distribution of the cases.
#[derive(Debug, Default)]
pub struct Quotients {
    /// Cases with fewer classes than states.
    pub smaller: u64,
    /// Cases in which all that is decided holds.
    pub hold: u64,
    /// Obligations violated, and of these the ones that take two steps or more to show.
    pub violated: u64,
    pub deep: u64,
    /// Cases in which one component could be made different from the others.
    pub odd: u64,
}

fn run(refinement: &Likeness, settings: &Settings<'_>) -> Report {
    let report = Checker::new(refinement).check(settings);
    timeless(report.expect("the refinement does not contradict itself"))
}

/// Compares a check with symmetry to the oracle, which knows of none.
pub fn compare_quotient(seed: u64, quotients: &mut Quotients) {
    let refinement = &draw(seed);
    let oracle = &Oracle::new(refinement);
    let fates = oracle.fates();
    if oracle.has_idle_process() {
        let plain = checked(refinement, &to_the_end(1));
        return assert_idle(&plain);
    }
    let found = asymmetry(refinement, oracle.states.iter().take(50));
    assert_eq!(found.expect("there are names"), None);
    let plain = checked(refinement, &to_the_end(1));
    for (row, (name, decided)) in plain.obligations.iter().zip(&fates) {
        assert_eq!((&row.name, fate(row)), (name, *decided), "seed {seed}");
    }
    let classes = Classes::of(oracle);
    for (turn, storage) in (seed..).zip([Storage::Packed, Storage::Whole]) {
        let settings = Settings {
            storage,
            symmetry: Symmetry::Full,
            ..to_the_end(1 + (turn % 3) as usize)
        };
        let report = run(refinement, &settings);
        let one_more = Settings {
            threads: 1 + settings.threads % 3,
            ..settings.clone()
        };
        assert_eq!(report, run(refinement, &one_more));
        classes.agree(oracle, &report);
        agrees(&plain, &report);
        show(oracle, &report);
    }
    refuses(refinement);
    odd_one_out(seed, oracle, quotients);
    quotients.smaller += u64::from(classes.representatives.len() < oracle.states.len());
    let violated = plain.obligations.iter();
    let violated = violated.filter(|row| row.verdict == Verdict::Violated);
    quotients.hold += u64::from(violated.clone().count() == 0);
    quotients.violated += violated.clone().count() as u64;
    quotients.deep += violated.filter(|row| fate(row).length >= Some(2)).count() as u64;
}

fn to_the_end<'a>(threads: usize) -> Settings<'a> {
    until_with(Until::End, threads)
}

/// The least member of each class of reachable states.
struct Classes {
    representatives: HashSet<StateOf<Crowd>>,
    initial: usize,
}

impl Classes {
    fn of(oracle: &Oracle<'_, Likeness>) -> Self {
        let system = oracle.refinement.implementation();
        let all = permutations(system.components);
        let least = |state: &StateOf<Crowd>| {
            let members = all.iter().map(|by| system.permute(by, state));
            members.min().expect("a class has a member")
        };
        let initial = &oracle.states[..oracle.initial_states];
        Self {
            representatives: oracle.states.iter().map(least).collect(),
            initial: initial.iter().map(least).collect::<HashSet<_>>().len(),
        }
    }

    /// Counts are those of the representatives.
    fn agree(&self, oracle: &Oracle<'_, Likeness>, report: &Report) {
        let permutations: usize = (1..=oracle.refinement.concrete.components.into()).product();
        let identified = report.symmetry.expect("states were identified");
        assert_eq!(identified.permutations, permutations);
        assert_eq!(report.states, self.representatives.len() as u64);
        assert_eq!(
            identified.tested_states,
            report.states.min(1024) + tested_later(report)
        );
        assert_eq!(report.initial_states, self.initial as u64);
        let states = oracle.states.iter().zip(&oracle.steps);
        let steps = states
            .filter(|(state, _)| self.representatives.contains(state))
            .map(|(_, steps)| steps);
        let transitions: usize = steps.clone().map(Vec::len).sum();
        assert_eq!(report.transitions, transitions as u64);
        let ends = steps.filter(|steps| steps.is_empty());
        assert_eq!(report.deadlocks, ends.count() as u64);
        assert_eq!(report.unexercised, oracle.unexercised());
    }
}

/// The states after the first 1024 on which the symmetry is tested.
fn tested_later(report: &Report) -> u64 {
    (1024..report.states)
        .filter(|state| state.is_multiple_of(1021))
        .count() as u64
}

/// Decided verdicts agree, and the lengths of their counterexamples.
fn agrees(plain: &Report, report: &Report) {
    assert_eq!(report.depth, plain.depth);
    assert_eq!(report.obligations.len(), plain.obligations.len());
    let simulation = row_of(plain, "simulation");
    for (row, plain) in report.obligations.iter().zip(&plain.obligations) {
        assert_eq!(row.name, plain.name);
        let note = row.note.as_deref().unwrap_or_default();
        let refused = match row.name.split(':').next() {
            Some("environment") if plain.verdict != Verdict::NoneDeclared => {
                let said = note.contains("a quotient by symmetry exchanges them");
                assert_eq!(said, simulation.verdict != Verdict::Violated, "{note}");
                true
            }
            _ => false,
        };
        if refused {
            assert_eq!(row.verdict, Verdict::Incomplete);
            continue;
        }
        assert_eq!(row.verdict, plain.verdict, "{}", row.name);
        let lengths = [row, plain].map(|row| {
            let shown = row.counterexamples.iter();
            shown.map(|shown| shown.length).collect::<Vec<_>>()
        });
        assert_eq!(lengths[0], lengths[1], "{}", row.name);
    }
}

/// An obligation that a quotient cannot decide, asked for by name, is refused.
fn refuses(refinement: &Likeness) {
    let settings = Settings {
        symmetry: Symmetry::Full,
        obligations: Selection::only(["environment"]),
        ..Settings::default()
    };
    let named = Checker::new(refinement).check(&settings);
    assert!(matches!(named, Err(CheckError::Unsupported { .. })));
}

/// One component that cannot do what the others can, from the start, is noticed.
fn odd_one_out(seed: u64, oracle: &Oracle<'_, Likeness>, quotients: &mut Quotients) {
    let Some((action, _)) = oracle.steps[..oracle.initial_states]
        .iter()
        .flatten()
        .next()
    else {
        return;
    };
    quotients.odd += 1;
    let mut odd = oracle.refinement.clone();
    odd.concrete.odd = Some(*action);
    let initial = oracle.states[..oracle.initial_states].iter();
    let found = asymmetry(&odd, initial).expect("there are names");
    assert!(found.is_some(), "seed {seed}");
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..to_the_end(2)
    };
    let report = run(&odd, &settings);
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let model = row_of(&report, "model");
    let shown = &model.counterexamples[0];
    assert_eq!((model.verdict, shown.length), (Verdict::Violated, 0));
    assert!(
        shown.explanation.contains("does not commute"),
        "{}",
        shown.explanation
    );
    // Without the symmetry there is nothing wrong with the model.
    assert_eq!(run(&odd, &to_the_end(2)).obligation("model"), None);
}
