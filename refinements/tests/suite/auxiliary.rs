//! Refinements with several abstract steps and with auxiliary variables: TLC's counts, instances beyond those of the catalogue, and what
//! alone is violated where a variable is wrong.

use refmap::Evidence;
use refmap::obligation::Checkable;
use refmap_refinements::Checked;
use refmap_refinements::auxiliary::{
    AfekRefinement, HerlihyWingProphecyRefinement, HerlihyWingRefinement, LockInStepsRefinement,
    LockStutteringRefinement, NewLinearSnapshotRefinement, NextInteger, PetersonRefinement,
    PoFifoProphecyRefinement, Predicts, RingClaimsRefinement, SendIntRefinement, SendSeqRefinement,
    SendSetRefinement, SetEnds, Stutters, Turn,
};
use refmap_systems::auxiliary::afek_simplified::{AfekSimplified, Compares};
use refmap_systems::auxiliary::herlihy_wing::{HerlihyWing, Search};
use refmap_systems::auxiliary::new_linear_snapshot::NewLinearSnapshot;
use refmap_systems::auxiliary::peterson::Writes;
use refmap_systems::auxiliary::po_fifo::{PoFifo, Receives};
use refmap_systems::auxiliary::ring_claims::{RingClaims, Waits};
use refmap_systems::auxiliary::send_int1::SendInt1;
use refmap_systems::auxiliary::{queue, snapshot};

use super::{counts, violated};

fn users([enqueuers, dequeuers, data]: [usize; 3]) -> queue::Users {
    queue::Users {
        enqueuers,
        dequeuers,
        data,
    }
}

fn po_fifo(of: [usize; 3], ids: usize, predicts: Predicts) -> PoFifoProphecyRefinement {
    let po_fifo = PoFifo {
        users: users(of),
        ids,
        receives: Receives::Minimal,
    };
    PoFifoProphecyRefinement::new(po_fifo, predicts)
}

fn herlihy_wing(of: [usize; 3], operations: usize, search: Search) -> HerlihyWing {
    HerlihyWing {
        users: users(of),
        operations,
        search,
    }
}

fn ring(of: [usize; 3], slots: usize) -> RingClaimsRefinement {
    RingClaimsRefinement::new(RingClaims {
        users: users(of),
        slots,
        waits: Waits::ForItsTurn,
    })
}

fn snapshot_users([readers, writers]: [usize; 2]) -> snapshot::Users {
    snapshot::Users {
        readers,
        writers,
        values: 2,
    }
}

fn afek(of: [usize; 2], writes: usize) -> AfekRefinement {
    AfekRefinement::new(AfekSimplified {
        users: snapshot_users(of),
        writes,
        compares: Compares::ValuesAndNumbers,
    })
}

fn new_linear(of: [usize; 2], memories: usize, predicts: Predicts) -> NewLinearSnapshotRefinement {
    let users = snapshot_users(of);
    NewLinearSnapshotRefinement::new(NewLinearSnapshot { users, memories }, predicts)
}

/// [`locks_auxiliary_vars/Peterson.cfg`, `LockHS.cfg`] With several abstract steps there are as many states as without the stutters, two
/// for each of the 6 states in which a process may take the lock.
#[test]
fn the_locks_have_the_counts_of_tlc() {
    let peterson = PetersonRefinement::new(Writes::FlagFirst);
    let stuttering = LockStutteringRefinement::new(Stutters::WhereFree, Turn::Remembered);
    let in_steps = LockInStepsRefinement::new(Turn::Remembered);
    for (checker, expected) in [
        (peterson.checker(), (42, 77, 11)),
        (stuttering.checker(), (28, 41, 10)),
        (in_steps.checker(), (28 - 2 * 6, 41 - 2 * 6, 7)),
    ] {
        assert_eq!(counts(&*checker, Evidence::Exhaustive), expected);
    }
}

/// The numbers of states that the catalogue has are those of the choices of which a state is made.
#[test]
fn states_are_as_many_as_their_choices() {
    let states = |checker: &dyn Checkable| counts(checker, Evidence::Exhaustive).0;
    // One of three integers is sent, or will be.
    let sent = SendIntRefinement::new(SendInt1 { integers: 3 }, NextInteger::Any);
    assert_eq!(states(&*sent.checker()), 3 + 3);
    // Nothing or one of three is sent, and each is chosen in one of two ways or not at all.
    let set = SendSetRefinement::new(3, SetEnds::SendOrUndo);
    assert_eq!(states(&*set.checker()), 4 * 27);
    // Nothing or one of two is sent, and up to three are chosen, each in one of two ways.
    let sequences = 1 + 4 + 16 + 64;
    let sequence = SendSeqRefinement::new(2, 3, SetEnds::SendOrUndo);
    assert_eq!(states(&*sequence.checker()), 3 * sequences);
}

/// Instances that the catalogue does not have.
#[test]
fn other_instances_hold() {
    let upwards = |of, operations| {
        HerlihyWingRefinement::new(herlihy_wing(of, operations, Search::SwapUpwards))
    };
    for checker in [
        po_fifo([1, 1, 1], 1, Predicts::Everything).into_checker(),
        // Nothing can be added that is not there.
        po_fifo([1, 1, 1], 1, Predicts::ThePresent).into_checker(),
        po_fifo([2, 2, 1], 2, Predicts::Everything).into_checker(),
        upwards([1, 2, 2], 3).into_checker(),
        ring([2, 1, 2], 1).into_checker(),
        ring([1, 2, 2], 2).into_checker(),
        ring([2, 2, 1], 1).into_checker(),
    ] {
        counts(&*checker, Evidence::Exhaustive);
    }
    for checker in [
        afek([1, 1], 2).into_checker(),
        afek([2, 1], 1).into_checker(),
        new_linear([1, 1], 3, Predicts::Everything).into_checker(),
        new_linear([2, 1], 2, Predicts::Everything).into_checker(),
    ] {
        counts(&*checker, Evidence::Bounded);
    }
}

/// A stuttering variable that begins too early.
#[test]
fn stutters_begin_where_the_lock_is_free() {
    let where_asked = LockStutteringRefinement::new(Stutters::WhereAsked, Turn::Remembered);
    assert_eq!(violated(&*where_asked.checker()), ["auxiliary:enabled"]);
}

/// A prediction of less than can happen violates nothing but its side condition.
#[test]
fn predictions_are_of_everything() {
    let present = Predicts::ThePresent;
    let two = herlihy_wing([2, 1, 2], 3, Search::SwapUpwards);
    let integers = |next| SendIntRefinement::new(SendInt1 { integers: 3 }, next);
    assert_eq!(
        violated(&*integers(NextInteger::FirstZero).checker()),
        ["auxiliary:initial"]
    );
    for checker in [
        po_fifo([2, 1, 2], 1, present).into_checker(),
        po_fifo([2, 2, 1], 2, present).into_checker(),
        po_fifo([2, 2, 2], 1, present).into_checker(),
        HerlihyWingProphecyRefinement::new(two, present).into_checker(),
        integers(NextInteger::Zero).into_checker(),
        SendSetRefinement::new(3, SetEnds::SendAlone).into_checker(),
        SendSeqRefinement::new(2, 3, SetEnds::SendAlone).into_checker(),
        new_linear([1, 1], 3, present).into_checker(),
        new_linear([2, 1], 2, present).into_checker(),
        new_linear([1, 2], 3, present).into_checker(),
    ] {
        assert_eq!(violated(&*checker), ["auxiliary:backward-total"]);
    }
}

/// No prophecy helps a dequeuer that finds the newest datum, or leaves what it finds.
#[test]
fn the_array_is_searched_upwards_and_emptied() {
    for search in [Search::SwapDownwards, Search::ReadUpwards] {
        let wrong = herlihy_wing([2, 1, 2], 3, search);
        let wrong = HerlihyWingProphecyRefinement::new(wrong, Predicts::Everything);
        assert_eq!(violated(&*wrong.checker()), ["simulation"]);
    }
}
