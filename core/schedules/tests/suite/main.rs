//! The primitives under each scheduler, and what explorations find.

mod primitives;

#[cfg(feature = "loom")]
mod loom;
#[cfg(all(feature = "loom", feature = "shuttle"))]
mod printed;
#[cfg(feature = "shuttle")]
mod shuttle;

#[cfg(any(feature = "loom", feature = "shuttle"))]
mod executions {
    //! Explorations, with all their executions.

    use std::ops::ControlFlow;

    use refmap_schedules::explore::{Ended, Execution, Explored, Order, Traced, explore};
    use refmap_schedules::sync::atomic::{AtomicBool, Ordering};

    /// Steps that no test comes near, but the one that takes too many.
    pub(crate) const MOST_STEPS: usize = 1000;

    /// All executions of `body`, traced.
    pub(crate) fn all(
        order: &Order,
        body: impl Fn() + Send + Sync + 'static,
    ) -> (Vec<Execution>, Explored) {
        let mut all = Vec::new();
        let explored = explore(order, MOST_STEPS, true, body, &mut |execution| {
            all.push(execution);
            ControlFlow::Continue(())
        });
        assert_eq!(explored.executions, all.len());
        (all, explored)
    }

    /// The first execution that ended as `is_meant` says.
    #[cfg(feature = "shuttle")]
    pub(crate) fn first(all: &[Execution], is_meant: impl Fn(&Ended) -> bool) -> &Execution {
        let first = all.iter().find(|execution| is_meant(&execution.ended));
        first.expect("one execution ended so")
    }

    /// The message of an execution that has panicked.
    pub(crate) fn panic(ended: &Ended) -> Option<&str> {
        match ended {
            Ended::Panicked(message) => Some(message),
            _ => None,
        }
    }

    /// Takes the first of eight locks, which it waits for until all are free, and lets go of it.
    pub(crate) fn hold_first(locks: &[AtomicBool; 8]) {
        loop {
            let is_taken = |lock: &&AtomicBool| lock.load(Ordering::Relaxed);
            while locks.iter().filter(is_taken).count() > 0 {}
            let taken =
                locks[0].compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
            if taken.is_ok() {
                return locks[0].store(false, Ordering::Release);
            }
        }
    }

    /// Asserts that an execution has ended by a panic with this message, which is told with its line in `source`.
    #[track_caller]
    pub(crate) fn assert_told_with_its_line(execution: &Execution, message: &str, source: &str) {
        let is_there = |line: &str| line.contains(&format!("panic!(\"{message}\")"));
        let line = 1 + source.lines().position(is_there).expect("it panics");
        let told = panic(&execution.ended).expect("it panics");
        let place = format!(".rs:{line}:");
        assert!(told.starts_with(message) && told.contains(&place), "{told}");
    }

    /// The steps of a trace, with their threads.
    pub(crate) fn steps(trace: &[Traced]) -> Vec<String> {
        let step = |step: &Traced| format!("{}: {}", step.thread, step.text);
        trace.iter().map(step).collect()
    }
}
