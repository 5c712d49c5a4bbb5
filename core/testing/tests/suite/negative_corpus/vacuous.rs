//! Statements that say nothing, or less than it seems.

use refmap::explore::Limit;
use refmap::obligation::{Checker, Warnings};
use refmap::report::About;
use refmap::{
    AbstractSteps, Evidence, Refinement, Report, Settings, TypeCorrect, Verdict, Waiver, check,
};

use super::{assert_holds, counter};
use refmap_testing::{Machine, Via, assert_verdict, itself, up_to_states};

/// A report with warnings told, and one with warnings that fail.
fn told_and_strict<R: Refinement>(refinement: &R) -> (Report, Report)
where
    R::Implementation: TypeCorrect,
{
    let check = |warnings| {
        let settings = Settings {
            warnings,
            ..Settings::default()
        };
        let checked = Checker::new(refinement).check(&settings);
        checked.expect("the settings fit")
    };
    (check(Warnings::Told), check(Warnings::Fail))
}

/// The check holds with a warning, and fails where warnings do.
fn assert_warned(refinement: &Via<u8, u8>, about: About, why: &str) {
    let (told, strict) = told_and_strict(refinement);
    assert_eq!(told.verdict, Some(Verdict::Holds), "{told}");
    let mut warnings = told.warnings.iter();
    let is_told = warnings.any(|warning| warning.about == about && warning.text.contains(why));
    assert!(is_told, "{told}");
    assert!(told.to_string().contains("warning: "), "{told}");
    assert_eq!(strict.verdict, Some(Verdict::Violated), "{strict}");
    assert_verdict(&strict, "warnings", Verdict::Violated);
}

#[test]
fn nothing_is_vacuous() {
    let (told, strict) = told_and_strict(&itself(counter()));
    assert_eq!(told.warnings, []);
    assert_eq!(strict.verdict, Some(Verdict::Holds), "{strict}");
}

#[test]
fn a_specification_that_allows_everything() {
    let mut chaos = itself(counter());
    chaos.specification.next = |_| (0..4).map(|to| (("tick", to), to)).collect();
    chaos.abstract_steps = Box::new(|_, _, to| AbstractSteps::One(("tick", *to)));
    assert_warned(&chaos, About::Specification, "it may allow everything");
}

/// Each doubt of the implementation is told; one of the specification bears on nothing that is shown of the implementation.
#[test]
fn an_implementation_that_leaves_behaviours_out() {
    let mut doubtful = itself(counter());
    doubtful.specification.doubts = vec!["it skips"];
    assert_eq!(told_and_strict(&doubtful).0.warnings, []);
    doubtful.implementation.doubts = vec!["it never stops", "it never jumps"];
    for why in ["it never stops", "it never jumps"] {
        assert_warned(&doubtful, About::Implementation, why);
    }
}

#[test]
fn a_specification_that_allows_nearly_everything() {
    let mut chaos = itself(counter());
    chaos.implementation.next = |n| vec![(("tick", (n + 1) % 8), (n + 1) % 8)];
    chaos.specification.next = |n| {
        let to = (0..8).filter(|to| (*n, *to) != (7, 3));
        to.map(|to| (("tick", to), to)).collect()
    };
    assert_warned(&chaos, About::Specification, "(55 of 56 pairs)");
    // A rule that leads to half of them says something.
    chaos.specification.next = |n| {
        let to = (1..5).map(|more| (n + more) % 8);
        to.map(|to| (("tick", to), to)).collect()
    };
    let (told, _) = told_and_strict(&chaos);
    assert_eq!(
        (told.verdict, told.warnings),
        (Some(Verdict::Holds), vec![])
    );
}

#[test]
fn an_observation_that_shows_nothing() {
    let mut blind = itself(counter());
    blind.implementation.observe = |_| 0;
    blind.specification.observe = |_| 0;
    assert_warned(
        &blind,
        About::Observation,
        "all 4 states reached show the same",
    );
}

#[test]
fn a_rule_of_the_specification_that_is_never_enabled() {
    let mut more = itself(counter());
    let rules = [("tick", "clock"), ("reset", "user")];
    more.specification = Machine::new(&rules, [0], more.specification.next, |n| *n);
    assert_warned(&more, About::SpecificationRule, "`reset`");
}

#[test]
fn a_waiver_without_a_reason() {
    let with = |reason| {
        let mut refinement = itself(counter());
        let rules = [("tick", "clock"), ("reset", "user")];
        let next = |n: &u8| vec![(("tick", 0), (n + 1) % 4), (("reset", 0), (n + 2) % 4)];
        refinement.specification = Machine::new(&rules, [0], next, |n| *n);
        refinement.waivers = vec![Waiver {
            rule: "reset",
            reason,
        }];
        refinement
    };
    assert_warned(
        &with(" "),
        About::Waiver,
        "the waiver for `reset` gives no reason",
    );
    let (told, _) = told_and_strict(&with("it is never reset"));
    assert_eq!(
        (told.verdict, told.warnings),
        (Some(Verdict::Holds), vec![])
    );
}

#[test]
fn a_system_that_may_stop_anywhere() {
    let with = |may_stop| {
        let mut stuck = itself(counter());
        stuck.implementation.next = |n| match n {
            3 => Vec::new(),
            _ => vec![(("tick", 0), n + 1)],
        };
        stuck.implementation.may_stop = may_stop;
        stuck
    };
    assert_warned(
        &with(|_| true),
        About::MayStop,
        "`may_stop` is true of every state",
    );
    let (told, _) = told_and_strict(&with(|n| *n == 3));
    assert_eq!(
        (told.verdict, told.warnings),
        (Some(Verdict::Holds), vec![])
    );
}

#[test]
fn type_correct_states_that_leave_reachable_ones_out() {
    for (states, warned) in [(vec![0, 1, 2, 3, 4], false), (vec![0, 1, 3], true)] {
        let mut refinement = itself(counter());
        refinement.implementation.type_correct = states;
        let settings = Settings {
            induction: refmap::obligation::Induction::Included,
            ..Settings::default()
        };
        let checked = Checker::new(&refinement).inductive().check(&settings);
        let report = checked.expect("the settings fit");
        let mut warnings = report.warnings.iter();
        let warning = warnings.find(|warning| warning.about == About::TypeCorrect);
        assert_eq!(warning.is_some(), warned, "{report}");
        if let Some(warning) = warning {
            assert!(warning.text.ends_with(": 2"), "{report}");
        }
    }
}

/// Beside the thread that was stopped another one goes on for ever, so that no state is without a step.
#[test]
fn a_thread_that_is_cut_off_while_another_goes_on() {
    let with = |cut_off| {
        let mut running = itself(counter());
        running.implementation.bound = Some("each loop once");
        running.implementation.cut_off = cut_off;
        check(&running, &Settings::default()).expect("the settings fit")
    };
    let whole = with(|_| vec![]);
    assert_eq!(
        (whole.evidence, &whole.cut_off),
        (Evidence::Exhaustive, &None)
    );
    let cut = with(|n| if *n == 3 { vec!["worker"] } else { vec![] });
    assert_eq!(cut.evidence, Evidence::Bounded, "{cut}");
    let headline = "holds, each loop once: worker was cut off, bounded";
    assert!(cut.to_string().contains(headline), "{cut}");
}

/// A rule of which every step leads back to where it began says nothing, also where its steps are simulated.
#[test]
fn a_rule_whose_steps_all_change_nothing() {
    let refinement = || {
        let next = |n: &u8| vec![(("increment", 0), (n + 1) % 4), (("copy", 0), *n)];
        let rules = [("increment", "counter"), ("copy", "counter")];
        itself(Machine::new(&rules, [0], next, |n| *n))
    };
    let warned = |report: &Report| {
        let rules = report
            .warnings
            .iter()
            .filter(|one| one.about == About::SpecificationRule);
        rules.map(|one| one.text.clone()).collect::<Vec<_>>()
    };
    let hollow = assert_holds(&refinement());
    let told = warned(&hollow);
    assert_eq!(told.len(), 1, "{hollow}");
    assert!(
        told[0].contains("the rule `copy` of the specification"),
        "{hollow}"
    );
    // One step that changes something is enough, wherever it is taken, and by several threads.
    let mut changing = refinement();
    let next = |n: &u8| match n {
        3 => vec![(("increment", 0), 0), (("copy", 0), 2)],
        n => vec![(("increment", 0), n + 1), (("copy", 0), *n)],
    };
    changing.implementation.next = next;
    changing.specification.next = next;
    for threads in [1, 2, 3] {
        let settings = Settings {
            threads,
            ..Settings::default()
        };
        let report = check(&changing, &settings).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(warned(&report), [""; 0]);
    }
    // With warnings as failures the slip is one.
    let strict = Settings {
        warnings: Warnings::Fail,
        ..Settings::default()
    };
    let report = check(&refinement(), &strict).expect("the settings fit");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
}

/// A limit of no states leaves a check incomplete; one without initial states is violated.
#[test]
fn a_limit_of_no_states() {
    let limited = |states| Settings {
        limits: up_to_states(states),
        ..Settings::default()
    };
    for states in [0, 1] {
        let report = check(&itself(counter()), &limited(states)).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        assert_eq!(report.limit, Some(Limit::States(states)), "{report}");
    }
    let mut empty = itself(counter());
    empty.implementation.initial.clear();
    let report = check(&empty, &limited(0)).expect("the settings fit");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
}
