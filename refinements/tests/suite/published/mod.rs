//! Published specifications and their implementations: TLC's counts, and what is violated where a rule is wrong.
//!
//! The counts are those of the manifests of the TLA+ Examples (`allocator`, `SpecifyingSystems`, `ewd840`,
//! `PaxosHowToWinATuringAward`): distinct states, states generated, depth.

mod fairness;

use std::collections::HashSet;

use refmap::obligation::Until;
use refmap::{Evidence, Refinement, Report, Settings, StateOf, TransitionSystem, Verdict, steps};
use refmap_refinements::Checked;
use refmap_refinements::published::{
    AllocatorImplementationRefinement, AlternatingBitRefinement, Ewd840Refinement,
    SchedulingAllocatorRefinement, VotingRefinement, WriteThroughCacheRefinement,
};
use refmap_systems::published::allocator_implementation::{AllocatorImplementation, Receives};
use refmap_systems::published::alternating_bit::{AlternatingBit, Sends};
use refmap_systems::published::alternating_bit_correctness::AbCorrectness;
use refmap_systems::published::conditions::Conditions::{self, Published};
use refmap_systems::published::consensus::Consensus;
use refmap_systems::published::ewd840::{Blackens, Ewd840};
use refmap_systems::published::internal_memory::InternalMemory;
use refmap_systems::published::scheduling_allocator::{Grants, SchedulingAllocator};
use refmap_systems::published::simple_allocator::SimpleAllocator;
use refmap_systems::published::termination_detection::TerminationDetection;
use refmap_systems::published::voting::{Votes, Voting};
use refmap_systems::published::write_through_cache::{Fault, WriteThroughCache};

/// Counts of TLC: distinct states, states generated, depth.
type Counts = (u64, u64, u32);

fn scheduling(grants: Grants, fairness: Conditions) -> SchedulingAllocatorRefinement {
    SchedulingAllocatorRefinement::new(SchedulingAllocator {
        clients: 3,
        resources: 2,
        grants,
        fairness,
    })
}

fn implementation(
    clients: usize,
    receives: Receives,
    fairness: Conditions,
) -> AllocatorImplementationRefinement {
    AllocatorImplementationRefinement::new(AllocatorImplementation {
        server: SchedulingAllocator {
            clients,
            resources: 2,
            grants: Grants::InOrder,
            fairness: Published,
        },
        receives,
        fairness,
    })
}

fn memory(addresses: usize) -> InternalMemory {
    InternalMemory {
        processors: 2,
        addresses,
        values: 2,
    }
}

fn cache(q_len: usize, fault: Fault, fairness: Conditions) -> WriteThroughCacheRefinement {
    WriteThroughCacheRefinement::new(WriteThroughCache {
        memory: memory(1),
        q_len,
        fault,
        fairness,
    })
}

fn alternating_bit(sends: Sends, fairness: Conditions) -> AlternatingBitRefinement {
    AlternatingBitRefinement::new(AlternatingBit {
        data: 2,
        queue: 2,
        sends,
        fairness,
    })
}

fn ring(blackens: Blackens, fairness: Conditions) -> Ewd840Refinement {
    Ewd840Refinement::new(Ewd840 {
        nodes: 3,
        blackens,
        fairness,
    })
}

fn voting(votes: Votes) -> VotingRefinement {
    VotingRefinement::new(Voting {
        acceptors: 3,
        values: 2,
        ballots: 3,
        votes,
    })
}

/// The reachable states of a system and its counts, by a search so plain that it is obviously right.
fn search<S: TransitionSystem>(system: &S) -> (HashSet<StateOf<S>>, Counts) {
    let mut wave = Vec::new();
    system.initial(&mut |state| wave.push(state));
    let mut generated = wave.len();
    let mut seen: HashSet<StateOf<S>> = wave.iter().cloned().collect();
    let mut depth = 0;
    while !wave.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for state in wave {
            for (_, to) in steps(system, &state) {
                generated += 1;
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        wave = next;
    }
    let counts = (seen.len() as u64, generated as u64, depth);
    (seen, counts)
}

fn plain_counts<S: TransitionSystem>(system: &S) -> Counts {
    search(system).1
}

/// The counts of a refinement that holds, as refmap and the plain search find them.
fn counts<R: Checked>(refinement: &R) -> Counts {
    let report = refinement
        .checker()
        .check(&Settings::default())
        .expect("all can be decided");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.evidence, Evidence::Exhaustive);
    let generated = report.initial_states + report.transitions;
    let counts = (report.states, generated, report.depth + 1);
    assert_eq!(counts, plain_counts(refinement.implementation()));
    counts
}

/// The obligations that are violated, and the length of the counterexample to the first one.
fn violated<R: Checked>(refinement: &R) -> (Vec<String>, usize) {
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report: Report = refinement
        .checker()
        .check(&settings)
        .expect("all can be decided");
    let counterexample = report
        .counterexample
        .as_ref()
        .expect("something is violated");
    (
        report.violated().map(str::to_owned).collect(),
        counterexample.length,
    )
}

/// [`allocator/SimpleAllocator.cfg`; `SpecifyingSystems/*/MCInternalMemory.cfg`, `TLC/ABCorrectness.cfg`;
/// `ewd840/SyncTerminationDetection.cfg`]
#[test]
fn the_specifications_have_the_counts_of_tlc() {
    let allocator = SimpleAllocator {
        clients: 3,
        resources: 2,
    };
    assert_eq!(plain_counts(&allocator), (400, 1_633, 6));
    assert_eq!(plain_counts(&memory(3)), (4_408, 21_400, 10));
    assert_eq!(plain_counts(&AbCorrectness { data: 2 }), (20, 36, 3));
    let detection = TerminationDetection { nodes: 7 };
    assert_eq!(plain_counts(&detection), (129, 3_722, 1));
    assert_eq!(plain_counts(&Consensus { values: 3 }), (4, 4, 2));
}

/// [`allocator/AllocatorRefinement.cfg`]
#[test]
fn the_scheduling_allocator_refines_the_simple_one() {
    assert_eq!(
        counts(&scheduling(Grants::InOrder, Published)),
        (1_690, 5_854, 7)
    );
}

/// [`allocator/AllocatorImplementation.cfg`]
#[test]
fn the_allocator_with_messages_refines_the_scheduling_one() {
    let counts = counts(&implementation(3, Receives::AfterReturns, Published));
    assert_eq!(counts, (17_701, 64_414, 16));
}

/// [`SpecifyingSystems/Liveness/MCLiveWriteThroughCache.cfg`]
#[test]
fn the_write_through_cache_refines_the_memory() {
    assert_eq!(
        counts(&cache(1, Fault::None, Published)),
        (5_196, 28_170, 18)
    );
}

/// [`SpecifyingSystems/TLC/MCAlternatingBit.cfg`] TLC generates what is sent on a full line too, and drops it: the steps that
/// a line with room for one message more has from the same states.
#[test]
fn the_alternating_bit_protocol_transmits_each_value_once() {
    let refinement = alternating_bit(Sends::AfterAck, Published);
    assert_eq!(counts(&refinement), (240, 1_204, 10));
    let (states, _) = search(refinement.implementation());
    let longer = AlternatingBit {
        queue: 3,
        ..*refinement.implementation()
    };
    let initial = states.iter().filter(|state| longer.is_initial(state));
    let generated = states.iter().map(|state| steps(&longer, state).len());
    assert_eq!(initial.count() + generated.sum::<usize>(), 1_392);
}

/// [`ewd840/EWD840.cfg`] The depth that is published is 10: with several workers TLC does not search in the order of the depth,
/// and what it prints may be too large.
#[test]
fn the_ring_refines_the_detection_of_termination() {
    assert_eq!(
        counts(&ring(Blackens::SendersUp, Published)),
        (302, 2_001, 9)
    );
}

/// [`PaxosHowToWinATuringAward/MCVoting.cfg`]
#[test]
fn voting_refines_consensus() {
    assert_eq!(counts(&voting(Votes::Safely)), (6_752, 41_017, 16));
}

/// An allocator that does not heed what is available gives one resource to two clients.
#[test]
fn a_resource_that_is_not_available_is_not_given() {
    let (obligations, length) = violated(&scheduling(Grants::Any, Published));
    assert_eq!(obligations, ["simulation", "invariant:resource_mutex"]);
    assert_eq!(length, 5);
}

/// The order is for liveness alone: without it an allocator is safe.
#[test]
fn an_allocator_without_order_is_safe() {
    let report = scheduling(Grants::AnyAvailable, Published)
        .checker()
        .check(&Settings::default());
    let report = report.expect("all can be decided");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A request that overtakes a return is one of a client that still has something.
#[test]
fn a_request_does_not_overtake_a_return() {
    let (obligations, length) = violated(&implementation(2, Receives::AtAnyTime, Published));
    assert_eq!((obligations, length), (vec!["simulation".to_owned()], 8));
}

/// A write that leaves a copy in the cache of another processor is not read there.
#[test]
fn stale_copies_are_read() {
    let (obligations, _) = violated(&cache(1, Fault::StaleCopies, Published));
    assert_eq!(obligations, ["simulation", "invariant:coherence"]);
}

/// A read that passes the writes in the queue finds an old value.
#[test]
fn a_read_does_not_pass_writes() {
    let (obligations, _) = violated(&cache(2, Fault::ReadsAheadOfWrites, Published));
    assert_eq!(obligations, ["simulation", "invariant:coherence"]);
}

/// To evict what a processor waits for is safe; it may only wait for ever.
#[test]
fn eviction_of_what_is_awaited_is_safe() {
    let report = cache(1, Fault::EvictsAwaited, Published)
        .checker()
        .check(&Settings::default());
    let report = report.expect("all can be decided");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// A sender that does not wait for the acknowledgement sends what the specification does not.
#[test]
fn a_sender_waits_for_the_acknowledgement() {
    let (obligations, length) = violated(&alternating_bit(Sends::AtAnyTime, Published));
    assert_eq!((obligations, length), (vec!["simulation".to_owned()], 2));
}

/// A node that wakes up one behind the token has to tell the token [EWD 840, rule 1].
#[test]
fn senders_to_higher_nodes_become_black() {
    let (obligations, _) = violated(&ring(Blackens::SendersDown, Published));
    assert_eq!(obligations, ["simulation", "invariant:inv"]);
}

/// Two quorums vote for different values in two ballots if it is not seen to that the second one is safe.
#[test]
fn a_vote_needs_a_quorum() {
    let (obligations, length) = violated(&voting(Votes::WithoutQuorum));
    assert_eq!((obligations, length), (vec!["simulation".to_owned()], 4));
}
