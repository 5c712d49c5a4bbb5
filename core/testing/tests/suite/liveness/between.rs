//! Fairness of the specification where steps simulate several abstract steps: random refinements against the definitions,
//! and against the same implementation split into single steps.
//!
//! Processes are of several kinds, and have numbers that some kinds have in common.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use refmap::liveness::Strength;
use refmap::obligation::{Liveness, Selection};
use refmap::{
    Fairness, Process, Refinement, Report, Rule, RuleId, Settings, TransitionSystem, Verdict, check,
};
use serde::Serialize;

use crate::table::random::Rng;

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
    /// Which step of its state it is.
    position: u16,
}

impl refmap::Action for Label {}

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
    fn add(&mut self, rng: &mut Rng, from: u32, to: u32) -> Label {
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

impl TransitionSystem for Web {
    type State = u32;
    type Action = Label;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Label) -> RuleId {
        RuleId(action.rule.into())
    }

    fn process_of(&self, action: &Label) -> Process {
        Process {
            name: self.rules[usize::from(action.rule)].process,
            number: action.number,
        }
    }

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        self.initial.iter().copied().for_each(visit);
    }

    fn next(&self, from: &u32, visit: &mut impl FnMut(Label, u32)) {
        let steps = self.steps[*from as usize].iter();
        steps.for_each(|(label, to)| visit(*label, *to));
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
    type Concrete = Web;
    type Abstract = Web;

    fn implementation(&self) -> &Web {
        &self.implementation
    }

    fn specification(&self) -> &Web {
        &self.specification
    }

    fn map(&self, state: &u32) -> u32 {
        self.images[*state as usize]
    }

    fn abstract_action(&self, from: &u32, action: &Label, _: &u32) -> Option<Label> {
        self.answer(*from, action).last
    }

    fn abstract_steps_before(&self, from: &u32, action: &Label, _: &u32) -> Vec<(Label, u32)> {
        self.answer(*from, action).before.clone()
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
fn condition(rng: &mut Rng, system: &Web, name: String) -> Fairness {
    let taken: Vec<u8> = system.changing().map(|(_, label, _)| label.rule).collect();
    let rule = |rng: &mut Rng| {
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
fn splitting(rng: &mut Rng, system: &Web, name: String) -> Fairness {
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
    let rng = &mut Rng::new(seed);
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
        let mut step = |rng: &mut Rng, at: u32, to: u32| {
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
    let mut split = Webs {
        implementation: webs.implementation.clone(),
        specification: webs.specification.clone(),
        images: webs.images.clone(),
        answers: webs.answers.clone(),
    };
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

/// A step of the implementation, as the definitions speak of it.
struct Edge {
    from: usize,
    to: usize,
    /// The conditions whose action it takes.
    takes: Vec<bool>,
    /// The abstract states that it comes by, first and last included.
    by: Vec<u32>,
}

/// The implementation as the definitions speak of it.
struct Definitions<'a> {
    webs: &'a Webs,
    edges: Vec<Edge>,
    strengths: Vec<Strength>,
    /// Per condition and state, whether it is enabled.
    enabled: Vec<Vec<bool>>,
    reached: Vec<bool>,
}

/// Fairness of an action of the specification, whose steps are these pairs.
struct Promise {
    strength: Strength,
    pairs: BTreeSet<(u32, u32)>,
    enabled: BTreeSet<u32>,
}

impl Promise {
    fn new(strength: Strength, pairs: BTreeSet<(u32, u32)>) -> Self {
        Self {
            strength,
            enabled: pairs.iter().map(|(from, _)| *from).collect(),
            pairs,
        }
    }

    /// Whether a behaviour that breaks the promise may take a step in the end.
    fn may_take(&self, edge: &Edge) -> bool {
        let mut pairs = edge.by.windows(2);
        let takes = pairs.any(|pair| self.pairs.contains(&(pair[0], pair[1])));
        let enabled = |at: &u32| self.enabled.contains(at);
        !takes && (self.strength == Strength::Strong || edge.by.iter().all(enabled))
    }
}

impl<'a> Definitions<'a> {
    fn new(webs: &'a Webs) -> Self {
        let system = &webs.implementation;
        let conditions = system.fairness.iter();
        let actions: Vec<_> = conditions
            .flat_map(|condition| {
                let actions = system.actions(condition).into_iter();
                actions.map(|action| (condition.strength(), action))
            })
            .collect();
        let mut edges = Vec::new();
        let mut enabled = vec![vec![false; system.steps.len()]; actions.len()];
        for (from, steps) in system.steps.iter().enumerate() {
            for (label, to) in steps {
                let to = *to as usize;
                let takes = |(_, action): &(Strength, BTreeSet<(u8, Option<u16>)>)| {
                    from != to && action.contains(&(label.rule, label.number))
                };
                let takes: Vec<bool> = actions.iter().map(takes).collect();
                for (enabled, takes) in enabled.iter_mut().zip(&takes) {
                    enabled[from] |= takes;
                }
                let between = webs.answer(from as u32, label).before.iter();
                let between = between.map(|(_, state)| *state);
                let by = [webs.images[from]].into_iter().chain(between);
                let by = by.chain([webs.images[to]]).collect();
                edges.push(Edge {
                    from,
                    to,
                    takes,
                    by,
                });
            }
        }
        let mut definitions = Self {
            webs,
            edges,
            strengths: actions.into_iter().map(|(strength, _)| strength).collect(),
            enabled,
            reached: vec![false; system.steps.len()],
        };
        for initial in &system.initial {
            let all = vec![true; system.steps.len()];
            let steps = definitions.edges.iter().map(|edge| (edge.from, edge.to));
            let from_here = closure(*initial as usize, &all, steps.collect());
            let reached = definitions.reached.iter_mut().zip(from_here);
            reached.for_each(|(reached, from_here)| *reached |= from_here);
        }
        definitions
    }

    /// The steps that a behaviour may take that breaks a promise.
    fn taken_by(&self, promise: &Promise) -> Vec<&Edge> {
        let edges = self.edges.iter();
        edges.filter(|edge| promise.may_take(edge)).collect()
    }

    /// The conditions that a behaviour fails that stays in some states, and takes all of some steps there.
    fn failed(&self, around: &[bool], edges: &[&Edge]) -> Vec<usize> {
        let edges: Vec<_> = within(edges, around).collect();
        let failed = |condition: &usize| {
            let states = (0..around.len()).filter(|at| around[*at]);
            let mut enabled = states.map(|at| self.enabled[*condition][at]);
            !edges.iter().any(|edge| edge.takes[*condition])
                && match self.strengths[*condition] {
                    Strength::Weak => enabled.all(|enabled| enabled),
                    Strength::Strong => enabled.any(|enabled| enabled),
                }
        };
        (0..self.strengths.len()).filter(failed).collect()
    }

    /// Whether it breaks a promise, coming by the images of the states, and by what is between.
    fn breaks(&self, around: &[bool], edges: &[&Edge], promise: &Promise) -> bool {
        let is_enabled = |at: &u32| promise.enabled.contains(at);
        let states = (0..around.len()).filter(|at| around[*at]);
        let mut images = states.map(|at| is_enabled(&self.webs.images[at]));
        match promise.strength {
            Strength::Weak => images.all(|enabled| enabled),
            Strength::Strong => {
                let mut edges = within(edges, around);
                images.any(|enabled| enabled) || edges.any(|edge| edge.by.iter().any(is_enabled))
            }
        }
    }

    /// Whether a fair behaviour breaks a promise: each set of states is tried as what it visits again and again.
    fn is_broken(&self, promise: &Promise) -> bool {
        let edges = &self.taken_by(promise);
        let count = self.reached.len();
        let sets = (1..1_u32 << count).map(|set| {
            let is_in = |at| set >> at & 1 == 1;
            (0..count).map(is_in).collect::<Vec<bool>>()
        });
        let mut sets = sets.filter(|around| (0..count).all(|at| self.reached[at] || !around[at]));
        sets.any(|around| {
            let mut states = (0..count).filter(|at| around[*at]);
            self.breaks(&around, edges, promise)
                && self.failed(&around, edges).is_empty()
                && states.all(|from| closure(from, &around, ahead(edges)) == around)
        })
    }

    /// The same of many states: of those that lead to each other, which are as many as can be, and of what is left of these
    /// without those in which a strong condition is enabled that they fail.
    fn is_broken_within(&self, mut within: Vec<bool>, edges: &[&Edge], promise: &Promise) -> bool {
        if promise.strength == Strength::Weak {
            let images = self.webs.images.iter();
            let enabled = images.map(|image| promise.enabled.contains(image));
            let both = within.iter_mut().zip(enabled);
            both.for_each(|(within, enabled)| *within &= enabled);
        }
        while let Some(first) = within.iter().position(|within| *within) {
            let back = edges.iter().map(|edge| (edge.to, edge.from)).collect();
            let ahead = closure(first, &within, ahead(edges));
            let both = ahead.iter().zip(closure(first, &within, back));
            let class: Vec<bool> = both.map(|(ahead, behind)| *ahead && behind).collect();
            let failed = self.failed(&class, edges);
            let is_weak = |condition: &usize| self.strengths[*condition] == Strength::Weak;
            if failed.is_empty() {
                if self.breaks(&class, edges, promise) {
                    return true;
                }
            } else if !failed.iter().any(is_weak) {
                let stays =
                    |at: usize| !failed.iter().any(|condition| self.enabled[*condition][at]);
                let left = (0..class.len()).map(|at| class[at] && stays(at)).collect();
                if self.is_broken_within(left, edges, promise) {
                    return true;
                }
            }
            within
                .iter_mut()
                .zip(class)
                .for_each(|(within, decided)| *within &= !decided);
        }
        false
    }
}

/// The steps that stay in some states.
fn within<'e>(edges: &'e [&Edge], around: &'e [bool]) -> impl Iterator<Item = &'e Edge> {
    let edges = edges.iter().copied();
    edges.filter(|edge| around[edge.from] && around[edge.to])
}

fn ahead(edges: &[&Edge]) -> Vec<(usize, usize)> {
    edges.iter().map(|edge| (edge.from, edge.to)).collect()
}

/// States that are reached by some pairs within some states.
fn closure(from: usize, within: &[bool], pairs: Vec<(usize, usize)>) -> Vec<bool> {
    let mut seen = vec![false; within.len()];
    seen[from] = true;
    loop {
        let mut grows = false;
        for (from, to) in &pairs {
            if seen[*from] && within[*to] && !seen[*to] {
                seen[*to] = true;
                grows = true;
            }
        }
        if !grows {
            return seen;
        }
    }
}

/// The promises that a condition of the specification is: of each process for which it is enabled in an image or between.
fn promises(definitions: &Definitions<'_>, condition: &Fairness) -> Vec<Promise> {
    let specification = &definitions.webs.specification;
    let images = definitions.webs.images.iter();
    let images = (0..).zip(images).filter(|(at, _)| definitions.reached[*at]);
    let edges = definitions.edges.iter();
    let edges = edges.filter(|edge| definitions.reached[edge.from]);
    let visited: BTreeSet<u32> = images
        .map(|(_, image)| *image)
        .chain(edges.flat_map(|edge| edge.by.iter().copied()))
        .collect();
    let mut seen = specification.clone();
    for (at, steps) in (0..).zip(&mut seen.steps) {
        steps.retain(|_| visited.contains(&at));
    }
    let promise = |action: BTreeSet<(u8, Option<u16>)>| {
        let steps = seen.changing();
        let steps = steps.filter(|(_, label, _)| action.contains(&(label.rule, label.number)));
        let pairs = steps.map(|(from, _, to)| (from, to)).collect();
        Promise::new(condition.strength(), pairs)
    };
    seen.actions(condition).into_iter().map(promise).collect()
}

/// Whether one of some promises is broken in the states that are reached.
fn is_broken_somewhere(definitions: &Definitions<'_>, promises: &[Promise]) -> bool {
    promises.iter().any(|promise| {
        let edges = definitions.taken_by(promise);
        definitions.is_broken_within(definitions.reached.clone(), &edges, promise)
    })
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
    let report = check(webs, &settings).expect("the settings fit");
    let simulation = report.obligation("simulation").expect("it is chosen");
    assert_eq!(simulation.verdict, Verdict::Holds, "{report}");
    report
}

fn verdict(report: &Report, condition: &Fairness) -> Verdict {
    let name = format!("fairness:{}", condition.name());
    let row = report.obligation(&name).expect("it is decided");
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
    let mut without = Webs {
        implementation: webs.implementation.clone(),
        specification: webs.specification.clone(),
        images: webs.images.clone(),
        answers: webs.answers.clone(),
    };
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

/// A refinement that panics at one call for the abstract steps before the last.
struct Panicking {
    webs: Webs,
    calls: AtomicU64,
    panics_at: u64,
}

impl Refinement for Panicking {
    type Concrete = Web;
    type Abstract = Web;

    fn implementation(&self) -> &Web {
        &self.webs.implementation
    }

    fn specification(&self) -> &Web {
        &self.webs.specification
    }

    fn map(&self, state: &u32) -> u32 {
        self.webs.map(state)
    }

    fn abstract_action(&self, from: &u32, action: &Label, to: &u32) -> Option<Label> {
        self.webs.abstract_action(from, action, to)
    }

    fn abstract_steps_before(&self, from: &u32, action: &Label, to: &u32) -> Vec<(Label, u32)> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(call != self.panics_at, "planted");
        self.webs.abstract_steps_before(from, action, to)
    }
}

/// Where states between are numbered, and where a lasso through them is judged and shown, as elsewhere.
#[test]
fn a_panic_of_what_gives_the_states_between_is_told_at_any_call() {
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
            let report = check(&panicking, &settings).expect("the settings fit");
            (report, panicking.calls.into_inner())
        };
        let (report, calls) = run(u64::MAX);
        violated += u64::from(report.verdict == Some(Verdict::Violated));
        assert!(calls > 0, "{seed}");
        for at in 1..=calls {
            let (report, _) = run(at);
            let text = report.to_string();
            let is_told = text.contains("planted") && text.contains("`abstract_steps_before`");
            assert!(is_told, "{seed}: call {at} of {calls}: {text}");
            assert_ne!(report.verdict, Some(Verdict::Holds), "{seed}: {text}");
        }
    }
    assert!(violated > 5, "{violated}");
}
