//! The x86-TSO collector as a system: its state counts, and the declared register reads of its programs.

use refmap::state::Limits;
use refmap::{State as _, TransitionSystem, disagreement, round_trip};
use refmap_systems::tso::{Granularity, OnTheFly, Scope, State, Variant};
use refmap_testing::reachable;

fn scope(mutators: u8, refs: u8, buffer: u8) -> Scope {
    Scope {
        buffer,
        ..Scope::new(mutators, refs, Granularity::Fine)
    }
}

fn paper(scope: Scope) -> OnTheFly {
    OnTheFly::new(scope, Variant::default()).expect("the instance is in range")
}

/// A second program, written from the paper without this one, counted 78 740 states with a mutator, a
/// reference, a field and a mutator's buffer of one store. The collector uses two places of its buffer,
/// for the phase and `fA` [Fig. 2, lines 11–12], so a buffer of one place hides behaviours.
#[test]
fn tso_reaches_the_states_of_a_second_formulation() {
    let states = |collector_buffer| {
        let scope = Scope {
            collector_buffer,
            ..scope(1, 1, 1)
        };
        reachable(&paper(scope)).len()
    };
    assert_eq!([1, 2, 4].map(states), [77_806, 78_740, 78_740]);
}

#[test]
fn tso_instances_have_bounds() {
    let refused = |scope| OnTheFly::new(scope, Variant::default()).err();
    let refused = |scope| refused(scope).map(|error| error.to_string());
    assert_eq!(refused(scope(1, 1, 4)), None);
    for buffer in [0, 5] {
        let expected = format!("buffer must be from 1 to 4, and is {buffer}");
        assert_eq!(refused(scope(1, 1, buffer)), Some(expected));
    }
    let expected = "mutators must be from 1 to 3, and is 4".to_owned();
    assert_eq!(refused(scope(4, 1, 1)), Some(expected));
}

/// No command depends on an undeclared register, the overridden methods are consistent, and packing round-trips.
#[test]
fn tso_registers_are_declared_and_states_can_be_packed() {
    let system = paper(scope(1, 1, 1));
    let mut initial = Vec::new();
    system.initial(&mut |state| initial.push(state));
    for (number, state) in reachable(&system).iter().enumerate() {
        assert_eq!(system.test_registers(state), Ok(()), "{state:?}");
        assert_eq!(round_trip(&system, state), Ok(()), "{state:?}");
        if number % 100 == 0 {
            assert_eq!(disagreement(&system, state, &initial), None, "{state:?}");
        }
    }
    let bits = State::shape(&system, Limits::NONE).bits();
    assert!(bits.is_some_and(|bits| bits <= 128), "{bits:?}");
}
