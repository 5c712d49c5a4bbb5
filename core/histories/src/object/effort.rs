//! Effort that a test takes.

use std::time::Duration;

/// Effort that a test takes: numbers of runs, and their sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Seed of all choices. The schedules of real threads depend on more than that.
    pub seed: u64,
    /// Number of runs of one thread.
    pub alone: u32,
    /// Number of calls in a run of one thread.
    pub calls_alone: u32,
    /// Number of runs of real threads, each on an object of its own.
    pub runs: u32,
    /// Number of calls of each real thread in a run.
    pub calls: u32,
    /// Number of small programs that are run under schedules, of an object that [has them](super::Object::has_schedules).
    pub programs: u32,
    /// Number of schedules of each program.
    pub schedules: u32,
    /// Number of random tiny programs of which every execution is tried, of the same objects, after all of two and three calls.
    pub tiny_programs: u32,
    /// Number of executions of a tiny program at which it is given up, or a quarter of them of one of all those of three calls. These and those of
    /// two have as many together as the random ones.
    pub executions: u32,
    /// Time after which a real thread has hung that has not returned from a call. After four times as long the validation of a run is given up. It
    /// changes no verdict to `holds` or `violated`: what has hung, or is not decided, is `incomplete`.
    pub patience: Duration,
}

impl Default for Effort {
    /// Some two seconds. What is not optimised takes some ten times as long for a call, and gets a part of the runs.
    fn default() -> Self {
        let is_optimised = !cfg!(debug_assertions);
        Self {
            seed: 1,
            alone: 50,
            calls_alone: 200,
            runs: if is_optimised { 100 } else { 20 },
            calls: 5_000,
            programs: 500,
            schedules: 30,
            tiny_programs: 4,
            executions: 5_000,
            patience: Duration::from_secs(10),
        }
    }
}
