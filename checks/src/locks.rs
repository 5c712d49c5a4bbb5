//! Checks of locks, for any number of threads.

use refmap_cli::catalogue::{Check, choice, number};
use refmap_cli::clap::{self, Args};
use refmap_programs::MemoryModel;
use refmap_refinements::CheckedCrowd;
use refmap_refinements::locks::{AnySpinLock, LockRefinement, ReadersWritersRefinement};
use refmap_systems::locks::MAX_THREADS;
use refmap_systems::locks::bakery::{self, Bakery};
use refmap_systems::locks::readers_writers::{self, ReadersWriters};
use refmap_systems::locks::spin::SpinFence;
use refmap_systems::locks::szymanski::{Omits, Szymanski};
use refmap_systems::locks::test_and_set::{Takes, TestAndSet};
use refmap_systems::locks::ticket::{Counters, TicketLock};

use super::named::named;

const SCALABLE: &str = "Mellor-Crummey & Scott, Algorithms for Scalable Synchronization";

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "test-and-set",
            "a lock of one flag: refines mutual exclusion",
            SCALABLE,
            |&TestAndSetArguments { threads, takes }| {
                Ok(LockRefinement(TestAndSet { takes }).into_checker(threads))
            },
        )
        .any_number_of("threads"),
        Check::new(
            "spin-lock",
            "the same as a program under a memory model: no assertion fails inside",
            SCALABLE,
            |arguments: &SpinArguments| {
                let crowd = AnySpinLock {
                    model: arguments.memory,
                    fences: arguments.fences,
                };
                Ok(crowd.into_checker(arguments.threads))
            },
        )
        .any_number_of("threads"),
        Check::new(
            "ticket-lock",
            "a lock of two counters: refines mutual exclusion",
            SCALABLE,
            |&TicketArguments { threads, counters }| {
                Ok(LockRefinement(TicketLock { counters }).into_checker(threads))
            },
        )
        .any_number_of("threads"),
        Check::new(
            "szymanski",
            "a lock with a waiting room: refines mutual exclusion",
            "Szymanski, A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait",
            |&SzymanskiArguments { threads, omits }| {
                Ok(LockRefinement(Szymanski { omits }).into_checker(threads))
            },
        )
        .any_number_of("threads"),
        Check::new(
            "bakery",
            "a lock of numbers without an upper bound: refines mutual exclusion",
            "Lamport, A New Solution of Dijkstra's Concurrent Programming Problem",
            |arguments: &BakeryArguments| {
                let omits = arguments.omits;
                let crowd = LockRefinement(Bakery { omits });
                Ok(crowd.into_checker(arguments.threads))
            },
        )
        .any_number_of("threads"),
        Check::new(
            "readers-writers",
            "a lock that readers take together: refines shared exclusion",
            "Courtois, Heymans & Parnas, Concurrent Control with Readers and Writers",
            |arguments: &ReadersWritersArguments| {
                let omits = arguments.omits;
                let crowd = ReadersWritersRefinement(ReadersWriters { omits });
                Ok(crowd.into_checker(arguments.threads))
            },
        )
        .any_number_of("threads"),
    ]
}

#[derive(Clone, Args)]
struct TestAndSetArguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// how a thread takes the lock: in-two-steps is wrong
    #[arg(long, default_value = "at-once", value_parser = named::<Takes>())]
    takes: Takes,
}

#[derive(Clone, Args)]
struct SpinArguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// the memory model
    #[arg(long, default_value = "rmo-no", value_parser = choice(MemoryModel::ALL, MemoryModel::name))]
    memory: MemoryModel,
    /// fence before the store by which a thread takes the flag down
    #[arg(long, default_value = "release", value_parser = named::<SpinFence>())]
    fences: SpinFence,
}

#[derive(Clone, Args)]
struct TicketArguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// numbers of which counters are: of unbounded ones there is no end of states, and bits are wrong
    #[arg(long, default_value = "bytes", value_parser = named::<Counters>())]
    counters: Counters,
}

#[derive(Clone, Args)]
struct SzymanskiArguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// wait that is left out: lower and higher are wrong
    #[arg(long, default_value = "nothing", value_parser = named::<Omits>())]
    omits: Omits,
}

#[derive(Clone, Args)]
struct BakeryArguments {
    /// threads
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// wait that is left out: choosing is wrong
    #[arg(long, default_value = "nothing", value_parser = named::<bakery::Omits>())]
    omits: bakery::Omits,
}

#[derive(Clone, Args)]
struct ReadersWritersArguments {
    /// threads
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_THREADS as u64))]
    threads: usize,
    /// part that is left out: all but nothing are wrong
    #[arg(long, default_value = "nothing", value_parser = named::<readers_writers::Omits>())]
    omits: readers_writers::Omits,
}
