//! Collectors on real threads, and how they are driven.
//!
//! [`on_the_fly`] is the collector for x86-TSO of Gammie, Hosking & Engelhardt, *Relaxing Safely* (PLDI
//! 2015; called [Gammie et al.] elsewhere), of which [`tso`](crate::tso) is the model. Figures and
//! sections are that paper's. It is safe Rust. A reference carries the generation of its slot, so that
//! one to something freed is told the moment it is used.
//!
//! # Deviations
//!
//! - D1: an allocation is several steps, from a pool of the mutator's own (the extension of section 4).
//!   Nobody else sees the object in between.
//! - D2: the request of a handshake and its answer are in the same memory as everything else; in the
//!   paper they belong to the thread system. See the module of handshakes for what follows.
//! - D3: mutators come and go, which section 4 leaves open. Who comes holds nothing, or is forked from a
//!   mutator and owes the answers that it owes; who goes hands over its worklist.
//! - D4: worklists are chains through the objects, as in Schism; in the model they are sets. So a race
//!   to mark that two win frees what is reachable, where in the model it only breaks an invariant.
//! - D5: the sense is loaded before the mark, as Fig. 5 prints it; in the proof development, and in the
//!   model but for its variant [`SenseFirst`](crate::tso::LoadOrder), it is loaded after it. That order may do
//!   with a handshake fewer: see `skip-idle-noop` below.
//!
//! # What is recorded
//!
//! Every thread records its accesses of what threads share ([`Event`](on_the_fly::Event)), each with the
//! interval in which it was made (but for two of handshakes: T9 of [`model`]): a mutator's operations, the
//! load of its deletion barrier, the three loads and the CAS of marking, both sides of a handshake with their
//! fences, what the collector stores in `fM`, `fA` and the phase, traces, scans and frees. That is every
//! access that says where its thread is in Figs. 2, 5 and 6. Not recorded are loads that only look whether a
//! reference is stale, the phase that a store loads to count those made while collecting, the header and the
//! `fM` with which the collector makes sure that what it traces is grey, the `fM` that it has stored itself,
//! polls that find nothing, what the sweep finds and does not free, and what pools do. In the format of
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
//! `mutators` are the most there are at a time. What such a history is validated against is
//! [`specification`], "collect only garbage", and [`model`], the x86-TSO model itself: the first takes
//! heaps of any size and looks at what was freed, the second tiny ones, and looks at every access.
//!
//! # What orders memory
//!
//! The proof of the paper is about x86-TSO. What is here is Rust, whose model is weaker: no order among
//! stores to different places but what release and acquire make. So the claim has two parts. On x86-64
//! the accesses compile to plain loads and stores but for the CAS of marking, the fences of handshakes
//! and the locks of pool and registry. Control variables, headers and fields are loaded with acquire and
//! stored with release, and so are a handshake's request and answer by who waits for them and who gives
//! them: that keeps the compiler from any reordering of these that the processor would not do itself, and
//! what runs is a program that the paper speaks of. Relaxed are the stores of requests that are behind a
//! fence or have nothing to show, the chains of worklists, which an answer hands over, and what a thread
//! loads that it alone has written. On other processors, what is relied on is what the comment at each
//! access says; that this suffices is not proved anywhere, and tested by Loom on tiny heaps alone.
//!
//! Shuttle runs one thread at a time, sequentially consistent. Loom gives loads older values where
//! nothing orders them, and follows fences; of a store that is delayed behind a later load of its own
//! thread it shows only what a stale load elsewhere can show, and it takes `SeqCst` accesses for acquire
//! and release. Neither has store buffers: those are the processor's, and the model's in [`tso`](crate::tso).
//!
//! # Where each fault is caught
//!
//! Of ten seeds each, with two mutators, 16 objects of two fields and two processors: how long it took
//! until a random program failed (median, and longest), and how many operations it had when it was made
//! small (least and most). One program for each is in [`caught`]. Tests
//! play these on real threads, but for the three that take luck there; under Shuttle, those three too; and
//! what is caught in Loom they show there, at a single operation. The times are of no test.
//!
//! | fault | caught | by | seconds | operations |
//! |---|---|---|---|---|
//! | `no-deletion-barrier` | on real threads | a stale reference | 0.10, 0.32 | 6 – 7 |
//! | `no-insertion-barrier` | on real threads | a stale reference | 0.05, 0.16 | 4 – 5 |
//! | `mark-without-cas` | on real threads | chains that run into each other: something stale, or more traced than there is | 0.08, 0.22 | 4 – 11 |
//! | `skip-idle-noop` | nowhere | nothing was found, see below | – | – |
//! | `skip-idle-flip-noop` | on real threads | something on a worklist that is not marked, or twice | 2.6, 4.4 | 4 – 11 |
//! | `skip-init-noop` | on real threads | a stale reference | 0.85, 5.8 | 8 |
//! | `skip-mark-noop` | in Loom | what was allocated after the roots is freed | – | 1 |
//! | `no-handshake-fence` | in Loom | what was allocated after the roots is freed | – | 1 |
//! | `roots-not-marked` | on real threads | a stale reference | < 0.01, < 0.01 | 0 |
//! | `no-get-work` | on real threads | worklists left over from a cycle, or a stale reference | 0.08, 0.22 | 5 – 10 |
//! | `allocate-wrong-sense` | on real threads | a stale reference | < 0.01, 0.03 | 2 – 6 |
//! | `early-sweep` | on real threads | a stale reference | < 0.01, < 0.01 | 3 – 4 |
//! | `worklist-not-handed-over` | on real threads | a stale reference | < 0.01, < 0.01 | 3 – 4 |
//! | `generation-not-bumped` | on real threads | a reference that is allocated twice | 0.04, 0.13 | 4 – 5 |
//!
//! A program without operations is one too: all threads hold an object, and the collector frees it.
//! `mark-without-cas` and `skip-idle-flip-noop` are races of a few instructions; programs that show them
//! fail in one play of ten or so, and have threads linger at the place in question.
//!
//! **`no-handshake-fence`, `skip-mark-noop`.** The model shows both unsafe, because there a request
//! overtakes the stores before it. Here the request is itself a store, and x86-64 makes stores visible in
//! their order: who sees the request sees `fA`. So nothing goes wrong there. Loom's memory has no such
//! order, and shows both. The mark handshake is needed for its fence alone: get-roots has none.
//!
//! **`skip-idle-noop`.** The handshake is to keep a barrier from the cycle before out of the next. A
//! barrier that loads `fM` before the flip finds the object marked in the old sense, and is done:
//! nothing is marked in the new sense before every mutator has answered the next handshake. One that
//! loads it after the flip loads the phase after that, and sees `Idle`, which was stored before the
//! flip, or what was stored after the next handshake, when the barrier is over. Either way it marks
//! nothing. This is an argument, not a proof. Nothing was found against it: not in the model at one
//! mutator and two references, whichever is loaded first, the mark or `fM`; not by Shuttle, not in stress
//! runs. That is not much: at one mutator and two references the model holds without the handshake after
//! `Init` as well, and that one is needed.
//!
//! **`skip-init-noop`.** Without it the barriers of a store may find the phase `Idle`, and the store be
//! made while marking has begun elsewhere. One mutator is about to store a reference to a white object in
//! a field that is null; its barriers have marked nothing. The collector goes on to the mark handshake,
//! and another mutator, which has answered that, is about to store null in the same field: its deletion
//! barrier finds null. Now the first makes its store, lets go of the object, answers get-roots and loads
//! the object again. The second makes its store, and answers get-roots. Nothing has marked the object,
//! nothing leads to it but a root whose owner has been asked already, and it is freed. It takes no store
//! buffers: Shuttle shows it too. With the handshake the first store is made before anybody is asked for
//! the mark handshake. The model shows it at two mutators and two references. Two threads have to
//! linger at the right places at once: its program in [`caught`] failed in 3 plays of a
//! hundred on real threads, and those that random ones were made to in none to 6 of 50.

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
mod running;
#[cfg(test)]
mod schedules;
mod shorten;
mod stress;

pub use generate::programs;
pub use play::{Outcome, Paced, play};
pub use program::{Operation, Program, ProgramError, Step};
pub use recording::{Recorded, most_mutators, overhead};
pub use running::{Running, Trigger};
pub use stress::{Failure, History, Stress, Stressed};
