//! Fairness of the specification where steps simulate several abstract steps: random refinements against the definitions,
//! and against the same implementation split into single steps.
//!
//! Processes are of several kinds, and have numbers that some kinds have in common.

mod definitions;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use refmap::obligation::{Liveness, Selection};
use refmap::{Fairness, Refinement, Report, Rule, Settings, TransitionSystem, Verdict};
use refmap_testing::{Random, assert_verdict, checked, mapped, row_of};

use self::definitions::{Definitions, Promise, is_broken_somewhere, promises};
use super::web::{Answer, Kind, Label, Web, Webs};

/// The kinds of processes, with the numbers of those that there are. A rule is of one kind.
const KINDS: [Kind; 3] = [
    ("client", &[Some(0), Some(1), Some(8), Some(300)]),
    ("server", &[Some(0), Some(16), Some(300)]),
    ("clock", &[None]),
];

/// The last rule, which goes on with a step that was split.
const GOES_ON: &str = "go on";

/// System of so many rules, with one to go on.
fn web(rules: usize, states: usize) -> Web {
    let mut web = Web::new(&KINDS, rules, states);
    web.rules.push(Rule::new(GOES_ON, "clock", "a test"));
    web
}

/// Parameters by which a case is drawn.
#[derive(Clone, Copy)]
struct Size {
    /// States of the implementation, at most, and at least half as many.
    states: usize,
    images: usize,
    rules: usize,
    /// Conditions of the implementation.
    conditions: usize,
    /// Whether the conditions say the same of an implementation that is split: strong ones, and weak ones on all rules. Of
    /// those on some rules it takes out that they are enabled all the time.
    splits: bool,
}

/// A condition on one rule of a system, or two, which mostly are those of some of its steps.
fn condition(rng: &mut Random, system: &Web, name: String) -> Fairness {
    let taken: Vec<u16> = system.changing().map(|(_, label, _)| label.rule).collect();
    let rule = |rng: &mut Random| {
        if rng.percent(10) || taken.is_empty() {
            rng.below(system.rules.len() - 1)
        } else {
            usize::from(rng.pick(&taken))
        }
    };
    let mut on = vec![rule(rng)];
    if rng.percent(40) {
        on.push(rule(rng));
    }
    let numbers = system.numbers(on[0]);
    let on = on.into_iter().map(|rule| system.rules[rule].name.clone());
    let condition = if rng.percent(50) {
        Fairness::weak(name, on)
    } else {
        Fairness::strong(name, on)
    };
    match rng.pick(numbers) {
        _ if rng.percent(25) => condition.jointly(),
        Some(number) if rng.percent(25) => condition.of(number),
        _ => condition,
    }
}

/// A condition that says of an implementation what it says of the one that is split.
fn splitting(rng: &mut Random, system: &Web, name: String) -> Fairness {
    if rng.percent(30) {
        return all_together(system, name);
    }
    let drawn = condition(rng, system, name.clone());
    let on: Vec<String> = drawn.rules().map(str::to_owned).collect();
    let strong = Fairness::strong(name, on);
    match drawn.process() {
        _ if drawn.is_joint() => strong.jointly(),
        Some(number) => strong.of(number),
        None => strong,
    }
}

/// That a system does not stop where it has a step.
fn all_together(system: &Web, name: String) -> Fairness {
    let all = system.rules.iter().map(|rule| rule.name.clone());
    Fairness::weak(name, all).jointly()
}

fn draw(seed: u64, size: Size) -> Webs {
    let rng = &mut Random(seed);
    let count = (size.states / 2 + rng.below(size.states.div_ceil(2))).max(1);
    let images = 1 + rng.below(size.images);
    // Some abstract states are images of none.
    let abstract_states = images + rng.below(images + 2);
    let mut implementation = web(size.rules, count);
    let mut specification = web(size.rules, abstract_states);
    let map: Vec<u32> = (0..count).map(|_| rng.below(images) as u32).collect();
    implementation.initial = (0..1 + rng.below(3))
        .map(|_| rng.below(count) as u32)
        .collect();
    let of_initial = implementation.initial.iter();
    specification.initial = of_initial.map(|state| map[*state as usize]).collect();
    let mut answers = vec![Vec::new(); count];
    // From one state to another there may be several steps.
    let several = rng.pick(&[20, 50, 80]);
    for step in 0..count + rng.below(count + 2) {
        let from = if step < count { step } else { rng.below(count) } as u32;
        let to = rng.below(count) as u32;
        let passes = if rng.percent(several) {
            1 + rng.below(2)
        } else {
            0
        };
        if size.splits && from == to {
            continue;
        }
        implementation.add_any(rng, size.rules, from, to);
        let (mut at, target) = (map[from as usize], map[to as usize]);
        let mut step = |rng: &mut Random, at: u32, to: u32| {
            let add = |web: &mut Web, rng: &mut Random| web.add_any(rng, size.rules, at, to);
            specification.known_or(rng, 80, (at, to), add)
        };
        let mut before = Vec::new();
        for _ in 0..passes {
            let between = rng.below(abstract_states) as u32;
            before.push((step(rng, at, between), between));
            at = between;
        }
        let last = (at != target).then(|| step(rng, at, target));
        answers[from as usize].push(Answer { before, last });
    }
    for _ in 0..rng.below(abstract_states + 1) {
        let ends = [0, 1].map(|_| rng.below(abstract_states) as u32);
        specification.add_any(rng, size.rules, ends[0], ends[1]);
    }
    let draw = if size.splits { splitting } else { condition };
    implementation.fairness = (0..rng.below(size.conditions + 1))
        .map(|place| draw(rng, &implementation, format!("c{place}")))
        .collect();
    if rng.percent(70) {
        let goes_on = all_together(&implementation, "all".to_owned());
        implementation.fairness.insert(0, goes_on);
    }
    specification.fairness = (0..1 + rng.below(4))
        .map(|place| condition(rng, &specification, format!("c{place}")))
        .collect();
    Webs {
        answers,
        ..Webs::new(implementation, specification, map)
    }
}

/// The same refinement of an implementation that takes one abstract step at most in each of its own, and goes on between.
fn split(webs: &Webs) -> Webs {
    let mut split = webs.clone();
    let goes_on = (webs.implementation.rules.len() - 1) as u16;
    for (from, answers) in webs.answers.iter().enumerate() {
        for (position, Answer { before, last }) in answers.iter().enumerate() {
            let of = &mut split.implementation.steps;
            let mut at = (from, position);
            let (label, target) = of[from][position];
            for (action, state) in before {
                let between = of.len();
                of[at.0][at.1].1 = between as u32;
                split.answers[at.0][at.1] = Answer {
                    before: Vec::new(),
                    last: Some(*action),
                };
                split.images.push(*state);
                let rule = Label {
                    rule: goes_on,
                    number: None,
                    position: 0,
                };
                of.push(vec![(rule, target)]);
                split.answers.push(Vec::new());
                split.answers[between].push(Answer {
                    before: Vec::new(),
                    last: *last,
                });
                at = (between, 0);
            }
            assert_eq!(label.position, position as u16);
        }
    }
    let all = [Fairness::weak("goes on between", [GOES_ON])];
    split.implementation.fairness.extend(all);
    split
}

fn expected(broken: bool, promises: &[Promise]) -> Verdict {
    match (broken, promises.is_empty()) {
        (true, _) => Verdict::Violated,
        (false, true) => Verdict::Incomplete,
        (false, false) => Verdict::Holds,
    }
}

fn decided(webs: &Webs, threads: usize) -> Report {
    let settings = Settings {
        threads,
        obligations: Selection::only(["simulation", "fairness"]),
        liveness: Liveness::Included,
        ..Settings::default()
    };
    let report = checked(webs, &settings);
    assert_verdict(&report, "simulation", Verdict::Holds);
    report
}

fn verdict(report: &Report, condition: &Fairness) -> Verdict {
    let name = format!("fairness:{}", condition.name());
    let row = row_of(report, &name);
    let note = row.note.as_deref().unwrap_or_default();
    let is_vacuous = note.starts_with("vacuous: ");
    assert_eq!(row.verdict == Verdict::Incomplete, is_vacuous, "{report}");
    row.verdict
}

/// Counters of the verdicts.
#[derive(Default, Debug)]
struct Found {
    violated: u64,
    held: u64,
    vacuous: u64,
    /// Violated or not because of what is between.
    by_what_is_between: u64,
}

impl Found {
    fn note(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Violated => &mut self.violated,
            Verdict::Holds => &mut self.held,
            _ => &mut self.vacuous,
        } += 1;
    }
}

/// A refinement without what is between.
fn without_between(webs: &Webs) -> Webs {
    let mut without = webs.clone();
    for answer in without.answers.iter_mut().flatten() {
        answer.before.clear();
    }
    without
}

const SMALL: Size = Size {
    states: 6,
    images: 4,
    rules: 6,
    conditions: 3,
    splits: false,
};

#[test]
fn random_refinements_with_several_steps_are_decided_as_the_definitions_decide_them() {
    let cases = 400;
    let mut found = Found::default();
    for seed in 0..cases {
        let webs = draw(seed, SMALL);
        let definitions = Definitions::new(&webs);
        let report = decided(&webs, 1);
        let without = without_between(&webs);
        let of_ends = Definitions::new(&without);
        for condition in webs.specification.fairness() {
            let promises = promises(&definitions, &condition);
            let broken = promises
                .iter()
                .any(|promise| definitions.is_broken(promise));
            let expected = expected(broken, &promises);
            let actual = verdict(&report, &condition);
            assert_eq!(actual, expected, "{seed}: {condition:?}: {report}");
            found.note(actual);
            let of_ends = promises.iter().any(|promise| of_ends.is_broken(promise));
            found.by_what_is_between += u64::from(of_ends != broken);
            // The definitions for many states are the same.
            let again = is_broken_somewhere(&definitions, &promises);
            assert_eq!(again, broken, "{seed}: {condition:?}");
        }
    }
    let counts = [found.violated, found.held, found.by_what_is_between];
    assert!(counts.iter().all(|count| *count > cases / 10), "{found:?}");
    assert!(found.vacuous > 10, "{found:?}");
}

#[test]
fn random_refinements_with_several_steps_are_decided_as_those_that_are_split() {
    let cases = 200;
    let mut found = Found::default();
    for seed in 0..cases {
        let states = if seed % 25 == 0 { 250 } else { 12 };
        let webs = draw(
            seed,
            Size {
                states,
                images: states / 2,
                splits: true,
                ..SMALL
            },
        );
        let report = decided(&webs, 1);
        let of_split = decided(&split(&webs), 1);
        for condition in webs.specification.fairness() {
            let expected = verdict(&of_split, &condition);
            let actual = verdict(&report, &condition);
            assert_eq!(
                actual, expected,
                "{seed}: {condition:?}: {report}{of_split}"
            );
            found.note(actual);
        }
    }
    let counts = [found.violated, found.held];
    assert!(counts.iter().all(|count| *count > cases / 10), "{found:?}");
}

/// Hundreds of states, more than 64 conditions, several initial states, and several workers.
#[test]
fn large_refinements_with_several_steps_are_decided_as_the_definitions_decide_them() {
    let mut found = Found::default();
    let mut most = [0; 2];
    for seed in 0..12 {
        let webs = draw(
            seed,
            Size {
                states: 300,
                images: 60,
                rules: 40,
                conditions: 110,
                splits: false,
            },
        );
        let definitions = Definitions::new(&webs);
        let report = decided(&webs, 1);
        for threads in [2, 3] {
            let other = decided(&webs, threads);
            assert_eq!(other.obligations, report.obligations, "{seed}");
        }
        most[0] = most[0].max(definitions.strengths.len());
        most[1] = most[1].max(report.states as usize);
        for condition in webs.specification.fairness() {
            let promises = promises(&definitions, &condition);
            let broken = is_broken_somewhere(&definitions, &promises);
            let expected = expected(broken, &promises);
            let actual = verdict(&report, &condition);
            assert_eq!(actual, expected, "{seed}: {condition:?}: {report}");
            found.note(actual);
        }
    }
    assert!(found.violated > 5 && found.held > 5, "{found:?}");
    assert!(most[0] > 128 && most[1] > 128, "{most:?}");
}

/// The panic may come while states between are numbered, and while a lasso through them is judged and shown.
#[test]
fn a_panic_of_abstract_steps_is_told_at_any_call() {
    let settings = Settings {
        threads: 1,
        obligations: Selection::only(["fairness"]),
        liveness: Liveness::Included,
        ..Settings::default()
    };
    let mut violated = 0;
    for seed in 0..20 {
        let run = |panics_at| {
            let webs = draw(seed, SMALL);
            let calls = Arc::<AtomicU64>::default();
            let (mapping, counted) = (webs.clone(), calls.clone());
            let panicking = mapped(
                webs.implementation.clone(),
                webs.specification.clone(),
                move |state| mapping.map(state),
                move |from, action, to| {
                    let call = counted.fetch_add(1, Ordering::Relaxed) + 1;
                    assert!(call != panics_at, "planted");
                    webs.abstract_steps(from, action, to)
                },
            );
            let report = checked(&panicking, &settings);
            (report, calls.load(Ordering::Relaxed))
        };
        let (report, calls) = run(u64::MAX);
        violated += u64::from(report.verdict == Some(Verdict::Violated));
        assert!(calls > 0, "{seed}");
        for at in 1..=calls {
            let (report, _) = run(at);
            let text = report.to_string();
            let is_told = text.contains("planted") && text.contains("`abstract_steps`");
            assert!(is_told, "{seed}: call {at} of {calls}: {text}");
            assert_ne!(report.verdict, Some(Verdict::Holds), "{seed}: {text}");
        }
    }
    assert!(violated > 5, "{violated}");
}
