//! Ben-Ari's collector with packed states: they are read back, on every state of small instances and on random type-correct
//! ones, and the reports equal those of states that are kept whole.

use proptest::prelude::*;
use refmap::explore::Storage;
use refmap::obligation::{Liveness, Until};
use refmap::state::{Limits, Misfit};
use refmap::{
    Action as _, ActionOf, Choices, PackingError, Report, RuleId, Settings, State, StateOf,
    TransitionSystem, TypeCorrect, Verdict, round_trip, type_correct_states,
};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement2, Refinement3};
use refmap_systems::ben_ari::{
    Figure14, InitialColours, Level1, Level2, Level3, Memory, Midway, Mutant, Mutation,
    MutatorOrder, Scope,
};
use refmap_testing::reachable;
use strum::VariantArray;

/// Tests every reachable state; returns their number.
fn every_state_comes_back<S: TransitionSystem>(system: &S) -> usize {
    let states = reachable(system);
    for state in &states {
        assert_eq!(round_trip(system, state), Ok(()), "{state:?}");
    }
    states.len()
}

fn scopes() -> Vec<Scope> {
    let orders = [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst];
    let sizes = [
        (1, 1, 1, 1),
        (2, 1, 1, 1),
        (2, 2, 1, 1),
        (3, 1, 2, 1),
        (2, 1, 1, 2),
    ];
    let of = |mutator, (nodes, sons, roots, mutators)| Scope {
        mutators,
        mutator,
        ..Scope::new(nodes, sons, roots)
    };
    let mut scopes: Vec<_> = orders
        .into_iter()
        .flat_map(|order| sizes.map(|size| of(order, size)))
        .collect();
    let announced = [MutatorOrder::Announced, MutatorOrder::RetiredEarly];
    scopes.extend(announced.map(|order| Scope {
        midway: Midway::Coloured,
        ..of(order, (2, 1, 1, 2))
    }));
    scopes
}

#[test]
fn every_reachable_state_comes_back() {
    let mut states = 0;
    for scope in scopes() {
        states += every_state_comes_back(&Level1::new(scope));
        states += every_state_comes_back(&Level2::new(scope));
        states += every_state_comes_back(&Level3::new(scope));
    }
    assert!(states > 50_000, "{states}");
}

/// Sizes of packed states of the benchmark's instances.
#[test]
fn states_take_few_bits() {
    let bits = |nodes, sons| {
        let level = Level3::new(Scope::new(nodes, sons, 1));
        StateOf::<Level3>::shape(&level, Limits::NONE).bits()
    };
    assert_eq!(
        [bits(3, 2), bits(5, 1), bits(4, 2)],
        [Some(36), Some(46), Some(46)]
    );
}

/// A variable out of its range is refused.
#[test]
fn a_state_that_does_not_fit_is_refused() {
    let level = Level3::new(Scope::new(3, 1, 1));
    let mut state = None;
    level.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is an initial state");
    assert_eq!(round_trip(&level, &state), Ok(()));
    state.h = 5;
    let refused = Err(PackingError::OutsideRange {
        field: "h".to_owned(),
        misfit: Misfit::Integer {
            value: 5,
            low: 0,
            high: 3,
        },
    });
    assert_eq!(round_trip(&level, &state), refused);
    state.h = 0;
    state.shared.m = Memory::null_array(Scope::new(3, 2, 1).shape);
    let refused = round_trip(&level, &state).expect_err("it is a memory of another instance");
    assert!(
        refused.to_string().starts_with("`shared.m.shape` is Shape"),
        "{refused}"
    );
}

fn type_correct_state_comes_back<S: TypeCorrect>(system: &S, number: u64) {
    let number = number % type_correct_states(system);
    let state = system.type_correct(&mut Choices::of(number));
    assert_eq!(round_trip(system, &state), Ok(()), "{state:?}");
}

proptest! {
    /// The largest memories that fit into 2⁶⁴ type-correct states, reachable or not.
    #[test]
    fn type_correct_states_come_back(number: u64, colour_first: bool, size in 0usize..5) {
        let (nodes, sons, roots) = [(3, 4, 1), (5, 1, 2), (8, 1, 3), (4, 2, 4), (2, 4, 1)][size];
        let scope = Scope {
            mutator: if colour_first { MutatorOrder::ColourFirst } else { MutatorOrder::RedirectFirst },
            ..Scope::new(nodes, sons, roots)
        };
        type_correct_state_comes_back(&Level1::new(scope), number);
        type_correct_state_comes_back(&Level2::new(scope), number);
        type_correct_state_comes_back(&Level3::new(scope), number);
    }
}

fn timeless(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        threads: 0,
        ..report
    }
}

/// Asserts that checks with packed states and with whole ones agree about all obligations; returns their report, unless a
/// variable leaves its range, which only packed states tell.
fn compare<R: Checked>(refinement: &R, threads: usize) -> Option<Report> {
    let [packed, whole] = [Storage::Packed, Storage::Whole].map(|storage| {
        let settings = Settings {
            liveness: Liveness::Included,
            until: Until::End,
            storage,
            threads,
            ..Settings::default()
        };
        let report = refinement.checker().check(&settings);
        timeless(report.expect("these can be asked for"))
    });
    if packed.obligation("model").is_some() {
        return None;
    }
    assert_eq!(packed, whole);
    Some(packed)
}

/// Asserts that checks agree about instances, each with so many nodes, sons, roots and mutators.
fn assert_packed_states_decide(sizes: &[(u8, u8, u8, u8)]) {
    let [mut hold, mut violated] = [0; 2];
    for &(nodes, sons, roots, mutators) in sizes {
        for mutator in [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst] {
            for figure_14 in [Figure14::Corrected, Figure14::AsPrinted] {
                let scope = Scope {
                    mutators,
                    mutator,
                    figure_14,
                    colours: InitialColours::White,
                    ..Scope::new(nodes, sons, roots)
                };
                let threads = 1 + usize::from(nodes) % 2;
                if nodes < 3 {
                    let report = compare(&Refinement2::new(scope), threads);
                    assert!(report.is_some(), "{scope:?}");
                }
                let report = compare(&Refinement3::new(scope), threads);
                match report.and_then(|report| report.verdict) {
                    Some(Verdict::Holds) => hold += 1,
                    Some(Verdict::Violated) => violated += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    assert!(hold > 5 && violated > 5, "{hold} hold, {violated} do not");
}

#[test]
fn packed_states_decide_what_whole_ones_decide() {
    let several = [(1, 1, 1, 1), (1, 1, 1, 2), (2, 1, 2, 2)];
    assert_packed_states_decide(&[&several[..], &[(2, 2, 1, 1), (2, 1, 2, 1)]].concat());
}

#[test]
#[ignore = "a minute"]
fn slow_packed_states_decide_what_whole_ones_decide_of_more_nodes() {
    let sizes = [(1, 1, 1), (2, 2, 1), (3, 1, 2), (3, 1, 1)];
    let with = |mutators| sizes.map(|(nodes, sons, roots)| (nodes, sons, roots, mutators));
    assert_packed_states_decide(&[with(1), with(2)].concat());
}

/// Both checks refute each mutant with the same counterexamples.
#[test]
fn packed_states_refute_what_whole_ones_refute() {
    let scope = Scope::new(2, 1, 1);
    let mut violated = 0;
    for rule in 0..ActionOf::<Level3>::rules(&Level3::new(scope)).len() {
        for &mutation in Mutation::VARIANTS {
            let mutant = Mutant {
                rule: RuleId(rule),
                mutation,
            };
            let report = compare(&Refinement3::with_mutant(scope, mutant), 2);
            let verdict = report.and_then(|report| report.verdict);
            violated += usize::from(verdict == Some(Verdict::Violated));
        }
    }
    assert!(violated > 10, "{violated}");
}
