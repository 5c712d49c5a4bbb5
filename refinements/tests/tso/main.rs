//! The x86-TSO collector collects only garbage, and its invariants hold; which of its parts that needs,
//! and what goes wrong first without them.
//!
//! Counts and lengths without a source of their own were found by this checker. Instances are (mutators,
//! references, stores in a mutator's buffer), with one field and the canonical heap.

mod granularity;

use std::collections::HashSet;

use refmap::obligation::{Checker, Selection, Symmetry, Until};
use refmap::process::DeadRegisters;
use refmap::{Refinement, Report, Settings, TransitionSystem, Verdict, asymmetry};
use refmap_refinements::tso::{AT_COARSE, AT_REDUCED, CollectorRefinement};
use refmap_systems::tso::{
    Allocate, Barriers, Flip, Granularity, Initial, Loads, Memory, OnTheFly, Part, Phase, Remains,
    Scope, State, Store, Variant, Who, Without,
};

fn scope(mutators: u8, refs: u8, buffer: u8, granularity: Granularity) -> Scope {
    Scope {
        mutators,
        refs,
        fields: 1,
        buffer,
        collector_buffer: 4,
        initial: Initial::Canonical,
        granularity,
        registers: DeadRegisters::Cleared,
    }
}

fn coarse(mutators: u8, refs: u8, buffer: u8) -> Scope {
    scope(mutators, refs, buffer, Granularity::Coarse)
}

fn reduced(mutators: u8, refs: u8, buffer: u8) -> Scope {
    scope(mutators, refs, buffer, Granularity::Reduced)
}

fn refinement(scope: Scope, variant: Variant) -> CollectorRefinement {
    let system = OnTheFly::new(scope, variant);
    CollectorRefinement::new(system.expect("the instance is in range"))
}

fn report(scope: Scope, variant: Variant, settings: &Settings<'_>) -> Report {
    let refinement = refinement(scope, variant);
    let checker = Checker::new(&refinement).packed().symmetric();
    checker.check(settings).expect("the settings are right")
}

/// What is freed, of states that differ only by a symmetry one each.
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
    variants.extend(Part::ALL.map(Variant::without));
    for part in [
        Part::IdleNoop,
        Part::IdleFlipNoop,
        Part::InitNoop,
        Part::MarkNoop,
    ] {
        variants.push(Variant {
            remains: Remains::Fence,
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
        loads: Loads::SenseFirst,
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

/// A variant that does not collect only garbage: the length of the shortest execution that frees
/// something reachable, and the invariant that goes first, with the length to that.
fn unsafe_at_1_2(variant: Variant, freed: usize, first: &str, length: usize) {
    let report = check(coarse(1, 2, 1), variant, &["simulation"]);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{variant:?}");
    let steps = |report: &Report| report.counterexample.as_ref().map(|c| c.length);
    assert_eq!(steps(&report), Some(freed), "{variant:?}");
    breaks_first(variant, first, length);
}

/// An invariant goes first, after so many steps. Whether something is freed is another question.
fn breaks_first(variant: Variant, first: &str, length: usize) {
    let report = check(coarse(1, 2, 1), variant, &[]);
    let found = report.counterexample.expect("an invariant is violated");
    let name = format!("invariant:{first}");
    assert_eq!(
        (&*found.obligation, found.length),
        (&*name, length),
        "{variant:?}"
    );
}

/// A variant of which at this instance everything is freed rightly.
fn safe_at(scope: Scope, variant: Variant, states: u64) {
    let report = check(scope, variant, &["simulation"]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{variant:?}");
    assert_eq!(report.states, states, "{variant:?}");
}

/// [section 1.1] at one mutator and one reference; the count is that of a second formulation.
#[test]
fn tso_collects_only_garbage_at_the_smallest_instance() {
    let fine = check(scope(1, 1, 1, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(fine.verdict, Some(Verdict::Holds), "{fine}");
    assert_eq!((fine.states, fine.transitions), (78_740, 233_030));
    // What is run together with its neighbours changes the count alone.
    let coarse = check(coarse(1, 1, 1), Variant::default(), &[]);
    assert_eq!(coarse.verdict, Some(Verdict::Holds), "{coarse}");
    assert_eq!((coarse.states, coarse.transitions), (6_518, 25_462));
}

/// Any heap, any roots.
#[test]
fn tso_collects_only_garbage_from_every_beginning() {
    let scope = Scope {
        initial: Initial::All,
        ..coarse(1, 1, 1)
    };
    let report = check(scope, Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // No object, or one that points nowhere, to itself; held or not, where there is one.
    assert_eq!(report.initial_states, 1 + 2 * 2);
}

/// Two references: every rule fires, and every premise is true somewhere.
#[test]
#[ignore = "some 8 s"]
fn tso_collects_only_garbage_with_two_references() {
    let report = check(coarse(1, 2, 1), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (532_198, 2_029_628));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// The same, where every guard is a step.
#[test]
#[ignore = "some 150 s"]
fn tso_collects_only_garbage_with_two_references_at_fine() {
    let report = check(scope(1, 2, 1, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (9_904_200, 30_294_450));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// All that coarse granularity decides, with another mutator and with another reference, of states that differ
/// only by a symmetry one each.
#[test]
#[ignore = "some 2 minutes"]
fn tso_collects_only_garbage_at_larger_instances() {
    for (mutators, refs, states, transitions) in
        [(2, 1, 132_361, 763_752), (1, 3, 6_163_500, 23_218_957)]
    {
        let settings = Settings {
            obligations: Selection::only(AT_COARSE),
            symmetry: Symmetry::Full,
            ..Settings::default()
        };
        let report = report(coarse(mutators, refs, 1), Variant::default(), &settings);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// … and with two mutators and two references: all invariants, of every state that there is up to symmetry.
#[test]
#[ignore = "some 15 minutes on two cores, and 5 GB"]
fn tso_collects_only_garbage_with_two_mutators_and_two_references() {
    let settings = Settings {
        obligations: Selection::only(AT_COARSE),
        symmetry: Symmetry::Full,
        threads: 2,
        ..Settings::default()
    };
    let report = report(coarse(2, 2, 1), Variant::default(), &settings);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(
        (report.states, report.transitions, report.depth),
        (116_512_937, 607_723_787, 219)
    );
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// All obligations, those of the environment too, with two stores in a mutator's buffer.
#[test]
#[ignore = "some 10 minutes and 3 GB"]
fn tso_collects_only_garbage_with_two_stores_at_fine() {
    let report = check(scope(1, 2, 2, Granularity::Fine), Variant::default(), &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(
        (report.states, report.transitions),
        (54_086_260, 173_777_550)
    );
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// Without the deletion barrier an object is lost that only the overwritten field kept reachable for the
/// collector [section 2.1, Fig. 1].
#[test]
fn tso_needs_the_deletion_barrier() {
    let variant = Variant::without(Part::DeletionBarrier);
    unsafe_at_1_2(variant, 76, "marked_deletions", 40);
}

/// [section 2.1]
#[test]
#[ignore = "some 10 s"]
fn tso_needs_the_insertion_barrier() {
    let variant = Variant::without(Part::InsertionBarrier);
    unsafe_at_1_2(variant, 119, "marked_insertions", 29);
}

/// [section 2.4]: handshakes include fences on both sides.
#[test]
fn tso_needs_the_fences_of_handshakes() {
    unsafe_at_1_2(Variant::without(Part::CollectorFence), 48, "fM_rel", 10);
    unsafe_at_1_2(
        Variant::without(Part::MutatorFence),
        55,
        "marked_insertions",
        28,
    );
}

/// Where stores act at once there is nothing for a fence to do: all obligations hold without them.
#[test]
#[ignore = "some 10 s"]
fn tso_fences_are_for_the_buffers() {
    let sc = |variant: Variant| {
        let variant = Variant {
            memory: Memory::Sc,
            ..variant
        };
        let report = check(coarse(1, 2, 1), variant, &[]);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        report.states
    };
    assert_eq!(sc(Variant::default()), 90_710);
    assert_eq!(sc(Variant::without(Part::CollectorFence)), 90_584);
    assert_eq!(sc(Variant::without(Part::MutatorFence)), 90_710);
}

/// [Fig. 2, lines 18–19]
#[test]
fn tso_needs_root_marking() {
    let variant = Variant::without(Part::RootMarking);
    unsafe_at_1_2(variant, 51, "reachable_snapshot", 44);
}

/// The sense with which objects are allocated [section 2.2].
#[test]
#[ignore = "some 60 s"]
fn tso_needs_the_sense_of_allocation() {
    let allocate = |allocate| Variant {
        allocate,
        ..Variant::default()
    };
    unsafe_at_1_2(allocate(Allocate::NotFa), 111, "reachable_snapshot", 54);
    unsafe_at_1_2(allocate(Allocate::Fm), 120, "sys_phase_Idle", 70);
    unsafe_at_1_2(
        allocate(Allocate::WhiteInMark),
        111,
        "reachable_snapshot",
        54,
    );
    let never = Variant {
        flip: Flip::Never,
        ..Variant::default()
    };
    unsafe_at_1_2(never, 131, "fA_rel", 31);
}

/// Without the mark handshake something is freed that is reachable, because its fence goes with it: with
/// the fence alone nothing is, at one mutator. (An instance of one mutator says little of a handshake.)
#[test]
#[ignore = "some 30 s"]
fn tso_needs_the_fence_of_the_mark_handshake() {
    let variant = Variant::without(Part::MarkNoop);
    unsafe_at_1_2(variant, 95, "handshake_phase", 31);
    let fenced = Variant {
        remains: Remains::Fence,
        ..variant
    };
    safe_at(coarse(1, 2, 1), fenced, 470_274);
    breaks_first(fenced, "handshake_phase", 34);
}

/// What breaks invariants and yet frees nothing reachable at one mutator and two references. That is no
/// proof of safety: a handshake is for several mutators, and a chain takes a third reference.
#[test]
#[ignore = "some 120 s"]
fn tso_parts_of_which_two_references_show_no_need() {
    for (part, states, first, length) in [
        (Part::PhaseTest, 551_586, "sys_phase_Idle", 16),
        (Part::Cas, 2_572_160, "valid_W_marked", 23),
        (Part::InitNoop, 562_710, "phase_rel", 20),
        (Part::IdleFlipNoop, 519_506, "phase_rel", 11),
        (Part::IdleNoop, 808_328, "fM_rel", 2),
        (Part::GetWork, 927_070, "swept_no_grey", 70),
        (
            Part::InsertionBarrierAfterRoots,
            533_898,
            "marked_insertions",
            58,
        ),
    ] {
        safe_at(coarse(1, 2, 1), Variant::without(part), states);
        breaks_first(Variant::without(part), first, length);
    }
    let early = Variant {
        flip: Flip::BeforeInit,
        ..Variant::default()
    };
    safe_at(coarse(1, 2, 1), early, 609_658);
    breaks_first(early, "fA_rel", 21);
    // In the order of the loads that the native collector has too, of which its page says so.
    let sense_first = Variant {
        loads: Loads::SenseFirst,
        ..Variant::without(Part::IdleNoop)
    };
    safe_at(coarse(1, 2, 1), sense_first, 810_768);
}

/// The order of the barriers does not matter [section 4, on Doligez & Gonthier], nor does it at this size
/// that a buffer, of two places, be in order across locations.
#[test]
#[ignore = "some 60 s"]
fn tso_holds_with_barriers_in_either_order_and_with_pso() {
    let other = Variant {
        barriers: Barriers::InsertionFirst,
        ..Variant::default()
    };
    let pso = Variant {
        memory: Memory::Pso,
        ..Variant::default()
    };
    for (variant, states) in [(other, 726_998), (pso, 2_278_576)] {
        let report = check(coarse(1, 2, buffer(variant)), variant, &[]);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, states);
    }
}

/// `fM` before the mark, as Fig. 5 prints it and the native collector does it.
#[test]
fn tso_may_load_the_sense_first() {
    let variant = Variant {
        loads: Loads::SenseFirst,
        ..Variant::default()
    };
    let report = check(coarse(1, 1, 1), variant, &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (6_590, 25_660));
}

/// The same with two references.
#[test]
#[ignore = "some 20 s"]
fn tso_may_load_the_sense_first_with_two_references() {
    let variant = Variant {
        loads: Loads::SenseFirst,
        ..Variant::default()
    };
    let report = check(coarse(1, 2, 1), variant, &[]);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (533_134, 2_027_996));
    assert_eq!(report.unexercised, Vec::<String>::new());
}

/// How many stores a buffer holds: with a single place no two of them could change their order.
fn buffer(variant: Variant) -> u8 {
    match variant.memory {
        Memory::Pso => 2,
        Memory::Tso | Memory::Sc => 1,
    }
}

/// The baseline at granularity reduced; counts are of states up to symmetry.
#[test]
fn tso_collects_only_garbage_by_joined_steps() {
    for (mutators, refs, states, transitions) in [
        (1, 1, 488, 1308),
        (1, 2, 9_295, 27_605),
        (2, 1, 14_517, 59_157),
    ] {
        let report = freed(reduced(mutators, refs, 1), Variant::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// … with two mutators and two references, and with three references.
#[test]
#[ignore = "some 2 minutes"]
fn tso_collects_only_garbage_by_joined_steps_at_larger_instances() {
    for (mutators, refs, states, transitions) in
        [(1, 3, 160_391, 527_621), (2, 2, 4_098_864, 16_884_508)]
    {
        let report = freed(reduced(mutators, refs, 1), Variant::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// References, mutators and the senses of marks are interchangeable: on states of every granularity, of
/// two mutators or two references.
#[test]
fn tso_identities_are_interchangeable() {
    for granularity in [Granularity::Fine, Granularity::Coarse, Granularity::Reduced] {
        for (mutators, refs) in [(1, 2), (2, 1), (2, 2)] {
            for memory in [Memory::Tso, Memory::Pso] {
                let variant = Variant {
                    memory,
                    ..Variant::default()
                };
                let refinement = refinement(scope(mutators, refs, 2, granularity), variant);
                let states = some_states(refinement.implementation(), 20_000, 150);
                assert_eq!(
                    asymmetry(&refinement, &states),
                    None,
                    "{granularity:?} {memory:?}"
                );
            }
        }
    }
}

/// One of every few of the first states, breadth first.
fn some_states(system: &OnTheFly, first: usize, one_of: usize) -> Vec<State> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    system.initial(&mut |state| found.push(state));
    let mut next = 0;
    while next < found.len() && found.len() < first {
        let from = found[next];
        system.next(&from, &mut |_, to| {
            if seen.insert(to) {
                found.push(to);
            }
        });
        next += 1;
    }
    found.into_iter().step_by(one_of).collect()
}

/// Verdicts and counterexamples are those of the system without the quotient.
#[test]
fn tso_symmetry_changes_no_verdict() {
    let quotient = |part: Option<Part>, symmetry| {
        let settings = Settings {
            obligations: Selection::only(AT_REDUCED),
            symmetry,
            ..Settings::default()
        };
        let variant = part.map_or(Variant::default(), Variant::without);
        report(reduced(1, 2, 1), variant, &settings)
    };
    let parts = Part::ALL.map(Some);
    for part in std::iter::once(None).chain(parts) {
        let [plain, up_to] =
            [Symmetry::None, Symmetry::Full].map(|symmetry| quotient(part, symmetry));
        assert_eq!(plain.verdict, up_to.verdict, "{part:?}");
        let length = |report: &Report| report.counterexample.as_ref().map(|c| c.length);
        assert_eq!(length(&plain), length(&up_to), "{part:?}");
        assert!(up_to.states < plain.states, "{part:?}");
    }
}

/// What the paper's handshakes are for takes two mutators and two references: the init handshake cannot
/// be left out.
#[test]
#[ignore = "some 40 s"]
fn tso_needs_the_init_handshake() {
    let report = freed(reduced(2, 2, 1), Variant::without(Part::InitNoop));
    let found = report.counterexample.expect("something reachable is freed");
    assert_eq!((&*found.obligation, found.length), ("simulation", 31));
}

/// Two of the initialisation handshakes can be left out, the paper's authors think [section 4]: the first two
/// can, both of them. The others cannot, even if their fences stay.
#[test]
#[ignore = "some three minutes"]
fn tso_needs_neither_of_the_first_two_handshakes() {
    let both = Without::one(Part::IdleNoop).and(Part::IdleFlipNoop);
    let without = |without| Variant {
        without,
        ..Variant::default()
    };
    let report = freed(reduced(2, 2, 1), without(both));
    assert_eq!(report.verdict, Some(Verdict::Holds));
    assert_eq!(report.states, 9_646_458);
    for (part, length) in [(Part::InitNoop, 32), (Part::MarkNoop, 32)] {
        let variant = Variant {
            remains: Remains::Fence,
            ..without(Without::one(part))
        };
        let report = freed(reduced(2, 2, 1), variant);
        let found = report.counterexample.expect("something reachable is freed");
        assert_eq!(
            (&*found.obligation, found.length),
            ("simulation", length),
            "{part:?}"
        );
    }
}

/// The round that asks for work before marking ends takes three references to be needed; the late insertion
/// barrier, the paper's authors think, is not [section 4].
#[test]
#[ignore = "some 15 s"]
fn tso_needs_the_round_that_asks_for_work() {
    let report = freed(reduced(1, 3, 1), Variant::without(Part::GetWork));
    let found = report.counterexample.expect("something reachable is freed");
    assert_eq!((&*found.obligation, found.length), ("simulation", 28));
    let late = freed(
        reduced(1, 3, 1),
        Variant::without(Part::InsertionBarrierAfterRoots),
    );
    assert_eq!((late.verdict, late.states), (Some(Verdict::Holds), 156_803));
}

/// The lengths of the shortest executions by joined steps that free something reachable, with one mutator and
/// two references.
#[test]
fn tso_joined_steps_find_what_is_freed() {
    let of = Variant::without;
    let allocate = |allocate| Variant {
        allocate,
        ..Variant::default()
    };
    let never = Variant {
        flip: Flip::Never,
        ..Variant::default()
    };
    for (variant, length) in [
        (of(Part::DeletionBarrier), 25),
        (of(Part::InsertionBarrier), 47),
        (of(Part::CollectorFence), 14),
        (of(Part::MutatorFence), 21),
        (of(Part::RootMarking), 20),
        (allocate(Allocate::NotFa), 43),
    ] {
        let report = freed(reduced(1, 2, 1), variant);
        let found = report.counterexample.expect("something reachable is freed");
        assert_eq!(
            (&*found.obligation, found.length),
            ("simulation", length),
            "{variant:?}"
        );
    }
    for variant in [
        of(Part::MarkNoop),
        allocate(Allocate::Fm),
        allocate(Allocate::WhiteInMark),
        never,
    ] {
        let report = freed(reduced(1, 2, 1), variant);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{variant:?}");
    }
}

/// The invariants that a variant breaks.
fn broken(scope: Scope, variant: Variant, only: &[&str]) -> HashSet<String> {
    let settings = Settings {
        obligations: match only {
            [] => Selection::only(["invariant"]),
            names => Selection::only(names.iter().copied()),
        },
        until: Until::End,
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let report = report(scope, variant, &settings);
    let violated = report.violated();
    let names = violated.map(|name| name.trim_start_matches("invariant:").to_owned());
    names.collect()
}

/// What no variant breaks at one mutator and one reference.
const OF_TWO_REFERENCES: [&str; 3] = ["strong_tricolour", "weak_tricolour", "valid_W_disjoint"];

/// Each invariant fails somewhere: where noop handshakes begin without a fence, where the mark handshake is
/// left out, where a mutator has a store pending that is none of its own, and where it has the lock and is at
/// rest.
#[test]
fn tso_every_invariant_bites() {
    let mut bitten = broken(coarse(1, 1, 1), Variant::without(Part::CollectorFence), &[]);
    bitten.extend(broken(
        coarse(1, 1, 1),
        Variant::without(Part::MarkNoop),
        &[],
    ));
    let refinement = refinement(coarse(1, 1, 1), Variant::default());
    let invariants = refinement.invariants();
    refinement.implementation().initial(&mut |state| {
        let [mut stored, mut locked] = [state, state];
        stored.sys.buffers[Who::Mutator(0).index()].push(Store::Phase(Phase::Mark));
        locked.sys.lock = Some(Who::Mutator(0));
        for (name, planted) in [("tso_store", stored), ("tso_lock", locked)] {
            let mut invariants = invariants.iter();
            let invariant = invariants.find(|one| one.name() == name);
            let invariant = invariant.expect("it is one of them");
            assert!(invariant.holds(&state));
            if !invariant.holds(&planted) {
                bitten.insert(name.to_owned());
            }
        }
    });
    let left: Vec<_> = invariants
        .iter()
        .map(|invariant| invariant.name())
        .filter(|name| !bitten.contains(*name))
        .collect();
    assert_eq!(left, OF_TWO_REFERENCES);
}

/// … and these where marking does without the CAS, which frees nothing reachable at that instance.
#[test]
#[ignore = "some 20 s"]
fn tso_every_invariant_bites_with_two_references() {
    let names = OF_TWO_REFERENCES.map(|name| format!("invariant:{name}"));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let broken = broken(coarse(1, 2, 1), Variant::without(Part::Cas), &names);
    assert_eq!(broken, HashSet::from(OF_TWO_REFERENCES.map(str::to_owned)));
}
