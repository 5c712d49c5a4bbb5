//! Random refinements whose simulation holds, with random conditions and properties, against the textbook.

use refmap::explore::{Limits, Storage};
use refmap::obligation::Liveness;
use refmap::{
    Fairness, Process, Property, Refinement, Report, Rule, Settings, TransitionSystem, Verdict,
};
use refmap_testing::textbook::{Pairs, Said, Set, Small, has, set};
use refmap_testing::{Random, checked, row_of, verdict_on};

use crate::table::{Correspondence, Label, PROCESSES, State, Table};

/// Prefixes of the names of liveness rows.
const LIVENESS: [&str; 5] = [
    "fairness:",
    "leads-to:",
    "eventually:",
    "always-eventually:",
    "eventually-always:",
];
const RULES: [(&str, &str); 3] = [("put", "worker"), ("get", "worker"), ("sweep", "system")];

fn rules() -> Vec<Rule> {
    let rules = RULES.iter();
    rules
        .map(|(name, process)| Rule::new(name, process, "a test"))
        .collect()
}

/// A label of a rule, of a worker or of the system; `place` makes it differ from the others of its state.
fn label(rng: &mut Random, place: usize) -> Label {
    let rule = rng.below(RULES.len());
    Label {
        rule: rule as u8,
        process: if rule == 2 { 2 } else { rng.below(2) as u8 },
        input: place as u8,
        result: 0,
    }
}

fn condition(rng: &mut Random, name: &'static str) -> Fairness {
    let mut rules = vec![RULES[rng.below(RULES.len())].0];
    if rng.percent(30) {
        rules.push(RULES[rng.below(RULES.len())].0);
    }
    let condition = if rng.percent(50) {
        Fairness::weak(name, rules)
    } else {
        Fairness::strong(name, rules)
    };
    match rng.percent(30) {
        true => condition.jointly(),
        false if rng.percent(30) => condition.of(rng.below(2) as u16),
        false => condition,
    }
}

fn some(rng: &mut Random, rows: usize, chance: usize) -> Set {
    set((0..rows as u32).filter(|_| rng.percent(chance)))
}

/// A case: a refinement, and what its properties say of the rows.
struct Case {
    refinement: Correspondence,
    said: Vec<(String, Said)>,
}

fn case(seed: u64) -> Case {
    let rng = &mut Random(seed);
    let (rows, images) = (2 + rng.below(6), 1 + rng.below(4));
    let mut concrete = Table::new(rules(), rows);
    concrete.initial = vec![0];
    let mut specification = Table::new(rules(), images);
    let map: Vec<usize> = (0..rows).map(|_| rng.below(images)).collect();
    specification.initial = vec![map[0]];
    let mut answers = vec![Vec::new(); rows];
    for _ in 0..rows + rng.below(2 * rows) {
        let (from, to) = (rng.below(rows), rng.below(rows));
        let place = concrete.steps[from].len();
        concrete.steps[from].push((label(rng, place), to));
        let (from_image, to_image) = (map[from], map[to]);
        answers[from].push((from_image != to_image).then(|| {
            let steps = &mut specification.steps[from_image];
            let known = steps.iter().find(|(_, target)| *target == to_image);
            match known.filter(|_| rng.percent(70)) {
                Some((label, _)) => *label,
                None => {
                    let answer = label(rng, steps.len());
                    steps.push((answer, to_image));
                    answer
                }
            }
        }));
    }
    for _ in 0..rng.below(3) {
        let (from, to) = (rng.below(images), rng.below(images));
        let steps = &mut specification.steps[from];
        let further = label(rng, steps.len());
        steps.push((further, to));
    }
    let names = ["one", "two", "three"];
    concrete.fairness = names[..rng.below(4)]
        .iter()
        .map(|name| condition(rng, name))
        .collect();
    specification.fairness = names[..1 + rng.below(2)]
        .iter()
        .map(|name| condition(rng, name))
        .collect();
    let mut refinement = Correspondence::new(concrete, specification);
    (refinement.images, refinement.answers) = (map, answers);
    let chance = 20 + rng.below(60);
    let (premise, conclusion) = (some(rng, rows, 40), some(rng, rows, chance));
    let holds = |of: Set| move |state: &State| has(of, state.row() as u32);
    refinement.properties = vec![
        Property::leads_to("p", "", holds(premise), holds(conclusion)),
        Property::eventually("p", "", holds(conclusion)),
        Property::always_eventually("p", "", holds(conclusion)),
        Property::eventually_always("p", "", holds(conclusion)),
        Property::eventually_always_after("after", "", holds(premise), holds(conclusion)),
    ];
    let said = [
        (
            "leads-to:p",
            Said::LeadsTo {
                premise,
                conclusion,
            },
        ),
        ("eventually:p", Said::Eventually(conclusion)),
        ("always-eventually:p", Said::AlwaysEventually(conclusion)),
        (
            "eventually-always:p",
            Said::EventuallyAlways {
                premise: set(0..rows as u32),
                conclusion,
            },
        ),
        (
            "eventually-always:after",
            Said::EventuallyAlways {
                premise,
                conclusion,
            },
        ),
    ];
    Case {
        refinement,
        said: said.map(|(name, said)| (name.to_owned(), said)).to_vec(),
    }
}

/// The steps of a table by some rules, and by a process if one is given, that change the row.
fn pairs(table: &Table, condition: Option<(&Fairness, Option<Process>)>) -> Vec<(u32, u32)> {
    let mut pairs = Pairs::new();
    for (from, steps) in table.steps.iter().enumerate() {
        for (label, to) in steps {
            let taken = condition.is_none_or(|(condition, process)| {
                let mut rules = condition.rules();
                let name = &*table.rules[usize::from(label.rule)].name;
                let own = PROCESSES[usize::from(label.process)];
                rules.any(|rule| rule == name)
                    && process.is_none_or(|process| process == own)
                    && (condition.process().is_none() || condition.process() == own.number)
            });
            if taken && from != *to {
                pairs.push((from as u32, *to as u32));
            }
        }
    }
    pairs
}

/// The actions of a condition: one of each process, or of all.
fn actions(table: &Table, condition: &Fairness) -> Vec<Pairs> {
    if condition.is_joint() {
        vec![pairs(table, Some((condition, None)))]
    } else {
        PROCESSES[..3]
            .iter()
            .map(|process| pairs(table, Some((condition, Some(*process)))))
            .collect()
    }
}

/// The stem of a lasso that violates a condition of the specification, if there is one.
fn fairness_stem(case: &Correspondence, small: &Small, condition: &Fairness) -> Option<usize> {
    let image = |row: u32| case.images[row as usize] as u32;
    let specification = &case.specification;
    let stems = actions(specification, condition)
        .into_iter()
        .filter_map(|action| {
            let rows = 0..small.states;
            let enabled = rows
                .clone()
                .filter(|row| action.iter().any(|(from, _)| *from == image(*row)));
            let enabled = set(enabled);
            let all = rows
                .clone()
                .flat_map(|from| rows.clone().map(move |to| (from, to)));
            let taken = all.filter(|(from, to)| action.contains(&(image(*from), image(*to))));
            small.stem(&Said::Fair(condition.strength(), enabled, taken.collect()))
        });
    stems.min()
}

fn small(case: &Correspondence) -> Small {
    let table = &case.concrete;
    let conditions = table.fairness.iter().flat_map(|condition| {
        let actions = actions(table, condition).into_iter();
        actions.map(|action| (condition.strength(), action))
    });
    Small {
        states: table.steps.len() as u32,
        initial: set(table.initial.iter().map(|row| *row as u32)),
        steps: pairs(table, None),
        conditions: conditions.collect(),
    }
}

fn decided(case: &Correspondence, threads: usize, storage: Storage) -> Report {
    let settings = Settings {
        threads,
        storage,
        liveness: Liveness::Included,
        until: refmap::obligation::Until::End,
        ..Settings::default()
    };
    checked(case, &settings)
}

/// The stem of the counterexample of an obligation, if it has one that is a lasso.
fn stem(report: &Report, name: &str) -> Option<usize> {
    let row = row_of(report, name);
    row.counterexamples.first()?.loop_start
}

#[test]
fn random_refinements_are_decided_as_the_textbook_decides_them() {
    let cases = 1_500;
    let mut fates = std::collections::BTreeMap::<String, [u64; 2]>::new();
    let mut implied = [0; 2];
    for seed in 0..cases {
        let Case { refinement, said } = case(seed);
        let small = small(&refinement);
        let report = decided(&refinement, 1, Storage::Packed);
        assert_ne!(
            verdict_on(&report, "simulation"),
            Verdict::Violated,
            "{report}"
        );
        for (name, said) in &said {
            let vacuous = match said {
                Said::LeadsTo { premise, .. } | Said::EventuallyAlways { premise, .. } => {
                    premise & small.reached() == 0
                }
                _ => false,
            };
            let expected = small.stem(said);
            assert_eq!(stem(&report, name), expected, "{seed}: {name}: {report}");
            let verdict = verdict_on(&report, name);
            let holds = expected.is_none() && !vacuous;
            assert_eq!(verdict == Verdict::Holds, holds, "{seed}: {name}: {report}");
            fates.entry(name.clone()).or_default()[usize::from(holds)] += 1;
        }
        for condition in refinement.specification().fairness() {
            let name = format!("fairness:{}", condition.name());
            let expected = fairness_stem(&refinement, &small, &condition);
            assert_eq!(stem(&report, &name), expected, "{seed}: {name}: {report}");
            // With conditions of its own, an implementation may show those of the specification.
            if !refinement.concrete.fairness.is_empty() {
                implied[usize::from(expected.is_none())] += 1;
            }
        }
        for other in [
            decided(&refinement, 2, Storage::Packed),
            decided(&refinement, 3, Storage::Whole),
        ] {
            assert_eq!(other.obligations, report.obligations, "{seed}");
        }
    }
    for fate in fates.values() {
        assert!(fate.iter().all(|count| *count > cases / 20), "{fates:?}");
    }
    assert!(
        implied.iter().all(|count| *count > cases / 20),
        "{implied:?}"
    );
}

/// Violations found by a limited search are violations of the whole graph, and nothing holds.
#[test]
fn a_violation_on_a_part_of_the_graph_is_one_of_the_whole() {
    let cases = 400;
    let [mut violated, mut open] = [0, 0];
    for seed in 0..cases {
        let Case { refinement, .. } = case(seed);
        let whole = decided(&refinement, 1, Storage::Packed);
        for states in 1..whole.states {
            let settings = Settings {
                threads: 1 + states as usize % 3,
                liveness: Liveness::Included,
                until: refmap::obligation::Until::End,
                limits: Limits {
                    states: Some(states),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            let part = checked(&refinement, &settings);
            assert!(part.limit.is_some(), "{seed}: {part}");
            for row in &part.obligations {
                if !LIVENESS.iter().any(|kind| row.name.starts_with(kind)) {
                    continue;
                }
                let note = row.note.as_deref().unwrap_or_default();
                assert!(!note.contains("fault"), "{seed}: {part}");
                let of_whole = row_of(&whole, &row.name);
                match row.verdict {
                    Verdict::Violated => {
                        violated += 1;
                        assert_eq!(of_whole.verdict, Verdict::Violated, "{seed}: {part}");
                        assert!(row.counterexamples[0].loop_start.is_some(), "{part}");
                    }
                    verdict => {
                        open += 1;
                        assert_eq!(verdict, Verdict::Incomplete, "{seed}: {part}");
                    }
                }
            }
        }
    }
    assert!(violated > cases && open > cases, "{violated} {open}");
}

/// A property that is violated under a constraint is violated by a behaviour that stays within it, and is violated without it;
/// a violation that stays within is found; and nothing holds that a behaviour might violate that leaves.
#[test]
fn under_a_constraint_behaviours_that_stay_within_are_decided() {
    let cases = 500;
    let [mut violated, mut open, mut held] = [0, 0, 0];
    for seed in 0..cases {
        let Case { mut refinement, .. } = case(seed);
        let whole = decided(&refinement, 1, Storage::Packed);
        let rng = &mut Random(seed ^ 0x00C0_FFEE);
        let rows = refinement.images.len();
        let within: Vec<bool> = (0..rows).map(|row| row == 0 || rng.percent(75)).collect();
        refinement.within = Some(within.clone());
        let part = decided(&refinement, 1 + seed as usize % 3, Storage::Packed);
        let outside = part
            .constraint
            .as_ref()
            .expect("there is one")
            .states_outside;
        let stays = |row: &refmap::report::Obligation| {
            let mut steps = row.counterexamples[0].steps.iter();
            steps.all(|step| {
                let number = |name| step.state[name].as_u64().expect("a number") as u8;
                let (place, secret) = (number("place"), number("secret"));
                within[State {
                    place,
                    secret,
                    lane: 0,
                }
                .row()]
            })
        };
        for row in &part.obligations {
            if !LIVENESS.iter().any(|kind| row.name.starts_with(kind)) {
                continue;
            }
            let note = row.note.as_deref().unwrap_or_default();
            assert!(!note.contains("fault"), "{seed}: {part}");
            let of_whole = row_of(&whole, &row.name);
            if outside == 0 {
                assert_eq!(row, of_whole, "{seed}: {part}");
                held += 1;
                continue;
            }
            let is_lasso = |row: &refmap::report::Obligation| {
                row.counterexamples
                    .first()
                    .is_some_and(|one| one.loop_start.is_some())
            };
            match row.verdict {
                Verdict::Violated => {
                    violated += 1;
                    assert_eq!(of_whole.verdict, Verdict::Violated, "{seed}: {part}");
                    assert!(is_lasso(row) && stays(row), "{seed}: {part}");
                }
                verdict => {
                    open += 1;
                    assert_eq!(verdict, Verdict::Incomplete, "{seed}: {part}");
                    let is_missed = is_lasso(of_whole) && stays(of_whole);
                    assert!(!is_missed, "{seed}: {}: {part}{whole}", row.name);
                }
            }
        }
    }
    assert!(
        violated > cases / 2 && open > cases && held > cases,
        "{violated} {open} {held}"
    );
}
