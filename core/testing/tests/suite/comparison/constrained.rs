//! A check under a constraint, compared with the oracle of a system that takes no step outside of it.

use refmap::explore::Storage;
use refmap::obligation::Until;
use refmap::{Evidence, Report, Settings, Verdict};
use refmap_testing::{Random, checked, row_of, until_with, walking};

use super::{Case, assert_idle, fate, run, show, timeless};
use crate::oracle::Oracle;
use crate::table::Correspondence;
use crate::table::random::{Size, draw};

/// Outcomes of checks under a constraint, over all cases.
#[derive(Debug, Default)]
pub struct Constrained {
    /// Cases in which a state outside of the constraint is reached.
    pub cut: u64,
    /// Cases in which no initial state satisfies it.
    pub all_initial_outside: u64,
    pub holds: u64,
    pub violated: u64,
    /// Rules of the environment that are refused whatever lies beyond the constraint,
    pub refused: u64,
    /// that are met only beyond it,
    pub beyond: u64,
    /// and that are met within it.
    pub met: u64,
}

/// Compares the check of a seed under a random constraint with the oracle.
pub fn compare_constrained(seed: u64, size: Size, constrained: &mut Constrained) {
    let mut refinement = draw(seed, size);
    let rng = &mut Random(seed ^ 0x0005_CA1E);
    let chance = rng.pick(&[50, 75, 90, 100]);
    let within: Vec<bool> = refinement
        .images
        .iter()
        .map(|_| rng.percent(chance))
        .collect();
    refinement.within = Some(within.clone());
    let refinement = &refinement;
    let _case = Case(seed, refinement);
    let truncated = &truncated(refinement, &within);
    let oracle = &Oracle::new(truncated);
    let is_within = |state: usize| within[oracle.states[state].row()];
    let all = 0..oracle.states.len();

    let report = run(refinement, 1, Until::End);
    let told = report.constraint.as_ref().expect("there is a constraint");
    let outside = all.clone().filter(|state| !is_within(*state)).count() as u64;
    assert_eq!(told.states_outside, outside);
    let steps = oracle.steps.iter().flatten();
    let leading_out = steps.filter(|(_, to)| !is_within(*to)).count() as u64;
    assert_eq!(told.steps_outside, leading_out);
    assert_eq!(report.states, oracle.states.len() as u64 - outside);
    let initial = (0..oracle.initial_states).filter(|state| is_within(*state));
    assert_eq!(report.initial_states, initial.count() as u64);
    assert_eq!(
        report.transitions,
        oracle.transitions() as u64 - leading_out
    );
    let depths = all.clone().filter(|state| is_within(*state));
    let depths = depths.map(|state| oracle.depths[state]);
    assert_eq!(report.depth, depths.max().unwrap_or(0));
    let ends = all.filter(|state| is_within(*state) && oracle.steps[*state].is_empty());
    assert_eq!(report.deadlocks, ends.count() as u64);
    let fired: Vec<_> = report.coverage.iter().map(|row| row.fired).collect();
    assert_eq!(fired, oracle.fired());
    if outside == 0 && oracle.has_idle_process() {
        return assert_idle(&report);
    }
    assert_eq!(
        report.evidence,
        match outside {
            0 => Evidence::Exhaustive,
            _ => Evidence::Bounded,
        }
    );

    let whole = Correspondence {
        within: None,
        ..refinement.clone()
    };
    let whole = &Oracle::new(&whole);
    let of_whole = whole.fates();
    let fates = oracle.fates();
    let simulates = fates
        .iter()
        .any(|(name, fate)| name == "simulation" && fate.verdict == Verdict::Holds);
    for (name, decided) in &fates {
        let row = row_of(&report, name);
        let is_rule = name.starts_with("environment:") && name != "environment:at_rest";
        if name == "coverage" || name == "environment:at_rest" || is_rule && !simulates {
            // Of the whole system it fails too.
            let (_, of_whole) = of_whole
                .iter()
                .find(|(other, _)| other == name)
                .expect("the same rows");
            let is_proper = outside > 0 && simulates && name != "coverage";
            assert!(
                !is_proper
                    || row.verdict != Verdict::Violated
                    || of_whole.verdict == Verdict::Violated
            );
        } else if is_rule {
            let (_, of_whole) = of_whole
                .iter()
                .find(|(other, _)| other == name)
                .expect("the same rows");
            match (row.verdict, decided.verdict) {
                (Verdict::Violated, Verdict::Violated) => {
                    let is_simulation = whole_simulates(&whole.fates());
                    assert!(
                        !is_simulation || of_whole.verdict == Verdict::Violated,
                        "{report}"
                    );
                    constrained.refused += u64::from(outside > 0);
                }
                (Verdict::Incomplete, Verdict::Untested) => assert!(outside > 0, "{report}"),
                (Verdict::Incomplete, Verdict::Violated) => {
                    assert!(outside > 0, "{report}");
                    constrained.beyond += 1;
                }
                (verdict, decided) => {
                    assert_eq!(verdict, decided, "{name}: {report}");
                    constrained.met += u64::from(outside > 0 && verdict == Verdict::Holds);
                }
            }
        } else {
            assert_eq!(fate(row), *decided, "{name}: {report}");
        }
    }
    if report.states == 0 {
        assert_ne!(report.verdict, Some(Verdict::Holds));
        let warned = |text: &str| report.warnings.iter().any(|one| one.text.contains(text));
        assert!(outside == 0 || warned("no initial state satisfies the constraint"));
        constrained.all_initial_outside += u64::from(outside > 0);
    }
    constrained.cut += u64::from(outside > 0);
    constrained.holds += u64::from(report.verdict == Some(Verdict::Holds));
    constrained.violated += u64::from(report.verdict == Some(Verdict::Violated));
    show(oracle, &report);
    in_other_ways(seed, refinement, &report);
    on_walks(seed, refinement, oracle);
}

/// The system without the steps from outside of the constraint, where the environment rests never.
fn truncated(refinement: &Correspondence, within: &[bool]) -> Correspondence {
    let mut truncated = refinement.clone();
    truncated.within = None;
    for row in (0..within.len()).filter(|row| !within[*row]) {
        truncated.concrete.steps[row].clear();
        truncated.concrete.may_stop[row] = true;
        truncated.answers[row].clear();
        truncated.before.retain(|(of, _), _| *of != row);
        for at_rest in &mut truncated.at_rest {
            at_rest[row] = false;
        }
    }
    truncated
}

fn whole_simulates(fates: &[(String, crate::oracle::Fate)]) -> bool {
    let mut fates = fates.iter();
    fates.any(|(name, fate)| name == "simulation" && fate.verdict == Verdict::Holds)
}

/// Threads and storage change nothing.
fn in_other_ways(seed: u64, refinement: &Correspondence, report: &Report) {
    let settings = until_with(Until::End, 1 + seed as usize % 3);
    let same = |settings: &Settings<'_>| timeless(checked(refinement, settings));
    assert_eq!(same(&settings), *report);
    let whole = Settings {
        storage: Storage::Whole,
        ..settings.clone()
    };
    assert_eq!(same(&whole), *report);
    // The states that a check has reached at its first violation are known on both sides of the constraint.
    let first = Settings {
        threads: 1 + seed as usize % 2,
        ..Settings::default()
    };
    let first = same(&first);
    let outside = |report: &Report| report.constraint.as_ref().map(|one| one.states_outside);
    assert!(first.states <= report.states && outside(&first) <= outside(report));
}

/// No walk goes on from outside of the constraint, and no shortened one passes there.
fn on_walks(seed: u64, refinement: &Correspondence, oracle: &Oracle<'_, Correspondence>) {
    let settings = Settings {
        search: walking(20, 30, seed),
        until: Until::End,
        threads: 1 + seed as usize % 3,
        ..Settings::default()
    };
    let report = checked(refinement, &settings);
    // Each counterexample is a behaviour of the truncated system.
    show(oracle, &report);
}
