//! The search of pairs, in every way to run it: with several workers, with states that go to disk, and killed and resumed, against
//! determinisation by subsets.

use std::path::Path;
use std::sync::Mutex;

use refmap::explore::{Spilling, Start, Watch};
use refmap::inclusion::{Comparison, Included, Inclusion, InclusionError, check_inclusion};
use refmap::internal::explore::DiskError;
use refmap::internal::inclusion::{LabelledGraph, LabelledStep, Labels, StepLabel, check_graphs};
use refmap::random::Generator;
use refmap_testing::explicit::Explicit;

use super::asked_again::Ways;
use super::oracle::{self, Lts};
use super::random::{Random, Size, pair};
use super::{graph, observed};
use crate::checkpoints::{checkpoints, copy, folder};

/// Two systems that are compared in several ways.
struct Compared {
    implementation: LabelledGraph,
    specification: LabelledGraph,
    labels: Labels,
}

impl Compared {
    fn new([implementation, specification]: &[Lts; 2]) -> Self {
        let mut labels = Labels::new();
        let [implementation, specification] =
            [implementation, specification].map(|system| graph(system, &mut labels));
        Self {
            implementation,
            specification,
            labels,
        }
    }

    fn by(&self, comparison: &Comparison<'_>) -> Result<Inclusion, InclusionError> {
        let [implementation, specification] = [&self.implementation, &self.specification];
        let found = check_graphs(implementation, specification, &self.labels, comparison);
        found.map(timeless)
    }
}

fn timeless(inclusion: Inclusion) -> Inclusion {
    Inclusion {
        seconds: 0.0,
        checkpoints: None,
        spilled: None,
        ..inclusion
    }
}

/// Compares systems in one way.
type By<'b> = &'b dyn Fn(&Comparison<'_>) -> Result<Inclusion, InclusionError>;

fn with_threads(threads: usize) -> Comparison<'static> {
    Comparison {
        threads,
        ..Comparison::default()
    }
}

/// A comparison with checkpoints, whose folder is copied when its search reports its progress for the time of this number; and how
/// often it did.
fn run_and_copy(
    by: By<'_>,
    comparison: Comparison<'_>,
    start: Start,
    of: &Path,
    moment: u64,
    to: &Path,
) -> (Inclusion, u64) {
    let times = Mutex::new(0);
    let progress = |_: &_| {
        let mut times = times.lock().expect("no holder of this lock panics");
        if *times == moment {
            copy(of, to);
        }
        *times += 1;
    };
    let comparison = Comparison {
        checkpoints: checkpoints(of, start),
        watch: Watch {
            progress: Some(&progress),
            cancel: None,
        },
        ..comparison
    };
    let found = by(&comparison).expect("the folder can be used");
    let times = *times.lock().expect("no holder of this lock panics");
    (found, times)
}

/// Figures of all cases.
#[derive(Debug, Default)]
struct Cases {
    included: u32,
    not_included: u32,
    resumed: u32,
}

/// Compares two systems in every way: the verdict and the length of the shortest trace are those given, and evidence is the same.
fn compare(by: By<'_>, length: Option<u64>, generator: &mut Generator, cases: &mut Cases) {
    let first = by(&with_threads(1)).expect("nothing is on disk");
    let verdict = match length {
        Some(_) => Included::NotIncluded,
        None => Included::Included,
    };
    assert_eq!(
        (first.verdict, first.trace_length),
        (verdict, length),
        "{first:?}"
    );
    for threads in [2, 4] {
        let found = by(&with_threads(threads)).expect("nothing is on disk");
        assert_eq!(found, first, "{threads}");
    }
    if matches!(first.rung, Some(1 | 2)) {
        // No trace is looked for.
        return;
    }
    match length {
        Some(_) => cases.not_included += 1,
        None => cases.included += 1,
    }
    let on_disk = folder();
    let bytes = generator.bits() % 5_000;
    let spilling = || Spilling {
        folder: on_disk.path().to_owned(),
        from_bytes: Some(bytes),
    };
    let [whole, mut killed] = [folder(), folder()];
    let (whole, times) = run_and_copy(
        by,
        with_threads(2),
        Start::Anew,
        whole.path(),
        u64::MAX,
        killed.path(),
    );
    assert_eq!(whole, first);
    let spilled = Comparison {
        spill: Some(spilling()),
        ..with_threads(1 + generator.below(3))
    };
    let spilled = by(&spilled).expect("there is room");
    assert_eq!(spilled.states, None);
    // Each pair is expanded, and the same is found.
    assert!(spilled.pairs >= first.pairs, "{first:?} {spilled:?}");
    assert_eq!(answer(&spilled), answer(&first));
    let again = folder();
    let moment = generator.bits() % times.max(1);
    let (again, _) = run_and_copy(
        by,
        with_threads(1),
        Start::Anew,
        again.path(),
        moment,
        killed.path(),
    );
    assert_eq!(again, whole);
    let mut has_spilled = false;
    for _ in 0..2 {
        if !killed.path().join("checkpoint").exists() {
            return;
        }
        let next = folder();
        let spills = generator.below(3) == 0;
        let comparison = Comparison {
            spill: spills.then(spilling),
            ..with_threads(1 + generator.below(3))
        };
        let moment = generator.bits() % times.max(1);
        let (resumed, _) = run_and_copy(
            by,
            comparison,
            Start::Resumed,
            killed.path(),
            moment,
            next.path(),
        );
        if spills || has_spilled {
            assert_eq!(answer(&resumed), answer(&whole));
        } else {
            let states = whole.specification_states;
            // Those of steps that were taken before are not met again.
            assert!(resumed.specification_states <= states);
            let resumed = Inclusion {
                specification_states: states,
                ..resumed
            };
            assert_eq!(resumed, whole);
        }
        has_spilled |= spills;
        cases.resumed += 1;
        killed = next;
    }
}

/// Answer of a comparison, which does not depend on where its pairs are.
fn answer(inclusion: &Inclusion) -> (Included, Option<u8>, Option<u64>) {
    (inclusion.verdict, inclusion.rung, inclusion.trace_length)
}

fn compare_graphs(seeds: std::ops::Range<u64>, size: Size) -> Cases {
    let mut cases = Cases::default();
    for seed in seeds {
        let pair = pair(seed, size);
        let length = oracle::shortest_difference(&pair[0], &pair[1]);
        let systems = Compared::new(&pair);
        let by = |comparison: &Comparison<'_>| systems.by(comparison);
        compare(&by, length, &mut Generator::new(seed), &mut cases);
    }
    cases
}

#[test]
fn pairs_are_searched_alike_in_every_way() {
    let size = Size {
        states: 12,
        labels: 3,
    };
    let cases = compare_graphs(0..500, size);
    assert!(cases.included > 8 && cases.not_included > 100, "{cases:?}");
    assert!(cases.resumed > 60, "{cases:?}");
}

/// More than 64 states, of few labels and of many.
#[test]
fn pairs_of_larger_systems_are_searched_alike_in_every_way() {
    for labels in [2, 70] {
        let size = Size { states: 90, labels };
        compare_graphs(0..12, size);
    }
}

#[test]
fn pairs_of_observed_systems_are_searched_alike_in_every_way() {
    let mut cases = Cases::default();
    for seed in 0..400 {
        let (implementation, specification) = observed::pair(&mut Random::new(seed), 12, 3);
        let [one, other] = [&implementation, &specification].map(observed::labelled);
        let length = oracle::shortest_difference(&one, &other).map(|length| length - 1);
        let by = |comparison: &Comparison<'_>| {
            check_inclusion(&implementation, &specification, comparison).map(timeless)
        };
        compare(&by, length, &mut Generator::new(seed), &mut cases);
    }
    assert!(cases.included > 0 && cases.not_included > 80, "{cases:?}");
    assert!(cases.resumed > 60, "{cases:?}");
}

#[test]
#[ignore = "takes minutes"]
fn slow_pairs_are_searched_alike_in_every_way_at_length() {
    let small = Size {
        states: 12,
        labels: 3,
    };
    compare_graphs(500..6_000, small);
    for labels in [2, 5, 70] {
        let size = Size { states: 90, labels };
        compare_graphs(12..60, size);
    }
}

/// A specification that guesses that an `a` was the n-th letter before the end, and chooses after `c` what comes then; an implementation that
/// guesses nothing, and chooses late.
fn guessing(letters: u32) -> [Lts; 2] {
    let step = |from, label: &str, to| (from, Some(label.to_owned()), to);
    let ends = [step(0, "a", 0), step(0, "b", 0), step(0, "c", 1)];
    let mut implementation = ends.to_vec();
    implementation.extend([step(1, "d", 2), step(1, "e", 2)]);
    let mut specification = ends.to_vec();
    specification.extend([
        step(0, "c", 2),
        step(1, "d", 3),
        step(2, "e", 3),
        step(0, "a", 4),
    ]);
    for at in 4..letters + 3 {
        specification.extend([step(at, "a", at + 1), step(at, "b", at + 1)]);
    }
    [(3, implementation), (letters + 4, specification)].map(|(states, steps)| Lts {
        states,
        initial: 0,
        steps,
    })
}

/// Of the sets of one state those that are no more than another is are all that is expanded. Where pairs are on disk that is not known.
#[test]
fn a_pair_is_needless_beside_one_of_fewer_abstract_states() {
    let letters = 8;
    let systems = Compared::new(&guessing(letters));
    let found = systems.by(&with_threads(2)).expect("nothing is on disk");
    assert_eq!((found.verdict, found.rung), (Included::Included, Some(3)));
    // Those of the sample are expanded whatever is known.
    assert!(found.pairs < 60, "{found:?}");
    let on_disk = folder();
    let comparison = Comparison {
        spill: Some(Spilling {
            folder: on_disk.path().to_owned(),
            from_bytes: Some(0),
        }),
        ..with_threads(2)
    };
    let all = systems.by(&comparison).expect("there is room");
    assert_eq!((all.verdict, all.rung), (Included::Included, Some(3)));
    assert!(all.pairs > 1 << (letters - 1), "{all:?}");
}

/// A folder is refused with the reason.
#[test]
fn checkpoints_of_another_comparison_are_refused() {
    let step = |from, text: &str, to, labels: &mut Labels| LabelledStep {
        from,
        label: labels.label(text),
        to,
    };
    let mut labels = Labels::new();
    let all = [("a", 0, 1), ("b", 1, 2), ("a", 2, 0), ("c", 1, 1)]
        .map(|(text, from, to)| step(from, text, to, &mut labels));
    let hidden = LabelledStep {
        label: StepLabel::INVISIBLE,
        ..all[0]
    };
    let graph =
        |steps: &[LabelledStep]| LabelledGraph::new(3, 0, steps).expect("its states are in range");
    let implementation = graph(&all);
    let kept = folder();
    let by = |specification: &LabelledGraph, start| {
        let comparison = Comparison {
            checkpoints: checkpoints(kept.path(), start),
            ..with_threads(1)
        };
        check_graphs(&implementation, specification, &labels, &comparison)
    };
    let first = by(&graph(&all[..3]), Start::Anew).expect("the folder is empty");
    assert_eq!(
        (first.verdict, first.trace_length),
        (Included::NotIncluded, Some(2))
    );
    let refused = |specification: &[LabelledStep], start| match by(&graph(specification), start) {
        Err(InclusionError::Disk(error)) => error,
        other => panic!("{other:?}"),
    };
    let error = refused(&all[..3], Start::Anew);
    assert!(matches!(error, DiskError::Occupied { .. }), "{error}");
    for others in [&all[..2], &[hidden, all[1], all[2]]] {
        let error = refused(others, Start::Resumed);
        let DiskError::Other { what, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(what, "the checksum of the specification");
    }
}

/// Observed systems are known by their steps.
#[test]
fn a_checkpoint_of_another_system_is_refused() {
    let rules = &[("step", "one")];
    let system = |last| {
        Explicit::new(
            rules,
            &[
                (0, "step", 1),
                (1, "step", 2),
                (2, "step", last),
                (3, "step", 4),
            ],
        )
    };
    let specification = Explicit::new(rules, &[(0, "step", 1), (1, "step", 2), (2, "step", 3)]);
    let kept = folder();
    let by = |implementation: &Explicit, start| {
        let comparison = Comparison {
            checkpoints: checkpoints(kept.path(), start),
            ..with_threads(1)
        };
        check_inclusion(implementation, &specification, &comparison)
    };
    let first = by(&system(3), Start::Anew).expect("the folder is empty");
    assert_eq!(
        (first.verdict, first.trace_length),
        (Included::NotIncluded, Some(4))
    );
    let error = by(&system(0), Start::Resumed).expect_err("a step is another one");
    assert!(
        matches!(error, InclusionError::Disk(DiskError::OtherModel { .. })),
        "{error}"
    );
}

/// States that do not say how they are written go on no disk.
#[test]
fn states_that_are_not_written_go_on_no_disk() {
    let kept = folder();
    let spill = || Spilling {
        folder: kept.path().to_owned(),
        from_bytes: None,
    };
    for comparison in [
        Comparison {
            checkpoints: checkpoints(kept.path(), Start::Anew),
            ..Comparison::default()
        },
        Comparison {
            spill: Some(spill()),
            ..Comparison::default()
        },
    ] {
        let error = check_inclusion(&Ways(1), &Ways(1), &comparison);
        let error = error.expect_err("they are not written");
        assert_eq!(error, InclusionError::Disk(DiskError::NotWritten));
    }
}
