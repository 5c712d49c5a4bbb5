//! Observed systems without a mapping, against the definitions on observations; and what of them claims nothing.

use std::collections::{BTreeMap, BTreeSet};

use refmap::auxiliary::{Fate, WithProphecy};
use refmap::inclusion::{Comparison, Evidence, Included, Inclusion, check_inclusion};
use refmap::obligation::{Checkable, Checker};
use refmap::{AbstractSteps, Constraint, TransitionSystem};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::mapped;

use super::oracle::{self, Lts};
use super::random::Random;
use crate::auxiliary::Predicts;

pub fn compared<C, A>(implementation: &C, specification: &A) -> Inclusion
where
    C: TransitionSystem<Observation = u8>,
    A: TransitionSystem<Observation = u8>,
{
    let inclusion = check_inclusion(implementation, specification, &Comparison::default());
    inclusion.expect("nothing panics")
}

/// The same as a labelled system: the label of a step is what is shown after it, if that is something else, and a state of its
/// own leads to the initial ones.
pub fn labelled(system: &Explicit) -> Lts {
    let shown = |state: u8| system.shown[usize::from(state)].to_string();
    let first = system.shown.len() as u32;
    let initial = system.initial.iter();
    let mut steps: Vec<_> = initial
        .map(|to| (first, Some(shown(*to)), u32::from(*to)))
        .collect();
    for (from, edges) in (0..).zip(&system.steps) {
        steps.extend(edges.iter().map(|edge| {
            let changes = shown(from) != shown(edge.to);
            let label = changes.then(|| shown(edge.to));
            (u32::from(from), label, u32::from(edge.to))
        }));
    }
    Lts {
        states: first + 1,
        initial: first,
        steps,
    }
}

/// A system, by its observations and its steps.
fn system(initial: Vec<u8>, shown: Vec<u8>, steps: Vec<Vec<Edge>>) -> Explicit {
    let mut system = Explicit::new(&[("step", "one")], &[]);
    system.initial = initial;
    system.shown = shown;
    system.steps = steps;
    system
}

fn draw(random: &mut Random, states: u32, observations: u32) -> Explicit {
    let states = 1 + random.below(states);
    let shown = (0..states)
        .map(|_| random.below(observations) as u8)
        .collect();
    let steps = (0..states).map(|_| {
        let edges = (0..random.below(4)).map(|_| Edge {
            rule: 0,
            to: random.below(states) as u8,
        });
        let edges: BTreeSet<Edge> = edges.collect();
        edges.into_iter().collect()
    });
    let steps = steps.collect();
    let initial: BTreeSet<u8> = (0..1 + random.below(3))
        .map(|_| random.below(states) as u8)
        .collect();
    system(initial.into_iter().collect(), shown, steps)
}

/// Changes a system a little.
fn change(random: &mut Random, system: &mut Explicit) {
    let states = system.shown.len() as u32;
    let state = random.below(states) as u8;
    let place = usize::from(state);
    match random.below(6) {
        0 if !system.steps[place].is_empty() => {
            system.steps[place].pop();
        }
        1 => {
            let edge = Edge {
                rule: 0,
                to: random.below(states) as u8,
            };
            if !system.steps[place].contains(&edge) {
                system.steps[place].push(edge);
            }
        }
        // Before it shows something it stutters in a new state.
        2 if !system.steps[place].is_empty() => {
            let edge = system.steps[place].pop().expect("there is one");
            system.shown.push(system.shown[place]);
            system.steps.push(vec![edge]);
            system.steps[place].push(Edge {
                rule: 0,
                to: states as u8,
            });
        }
        // A choice is made by the step to a state, and not there.
        _ => {
            let (mut here, mut there) = (Vec::new(), Vec::new());
            for edge in std::mem::take(&mut system.steps[place]) {
                if random.below(2) == 0 {
                    here.push(edge);
                } else {
                    there.push(edge);
                }
            }
            system.steps[place] = here;
            system.shown.push(system.shown[place]);
            system.steps.push(there);
            let half = states as u8;
            for edges in &mut system.steps {
                if edges.iter().any(|edge| edge.to == state) {
                    edges.push(Edge { rule: 0, to: half });
                }
            }
            if system.initial.contains(&state) {
                system.initial.push(half);
            }
        }
    }
}

/// A pair of an implementation and a specification.
pub fn pair(random: &mut Random, states: u32, observations: u32) -> (Explicit, Explicit) {
    let implementation = draw(random, states, observations);
    let mut specification = implementation.clone();
    if random.below(4) == 0 {
        specification = draw(random, states, observations);
    } else {
        for _ in 0..random.below(6) {
            change(random, &mut specification);
        }
    }
    (implementation, specification)
}

/// The first rung of the ladder that succeeds.
pub fn rung(implementation: &Explicit, specification: &Explicit) -> Option<u8> {
    oracle::rung(&labelled(implementation), &labelled(specification))
}

/// Compares the engine with the definitions on random pairs; returns how often each rung was the first.
fn compare(
    seeds: std::ops::Range<u64>,
    states: u32,
    observations: u32,
) -> BTreeMap<Option<u8>, u32> {
    let mut rungs = BTreeMap::new();
    for seed in seeds {
        let (implementation, specification) = pair(&mut Random::new(seed), states, observations);
        let [one, other] = [&implementation, &specification].map(labelled);
        // The first label is what is shown in the beginning.
        let length = oracle::shortest_difference(&one, &other).map(|length| length - 1);
        let rung = rung(&implementation, &specification);
        let found = compared(&implementation, &specification);
        let told = format!("seed {seed}: {implementation:?} in {specification:?}: {found:?}");
        assert_eq!(found.trace_length, length, "{told}");
        assert_eq!(found.rung, rung, "{told}");
        assert_eq!(
            found.verdict == Included::NotIncluded,
            length.is_some(),
            "{told}"
        );
        *rungs.entry(rung).or_default() += 1;
    }
    rungs
}

#[test]
fn the_ladder_of_observed_systems_agrees_with_the_definitions() {
    let rungs = compare(0..3_000, 8, 3);
    for rung in [Some(1), Some(2), Some(3), None] {
        assert!(rungs[&rung] > 15, "{rungs:?}");
    }
}

/// More than 64 states and observations.
#[test]
fn the_ladder_of_larger_observed_systems_agrees_with_the_definitions() {
    for observations in [3, 80] {
        compare(0..4, 100, observations);
    }
}

/// Without an initial state nothing is compared: that claims nothing.
#[test]
fn an_implementation_without_an_initial_state_claims_nothing() {
    let specification = Explicit::new(&[("step", "one")], &[(0, "step", 1)]);
    let mut implementation = specification.clone();
    assert_eq!(
        compared(&implementation, &specification).verdict,
        Included::Included
    );
    implementation.initial.clear();
    let found = compared(&implementation, &specification);
    assert_eq!((found.verdict, found.rung), (Included::Incomplete, None));
    assert_eq!(found.evidence, None);
    let told = found.to_string();
    assert!(
        told.contains("the implementation has no initial state"),
        "{told}"
    );
}

/// A prophecy that loses a behaviour is left out of the comparison; under a constraint, which may speak of it, it cannot be, and then
/// an inclusion claims nothing.
#[test]
fn a_variable_that_loses_behaviours_makes_no_inclusion() {
    let rules = &[("step", "one")];
    let implementation = Explicit::new(rules, &[(0, "step", 1), (1, "step", 2), (1, "step", 3)]);
    // It predicts 2, and never 3.
    let predicts = Predicts::new(
        |state| if state == 1 { vec![0] } else { Vec::new() },
        |_, _| vec![2],
        |(_, predicted), _, edge| Fate::Fulfil {
            comes_true: predicted == edge.to,
        },
    );
    let specification = Explicit::new(rules, &[(0, "step", 1), (1, "step", 2)]);
    let with_variable = || WithProphecy {
        system: implementation.clone(),
        prophecy: predicts.clone(),
    };
    // The naive way: the system with the variable shows less.
    let naive = compared(&with_variable(), &specification);
    assert_eq!(naive.verdict, Included::Included);
    let refinement = |constraint| {
        let mut refinement = mapped(
            with_variable(),
            specification.clone(),
            |of| of.state,
            |_, action, _| AbstractSteps::One(action.action),
        );
        refinement.constraint = constraint;
        let checker = Checker::owning(refinement);
        let found = checker.include(&Comparison::default());
        found.expect("nothing panics")
    };
    let left_out = refinement(None);
    assert_eq!(left_out.verdict, Included::NotIncluded);
    assert_eq!(left_out.variables, ["prophecy"]);
    let constrained = refinement(Some(Constraint::new("all", |_| true)));
    assert_eq!(constrained.verdict, Included::Incomplete);
    assert!(constrained.unclaimed.is_some());
}

/// A specification that says by `allows` what its steps are.
struct ByAllows(Explicit);

impl AsRef<Explicit> for ByAllows {
    fn as_ref(&self) -> &Explicit {
        &self.0
    }
}

impl TransitionSystem for ByAllows {
    type State = u8;
    type Action = Edge;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        self.0.initial(visit);
    }

    fn candidates(&self, from: &u8, visit: &mut impl FnMut(Edge)) {
        self.0.candidates(from, visit);
    }

    fn fire(&self, action: &Edge, state: &mut u8) -> Option<()> {
        self.0.fire(action, state)
    }

    fn observe(&self, state: &u8) -> u8 {
        self.0.observe(state)
    }

    fn allows(&self, from: &u8, action: &Edge, to: &u8) -> bool {
        // Of an action that it visits it says what `next` says, or it would contradict itself.
        refmap::successor(&self.0, from, action).is_none_or(|target| target == *to)
    }
}

/// Steps that `allows` permits beyond `next` are not looked at, and a refutation says so.
#[test]
fn a_refutation_says_that_steps_were_not_enumerated() {
    let rules = &[("step", "one")];
    let implementation = Explicit::new(rules, &[(0, "step", 1), (1, "step", 2)]);
    let specification = Explicit::new(rules, &[(0, "step", 1)]);
    let plain = compared(&implementation, &specification);
    assert_eq!(plain.verdict, Included::NotIncluded);
    assert!(plain.warnings.is_empty());
    assert!(matches!(plain.evidence, Some(Evidence::Trace { .. })));
    let by_allows = compared(&implementation, &ByAllows(specification));
    assert_eq!(by_allows.verdict, Included::NotIncluded);
    assert!(
        by_allows
            .to_string()
            .contains("warning: the specification overrides `allows`")
    );
}
