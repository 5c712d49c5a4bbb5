//! Interface of a place in a refinement that is stepped through, without the types of its states and actions.

use crate::report::{Counterexample, Step};

/// The most initial states, and the most steps of a state, that are offered.
pub const MOST_OFFERED: usize = 1000;

/// A refinement that can be stepped through from the beginning.
pub trait Begin: Sync {
    /// Before an initial state is chosen.
    fn begin(&self) -> Box<dyn Standing + '_>;
}

/// Position to which choices have led, and what can be taken from there, by numbers. What asks the model may panic as it
/// does, but for [`step`](Self::step).
pub trait Standing {
    /// Finds out what can be taken, at most [`MOST_OFFERED`], and says whether that is all.
    fn look(&mut self) -> bool;
    /// The constraint that the state does not satisfy, if there is one: nothing is taken from there.
    fn cut(&self) -> Option<String>;
    /// Number of initial states or steps that were found.
    fn offered(&self) -> usize;
    /// One of what was found: an initial state or a step.
    fn step(&self, number: usize) -> Step;
    /// True if it is this step.
    fn is(&self, number: usize, step: &Step) -> bool;
    /// Takes it. What can be taken from there is to be found out next.
    fn take(&mut self, number: usize);
    /// Tests the obligations at it.
    fn test(&mut self, number: usize);
    /// Names of the obligations that failed in the test.
    fn failures(&self) -> Vec<String>;
    /// Explanation of the failure at this place of [`failures`](Self::failures), if one behaviour shows it.
    fn explain(&self, number: usize, failure: usize) -> Option<Counterexample>;
}
