//! Progress of the mutators and of the collector: what happens in the end, and which threads have to go on for it.
//!
//! Source: Herlihy & Shavit, *On the Nature of Progress*, which tells progress conditions apart by whose operations are
//! completed and by what the scheduler has to do.
//!
//! | | some mutator completes operations | the mutator completes its operations |
//! |---|---|---|
//! | the mutator goes on, whatever others do | lock-free | wait-free |
//! | all threads go on | | starvation-free |
//!
//! A mutator is starved if it goes on and from some time on completes no operation. A protocol is *wait-free* for a mutator if
//! that never happens, whatever the others do: the collector and the other mutators may stop anywhere, for ever. As an instance
//! has finitely many states, the steps of an operation are bounded then. It is *lock-free* if then at least another mutator
//! completes operations for ever: a mutator waits for none, and may be overtaken for ever. It is *neither* if a mutator may wait
//! for ever for a thread that has stopped: it is blocking, and at best *starvation-free*. The copy is completed if the
//! collector reaches its end; in Chicken and Staccato it may have been discarded then.
//!
//! That a thread goes on is weak fairness of its steps together ([`Machine::fair`](refmap_programs::Machine::fair)); of the
//! others nothing is assumed. Lock-freedom is not asked under a fairness of all mutators together: a step that reads the same
//! again changes nothing, so that the one that waits would make the one go on that has stopped.
//!
//! **The instance.** An operation fails again and again only if others do something without end, so mutators do not end: each
//! repeats its scenario for ever, or, for [`Copied`](Progress::Copied), is idle after it, which means that it passes
//! yieldpoints. An operation includes the yieldpoints before it. A mutator is overtaken for ever only if another writes
//! different values in turn, so a mutator that repeats a single write writes two values in turn, and a claim takes two mutators.
//! They differ in the values that they write alone, which matter only if Clover's α is among them: the first mutator
//! writes 1 and 3 and the second 4 and 5, so at α = 1 it is. So what holds of the first holds of each. After each round a
//! mutator has a full fence, without which its store buffer might grow without end. Loops have no bound, and nothing is output,
//! which would tell states apart without end: what a read returns is no matter here, and that no assertion of a barrier fails
//! is.
//!
//! **Not seen.** A stop is one step of the collector, which it takes when all mutators are at a yieldpoint. So Baker,
//! Replication, Compressor and Pauseless do not count a mutator as waiting while it is stopped. There is one copy, so the
//! collector overtakes an operation at most a few times.

use strum::{Display, IntoStaticStr, VariantArray};

/// Progress that a check asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Progress {
    /// The first mutator completes its operations if it goes on, whatever the others do.
    WaitFree,
    /// Some mutator completes operations if the first goes on, whatever the others do.
    LockFree,
    /// Every mutator completes its operations if all threads go on.
    StarvationFree,
    /// The collector completes the copy if it goes on, whatever the mutators do.
    CopiedAlone,
    /// The collector completes the copy if all threads go on, and mutators are idle after their scenario.
    Copied,
    /// The collector completes the copy if all threads go on, and mutators repeat their scenario for ever.
    CopiedUnderLoad,
    /// The same if all threads go on in strong fairness.
    CopiedUnderLoadStrongly,
}

impl Progress {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether mutators repeat their scenario for ever; else they are idle after it.
    pub const fn repeats(self) -> bool {
        !matches!(self, Self::Copied)
    }
}
