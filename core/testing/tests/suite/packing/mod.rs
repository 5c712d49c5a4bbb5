//! Packing: what is written of a state is read back, what does not fit is told, and packed states decide what whole ones do.

mod attributes;
mod by_hand;
pub mod derived;
mod lost;
mod storage;
