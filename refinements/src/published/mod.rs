//! Refinements between published specifications and their implementations.

mod allocator_implementation;
mod alternating_bit;
mod scheduling_allocator;
mod termination_detection;
mod token_messages;
mod voting;
mod write_through_cache;

pub use allocator_implementation::AllocatorImplementationRefinement;
pub use alternating_bit::AlternatingBitRefinement;
pub use scheduling_allocator::SchedulingAllocatorRefinement;
pub use termination_detection::Ewd840Refinement;
pub use token_messages::Ewd998PCalRefinement;
pub use voting::VotingRefinement;
pub use write_through_cache::WriteThroughCacheRefinement;
