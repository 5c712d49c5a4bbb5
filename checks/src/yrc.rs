//! Checks of YRC: the TLA+ module, which holds vacuously, and the design that it describes.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_cli::table::{Instance, Rows, Sweep, Table, combinations, rows};
use refmap_refinements::Checked;
use refmap_refinements::yrc::{DesignRefinement, ModuleRefinement};
use refmap_systems::heap::{MAX_OBJECTS, MAX_THREADS};
use refmap_systems::yrc::design::{
    self, Barrier, Design, Granularity, Increments, Merge, Mutators, Progress, Reservation,
    TrialDeletion, Variant,
};
use refmap_systems::yrc::module::{MAX_QUEUE, Module};

use super::named::{named, names};

pub(super) fn checks() -> Vec<Check> {
    let module_check = Check::new(
        "yrc-module",
        "the formulas of YRC's TLA+ module: pass their own properties, and allow no store",
        "the TLA+ module yrc_proof",
        |arguments: &ModuleArguments| {
            let module = Module {
                objects: arguments.objects,
                threads: arguments.threads,
                queue: arguments.queue,
                threshold: arguments.threshold,
            };
            Ok(ModuleRefinement::new(module).into_checker())
        },
    );
    let design_check = Check::new(
        "yrc",
        "the design that YRC's TLA+ module describes, and its variants: refines collect only garbage",
        "the TLA+ module yrc_proof, comments",
        |arguments: &DesignArguments| Ok(DesignRefinement::new(arguments.design()).into_checker()),
    );
    vec![module_check, design_check]
}

/// Parameter sweep: every combination at slot granularity with reservation. The instances are those at which some
/// combination first fails: one object, two objects, two threads, two stripes.
pub(super) fn tables() -> Vec<Table> {
    vec![Table {
        name: "yrc",
        about: "mutators during a collection, barrier, increments, merge, trial deletion of YRC",
        check: "yrc",
        rows: Rows::Sweep(Sweep {
            rows: rows(
                combinations(&[
                    ("mutators-during-collection", &names::<Mutators>()),
                    ("barrier", &names::<Barrier>()),
                    ("increments", &names::<Increments>()),
                    ("merge", &names::<Merge>()),
                    ("trial-deletion", &names::<TrialDeletion>()),
                ]),
                &[
                    "--objects 1 --mutators 1 --stripes 1",
                    "--objects 2 --mutators 1 --stripes 1",
                    "--objects 1 --mutators 2 --stripes 1",
                    "--objects 1 --mutators 2 --stripes 2",
                ]
                .map(Instance::from),
            ),
            on_the_way: None,
        }),
    }]
}

#[derive(Clone, Args)]
struct ModuleArguments {
    /// Objects
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=MAX_OBJECTS as u64))]
    objects: u8,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_THREADS as u64))]
    threads: u8,
    /// QueueSize
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=MAX_QUEUE as u64))]
    queue: u8,
    /// RootsThreshold
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(0..=MAX_OBJECTS as u64))]
    threshold: u8,
}

#[derive(Clone, Args)]
struct DesignArguments {
    /// objects
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=design::MAX_OBJECTS as u64))]
    objects: u8,
    /// mutator threads
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=MAX_THREADS as u64))]
    mutators: u8,
    /// entries of a queue
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=design::MAX_QUEUE as u64))]
    queue: u8,
    /// pairs of queues, shared by the threads
    #[arg(long, default_value_t = 1, value_parser = number::<u8>(1..=design::MAX_STRIPES as u64))]
    stripes: u8,
    /// stores start without room for their entries, and wait in the middle
    #[arg(long)]
    unreserved: bool,
    /// the order of the write barrier
    #[arg(long, default_value = "store-first", value_parser = named::<Barrier>())]
    barrier: Barrier,
    /// what becomes of an increment
    #[arg(long, default_value = "buffered", value_parser = named::<Increments>())]
    increments: Increments,
    /// the order in which queues are merged
    #[arg(long, default_value = "increments-first", value_parser = named::<Merge>())]
    merge: Merge,
    /// what threads may do during a collection
    #[arg(long, default_value = "free", value_parser = named::<Mutators>())]
    mutators_during_collection: Mutators,
    /// what it works on
    #[arg(long, default_value = "in-place", value_parser = named::<TrialDeletion>())]
    trial_deletion: TrialDeletion,
    /// what the collector does in a step
    #[arg(long, default_value = "slot", value_parser = named::<Granularity>())]
    granularity: Granularity,
    /// what is assumed: that the collector goes on, and that threads do after the write of a field, in strong or weak fairness
    #[arg(long, default_value = "strong-operations", value_parser = named::<Progress>())]
    fairness: Progress,
}

impl DesignArguments {
    fn design(&self) -> Design {
        Design {
            objects: self.objects,
            fields: 1,
            mutators: self.mutators,
            queue: self.queue,
            stripes: self.stripes,
            variant: Variant {
                barrier: self.barrier,
                increments: self.increments,
                merge: self.merge,
                mutators: self.mutators_during_collection,
                trial_deletion: self.trial_deletion,
                granularity: self.granularity,
                progress: self.fairness,
                reservation: if self.unreserved {
                    Reservation::Unreserved
                } else {
                    Reservation::Reserved
                },
            },
        }
    }
}
