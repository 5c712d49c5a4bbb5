//! A lock of one flag, as a program that memory models reorder: a thread that finds the flag down sets it by a CAS, and a store takes it down.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.1. The fences are
//! those of Ugawa, Abe & Maeda, *Model Checking Copy Phases of Concurrent Copying Garbage Collection with Various Memory Models*, section 3.1.
//!
//! Deviations. D1: a thread that finds the flag up goes away, and none comes twice. Of any number of threads, others come in its place.

use refmap_programs::{Fence, Program, ProgramBuilder};

/// The fence of a thread before the store. Behind the CAS none is needed: whether it succeeded is decided before anything is fetched that depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum SpinFence {
    None,
    /// A release fence: what is protected is written before.
    Release,
}

/// The program of so many threads. Each asserts that none is between it and what is protected.
///
/// # Panics
///
/// If there are more threads than a program may have.
// ANCHOR: spin
pub fn spin(threads: usize, fences: SpinFence) -> Program {
    let mut program = ProgramBuilder::new("spin lock");
    let lock = program.location("lock", 0);
    let inside = program.location("inside", 0);
    for thread in 0..threads {
        program.thread(format!("thread {thread}"), |t| {
            let (taken, found) = (t.register("taken"), t.register("found"));
            t.cas(taken, lock, 0, 1);
            t.when(taken, |t| {
                t.load(found, inside);
                t.assert(found.equals(0));
                t.store(inside, 1);
                t.store(inside, 0);
                if fences == SpinFence::Release {
                    t.fence(Fence::Release);
                }
                t.store(lock, 0);
            });
        });
    }
    program.build().expect("there are not too many threads")
}
// ANCHOR_END: spin

/// The specification: threads that end, and fail no assertion.
///
/// # Panics
///
/// If there are more threads than a program may have.
pub fn ends(threads: usize) -> Program {
    let mut program = ProgramBuilder::new("each thread ends");
    for thread in 0..threads {
        program.thread(format!("thread {thread}"), |_| ());
    }
    program.build().expect("there are not too many threads")
}
