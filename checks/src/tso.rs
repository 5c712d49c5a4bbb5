//! The x86-TSO on-the-fly collector: that it collects only garbage, and which of its parts it needs.

use refmap::catalogue::{Arguments, Check, Claim, InputError, Parameter};
use refmap::obligation::Checker;
use refmap::process::{DeadRegisters, Granularity};
use refmap_refinements::tso::{AT_COARSE, CollectorRefinement};
use refmap_systems::tso::{
    Allocate, Barriers, Flip, Initial, MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS, MAX_REFS, Memory,
    OnTheFly, Part, Remains, Scope, Variant, Without,
};

use super::words::arguments_of;

pub(super) fn checks() -> Vec<Check> {
    vec![Check::new(
        "tso",
        "the x86-TSO on-the-fly collector, and its variants: refines collect only garbage",
        "Gammie, Hosking & Engelhardt, Relaxing Safely",
        parameters(),
        |arguments, settings| {
            let system = OnTheFly::new(scope(arguments), variant(arguments));
            let system = system.map_err(InputError::instance)?;
            let refinement = CollectorRefinement::new(system);
            Ok(Checker::new(&refinement).packed().check(settings)?)
        },
    )]
}

fn parameters() -> Vec<Parameter> {
    let number =
        |name, most: usize, default, help| Parameter::number(name, 1..=most as u64, default, help);
    let mut parameters = vec![
        number("mutators", MAX_MUTATORS, 1, "mutators"),
        number("references", MAX_REFS, 2, "references"),
        number("fields", MAX_FIELDS, 1, "fields of an object"),
        number("buffer", MAX_BUFFER, 1, "stores in a mutator's buffer"),
        number(
            "collector-buffer",
            MAX_BUFFER,
            4,
            "stores in the collector's buffer",
        ),
        Parameter::choice("initial", &INITIAL, "the heaps and roots it begins with"),
        Parameter::choice(
            "granularity",
            &GRANULARITY,
            "what is one step; the environment is decided at fine",
        ),
        Parameter::choice("memory", &MEMORY, "what memory does with stores"),
        Parameter::choice("barriers", &BARRIERS, "which barrier comes first"),
        Parameter::choice("allocate", &ALLOCATE, "how a new object is marked"),
        Parameter::choice("flip", &FLIP, "when fA is set to fM"),
        Parameter::flag("keep-fences", "a handshake left out leaves its fence"),
    ];
    let flags = WITHOUT.iter();
    parameters.extend(flags.map(|(flag, _, help)| Parameter::flag(flag, help)));
    parameters
}

static INITIAL: [&str; 2] = ["canonical", "all"];
static GRANULARITY: [&str; 2] = ["coarse", "fine"];
static MEMORY: [&str; 3] = ["tso", "sc", "pso"];
static BARRIERS: [&str; 2] = ["deletion-first", "insertion-first"];
static ALLOCATE: [&str; 4] = ["fa", "not-fa", "fm", "white-in-mark"];
static FLIP: [&str; 3] = ["before-mark", "before-init", "never"];

/// A flag, what it leaves out, and what it is.
static WITHOUT: [(&str, Part, &str); 13] = [
    (
        "without-deletion-barrier",
        Part::DeletionBarrier,
        "a store does not mark what it overwrites",
    ),
    (
        "without-insertion-barrier",
        Part::InsertionBarrier,
        "a store does not mark what it writes",
    ),
    (
        "without-insertion-barrier-after-roots",
        Part::InsertionBarrierAfterRoots,
        "… from when the mutator's roots are marked",
    ),
    (
        "without-cas",
        Part::Cas,
        "marking loads, tests and stores, without the lock",
    ),
    (
        "without-collector-fence",
        Part::CollectorFence,
        "noop handshakes begin without a fence",
    ),
    (
        "without-mutator-fence",
        Part::MutatorFence,
        "mutators answer without a fence",
    ),
    (
        "without-idle-noop",
        Part::IdleNoop,
        "no handshake before fM is inverted",
    ),
    (
        "without-idle-flip-noop",
        Part::IdleFlipNoop,
        "no handshake after fM is inverted",
    ),
    (
        "without-init-noop",
        Part::InitNoop,
        "no handshake after the phase is Init",
    ),
    (
        "without-mark-noop",
        Part::MarkNoop,
        "no handshake after fA is set",
    ),
    (
        "without-get-work",
        Part::GetWork,
        "marking ends without asking for work",
    ),
    (
        "without-root-marking",
        Part::RootMarking,
        "mutators do not mark their roots",
    ),
    (
        "without-phase-test",
        Part::PhaseTest,
        "marks whatever the phase",
    ),
];

/// The value of a choice whose names are in the order of the values.
fn chosen<T: Copy, const N: usize>(
    arguments: &Arguments,
    parameter: &str,
    names: &[&str; N],
    values: [T; N],
) -> T {
    let choice = arguments.choice(parameter);
    let mut named = names.iter().zip(values);
    let found = named.find(|(name, _)| **name == choice);
    found.expect("the choices are these names").1
}

fn scope(arguments: &Arguments) -> Scope {
    let granularities = [Granularity::Coarse, Granularity::Fine];
    let initials = [Initial::Canonical, Initial::All];
    Scope {
        mutators: arguments.number("mutators"),
        refs: arguments.number("references"),
        fields: arguments.number("fields"),
        buffer: arguments.number("buffer"),
        collector_buffer: arguments.number("collector-buffer"),
        initial: chosen(arguments, "initial", &INITIAL, initials),
        granularity: chosen(arguments, "granularity", &GRANULARITY, granularities),
        registers: DeadRegisters::Cleared,
    }
}

fn variant(arguments: &Arguments) -> Variant {
    let given = WITHOUT.iter().filter(|(flag, ..)| arguments.flag(flag));
    let memories = [Memory::Tso, Memory::Sc, Memory::Pso];
    let barriers = [Barriers::DeletionFirst, Barriers::InsertionFirst];
    let senses = [
        Allocate::Fa,
        Allocate::NotFa,
        Allocate::Fm,
        Allocate::WhiteInMark,
    ];
    let flips = [Flip::BeforeMark, Flip::BeforeInit, Flip::Never];
    Variant {
        memory: chosen(arguments, "memory", &MEMORY, memories),
        without: given.fold(Without::default(), |all, (_, part, _)| all.and(*part)),
        remains: match arguments.flag("keep-fences") {
            true => Remains::Fence,
            false => Remains::Nothing,
        },
        barriers: chosen(arguments, "barriers", &BARRIERS, barriers),
        allocate: chosen(arguments, "allocate", &ALLOCATE, senses),
        flip: chosen(arguments, "flip", &FLIP, flips),
    }
}

/// Counts and lengths without a source of their own were found by this checker. The larger instances,
/// and the variants that take longer, are tests that are run on request.
pub(super) fn claims() -> Vec<Claim> {
    let holds = |words: &str| Claim::holds("tso", arguments_of(&parameters(), words));
    let coarse = |words: &str| holds(words).only(&AT_COARSE);
    let freed = |words: &str, length| {
        Claim::violated("tso", arguments_of(&parameters(), words), "simulation")
            .only(&["simulation"])
            .length(length)
    };
    let section = "Gammie et al., section 1.1";
    let barriers = "Gammie et al., section 2.1";
    let fences = "Gammie et al., section 2.4";
    vec![
        holds("references=1 granularity=fine")
            .counts(78_740, 233_030)
            .source(
                section,
                "it frees nothing reachable; a second program counts as many states",
            ),
        coarse("references=1")
            .counts(14_000, 45_822)
            .source(section, "… with quiet steps run together"),
        coarse("references=1 initial=all").source(section, "… whatever it begins with"),
        coarse("")
            .counts(1_722_590, 5_510_334)
            .exercising_all()
            .source(section, "… with two references: every rule fires"),
        freed("without-deletion-barrier", 83)
            .source(barriers, "unsafe without the deletion barrier"),
        Claim::violated(
            "tso",
            arguments_of(&parameters(), "without-deletion-barrier"),
            "invariant:marked_deletions",
        )
        .length(44)
        .source(
            "Gammie et al., section 3.2",
            "… and the invariant on pending deletions goes first",
        ),
        freed("without-insertion-barrier", 130)
            .source(barriers, "unsafe without the insertion barrier"),
        freed("without-root-marking", 56).source(
            "Gammie et al., Fig. 2, lines 18–19",
            "unsafe if mutators do not mark their roots",
        ),
        freed("without-collector-fence", 53)
            .source(fences, "unsafe if noop handshakes begin without a fence"),
        freed("without-mutator-fence", 58)
            .source(fences, "unsafe if mutators answer without a fence"),
        coarse("memory=sc")
            .states(283_560)
            .source(fences, "safe where stores act at once …"),
        coarse("memory=sc without-collector-fence")
            .states(264_456)
            .source(fences, "… without the collector's fence too"),
        coarse("memory=sc without-mutator-fence")
            .states(281_526)
            .source(fences, "… and without the mutators'"),
    ]
}
