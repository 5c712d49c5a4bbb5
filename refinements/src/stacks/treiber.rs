//! Treiber's stack refines the one on which each call takes effect in one step: its exchange of the top, or its look at an empty stack.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap::crowd::Crowd;
use refmap_systems::stacks::stack::{self, Call, Stack};
use refmap_systems::stacks::treiber::{Action, Reuses, State, Thread, Treiber};

/// The refinement for an instance.
pub struct TreiberRefinement {
    implementation: Treiber,
    specification: Stack,
}

impl TreiberRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: Treiber) -> Self {
        let Treiber { nodes, threads, .. } = implementation;
        Self {
            implementation,
            specification: Stack { nodes, threads },
        }
    }
}

/// The call of a thread.
fn call(thread: Thread) -> Call {
    match thread {
        Thread::Idle => Call::Idle,
        Thread::Push(node) | Thread::PushRead { node, .. } | Thread::PushLinked { node, .. } => {
            Call::Push(node)
        }
        Thread::Pushed => Call::Pushed,
        Thread::Pop | Thread::PopRead(_) | Thread::PopLinked { .. } => Call::Pop,
        Thread::Popped(node) => Call::Popped(node),
        Thread::Has(node) => Call::Has(node),
    }
}

impl Refinement for TreiberRefinement {
    type Implementation = Treiber;
    type Specification = Stack;

    fn implementation(&self) -> &Treiber {
        &self.implementation
    }

    fn specification(&self) -> &Stack {
        &self.specification
    }

    fn map(&self, state: &State) -> stack::State {
        stack::State {
            stack: state.stack(),
            calls: state.threads.iter().map(|thread| call(*thread)).collect(),
        }
    }

    fn abstract_steps(
        &self,
        _: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<stack::Action> {
        match *action {
            Action::InvokePush { thread, node } => One(stack::Action::InvokePush { thread, node }),
            Action::PushSwap(thread) => One(stack::Action::Push(thread)),
            Action::ReturnPush(thread) => One(stack::Action::ReturnPush(thread)),
            Action::InvokePop(thread) => One(stack::Action::InvokePop(thread)),
            Action::PopRead(thread) if to.threads[thread] == Thread::Popped(None) => {
                One(stack::Action::Pop(thread))
            }
            Action::PopSwap(thread) => One(stack::Action::Pop(thread)),
            Action::ReturnPop(thread) => One(stack::Action::ReturnPop(thread)),
            Action::Drop(thread) => One(stack::Action::Drop(thread)),
            Action::PushRead(_)
            | Action::PushLink(_)
            | Action::PushFail(_)
            | Action::PopRead(_)
            | Action::PopLink(_)
            | Action::PopFail(_) => Stutter,
        }
    }
}

/// The stack of any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct AnyTreiber {
    /// Number of nodes.
    pub nodes: usize,
    /// Nodes that may be used again.
    pub reuses: Reuses,
}

impl Crowd for AnyTreiber {
    type Instance = TreiberRefinement;

    fn members(&self) -> &str {
        "threads"
    }

    fn bounds(&self) -> String {
        format!("{} nodes", self.nodes)
    }

    fn instance(&self, threads: usize) -> TreiberRefinement {
        let Self { nodes, reuses } = *self;
        TreiberRefinement::new(Treiber {
            nodes,
            threads,
            reuses,
        })
    }
}
