//! YRC: the module that proves nothing.
//!
//! The counts are those of the reachable states by hand: any set of roots for each thread, times the
//! lock free or held by one of the threads.

use refmap::catalogue::{Arguments, Check, Claim, Parameter};
use refmap::check;
use refmap_refinements::yrc::ModuleRefinement;
use refmap_systems::heap::{MAX_OBJECTS, MAX_THREADS};
use refmap_systems::yrc::module::{MAX_QUEUE, Module};
use serde_json::Value;

pub(super) fn checks() -> Vec<Check> {
    vec![Check::new(
        "yrc-module",
        "the formulas of YRC's TLA+ module: pass their own properties, and allow no store",
        "the TLA+ module yrc_proof",
        vec![
            Parameter::number("objects", 1..=MAX_OBJECTS as u64, 2, "Objects"),
            Parameter::number("threads", 1..=MAX_THREADS as u64, 1, "Threads"),
            Parameter::number("queue", 1..=MAX_QUEUE as u64, 2, "QueueSize"),
            Parameter::number("threshold", 0..=MAX_OBJECTS as u64, 1, "RootsThreshold"),
        ],
        |arguments, settings| Ok(check(&ModuleRefinement::new(module(arguments)), settings)?),
    )]
}

fn module(arguments: &Arguments) -> Module {
    Module {
        objects: arguments.number("objects"),
        threads: arguments.number("threads"),
        queue: arguments.number("queue"),
        threshold: arguments.number("threshold"),
    }
}

pub(super) fn claims() -> Vec<Claim> {
    let at = |objects: u8, threads: u8| -> Vec<(&'static str, Value)> {
        vec![("objects", objects.into()), ("threads", threads.into())]
    };
    let module = |objects, threads| {
        Claim::violated("yrc-module", at(objects, threads), "environment:store").length(1)
    };
    let own = ["simulation", "invariant"];
    vec![
        module(2, 1).source(
            "yrc_proof, MutatorWrite",
            "no store is possible: the module says nothing",
        ),
        module(2, 2).source("yrc_proof, MutatorWrite", "… nor with two threads"),
        module(3, 2).source("yrc_proof, MutatorWrite", "… nor with three objects"),
        Claim::holds("yrc-module", at(2, 1))
            .only(&own)
            .states(8)
            .source(
                "yrc_proof, THEOREM",
                "it passes its three properties: 4 sets of roots, 2 locks",
            ),
        Claim::holds("yrc-module", at(2, 2))
            .only(&own)
            .states(48)
            .source("yrc_proof, THEOREM", "16 sets of roots, 3 locks"),
        Claim::holds("yrc-module", at(3, 2))
            .only(&own)
            .states(192)
            .source("yrc_proof, THEOREM", "64 sets of roots, 3 locks"),
    ]
}
