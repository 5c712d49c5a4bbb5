//! Collectors on real threads.

mod primitives;

pub mod on_the_fly;

mod generate;
mod play;
mod program;
mod shorten;
mod stress;

pub use generate::programs;
pub use play::{Outcome, Paced, play};
pub use program::{Operation, Program, ProgramError, Step};
pub use stress::{Failure, Stress, Stressed};
