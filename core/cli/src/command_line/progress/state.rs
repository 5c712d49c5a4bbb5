//! State of the progress display.

use super::running::Running;
use refmap::explore::Limits;

/// Displayed state.
#[derive(Default)]
pub(super) struct State {
    /// Label of all jobs together.
    pub label: String,
    /// Running jobs that have reported progress, the one that began first in front: it is displayed.
    pub running: Vec<Running>,
    /// Number of completed jobs, and of all jobs; without any, there is one job.
    pub done: (usize, usize),
    pub limits: Limits,
    pub ended: bool,
}
