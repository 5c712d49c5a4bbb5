//! The ladder as a textbook has it, by whole relations and whole sets: slow, and obviously right.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Labelled transition system as lists. A label is a text; none shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    pub states: u32,
    pub initial: u32,
    pub steps: Vec<(u32, Option<String>, u32)>,
}

type Set = BTreeSet<u32>;

impl Lts {
    /// The targets of the steps from a state with a label.
    pub fn targets(&self, from: u32, label: Option<&str>) -> Set {
        let steps = self.steps.iter();
        let labelled =
            steps.filter(|(source, given, _)| *source == from && given.as_deref() == label);
        labelled.map(|(_, _, to)| *to).collect()
    }

    /// States that are reached from some by steps that show nothing.
    fn closure(&self, states: &Set) -> Set {
        let mut all = states.clone();
        loop {
            let more = all.iter().flat_map(|state| self.targets(*state, None));
            let grown: Set = all.iter().copied().chain(more).collect();
            if grown == all {
                return all;
            }
            all = grown;
        }
    }

    /// The states after a visible label, and what shows nothing before and after.
    fn after(&self, states: &Set, label: &str) -> Set {
        let before = self.closure(states);
        let after = before
            .iter()
            .flat_map(|state| self.targets(*state, Some(label)));
        self.closure(&after.collect())
    }

    fn labels(&self) -> BTreeSet<&str> {
        self.steps
            .iter()
            .filter_map(|(_, label, _)| label.as_deref())
            .collect()
    }

    /// The states that are reached.
    pub fn reached(&self) -> Set {
        let mut all = Set::from([self.initial]);
        loop {
            let steps = self.steps.iter();
            let more = steps.filter(|(from, _, _)| all.contains(from));
            let grown: Set = all
                .iter()
                .copied()
                .chain(more.map(|(_, _, to)| *to))
                .collect();
            if grown == all {
                return all;
            }
            all = grown;
        }
    }

    /// True if it has this trace.
    pub fn has_trace(&self, from: u32, trace: &[String]) -> bool {
        let mut states = self.closure(&Set::from([from]));
        for label in trace {
            states = self.after(&states, label);
        }
        !states.is_empty()
    }
}

/// The length of a shortest trace that the specification does not have, by the subset construction on both sides.
pub fn shortest_difference(implementation: &Lts, specification: &Lts) -> Option<u64> {
    let initial = (
        implementation.closure(&Set::from([implementation.initial])),
        specification.closure(&Set::from([specification.initial])),
    );
    let mut lengths = BTreeMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([initial]);
    while let Some(pair) = queue.pop_front() {
        let length = lengths[&pair] + 1;
        for label in implementation.labels() {
            let next = (
                implementation.after(&pair.0, label),
                specification.after(&pair.1, label),
            );
            if next.0.is_empty() {
                continue;
            }
            if next.1.is_empty() {
                return Some(length);
            }
            if !lengths.contains_key(&next) {
                lengths.insert(next.clone(), length);
                queue.push_back(next);
            }
        }
    }
    None
}

/// The abstract states that one step, or several, may lead to for a step with a label.
fn matches(specification: &Lts, from: u32, label: Option<&str>, several: bool) -> Set {
    let here = Set::from([from]);
    match (label, several) {
        (None, false) => {
            let mut targets = specification.targets(from, None);
            targets.insert(from);
            targets
        }
        (None, true) => specification.closure(&here),
        (Some(_), false) => specification.targets(from, label),
        (Some(label), true) => specification.after(&here, label),
    }
}

/// The greatest simulation: all pairs, of which those are taken out that fail, until none does.
fn simulation(implementation: &Lts, specification: &Lts, several: bool) -> BTreeSet<(u32, u32)> {
    let all = (0..implementation.states)
        .flat_map(|state| (0..specification.states).map(move |image| (state, image)));
    let mut pairs: BTreeSet<(u32, u32)> = all.collect();
    let labels: BTreeSet<Option<&str>> = implementation
        .steps
        .iter()
        .map(|(_, label, _)| label.as_deref())
        .collect();
    let targets: BTreeMap<(u32, Option<&str>), Set> = (0..specification.states)
        .flat_map(|image| labels.iter().map(move |label| (image, *label)))
        .map(|(image, label)| {
            (
                (image, label),
                matches(specification, image, label, several),
            )
        })
        .collect();
    loop {
        let is_simulated = |(state, image): &(u32, u32)| {
            let mut steps = implementation.steps.iter();
            steps.all(|(from, label, to)| {
                from != state
                    || targets[&(*image, label.as_deref())]
                        .iter()
                        .any(|target| pairs.contains(&(*to, *target)))
            })
        };
        let left: BTreeSet<_> = pairs.iter().copied().filter(is_simulated).collect();
        if left == pairs {
            return pairs;
        }
        pairs = left;
    }
}

/// The first rung of the ladder that succeeds.
pub fn rung(implementation: &Lts, specification: &Lts) -> Option<u8> {
    let initial = (implementation.initial, specification.initial);
    if simulation(implementation, specification, false).contains(&initial) {
        Some(1)
    } else if simulation(implementation, specification, true).contains(&initial) {
        Some(2)
    } else if shortest_difference(implementation, specification).is_none() {
        Some(3)
    } else {
        None
    }
}

/// True if a map of the reached states is a refinement mapping.
pub fn is_mapping(implementation: &Lts, specification: &Lts, images: &BTreeMap<u32, u32>) -> bool {
    let reached = implementation.reached();
    images.get(&implementation.initial) == Some(&specification.initial)
        && images.keys().copied().eq(reached.iter().copied())
        && implementation.steps.iter().all(|(from, label, to)| {
            !reached.contains(from)
                || matches(specification, images[from], label.as_deref(), false)
                    .contains(&images[to])
        })
}
