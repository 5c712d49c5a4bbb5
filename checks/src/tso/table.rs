//! Every variant of the x86-TSO collector, tried at larger and larger instances.

use refmap::obligation::{Selection, Symmetry};
use refmap::table::{Given, Instance, Table};
use refmap_refinements::tso::{AT_COARSE, AT_REDUCED};
use refmap_systems::tso::Part;
use serde_json::Value;

use super::{ALLOCATE, NAME};

const HANDSHAKES: [Part; 4] = [
    Part::IdleNoop,
    Part::IdleFlipNoop,
    Part::InitNoop,
    Part::MarkNoop,
];

/// What is freed, at granularity reduced, at the instances at which some variant first goes wrong; and which
/// invariants fail, at granularity coarse.
pub(in super::super) fn tables() -> Vec<Table> {
    let instance = |mutators: u8, refs: u8| Instance {
        given: vec![
            ("mutators", mutators.into()),
            ("references", refs.into()),
            ("granularity", "reduced".into()),
        ],
        obligations: Selection::only(AT_REDUCED),
        symmetry: Symmetry::Full,
    };
    vec![Table {
        name: NAME,
        about: "the x86-TSO collector without each of its parts, with others, and under other memories",
        check: NAME,
        combinations: variants(),
        instances: vec![instance(1, 2), instance(1, 3), instance(2, 2)],
        to_the_end: Some(Instance {
            given: vec![("references", 2.into()), ("granularity", "coarse".into())],
            obligations: Selection::only(AT_COARSE),
            symmetry: Symmetry::Full,
        }),
    }]
}

fn without(parts: &[Part]) -> (&'static str, Value) {
    let names = parts.iter().map(|part| Value::from(part.name()));
    ("without", Value::Array(names.collect()))
}

/// The collector of the paper first, which is that without nothing.
fn variants() -> Vec<Given> {
    let keep_fences = ("keep-fences", Value::from(true));
    let mut variants = vec![vec![without(&[])]];
    variants.extend(Part::ALL.map(|part| vec![without(&[part])]));
    let mut handshakes: Vec<Vec<Part>> = HANDSHAKES.map(|part| vec![part]).into();
    for (place, first) in HANDSHAKES.iter().enumerate() {
        for second in &HANDSHAKES[place + 1..] {
            variants.push(vec![without(&[*first, *second])]);
            handshakes.push(vec![*first, *second]);
        }
    }
    variants.extend(
        handshakes
            .iter()
            .map(|parts| vec![without(parts), keep_fences.clone()]),
    );
    let choice = |name: &'static str, value: &'static str| vec![(name, Value::from(value))];
    variants.push(choice("barriers", "insertion-first"));
    variants.extend(ALLOCATE[1..].iter().map(|sense| choice("allocate", sense)));
    let flags = ["fa-never-flips", "fa-early"];
    variants.extend(flags.map(|flag| vec![(flag, Value::from(true))]));
    for memory in ["sc", "pso"] {
        variants.push(choice("memory", memory));
        for part in [
            Part::DeletionBarrier,
            Part::InsertionBarrier,
            Part::Cas,
            Part::CollectorFence,
            Part::MutatorFence,
        ] {
            let mut variant = choice("memory", memory);
            variant.push(without(&[part]));
            variants.push(variant);
        }
    }
    variants
}
