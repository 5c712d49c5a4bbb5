//! Checks and claims of published specifications and their implementations.
//!
//! The counts are those of TLC in the manifests of the TLA+ Examples: distinct states, and states generated, which are the
//! transitions and the initial states.

use refmap_cli::catalogue::{Arguments, Check, Choice, Claim, Parameter};
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
            [clients(), vec![grants().parameter()]].concat(),
            |arguments| {
                let refinement = SchedulingAllocatorRefinement::new(SchedulingAllocator {
                    clients: arguments.number("clients"),
                    resources: arguments.number("resources"),
                    grants: grants().of(arguments),
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "allocator-implementation",
            "an allocator and clients that send messages: refines the allocator with an order",
            ALLOCATOR,
            [clients(), vec![receives().parameter()]].concat(),
            |arguments| {
                let refinement = AllocatorImplementationRefinement::new(AllocatorImplementation {
                    server: SchedulingAllocator {
                        clients: arguments.number("clients"),
                        resources: arguments.number("resources"),
                        grants: Grants::InOrder,
                        fairness: Conditions::Published,
                    },
                    receives: receives().of(arguments),
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "write-through-cache",
            "caches that write through a queue: refine a memory that carries out one request at a time",
            SPECIFYING_SYSTEMS,
            cache_parameters(),
            |arguments| {
                let refinement = WriteThroughCacheRefinement::new(cache(arguments));
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "alternating-bit",
            "the alternating bit protocol over lines that lose messages: transmits each value once",
            SPECIFYING_SYSTEMS,
            vec![
                Parameter::number("data", 1..=MAX_DATA as u64, 2, "values"),
                Parameter::number(
                    "queue",
                    1..=alternating_bit::MAX_QUEUE as u64,
                    2,
                    "messages on a line",
                ),
                sends().parameter(),
            ],
            |arguments| {
                let refinement = AlternatingBitRefinement::new(AlternatingBit {
                    data: arguments.number("data"),
                    queue: arguments.number("queue"),
                    sends: sends().of(arguments),
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "ewd840",
            "a token that goes round a ring: refines the detection of termination in one step",
            EWD_840,
            vec![
                Parameter::number("nodes", 2..=MAX_NODES as u64, 3, "nodes of the ring"),
                blackens().parameter(),
            ],
            |arguments| {
                let refinement = Ewd840Refinement::new(Ewd840 {
                    nodes: arguments.number("nodes"),
                    blackens: blackens().of(arguments),
                    fairness: Conditions::Published,
                });
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "ewd998-pcal",
            "a token that counts messages: processes that send it to each other refine the ring that passes it",
            EWD_998,
            vec![
                Parameter::number(
                    "nodes",
                    2..=ewd998::MAX_NODES as u64,
                    3,
                    "nodes of the ring",
                ),
                Parameter::number(
                    "counters",
                    0..=MAX_COUNTER.into(),
                    2,
                    "greatest counter of a node in a state that is expanded",
                ),
                passes().parameter(),
            ],
            |arguments| {
                let processes = Ewd998PCal {
                    nodes: arguments.number("nodes"),
                    passes: passes().of(arguments),
                };
                let counters = arguments.number("counters");
                let refinement = Ewd998PCalRefinement::new(processes, counters);
                Ok(refinement.into_checker())
            },
        ),
        Check::new(
            "voting",
            "acceptors that vote in ballots: refine the choice of one value",
            PAXOS,
            vec![
                Parameter::number("acceptors", 1..=MAX_ACCEPTORS as u64, 3, "acceptors"),
                Parameter::number("values", 1..=MAX_VALUES as u64, 2, "values"),
                Parameter::number("ballots", 1..=MAX_BALLOTS as u64, 3, "ballots"),
                votes().parameter(),
            ],
            |arguments| {
                let refinement = VotingRefinement::new(Voting {
                    acceptors: arguments.number("acceptors"),
                    values: arguments.number("values"),
                    ballots: arguments.number("ballots"),
                    votes: votes().of(arguments),
                });
                Ok(refinement.into_checker())
            },
        ),
    ]
}

fn clients() -> Vec<Parameter> {
    vec![
        Parameter::number("clients", 1..=MAX_CLIENTS as u64, 3, "clients"),
        Parameter::number("resources", 1..=MAX_RESOURCES as u64, 2, "resources"),
    ]
}

fn grants() -> Choice<Grants> {
    Choice::new(
        "grants",
        "what the allocator heeds when it gives",
        [
            ("in-order", Grants::InOrder),
            ("any-available", Grants::AnyAvailable),
            ("any", Grants::Any),
        ],
    )
}

fn receives() -> Choice<Receives> {
    Choice::new(
        "receives",
        "when the server receives a request",
        [
            ("after-returns", Receives::AfterReturns),
            ("at-any-time", Receives::AtAnyTime),
        ],
    )
}

fn cache_parameters() -> Vec<Parameter> {
    use internal_memory::MAX;
    vec![
        Parameter::number("processors", 1..=MAX as u64, 2, "processors"),
        Parameter::number("addresses", 1..=MAX as u64, 1, "addresses"),
        Parameter::number("values", 1..=MAX as u64, 2, "values"),
        Parameter::number(
            "queue",
            1..=write_through_cache::MAX_QUEUE as u64,
            1,
            "requests in the queue",
        ),
        fault().parameter(),
    ]
}

fn fault() -> Choice<Fault> {
    Choice::new(
        "fault",
        "the rule that is wrong",
        [
            ("none", Fault::None),
            ("stale-copies", Fault::StaleCopies),
            ("reads-ahead-of-writes", Fault::ReadsAheadOfWrites),
            ("evicts-awaited", Fault::EvictsAwaited),
        ],
    )
}

fn cache(arguments: &Arguments) -> WriteThroughCache {
    WriteThroughCache {
        memory: InternalMemory {
            processors: arguments.number("processors"),
            addresses: arguments.number("addresses"),
            values: arguments.number("values"),
        },
        q_len: arguments.number("queue"),
        fault: fault().of(arguments),
        fairness: Conditions::Published,
    }
}

fn sends() -> Choice<Sends> {
    Choice::new(
        "sends",
        "when the sender sends a new value",
        [
            ("after-ack", Sends::AfterAck),
            ("at-any-time", Sends::AtAnyTime),
        ],
    )
}

fn blackens() -> Choice<Blackens> {
    Choice::new(
        "blackens",
        "which senders of messages become black",
        [
            ("senders-up", Blackens::SendersUp),
            ("senders-down", Blackens::SendersDown),
        ],
    )
}

fn passes() -> Choice<Passes> {
    Choice::new(
        "passes",
        "which nodes pass the token on",
        [("inactive", Passes::Inactive), ("any", Passes::Any)],
    )
}

fn votes() -> Choice<Votes> {
    Choice::new(
        "votes",
        "what an acceptor makes sure of before it votes",
        [
            ("safely", Votes::Safely),
            ("without-quorum", Votes::WithoutQuorum),
        ],
    )
}

pub(super) fn claims() -> Vec<Claim> {
    [
        allocator_claims(),
        specifying_systems_claims(),
        other_claims(),
    ]
    .concat()
}

fn allocator_claims() -> Vec<Claim> {
    vec![
        Claim::holds("scheduling-allocator", vec![])
            .counts(1_690, 5_853)
            .exercising_all()
            .source(
                ALLOCATOR,
                "an order of the clients is not seen; TLC generates 5854 states, one of them initial",
            ),
        Claim::holds(
            "scheduling-allocator",
            vec![("grants", "any-available".into())],
        )
        .states(2_134)
        .source(ALLOCATOR, "… and is not needed for safety"),
        Claim::violated(
            "scheduling-allocator",
            vec![("grants", "any".into())],
            "simulation",
        )
        .length(5)
        .source(
            ALLOCATOR,
            "what is not available is given: two clients have one resource",
        ),
        Claim::holds("allocator-implementation", vec![])
            .counts(17_701, 64_413)
            .exercising_all()
            .source(
                ALLOCATOR,
                "… nor are messages; TLC generates 64414 states, one of them initial",
            ),
        Claim::violated(
            "allocator-implementation",
            vec![("clients", 2.into()), ("receives", "at-any-time".into())],
            "simulation",
        )
        .length(8)
        .source(
            ALLOCATOR,
            "a request overtakes a return, and is one of a client that has something",
        ),
    ]
}

fn specifying_systems_claims() -> Vec<Claim> {
    let cache_with =
        |fault: &str, queue: u8| vec![("queue", queue.into()), ("fault", fault.into())];
    vec![
        Claim::holds("write-through-cache", vec![])
            .counts(5_196, 28_168)
            .source(
                SPECIFYING_SYSTEMS,
                "caches are not seen; TLC generates 28170 states, two of them initial",
            ),
        Claim::holds("write-through-cache", vec![("queue", 2.into())])
            .counts(19_804, 110_664)
            .exercising_all()
            .source(SPECIFYING_SYSTEMS, "… with a longer queue, where all rules fire"),
        Claim::violated(
            "write-through-cache",
            cache_with("stale-copies", 1),
            "invariant:coherence",
        )
        .length(5)
        .also(&["simulation"])
        .source(
            SPECIFYING_SYSTEMS,
            "a write leaves an old value in another cache, which is read",
        ),
        Claim::violated(
            "write-through-cache",
            cache_with("reads-ahead-of-writes", 2),
            "invariant:coherence",
        )
        .length(5)
        .also(&["simulation"])
        .source(SPECIFYING_SYSTEMS, "a read passes the writes in the queue"),
        Claim::holds("write-through-cache", cache_with("evicts-awaited", 1))
            .states(5_480)
            .source(
                SPECIFYING_SYSTEMS,
                "what a processor waits for is evicted: that is safe, and it may wait for ever",
            ),
        Claim::holds("alternating-bit", vec![])
            .counts(240, 1_196)
            .exercising_all()
            .source(
                SPECIFYING_SYSTEMS,
                "each value is received once; TLC generates 1392 states, eight of them initial, and drops 188",
            ),
        Claim::violated(
            "alternating-bit",
            vec![("sends", "at-any-time".into())],
            "simulation",
        )
        .length(2)
        .source(
            SPECIFYING_SYSTEMS,
            "a value follows one that is not acknowledged",
        ),
    ]
}

fn other_claims() -> Vec<Claim> {
    vec![
        Claim::holds("ewd840", vec![])
            .counts(302, 1_809)
            .exercising_all()
            .source(
                EWD_840,
                "what is detected is so; TLC generates 2001 states, 192 of them initial",
            ),
        Claim::violated(
            "ewd840",
            vec![("blackens", "senders-down".into())],
            "invariant:inv",
        )
        .length(3)
        .also(&["simulation"])
        .source(
            EWD_840,
            "a node behind the token is woken up, and the token does not learn of it",
        ),
        Claim::holds("ewd998-pcal", vec![])
            .counts(321_370, 2_224_768)
            .exercising_all()
            .source(
                EWD_998,
                "the token may be a message; TLC counts as many states, and depth 47",
            ),
        Claim::violated("ewd998-pcal", vec![("passes", "any".into())], "simulation")
            .length(2)
            .source(EWD_998, "an active node passes the token"),
        Claim::holds("voting", vec![])
            .counts(6_752, 41_016)
            .exercising_all()
            .source(
                PAXOS,
                "at most one value is chosen; TLC generates 41017 states, one of them initial",
            ),
        Claim::violated(
            "voting",
            vec![("votes", "without-quorum".into())],
            "simulation",
        )
        .length(4)
        .source(
            PAXOS,
            "two ballots choose two values if none sees to it that the second one is safe",
        ),
    ]
}
