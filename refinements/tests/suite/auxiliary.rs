//! Refinements with several abstract steps and with auxiliary variables: TLC's counts, what holds, and what is violated where a rule or
//! a variable is wrong.

use refmap::obligation::Until;
use refmap::{Evidence, Report, Settings, Verdict};
use refmap_refinements::Checked;
use refmap_refinements::auxiliary::{
    AfekRefinement, HerlihyWingProphecyRefinement, HerlihyWingRefinement, LockInStepsRefinement,
    LockStutteringRefinement, NewLinearSnapshotRefinement, NextInteger, PetersonRefinement,
    PoFifoProphecyRefinement, PoFifoRefinement, Predicts, RingClaimsRefinement, SendIntRefinement,
    SendSeqRefinement, SendSetRefinement, SetEnds, Stutters, Turn,
};
use refmap_systems::auxiliary::afek_simplified::{AfekSimplified, Compares};
use refmap_systems::auxiliary::herlihy_wing::{HerlihyWing, Search};
use refmap_systems::auxiliary::new_linear_snapshot::NewLinearSnapshot;
use refmap_systems::auxiliary::peterson::Writes;
use refmap_systems::auxiliary::po_fifo::{PoFifo, Receives};
use refmap_systems::auxiliary::ring_claims::{RingClaims, Waits};
use refmap_systems::auxiliary::send_int1::SendInt1;
use refmap_systems::auxiliary::{queue, snapshot};

/// TLC's counts: distinct states, states generated with the initial ones, depth in states.
type Counts = (u64, u64, u32);

fn check<R: Checked>(refinement: &R, until: Until) -> Report {
    let settings = Settings {
        until,
        ..Settings::default()
    };
    refinement
        .checker()
        .check(&settings)
        .expect("all can be decided")
}

/// The counts of a refinement that holds, of every reachable state or of those within the bound that the instance has.
#[track_caller]
fn decided<R: Checked>(refinement: &R, evidence: Evidence) -> Counts {
    let report = check(refinement, Until::End);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.evidence, evidence);
    let generated = report.initial_states + report.transitions;
    (report.states, generated, report.depth + 1)
}

/// The counts of a refinement that holds.
#[track_caller]
fn holds<R: Checked>(refinement: &R) -> Counts {
    decided(refinement, Evidence::Exhaustive)
}

/// The obligation that is violated first, and the length of its counterexample.
#[track_caller]
fn first_violated<R: Checked>(refinement: &R) -> (String, usize) {
    let report = check(refinement, Until::FirstViolation);
    let counterexample = report.counterexample.as_ref();
    let counterexample = counterexample.expect("something is violated");
    (counterexample.obligation.clone(), counterexample.length)
}

/// All obligations that are violated.
fn violated<R: Checked>(refinement: &R) -> Vec<String> {
    let report = check(refinement, Until::End);
    report.violated().map(str::to_owned).collect()
}

fn users([enqueuers, dequeuers, data]: [usize; 3]) -> queue::Users {
    queue::Users {
        enqueuers,
        dequeuers,
        data,
    }
}

fn po_fifo([enqueuers, dequeuers, data, ids]: [usize; 4], receives: Receives) -> PoFifo {
    PoFifo {
        users: users([enqueuers, dequeuers, data]),
        ids,
        receives,
    }
}

fn herlihy_wing(of: [usize; 3], operations: usize, search: Search) -> HerlihyWing {
    HerlihyWing {
        users: users(of),
        operations,
        search,
    }
}

fn ring(of: [usize; 3], slots: usize, waits: Waits) -> RingClaimsRefinement {
    RingClaimsRefinement::new(RingClaims {
        users: users(of),
        slots,
        waits,
    })
}

fn afek([readers, writers]: [usize; 2], writes: usize, compares: Compares) -> AfekRefinement {
    let users = snapshot::Users {
        readers,
        writers,
        values: 2,
    };
    AfekRefinement::new(AfekSimplified {
        users,
        writes,
        compares,
    })
}

fn new_linear(
    [readers, writers]: [usize; 2],
    memories: usize,
    predicts: Predicts,
) -> NewLinearSnapshotRefinement {
    let users = snapshot::Users {
        readers,
        writers,
        values: 2,
    };
    NewLinearSnapshotRefinement::new(NewLinearSnapshot { users, memories }, predicts)
}

/// [`locks_auxiliary_vars/Peterson.cfg`]
#[test]
fn petersons_algorithm_refines_the_lock() {
    let counts = holds(&PetersonRefinement::new(Writes::FlagFirst));
    assert_eq!(counts, (42, 77, 11));
}

/// A process that writes `turn` before `c` violates the invariants, and both processes enter.
#[test]
fn the_flag_is_written_first() {
    let wrong = PetersonRefinement::new(Writes::TurnFirst);
    let all = [
        "simulation",
        "invariant:c_is_set",
        "invariant:turn_is_given",
        "invariant:mutex",
    ];
    assert_eq!(violated(&wrong), all);
}

/// [`locks_auxiliary_vars/LockHS.cfg`]
#[test]
fn the_lock_refines_petersons_algorithm_with_stutters_and_history() {
    let counts = holds(&LockStutteringRefinement::new(
        Stutters::WhereFree,
        Turn::Remembered,
    ));
    assert_eq!(counts, (28, 41, 10));
}

/// With several abstract steps there are as many states as without the stutters, two for each of the 6 states in which a process may
/// take the lock.
#[test]
fn the_lock_refines_petersons_algorithm_in_several_steps() {
    let counts = holds(&LockInStepsRefinement::new(Turn::Remembered));
    assert_eq!(counts, (28 - 2 * 6, 41 - 2 * 6, 7));
}

/// Without the history variable the lock does not know whose turn it is; with stutters the one that sets it fails.
#[test]
fn the_lock_needs_its_history() {
    let in_steps = LockInStepsRefinement::new(Turn::Forgotten);
    assert_eq!(first_violated(&in_steps), ("simulation".to_owned(), 2));
    let stuttering = LockStutteringRefinement::new(Stutters::WhereFree, Turn::Forgotten);
    assert_eq!(first_violated(&stuttering), ("simulation".to_owned(), 3));
}

/// Stutters that begin where the lock is taken lead nowhere, and those that are not counted down do not end.
#[test]
fn stutters_begin_where_the_lock_is_free_and_end() {
    let where_asked = LockStutteringRefinement::new(Stutters::WhereAsked, Turn::Remembered);
    assert_eq!(violated(&where_asked), ["auxiliary:enabled"]);
    let without_end = LockStutteringRefinement::new(Stutters::WithoutEnd, Turn::Remembered);
    let first = first_violated(&without_end);
    assert_eq!(first, ("auxiliary:terminates".to_owned(), 1));
}

/// POFifo refines Fifo without a variable where there is one enqueuer or one datum, with the states that the instance has.
#[test]
fn an_order_of_one_enqueuer_or_one_datum_is_a_queue() {
    for (instance, states) in [
        ([1, 1, 1, 1], 8),
        ([2, 1, 1, 2], 68),
        ([2, 2, 1, 2], 136),
        ([1, 2, 2, 2], 1_193),
    ] {
        let refinement = PoFifoRefinement::new(po_fifo(instance, Receives::Minimal));
        assert_eq!(holds(&refinement).0, states, "{instance:?}");
    }
    let two = PoFifoRefinement::new(po_fifo([2, 1, 2, 1], Receives::Minimal));
    assert_eq!(first_violated(&two), ("simulation".to_owned(), 2));
}

/// With two enqueuers and two data it takes a prophecy: of everything, since what is predicted may be added later.
#[test]
fn an_order_of_two_enqueuers_is_a_queue_with_a_prophecy() {
    for instance in [[1, 1, 1, 1], [2, 1, 2, 1], [2, 2, 1, 2], [2, 2, 2, 1]] {
        let minimal = po_fifo(instance, Receives::Minimal);
        holds(&PoFifoProphecyRefinement::new(
            minimal,
            Predicts::Everything,
        ));
        let the_present = PoFifoProphecyRefinement::new(minimal, Predicts::ThePresent);
        match instance {
            // Nothing can be added that is not there.
            [1, 1, 1, 1] => assert_eq!(holds(&the_present).0, 8),
            _ => assert_eq!(violated(&the_present), ["auxiliary:backward-total"]),
        }
    }
}

/// Dequeuers that ignore the order show it if data differ, and with the prophecy too.
#[test]
fn an_order_that_is_ignored_is_seen_in_the_data() {
    let one = PoFifoRefinement::new(po_fifo([2, 1, 1, 2], Receives::Any));
    assert_eq!(holds(&one).0, 68);
    let expected = ("simulation".to_owned(), 5);
    let plainly = PoFifoRefinement::new(po_fifo([1, 1, 2, 1], Receives::Any));
    assert_eq!(first_violated(&plainly), expected);
    let ignored = po_fifo([2, 1, 2, 1], Receives::Any);
    let with_prophecy = PoFifoProphecyRefinement::new(ignored, Predicts::Everything);
    assert_eq!(first_violated(&with_prophecy), expected);
}

/// The array queue is as POFifo: it takes a prophecy where two enqueuers add two data.
#[test]
fn the_array_queue_refines_a_queue() {
    for (of, operations) in [([1, 1, 2], 4), ([1, 2, 2], 3), ([2, 1, 1], 4)] {
        let plainly = herlihy_wing(of, operations, Search::SwapUpwards);
        holds(&HerlihyWingRefinement::new(plainly));
    }
    let two = herlihy_wing([2, 1, 2], 3, Search::SwapUpwards);
    let plainly = HerlihyWingRefinement::new(two);
    assert_eq!(first_violated(&plainly), ("simulation".to_owned(), 6));
    holds(&HerlihyWingProphecyRefinement::new(
        two,
        Predicts::Everything,
    ));
    let the_present = HerlihyWingProphecyRefinement::new(two, Predicts::ThePresent);
    assert_eq!(violated(&the_present), ["auxiliary:backward-total"]);
}

/// A dequeuer that finds the newest datum, or leaves what it finds, is no dequeuer of a queue; no prophecy helps.
#[test]
fn the_array_is_searched_upwards_and_emptied() {
    for search in [Search::SwapDownwards, Search::ReadUpwards] {
        let one = HerlihyWingRefinement::new(herlihy_wing([1, 1, 2], 3, search));
        assert_eq!(first_violated(&one).0, "simulation");
        let two = herlihy_wing([2, 1, 2], 3, search);
        let two = HerlihyWingProphecyRefinement::new(two, Predicts::Everything);
        assert_eq!(violated(&two), ["simulation"]);
    }
}

/// A claim of the ring is up to two steps of the queue.
#[test]
fn the_ring_refines_a_queue_in_several_steps() {
    for (of, slots) in [
        ([2, 1, 2], 1),
        ([1, 2, 2], 2),
        ([2, 1, 2], 2),
        ([2, 2, 1], 1),
    ] {
        holds(&ring(of, slots, Waits::ForItsTurn));
    }
    let wrong = ring([2, 1, 2], 2, Waits::ForTheSlot);
    assert_eq!(first_violated(&wrong).0, "simulation");
}

/// The integer that is sent next is predicted; each side condition fails where the variable is wrong in its way.
#[test]
fn a_number_is_chosen_before_it_is_sent() {
    let with = |next| SendIntRefinement::new(SendInt1 { integers: 3 }, next);
    // As many states as the specification has.
    assert_eq!(holds(&with(NextInteger::Any)).0, 6);
    let wrong = with(NextInteger::FirstZero);
    assert_eq!(violated(&wrong), ["auxiliary:initial"]);
    let wrong = with(NextInteger::Zero);
    assert_eq!(violated(&wrong), ["auxiliary:backward-total"]);
    let wrong = violated(&with(NextInteger::Nothing));
    assert!(
        wrong.contains(&"auxiliary:non-empty".to_owned()),
        "{wrong:?}"
    );
}

/// Undo of a datum is predicted when it is chosen.
#[test]
fn what_is_given_up_is_not_chosen() {
    // Nothing or one of three is sent, and each is chosen in one of two ways or not at all.
    assert_eq!(
        holds(&SendSetRefinement::new(3, SetEnds::SendOrUndo)).0,
        4 * 27
    );
    let wrong = SendSetRefinement::new(3, SetEnds::SendAlone);
    assert_eq!(violated(&wrong), ["auxiliary:backward-total"]);
    // Nothing or one of two is sent, and up to three are chosen, each in one of two ways.
    let sequences = 1 + 4 + 16 + 64;
    let refinement = SendSeqRefinement::new(2, 3, SetEnds::SendOrUndo);
    assert_eq!(holds(&refinement).0, 3 * sequences);
    let wrong = SendSeqRefinement::new(2, 3, SetEnds::SendAlone);
    assert_eq!(violated(&wrong), ["auxiliary:backward-total"]);
}

/// A reader that reads twice reads a memory that there was, as far as writers write.
#[test]
fn two_equal_reads_are_a_memory_that_there_was() {
    for (of, writes) in [([1, 1], 2), ([1, 2], 1), ([2, 1], 1)] {
        let refinement = afek(of, writes, Compares::ValuesAndNumbers);
        decided(&refinement, Evidence::Bounded);
    }
    let once = afek([1, 2], 1, Compares::Nothing);
    assert_eq!(first_violated(&once), ("simulation".to_owned(), 10));
}

/// The memory with which a read ends is predicted; it may be one that is yet to be written.
#[test]
fn a_read_takes_the_memory_with_which_it_ends() {
    for (of, memories) in [([1, 1], 3), ([2, 1], 2), ([1, 2], 3)] {
        let refinement = new_linear(of, memories, Predicts::Everything);
        decided(&refinement, Evidence::Bounded);
        let wrong = new_linear(of, memories, Predicts::ThePresent);
        assert_eq!(violated(&wrong), ["auxiliary:backward-total"]);
    }
}
