//! A lock of one flag under memory models.

use refmap::crowd::Crowd;
use refmap_programs::{IdenticalThreads, MemoryModel, Program, ProgramRefinement};
use refmap_systems::locks::MAX_THREADS;
use refmap_systems::locks::spin::{SpinFence, ends, spin};

/// The lock of any number of threads under a memory model.
#[derive(Clone, Copy, Debug)]
pub struct AnySpinLock {
    /// The memory model.
    pub model: MemoryModel,
    /// The fences of a thread.
    pub fences: SpinFence,
}

impl AnySpinLock {
    fn threads(self) -> IdenticalThreads<impl Fn(usize) -> Program, impl Fn(usize) -> Program> {
        IdenticalThreads {
            program: move |threads| spin(threads, self.fences),
            specification: ends,
            model: self.model,
        }
    }
}

impl Crowd for AnySpinLock {
    type Instance = ProgramRefinement;

    fn members(&self) -> &str {
        "threads"
    }

    fn instance(&self, threads: usize) -> ProgramRefinement {
        self.threads().instance(threads)
    }

    fn most(&self) -> usize {
        MAX_THREADS
    }
}
