//! Published specifications of which TLC has counted the states, each with the specification that it implements.
//!
//! The published counts are those of the models of the [TLA+ Examples](https://github.com/tlaplus/Examples): distinct
//! states, states generated, and depth. TLC generates the initial states and one state a transition, and its depth
//! counts the states of a behaviour, which is one more than its steps. An action has an argument for each witness by
//! which TLC generates a state of its own. Rules have the names of their sources.

pub mod allocator_implementation;
pub mod alternating_bit;
pub mod alternating_bit_correctness;
pub mod conditions;
pub mod consensus;
pub mod ewd840;
pub mod ewd998;
pub mod ewd998_pcal;
pub mod internal_memory;
pub mod scheduling_allocator;
pub mod simple_allocator;
pub mod termination_detection;
pub mod voting;
pub mod write_through_cache;
