//! Fairness of the specification where steps simulate several abstract steps: random refinements against the definitions,
//! and against the same implementation split into single steps.
//!
//! Processes are of several kinds, and have numbers that some kinds have in common.

mod definitions;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use refmap::obligation::{Liveness, Selection};
use refmap::{
    AbstractSteps, Fairness, Process, Refinement, Report, Rule, RuleId, Settings, TransitionSystem,
    Verdict,
};
use refmap_testing::{Random, checked, row_of};
use serde::Serialize;

use self::definitions::{Definitions, Promise, is_broken_somewhere, promises};

/// The kinds of processes, with the numbers of those that there are. A rule is of one kind.
const KINDS: [(&str, &[Option<u16>]); 3] = [
    ("client", &[Some(0), Some(1), Some(8), Some(300)]),
    ("server", &[Some(0), Some(16), Some(300)]),
    ("clock", &[None]),
];

/// The last rule, which goes on with a step that was split.
const GOES_ON: &str = "go on";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Label {
    rule: u8,
    number: Option<u16>,
    /// Index among its state's steps.
    position: u16,
}

/// System, step by step.
#[derive(Clone)]
struct Web {
    rules: Vec<Rule>,
    initial: Vec<u32>,
    steps: Vec<Vec<(Label, u32)>>,
    fairness: Vec<Fairness>,
}

impl Web {
    fn new(rules: usize, states: usize) -> Self {
        let kind = |rule: usize| KINDS[rule % KINDS.len()].0;
        let named = (0..rules).map(|rule| (format!("r{rule}"), kind(rule)));
        let all = named.chain([(GOES_ON.to_owned(), "clock")]);
        Self {
            rules: all
                .map(|(name, process)| Rule {
                    name: name.into(),
                    ..Rule::new("", process, "a test")
                })
                .collect(),
            initial: Vec::new(),
            steps: vec![Vec::new(); states],
            fairness: Vec::new(),
        }
    }

    /// Adds a step by some rule and process of its kind.
    fn add(&mut self, rng: &mut Random, from: u32, to: u32) -> Label {
        let rule = rng.below(self.rules.len() - 1);
        let label = Label {
            rule: rule as u8,
            number: rng.pick(KINDS[rule % KINDS.len()].1),
            position: self.steps[from as usize].len() as u16,
        };
        self.steps[from as usize].push((label, to));
        label
    }

    /// Labels of all steps that change the state.
    fn changing(&self) -> impl Iterator<Item = (u32, Label, u32)> {
        let steps = (0..).zip(&self.steps);
        let steps = steps.flat_map(|(from, steps)| steps.iter().map(move |step| (from, step)));
        let steps = steps.map(|(from, (label, to))| (from, *label, *to));
        steps.filter(|(from, _, to)| from != to)
    }

    /// The actions of a condition: of each process that takes one, or of all.
    fn actions(&self, condition: &Fairness) -> Vec<BTreeSet<(u8, Option<u16>)>> {
        let rule_is_of = |label: &Label| {
            let own = &*self.rules[usize::from(label.rule)].name;
            condition.rules().any(|rule| rule == own)
        };
        let taken = self.changing().map(|(_, label, _)| label);
        let taken = taken.filter(rule_is_of);
        let taken = taken.filter(|label| {
            let single = condition.process();
            single.is_none_or(|number| label.number == Some(number))
        });
        let taken: BTreeSet<_> = taken.map(|label| (label.rule, label.number)).collect();
        if condition.is_joint() {
            return Some(taken)
                .filter(|taken| !taken.is_empty())
                .into_iter()
                .collect();
        }
        let process =
            |(rule, number): &(u8, Option<u16>)| (usize::from(*rule) % KINDS.len(), *number);
        let processes: BTreeSet<_> = taken.iter().map(process).collect();
        let of = |one: &(usize, Option<u16>)| {
            let own = taken.iter().filter(|label| process(label) == *one);
            own.copied().collect()
        };
        processes.iter().map(of).collect()
    }
}

impl refmap::Action<Web> for Label {
    fn rules(system: &Web) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, _: &Web) -> RuleId {
        RuleId(self.rule.into())
    }

    fn process(&self, system: &Web) -> Process {
        Process {
            name: system.rules[usize::from(self.rule)].process,
            number: self.number,
        }
    }
}

impl TransitionSystem for Web {
    type State = u32;
    type Action = Label;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        self.initial.iter().copied().for_each(visit);
    }

    fn candidates(&self, from: &u32, visit: &mut impl FnMut(Label)) {
        let steps = self.steps[*from as usize].iter();
        steps.map(|(label, _)| *label).for_each(visit);
    }

    fn fire(&self, action: &Label, state: &mut u32) -> Option<()> {
        let steps = &self.steps[*state as usize];
        let (label, to) = steps.get(usize::from(action.position))?;
        (label == action).then(|| *state = *to)
    }

    fn observe(&self, _: &u32) {}

    fn may_stop(&self, _: &u32) -> bool {
        true
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// Abstract steps that a step simulates.
#[derive(Clone)]
struct Answer {
    before: Vec<(Label, u32)>,
    last: Option<Label>,
}

/// Refinement, step by step.
#[derive(Clone)]
struct Webs {
    implementation: Web,
    specification: Web,
    images: Vec<u32>,
    /// Per state and step.
    answers: Vec<Vec<Answer>>,
}

impl Webs {
    fn answer(&self, from: u32, action: &Label) -> &Answer {
        &self.answers[from as usize][usize::from(action.position)]
    }
}

impl Refinement for Webs {
    type Implementation = Web;
    type Specification = Web;

    fn implementation(&self) -> &Web {
        &self.implementation
    }

    fn specification(&self) -> &Web {
        &self.specification
    }

    fn map(&self, state: &u32) -> u32 {
        self.images[*state as usize]
    }

    fn abstract_steps(&self, from: &u32, action: &Label, _: &u32) -> AbstractSteps<Label> {
        let Answer { before, last } = self.answer(*from, action);
        if before.is_empty() {
            return (*last).into();
        }
        let before = before.iter().map(|(label, _)| *label);
        AbstractSteps::Several(before.chain(*last).collect())
    }
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
    let taken: Vec<u8> = system.changing().map(|(_, label, _)| label.rule).collect();
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
    let numbers = KINDS[on[0] % KINDS.len()].1;
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
    let mut implementation = Web::new(size.rules, count);
    let mut specification = Web::new(size.rules, abstract_states);
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
        implementation.add(rng, from, to);
        let (mut at, target) = (map[from as usize], map[to as usize]);
        let mut step = |rng: &mut Random, at: u32, to: u32| {
            let mut known = specification.steps[at as usize].iter();
            let known = known.find(|(_, target)| *target == to);
            match known.copied().filter(|_| rng.percent(80)) {
                Some((label, _)) => label,
                None => specification.add(rng, at, to),
            }
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
        specification.add(rng, ends[0], ends[1]);
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
        implementation,
        specification,
        images: map,
        answers,
    }
}

/// The same refinement of an implementation that takes one abstract step at most in each of its own, and goes on between.
fn split(webs: &Webs) -> Webs {
    let mut split = webs.clone();
    let goes_on = (webs.implementation.rules.len() - 1) as u8;
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
    let simulation = row_of(&report, "simulation");
    assert_eq!(simulation.verdict, Verdict::Holds, "{report}");
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

/// A refinement that panics at one call for the abstract steps.
struct Panicking {
    webs: Webs,
    calls: AtomicU64,
    panics_at: u64,
}

impl Refinement for Panicking {
    type Implementation = Web;
    type Specification = Web;

    fn implementation(&self) -> &Web {
        &self.webs.implementation
    }

    fn specification(&self) -> &Web {
        &self.webs.specification
    }

    fn map(&self, state: &u32) -> u32 {
        self.webs.map(state)
    }

    fn abstract_steps(&self, from: &u32, action: &Label, to: &u32) -> AbstractSteps<Label> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(call != self.panics_at, "planted");
        self.webs.abstract_steps(from, action, to)
    }
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
            let panicking = Panicking {
                webs: draw(seed, SMALL),
                calls: AtomicU64::new(0),
                panics_at,
            };
            let report = checked(&panicking, &settings);
            (report, panicking.calls.into_inner())
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
