//! Published specifications and their implementations: TLC's counts, and what is violated where a rule is wrong.
//!
//! The counts are those of the manifests of the TLA+ Examples (`allocator`, `SpecifyingSystems`, `ewd840`,
//! `PaxosHowToWinATuringAward`): distinct states, states generated, depth.

mod fairness;

use refmap::{Evidence, Refinement, TransitionSystem, steps};
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
use refmap_testing::{Counts, search};

use super::{counts, violated};

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

/// The counts of a refinement that holds, as refmap and the plain search find them.
#[track_caller]
fn both_counts<R: Checked>(refinement: &R) -> Counts {
    let counts = counts(&*refinement.checker(), Evidence::Exhaustive);
    assert_eq!(counts, search(refinement.implementation()).1);
    counts
}

/// [`allocator/SimpleAllocator.cfg`; `SpecifyingSystems/*/MCInternalMemory.cfg`, `TLC/ABCorrectness.cfg`;
/// `ewd840/SyncTerminationDetection.cfg`]
#[test]
fn the_specifications_have_the_counts_of_tlc() {
    let allocator = SimpleAllocator {
        clients: 3,
        resources: 2,
    };
    assert_eq!(search(&allocator).1, (400, 1_633, 6));
    assert_eq!(search(&memory(3)).1, (4_408, 21_400, 10));
    assert_eq!(search(&AbCorrectness { data: 2 }).1, (20, 36, 3));
    let detection = TerminationDetection { nodes: 7 };
    assert_eq!(search(&detection).1, (129, 3_722, 1));
    assert_eq!(search(&Consensus { values: 3 }).1, (4, 4, 2));
}

/// [`allocator/AllocatorRefinement.cfg`, `AllocatorImplementation.cfg`; `SpecifyingSystems/Liveness/MCLiveWriteThroughCache.cfg`;
/// `ewd840/EWD840.cfg`; `PaxosHowToWinATuringAward/MCVoting.cfg`] The depth that is published of EWD 840 is 10: with several workers TLC
/// does not search in the order of the depth, and what it prints may be too large.
#[test]
fn the_implementations_have_the_counts_of_tlc() {
    let allocator = scheduling(Grants::InOrder, Published);
    assert_eq!(both_counts(&allocator), (1_690, 5_854, 7));
    let messages = implementation(3, Receives::AfterReturns, Published);
    assert_eq!(both_counts(&messages), (17_701, 64_414, 16));
    let cache = cache(1, Fault::None, Published);
    assert_eq!(both_counts(&cache), (5_196, 28_170, 18));
    let ring = ring(Blackens::SendersUp, Published);
    assert_eq!(both_counts(&ring), (302, 2_001, 9));
    let voting = voting(Votes::Safely);
    assert_eq!(both_counts(&voting), (6_752, 41_017, 16));
}

/// [`SpecifyingSystems/TLC/MCAlternatingBit.cfg`] TLC generates what is sent on a full line too, and drops it: the steps that
/// a line with room for one message more has from the same states.
#[test]
fn the_alternating_bit_protocol_transmits_each_value_once() {
    let refinement = alternating_bit(Sends::AfterAck, Published);
    assert_eq!(both_counts(&refinement), (240, 1_204, 10));
    let (states, _) = search(refinement.implementation());
    let longer = AlternatingBit {
        queue: 3,
        ..*refinement.implementation()
    };
    let initial = states.iter().filter(|state| longer.is_initial(state));
    let generated = states.iter().map(|state| steps(&longer, state).len());
    assert_eq!(initial.count() + generated.sum::<usize>(), 1_392);
}

/// A wrong rule violates the obligations that it is there for, and no others.
#[test]
fn a_wrong_rule_violates_what_it_is_for() {
    let resource_mutex: &[&str] = &["simulation", "invariant:resource_mutex"];
    let coherence: &[&str] = &["simulation", "invariant:coherence"];
    for (checker, expected) in [
        (
            scheduling(Grants::Any, Published).into_checker(),
            resource_mutex,
        ),
        (
            implementation(2, Receives::AtAnyTime, Published).into_checker(),
            &["simulation"],
        ),
        (
            cache(1, Fault::StaleCopies, Published).into_checker(),
            coherence,
        ),
        (
            cache(2, Fault::ReadsAheadOfWrites, Published).into_checker(),
            coherence,
        ),
        (
            alternating_bit(Sends::AtAnyTime, Published).into_checker(),
            &["simulation"],
        ),
        (
            ring(Blackens::SendersDown, Published).into_checker(),
            &["simulation", "invariant:inv"],
        ),
        (voting(Votes::WithoutQuorum).into_checker(), &["simulation"]),
    ] {
        assert_eq!(violated(&*checker), expected);
    }
}
