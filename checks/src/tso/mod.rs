//! Checks of the x86-TSO on-the-fly collector: it collects only garbage, which of its parts that needs, and it
//! collects all garbage in time.

mod claims;
mod table;

use refmap_cli::catalogue::{Arguments, Check, Choice, InputError, Parameter};
use refmap_processes::DeadRegisters;
use refmap_refinements::Checked;
use refmap_refinements::tso::{CollectorRefinement, CyclesRefinement};
use refmap_systems::tso::{
    Allocate, Barriers, Flip, Granularity, Initial, LoadOrder, MAX_BUFFER, MAX_FIELDS,
    MAX_MUTATORS, MAX_REFS, Memory, OnTheFly, Part, Progress, ResidualFence, Scope, Variant,
    Without,
};

pub(super) use claims::claims;
pub(super) use table::tables;

const NAME: &str = "tso";
const CYCLES: &str = "tso-cycles";

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            NAME,
            "the x86-TSO on-the-fly collector, and its variants: refines collect only garbage",
            "Gammie, Hosking & Engelhardt, Relaxing Safely",
            of_collector(),
            |arguments| {
                let system = OnTheFly::new(scope(arguments), variant(arguments)?);
                let mut system = system.map_err(InputError::instance)?;
                for name in arguments.names("unfair") {
                    let unfair: Progress = name.parse().map_err(InputError::instance)?;
                    system.assumed.retain(|assumed| *assumed != unfair);
                }
                let refinement = CollectorRefinement::new(system);
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            CYCLES,
            "the same with a history variable: what is garbage is freed within so many cycles",
            "Gammie, Hosking & Engelhardt, Relaxing Safely, section 4",
            of_cycles(),
            |arguments| {
                let cycles = arguments.number("cycles");
                let refinement =
                    CyclesRefinement::new(scope(arguments), variant(arguments)?, cycles)
                        .map_err(InputError::instance)?;
                Ok(refinement.into_checker())
            },
        ),
    ]
}

fn of_collector() -> Vec<Parameter> {
    let mut all = parameters();
    all.push(Parameter::names(
        "unfair",
        "a progress that is not assumed: collector, mutators (in the middle of an operation), polls (of handshakes), \
         strong-polls (then it is weak), collector-commits, mutator-commits",
    ));
    all
}

fn of_cycles() -> Vec<Parameter> {
    let mut all = parameters();
    all.push(Parameter::number(
        "cycles",
        1..=3,
        2,
        "garbage is gone once so many cycles have ended",
    ));
    all
}

fn parameters() -> Vec<Parameter> {
    let number =
        |name, most: usize, default, help| Parameter::number(name, 1..=most as u64, default, help);
    vec![
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
        initial().parameter(),
        granularity().parameter(),
        memory().parameter(),
        barriers().parameter(),
        loads().parameter(),
        allocate().parameter(),
        Parameter::flag("fa-never-flips", "fA is never set to fM"),
        Parameter::flag("fa-early", "fA is set one handshake early, before init"),
        Parameter::names(
            "without",
            "a part to leave out: deletion-barrier, insertion-barrier, insertion-barrier-after-roots (once \
             the mutator's roots are marked), cas (load, test, store), collector-fence, mutator-fence, \
             idle-noop, idle-flip-noop, init-noop, mark-noop (the handshake and its fence), get-work, \
             root-marking, phase-test",
        ),
        Parameter::flag("keep-fences", "a handshake left out leaves its fence"),
    ]
}

fn initial() -> Choice<Initial> {
    Choice::new(
        "initial",
        "the heaps and roots it begins with",
        [("canonical", Initial::Canonical), ("all", Initial::All)],
    )
}

fn granularity() -> Choice<Granularity> {
    Choice::new(
        "granularity",
        "what is one step: reduced decides what is freed, coarse invariants too, and fine the environment",
        [
            ("coarse", Granularity::Coarse),
            ("fine", Granularity::Fine),
            ("reduced", Granularity::Reduced),
        ],
    )
}

fn memory() -> Choice<Memory> {
    Choice::new(
        "memory",
        "what memory does with stores",
        [
            ("tso", Memory::Tso),
            ("sc", Memory::Sc),
            ("pso", Memory::Pso),
        ],
    )
}

fn barriers() -> Choice<Barriers> {
    Choice::new(
        "barriers",
        "which barrier comes first",
        [
            ("deletion-first", Barriers::DeletionFirst),
            ("insertion-first", Barriers::InsertionFirst),
        ],
    )
}

fn loads() -> Choice<LoadOrder> {
    Choice::new(
        "loads",
        "what marking loads first: the mark, or fM as Fig. 5 prints it",
        [
            ("mark-first", LoadOrder::MarkFirst),
            ("sense-first", LoadOrder::SenseFirst),
        ],
    )
}

fn allocate() -> Choice<Allocate> {
    Choice::new(
        "allocate",
        "how a new object is marked",
        [
            ("fa", Allocate::Fa),
            ("not-fa", Allocate::NotFa),
            ("fm", Allocate::Fm),
            ("white-in-mark", Allocate::WhiteInMark),
        ],
    )
}

fn scope(arguments: &Arguments) -> Scope {
    Scope {
        mutators: arguments.number("mutators"),
        refs: arguments.number("references"),
        fields: arguments.number("fields"),
        buffer: arguments.number("buffer"),
        collector_buffer: arguments.number("collector-buffer"),
        initial: initial().of(arguments),
        granularity: granularity().of(arguments),
        registers: DeadRegisters::Cleared,
    }
}

fn variant(arguments: &Arguments) -> Result<Variant, InputError> {
    let mut without = Without::default();
    for name in arguments.names("without") {
        without = without.and(name.parse::<Part>().map_err(InputError::instance)?);
    }
    Ok(Variant {
        memory: memory().of(arguments),
        without,
        residual_fence: match arguments.flag("keep-fences") {
            true => ResidualFence::Present,
            false => ResidualFence::Absent,
        },
        barriers: barriers().of(arguments),
        load_order: loads().of(arguments),
        allocate: allocate().of(arguments),
        flip: match ["fa-never-flips", "fa-early"].map(|flag| arguments.flag(flag)) {
            [false, false] => Flip::BeforeMark,
            [true, false] => Flip::Never,
            [false, true] => Flip::BeforeInit,
            [true, true] => return Err(InputError::instance(NeverAndEarly)),
        },
    })
}

/// Error: two flags contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--fa-never-flips and --fa-early exclude each other")]
struct NeverAndEarly;
