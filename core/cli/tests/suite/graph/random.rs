//! Random systems of at most eight states, against the textbook.

use std::fmt::Write;

use refmap::Strength;
use refmap::internal::liveness::Lasso;
use refmap_cli::graph::{Decider, PropertyKind, System, Vacuous, read};
use refmap_testing::Random;
use refmap_testing::decomposed::{Large, Marks, marks};
use refmap_testing::textbook::{Pairs, Said, Set, Small, has, set};

/// Kinds of properties of labels, and whether one has a premise.
const KINDS: [(&str, bool); 6] = [
    ("leads_to", true),
    ("eventually", false),
    ("always_eventually", false),
    ("eventually_always", false),
    ("eventually_always", true),
    ("always", false),
];

/// The line of a random system.
fn line(seed: u64) -> String {
    let random = &mut Random(seed);
    let states = 1 + random.below(8);
    let rules = ["a", "b", "c", "d"];
    let mut steps = String::new();
    let mut used = Vec::new();
    for _ in 0..states + random.below(2 * states + 1) {
        let rule = random.below(rules.len());
        used.push(rule);
        let (from, to) = (random.below(states), random.below(states));
        write!(steps, "[{from},\"{}\",{to}],", rules[rule]).expect("a string takes all");
    }
    used.sort_unstable();
    used.dedup();
    let some_rules = |random: &mut Random| {
        let one = used[random.below(used.len())];
        let more = used[random.below(used.len())];
        match random.below(3) {
            0 => format!("[\"{}\",\"{}\"]", rules[one], rules[more]),
            _ => format!("[\"{}\"]", rules[one]),
        }
    };
    let mut fairness = String::new();
    for number in 0..random.below(5) {
        let kind = ["weak", "strong"][random.below(2)];
        let rules = some_rules(random);
        write!(
            fairness,
            "{{\"name\":\"F{number}\",\"kind\":\"{kind}\",\"rules\":{rules}}},"
        )
        .expect("a string takes all");
    }
    let mut properties = String::new();
    for (kind, has_premise) in KINDS {
        let premise = if has_premise {
            "\"premise\":\"P\","
        } else {
            ""
        };
        let name = format!("{kind} {has_premise}");
        write!(
            properties,
            "{{\"name\":\"{name}\",\"kind\":\"{kind}\",{premise}\"conclusion\":\"Q\"}},"
        )
        .expect("a string takes all");
    }
    for kind in ["weak_fairness", "strong_fairness"] {
        let rules = some_rules(random);
        write!(
            properties,
            "{{\"name\":\"{kind}\",\"kind\":\"{kind}\",\"rules\":{rules}}},"
        )
        .expect("a string takes all");
    }
    let percent = 10 + random.below(50);
    let (premise, conclusion) = (random.some(states, 30), random.some(states, percent));
    let mut initial = vec![random.below(states)];
    initial.extend(random.some(states, 10));
    let list = |text: &str| text.trim_end_matches(',').to_owned();
    format!(
        "{{\"name\":\"{seed}\",\"states\":{states},\"initial\":{initial:?},\
         \"labels\":{{\"P\":{premise:?},\"Q\":{conclusion:?}}},\"steps\":[{}],\
         \"fairness\":[{}],\"properties\":[{}]}}",
        list(&steps),
        list(&fairness),
        list(&properties)
    )
}

/// The pairs of different states that steps by some rules join.
fn pairs(system: &System, rules: Option<&[u32]>) -> Pairs {
    let steps = system.steps.iter();
    let of = steps
        .filter(|(from, rule, to)| from != to && rules.is_none_or(|rules| rules.contains(rule)));
    of.map(|(from, _, to)| (*from, *to)).collect()
}

/// The system as the decomposition has it.
pub fn large(system: &System) -> Large {
    let conditions = system.conditions.iter();
    Large {
        states: system.given.len() as u32,
        initial: system.initial.clone(),
        steps: pairs(system, None),
        conditions: conditions
            .map(|one| (one.strength, pairs(system, Some(&one.rules))))
            .collect(),
    }
}

fn small(system: &System) -> Small {
    let large = large(system);
    Small {
        states: large.states,
        initial: set(large.initial),
        steps: large.steps,
        conditions: large.conditions,
    }
}

/// Meaning of a property, with a type of sets of states.
pub fn said<S>(system: &System, kind: &PropertyKind, label: impl Fn(&[u32]) -> S) -> Said<S> {
    let fair = |strength, rules: &[u32]| {
        let pairs = pairs(system, Some(rules));
        let enabled: Vec<u32> = pairs.iter().map(|(from, _)| *from).collect();
        Said::Fair(strength, label(&enabled), pairs)
    };
    let all: Vec<u32> = (0..system.given.len() as u32).collect();
    match kind {
        PropertyKind::LeadsTo {
            premise,
            conclusion,
        } => Said::LeadsTo {
            premise: label(premise),
            conclusion: label(conclusion),
        },
        PropertyKind::Eventually(one) => Said::Eventually(label(one)),
        PropertyKind::AlwaysEventually(one) => Said::AlwaysEventually(label(one)),
        PropertyKind::EventuallyAlways {
            premise,
            conclusion,
        } => Said::EventuallyAlways {
            premise: label(premise.as_ref().unwrap_or(&all)),
            conclusion: label(conclusion),
        },
        PropertyKind::Always(one) => Said::Always(label(one)),
        PropertyKind::WeaklyFair(rules) => fair(Strength::Weak, rules),
        PropertyKind::StronglyFair(rules) => fair(Strength::Strong, rules),
    }
}

/// Reason why a property says nothing, from its definition.
pub fn vacuous(system: &System, kind: &PropertyKind, reached: &Marks) -> Option<Vacuous> {
    let is_any_reached = |states: &[u32]| states.iter().any(|at| reached[*at as usize]);
    match kind {
        PropertyKind::LeadsTo { premise, .. }
        | PropertyKind::EventuallyAlways {
            premise: Some(premise),
            ..
        } => (!is_any_reached(premise)).then_some(Vacuous::Premise),
        PropertyKind::WeaklyFair(rules) | PropertyKind::StronglyFair(rules) => {
            let pairs = pairs(system, Some(rules));
            let enabled: Vec<u32> = pairs.iter().map(|(from, _)| *from).collect();
            (!is_any_reached(&enabled)).then_some(Vacuous::Action)
        }
        _ => None,
    }
}

/// Decides random systems, and asks the textbook and the decomposition. Each kind of property has to hold in some, to be
/// violated in some, to be violated by a loop of several steps, and to be vacuous if it can be.
fn compare(seeds: std::ops::Range<u64>) {
    let cases = seeds.end - seeds.start;
    let mut fates = [[0; 4]; 8];
    for seed in seeds {
        let line = line(seed);
        let system = read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
        let decider = Decider::new(&system);
        let (small, large) = (small(&system), large(&system));
        for (number, property) in system.properties.iter().enumerate() {
            let name = &property.name;
            let decided = decider.decide(&property.kind);
            let decided = decided.unwrap_or_else(|fault| panic!("{fault}: {name}: {line}"));
            let lasso = decided.violation.as_ref().map(|(lasso, _)| lasso);
            let stem = lasso.map(|lasso| lasso.stem());
            let of_set: Said<Set> = said(&system, &property.kind, |states| {
                set(states.iter().copied())
            });
            assert_eq!(stem, small.stem(&of_set), "{name}: {line}");
            if seed % 5 == 0 {
                let of_marks = said(&system, &property.kind, |states| {
                    marks(small.states, states.iter().copied())
                });
                assert_eq!(stem, large.stem(&of_marks), "{name}: {line}");
                let is_one = |lasso: &Lasso| {
                    large.is_violated_by(&of_marks, &lasso.states, lasso.loop_start)
                };
                assert!(lasso.is_none_or(is_one), "{name}: {line}");
            }
            let reached = large.reached();
            let of_small = (0..small.states).map(|at| has(small.reached(), at));
            assert_eq!(reached, of_small.collect::<Marks>());
            let is_idle = |pairs: &Pairs| !pairs.iter().any(|(from, _)| reached[*from as usize]);
            let conditions = system.conditions.iter().zip(&large.conditions);
            let idle = conditions.filter(|(_, (_, pairs))| is_idle(pairs));
            let idle = idle.map(|(condition, _)| &condition.name);
            let told = decider.idle_conditions().map(|condition| &condition.name);
            assert!(told.eq(idle), "{line}");
            let vacuous = vacuous(&system, &property.kind, &reached);
            assert_eq!(decided.vacuous, vacuous, "{name}: {line}");
            let fate = &mut fates[number];
            fate[usize::from(stem.is_some())] += 1;
            fate[2] += u64::from(lasso.is_some_and(|lasso| lasso.loop_length() > 1));
            fate[3] += u64::from(vacuous.is_some());
        }
    }
    for (number, [held, violated, by_steps, vacuous]) in fates.into_iter().enumerate() {
        assert!(held.min(violated) > cases / 50, "{fates:?}");
        assert!(by_steps > cases / 200, "{fates:?}");
        // Those with a premise, and those of rules.
        let can_be_vacuous = KINDS
            .get(number)
            .is_none_or(|(_, has_premise)| *has_premise);
        assert_eq!(vacuous > cases / 100, can_be_vacuous, "{fates:?}");
    }
}

#[test]
fn random_systems_are_decided_as_the_textbook_decides_them() {
    compare(0..3_000);
}

#[test]
#[ignore = "takes a minute"]
fn slow_random_systems_are_decided_as_the_textbook_decides_them() {
    compare(3_000..203_000);
}

/// A line in which some bytes were changed, left out or doubled is refused with a reason, or decided.
#[test]
fn broken_lines_are_refused_or_decided() {
    let (mut refused, mut read_lines) = (0, 0);
    for seed in 0..20_000 {
        let random = &mut Random(!seed);
        let mut bytes = line(seed % 50).into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len().max(1));
            if bytes.is_empty() {
                break;
            }
            match random.below(4) {
                0 => bytes[at] = b"0123456789-.\"[]{},:e \\\xff"[random.below(22)],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[at]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match read(bytes.as_slice()) {
            Ok(system) => {
                read_lines += 1;
                let decider = Decider::new(&system);
                for property in &system.properties {
                    let decided = decider.decide(&property.kind);
                    decided.expect("what is found is a lasso that violates the property");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(
        refused > 10_000 && read_lines > 500,
        "{refused} {read_lines}"
    );
}
