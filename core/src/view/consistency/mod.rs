//! Whether a model is consistent with itself: its functions are functions of what they are given, and the methods that a system
//! overrides agree with those from which they are derived.
//!
//! A search asks each question once, so a model that would answer otherwise the next time is believed. About a sample of the
//! states, spread over the whole run, everything is asked again and compared.

mod difference;
mod inconsistency;
pub(crate) mod sample;
mod system;

pub(crate) use difference::{asked_twice, difference, difference_shown, of_the, same, told_apart};
pub(crate) use inconsistency::Inconsistency;
pub(crate) use system::{SystemAgain, SystemName};
