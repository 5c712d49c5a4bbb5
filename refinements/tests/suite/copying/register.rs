//! The specification: one atomic register.

use std::collections::BTreeSet;

use refmap::{TransitionSystem, disagreement, steps};
use refmap_programs::{Machine, Outcome, Value, outcomes};
use refmap_refinements::copying::Register;
use refmap_systems::copying;

use super::*;

/// The values that a client of the register can read.
#[test]
fn the_register_returns_what_was_written_last() {
    let shown = |instance: &Instance| -> BTreeSet<Vec<i64>> {
        let program = copying::specification(instance).expect("there is such an instance");
        let ends = outcomes(&Machine::new(program, Sc), 100_000).expect("it is small");
        let read = |outcome: &Outcome| {
            let values = outcome.threads.iter().flat_map(|thread| &thread.output);
            let number = |value: &Value| match value {
                Value::Number(number) => *number,
                Value::Address(_) => unreachable!("no thread shows an address"),
            };
            values.map(number).collect()
        };
        ends.iter().map(read).collect()
    };
    let of = |scenario| Instance::new(Protocol::Stopless, scenario);
    assert_eq!(shown(&of(Scenario::Wr)), BTreeSet::from([vec![1]]));
    assert_eq!(shown(&of(Scenario::Rw)), BTreeSet::from([vec![0]]));
    assert_eq!(shown(&of(Scenario::Wrwr)), BTreeSet::from([vec![1, 3]]));
    assert_eq!(shown(&of(Scenario::Rwrw)), BTreeSet::from([vec![0, 1]]));
    let two = shown(&of(Scenario::Wr).mutators(2));
    assert_eq!(two, BTreeSet::from([vec![1, 1], vec![1, 3], vec![3, 3]]));
}

#[test]
fn the_register_does_not_contradict_itself() {
    for mutators in [1, 2] {
        let instance = Instance::new(Protocol::Stopless, Scenario::Wr).mutators(mutators);
        let register = Register::new(&instance).expect("there is such an instance");
        let mut states = Vec::new();
        register.initial(&mut |state| states.push(state));
        let complete: Vec<_> = states
            .iter()
            .flat_map(|state| steps(&register, state))
            .map(|(_, to)| to)
            .filter(|to| to.in_copy)
            .collect();
        states.extend(complete);
        for state in &states {
            let others = [states[0].clone(), states[states.len() - 1].clone()];
            assert_eq!(disagreement(&register, state, &others), None);
        }
    }
}
