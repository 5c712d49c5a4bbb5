//! Checks of published specifications and their implementations.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_refinements::Checked;
use refmap_refinements::published::{
    AllocatorImplementationRefinement, AlternatingBitRefinement, Ewd840Refinement,
    Ewd998PCalRefinement, SchedulingAllocatorRefinement, VotingRefinement,
    WriteThroughCacheRefinement,
};
use refmap_systems::published::allocator_implementation::{AllocatorImplementation, Receives};
use refmap_systems::published::alternating_bit::{self, AlternatingBit, Sends};
use refmap_systems::published::alternating_bit_correctness::MAX_DATA;
use refmap_systems::published::conditions::Conditions;
use refmap_systems::published::consensus::MAX_VALUES;
use refmap_systems::published::ewd840::{Blackens, Ewd840};
use refmap_systems::published::ewd998;
use refmap_systems::published::ewd998_pcal::{Ewd998PCal, MAX_COUNTER, Passes};
use refmap_systems::published::internal_memory::{self, InternalMemory};
use refmap_systems::published::scheduling_allocator::{Grants, SchedulingAllocator};
use refmap_systems::published::simple_allocator::{MAX_CLIENTS, MAX_RESOURCES};
use refmap_systems::published::termination_detection::MAX_NODES;
use refmap_systems::published::voting::{MAX_ACCEPTORS, MAX_BALLOTS, Votes, Voting};
use refmap_systems::published::write_through_cache::{self, Fault, WriteThroughCache};

use super::named::named;

const ALLOCATOR: &str = "Merz, TLA+ Case Study: A Resource Allocator";
const SPECIFYING_SYSTEMS: &str = "Lamport, Specifying Systems";
const EWD_840: &str = "Dijkstra, Feijen & van Gasteren, EWD 840";
const EWD_998: &str = "Dijkstra, EWD 998";
const PAXOS: &str = "Lamport, The Paxos Algorithm, or How to Win a Turing Award";

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "scheduling-allocator",
            "an allocator that keeps its clients in an order: refines one that gives in any order",
            ALLOCATOR,
            |arguments: &Allocator| {
                let allocator = arguments.clients.allocator(arguments.grants);
                Ok(SchedulingAllocatorRefinement::new(allocator).into_checker())
            },
        ),
        Check::new(
            "allocator-implementation",
            "an allocator and clients that send messages: refines the allocator with an order",
            ALLOCATOR,
            |arguments: &Implementation| {
                let refinement = AllocatorImplementationRefinement::new(AllocatorImplementation {
                    server: arguments.clients.allocator(Grants::InOrder),
                    receives: arguments.receives,
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "write-through-cache",
            "caches that write through a queue: refine a memory that carries out one request at a time",
            SPECIFYING_SYSTEMS,
            |arguments: &Cache| {
                let refinement = WriteThroughCacheRefinement::new(WriteThroughCache {
                    memory: InternalMemory {
                        processors: arguments.processors,
                        addresses: arguments.addresses,
                        values: arguments.values,
                    },
                    q_len: arguments.queue,
                    fault: arguments.fault,
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "alternating-bit",
            "the alternating bit protocol over lines that lose messages: transmits each value once",
            SPECIFYING_SYSTEMS,
            |arguments: &Bit| {
                let refinement = AlternatingBitRefinement::new(AlternatingBit {
                    data: arguments.data,
                    queue: arguments.queue,
                    sends: arguments.sends,
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "ewd840",
            "a token that goes round a ring: refines the detection of termination in one step",
            EWD_840,
            |arguments: &Ring| {
                let refinement = Ewd840Refinement::new(Ewd840 {
                    nodes: arguments.nodes,
                    blackens: arguments.blackens,
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "ewd998-pcal",
            "a token that counts messages: processes that send it to each other refine the ring that passes it",
            EWD_998,
            |arguments: &Processes| {
                let processes = Ewd998PCal {
                    nodes: arguments.nodes,
                    passes: arguments.passes,
                };
                let refinement = Ewd998PCalRefinement::new(processes, arguments.counters);
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "voting",
            "acceptors that vote in ballots: refine the choice of one value",
            PAXOS,
            |arguments: &Acceptors| {
                let refinement = VotingRefinement::new(Voting {
                    acceptors: arguments.acceptors,
                    values: arguments.values,
                    ballots: arguments.ballots,
                    votes: arguments.votes,
                });
                Ok(refinement.into_checker())
            },
        ),
    ]
}

#[derive(Clone, Args)]
struct Clients {
    /// clients
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_CLIENTS as u64))]
    clients: usize,
    /// resources
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_RESOURCES as u64))]
    resources: usize,
}

impl Clients {
    fn allocator(&self, grants: Grants) -> SchedulingAllocator {
        SchedulingAllocator {
            clients: self.clients,
            resources: self.resources,
            grants,
            fairness: Conditions::Published,
        }
    }
}

#[derive(Clone, Args)]
struct Allocator {
    #[command(flatten)]
    clients: Clients,
    /// what the allocator heeds when it gives
    #[arg(long, default_value = "in-order", value_parser = named::<Grants>())]
    grants: Grants,
}

#[derive(Clone, Args)]
struct Implementation {
    #[command(flatten)]
    clients: Clients,
    /// when the server receives a request
    #[arg(long, default_value = "after-returns", value_parser = named::<Receives>())]
    receives: Receives,
}

#[derive(Clone, Args)]
struct Cache {
    /// processors
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=internal_memory::MAX as u64))]
    processors: usize,
    /// addresses
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=internal_memory::MAX as u64))]
    addresses: usize,
    /// values
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=internal_memory::MAX as u64))]
    values: usize,
    /// requests in the queue
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=write_through_cache::MAX_QUEUE as u64))]
    queue: usize,
    /// the rule that is wrong
    #[arg(long, default_value = "none", value_parser = named::<Fault>())]
    fault: Fault,
}

#[derive(Clone, Args)]
struct Bit {
    /// values
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_DATA as u64))]
    data: usize,
    /// messages on a line
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=alternating_bit::MAX_QUEUE as u64))]
    queue: usize,
    /// when the sender sends a new value
    #[arg(long, default_value = "after-ack", value_parser = named::<Sends>())]
    sends: Sends,
}

#[derive(Clone, Args)]
struct Ring {
    /// nodes of the ring
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(2..=MAX_NODES as u64))]
    nodes: usize,
    /// which senders of messages become black
    #[arg(long, default_value = "senders-up", value_parser = named::<Blackens>())]
    blackens: Blackens,
}

#[derive(Clone, Args)]
struct Processes {
    /// nodes of the ring
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(2..=ewd998::MAX_NODES as u64))]
    nodes: usize,
    /// greatest counter of a node in a state that is expanded
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(0..=MAX_COUNTER.into()))]
    counters: u8,
    /// which nodes pass the token on
    #[arg(long, default_value = "inactive", value_parser = named::<Passes>())]
    passes: Passes,
}

#[derive(Clone, Args)]
struct Acceptors {
    /// acceptors
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_ACCEPTORS as u64))]
    acceptors: usize,
    /// values
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_VALUES as u64))]
    values: usize,
    /// ballots
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_BALLOTS as u64))]
    ballots: usize,
    /// what an acceptor makes sure of before it votes
    #[arg(long, default_value = "safely", value_parser = named::<Votes>())]
    votes: Votes,
}
