//! Settings of a validation.

use refmap::explore::{Limits, Watch};
use refmap::internal::explore::Clock;
use refmap::report::history::Criterion;

/// Settings of a validation.
#[derive(Clone)]
pub struct Settings<'a> {
    /// Orders of the events that count.
    pub criterion: Criterion,
    /// Greatest size of the frontier. If more configurations are needed, the verdict is `incomplete`.
    pub configurations: usize,
    /// Number of configurations of one event at which one order of the rest of the history is looked for, depth first, before
    /// more are kept. At fewer, or at so many, it is asked which are hopeless ([`Observed::is_hopeless`](crate::Observed::is_hopeless)).
    /// It changes the effort, and what is undecided within the limits, but no verdict.
    pub crowd: usize,
    /// Greatest number of delayed events of a thread that are not in effect; unlimited by default. A processor's
    /// store buffer has some dozens of entries; a bound below the processor's rejects histories that it can
    /// produce. Without a bound, the stores of a thread that never drains are all held in memory.
    pub buffer: Option<u32>,
    /// Number of events before the refusal that the explanation covers: between this many and twice as many are
    /// kept. Not so many events are read ahead to ask which configurations are hopeless.
    pub context: u64,
    /// Limits; only those on time and memory apply. By default memory is limited to four fifths of what the machine has, or
    /// what the process may have ([`Limits::memory_by_default`]).
    pub limits: Limits,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
}

impl<'a> Settings<'a> {
    /// Clock of a validation that begins now.
    pub fn clock(&self) -> Clock<'a> {
        Clock::new(self.limits, self.watch)
    }
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            criterion: Criterion::default(),
            configurations: 1 << 20,
            crowd: 1 << 10,
            buffer: None,
            context: 128,
            limits: Limits {
                memory_bytes: Limits::memory_by_default(),
                ..Limits::default()
            },
            watch: Watch::default(),
        }
    }
}
