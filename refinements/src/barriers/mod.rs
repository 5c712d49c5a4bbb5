//! Barriers let threads go from round to round together, for any number of threads.

mod sense_reversing;

pub use sense_reversing::SenseReversingRefinement;
