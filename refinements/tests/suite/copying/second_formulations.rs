//! The machine against two other formulations of the memory models: store buffers, and axioms on candidate executions.

use std::collections::BTreeSet;

use refmap_programs::store_buffers::Buffered;
use refmap_programs::{Machine, Outcome, Program, ThreadEnd, axiomatic, ends, outcomes};
use refmap_systems::copying;

use super::*;

/// More states than any of the programs has.
const STATES: u64 = 1_000_000;

fn performed(program: &Program, model: MemoryModel) -> BTreeSet<Outcome> {
    outcomes(&Machine::new(program.clone(), model), STATES).expect("the program is small")
}

/// The store buffer formulation has the same outcomes as the machine, in every row.
#[test]
fn store_buffers_agree_on_every_protocol() {
    for instance in instances() {
        let program = copying::program(&instance).expect("there is such a program");
        for model in [Sc, Tso, PsoFull, PsoNo] {
            let buffered = Buffered::new(program.clone(), model).expect("it has buffers");
            let ends = ends(&buffered, STATES, None).expect("the program is small");
            let second = ends.states.iter().map(|state| buffered.outcome(state));
            assert!(
                performed(&program, model) == second.collect(),
                "{instance:?} under {model}"
            );
        }
    }
}

/// More candidates than any of the programs compared has.
const CANDIDATES: u64 = 10_000_000;

/// The models without a store buffer formulation, and one with.
const COMPARED: [MemoryModel; 3] = [Sc, RmoFull, RmoNo];

/// The weakest of them.
const WEAKEST: [MemoryModel; 1] = [RmoNo];

fn assert_axioms_agree(instance: &Instance, models: &[MemoryModel]) {
    let program = copying::program(instance).expect("there is such a program");
    for &model in models {
        let second = match axiomatic::outcomes(&program, model, CANDIDATES) {
            Ok(second) => second,
            Err(axiomatic::NotEnumerated::Exclusive) => {
                assert_eq!(instance.protocol, Protocol::SapphireLlsc);
                continue;
            }
            Err(reason) => panic!("{reason}: {instance:?}"),
        };
        let speaks = |outcome: &Outcome| {
            let silent = |end| matches!(end, ThreadEnd::Stuck | ThreadEnd::Faulty(_));
            !outcome.threads.iter().any(|thread| silent(thread.end))
        };
        let mut first = performed(&program, model);
        first.retain(speaks);
        assert!(first == second, "{instance:?} under {model}");
        assert!(first.len() >= 2);
    }
}

/// Whether a row has too many candidate executions for a test.
fn is_large(protocol: Protocol) -> bool {
    matches!(
        protocol,
        Protocol::Stopless
            | Protocol::StoplessForRmo
            | Protocol::Chicken
            | Protocol::Staccato
            | Protocol::StaccatoFence
            | Protocol::StaccatoRelFence
    )
}

fn is_stopless(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::Stopless | Protocol::StoplessForRmo)
}

/// The same instance with a mutator of one operation.
fn shortened(instance: &Instance) -> Instance {
    Instance {
        scenario: match instance.scenario {
            Scenario::Wr => Scenario::W,
            _ => Scenario::R,
        },
        ..instance.clone()
    }
}

/// The axiomatic formulation has the same outcomes as the machine, in every row without LL and SC. The large rows are
/// compared with a mutator of one operation.
fn assert_axioms_agree_on_every_protocol(models: &[MemoryModel]) {
    for instance in instances() {
        if !is_large(instance.protocol) {
            assert_axioms_agree(&instance, models);
            continue;
        }
        let slow = is_stopless(instance.protocol) && instance.scenario == Scenario::Wr;
        match (slow, instance.protocol) {
            (false, _) => assert_axioms_agree(&shortened(&instance), models),
            (true, Protocol::Stopless) => assert_axioms_agree(&shortened(&instance), &[RmoNo]),
            (true, _) => (),
        }
    }
}

#[test]
fn axioms_agree_on_every_protocol_under_the_weakest_model() {
    assert_axioms_agree_on_every_protocol(&WEAKEST);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_axioms_agree_on_every_protocol() {
    assert_axioms_agree_on_every_protocol(&COMPARED);
}

/// The same of the large rows under all models, and in the two scenarios of the paper; Stopless has
/// too many candidates for the latter.
#[test]
#[ignore = "takes minutes"]
fn nightly_axioms_agree_on_large_protocols() {
    for instance in instances().filter(|instance| is_large(instance.protocol)) {
        assert_axioms_agree(&shortened(&instance), &MemoryModel::ALL);
        if !is_stopless(instance.protocol) {
            assert_axioms_agree(&instance, &MemoryModel::ALL);
        }
    }
}
