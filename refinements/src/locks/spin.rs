//! A lock of one flag under memory models.

use refmap_programs::{Behaviours, IdenticalThreads, MemoryModel, ProgramRefinement};
use refmap_systems::locks::spin::{SpinFence, ends, spin};

/// States of the specification, at most.
const MOST_STATES: u64 = 1_000_000;

/// The lock of any number of threads under a memory model.
#[derive(Clone, Copy, Debug)]
pub struct AnySpinLock {
    /// The memory model.
    pub model: MemoryModel,
    /// The fences of a thread.
    pub fences: SpinFence,
}

impl AnySpinLock {
    /// The lock of so many threads, as a program.
    ///
    /// # Panics
    ///
    /// If there are more threads than a program may have.
    pub fn program(self, threads: usize) -> ProgramRefinement {
        let specification = Behaviours::of(ends(threads), MemoryModel::Sc, MOST_STATES);
        let specification = specification.expect("threads that end have few states");
        let program = spin(threads, self.fences);
        ProgramRefinement::new(program, self.model, specification).of_identical_threads()
    }

    /// The lock of any number of threads.
    pub fn threads(self) -> IdenticalThreads {
        let threads = IdenticalThreads::new(spin(1, self.fences), self.model, ends(1));
        threads.expect("the programs are of one thread, and without loops")
    }
}
