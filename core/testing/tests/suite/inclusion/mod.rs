//! Refinement without a mapping, against a textbook and against trusted verdicts.

mod asked_again;
mod lazy_set;
mod mappings;
mod observed;
mod oracle;
mod random;
mod searched;

use std::collections::BTreeMap;

use refmap::inclusion::{Comparison, Evidence, Included, Inclusion};
use refmap::internal::inclusion::{LabelledGraph, LabelledStep, Labels, Part, Table, check_graphs};
use serde_json::Value;

use oracle::Lts;
use random::{Size, pair};

/// Compares two systems by the engine.
fn compared([implementation, specification]: &[Lts; 2]) -> Inclusion {
    let mut labels = Labels::new();
    let [implementation, specification] =
        [implementation, specification].map(|system| graph(system, &mut labels));
    check_graphs(
        &implementation,
        &specification,
        &labels,
        &Comparison::default(),
    )
    .expect("nothing is on disk")
}

fn graph(system: &Lts, labels: &mut Labels) -> LabelledGraph {
    let steps = system.steps.iter().map(|(from, label, to)| LabelledStep {
        from: *from,
        label: label
            .as_ref()
            .map_or(refmap::internal::inclusion::StepLabel::INVISIBLE, |text| {
                labels.label(text)
            }),
        to: *to,
    });
    let steps: Vec<LabelledStep> = steps.collect();
    LabelledGraph::new(system.states, system.initial, &steps).expect("its states are in range")
}

/// Images of the reached states, as a table says.
fn images(table: &Table, reached: impl IntoIterator<Item = u32>) -> BTreeMap<u32, u32> {
    let parts = table.parts.as_ref().expect("there are few states");
    let [Part { by, cases, .. }] = parts.as_slice() else {
        panic!("a table by states is {table:?}");
    };
    let image = |state: u32| match cases {
        None => state,
        Some(cases) => {
            let values = match by.len() {
                0 => vec![],
                _ => vec![Value::from(state)],
            };
            let case = cases.iter().find(|case| case.values == values);
            number(&case.expect("the state has an image").image)
        }
    };
    let reached = reached.into_iter();
    let images: BTreeMap<u32, u32> = reached.map(|state| (state, image(state))).collect();
    assert_eq!(table.states, images.len() as u64);
    images
}

/// Counts of what the random pairs were.
#[derive(Debug, Default)]
struct Distribution {
    rungs: BTreeMap<Option<u8>, u32>,
    missing: BTreeMap<String, u32>,
    lengths: BTreeMap<u64, u32>,
}

/// Compares the engine with the oracle on a pair, and its evidence with what the oracle says of it.
fn compare(seed: u64, pair: &[Lts; 2], distribution: &mut Distribution) {
    let inclusion = compared(pair);
    let [implementation, specification] = pair;
    let length = oracle::shortest_difference(implementation, specification);
    let rung = oracle::rung(implementation, specification);
    let told = format!("seed {seed}: {pair:?}: {inclusion:?}");
    let verdict = match length {
        Some(_) => Included::NotIncluded,
        None => Included::Included,
    };
    assert_eq!(inclusion.verdict, verdict, "{told}");
    assert_eq!(inclusion.trace_length, length, "{told}");
    assert_eq!(inclusion.rung, rung, "{told}");
    *distribution.rungs.entry(rung).or_default() += 1;
    if let Some(length) = length {
        *distribution.lengths.entry(length).or_default() += 1;
    }
    let missing = match &inclusion.evidence {
        None => "not found",
        Some(evidence) => judge(evidence, pair, &told),
    };
    *distribution.missing.entry(missing.to_owned()).or_default() += 1;
}

/// Judges evidence by the definitions, and names it.
fn judge(
    evidence: &Evidence,
    [implementation, specification]: &[Lts; 2],
    told: &str,
) -> &'static str {
    match evidence {
        Evidence::Mapping { mapping } => {
            let images = images(mapping, implementation.reached());
            assert!(
                oracle::is_mapping(implementation, specification, &images),
                "{told}"
            );
            "nothing"
        }
        Evidence::History { .. } => "history",
        Evidence::Undecided => "undecided",
        Evidence::Stuttering { stutters, .. } => {
            assert!(stutters.iter().all(|one| one.abstract_steps >= 2), "{told}");
            for stutter in stutters {
                assert_eq!(
                    stutter.through.len() as u32,
                    stutter.abstract_steps + 1,
                    "{told}"
                );
            }
            assert!(!stutters.is_empty(), "{told}");
            "stuttering"
        }
        Evidence::Prophecy {
            past,
            images,
            futures,
            fails,
        } => {
            let state = number(&past.last().expect("a past has a state").state);
            assert!(futures.len() >= 2, "{told}");
            for future in futures {
                assert!(implementation.has_trace(state, &future.shows), "{told}");
            }
            assert_eq!(images.len(), fails.len(), "{told}");
            for (image, fails) in images.iter().zip(fails) {
                let trace = &futures[*fails].shows;
                assert!(!specification.has_trace(number(image), trace), "{told}");
            }
            "prophecy"
        }
        Evidence::Trace {
            steps,
            shows,
            could_show,
            ..
        } => {
            let labels = steps.iter().filter_map(|step| step.action.as_ref());
            let visible = labels
                .filter_map(Value::as_str)
                .filter(|label| *label != "tau");
            let mut trace: Vec<String> = visible.map(str::to_owned).collect();
            for could in could_show {
                let other = [trace.clone(), vec![could.clone()]].concat();
                assert!(
                    specification.has_trace(specification.initial, &other),
                    "{told}"
                );
            }
            trace.push(shows.clone());
            assert!(
                implementation.has_trace(implementation.initial, &trace),
                "{told}"
            );
            assert!(
                !specification.has_trace(specification.initial, &trace),
                "{told}"
            );
            "refuted"
        }
    }
}

fn number(state: &Value) -> u32 {
    let number = state.as_u64().expect("a state is a number");
    u32::try_from(number).expect("it is small")
}

fn compare_all(seeds: std::ops::Range<u64>, size: Size) -> Distribution {
    let mut distribution = Distribution::default();
    for seed in seeds {
        compare(seed, &pair(seed, size), &mut distribution);
    }
    distribution
}

const SMALL: Size = Size {
    states: 7,
    labels: 3,
};

impl Distribution {
    /// Asserts that each rung, and each kind of evidence, is at least a hundredth of so many pairs.
    fn assert_rich(&self, pairs: u32) {
        for rung in [Some(1), Some(2), Some(3), None] {
            assert!(self.rungs[&rung] > pairs / 100, "{self:?}");
        }
        for missing in ["nothing", "history", "stuttering", "prophecy", "refuted"] {
            assert!(self.missing[missing] > pairs / 100, "{self:?}");
        }
        assert!(self.lengths.range(4..).count() > 0, "{self:?}");
    }
}

#[test]
fn the_ladder_agrees_with_the_textbook() {
    compare_all(0..5_000, SMALL).assert_rich(5_000);
}

#[test]
#[ignore = "some minutes"]
fn nightly_the_ladder_agrees_with_the_textbook_at_length() {
    compare_all(5_000..205_000, SMALL).assert_rich(200_000);
}

/// More than 64 states and labels.
#[test]
fn the_ladder_agrees_with_the_textbook_on_larger_systems() {
    let size = Size {
        states: 90,
        labels: 80,
    };
    let few = Size {
        states: 80,
        labels: 2,
    };
    for size in [size, few] {
        compare_all(0..3, size);
    }
}
