//! Checks of protocols that keep caches coherent, for any number of caches.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_refinements::CheckedCrowd;
use refmap_refinements::caches::{GermanRefinement, MesiRefinement};
use refmap_systems::caches::MAX_CACHES;
use refmap_systems::caches::german::{self, German};
use refmap_systems::caches::mesi::{self, Mesi};

use super::named::named;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "german",
            "a directory that grants copies of a line: refines coherence",
            "Chou, Mannava & Park, A Simple Method for Parameterized Verification of Cache Coherence Protocols",
            |arguments: &GermanArguments| {
                let omits = arguments.omits;
                let crowd = GermanRefinement(German { omits });
                Ok(crowd.into_checker(arguments.caches))
            },
        )
        .any_number_of("caches"),
        Check::new(
            "mesi",
            "caches that listen to one bus: refine coherence",
            "Papamarcos & Patel, A Low-Overhead Coherence Solution for Multiprocessors with Private Cache Memories",
            |arguments: &MesiArguments| {
                let omits = arguments.omits;
                let crowd = MesiRefinement(Mesi { omits });
                Ok(crowd.into_checker(arguments.caches))
            },
        )
        .any_number_of("caches"),
    ]
}

#[derive(Clone, Args)]
struct GermanArguments {
    /// caches
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_CACHES as u64))]
    caches: usize,
    /// part that is left out: all but nothing are wrong
    #[arg(long, default_value = "nothing", value_parser = named::<german::Omits>())]
    omits: german::Omits,
}

#[derive(Clone, Args)]
struct MesiArguments {
    /// caches
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_CACHES as u64))]
    caches: usize,
    /// part that is left out: all but nothing are wrong
    #[arg(long, default_value = "nothing", value_parser = named::<mesi::Omits>())]
    omits: mesi::Omits,
}
