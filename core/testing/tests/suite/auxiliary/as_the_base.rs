//! A view, mapped as its base is, is judged as that: random systems with random variables, of which each row that speaks of
//! behaviours has the verdict that it has of the system without the variable.

use std::collections::BTreeMap;

use refmap::auxiliary::{
    History, Recording, Stuttering, Stutters, WithHistory, WithProphecy, WithStuttering, enabled,
};
use refmap::obligation::{Liveness, Settings};
use refmap::{
    AbstractSteps, Action, ActionOf, Fairness, Process, Property, Report, StateOf,
    TransitionSystem, Verdict,
};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{Random, mapped, to_the_end};

use super::checked_in_turn;
use super::oracle::{Table, random_pauses, random_system};

/// Counts the steps of rule `a`, modulo 3; those that change nothing too.
#[derive(Clone)]
pub struct Counts;

impl<S: TransitionSystem> History<S> for Counts {
    type Value = u8;

    fn initial(&self, _: &S, _: &StateOf<S>) -> u8 {
        0
    }

    fn after(
        &self,
        system: &S,
        before: &u8,
        _: &StateOf<S>,
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> u8 {
        (before + u8::from(action.rule(system).0 == 0)) % 3
    }
}

/// Stutters twice before each step of rule `b`, and once after each of rule `a`.
pub struct Twice;

impl<S: TransitionSystem<Action: refmap::State<S>>> Stutters<S> for Twice {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["a", "b"]
    }

    fn before(&self, system: &S, state: &StateOf<S>) -> Vec<(ActionOf<S>, u8)> {
        enabled(system, state, |action| {
            (action.rule(system).0 == 1).then_some(2)
        })
    }

    fn after(
        &self,
        system: &S,
        _: &StateOf<S>,
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> Option<u8> {
        (action.rule(system).0 == 0).then_some(1)
    }

    fn least(&self) -> u8 {
        1
    }

    fn decrease(&self, value: &u8) -> u8 {
        value - 1
    }
}

/// Questions about a base: sets of states, a bit each, and the specification.
#[derive(Clone)]
struct Asked {
    specification: Explicit,
    at_rest: u64,
    premise: u64,
    conclusion: u64,
    /// Number of the case.
    turn: usize,
}

fn random_asked(random: &mut Random, system: &Explicit, turn: usize) -> Asked {
    let states = system.steps.len();
    let mut set = || {
        random
            .some(states, 50)
            .iter()
            .fold(0, |set, one| set | 1 << one)
    };
    let [at_rest, premise, conclusion] = [set(), set(), set()];
    let mut specification = system.clone();
    for edges in &mut specification.steps {
        // What the implementation may refuse, and what it never does.
        if random.percent(25) {
            let edge = Edge {
                rule: random.below(3) as u8,
                to: random.below(states) as u8,
            };
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
    }
    specification.fairness = random_fairness(random);
    Asked {
        specification,
        at_rest: if random.percent(50) {
            u64::MAX
        } else {
            at_rest
        },
        premise,
        conclusion,
        turn,
    }
}

fn random_fairness(random: &mut Random) -> Vec<Fairness> {
    let sets: [&[&'static str]; 3] = [&["a"], &["b"], &["a", "b"]];
    let mut conditions = Vec::new();
    for (name, rules) in ["of a", "of b", "of both"].into_iter().zip(sets) {
        let rules = rules.iter().copied();
        match random.below(4) {
            0 => conditions.push(Fairness::weak(name, rules).jointly()),
            1 => conditions.push(Fairness::strong(name, rules).jointly()),
            _ => (),
        }
    }
    conditions
}

/// The rows of a system that is mapped by its states of the base.
fn rows<C: TransitionSystem<Observation = u8>>(
    implementation: C,
    asked: &Asked,
    below: fn(&StateOf<C>) -> u8,
    taken: fn(&ActionOf<C>) -> Option<Edge>,
) -> (BTreeMap<String, Verdict>, Report) {
    let mut refinement = mapped(
        implementation,
        asked.specification.clone(),
        below,
        move |_, action, _| taken(action).map_or(AbstractSteps::Stutter, AbstractSteps::One),
    );
    let in_set = move |set: u64| move |state: &StateOf<C>| set >> below(state) & 1 == 1;
    let (premise, conclusion) = (asked.premise, asked.conclusion);
    refinement.liveness = vec![
        Property::eventually("c", "a test", in_set(conclusion)),
        Property::always_eventually("c", "a test", in_set(conclusion)),
        Property::eventually_always("c", "a test", in_set(conclusion)),
        Property::leads_to("p c", "a test", in_set(premise), in_set(conclusion)),
    ];
    refinement.environment = vec![Process::new("user")];
    let at_rest = asked.at_rest;
    let is_at_rest = in_set(at_rest);
    refinement.at_rest = Box::new(move |state, _| is_at_rest(state));
    let settings = Settings {
        liveness: Liveness::Included,
        ..to_the_end()
    };
    let report = checked_in_turn(&refinement, &settings, asked.turn);
    let speaks_of_variables = |name: &str| name.starts_with("auxiliary");
    let rows = report.obligations.iter();
    let rows = rows.filter(|row| !speaks_of_variables(&row.name));
    let rows = rows.map(|row| (row.name.clone(), row.verdict)).collect();
    (rows, report)
}

fn loses_nothing(report: &Report) -> bool {
    let mut rows = report.obligations.iter();
    rows.all(|row| !row.name.starts_with("auxiliary") || row.verdict != Verdict::Violated)
}

#[test]
fn a_view_is_judged_as_its_base() {
    let mut random = Random(0xba5e);
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut compared = [0; 6];
    for case in 0..900 {
        let states = 2 + random.below(5);
        let mut system = random_system(&mut random, states);
        let name = |name: &'static str, process| refmap::Rule::new(name, process, "a test");
        system.rules = vec![name("a", "user"), name("b", "it"), name("c", "user")];
        system.may_stop.clear();
        for edges in &mut system.steps {
            if random.percent(15) {
                edges.clear();
            }
        }
        system.fairness = random_fairness(&mut random);
        let asked = random_asked(&mut random, &system, case);
        let (of_base, _) = rows(system.clone(), &asked, |s| *s, |action| Some(*action));
        let kind = case % compared.len();
        let (of_view, report) = match kind {
            0 => rows(
                WithHistory {
                    system: system.clone(),
                    history: Counts,
                },
                &asked,
                |s| s.state,
                |Recording(action)| Some(*action),
            ),
            1 | 2 => {
                let prophecy =
                    Table::random(&mut random, &system, |key: u8| key, |key| *key, 2).coherent();
                let view = WithProphecy {
                    system: system.clone(),
                    prophecy,
                };
                match kind {
                    1 => rows(view, &asked, |s| s.state, |action| Some(action.action)),
                    _ => rows(
                        WithHistory {
                            system: view,
                            history: Counts,
                        },
                        &asked,
                        |s| s.state.state,
                        |Recording(action)| Some(action.action),
                    ),
                }
            }
            3 => rows(
                WithStuttering::new(system.clone(), random_pauses(&mut random, &system)),
                &asked,
                |s| s.state,
                |action| match action {
                    Stuttering::Step(action) => Some(*action),
                    Stuttering::Stutter(_) => None,
                },
            ),
            4 => rows(
                WithHistory {
                    system: WithStuttering::new(
                        system.clone(),
                        random_pauses(&mut random, &system),
                    ),
                    history: Counts,
                },
                &asked,
                |s| s.state.state,
                |Recording(action)| match action {
                    Stuttering::Step(action) => Some(*action),
                    Stuttering::Stutter(_) => None,
                },
            ),
            _ => {
                let prophecy =
                    Table::random(&mut random, &system, |key: u8| key, |key| *key, 2).coherent();
                let system = WithProphecy {
                    system: system.clone(),
                    prophecy,
                };
                rows(
                    WithStuttering::new(system, Twice),
                    &asked,
                    |s| s.state.state,
                    |action| match action {
                        Stuttering::Step(action) => Some(action.action),
                        Stuttering::Stutter(_) => None,
                    },
                )
            }
        };
        if !loses_nothing(&report) {
            continue;
        }
        compared[kind] += 1;
        assert!(of_view.keys().eq(of_base.keys()));
        for (name, verdict) in &of_view {
            // A history over a prophecy, or a stutter before an action, may remember a guess.
            if [2, 4].contains(&kind) && name.starts_with("environment") {
                assert_eq!(*verdict, Verdict::Incomplete);
                continue;
            }
            assert_eq!(
                *verdict, of_base[name],
                "{case} {name}\n{system:?}\n{:?}\n{report}",
                asked.specification
            );
            let row = name.split(':').next().expect("a name has a beginning");
            let key = (row.to_owned(), format!("{verdict:?}"));
            *seen.entry(key).or_default() += 1;
        }
    }
    assert!(compared.iter().all(|count| *count > 25), "{compared:?}");
    for row in [
        "deadlock",
        "coverage",
        "environment",
        "fairness",
        "eventually",
        "always-eventually",
        "eventually-always",
        "leads-to",
    ] {
        for verdict in [Verdict::Holds, Verdict::Violated] {
            let count = seen.get(&(row.to_owned(), format!("{verdict:?}")));
            assert!(
                count.is_some_and(|count| *count > 10),
                "{row} {verdict:?}: {seen:?}"
            );
        }
    }
}
