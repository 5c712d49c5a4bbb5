//! Sweep over every variant of the x86-TSO collector, at growing instances.

use refmap::obligation::{Selection, Symmetry};
use refmap_cli::table::{Instance, Rows, Sweep, Table, rows};
use refmap_refinements::tso::{AT_COARSE, AT_REDUCED};
use refmap_systems::tso::{Allocate, Part};
use strum::VariantArray;

use super::super::named::names;
use super::NAME;

const HANDSHAKES: [Part; 4] = [
    Part::IdleNoop,
    Part::IdleFlipNoop,
    Part::InitNoop,
    Part::MarkNoop,
];

/// Checks what is freed at granularity reduced, at growing instances until a violation, and collects the invariants
/// that are violated on the way at granularity coarse.
pub(in super::super) fn tables() -> Vec<Table> {
    let instance = |mutators: u8, refs: u8| Instance {
        given: format!("--mutators {mutators} --references {refs} --granularity reduced"),
        obligations: Selection::only(AT_REDUCED),
        symmetry: Symmetry::Full,
    };
    let [small, longer, wider, both] =
        [(1, 2), (1, 3), (2, 1), (2, 2)].map(|(mutators, refs)| instance(mutators, refs));
    let all = [small.clone(), longer.clone(), both];
    let without_cas = |memory: &str| vec![format!("{memory} {}", without(&[Part::Cas]))];
    // If the loser of a race continues, few steps are fused: then (2, 2) takes more than three minutes per row and
    // is left out, and with longer buffers so is (1, 3).
    let rows = [
        rows(
            [
                of_handshakes(),
                others(),
                of_memory(SC),
                of_memory(PSO),
                without_cas(SC),
            ]
            .concat(),
            &all,
        ),
        rows(without_cas(""), &[small.clone(), longer, wider.clone()]),
        rows(without_cas(PSO), &[small, wider]),
    ];
    vec![Table {
        name: NAME,
        about: "the x86-TSO collector without each of its parts, with others, and under other memories",
        check: NAME,
        rows: Rows::Sweep(Sweep {
            rows: rows.concat(),
            on_the_way: Some(Instance {
                given: "--references 2 --granularity coarse".to_owned(),
                obligations: Selection::only(AT_COARSE),
                symmetry: Symmetry::Full,
            }),
        }),
    }]
}

fn without(parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| format!("--without {part}"));
    parts.collect::<Vec<_>>().join(" ")
}

/// The collector of the paper, as the variant without nothing; without one or two of its handshakes, also with
/// their fences kept if it is violated without them; and with `fA` set one handshake early.
fn of_handshakes() -> Vec<String> {
    let mut handshakes: Vec<Vec<Part>> = HANDSHAKES.map(|part| vec![part]).into();
    for (place, first) in HANDSHAKES.iter().enumerate() {
        let behind = &HANDSHAKES[place + 1..];
        handshakes.extend(behind.iter().map(|second| vec![*first, *second]));
    }
    let mut variants = vec![without(&[])];
    variants.extend(handshakes.iter().map(|parts| without(parts)));
    // A fence removes behaviours and adds none, so keeping the fences of the first two is safe.
    let first_two = &HANDSHAKES[..2];
    let kept = handshakes.iter();
    let kept = kept.filter(|parts| parts.iter().any(|part| !first_two.contains(part)));
    variants.extend(kept.map(|parts| format!("{} --keep-fences", without(parts))));
    variants.push("--fa-early".to_owned());
    variants
}

const SC: &str = "--memory sc";
/// With a buffer of one entry, two stores of a mutator could not be reordered.
const PSO: &str = "--memory pso --buffer 2";

/// Variants without each of the other parts, and with replacements of them.
fn others() -> Vec<String> {
    let parts = Part::VARIANTS.iter();
    let parts = parts.filter(|part| **part != Part::Cas && !HANDSHAKES.contains(part));
    let mut variants: Vec<_> = parts.map(|part| without(&[*part])).collect();
    variants.push("--barriers insertion-first".to_owned());
    let senses = names::<Allocate>().into_iter().skip(1);
    variants.extend(senses.map(|sense| format!("--allocate {sense}")));
    variants.push("--fa-never-flips".to_owned());
    variants
}

/// Variants under another memory model: as in the paper, and without each of the barriers and fences.
fn of_memory(memory: &str) -> Vec<String> {
    let parts = [
        Part::DeletionBarrier,
        Part::InsertionBarrier,
        Part::CollectorFence,
        Part::MutatorFence,
    ];
    let without = parts.map(|part| format!("{memory} {}", without(&[part])));
    std::iter::once(memory.to_owned()).chain(without).collect()
}
