//! Random systems of at most eight states, against the textbook.

use std::fmt::Write;

use refmap::liveness::Strength;
use refmap_cli::graph::{PropertyKind, System, decide, read};
use refmap_testing::textbook::{Pairs, Said, Small, has, set};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// Some of the numbers below a bound.
    fn some(&mut self, bound: usize, percent: usize) -> Vec<usize> {
        (0..bound).filter(|_| self.below(100) < percent).collect()
    }
}

const KINDS: [&str; 5] = [
    "leads_to",
    "eventually",
    "always_eventually",
    "eventually_always",
    "always",
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
    for kind in KINDS {
        let premise = match kind {
            "leads_to" => "\"premise\":\"P\",",
            _ => "",
        };
        let name = kind;
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

fn small(system: &System) -> Small {
    let conditions = system.conditions.iter();
    Small {
        states: system.given.len() as u32,
        initial: set(system.initial.iter().copied()),
        steps: pairs(system, None),
        conditions: conditions
            .map(|one| (one.strength, pairs(system, Some(&one.rules))))
            .collect(),
    }
}

fn said(system: &System, kind: &PropertyKind) -> Said {
    let label = |states: &[u32]| set(states.iter().copied());
    let fair = |strength, rules: &[u32]| {
        let pairs = pairs(system, Some(rules));
        Said::Fair(strength, set(pairs.iter().map(|(from, _)| *from)), pairs)
    };
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
        PropertyKind::EventuallyAlways(one) => Said::EventuallyAlways(label(one)),
        PropertyKind::Always(one) => Said::Always(label(one)),
        PropertyKind::WeaklyFair(rules) => fair(Strength::Weak, rules),
        PropertyKind::StronglyFair(rules) => fair(Strength::Strong, rules),
    }
}

/// How the properties of random systems fared, by kind: held, were violated, and needed a loop of several steps.
fn compare(seeds: std::ops::Range<u64>) {
    let cases = seeds.end - seeds.start;
    let mut fates = [[0; 3]; 7];
    for seed in seeds {
        let line = line(seed);
        let system = read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
        for (number, decided) in decide(&system).into_iter().enumerate() {
            let property = &system.properties[number];
            let decided =
                decided.unwrap_or_else(|fault| panic!("{fault}: {}: {line}", property.name));
            let small = small(&system);
            let lasso = decided.violation.as_ref().map(|(lasso, _)| lasso);
            let stem = lasso.map(|lasso| lasso.stem());
            let expected = small.stem(&said(&system, &property.kind));
            assert_eq!(stem, expected, "{}: {line}", property.name);
            let vacuous = match &property.kind {
                PropertyKind::LeadsTo { premise, .. } => {
                    !premise.iter().any(|at| has(small.reached(), *at))
                }
                _ => false,
            };
            assert_eq!(decided.vacuous, vacuous, "{}: {line}", property.name);
            let fate = &mut fates[number];
            fate[usize::from(stem.is_some())] += 1;
            fate[2] += u64::from(lasso.is_some_and(|lasso| lasso.loop_length() > 1));
        }
    }
    for [held, violated, by_steps] in fates {
        assert!(held.min(violated) > cases / 50, "{fates:?}");
        assert!(by_steps > cases / 200, "{fates:?}");
    }
}

#[test]
fn random_systems_are_decided_as_the_textbook_decides_them() {
    compare(0..5_000);
}

#[test]
#[ignore = "takes a minute"]
fn slow_random_systems_are_decided_as_the_textbook_decides_them() {
    compare(5_000..205_000);
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
        match read(&bytes) {
            Ok(system) => {
                read_lines += 1;
                for decided in decide(&system) {
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
