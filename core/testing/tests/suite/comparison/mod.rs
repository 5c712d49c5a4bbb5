//! Every way to run the engine, compared with the oracle.

mod constrained;
mod distribution;
mod evidence;
mod modes;
mod part;

use refmap::obligation::Until;
use refmap::report::Obligation;
use refmap::{Evidence, Report, Settings, Verdict};
use refmap_testing::{checked, row_of, until_with, walking};

use crate::oracle::{Fate, Oracle};
use crate::table::Correspondence;
use crate::table::random::{Size, draw};
pub use constrained::{Constrained, compare_constrained};
pub use distribution::Distribution;
pub use evidence::show;
use modes::Modes;
pub use modes::Thoroughness;
pub use part::{Parts, compare_part};

/// Names the case if an assertion about it fails.
struct Case<'a>(u64, &'a Correspondence);

impl Drop for Case<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the case of seed {}: {:#?}", self.0, self.1);
        }
    }
}

/// Report of the engine, without what differs from run to run.
pub fn run(refinement: &Correspondence, threads: usize, until: Until) -> Report {
    let settings = until_with(until, threads);
    let report = checked(refinement, &settings);
    timeless(report)
}

/// The report of one worker, which is that of three.
pub fn with_any_threads(run: impl Fn(usize) -> Report) -> Report {
    let of_one = run(1);
    assert_eq!(timeless(run(3)), timeless(of_one.clone()), "{of_one}");
    of_one
}

/// A report without what differs from run to run.
pub fn timeless(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        threads: 0,
        processes: None,
        ..report
    }
}

/// Compares every way to run the engine with the oracle.
pub fn compare(seed: u64, size: Size, thoroughness: Thoroughness, distribution: &mut Distribution) {
    compare_drawn(seed, &draw(seed, size), thoroughness, distribution);
}

/// Compares every way to run the engine on a case with the oracle.
pub fn compare_drawn(
    seed: u64,
    refinement: &Correspondence,
    thoroughness: Thoroughness,
    distribution: &mut Distribution,
) {
    let _case = Case(seed, refinement);
    let oracle = &Oracle::new(refinement);
    if oracle.has_idle_process() {
        return assert_idle(&run(refinement, 1, Until::End));
    }
    let fates = oracle.fates();
    let to_the_end = run(refinement, 1, Until::End);
    agrees(oracle, &fates, &to_the_end);
    let to_the_first = run(refinement, 1, Until::FirstViolation);
    match first_walked(oracle, &fates) {
        Some(first) => agrees_until(oracle, &fates, first, &to_the_first),
        None => assert_eq!(to_the_end, to_the_first),
    }
    Modes {
        oracle,
        to_the_end: &to_the_end,
        to_the_first: &to_the_first,
    }
    .compare(seed, thoroughness);
    distribution.add(oracle, &fates);
}

/// Results of random walks, over all cases.
#[derive(Debug, Default)]
pub struct Sampled {
    /// Violations that walks can show, and did.
    pub found: u64,
    /// Those that they did not show.
    pub missed: u64,
    /// Those shown by a counterexample as short as there is.
    pub shortest: u64,
}

/// Compares random walks with the oracle.
pub fn compare_walks(seed: u64, sampled: &mut Sampled) {
    let refinement = &draw(seed, Size::Small);
    let _case = Case(seed, refinement);
    let oracle = &Oracle::new(refinement);
    let fates = oracle.fates();
    let walks = |until, threads| {
        let settings = Settings {
            search: walking(100, 60, seed),
            until,
            threads,
            ..Settings::default()
        };
        let report = checked(refinement, &settings);
        assert_eq!(report.evidence, Evidence::Sampled);
        assert_ne!(report.verdict, Some(Verdict::Holds));
        show(oracle, &report);
        report
    };
    let to_the_end = walks(Until::End, 1);
    for report in [&to_the_end, &walks(Until::FirstViolation, 2)] {
        assert_eq!(report.obligations.len(), fates.len());
        for (row, (name, decided)) in report.obligations.iter().zip(&fates) {
            assert_eq!(row.name, *name);
            if row.verdict == Verdict::Violated {
                assert_eq!(decided.verdict, Verdict::Violated, "{name}");
                assert!(fate(row).length >= decided.length, "{name}");
            }
        }
    }
    for (row, (name, decided)) in to_the_end.obligations.iter().zip(&fates) {
        let shown_by_walks = !name.starts_with("environment") && name != "coverage";
        if shown_by_walks && decided.verdict == Verdict::Violated {
            let found = row.verdict == Verdict::Violated;
            sampled.found += u64::from(found);
            sampled.missed += u64::from(!found);
            sampled.shortest += u64::from(fate(row).length == decided.length);
        }
    }
}

/// A report of the whole state space says what the oracle says.
fn agrees(oracle: &Oracle<'_, Correspondence>, fates: &[(String, Fate)], report: &Report) {
    assert_eq!(report.evidence, Evidence::Exhaustive);
    assert_eq!(report.initial_states, oracle.initial_states as u64);
    assert_eq!(report.states, oracle.states.len() as u64);
    assert_eq!(report.transitions, oracle.transitions() as u64);
    assert_eq!(report.depth, oracle.depth());
    let ends = oracle.steps.iter().filter(|steps| steps.is_empty());
    assert_eq!(report.deadlocks, ends.count() as u64);
    let fired: Vec<_> = report.coverage.iter().map(|row| row.fired).collect();
    assert_eq!(fired, oracle.fired());
    assert_eq!(report.unexercised, oracle.unexercised());

    let rows = report.obligations.iter();
    assert!(
        rows.clone()
            .map(|row| &row.name)
            .eq(fates.iter().map(|(name, _)| name))
    );
    for (row, (name, decided)) in rows.clone().zip(fates) {
        assert!(fate(row) == *decided, "{name}: {row:#?} is {decided:?}");
    }
    let any = |verdict| fates.iter().any(|(_, fate)| fate.verdict == verdict);
    let verdict = match any(Verdict::Violated) {
        true => Verdict::Violated,
        // Where simulation holds nothing is left undecided, but where no rule of the environment was ever enabled.
        false if all_untested(fates) => Verdict::Incomplete,
        false => Verdict::Holds,
    };
    assert_eq!(report.verdict, Some(verdict));
    // Coverage speaks of what is missing everywhere: it is shown only where nothing else is.
    let traced = rows.filter(|row| row.name != "coverage");
    if let Some(shortest) = traced.filter_map(|row| fate(row).length).min() {
        let shown = report.counterexample.as_ref();
        assert_eq!(shown.map(|shown| shown.length as u32), Some(shortest));
    }
    show(oracle, report);
}

/// Whether there are rules of the environment, and none was ever enabled where its process rests.
pub fn all_untested(fates: &[(String, Fate)]) -> bool {
    let is_rule = |name: &str| name.starts_with("environment:") && name != "environment:at_rest";
    let mut rules = fates.iter().filter(|(name, _)| is_rule(name));
    rules.clone().count() > 0 && rules.all(|(_, fate)| fate.verdict == Verdict::Untested)
}

/// An environment with a process that does nothing is a fault of the model.
pub fn assert_idle(report: &Report) {
    let model = row_of(report, "model");
    let mut explained = model.counterexamples.iter();
    assert!(explained.any(|one| {
        one.explanation
            .contains("takes no action of the specification")
    }));
}

/// Fate of an obligation in a report.
pub fn fate(row: &Obligation) -> Fate {
    let lengths = row.counterexamples.iter();
    let lengths = lengths.map(|counterexample| counterexample.length as u32);
    let length = lengths.clone().next();
    assert_eq!(length, lengths.min(), "the first one is a shortest one");
    Fate {
        verdict: row.verdict,
        length,
    }
}

/// The violation at which a check ends: the shortest that a state or a step shows by itself, ties
/// going to the table's order. None where there is no state to show anything.
fn first_walked<'a>(
    oracle: &Oracle<'_, Correspondence>,
    fates: &'a [(String, Fate)],
) -> Option<(&'a str, u32)> {
    fates
        .iter()
        .filter(|_| oracle.initial_states > 0)
        .filter(|(name, _)| !name.starts_with("environment") && name != "coverage")
        .filter_map(|(name, fate)| Some((name.as_str(), fate.length?)))
        .min_by_key(|(_, length)| *length)
}

/// A report that ends at the first violation shows that one, and no verdict that is not so.
fn agrees_until(
    oracle: &Oracle<'_, Correspondence>,
    fates: &[(String, Fate)],
    (first, length): (&str, u32),
    report: &Report,
) {
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let shown = report.counterexample.as_ref().expect("it is shown");
    assert_eq!(
        (shown.obligation.as_str(), shown.length as u32),
        (first, length)
    );
    assert_eq!(report.initial_states, oracle.initial_states as u64);
    // Whole levels: the states to which the last one leads are known, and not expanded.
    assert!(report.depth <= oracle.depth().min(length + 1));
    let reached = oracle.depths.iter().filter(|depth| **depth <= report.depth);
    assert_eq!(report.states, reached.count() as u64);
    assert!(report.transitions <= oracle.transitions() as u64);
    assert_eq!(report.obligations.len(), fates.len());
    for (row, (name, decided)) in report.obligations.iter().zip(fates) {
        assert_eq!(row.name, *name);
        match row.verdict {
            Verdict::Violated | Verdict::NoneDeclared => assert_eq!(fate(row), *decided, "{name}"),
            other => assert_eq!(other, Verdict::Incomplete, "{name}"),
        }
    }
    show(oracle, report);
}
