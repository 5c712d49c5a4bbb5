//! Walks over the states of a model: exhaustive ones, random ones, and what is asked of the graph that they leave.

pub mod bits;
pub mod explore;
pub mod input;
pub mod liveness;
pub(crate) mod parallel;
mod primitives;
pub mod random;
pub mod steps;
pub(crate) mod work_ranges;
