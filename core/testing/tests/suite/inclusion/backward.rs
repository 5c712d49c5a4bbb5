//! Backward simulations against their definition, evaluated naively, and each obligation with a negative twin.

use std::collections::{BTreeMap, BTreeSet};

use refmap::explore::{Limit, Limits, Panic, Watch};
use refmap::inclusion::{
    BackwardCounterexample, BackwardObligation, BackwardReport, BackwardRow, BackwardSimulation,
    BackwardVerdict, Included, Shown, check_backward_simulation, check_inclusion,
};
use refmap_testing::explicit::{Edge, Explicit};
use serde_json::Value;

use super::random::Random;

/// A relation between two listed systems; `related` shows the abstract states of a state.
struct Related<F> {
    implementation: Explicit,
    specification: Explicit,
    related: F,
}

impl<F: Fn(u8, &mut dyn FnMut(u8))> BackwardSimulation for Related<F> {
    type Implementation = Explicit;
    type Specification = Explicit;

    fn implementation(&self) -> &Explicit {
        &self.implementation
    }

    fn specification(&self) -> &Explicit {
        &self.specification
    }

    fn related(&self, state: &u8, visit: &mut dyn FnMut(u8)) {
        (self.related)(*state, visit);
    }
}

type Relation = BTreeMap<u8, BTreeSet<u8>>;

fn checked_within(
    systems: &[Explicit; 2],
    relation: &Relation,
    limits: Limits,
) -> Result<BackwardReport, Panic> {
    let [implementation, specification] = systems.clone();
    let simulation = Related {
        implementation,
        specification,
        related: |state, visit: &mut dyn FnMut(u8)| {
            let related = relation.get(&state).into_iter().flatten();
            // Each twice, in another order the second time.
            related
                .clone()
                .chain(related.rev())
                .copied()
                .for_each(visit);
        },
    };
    check_backward_simulation(&simulation, limits, Watch::default())
}

fn checked(systems: &[Explicit; 2], relation: &Relation) -> BackwardReport {
    checked_within(systems, relation, Limits::default()).expect("no function panics")
}

fn row(report: &BackwardReport, obligation: BackwardObligation) -> &BackwardRow {
    let mut rows = report.obligations.iter();
    rows.find(|row| row.obligation == obligation)
        .expect("each obligation has a row")
}

/// Obligations that are violated.
fn violated(report: &BackwardReport) -> Vec<BackwardObligation> {
    let rows = report.obligations.iter();
    let violated = rows.filter(|row| row.verdict == BackwardVerdict::Violated);
    violated.map(|row| row.obligation).collect()
}

fn relation(pairs: &[(u8, &[u8])]) -> Relation {
    let pairs = pairs.iter();
    pairs
        .map(|(state, related)| (*state, related.iter().copied().collect()))
        .collect()
}

/// The definition, evaluated on all states and pairs.
mod naive {
    use super::{BTreeMap, BTreeSet, Explicit, Relation};

    pub fn states(system: &Explicit) -> std::ops::Range<u8> {
        0..system.steps.len() as u8
    }

    /// Pairs of states between which a step leads, other than loops.
    pub fn steps(system: &Explicit) -> BTreeSet<(u8, u8)> {
        let all = states(system).zip(&system.steps);
        let pairs = all.flat_map(|(from, steps)| steps.iter().map(move |edge| (from, edge.to)));
        pairs.filter(|(from, to)| from != to).collect()
    }

    /// Distances of the reached states.
    pub fn distances(system: &Explicit) -> BTreeMap<u8, usize> {
        let initial = system.initial.iter();
        let mut distances: BTreeMap<u8, usize> = initial.map(|state| (*state, 0)).collect();
        for distance in 0..system.steps.len() {
            for (from, to) in steps(system) {
                if distances.get(&from) == Some(&distance) {
                    distances.entry(to).or_insert(distance + 1);
                }
            }
        }
        distances
    }

    /// True if steps that show nothing lead from one state to another.
    fn silently(system: &Explicit, from: u8, to: u8) -> bool {
        let mut reached = BTreeSet::from([from]);
        for _ in states(system) {
            for (from, to) in steps(system) {
                let is_silent = system.shown[usize::from(from)] == system.shown[usize::from(to)];
                if is_silent && reached.contains(&from) {
                    reached.insert(to);
                }
            }
        }
        reached.contains(&to)
    }

    /// True if abstract steps lead from one state to another that show what a step of the implementation shows.
    fn followed(systems: &[Explicit; 2], step: (u8, u8), from: u8, to: u8) -> bool {
        let [implementation, specification] = systems;
        let [before, after] =
            [step.0, step.1].map(|state| implementation.shown[usize::from(state)]);
        if before == after {
            return silently(specification, from, to);
        }
        steps(specification).into_iter().any(|(one, other)| {
            let [before, shown] = [one, other].map(|state| specification.shown[usize::from(state)]);
            before != shown
                && shown == after
                && silently(specification, from, one)
                && silently(specification, other, to)
        })
    }

    /// Tests of each obligation: what is tested, with the fewest steps to it, and whether it fails.
    pub fn tests(systems: &[Explicit; 2], relation: &Relation) -> [Vec<(usize, bool)>; 4] {
        let [implementation, specification] = systems;
        let none = BTreeSet::new();
        let related = |state: u8| relation.get(&state).unwrap_or(&none);
        let mut tests: [Vec<(usize, bool)>; 4] = Default::default();
        let distances = distances(implementation);
        for (state, distance) in &distances {
            tests[0].push((*distance, related(*state).is_empty()));
            for one in related(*state) {
                let [shown, other] = [
                    implementation.shown[usize::from(*state)],
                    specification.shown[usize::from(*one)],
                ];
                tests[1].push((*distance, shown != other));
                if implementation.initial.contains(state) {
                    tests[2].push((0, !specification.initial.contains(one)));
                }
            }
        }
        for (from, to) in steps(implementation) {
            let Some(distance) = distances.get(&from) else {
                continue;
            };
            for one in related(to) {
                let mut before = related(from).iter();
                let is_met = before.any(|before| followed(systems, (from, to), *before, *one));
                tests[3].push((distance + 1, !is_met));
            }
        }
        tests
    }

    /// The greatest relation that meets all obligations but that each state is related to some state.
    pub fn greatest(systems: &[Explicit; 2]) -> Relation {
        let [implementation, specification] = systems;
        let mut relation = Relation::new();
        for state in states(implementation) {
            let like = |one: &u8| {
                let is_initial = specification.initial.contains(one);
                specification.shown[usize::from(*one)] == implementation.shown[usize::from(state)]
                    && (is_initial || !implementation.initial.contains(&state))
            };
            relation.insert(state, states(specification).filter(like).collect());
        }
        let reached = distances(implementation);
        loop {
            let mut out = Vec::new();
            for (from, to) in steps(implementation) {
                if !reached.contains_key(&from) {
                    continue;
                }
                for one in &relation[&to] {
                    let mut before = relation[&from].iter();
                    if !before.any(|before| followed(systems, (from, to), *before, *one)) {
                        out.push((to, *one));
                    }
                }
            }
            if out.is_empty() {
                return relation;
            }
            for (state, one) in out {
                relation
                    .get_mut(&state)
                    .expect("it is a state")
                    .remove(&one);
            }
        }
    }
}

/// Asserts that a counterexample is one, and shortest.
fn judge(
    systems: &[Explicit; 2],
    related: &Relation,
    counterexample: &BackwardCounterexample,
    distance: usize,
) {
    let [implementation, specification] = systems;
    let number = |value: &Value| value.as_u64().expect("a state is a number") as u8;
    let shows = |system: &Explicit, state: u8| system.shown[usize::from(state)];
    let (BackwardCounterexample::Total { steps }
    | BackwardCounterexample::Observation { steps, .. }
    | BackwardCounterexample::Initial { steps, .. }
    | BackwardCounterexample::Step { steps, .. }) = counterexample;
    let states: Vec<u8> = steps.iter().map(|step| number(&step.state)).collect();
    assert_eq!(states.len(), distance + 1);
    assert!(implementation.initial.contains(&states[0]));
    for (pair, step) in states.windows(2).zip(&steps[1..]) {
        let action: Edge = Edge {
            rule: step.action.as_ref().expect("it is a step")["rule"]
                .as_u64()
                .expect("a rule is a number") as u8,
            to: pair[1],
        };
        assert!(implementation.steps[usize::from(pair[0])].contains(&action));
    }
    let none = BTreeSet::new();
    let related = |state: &u8| related.get(state).unwrap_or(&none);
    let has_images = |(step, state): (&Shown, &u8)| {
        let images: BTreeSet<u8> = step.specification.iter().map(number).collect();
        images.is_subset(related(state)) && step.specification_states == related(state).len() as u64
    };
    assert!(steps.iter().zip(&states).all(has_images), "{steps:?}");
    let last = states.last().expect("there is a state");
    match counterexample {
        BackwardCounterexample::Total { .. } => assert!(related(last).is_empty()),
        BackwardCounterexample::Observation {
            shows: shown,
            related: one,
            related_shows,
            ..
        } => {
            assert!(related(last).contains(&number(one)));
            assert_ne!(shown, related_shows);
            assert_eq!(*shown, shows(implementation, *last).to_string());
            assert_eq!(
                *related_shows,
                shows(specification, number(one)).to_string()
            );
        }
        BackwardCounterexample::Initial { related: one, .. } => {
            assert!(related(last).contains(&number(one)));
            assert!(!specification.initial.contains(&number(one)));
        }
        BackwardCounterexample::Step {
            rule,
            shows: shown,
            related: one,
            ..
        } => {
            let from = states[states.len() - 2];
            // The definition says of this step and this abstract state alone that it fails.
            let alone = Explicit {
                initial: vec![from],
                steps: {
                    let mut steps = vec![Vec::new(); implementation.steps.len()];
                    steps[usize::from(from)].push(Edge { rule: 0, to: *last });
                    steps
                },
                ..implementation.clone()
            };
            let pair = Relation::from([
                (from, related(&from).clone()),
                (*last, BTreeSet::from([number(one)])),
            ]);
            let [.., tests] = naive::tests(&[alone, specification.clone()], &pair);
            assert_eq!(tests, [(1, true)]);
            let edges = &implementation.steps[usize::from(from)];
            let named = |edge: &Edge| implementation.rules[usize::from(edge.rule)].name == *rule;
            assert!(edges.iter().any(|edge| edge.to == *last && named(edge)));
            let [before, after] = [from, *last].map(|state| shows(implementation, state));
            assert_eq!(*shown, (before != after).then(|| after.to_string()));
        }
    }
}

/// Compares a report with the definition.
fn compare(systems: &[Explicit; 2], relation: &Relation, seed: u64) -> BackwardReport {
    let report = checked(systems, relation);
    let tests = naive::tests(systems, relation);
    let told = format!("seed {seed}: {systems:?} {relation:?}: {report:?}");
    let mut is_violated = false;
    for (row, tests) in report.obligations.iter().zip(&tests) {
        let failed = tests.iter().filter(|(_, fails)| *fails);
        let counts = (tests.len() as u64, failed.clone().count() as u64);
        assert_eq!((row.tested, row.failed), counts, "{told}");
        is_violated |= row.failed > 0;
        let first = failed.map(|(distance, _)| *distance).min();
        assert_eq!(row.counterexample.is_some(), first.is_some(), "{told}");
        if let (Some(counterexample), Some(distance)) = (&row.counterexample, first) {
            judge(systems, relation, counterexample, distance);
        }
    }
    let verdict = match (is_violated, tests[0].is_empty()) {
        (true, _) => BackwardVerdict::Violated,
        (false, true) => BackwardVerdict::Vacuous,
        (false, false) => BackwardVerdict::Holds,
    };
    assert_eq!(report.verdict, verdict, "{told}");
    report
}

fn draw(random: &mut Random, shown: u32) -> Explicit {
    let states = 1 + random.below(6) as u8;
    let number = random.below(u32::from(states) * 2 + 1);
    let below = |random: &mut Random| random.below(states.into()) as u8;
    let rules = [("one", "machine"), ("other", "machine")];
    let mut system = Explicit::new(&rules, &[]);
    system.initial = (0..random.below(3)).map(|_| below(random)).collect();
    system.shown = (0..states).map(|_| random.below(shown) as u8).collect();
    system.steps = vec![Vec::new(); states.into()];
    for _ in 0..number {
        let from = below(random);
        let edge = Edge {
            rule: random.below(2) as u8,
            to: below(random),
        };
        system.steps[usize::from(from)].push(edge);
    }
    system
}

/// Systems of at most six states. What holds is an inclusion by the decision that knows no relation, on all rungs of its ladder.
#[test]
fn the_check_agrees_with_the_definition() {
    let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
    let mut rungs: BTreeMap<Option<u8>, u32> = BTreeMap::new();
    let mut failed: BTreeMap<BackwardObligation, u32> = BTreeMap::new();
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let shown = 1 + random.below(3);
        let implementation = draw(&mut random, shown);
        let mut specification = draw(&mut random, shown);
        if random.below(2) == 0 {
            // What is split in two, or has a step more, is often related.
            specification = implementation.clone();
            let states = specification.steps.len() as u8;
            let split = random.below(states.into());
            specification
                .shown
                .push(specification.shown[split as usize]);
            let kept = &mut specification.steps[split as usize];
            let moved = kept.split_off(kept.len() / 2);
            specification.steps.push(moved);
            for steps in &mut specification.steps {
                for at in 0..steps.len() {
                    if u32::from(steps[at].to) == split {
                        let to = states;
                        steps.push(Edge { to, ..steps[at] });
                    }
                }
            }
            if specification
                .initial
                .iter()
                .any(|state| u32::from(*state) == split)
            {
                specification.initial.push(states);
            }
        }
        let states = specification.steps.len() as u32;
        let systems = [implementation, specification];
        let mut relation = naive::greatest(&systems);
        match random.below(4) {
            0 => {
                for related in relation.values_mut() {
                    *related = (0..states as u8).filter(|_| random.below(2) == 0).collect();
                }
            }
            1 => {
                let state = random.below(systems[0].steps.len() as u32) as u8;
                let one = random.below(states) as u8;
                let related = relation.get_mut(&state).expect("it is a state");
                if !related.remove(&one) {
                    related.insert(one);
                }
            }
            _ => {}
        }
        let report = compare(&systems, &relation, seed);
        *verdicts.entry(report.verdict.to_string()).or_default() += 1;
        for obligation in violated(&report) {
            *failed.entry(obligation).or_default() += 1;
        }
        if report.verdict == BackwardVerdict::Holds {
            let [implementation, specification] = &systems;
            let inclusion = check_inclusion(
                implementation,
                specification,
                Limits::default(),
                Watch::default(),
            );
            let inclusion = inclusion.expect("no function panics");
            assert_eq!(inclusion.verdict, Included::Included, "seed {seed}");
            *rungs.entry(inclusion.rung).or_default() += 1;
        }
    }
    let told = format!("{verdicts:?} {rungs:?} {failed:?}");
    for verdict in ["holds", "violated", "vacuous"] {
        assert!(
            verdicts.get(verdict).is_some_and(|number| *number > 300),
            "{told}"
        );
    }
    for rung in 1..=3 {
        assert!(
            rungs.get(&Some(rung)).is_some_and(|number| *number > 0),
            "{told}"
        );
    }
    for obligation in BackwardObligation::ALL {
        assert!(
            failed.get(&obligation).is_some_and(|number| *number > 100),
            "{told}"
        );
    }
}

const RULES: [(&str, &str); 4] = [
    ("pay", "user"),
    ("tea", "machine"),
    ("coffee", "machine"),
    ("grind", "machine"),
];

/// A machine that chooses when it serves, one that has chosen when it is paid, and the states that are related.
fn machines() -> ([Explicit; 2], Relation) {
    let late = Explicit::new(&RULES, &[(0, "pay", 1), (1, "tea", 2), (1, "coffee", 3)]);
    let mut early = Explicit::new(
        &RULES,
        &[
            (0, "pay", 1),
            (0, "pay", 4),
            (1, "tea", 2),
            (4, "coffee", 3),
        ],
    );
    early.shown = vec![0, 1, 2, 3, 1];
    let related = relation(&[(0, &[0]), (1, &[1, 4]), (2, &[2]), (3, &[3])]);
    ([late, early], related)
}

/// The case that a mapping cannot do without a prophecy variable [Lynch & Vaandrager, section 3].
#[test]
fn a_late_choice_refines_an_early_one_backwards() {
    let (systems, relation) = machines();
    let report = compare(&systems, &relation, 0);
    assert_eq!(report.verdict, BackwardVerdict::Holds);
    let tested = report.obligations.iter().map(|row| row.tested);
    assert_eq!(tested.collect::<Vec<_>>(), [4, 5, 1, 4]);
    assert_eq!((report.states, report.steps, report.pairs), (4, 3, 5));
    let [late, early] = &systems;
    let inclusion = check_inclusion(late, early, Limits::default(), Watch::default());
    assert_eq!(inclusion.expect("no function panics").rung, Some(3));
    // The other way round nothing has to be predicted.
    let turned = [early.clone(), late.clone()];
    let greatest = naive::greatest(&turned);
    assert_eq!(
        compare(&turned, &greatest, 0).verdict,
        BackwardVerdict::Holds
    );
}

#[test]
fn a_state_without_a_related_one_is_found() {
    let (systems, mut relation) = machines();
    relation.remove(&3);
    let report = compare(&systems, &relation, 0);
    assert_eq!(violated(&report), [BackwardObligation::Total]);
    let text = report.to_string();
    assert!(text.contains("the last state is related to none"), "{text}");
}

#[test]
fn a_related_state_that_shows_something_else_is_found() {
    let ([late, mut early], mut relation) = machines();
    early.initial.push(5);
    early.steps.push(Vec::new());
    early.shown.push(9);
    relation.insert(0, BTreeSet::from([0, 5]));
    let systems = [late, early];
    let report = compare(&systems, &relation, 0);
    assert_eq!(violated(&report), [BackwardObligation::Observation]);
    let text = report.to_string();
    assert!(text.contains("related to 5, which shows 9"), "{text}");
    // If it shows the same, it may be related.
    let [late, mut early] = systems;
    early.shown[5] = 0;
    let report = compare(&[late, early], &relation, 0);
    assert_eq!(report.verdict, BackwardVerdict::Holds);
}

#[test]
fn an_initial_state_related_to_one_that_is_not_is_found() {
    let ([late, mut early], mut relation) = machines();
    early.steps.push(Vec::new());
    early.shown.push(0);
    relation.insert(0, BTreeSet::from([0, 5]));
    let report = compare(&[late, early], &relation, 0);
    assert_eq!(violated(&report), [BackwardObligation::Initial]);
}

/// A machine that has chosen coffee and serves none; and a relation that is one forwards.
#[test]
fn a_step_that_cannot_be_followed_backwards_is_found() {
    let ([late, mut early], relation) = machines();
    early.steps[4].clear();
    let report = compare(&[late, early], &relation, 0);
    assert_eq!(violated(&report), [BackwardObligation::Step]);
    let row = row(&report, BackwardObligation::Step);
    let Some(BackwardCounterexample::Step { rule, steps, .. }) = &row.counterexample else {
        panic!("{row:?}");
    };
    assert_eq!((rule.as_str(), steps.len()), ("coffee", 3));
    assert_eq!((row.tested, row.failed), (4, 1));

    let (systems, mut forwards) = machines();
    forwards.insert(1, BTreeSet::from([1]));
    assert_eq!(
        violated(&compare(&systems, &forwards, 0)),
        [BackwardObligation::Step]
    );
}

/// Several abstract steps, of which one shows something, are a step; two that show something are not.
#[test]
fn a_step_is_several_abstract_steps_of_which_one_shows() {
    let ([late, mut early], relation) = machines();
    // Tea is ground before it is served, and after.
    let grind = early.rule("grind");
    early.shown.extend([1, 2]);
    early.steps[1] = vec![Edge { rule: grind, to: 5 }];
    early.steps.push(vec![early.edge("tea", 6)]);
    early.steps.push(vec![Edge { rule: grind, to: 2 }]);
    let systems = [late, early];
    let report = compare(&systems, &relation, 0);
    assert_eq!(report.verdict, BackwardVerdict::Holds, "{report}");
    for noisy in [5, 6] {
        let [late, mut early] = systems.clone();
        early.shown[noisy] = 9;
        let report = compare(&[late, early], &relation, 0);
        assert_eq!(violated(&report), [BackwardObligation::Step], "{report}");
    }
}

#[test]
fn nothing_tested_is_no_pass() {
    let ([mut late, early], relation) = machines();
    late.initial.clear();
    let report = compare(&[late, early], &relation, 0);
    assert_eq!(report.verdict, BackwardVerdict::Vacuous);
    let rows = report.obligations.iter();
    assert!(
        rows.clone()
            .all(|row| row.verdict == BackwardVerdict::Vacuous)
    );
    assert!(report.to_string().starts_with("vacuous: "));
}

/// Nothing is claimed of what lies beyond a limit; what is violated within it is.
#[test]
fn a_limit_leaves_it_incomplete() {
    let (systems, relation) = machines();
    let [states, depth] = [
        Limits {
            states: Some(3),
            ..Limits::default()
        },
        Limits {
            depth: Some(1),
            ..Limits::default()
        },
    ];
    for (limits, limit) in [(states, Limit::States(3)), (depth, Limit::Depth(1))] {
        let report = checked_within(&systems, &relation, limits).expect("no function panics");
        assert_eq!(report.verdict, BackwardVerdict::Incomplete);
        assert_eq!(report.limit, Some(limit));
        let rows = report.obligations.iter();
        assert!(
            rows.clone()
                .all(|row| row.verdict == BackwardVerdict::Incomplete)
        );

        let mut wrong = relation.clone();
        wrong.insert(0, BTreeSet::from([2]));
        let report = checked_within(&systems, &wrong, limits).expect("no function panics");
        assert_eq!(report.verdict, BackwardVerdict::Violated);
        assert_eq!(report.limit, Some(limit));
    }
    let enough = Limits {
        states: Some(16),
        depth: Some(3),
        ..Limits::default()
    };
    let report = checked_within(&systems, &relation, enough).expect("no function panics");
    assert_eq!(report.verdict, BackwardVerdict::Holds);
}

#[test]
fn a_relation_without_end_is_ended_by_a_limit() {
    let ([implementation, specification], _) = machines();
    let simulation = Related {
        implementation,
        specification,
        related: |_, visit: &mut dyn FnMut(u8)| {
            loop {
                visit(0);
            }
        },
    };
    let limits = Limits {
        seconds: Some(0.05),
        ..Limits::default()
    };
    let report = check_backward_simulation(&simulation, limits, Watch::default());
    let report = report.expect("no function panics");
    assert_eq!(report.verdict, BackwardVerdict::Incomplete);
    assert_eq!(report.limit, Some(Limit::Seconds(0.05)));
}

#[test]
fn a_panic_names_the_function() {
    let (systems, mut relation) = machines();
    // It has no observation.
    relation.insert(2, BTreeSet::from([200]));
    let panic = checked_within(&systems, &relation, Limits::default()).expect_err("it panics");
    assert_eq!(panic.function.as_deref(), Some("`observe`"));

    let [implementation, specification] = systems;
    let simulation = Related {
        implementation,
        specification,
        related: |state, visit: &mut dyn FnMut(u8)| {
            assert!(state < 2, "no more is known");
            visit(state);
        },
    };
    let panic = check_backward_simulation(&simulation, Limits::default(), Watch::default());
    let panic = panic.expect_err("it panics");
    assert_eq!(panic.function.as_deref(), Some("`related`"));
    assert_eq!(panic.message, "no more is known");
}

#[test]
fn a_report_is_data() {
    let ([late, mut early], relation) = machines();
    early.steps[4].clear();
    let report = compare(&[late, early], &relation, 0);
    let json = serde_json::to_value(&report).expect("a report is data");
    assert_eq!(json["verdict"], "violated");
    let step = &json["obligations"][3];
    assert_eq!(step["obligation"], "backward:step");
    assert_eq!((&step["tested"], &step["failed"]), (&4.into(), &1.into()));
    assert_eq!(step["counterexample"]["kind"], "step");
    assert_eq!(step["counterexample"]["rule"], "coffee");
    assert_eq!(
        step["counterexample"]["steps"][1]["specification"],
        serde_json::json!([1, 4])
    );
}
