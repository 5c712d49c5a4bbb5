//! Checks of the x86-TSO on-the-fly collector: it collects only garbage, which of its parts that needs, and it
//! collects all garbage in time.

mod table;

use refmap_cli::catalogue::{Check, InputError, number};
use refmap_cli::clap::{self, Args};
use refmap_processes::DeadRegisters;
use refmap_refinements::Checked;
use refmap_refinements::tso::{CollectorRefinement, CyclesRefinement};
use refmap_systems::tso::{
    self, Allocate, Barriers, Flip, Granularity, Initial, LoadOrder, MAX_BUFFER, MAX_FIELDS,
    MAX_MUTATORS, MAX_REFS, Memory, OnTheFly, Progress, ResidualFence, Scope, Variant, Without,
};

pub(super) use table::tables;

use super::named::named;

const NAME: &str = "tso";

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            NAME,
            "the x86-TSO on-the-fly collector, and its variants: refines collect only garbage",
            "Gammie, Hosking & Engelhardt, Relaxing Safely",
            |arguments: &Unfair| {
                let collector = &arguments.collector;
                let system = OnTheFly::new(collector.scope(), collector.variant()?);
                let mut system = system.map_err(InputError::instance)?;
                for name in &arguments.unfair {
                    let unfair: Progress = tso::named(name).map_err(InputError::instance)?;
                    system.assumed.retain(|assumed| *assumed != unfair);
                }
                let refinement = CollectorRefinement::new(system);
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "tso-cycles",
            "the same with a history variable: what is garbage is freed within so many cycles",
            "Gammie, Hosking & Engelhardt, Relaxing Safely, section 4",
            |arguments: &Cycles| {
                let (scope, variant) =
                    (arguments.collector.scope(), arguments.collector.variant()?);
                let refinement = CyclesRefinement::new(scope, variant, arguments.cycles);
                Ok(refinement.map_err(InputError::instance)?.into_checker())
            },
        ),
    ]
}

#[derive(Clone, Args)]
struct Unfair {
    #[command(flatten)]
    collector: Collector,
    /// a progress that is not assumed: collector, mutators (in the middle of an operation), polls (of handshakes),
    /// strong-polls (then it is weak), collector-commits, mutator-commits
    #[arg(long)]
    unfair: Vec<String>,
}

#[derive(Clone, Args)]
struct Cycles {
    #[command(flatten)]
    collector: Collector,
    /// garbage is gone once so many cycles have ended
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=3))]
    cycles: u8,
}

#[derive(Clone, Args)]
struct Collector {
    /// mutators
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_MUTATORS as u64))]
    mutators: u8,
    /// references
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=MAX_REFS as u64))]
    references: u8,
    /// fields of an object
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_FIELDS as u64))]
    fields: u8,
    /// stores in a mutator's buffer
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_BUFFER as u64))]
    buffer: u8,
    /// stores in the collector's buffer
    #[arg(long, default_value_t = 4, value_parser = number::<u8>(1..=MAX_BUFFER as u64))]
    collector_buffer: u8,
    /// the heaps and roots it begins with
    #[arg(long, default_value = "canonical", value_parser = named::<Initial>())]
    initial: Initial,
    /// what is one step: reduced decides what is freed, coarse invariants too, and fine the environment
    #[arg(long, default_value = "coarse", value_parser = named::<Granularity>())]
    granularity: Granularity,
    /// what memory does with stores
    #[arg(long, default_value = "tso", value_parser = named::<Memory>())]
    memory: Memory,
    /// which barrier comes first
    #[arg(long, default_value = "deletion-first", value_parser = named::<Barriers>())]
    barriers: Barriers,
    /// what marking loads first: the mark, or fM as Fig. 5 prints it
    #[arg(long, default_value = "mark-first", value_parser = named::<LoadOrder>())]
    loads: LoadOrder,
    /// how a new object is marked
    #[arg(long, default_value = "fa", value_parser = named::<Allocate>())]
    allocate: Allocate,
    /// fA is never set to fM
    #[arg(long)]
    fa_never_flips: bool,
    /// fA is set one handshake early, before init
    #[arg(long)]
    fa_early: bool,
    /// a part to leave out: deletion-barrier, insertion-barrier, insertion-barrier-after-roots (once the mutator's roots are
    /// marked), cas (load, test, store), collector-fence, mutator-fence, idle-noop, idle-flip-noop, init-noop, mark-noop (the
    /// handshake and its fence), get-work, root-marking, phase-test
    #[arg(long)]
    without: Vec<String>,
    /// a handshake left out leaves its fence
    #[arg(long)]
    keep_fences: bool,
}

impl Collector {
    fn scope(&self) -> Scope {
        Scope {
            mutators: self.mutators,
            refs: self.references,
            fields: self.fields,
            buffer: self.buffer,
            collector_buffer: self.collector_buffer,
            initial: self.initial,
            granularity: self.granularity,
            registers: DeadRegisters::Cleared,
        }
    }

    fn variant(&self) -> Result<Variant, InputError> {
        let mut without = Without::default();
        for name in &self.without {
            without = without.and(tso::named(name).map_err(InputError::instance)?);
        }
        Ok(Variant {
            memory: self.memory,
            without,
            residual_fence: if self.keep_fences {
                ResidualFence::Present
            } else {
                ResidualFence::Absent
            },
            barriers: self.barriers,
            load_order: self.loads,
            allocate: self.allocate,
            flip: match (self.fa_never_flips, self.fa_early) {
                (false, false) => Flip::BeforeMark,
                (true, false) => Flip::Never,
                (false, true) => Flip::BeforeInit,
                (true, true) => return Err(InputError::instance(NeverAndEarly)),
            },
        })
    }
}

/// Error: two flags contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--fa-never-flips and --fa-early exclude each other")]
struct NeverAndEarly;
