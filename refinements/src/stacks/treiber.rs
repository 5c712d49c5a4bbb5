//! Treiber's stack refines the one on which each call takes effect in one step: its exchange of the top, or its look at an empty stack.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{CrowdRefinement, Moment};
use refmap_systems::stacks::stack::{self, Call, Stack};
use refmap_systems::stacks::treiber::{Action, Shared, Thread, Treiber};

/// The refinement.
#[derive(Clone, Copy, Debug)]
pub struct TreiberRefinement(pub Treiber);

impl CrowdRefinement for TreiberRefinement {
    type Implementation = Treiber;
    type Specification = Stack;

    fn implementation(&self) -> Treiber {
        self.0
    }

    fn specification(&self) -> Stack {
        Stack {
            nodes: self.0.nodes,
        }
    }

    fn map(&self, shared: &Shared) -> stack::Shared {
        stack::Shared {
            stack: shared.stack(),
        }
    }

    fn map_member(&self, _: &Shared, thread: &Thread) -> Call {
        match *thread {
            Thread::Idle => Call::Idle,
            Thread::Push(node)
            | Thread::PushRead { node, .. }
            | Thread::PushLinked { node, .. } => Call::Push(node),
            Thread::Pushed => Call::Pushed,
            Thread::Pop | Thread::PopRead(_) | Thread::PopLinked { .. } => Call::Pop,
            Thread::Popped(node) => Call::Popped(node),
            Thread::Has(node) => Call::Has(node),
        }
    }

    fn abstract_steps(
        &self,
        _: Moment<'_, Treiber>,
        action: &Action,
        to: Moment<'_, Treiber>,
    ) -> AbstractSteps<stack::Action> {
        match *action {
            Action::InvokePush(node) => One(stack::Action::InvokePush(node)),
            Action::PushSwap => One(stack::Action::Push),
            Action::ReturnPush => One(stack::Action::ReturnPush),
            Action::InvokePop => One(stack::Action::InvokePop),
            Action::PopRead if to.me == Some(&Thread::Popped(None)) => One(stack::Action::Pop),
            Action::PopSwap => One(stack::Action::Pop),
            Action::ReturnPop => One(stack::Action::ReturnPop),
            Action::Drop => One(stack::Action::Drop),
            Action::PushRead
            | Action::PushLink
            | Action::PushFail
            | Action::PopRead
            | Action::PopLink
            | Action::PopFail => Stutter,
        }
    }
}
