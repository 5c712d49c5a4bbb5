//! Fairness of the published implementations: what it implies of that of their specifications, and what each condition is
//! needed for.

use refmap::obligation::{Liveness, Until};
use refmap::{Settings, TransitionSystem, Verdict};
use refmap_refinements::Checked;
use refmap_systems::published::allocator_implementation::Receives;
use refmap_systems::published::alternating_bit::Sends;
use refmap_systems::published::conditions::Conditions::{self, Published, Weakened, Without};
use refmap_systems::published::ewd840::Blackens;
use refmap_systems::published::scheduling_allocator::Grants;
use refmap_systems::published::write_through_cache::Fault;

use super::super::decide;
use super::{alternating_bit, cache, implementation, ring, scheduling};

/// The obligations that are violated, liveness included.
fn violated<R: Checked>(refinement: &R) -> Vec<String> {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        ..Settings::default()
    };
    let report = decide(&*refinement.checker(), &settings);
    assert_ne!(report.verdict, Some(Verdict::Incomplete), "{report}");
    report.violated().map(str::to_owned).collect()
}

/// Obligations violated without the condition of this name, and if it is weak.
fn without<R: Checked>(of: impl Fn(Conditions) -> R, name: &'static str) -> [Vec<String>; 2] {
    let published = of(Published).implementation().fairness();
    assert!(published.iter().any(|condition| condition.name() == name));
    [Without(name), Weakened(name)].map(|fairness| violated(&of(fairness)))
}

const NONE: [&str; 0] = [];

/// Weak fairness of the implementation implies strong fairness of the specification, as the order of the clients sees to.
#[test]
fn the_scheduling_allocator_passes_no_client_over() {
    let refinement = |fairness| scheduling(Grants::InOrder, fairness);
    assert_eq!(violated(&refinement(Published)), NONE);
    assert_eq!(without(refinement, "return")[0], ["fairness:return"]);
    assert_eq!(without(refinement, "schedule")[0], ["fairness:allocate"]);
    let both = ["fairness:return", "fairness:allocate"];
    assert_eq!(without(refinement, "allocate")[0], both);
    assert_eq!(violated(&scheduling(Grants::AnyAvailable, Published)), both);
}

/// Receipt of requests is needed by no condition of the specification, which begins where a request has been received.
#[test]
fn messages_of_the_allocator_arrive() {
    let refinement = |fairness| implementation(2, Receives::AfterReturns, fairness);
    assert_eq!(violated(&refinement(Published)), NONE);
    for condition in ["return", "r_alloc", "r_ret"] {
        let violated = &without(refinement, condition)[0];
        assert_eq!(violated, &["fairness:return"], "{condition}");
    }
    assert_eq!(without(refinement, "allocate")[0], ["fairness:allocate"]);
    assert_eq!(without(refinement, "schedule")[0], ["fairness:schedule"]);
    assert_eq!(without(refinement, "r_req")[0], NONE);
}

/// The queue may be full again and again when a processor looks, so that weak fairness does not do there.
#[test]
fn the_cache_responds() {
    let refinement = |fairness| cache(1, Fault::None, fairness);
    assert_eq!(violated(&refinement(Published)), NONE);
    for condition in ["respond", "enqueue", "dequeue"] {
        let violated = &without(refinement, condition)[0];
        assert_eq!(violated, &["fairness:respond"], "{condition}");
    }
    assert_eq!(without(refinement, "enqueue")[1], ["fairness:respond"]);
    assert_eq!(
        violated(&cache(1, Fault::EvictsAwaited, Published)),
        ["fairness:respond"]
    );
}

/// A line may lose what is on it again and again, so that weak fairness does not do there.
#[test]
fn the_alternating_bit_protocol_delivers() {
    let refinement = |fairness| alternating_bit(Sends::AfterAck, fairness);
    assert_eq!(violated(&refinement(Published)), NONE);
    assert_eq!(without(refinement, "send_again")[0], ["fairness:receive"]);
    assert_eq!(without(refinement, "send_ack")[0], ["fairness:acknowledge"]);
    for violated in without(refinement, "receive_message") {
        assert_eq!(violated, ["fairness:receive"]);
    }
    for violated in without(refinement, "receive_ack") {
        assert_eq!(violated, ["fairness:acknowledge"]);
    }
}

#[test]
fn the_ring_detects_termination() {
    let refinement = |fairness| ring(Blackens::SendersUp, fairness);
    assert_eq!(violated(&refinement(Published)), NONE);
    assert_eq!(without(refinement, "go_round")[0], ["fairness:detect"]);
}
