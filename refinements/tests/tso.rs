//! The x86-TSO collector collects only garbage, and its invariants hold.

use refmap::obligation::Checker;
use refmap::process::{DeadRegisters, Granularity};
use refmap::{Report, Settings};
use refmap_refinements::tso::CollectorRefinement;
use refmap_systems::tso::{Initial, OnTheFly, Scope, Variant};

fn scope(mutators: u8, refs: u8, buffer: u8) -> Scope {
    Scope {
        mutators,
        refs,
        fields: 1,
        buffer,
        collector_buffer: 4,
        initial: Initial::Canonical,
        granularity: Granularity::Fine,
        registers: DeadRegisters::Cleared,
    }
}

fn report(scope: Scope, variant: Variant, settings: &Settings<'_>) -> Report {
    let system = OnTheFly::new(scope, variant).expect("the instance is in range");
    let refinement = CollectorRefinement::new(system);
    let checker = Checker::new(&refinement).packed();
    checker.check(settings).expect("the settings are right")
}

#[test]
fn explore() {
    let args: Vec<u8> = std::env::var("TSO")
        .unwrap()
        .split(',')
        .map(|n| n.parse().unwrap())
        .collect();
    let r = report(
        scope(args[0], args[1], args[2]),
        Variant::default(),
        &Settings::default(),
    );
    eprintln!("{r}");
}
