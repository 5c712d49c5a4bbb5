//! Stacks refine the one on which each call takes effect in one step.

mod treiber;

pub use treiber::TreiberRefinement;
