//! The server and its clients refine the scheduling allocator.
//!
//! Source: Merz, *TLA+ Case Study: A Resource Allocator* (LORIA, 2004), module `AllocatorImplementation`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement};
use refmap_systems::published::allocator_implementation::{Action, AllocatorImplementation, State};
use refmap_systems::published::scheduling_allocator::{self, Grants, SchedulingAllocator};

use super::scheduling_allocator::are_disjoint;

/// The refinement for an instance.
pub struct AllocatorImplementationRefinement {
    implementation: AllocatorImplementation,
    specification: SchedulingAllocator,
}

impl AllocatorImplementationRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: AllocatorImplementation) -> Self {
        let specification = SchedulingAllocator {
            grants: Grants::InOrder,
            ..implementation.server
        };
        Self {
            implementation,
            specification,
        }
    }
}

/// No two clients have received a resource in common.
fn resource_mutex() -> Invariant<AllocatorImplementation> {
    Invariant::new(
        "resource_mutex",
        "AllocatorImplementation, ResourceMutex",
        |state: &State| are_disjoint(&state.holding),
    )
}

impl Refinement for AllocatorImplementationRefinement {
    between!(AllocatorImplementation, SchedulingAllocator);

    /// The variables of the server; those of the clients and the messages are hidden.
    fn map(&self, state: &State) -> scheduling_allocator::State {
        state.server.clone()
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<scheduling_allocator::Action> {
        use scheduling_allocator::Action as Scheduling;
        match action {
            Action::Request(..) => Stutter,
            Action::RReq(client, set) => One(Scheduling::Request(*client, *set)),
            Action::Allocate(client, set) => One(Scheduling::Allocate(*client, *set)),
            Action::RAlloc(..) | Action::ReturnAll(_) | Action::Return(..) => Stutter,
            Action::RRet(client, set) => {
                One(Scheduling::returns(&from.server.claims, *client, *set))
            }
            Action::Schedule(order) => One(Scheduling::Schedule(order.clone())),
        }
    }

    fn invariants(&self) -> Vec<Invariant<AllocatorImplementation>> {
        vec![resource_mutex()]
    }
}
