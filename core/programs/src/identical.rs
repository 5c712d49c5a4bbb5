//! Programs of any number of threads that have the same code, as a crowd.
//!
//! Threads share memory. Of each other they know nothing, unless a location holds the number of a thread, and then they are not alike.

use std::sync::Arc;

use refmap::crowd::{Crowd, CrowdParts, Members};

use super::behaviour::{Behaviours, ProgramRefinement};
use super::expression::Value;
use super::model::MemoryModel;
use super::program::{MOST_THREADS, Program};
use super::state::{State, ThreadState};

impl Members for State {
    type Shared = Box<[Value]>;
    type Member = ThreadState;

    fn apart(&self) -> CrowdParts<Box<[Value]>, ThreadState> {
        CrowdParts {
            shared: self.memory.clone(),
            members: self
                .threads
                .iter()
                .map(|thread| ThreadState::clone(thread))
                .collect(),
        }
    }

    fn assembled(memory: &Box<[Value]>, threads: &[ThreadState]) -> Self {
        Self {
            memory: memory.clone(),
            threads: threads.iter().cloned().map(Arc::new).collect(),
        }
    }
}

/// A program of any number of identical threads under a memory model, which is to output only what another one outputs under SC.
///
/// A lock that a thread takes, or finds taken; of whatever number of threads, no assertion fails:
///
/// ```
/// use refmap::{Settings, Verdict, check_any_number};
/// use refmap_programs::{Fence, IdenticalThreads, MemoryModel, Program, ProgramBuilder};
///
/// fn lock(threads: usize) -> Program {
///     let mut program = ProgramBuilder::new("lock");
///     let (lock, inside) = (program.location("lock", 0), program.location("inside", 0));
///     for thread in 0..threads {
///         program.thread(format!("thread {thread}"), |t| {
///             let (taken, found) = (t.register("taken"), t.register("found"));
///             t.cas(taken, lock, 0, 1);
///             t.when(taken, |t| {
///                 t.load(found, inside);
///                 t.assert(found.equals(0));
///                 t.store(inside, 1);
///                 t.store(inside, 0);
///                 t.fence(Fence::Release);
///                 t.store(lock, 0);
///             });
///         });
///     }
///     program.build().expect("the program is well formed")
/// }
///
/// fn nothing(threads: usize) -> Program {
///     let mut program = ProgramBuilder::new("nothing");
///     for thread in 0..threads {
///         program.thread(format!("thread {thread}"), |_| ());
///     }
///     program.build().expect("the program is well formed")
/// }
///
/// let threads = IdenticalThreads {
///     program: lock,
///     specification: nothing,
///     model: MemoryModel::PsoFull,
/// };
/// let report = check_any_number(&threads, &Settings::default())?;
/// assert_eq!(report.verdict, Some(Verdict::Holds));
/// # Ok::<(), refmap::obligation::CheckError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IdenticalThreads<P, S> {
    /// The program of so many threads, without loops that have a bound.
    pub program: P,
    /// The program that says what they may output.
    pub specification: S,
    /// The memory model.
    pub model: MemoryModel,
}

/// States of a specification, at most.
const MOST_STATES: u64 = 1_000_000;

impl<P, S> Crowd for IdenticalThreads<P, S>
where
    P: Fn(usize) -> Program + Sync,
    S: Fn(usize) -> Program + Sync,
{
    type Instance = ProgramRefinement;

    fn members(&self) -> &str {
        "threads"
    }

    /// # Panics
    ///
    /// If the specification of so many threads has more than a million states.
    fn instance(&self, threads: usize) -> ProgramRefinement {
        let specification = (self.specification)(threads);
        let specification = Behaviours::of(specification, MemoryModel::Sc, MOST_STATES);
        let specification = specification.expect("the specification is small");
        let program = (self.program)(threads);
        ProgramRefinement::new(program, self.model, specification).of_identical_threads()
    }

    fn most(&self) -> usize {
        MOST_THREADS
    }
}
