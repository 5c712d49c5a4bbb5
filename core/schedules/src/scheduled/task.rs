//! Numbers of the tasks by which Shuttle runs threads.

/// Task number of the guard: the body spawns it before all else.
const GUARD: usize = 1;

/// Number of the thread that a task runs; the guard is none.
pub(crate) fn number(task: impl Into<usize>) -> Option<u32> {
    match task.into() {
        0 => Some(0),
        GUARD => None,
        id => Some(id as u32 - 1),
    }
}

/// Number of the task of a thread.
pub(crate) fn task(thread: u32) -> usize {
    match thread {
        0 => 0,
        _ => thread as usize + 1,
    }
}
