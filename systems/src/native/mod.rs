//! Collectors on real threads, and how they are driven.
//!
//! [`on_the_fly`] is the collector for x86-TSO of Gammie, Hosking & Engelhardt, *Relaxing Safely* (PLDI
//! 2015; called [Gammie et al.] elsewhere), of which [`tso`](crate::tso) is the model. Figures and
//! sections are that paper's. It is safe Rust. A reference carries the generation of its slot, so that
//! a stale reference is detected at its use.
//!
//! # Deviations
//!
//! - D1: an allocation is several steps, from a pool of the mutator's own (the extension of section 4).
//!   No other thread reads the object in between.
//! - D2: the request of a handshake and its answer are in the same memory as everything else; in the
//!   paper they belong to the thread system. See the module of handshakes for what follows.
//! - D3: mutators join and leave, which section 4 leaves open. A joining mutator has no roots, or is forked from a
//!   mutator and owes the same answers; a leaving one hands over its worklist.
//! - D4: worklists are linked lists through the objects, as in Schism; in the model they are sets. So a race
//!   to mark that two threads win frees a reachable object, where in the model it only violates an invariant.
//! - D5: the sense is loaded before the mark, as Fig. 5 prints it; in the proof development, and in the
//!   model except in its variant [`SenseFirst`](crate::tso::LoadOrder), it is loaded after it. That order may need
//!   one handshake fewer: see `skip-idle-noop` below.
//!
//! # What is recorded
//!
//! Every thread records its accesses to shared data ([`Event`](on_the_fly::Event)), each with the
//! interval in which it was made (except two of handshakes: T9 of [`model`]): a mutator's operations, the
//! load of its deletion barrier, the three loads and the CAS of marking, both sides of a handshake with their
//! fences, what the collector stores in `fM`, `fA` and the phase, traces, scans and frees. That is every
//! access that determines the location of its thread in Figs. 2, 5 and 6. Not recorded are loads that only test whether a
//! reference is stale, the phase that a store loads to count those made while collecting, the header and the
//! `fM` with which the collector asserts that a traced object is grey, the `fM` that it has stored itself,
//! polls that find no request, objects that the sweep does not free, and operations of pools. In the format of
//! [`refmap_histories`]:
//!
//! ```text
//! {"history":"refmap","version":1,"parameters":{"threads":1,"mutators":2,"objects":4,"fields":2,…}}
//! {"thread":0,"place":0,"begin":4150,"end":4400,"event":{"join":{"owes":null}}}
//! {"thread":0,"place":1,"begin":4490,"end":4620,"event":{"alloc":{"reference":{"slot":0,"generation":0},"mark":false}}}
//! {"thread":2,"place":0,"begin":90210,"end":90330,"event":"fence"}
//! {"thread":2,"place":1,"begin":90370,"end":90450,"event":{"ask":{"stage":"idle"}}}
//! ```
//!
//! `mutators` is the maximum at a time. Such a history is validated against
//! [`specification`], "collect only garbage", and against [`model`], the x86-TSO model itself: the first
//! for heaps of any size, of what was freed; the second for tiny ones, of every access.
//!
//! # Memory ordering
//!
//! The proof of the paper is about x86-TSO. The memory model of Rust is weaker: stores to different places are
//! ordered only by release and acquire. So the claim has two parts. On x86-64
//! the accesses compile to plain loads and stores, except the CAS of marking, the fences of handshakes
//! and the locks of pool and registry. Control variables, headers and fields are loaded with acquire and
//! stored with release, and so are a handshake's request and answer: that prevents the compiler from any reordering
//! of these that the processor would not do itself, so the compiled program is one that the paper covers. Relaxed are
//! the stores of requests that follow a fence or publish nothing, the links of worklists, which an answer hands over,
//! and loads of variables that only the loading thread writes. On other processors, correctness relies on the ordering
//! stated at each access; that this suffices is not proved, and tested only by Loom on tiny heaps.
//!
//! Shuttle runs one thread at a time, sequentially consistent. Loom lets loads return older values where
//! no order prevents it, and models fences; of a store that is delayed after a later load of its own
//! thread it shows only what a stale load elsewhere can show, and it treats `SeqCst` accesses as acquire
//! and release. Neither has store buffers: the processor has them, and the model in [`tso`](crate::tso).
//!
//! # Which faults are detected where
//!
//! For ten seeds each, with two mutators, 16 objects of two fields and two processors: the time
//! until a random program failed (median, and maximum), and the number of operations of the shrunk program
//! (minimum and maximum). One program for each is in [`caught`]. Tests
//! run these on real threads, except the three that fail rarely there; under Shuttle, those three too; and
//! the faults detected in Loom there, with a single operation. No test measures the times.
//!
//! | fault | caught | by | seconds | operations |
//! |---|---|---|---|---|
//! | `no-deletion-barrier` | on real threads | a stale reference | 0.10, 0.32 | 6 – 7 |
//! | `no-insertion-barrier` | on real threads | a stale reference | 0.05, 0.16 | 4 – 5 |
//! | `mark-without-cas` | on real threads | worklists that share a tail: a stale reference, or more objects traced than exist | 0.08, 0.22 | 4 – 11 |
//! | `skip-idle-noop` | nowhere | no failure was found, see below | – | – |
//! | `skip-idle-flip-noop` | on real threads | an object on a worklist that is not marked, or twice | 2.6, 4.4 | 4 – 11 |
//! | `skip-init-noop` | on real threads | a stale reference | 0.85, 5.8 | 8 |
//! | `skip-mark-noop` | in Loom | an object allocated after root marking is freed | – | 1 |
//! | `no-handshake-fence` | in Loom | an object allocated after root marking is freed | – | 1 |
//! | `roots-not-marked` | on real threads | a stale reference | < 0.01, < 0.01 | 0 |
//! | `no-get-work` | on real threads | worklists left over from a cycle, or a stale reference | 0.08, 0.22 | 5 – 10 |
//! | `allocate-wrong-sense` | on real threads | a stale reference | < 0.01, 0.03 | 2 – 6 |
//! | `early-sweep` | on real threads | a stale reference | < 0.01, < 0.01 | 3 – 4 |
//! | `worklist-not-handed-over` | on real threads | a stale reference | < 0.01, < 0.01 | 3 – 4 |
//! | `generation-not-bumped` | on real threads | a reference that is allocated twice | 0.04, 0.13 | 4 – 5 |
//!
//! A program may have no operations: all threads hold an object, and the collector frees it.
//! `mark-without-cas` and `skip-idle-flip-noop` are races of a few instructions; programs that show them
//! fail in about one run of ten, and delay threads at the critical place.
//!
//! **`no-handshake-fence`, `skip-mark-noop`.** The model shows both unsafe, because there a request
//! overtakes the stores before it. Here the request is itself a store, and x86-64 makes stores visible in
//! program order: a thread that reads the request reads `fA`. So the faults are harmless there. Loom's memory has no
//! such order, and shows both. The mark handshake is needed for its fence alone: get-roots has none.
//!
//! **`skip-idle-noop`.** The handshake separates the barriers of one cycle from the next cycle. A
//! barrier that loads `fM` before the flip finds the object marked in the old sense, and ends:
//! no object is marked in the new sense before every mutator has answered the next handshake. One that
//! loads it after the flip loads the phase after that, and reads `Idle`, which was stored before the
//! flip, or a value stored after the next handshake, when the barrier has ended. Either way it marks
//! nothing. This is an argument, not a proof. No counterexample was found: not in the model at one
//! mutator and two references, in either load order; not by Shuttle, not in stress
//! runs. That is weak evidence: at one mutator and two references the model holds without the handshake after
//! `Init` as well, which is needed.
//!
//! **`skip-init-noop`.** Without it the barriers of a store may find the phase `Idle`, and the store takes
//! place while marking has begun elsewhere. One mutator is about to store a reference to a white object in
//! a field that is null; its barriers have marked nothing. The collector proceeds to the mark handshake,
//! and another mutator, which has answered that, is about to store null in the same field: its deletion
//! barrier finds null. Now the first makes its store, discards the object, answers get-roots and loads
//! the object again. The second makes its store, and answers get-roots. No thread has marked the object,
//! its only root belongs to a mutator that has already answered, and it is freed. This needs no store
//! buffers: Shuttle shows it too. With the handshake the first store takes place before the mark handshake is
//! requested. The model shows it at two mutators and two references. Two threads must be
//! delayed at the critical places at once: its program in [`caught`] failed in 3 runs of a
//! hundred on real threads, and shrunk random programs in 0 to 6 of 50.

mod primitives;

pub mod ben_ari;
pub mod caught;
pub mod free_list;
pub mod model;
pub mod on_the_fly;
pub mod specification;

mod generate;
mod play;
mod program;
mod recording;
#[cfg(test)]
mod schedules;
mod shorten;
mod stress;

pub use generate::programs;
pub use play::{DelayingWitness, Outcome, play};
pub use program::{Operation, Program, ProgramError, Step};
pub use recording::{Recorded, most_mutators, overhead};
pub use stress::{Failure, History, Stress, Stressed};
