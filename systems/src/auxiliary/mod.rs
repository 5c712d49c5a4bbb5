//! Specifications between which there is no refinement mapping until a variable is added, and some with a mapping beside them.
//!
//! | implementation | specification | missing |
//! |---|---|---|
//! | [`peterson`] | [`lock`] | nothing |
//! | [`lock`] | [`peterson`] | a history variable, and a stuttering variable or several abstract steps |
//! | [`ring_claims`] | [`fifo`] | nothing, with several abstract steps |
//! | [`po_fifo`], [`herlihy_wing`] | [`fifo`] | a prophecy variable, where two enqueuers add different data |
//! | [`send_int1`] | [`send_int2`] | a prophecy variable |
//! | [`send_set`] with undo, [`send_seq`] with undo | the same without undo | a prophecy variable |
//! | [`afek_simplified`] | [`new_linear_snapshot`] | a history variable |
//! | [`new_linear_snapshot`] | [`linear_snapshot`] | a prophecy variable, and a stuttering variable or several abstract steps |
//!
//! Processes, data and ids are numbered from 0. Rules have the names of their sources.

pub mod afek_simplified;
pub mod fifo;
pub mod herlihy_wing;
pub mod linear_snapshot;
pub mod lock;
pub mod new_linear_snapshot;
pub mod peterson;
pub mod po_fifo;
pub mod queue;
pub mod ring_claims;
pub mod send_int1;
pub mod send_int2;
pub mod send_seq;
pub mod send_set;
pub mod snapshot;
