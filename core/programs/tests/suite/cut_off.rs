//! Tests that a verdict names the threads that a bound on loops cuts off.

use refmap::{Evidence, Settings, Verdict, check};
use refmap_programs::{Behaviours, MemoryModel, Program, ProgramBuilder, ProgramRefinement};

/// A thread that counts to so many, within so many jumps back.
fn rounds(rounds: i64, jumps: u8) -> Program {
    let mut program = ProgramBuilder::new("rounds");
    program.backward_jumps(jumps);
    let x = program.location("x", 0);
    program.thread("counting", |t| {
        let r = t.register("r");
        t.repeat_until(r.equals(rounds), |t| {
            t.load(r, x);
            t.store(x, r + 1);
            t.load(r, x);
        });
    });
    program.build().expect("it is well formed")
}

/// Rounds past the bound are not checked: the verdict names the bound and the thread, and does not cover every state.
#[test]
fn a_thread_that_a_bound_cuts_off() {
    let verdict = |count, jumps| {
        let program = rounds(count, jumps);
        let refinement = ProgramRefinement::robust(program, MemoryModel::Sc, 1000);
        let refinement = refinement.expect("it is small");
        check(&refinement, &Settings::default()).expect("the settings fit")
    };
    let whole = verdict(1, 0);
    assert_eq!(whole.verdict, Some(Verdict::Holds), "{whole}");
    assert_eq!(
        (whole.evidence, &whole.cut_off),
        (Evidence::Exhaustive, &None)
    );
    let cut = verdict(3, 0);
    assert_eq!(cut.evidence, Evidence::Bounded, "{cut}");
    let headline = "holds, each loop once: counting was cut off, bounded";
    assert!(cut.to_string().contains(headline), "{cut}");
    let more = verdict(3, 2);
    assert_eq!(more.evidence, Evidence::Exhaustive, "{more}");
}

/// The outputs of further rounds are not among what the specification permits.
#[test]
fn a_specification_that_a_bound_cuts_off() {
    for (jumps, is_told) in [(0, true), (2, false)] {
        let specification = Behaviours::of(rounds(3, jumps), MemoryModel::Sc, 1000);
        let specification = specification.expect("it is small");
        let refinement = ProgramRefinement::new(rounds(1, 0), MemoryModel::Sc, specification);
        let report = check(&refinement, &Settings::default()).expect("the settings fit");
        let cut_off = "the specification is cut off, each loop once: what counting would show";
        let mut warnings = report.warnings.iter();
        let told = warnings.any(|warning| warning.text.contains(cut_off));
        assert_eq!(told, is_told, "{report}");
    }
}
