//! The x86-TSO collector collects only garbage, and its invariants hold; which of its parts are needed for that,
//! and which obligation fails first without each.
//!
//! Counts and lengths without a source of their own were found by this checker. Instances are (mutators,
//! references, stores in a mutator's buffer), with one field and the canonical heap.

mod any_number;
mod baseline;
mod cycles;
mod granularity;
mod invariants;
mod lipton_reduction;
mod observable_equivalence;
mod parts;

use refmap::obligation::{Selection, Symmetry};
use refmap::{Report, Settings, Verdict};
use refmap_refinements::Checked;
use refmap_refinements::tso::{AT_COARSE, AT_REDUCED, CollectorRefinement};
use refmap_systems::tso::{
    Allocate, Barriers, Flip, Granularity, Initial, LoadOrder, Memory, OnTheFly, Part,
    ResidualFence, Scope, Variant,
};
use strum::VariantArray;

pub fn scope(mutators: u8, refs: u8, buffer: u8, granularity: Granularity) -> Scope {
    Scope {
        buffer,
        ..Scope::new(mutators, refs, granularity)
    }
}

fn coarse(mutators: u8, refs: u8, buffer: u8) -> Scope {
    scope(mutators, refs, buffer, Granularity::Coarse)
}

pub fn reduced(mutators: u8, refs: u8, buffer: u8) -> Scope {
    scope(mutators, refs, buffer, Granularity::Reduced)
}

pub fn refinement(scope: Scope, variant: Variant) -> CollectorRefinement {
    let system = OnTheFly::new(scope, variant);
    CollectorRefinement::new(system.expect("the instance is in range"))
}

pub fn report(scope: Scope, variant: Variant, settings: &Settings<'_>) -> Report {
    let refinement = refinement(scope, variant);
    let checker = refinement.checker();
    checker.check(settings).expect("the settings are right")
}

/// Checks what is freed, modulo symmetry.
fn freed(scope: Scope, variant: Variant) -> Report {
    let settings = Settings {
        obligations: Selection::only(AT_REDUCED),
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    report(scope, variant, &settings)
}

/// The collector of the paper, each variant with one difference, and the handshakes with their fences kept.
fn variants() -> Vec<Variant> {
    let mut variants = vec![Variant::default()];
    variants.extend(Part::VARIANTS.iter().copied().map(Variant::without));
    for part in [
        Part::IdleNoop,
        Part::IdleFlipNoop,
        Part::InitNoop,
        Part::MarkNoop,
    ] {
        variants.push(Variant {
            residual_fence: ResidualFence::Present,
            ..Variant::without(part)
        });
    }
    let senses = [Allocate::NotFa, Allocate::Fm, Allocate::WhiteInMark];
    variants.extend(senses.map(|allocate| Variant {
        allocate,
        ..Variant::default()
    }));
    let flips = [Flip::BeforeInit, Flip::Never];
    variants.extend(flips.map(|flip| Variant {
        flip,
        ..Variant::default()
    }));
    let memories = [Memory::Sc, Memory::Pso];
    variants.extend(memories.map(|memory| Variant {
        memory,
        ..Variant::default()
    }));
    variants.push(Variant {
        barriers: Barriers::InsertionFirst,
        ..Variant::default()
    });
    variants.push(Variant {
        load_order: LoadOrder::SenseFirst,
        ..Variant::default()
    });
    variants
}

/// Checks everything that can be decided, or only the obligations named.
fn check(scope: Scope, variant: Variant, only: &[&str]) -> Report {
    let obligations = match only {
        [] if scope.granularity == Granularity::Coarse => Selection::only(AT_COARSE),
        [] => Selection::Default,
        names => Selection::only(names.iter().copied()),
    };
    let settings = Settings {
        obligations,
        ..Settings::default()
    };
    report(scope, variant, &settings)
}

/// Capacity of a buffer: with a single place no two stores could be reordered.
fn buffer(variant: Variant) -> u8 {
    match variant.memory {
        Memory::Pso => 2,
        Memory::Tso | Memory::Sc => 1,
    }
}
