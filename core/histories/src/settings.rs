//! Settings of a validation.

use refmap::explore::{Limits, Watch};

/// Settings of a validation.
#[derive(Clone)]
pub struct Settings<'a> {
    /// Greatest size of the frontier. If more configurations are needed, the verdict is `incomplete`.
    pub configurations: usize,
    /// Greatest number of delayed events of a thread that are not in effect; unlimited by default. A processor's
    /// store buffer has some dozens of entries; a bound below the processor's rejects histories that it can
    /// produce. Without a bound, the stores of a thread that never drains are all held in memory.
    pub buffer: Option<u32>,
    /// Number of events before the refusal that the explanation covers: between this many and twice as many are
    /// kept.
    pub context: u64,
    /// Limits; only those on time and memory apply.
    pub limits: Limits,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            configurations: 1 << 20,
            buffer: None,
            context: 128,
            limits: Limits::default(),
            watch: Watch::default(),
        }
    }
}
