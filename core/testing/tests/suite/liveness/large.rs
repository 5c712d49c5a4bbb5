//! Random refinements of systems of hundreds of states, with more conditions than a word has bits, several initial states
//! and several workers, against plain decomposition.

use refmap::Fairness;
use refmap_testing::Random;
use refmap_testing::clustered::Clustered;
use refmap_testing::decomposed::{ALTERED, marks};

use super::web::{Answer, Kind, Web, Webs, compare, decided, stem};

const STATES: [usize; 6] = [63, 65, 100, 128, 129, 200];
/// Numbers of actions that may have a condition, each a rule of a process.
const ACTIONS: [usize; 6] = [5, 31, 64, 70, 128, 150];
/// Processes that take each rule.
const PROCESSES: usize = 10;

const WORKERS: [Kind; 1] = [(
    "worker",
    &[
        Some(0),
        Some(1),
        Some(2),
        Some(3),
        Some(4),
        Some(5),
        Some(6),
        Some(7),
        Some(8),
        Some(9),
    ],
)];

fn condition(random: &mut Random, name: String, rule: usize) -> Fairness {
    let rules = [format!("r{rule}")];
    let condition = if random.percent(50) {
        Fairness::weak(name, rules)
    } else {
        Fairness::strong(name, rules)
    };
    match random.below(10) {
        0 => condition.jointly(),
        1 => condition.of(random.below(PROCESSES) as u16),
        _ => condition,
    }
}

fn case(seed: u64) -> Webs {
    let random = &mut Random(seed);
    let actions = ACTIONS[seed as usize % ACTIONS.len()];
    let states = random.pick(&STATES);
    let system = Clustered::new(random, states, actions);
    let rules = actions.div_ceil(PROCESSES);
    let mut implementation = Web::new(&WORKERS, rules, states);
    let mut initial = system.initial.clone();
    initial.sort_unstable();
    initial.dedup();
    // The order of numbers is not that in which they are found.
    let order = random.shuffled(initial.len());
    implementation.initial = order.iter().map(|at| initial[*at as usize]).collect();
    let by = |action: usize| (action / PROCESSES, Some((action % PROCESSES) as u16));
    for (from, action, to) in &system.steps {
        let (rule, number) = by(*action as usize);
        implementation.add(*from, rule, number, *to);
    }
    let conditions = (0..rules).map(|rule| condition(random, format!("condition {rule}"), rule));
    implementation.fairness = conditions.collect();

    // Neighbours have the same image, mostly.
    let images = 1 + random.below(states);
    let mut of_states = vec![0; states];
    for cluster in &system.clusters {
        let common = random.below(images) as u32;
        for at in cluster {
            let own = random.percent(60);
            of_states[*at as usize] = if own {
                random.below(images) as u32
            } else {
                common
            };
        }
    }
    let mut specification = Web::new(&WORKERS, rules, images);
    let initial = implementation.initial.iter();
    specification.initial = initial.map(|at| of_states[*at as usize]).collect();
    specification.initial.sort_unstable();
    specification.initial.dedup();
    let mut webs = Webs::new(implementation, specification, of_states);
    for (from, steps) in webs.implementation.steps.iter().enumerate() {
        for (label, to) in steps {
            let [image, target] = [from, *to as usize].map(|at| webs.images[at]);
            let last = (image != target).then(|| {
                let pair = (image, target);
                webs.specification
                    .known_or(random, 50, pair, |specification, random| {
                        let own = (usize::from(label.rule), label.number);
                        let other = by(random.below(actions));
                        let (rule, number) = if random.percent(70) { own } else { other };
                        specification.add(image, rule, number, target)
                    })
            });
            webs.answers[from].push(Answer {
                before: Vec::new(),
                last,
            });
        }
    }
    let promised = (0..2).map(|number| {
        let rule = random.below(rules);
        condition(random, format!("promise {number}"), rule)
    });
    webs.specification.fairness = promised.collect();

    let all = system.states;
    let chance = 20 + random.below(80);
    let premise = marks(all, system.some_states(random, 30));
    let conclusion = marks(all, system.some_states(random, chance));
    let seldom_chance = random.pick(&[0, 5, 40]);
    let seldom = marks(all, system.some_states(random, seldom_chance));
    let mostly = seldom.iter().map(|is_in| !is_in).collect();
    webs.add_properties(premise, conclusion, mostly);
    webs
}

/// Has refinements decided by one worker, and by two or three, as the decomposition decides them. Each kind of row holds in some
/// and is violated in some; and each alteration changes what is found in some of those that it is tried on.
fn compare_all(seeds: std::ops::Range<u64>, altered_every: u64) {
    let cases = seeds.end - seeds.start;
    let mut fates = [[0; 2]; 6];
    let mut mattered = [0; ALTERED.len()];
    let (mut vacuous_ones, mut greatest) = (0, 0);
    for seed in seeds {
        let webs = case(seed);
        let large = webs.implementation.large();
        let report = decided(&webs, 1);
        greatest = greatest.max(report.states);
        for (kind, row) in compare(&webs, &large, &report).iter().enumerate() {
            let is_violated = row.stem.is_some();
            let is_fairness = row.name.starts_with("fairness:");
            vacuous_ones += u64::from(!is_violated && !row.says_something && !is_fairness);
            if row.says_something {
                fates[kind.min(5)][usize::from(is_violated)] += 1;
            }
            if seed % altered_every == 0 {
                for ((_, alter), mattered) in ALTERED.iter().zip(&mut mattered) {
                    let mut altered = large.clone();
                    alter(&mut altered);
                    *mattered += u64::from(stem(&altered, &row.said) != row.stem);
                }
            }
        }
        let other = decided(&webs, 2 + seed as usize % 2);
        assert_eq!(other.obligations, report.obligations, "{seed}");
    }
    for fate in fates {
        assert!(fate.iter().all(|count| *count > cases / 20), "{fates:?}");
    }
    assert!(greatest > 128, "{greatest}");
    assert!(vacuous_ones > cases / 20, "{vacuous_ones}");
    for ((what, _), count) in ALTERED.iter().zip(mattered) {
        assert!(count > cases / 20, "{what}: {mattered:?}");
    }
}

#[test]
fn large_refinements_are_decided_as_the_decomposition_decides_them() {
    compare_all(0..15, 2);
}

#[test]
#[ignore = "takes minutes"]
fn slow_large_refinements_are_decided_as_the_decomposition_decides_them() {
    compare_all(15..1_515, 2);
}
