//! Treiber's stack: nodes linked by references, of which the top is exchanged if it is still the one that was read.
//!
//! Source: Treiber, *Systems Programming: Coping with Parallelism*, IBM Research Report RJ 5118, 1986, the push and the pop of a linked list.
//!
//! Deviations. D1: nodes have no contents but themselves. D2: memory is bounded, and a node is used again.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

use super::MAX_NODES;
use super::stack::Shown;

/// The stack.
#[derive(Clone, Copy, Debug)]
pub struct Treiber {
    /// Number of nodes.
    pub nodes: usize,
    /// Nodes that may be used again.
    pub reuses: Reuses,
}

/// Nodes that may be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Reuses {
    /// Those to which no thread has a reference: as a garbage collector finds them.
    Unreferenced,
    /// Those that were let go. Wrong: a thread that has read one takes it for what it was.
    Freed,
}

/// A thread: its call, and what it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    /// It has no call.
    Idle,
    /// It is to push this node, and has read nothing.
    Push(#[state(range = 0..MAX_NODES)] usize),
    /// It has read the top.
    PushRead {
        /// The node that it is to push.
        #[state(range = 0..MAX_NODES)]
        node: usize,
        #[state(range = 0..MAX_NODES)]
        top: Option<usize>,
    },
    /// The node refers to the top that it has read.
    PushLinked {
        /// The node that it is to push.
        #[state(range = 0..MAX_NODES)]
        node: usize,
        #[state(range = 0..MAX_NODES)]
        top: Option<usize>,
    },
    /// It has pushed the node.
    Pushed,
    /// It is to pop, and has read nothing.
    Pop,
    /// It has read the top.
    PopRead(#[state(range = 0..MAX_NODES)] usize),
    /// It has read to what the top refers.
    PopLinked {
        #[state(range = 0..MAX_NODES)]
        top: usize,
        /// Reference of the top.
        #[state(range = 0..MAX_NODES)]
        next: Option<usize>,
    },
    /// It has popped a node, or found none.
    Popped(#[state(range = 0..MAX_NODES)] Option<usize>),
    /// It has no call, and has a node.
    Has(#[state(range = 0..MAX_NODES)] usize),
}

/// The nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Shared {
    /// The top of the stack.
    #[state(range = 0..MAX_NODES)]
    pub top: Option<usize>,
    /// Reference of each node.
    #[state(max_len = MAX_NODES, range = 0..MAX_NODES)]
    pub next: Vec<Option<usize>>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Treiber)]
#[rule(process = "thread")]
pub enum Action {
    /// It calls push with a node that may be used.
    #[rule(source = "Treiber, push, call")]
    InvokePush(#[action(range = 0..system.nodes)] usize),
    /// Of a push it reads the top.
    #[rule(source = "Treiber, push, load")]
    PushRead,
    /// It has its node refer to the top that it has read.
    #[rule(source = "Treiber, push, store")]
    PushLink,
    /// The top is still the one that it has read: it is its node from now on.
    #[rule(source = "Treiber, push, compare and swap")]
    PushSwap,
    /// The top is another one.
    #[rule(source = "Treiber, push, compare and swap")]
    PushFail,
    #[rule(source = "Treiber, push, return")]
    ReturnPush,
    /// It calls pop.
    #[rule(source = "Treiber, pop, call")]
    InvokePop,
    /// Of a pop it reads the top.
    #[rule(source = "Treiber, pop, load")]
    PopRead,
    /// It reads to what the top refers.
    #[rule(source = "Treiber, pop, load of the reference")]
    PopLink,
    /// The top is still the one that it has read: it is what that one referred to from now on.
    #[rule(source = "Treiber, pop, compare and swap")]
    PopSwap,
    /// The top is another one.
    #[rule(source = "Treiber, pop, compare and swap")]
    PopFail,
    #[rule(source = "Treiber, pop, return")]
    ReturnPop,
    /// It lets go of the node that it has.
    #[rule(source = "Treiber, between calls")]
    Drop,
}

impl Thread {
    /// The node that the thread has for itself.
    fn own(self) -> Option<usize> {
        match self {
            Self::Push(node)
            | Self::PushRead { node, .. }
            | Self::PushLinked { node, .. }
            | Self::Has(node) => Some(node),
            Self::Popped(node) => node,
            Self::Idle | Self::Pushed | Self::Pop | Self::PopRead(_) | Self::PopLinked { .. } => {
                None
            }
        }
    }

    /// True if it has a node for itself.
    fn owns(&self, node: &usize) -> bool {
        self.own() == Some(*node)
    }

    /// True if it has a reference to a node.
    fn refers_to(&self, node: &usize) -> bool {
        let read = match *self {
            Self::PushRead { top, .. } | Self::PushLinked { top, .. } => [top, None],
            Self::PopRead(top) => [Some(top), None],
            Self::PopLinked { top, next } => [Some(top), next],
            _ => [None, None],
        };
        self.owns(node) || read.contains(&Some(*node))
    }

    /// The call as its caller knows it.
    fn shown(self) -> Shown {
        match self {
            Self::Idle => Shown::Idle,
            Self::Push(_) | Self::PushRead { .. } | Self::PushLinked { .. } | Self::Pushed => {
                Shown::Pushing
            }
            Self::Pop | Self::PopRead(_) | Self::PopLinked { .. } | Self::Popped(_) => {
                Shown::Popping
            }
            Self::Has(node) => Shown::Has(node),
        }
    }
}

impl Shared {
    /// The nodes on the stack, the top first; of a list that runs into itself each once.
    pub fn stack(&self) -> Vec<usize> {
        let mut stack = Vec::new();
        let mut node = self.top;
        while let Some(one) = node
            && !stack.contains(&one)
        {
            stack.push(one);
            node = self.next[one];
        }
        stack
    }

    /// The top is another one, if it is the one that was read.
    fn swap(&mut self, read: Option<usize>, top: Option<usize>) -> Option<()> {
        guard("the top is the one that was read", self.top == read)?;
        self.top = top;
        Some(())
    }
}

impl Crowd for Treiber {
    type Shared = Shared;
    type Member = Thread;
    type Action = Action;
    type Observation = Shown;

    fn members(&self) -> &str {
        "threads"
    }

    fn bounds(&self) -> String {
        format!("{} nodes", self.nodes)
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Thread])) {
        let nodes = Shared {
            top: None,
            next: vec![None; self.nodes],
        };
        visit(nodes, &[Thread::Idle]);
    }

    fn fire(
        &self,
        action: &Action,
        shared: &mut Shared,
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        use Thread::{
            Has, Idle, Pop, PopLinked, PopRead, Popped, Push, PushLinked, PushRead, Pushed,
        };
        let top = shared.top;
        *me = match (*action, *me) {
            (Action::InvokePush(node), Idle) => {
                guard(
                    "the node is not on the stack",
                    !shared.stack().contains(&node),
                )?;
                match self.reuses {
                    Reuses::Unreferenced => others.none_with(node, Thread::refers_to)?,
                    Reuses::Freed => others.none_with(node, Thread::owns)?,
                }
                Push(node)
            }
            (Action::PushRead, Push(node)) => PushRead { node, top },
            (Action::PushLink, PushRead { node, top }) => {
                shared.next[node] = top;
                PushLinked { node, top }
            }
            (Action::PushSwap, PushLinked { node, top }) => {
                shared.swap(top, Some(node))?;
                Pushed
            }
            (Action::PushFail, PushLinked { node, top: read }) => {
                guard("the top is another one", top != read)?;
                Push(node)
            }
            (Action::ReturnPush, Pushed) => Idle,
            (Action::InvokePop, Idle) => Pop,
            (Action::PopRead, Pop) => top.map_or(Popped(None), PopRead),
            (Action::PopLink, PopRead(top)) => {
                let next = shared.next[top];
                PopLinked { top, next }
            }
            (Action::PopSwap, PopLinked { top, next }) => {
                shared.swap(Some(top), next)?;
                Popped(Some(top))
            }
            (Action::PopFail, PopLinked { top: read, .. }) => {
                guard("the top is another one", top != Some(read))?;
                Pop
            }
            (Action::ReturnPop, Popped(node)) => node.map_or(Idle, Has),
            (Action::Drop, Has(_)) => Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe_member(&self, _: &Shared, thread: &Thread) -> Option<Shown> {
        Some(thread.shown())
    }
}
