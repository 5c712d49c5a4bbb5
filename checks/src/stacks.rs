//! Checks of stacks, for any number of threads.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_refinements::CheckedCrowd;
use refmap_refinements::stacks::TreiberRefinement;
use refmap_systems::stacks::treiber::{Reuses, Treiber};
use refmap_systems::stacks::{MAX_NODES, MAX_THREADS};

use super::named::named;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "treiber-stack",
            "a stack of linked nodes: refines one on which each call takes effect in one step",
            "Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118",
            |arguments: &Arguments| {
                let stack = Treiber {
                    nodes: arguments.nodes,
                    reuses: arguments.reuses,
                };
                Ok(TreiberRefinement(stack).into_checker(arguments.threads))
            },
        )
        .any_number_of("threads"),
    ]
}

#[derive(Clone, Args)]
struct Arguments {
    /// nodes
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_NODES as u64))]
    nodes: usize,
    /// threads
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// nodes that may be used again: freed is wrong
    #[arg(long, default_value = "unreferenced", value_parser = named::<Reuses>())]
    reuses: Reuses,
}
