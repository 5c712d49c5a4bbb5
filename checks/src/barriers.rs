//! Checks of barriers, for any number of threads.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_refinements::CheckedCrowd;
use refmap_refinements::barriers::SenseReversingRefinement;
use refmap_systems::barriers::MAX_THREADS;
use refmap_systems::barriers::sense_reversing::{SenseReversing, Senses};

use super::named::named;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "sense-reversing",
            "a barrier with a sense that is reversed in each round: a thread leaves a round when all have arrived in it",
            "Mellor-Crummey & Scott, Algorithms for Scalable Synchronization",
            |arguments: &Arguments| {
                let senses = arguments.senses;
                let crowd = SenseReversingRefinement(SenseReversing { senses });
                Ok(crowd.into_checker(arguments.threads))
            },
        )
        .any_number_of("threads"),
    ]
}

#[derive(Clone, Args)]
struct Arguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// use that is made of senses: kept and of-each are wrong
    #[arg(long, default_value = "reversed", value_parser = named::<Senses>())]
    senses: Senses,
}
