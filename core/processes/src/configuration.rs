//! Configuration of a composition: the state in which its processes run.

use super::flow::Location;

/// Locations of `N` processes.
pub type At<const N: usize> = [Location; N];

/// State that holds the locations of processes.
pub trait Configuration: Clone {
    /// Location of a process; processes are numbered from 0 in the order in which they were placed.
    fn location(&self, process: usize) -> Location;
    /// Moves a process to a location.
    fn go_to(&mut self, process: usize, location: Location);
}
