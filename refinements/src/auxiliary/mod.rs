//! Refinements between specifications of which many lack a variable for a mapping: with several abstract steps, and with history,
//! stuttering and prophecy variables.
//!
//! A variable is wrong in one value of an enum of its own; then the side condition of that kind of variable fails by its name, or
//! the simulation where a history forgets.

mod afek_simplified;
mod herlihy_wing;
mod herlihy_wing_prophecy;
mod lock_in_steps;
mod lock_stuttering;
mod new_linear_snapshot;
mod peterson;
mod po_fifo;
mod po_fifo_prophecy;
mod predicted;
mod ring_claims;
mod ring_claims_stuttering;
mod send_int;
mod send_seq;
mod send_set;
mod several;

pub use afek_simplified::{AfekRefinement, SeenSoFar};
pub use herlihy_wing::HerlihyWingRefinement;
pub use herlihy_wing_prophecy::{HerlihyWingProphecyRefinement, SlotOrder, SlotQueue};
pub use lock_in_steps::{LockInStepsRefinement, Turn, TurnHistory};
pub use lock_stuttering::{LockStutteringRefinement, StutteringTurn, Stutters};
pub use new_linear_snapshot::{NewLinearSnapshotRefinement, ReadPlace};
pub use peterson::PetersonRefinement;
pub use po_fifo::PoFifoRefinement;
pub use po_fifo_prophecy::{ElementOrder, ElementQueue, PoFifoProphecyRefinement};
pub use predicted::Predicts;
pub use ring_claims::RingClaimsRefinement;
pub use ring_claims_stuttering::{ClaimStutters, RingClaimsStutteringRefinement};
pub use send_int::{NextInteger, SendIntRefinement};
pub use send_seq::{SendSeqRefinement, SequenceEnds};
pub use send_set::{End, SendSetRefinement, SetEnds};
