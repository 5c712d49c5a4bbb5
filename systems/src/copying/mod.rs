//! The copy phases of concurrent copying collectors, as programs.
//!
//! Source: Ugawa, Abe & Maeda, *Model Checking Copy Phases of Concurrent Copying Garbage Collection
//! with Various Memory Models*, sections 3.2 and 4. One object with one slot is copied by one
//! collector, which then lets the mutators' variable refer to the copy (the *flip*), while mutators
//! read and write the slot through the protocol's barriers. A program is independent of the memory model
//! under which it runs. Its specification is the same scenario over one atomic
//! register: [`specification`].
//!
//! A protocol is a file, or shares one with related protocols; rows of the paper's Table 2 that differ in a
//! fence or a check are one model with a parameter. Every fence can be left out by name ([`parts`]),
//! and so can the checks and the log that distinguish rows (Staccato's test of its CAS,
//! Clover's of α, Replication's log), and the CAS with which a collector commits the copy, which a store
//! then replaces. The mutators' CASes and branches stay: without them it is another protocol.
//!
//! Deviations. D1: the value that a read returns is output, and compared with the output of the register;
//! the paper asserts that it is 1 or 0 [Fig. 2]. D2: an assertion inside a barrier is evaluated or skipped
//! nondeterministically, everywhere; the paper does so where one stands between accesses [section 3.2.2]. D3: the
//! payload of the to-space object is initially α in Clover, as its algorithm assumes. D4: the barrier
//! reads the root once, when it is called.
//!
//! Left out: allocation, marking, several objects and slots, several collectors.

mod chicken;
mod clover;
mod framework;
mod handshake;
mod instance;
mod page;
pub mod progress;
mod safepoint;
mod sapphire;
mod schism;
mod stopless;
mod stopped;
pub mod table_2;

use refmap_programs::{Fence, Program, ProgramBuilder};

use chicken::{Chicken, Kind};
use clover::{Clover, Corrections};
use framework::{Heap, Parts, TRUE, mutator_name};
use handshake::Handshake;
use instance::{INITIAL_VALUE, UNINITIALISED};
use page::{Compressor, Pauseless};
use safepoint::Safepoint;
use sapphire::Sapphire;
use schism::Schism;
use stopless::{Fences, Stopless};
use stopped::{Baker, Replication};

pub use framework::{FROM_OBJECT, PARITY, ROOT, SERVED, TO_OBJECT, WIDE_OBJECT};
pub use instance::{
    Change, Instance, InstanceError, MAX_ALPHA, MAX_ITERATIONS, MAX_MUTATORS, Operation, Part,
    Protocol, Scenario,
};
pub use progress::Progress;

/// The program of an instance: the collector, and its mutators.
///
/// # Errors
///
/// If a bound is out of range, the protocol lacks a part to be left out, or has a part to be added.
pub fn program(instance: &Instance) -> Result<Program, InstanceError> {
    let parts = Parts::new(instance);
    let program = state(instance, &parts)?;
    parts.validate(instance)?;
    Ok(program)
}

/// Parts of a protocol that can be left out or added.
pub fn parts(protocol: Protocol) -> Vec<Part> {
    let parts = Parts::default();
    let instance = Instance::new(protocol, Scenario::Wr);
    state(&instance, &parts).expect("every protocol can be stated as it is");
    parts.known()
}

/// The specification: the same scenario over one atomic register, under SC; where [progress](Progress) is asked for,
/// mutators that show nothing and do not end.
///
/// # Errors
///
/// If a bound is out of range.
pub fn specification(instance: &Instance) -> Result<Program, InstanceError> {
    instance.validate()?;
    let mut p = ProgramBuilder::new("one atomic register");
    if instance.progress.is_some() {
        p.without_bound();
    }
    let register = p.location("register", INITIAL_VALUE);
    p.thread("collector", |_| ());
    for number in 0..instance.mutators {
        p.thread(mutator_name(instance, number), |t| {
            let value = t.register("value");
            if instance.progress.is_some() {
                return t.while_do(TRUE, |t| t.load(value, register));
            }
            let mut values = instance.values(number);
            for operation in instance.scenario.operations() {
                match operation {
                    Operation::Read => {
                        t.load(value, register);
                        t.output(value);
                    }
                    Operation::Write => {
                        let value = values.next().expect("there is a value for each write");
                        t.store(register, value);
                    }
                }
            }
        });
    }
    Ok(p.build()?)
}

fn state(instance: &Instance, parts: &Parts) -> Result<Program, InstanceError> {
    instance.validate()?;
    let mut p = ProgramBuilder::new(instance.protocol.name());
    let alpha = i64::from(instance.alpha);
    let to_data = if instance.protocol.has_alpha() {
        alpha
    } else {
        UNINITIALISED
    };
    if instance.protocol == Protocol::Schism {
        let schism = Schism::new(&mut p, parts);
        return framework::program(p, instance, schism.root, &schism);
    }
    let heap = Heap::new(&mut p, to_data);
    let stopless = |p: &mut ProgramBuilder, fences| Stopless::new(p, heap, fences, parts);
    let chicken = |p: &mut ProgramBuilder, kind| Chicken {
        heap,
        handshake: Handshake::new(p, instance),
        kind,
        parts,
    };
    let clover = |p: &mut ProgramBuilder, corrections| {
        let handshake = Handshake::new(p, instance);
        Clover::new(p, heap, handshake, alpha, corrections, parts)
    };
    let sapphire = |part| Sapphire { heap, part, parts };
    let safepoint = |p: &mut ProgramBuilder| Safepoint::new(p, instance);
    let protocol: Box<dyn framework::Copying + '_> = match instance.protocol {
        Protocol::Stopless => Box::new(stopless(&mut p, Fences::AsPublished)),
        Protocol::StoplessForRmo => Box::new(stopless(&mut p, Fences::ForRmo)),
        Protocol::Chicken => Box::new(chicken(&mut p, Kind::Chicken)),
        Protocol::Staccato => Box::new(chicken(&mut p, Kind::Staccato(Fence::Acquire))),
        Protocol::StaccatoFence => Box::new(chicken(&mut p, Kind::Staccato(Fence::Full))),
        Protocol::StaccatoRelFence => Box::new(chicken(&mut p, Kind::Staccato(Fence::Release))),
        Protocol::Clover => Box::new(clover(&mut p, Corrections::AsPublished)),
        Protocol::CloverFix => Box::new(clover(&mut p, Corrections::Fix)),
        Protocol::CloverForRmo => Box::new(clover(&mut p, Corrections::ForRmo)),
        Protocol::SapphireIteration => Box::new(sapphire(sapphire::Part::Iteration)),
        Protocol::SapphireLlsc => Box::new(sapphire(sapphire::Part::LlSc)),
        Protocol::X86Sapphire => Box::new(sapphire(sapphire::Part::X86)),
        Protocol::Baker => Box::new(Baker {
            heap,
            safepoint: safepoint(&mut p),
            parts,
        }),
        Protocol::Replication => {
            let safepoint = safepoint(&mut p);
            Box::new(Replication::new(&mut p, heap, safepoint, parts))
        }
        Protocol::Compressor => {
            let safepoint = safepoint(&mut p);
            Box::new(Compressor::new(&mut p, heap, safepoint, parts))
        }
        Protocol::Pauseless => {
            let safepoint = safepoint(&mut p);
            Box::new(Pauseless::new(&mut p, heap, safepoint, parts))
        }
        Protocol::Schism => unreachable!("it has a heap of its own"),
    };
    framework::program(p, instance, heap.root, &*protocol)
}
