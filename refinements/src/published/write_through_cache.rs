//! The write-through cache refines the memory.
//!
//! Source: Lamport, *Specifying Systems*, section 5.8, *Proving Implementation*.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement};
use refmap_systems::published::internal_memory::{self, Control, InternalMemory};
use refmap_systems::published::write_through_cache::{Action, State, WriteThroughCache};

/// The refinement for an instance.
pub struct WriteThroughCacheRefinement {
    implementation: WriteThroughCache,
    specification: InternalMemory,
}

impl WriteThroughCacheRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: WriteThroughCache) -> Self {
        let specification = InternalMemory {
            ..implementation.memory
        };
        Self {
            implementation,
            specification,
        }
    }
}

/// Caches that have a value for one address have the same.
fn coherence() -> Invariant<WriteThroughCache> {
    Invariant::new(
        "coherence",
        "WriteThroughCache, Coherence",
        |state: &State| {
            let addresses = 0..state.wmem.len();
            addresses.into_iter().all(|adr| {
                let cached = state.cache.iter().filter_map(|cache| cache.0[adr]);
                let mut values: Vec<_> = cached.collect();
                values.dedup();
                values.len() <= 1
            })
        },
    )
}

impl Refinement for WriteThroughCacheRefinement {
    between!(WriteThroughCache, InternalMemory);

    /// The memory is as if the queue were empty, and a processor that waits for it is busy.
    fn map(&self, state: &State) -> internal_memory::State {
        let mut interface = state.interface.clone();
        for ctl in &mut interface.ctl {
            if *ctl == Control::Waiting {
                *ctl = Control::Busy;
            }
        }
        let mem = state.vmem();
        internal_memory::State { interface, mem }
    }

    fn abstract_steps(
        &self,
        _: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<internal_memory::Action> {
        use internal_memory::Action as Memory;
        match *action {
            Action::Req(processor, request) => One(Memory::Req(processor, request)),
            Action::Rsp(processor) => One(Memory::Rsp(processor)),
            Action::RdMiss(_) => Stutter,
            Action::DoRd(processor) | Action::DoWr(processor) => One(Memory::Do(processor)),
            Action::Evict(..) => Stutter,
            Action::MemQWrIfNeeded | Action::MemQWr | Action::MemQRd => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<WriteThroughCache>> {
        vec![coherence()]
    }
}
