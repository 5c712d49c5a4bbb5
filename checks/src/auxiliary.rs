//! Checks of refinements with several abstract steps, and with history, stuttering and prophecy variables.

use refmap_cli::catalogue::{Check, number};
use refmap_cli::clap::{self, Args};
use refmap_refinements::Checked;
use refmap_refinements::auxiliary::{
    AfekRefinement, ClaimStutters, HerlihyWingProphecyRefinement, HerlihyWingRefinement,
    LockInStepsRefinement, LockStutteringRefinement, NewLinearSnapshotRefinement, NextInteger,
    PetersonRefinement, PoFifoProphecyRefinement, PoFifoRefinement, Predicts, RingClaimsRefinement,
    RingClaimsStutteringRefinement, SendIntRefinement, SendSeqRefinement, SendSetRefinement,
    SetEnds, Stutters, Turn,
};
use refmap_systems::auxiliary::afek_simplified::{AfekSimplified, Compares, MAX_WRITES};
use refmap_systems::auxiliary::herlihy_wing::{HerlihyWing, MAX_OPERATIONS, Search};
use refmap_systems::auxiliary::new_linear_snapshot::{MAX_MEMORIES, NewLinearSnapshot};
use refmap_systems::auxiliary::peterson::Writes;
use refmap_systems::auxiliary::po_fifo::{MAX_IDS, PoFifo, Receives};
use refmap_systems::auxiliary::ring_claims::{MAX_SLOTS, RingClaims, Waits};
use refmap_systems::auxiliary::send_int1::{MAX_INTEGERS, SendInt1};
use refmap_systems::auxiliary::send_seq::MAX_LENGTH;
use refmap_systems::auxiliary::send_set::MAX_DATA;
use refmap_systems::auxiliary::{queue, snapshot};

use super::named::named;

const LOCKS: &str = "TLA+ Examples, locks_auxiliary_vars";
const CONCURRENT_PROGRAMS: &str = "Lamport, A Science of Concurrent Programs";
const LINEARIZABILITY: &str = "Herlihy & Wing, Linearizability";
const AUXILIARY_VARIABLES: &str = "Lamport & Merz, Auxiliary Variables in TLA+";

pub(super) fn checks() -> Vec<Check> {
    [locks(), queues(), senders(), snapshots()]
        .into_iter()
        .flatten()
        .collect()
}

fn locks() -> Vec<Check> {
    vec![
        Check::new(
            "peterson",
            "Peterson's algorithm for two processes: refines a lock",
            LOCKS,
            |arguments: &Processes| Ok(PetersonRefinement::new(arguments.writes).into_checker()),
        ),
        Check::new(
            "lock-in-steps",
            "a lock with a history variable: refines Peterson's algorithm, of which it takes three steps in one",
            LOCKS,
            |arguments: &WithTurn| Ok(LockInStepsRefinement::new(arguments.turn).into_checker()),
        ),
        Check::new(
            "lock-stuttering",
            "a lock with a history and a stuttering variable: refines Peterson's algorithm step by step",
            LOCKS,
            |arguments: &WithStutters| {
                let WithStutters { turn, stutters } = arguments;
                Ok(LockStutteringRefinement::new(*stutters, turn.turn).into_checker())
            },
        ),
    ]
}

fn queues() -> Vec<Check> {
    vec![
        Check::new(
            "po-fifo",
            "a queue whose elements are partially ordered: refines a queue, with one enqueuer or one datum",
            CONCURRENT_PROGRAMS,
            |arguments: &Ordered| Ok(PoFifoRefinement::new(arguments.po_fifo()).into_checker()),
        ),
        Check::new(
            "po-fifo-prophecy",
            "the same queue with a variable that predicts in which order elements are received: refines a queue",
            CONCURRENT_PROGRAMS,
            |arguments: &OrderedPrediction| {
                let po_fifo = arguments.ordered.po_fifo();
                let predicts = arguments.predictions.predicts;
                Ok(PoFifoProphecyRefinement::new(po_fifo, predicts).into_checker())
            },
        ),
        Check::new(
            "herlihy-wing",
            "a queue in an array whose slots are reserved first: refines a queue, with one enqueuer or one datum",
            LINEARIZABILITY,
            |arguments: &Array| {
                Ok(HerlihyWingRefinement::new(arguments.herlihy_wing()).into_checker())
            },
        ),
        Check::new(
            "herlihy-wing-prophecy",
            "the same queue with a variable that predicts in which order slots are emptied: refines a queue",
            LINEARIZABILITY,
            |arguments: &ArrayPrediction| {
                let herlihy_wing = arguments.array.herlihy_wing();
                let predicts = arguments.predictions.predicts;
                Ok(HerlihyWingProphecyRefinement::new(herlihy_wing, predicts).into_checker())
            },
        ),
        Check::new(
            "ring-claims",
            "a bounded ring whose consumers claim slots ahead of producers: refines a bounded queue",
            "this repository",
            |arguments: &Ring| Ok(RingClaimsRefinement::new(arguments.ring()).into_checker()),
        ),
        Check::new(
            "ring-claims-stuttering",
            "the same ring with a stuttering variable: refines a bounded queue step by step",
            "this repository",
            |arguments: &StutteringRing| {
                let StutteringRing { ring, stutters } = arguments;
                Ok(RingClaimsStutteringRefinement::new(ring.ring(), *stutters).into_checker())
            },
        ),
    ]
}

fn senders() -> Vec<Check> {
    vec![
        Check::new(
            "send-int",
            "a sender that chooses a number when it sends it: refines one that has chosen it before",
            AUXILIARY_VARIABLES,
            |arguments: &Integers| {
                let sender = SendInt1 {
                    integers: arguments.integers,
                };
                Ok(SendIntRefinement::new(sender, arguments.next).into_checker())
            },
        ),
        Check::new(
            "send-set",
            "a sender that may give up what it has chosen: refines one that sends all of it, in any order",
            AUXILIARY_VARIABLES,
            |arguments: &Ends| {
                Ok(SendSetRefinement::new(arguments.data, arguments.ends).into_checker())
            },
        ),
        Check::new(
            "send-seq",
            "a sender that may give up what it has chosen: refines one that sends all of it, in its order",
            AUXILIARY_VARIABLES,
            |arguments: &SequenceEnds| {
                let Ends { data, ends } = arguments.ends;
                Ok(SendSeqRefinement::new(data, arguments.length, ends).into_checker())
            },
        ),
    ]
}

fn snapshots() -> Vec<Check> {
    vec![
        Check::new(
            "afek-simplified",
            "readers that read all registers twice: refine reads of any memory that there was",
            AUXILIARY_VARIABLES,
            |arguments: &Registers| {
                Ok(AfekRefinement::new(AfekSimplified {
                    users: arguments.users.users(),
                    writes: arguments.writes,
                    compares: arguments.compares,
                })
                .into_checker())
            },
        ),
        Check::new(
            "new-linear-snapshot",
            "reads of any memory that there was, with a variable that predicts which: refine reads in one step",
            AUXILIARY_VARIABLES,
            |arguments: &Memories| {
                let snapshot = NewLinearSnapshot {
                    users: arguments.users.users(),
                    memories: arguments.memories,
                };
                let predicts = arguments.predictions.predicts;
                Ok(NewLinearSnapshotRefinement::new(snapshot, predicts).into_checker())
            },
        ),
    ]
}

#[derive(Clone, Args)]
struct Processes {
    /// which of its variables a process writes first
    #[arg(long, default_value = "flag-first", value_parser = named::<Writes>())]
    writes: Writes,
}

#[derive(Clone, Args)]
struct WithTurn {
    /// whether the history variable has the value of `turn`
    #[arg(long, default_value = "remembered", value_parser = named::<Turn>())]
    turn: Turn,
}

#[derive(Clone, Args)]
struct WithStutters {
    #[command(flatten)]
    turn: WithTurn,
    /// where the lock stutters, and whether that ends
    #[arg(long, default_value = "where-free", value_parser = named::<Stutters>())]
    stutters: Stutters,
}

#[derive(Clone, Args)]
struct Users {
    /// enqueuers
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=queue::MAX as u64))]
    enqueuers: usize,
    /// dequeuers
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=queue::MAX as u64))]
    dequeuers: usize,
    /// data
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=queue::MAX as u64))]
    data: usize,
}

impl Users {
    fn users(&self) -> queue::Users {
        queue::Users {
            enqueuers: self.enqueuers,
            dequeuers: self.dequeuers,
            data: self.data,
        }
    }
}

#[derive(Clone, Args)]
struct Predictions {
    /// what the prophecy variable predicts
    #[arg(long, default_value = "everything", value_parser = named::<Predicts>())]
    predicts: Predicts,
}

#[derive(Clone, Args)]
struct Ordered {
    #[command(flatten)]
    users: Users,
    /// ids of the elements of a datum
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=MAX_IDS as u64))]
    ids: usize,
    /// the elements that a dequeuer may receive
    #[arg(long, default_value = "minimal", value_parser = named::<Receives>())]
    receives: Receives,
}

impl Ordered {
    fn po_fifo(&self) -> PoFifo {
        PoFifo {
            users: self.users.users(),
            ids: self.ids,
            receives: self.receives,
        }
    }
}

#[derive(Clone, Args)]
struct OrderedPrediction {
    #[command(flatten)]
    ordered: Ordered,
    #[command(flatten)]
    predictions: Predictions,
}

#[derive(Clone, Args)]
struct Array {
    #[command(flatten)]
    users: Users,
    /// operations that are begun in all
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_OPERATIONS as u64))]
    operations: usize,
    /// how a dequeuer searches the array
    #[arg(long, default_value = "swap-upwards", value_parser = named::<Search>())]
    search: Search,
}

impl Array {
    fn herlihy_wing(&self) -> HerlihyWing {
        HerlihyWing {
            users: self.users.users(),
            operations: self.operations,
            search: self.search,
        }
    }
}

#[derive(Clone, Args)]
struct ArrayPrediction {
    #[command(flatten)]
    array: Array,
    #[command(flatten)]
    predictions: Predictions,
}

#[derive(Clone, Args)]
struct Ring {
    #[command(flatten)]
    users: Users,
    /// slots
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=MAX_SLOTS as u64))]
    slots: usize,
    /// what an operation waits for at its slot
    #[arg(long, default_value = "for-its-turn", value_parser = named::<Waits>())]
    waits: Waits,
}

impl Ring {
    fn ring(&self) -> RingClaims {
        RingClaims {
            users: self.users.users(),
            slots: self.slots,
            waits: self.waits,
        }
    }
}

#[derive(Clone, Args)]
struct StutteringRing {
    #[command(flatten)]
    ring: Ring,
    /// the claims before which the ring stutters, and whether that ends
    #[arg(long, default_value = "at-meetings", value_parser = named::<ClaimStutters>())]
    stutters: ClaimStutters,
}

#[derive(Clone, Args)]
struct Integers {
    /// integers
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_INTEGERS as u64))]
    integers: usize,
    /// the integers that are predicted
    #[arg(long, default_value = "any", value_parser = named::<NextInteger>())]
    next: NextInteger,
}

#[derive(Clone, Args)]
struct Ends {
    /// data
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_DATA as u64))]
    data: usize,
    /// the ends that are predicted for what is chosen
    #[arg(long, default_value = "send-or-undo", value_parser = named::<SetEnds>())]
    ends: SetEnds,
}

#[derive(Clone, Args)]
struct SequenceEnds {
    #[command(flatten)]
    ends: Ends,
    /// greatest length of the sequence
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_LENGTH as u64))]
    length: usize,
}

#[derive(Clone, Args)]
struct SnapshotUsers {
    /// readers
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=snapshot::MAX as u64))]
    readers: usize,
    /// writers, each with a register
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=snapshot::MAX as u64))]
    writers: usize,
    /// values of a register
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=snapshot::MAX as u64))]
    values: usize,
}

impl SnapshotUsers {
    fn users(&self) -> snapshot::Users {
        snapshot::Users {
            readers: self.readers,
            writers: self.writers,
            values: self.values,
        }
    }
}

#[derive(Clone, Args)]
struct Registers {
    #[command(flatten)]
    users: SnapshotUsers,
    /// greatest number of writes of a writer
    #[arg(long, default_value_t = 1, value_parser = number::<usize>(1..=MAX_WRITES as u64))]
    writes: usize,
    /// what a reader compares
    #[arg(long, default_value = "values-and-numbers", value_parser = named::<Compares>())]
    compares: Compares,
}

#[derive(Clone, Args)]
struct Memories {
    #[command(flatten)]
    users: SnapshotUsers,
    /// greatest number of memories of a read
    #[arg(long, default_value_t = 3, value_parser = number::<usize>(1..=MAX_MEMORIES as u64))]
    memories: usize,
    #[command(flatten)]
    predictions: Predictions,
}
