//! The scheduling allocator refines the simple one.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `AllocatorRefinement`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{IndexSet, Invariant, Refinement};
use refmap_systems::published::scheduling_allocator::{Action, SchedulingAllocator, State};
use refmap_systems::published::simple_allocator::{self, SimpleAllocator};

/// The refinement for an instance.
pub struct SchedulingAllocatorRefinement {
    implementation: SchedulingAllocator,
    specification: SimpleAllocator,
}

impl SchedulingAllocatorRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: SchedulingAllocator) -> Self {
        let specification = SimpleAllocator {
            clients: implementation.clients,
            resources: implementation.resources,
        };
        Self {
            implementation,
            specification,
        }
    }
}

/// Whether no two of the sets have an element in common.
pub(super) fn are_disjoint(sets: &[IndexSet]) -> bool {
    let mut all = IndexSet::EMPTY;
    sets.iter().all(|set| {
        let disjoint = all.intersection(*set).is_empty();
        all = all.union(*set);
        disjoint
    })
}

/// No two clients have a resource in common.
fn resource_mutex() -> Invariant<SchedulingAllocator> {
    Invariant::new(
        "resource_mutex",
        "SchedulingAllocator, ResourceMutex",
        |state: &State| are_disjoint(&state.claims.alloc),
    )
}

impl Refinement for SchedulingAllocatorRefinement {
    between!(SchedulingAllocator, SimpleAllocator);

    /// The schedule is hidden.
    fn map(&self, state: &State) -> simple_allocator::State {
        state.claims.clone()
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<simple_allocator::Action> {
        use simple_allocator::Action as Simple;
        match *action {
            Action::Request(client, set) => One(Simple::Request(client, set)),
            Action::Allocate(client, set) => One(Simple::Allocate(client, set)),
            Action::ReturnAll(client) => One(Simple::ReturnAll(client)),
            Action::Return(client, set) => One(Simple::returns(&from.claims, client, set)),
            Action::Schedule(_) => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<SchedulingAllocator>> {
        vec![resource_mutex()]
    }
}
