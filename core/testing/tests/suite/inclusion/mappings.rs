//! Verdicts on mappings, against all maps of small systems, tried one after the other.
//!
//! A map is a mapping if each step of the implementation is at most so many abstract steps of the specification. So it is decided
//! whether there is one of at most one step, of at most three, and of any number.

use std::collections::{BTreeMap, BTreeSet};

use refmap::inclusion::{Comparison, Evidence, Inclusion, check_inclusion};
use refmap::internal::inclusion::Table;
use refmap::obligation::Until;
use refmap::{AbstractSteps, Verdict};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{checked, mapped, row_of, until_with};

use super::oracle::{self, Lts};
use super::random::{Random, Size, pair};
use super::{compared, observed};

/// Maps above which a pair is left out.
const MOST_MAPS: u64 = 5_000;

/// Step of a small system.
struct SmallStep {
    from: usize,
    /// Observable label.
    label: Option<String>,
    to: usize,
    rule: String,
}

/// A small system.
struct Small {
    states: usize,
    initial: Vec<usize>,
    steps: Vec<SmallStep>,
    /// Observations of its states; all 0 for an `Lts`.
    shown: Vec<u8>,
}

impl From<&Lts> for Small {
    fn from(system: &Lts) -> Self {
        let steps = system.steps.iter().map(|(from, label, to)| SmallStep {
            from: *from as usize,
            label: label.clone(),
            to: *to as usize,
            rule: label.clone().unwrap_or_else(|| "tau".to_owned()),
        });
        Self {
            states: system.states as usize,
            initial: vec![system.initial as usize],
            steps: steps.collect(),
            shown: vec![0; system.states as usize],
        }
    }
}

impl From<&Explicit> for Small {
    fn from(system: &Explicit) -> Self {
        let mut steps = Vec::new();
        for (from, edges) in system.steps.iter().enumerate() {
            for edge in edges {
                let to = usize::from(edge.to);
                let shows = system.shown[to];
                steps.push(SmallStep {
                    from,
                    label: (system.shown[from] != shows).then(|| shows.to_string()),
                    to,
                    rule: system.rules[usize::from(edge.rule)].name.to_string(),
                });
            }
        }
        Self {
            states: system.shown.len(),
            initial: system.initial.iter().copied().map(usize::from).collect(),
            steps,
            shown: system.shown.clone(),
        }
    }
}

impl Small {
    /// The states that are reached.
    fn reached(&self) -> Vec<usize> {
        let mut reached: BTreeSet<usize> = self.initial.iter().copied().collect();
        loop {
            let steps = self.steps.iter();
            let new = steps.filter(|step| reached.contains(&step.from));
            let new: BTreeSet<usize> = new.map(|step| step.to).collect();
            if new.is_subset(&reached) {
                return reached.into_iter().collect();
            }
            reached.extend(new);
        }
    }

    /// The fewest steps with which each state is reached from one, such that what is shown on the way is a label, once, or nothing.
    fn fewest(&self, from: usize, label: Option<&str>) -> Vec<Option<u32>> {
        let mut at = BTreeSet::from([(from, label.is_none())]);
        let mut met = at.clone();
        let mut fewest = vec![None; self.states];
        for count in 0.. {
            for (state, is_shown) in &at {
                if *is_shown {
                    fewest[*state].get_or_insert(count);
                }
            }
            let mut next = BTreeSet::new();
            for step in &self.steps {
                for (_, is_shown) in at.iter().filter(|(state, _)| *state == step.from) {
                    if step.label.is_none() {
                        next.insert((step.to, *is_shown));
                    } else if step.label.as_deref() == label && !is_shown {
                        next.insert((step.to, true));
                    }
                }
            }
            at = next.difference(&met).copied().collect();
            met.extend(&at);
            if at.is_empty() {
                break;
            }
        }
        fewest
    }
}

/// All maps of a pair.
struct Maps {
    implementation: Small,
    specification: Small,
    reached: Vec<usize>,
    /// Of each step of the implementation, and of the image of its source, the fewest abstract steps to each abstract state.
    fewest: Vec<Vec<Vec<Option<u32>>>>,
}

impl Maps {
    /// None if there are too many.
    fn of(implementation: Small, specification: Small) -> Option<Self> {
        let reached = implementation.reached();
        let number = (specification.states as u64).checked_pow(reached.len() as u32)?;
        if number > MOST_MAPS {
            return None;
        }
        let mut by_label: BTreeMap<Option<String>, Vec<Vec<Option<u32>>>> = BTreeMap::new();
        for step in &implementation.steps {
            by_label.entry(step.label.clone()).or_insert_with(|| {
                let images = 0..specification.states;
                let fewest = images.map(|from| specification.fewest(from, step.label.as_deref()));
                fewest.collect()
            });
        }
        let steps = implementation.steps.iter();
        let fewest = steps.map(|step| by_label[&step.label].clone()).collect();
        Some(Self {
            implementation,
            specification,
            reached,
            fewest,
        })
    }

    /// True if a map is a mapping in which the steps of a rule are at most so many abstract steps.
    fn is_mapping(&self, images: &[usize], most: &dyn Fn(&str) -> u32) -> bool {
        let shows_the_same = |state: &usize| {
            self.implementation.shown[*state] == self.specification.shown[images[*state]]
        };
        let begins = |state: &usize| self.specification.initial.contains(&images[*state]);
        let steps = self.implementation.steps.iter().zip(&self.fewest);
        let mut steps = steps.filter(|(step, _)| self.reached.contains(&step.from));
        self.implementation.initial.iter().all(begins)
            && self.reached.iter().all(shows_the_same)
            && steps.all(|(step, fewest)| {
                fewest[images[step.from]][images[step.to]]
                    .is_some_and(|fewest| fewest <= most(&step.rule))
            })
    }

    /// True if there is a mapping in which the steps of a rule are at most so many abstract steps.
    fn has_mapping(&self, most: &dyn Fn(&str) -> u32) -> bool {
        let states = self.specification.states;
        let mut images = vec![0; self.implementation.states];
        loop {
            if self.is_mapping(&images, most) {
                return true;
            }
            // The next map, as one counts.
            let open = self
                .reached
                .iter()
                .copied()
                .find(|state| images[*state] + 1 < states);
            let Some(open) = open else {
                return false;
            };
            for state in self.reached.iter().take_while(|state| **state != open) {
                images[*state] = 0;
            }
            images[open] += 1;
        }
    }

    /// Judges what is said of mappings; returns what it is.
    fn judge(&self, inclusion: &Inclusion, told: &str) -> &'static str {
        let (one, several) = (&|_: &str| 1, &|_: &str| u32::MAX);
        match &inclusion.evidence {
            Some(Evidence::Mapping { mapping }) => {
                assert_eq!(inclusion.rung, Some(1), "{told}");
                assert!(self.is_mapping(&self.images(mapping), one), "{told}");
                "mapping"
            }
            Some(Evidence::Stuttering {
                stutters,
                is_function,
                or_history,
                mapping,
            }) => {
                assert!(is_function, "{told}");
                assert!(!self.has_mapping(one), "{told}");
                let mapping = mapping.as_ref().expect("it is a function");
                let images = self.images(mapping);
                let most = |rule: &str| {
                    let mut stutters = stutters.iter();
                    let stutter = stutters.find(|stutter| stutter.rule == rule);
                    stutter.map_or(1, |stutter| stutter.abstract_steps)
                };
                assert!(self.is_mapping(&images, &most), "{told}");
                for stutter in stutters {
                    let steps = self.implementation.steps.iter().zip(&self.fewest);
                    let reached = steps.filter(|(step, _)| self.reached.contains(&step.from));
                    let several = reached.filter(|(step, fewest)| {
                        let fewest = fewest[images[step.from]][images[step.to]];
                        step.rule == stutter.rule && fewest.is_some_and(|fewest| fewest > 1)
                    });
                    let ends: BTreeSet<_> = several.map(|(step, _)| (step.from, step.to)).collect();
                    assert_eq!(stutter.steps, ends.len() as u64, "{told}");
                    assert_eq!(stutter.through.len() as u32, stutter.abstract_steps + 1);
                }
                assert_eq!(*or_history, inclusion.rung == Some(1), "{told}");
                assert!(*or_history || inclusion.rung == Some(2), "{told}");
                if *or_history {
                    "several, or a history"
                } else {
                    "several"
                }
            }
            Some(Evidence::History { stutters, .. }) => {
                assert!(!self.has_mapping(several), "{told}");
                let rung = if stutters.is_empty() { 1 } else { 2 };
                assert_eq!(inclusion.rung, Some(rung), "{told}");
                if rung == 1 {
                    "history"
                } else {
                    "history, and several"
                }
            }
            Some(Evidence::Prophecy { .. } | Evidence::Trace { .. }) | None => {
                assert!(!matches!(inclusion.rung, Some(1 | 2)), "{told}");
                assert!(!self.has_mapping(several), "{told}");
                "no simulation"
            }
            Some(Evidence::Undecided) => panic!("a small pair is undecided: {told}"),
        }
    }

    /// Images of the reached states, as a table says.
    fn images(&self, table: &Table) -> Vec<usize> {
        let reached = self.reached.iter().map(|state| *state as u32);
        let mut images = vec![0; self.implementation.states];
        for (state, image) in super::images(table, reached) {
            images[state as usize] = image as usize;
        }
        images
    }
}

/// Number of the pairs of each kind.
type Kinds = BTreeMap<&'static str, u32>;

/// Pairs whose steps show something.
fn compare_labelled(seeds: std::ops::Range<u64>, kinds: &mut Kinds) {
    let size = Size {
        states: 4,
        labels: 2,
    };
    for seed in seeds {
        let [implementation, specification] = &pair(seed, size);
        let Some(maps) = Maps::of(implementation.into(), specification.into()) else {
            continue;
        };
        let inclusion = compared(&[implementation.clone(), specification.clone()]);
        let told = format!("seed {seed}: {implementation:?} in {specification:?}: {inclusion}");
        // With a history variable there is a mapping if and only if there is a simulation.
        assert_eq!(
            inclusion.rung,
            oracle::rung(implementation, specification),
            "{told}"
        );
        *kinds.entry(maps.judge(&inclusion, &told)).or_default() += 1;
        let three = maps.has_mapping(&|_| 3);
        assert!(!three || is_found(&inclusion), "{told}");
    }
}

/// True if a mapping was found.
fn is_found(inclusion: &Inclusion) -> bool {
    matches!(
        inclusion.evidence,
        Some(Evidence::Mapping { .. } | Evidence::Stuttering { .. })
    )
}

/// Pairs whose states show something, with steps of three rules. A mapping that is found is checked as any.
fn compare_observed(seeds: std::ops::Range<u64>, kinds: &mut Kinds) {
    for seed in seeds {
        let random = &mut Random::new(seed);
        let (implementation, specification) = observed::pair(random, 4, 2);
        let implementation = with_rules(random, implementation);
        let specification = with_rules(random, specification);
        let small = (&implementation, &specification);
        let Some(maps) = Maps::of(small.0.into(), small.1.into()) else {
            continue;
        };
        let inclusion = check_inclusion(&implementation, &specification, &Comparison::default());
        let inclusion = inclusion.expect("nothing panics");
        let told = format!("seed {seed}: {implementation:?} in {specification:?}: {inclusion}");
        let rung = observed::rung(&implementation, &specification);
        assert_eq!(inclusion.rung, rung, "{told}");
        *kinds.entry(maps.judge(&inclusion, &told)).or_default() += 1;
        let three = maps.has_mapping(&|_| 3);
        assert!(!three || is_found(&inclusion), "{told}");
        if let Some(
            Evidence::Mapping { mapping }
            | Evidence::Stuttering {
                mapping: Some(mapping),
                ..
            },
        ) = &inclusion.evidence
        {
            assert_checked(&implementation, &specification, maps.images(mapping), &told);
        }
    }
}

/// The same system with each step by one of three rules, some steps by two.
fn with_rules(random: &mut Random, mut system: Explicit) -> Explicit {
    let steps = std::mem::take(&mut system.steps);
    let named = Explicit::new(&[("one", "one"), ("two", "one"), ("three", "one")], &[]);
    system.rules = named.rules;
    for edges in steps {
        let mut by_rules = BTreeSet::new();
        for edge in edges {
            for _ in 0..1 + random.below(5) / 4 {
                let rule = random.below(3) as u8;
                by_rules.insert(Edge { rule, ..edge });
            }
        }
        system.steps.push(by_rules.into_iter().collect());
    }
    system
}

/// A check agrees that a map is a mapping, with as few abstract steps for each step as there are.
fn assert_checked(
    implementation: &Explicit,
    specification: &Explicit,
    images: Vec<usize>,
    told: &str,
) {
    let image = move |state: &u8| images[usize::from(*state)] as u8;
    let of_state = image.clone();
    let abstracted = specification.clone();
    let refinement = mapped(
        implementation.clone(),
        specification.clone(),
        image,
        move |from, _, to| {
            let (from, to) = (of_state(from), of_state(to));
            match &path(&abstracted, from, to)[..] {
                [] => AbstractSteps::Stutter,
                [one] => AbstractSteps::One(*one),
                several => AbstractSteps::Several(several.to_vec()),
            }
        },
    );
    let settings = until_with(Until::End, 1);
    let report = checked(&refinement, &settings);
    for name in ["observation", "initiality", "simulation"] {
        let row = row_of(&report, name);
        assert_eq!(row.verdict, Verdict::Holds, "{told}\n{report}");
    }
}

/// The fewest actions that lead from a state to another, through states of which each shows what the first shows, or, from one on, what
/// the last shows.
fn path(system: &Explicit, from: u8, to: u8) -> Vec<Edge> {
    let [before, after] = [from, to].map(|state| system.shown[usize::from(state)]);
    let mut paths = vec![(from, before == after, Vec::new())];
    let mut at = 0;
    loop {
        let (state, is_shown, path) = paths[at].clone();
        if state == to && is_shown {
            return path;
        }
        for edge in &system.steps[usize::from(state)] {
            let shows = system.shown[usize::from(edge.to)];
            let is_shown = is_shown || shows == after;
            let expected = if is_shown { after } else { before };
            let is_new = !paths
                .iter()
                .any(|other| (other.0, other.1) == (edge.to, is_shown));
            if shows == expected && is_new {
                paths.push((edge.to, is_shown, [path.clone(), vec![*edge]].concat()));
            }
        }
        at += 1;
    }
}

/// Asserts that each kind is among the pairs at least so many times.
fn assert_rich(kinds: &Kinds, least: u32) {
    for kind in [
        "mapping",
        "several, or a history",
        "several",
        "history",
        "history, and several",
        "no simulation",
    ] {
        let number = kinds.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "{kind}: {kinds:?}");
    }
}

#[test]
fn what_is_said_of_mappings_is_true_of_all_maps_of_small_labelled_systems() {
    let mut kinds = Kinds::new();
    compare_labelled(0..1_500, &mut kinds);
    assert_rich(&kinds, 5);
}

#[test]
fn what_is_said_of_mappings_is_true_of_all_maps_of_small_observed_systems() {
    let mut kinds = Kinds::new();
    compare_observed(0..3_000, &mut kinds);
    assert_rich(&kinds, 1);
}

#[test]
#[ignore = "a minute"]
fn slow_what_is_said_of_mappings_is_true_of_all_maps_of_many_systems() {
    let mut kinds = Kinds::new();
    compare_labelled(1_500..30_000, &mut kinds);
    compare_observed(3_000..30_000, &mut kinds);
    assert_rich(&kinds, 100);
}
