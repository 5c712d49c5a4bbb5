//! Random refinements of a few states whose simulation holds, with random conditions and properties, against plain decomposition.

use refmap::explore::Storage;
use refmap::obligation::{Liveness, Until};
use refmap::report::Obligation;
use refmap::{Fairness, Settings, Verdict};
use refmap_testing::{Random, checked, row_of, until_with, up_to_states};

use super::web::{Answer, Kind, Web, Webs, compare, decided};

/// Prefixes of the names of liveness rows.
const LIVENESS: [&str; 5] = [
    "fairness:",
    "leads-to:",
    "eventually:",
    "always-eventually:",
    "eventually-always:",
];

/// Three rules, the first and the last of workers.
const KINDS: [Kind; 2] = [("worker", &[Some(0), Some(1)]), ("system", &[None])];
const RULES: usize = 3;

fn condition(rng: &mut Random, name: &'static str) -> Fairness {
    let mut rules = vec![rng.below(RULES)];
    if rng.percent(30) {
        rules.push(rng.below(RULES));
    }
    let rules = rules.into_iter().map(|rule| format!("r{rule}"));
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

fn case(seed: u64) -> Webs {
    let rng = &mut Random(seed);
    let (states, images) = (2 + rng.below(6), 1 + rng.below(4));
    let map: Vec<u32> = (0..states).map(|_| rng.below(images) as u32).collect();
    let [mut implementation, mut specification] =
        [states, images].map(|count| Web::new(&KINDS, RULES, count));
    implementation.initial = vec![0];
    specification.initial = vec![map[0]];
    let mut webs = Webs::new(implementation, specification, map);
    for _ in 0..states + rng.below(2 * states) {
        let [from, to] = [0, 1].map(|_| rng.below(states) as u32);
        webs.implementation.add_any(rng, RULES, from, to);
        let [image, target] = [from, to].map(|at| webs.images[at as usize]);
        let last = (image != target).then(|| {
            let add = |web: &mut Web, rng: &mut Random| web.add_any(rng, RULES, image, target);
            webs.specification.known_or(rng, 70, (image, target), add)
        });
        webs.answers[from as usize].push(Answer {
            before: Vec::new(),
            last,
        });
    }
    for _ in 0..rng.below(3) {
        let [from, to] = [0, 1].map(|_| rng.below(images) as u32);
        webs.specification.add_any(rng, RULES, from, to);
    }
    let names = ["one", "two", "three"];
    let some = names[..rng.below(4)].iter();
    webs.implementation.fairness = some.map(|name| condition(rng, name)).collect();
    let some = names[..1 + rng.below(2)].iter();
    webs.specification.fairness = some.map(|name| condition(rng, name)).collect();
    let chance = 20 + rng.below(60);
    let (premise, conclusion) = (rng.bits(states, 40), rng.bits(states, chance));
    webs.add_properties(premise, conclusion.clone(), conclusion);
    webs
}

#[test]
fn random_refinements_are_decided_as_the_decomposition_decides_them() {
    let cases = 1_500;
    let mut fates = std::collections::BTreeMap::<String, [u64; 2]>::new();
    let mut implied = [0; 2];
    for seed in 0..cases {
        let webs = case(seed);
        let report = decided(&webs, 1);
        for row in compare(&webs, &webs.implementation.large(), &report) {
            let holds = row.stem.is_none();
            if !row.name.starts_with("fairness:") {
                fates.entry(row.name).or_default()[usize::from(holds)] += 1;
            } else if !webs.implementation.fairness.is_empty() {
                // With conditions of its own, an implementation may show those of the specification.
                implied[usize::from(holds)] += 1;
            }
        }
        let whole = Settings {
            storage: Storage::Whole,
            liveness: Liveness::Included,
            ..until_with(Until::End, 3)
        };
        for other in [decided(&webs, 2), checked(&webs, &whole)] {
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
        let refinement = case(seed);
        let whole = decided(&refinement, 1);
        for states in 1..whole.states {
            let settings = Settings {
                threads: 1 + states as usize % 3,
                liveness: Liveness::Included,
                until: Until::End,
                limits: up_to_states(states),
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
        let mut refinement = case(seed);
        let whole = decided(&refinement, 1);
        let rng = &mut Random(seed ^ 0x00C0_FFEE);
        let states = refinement.images.len();
        let within: Vec<bool> = (0..states).map(|at| at == 0 || rng.percent(75)).collect();
        refinement.within = Some(within.clone());
        let part = decided(&refinement, 1 + seed as usize % 3);
        let outside = part
            .constraint
            .as_ref()
            .expect("there is one")
            .states_outside;
        let stays = |row: &Obligation| {
            let mut steps = row.counterexamples[0].steps.iter();
            steps.all(|step| within[step.state.as_u64().expect("a number") as usize])
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
            let is_lasso = |row: &Obligation| {
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
