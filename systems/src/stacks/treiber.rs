//! Treiber's stack: nodes linked by references, of which the top is exchanged if it is still the one that was read.
//!
//! Source: Treiber, *Systems Programming: Coping with Parallelism*, IBM Research Report RJ 5118, 1986, the push and the pop of a linked list.
//!
//! Deviations. D1: nodes have no contents but themselves. D2: memory is bounded, and a node is used again.

use refmap::drawing::Row;
use refmap::{Drawing, TransitionSystem, draw_by_rows};
use serde::Serialize;

use super::stack::Shown;
use super::{MAX_NODES, MAX_THREADS};

/// The stack, with its callers.
#[derive(Clone, Copy, Debug)]
pub struct Treiber {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of threads.
    pub threads: usize,
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
        /// The top.
        #[state(range = 0..MAX_NODES)]
        top: Option<usize>,
    },
    /// The node refers to the top that it has read.
    PushLinked {
        /// The node that it is to push.
        #[state(range = 0..MAX_NODES)]
        node: usize,
        /// The top.
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
        /// The top.
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

/// The nodes and the threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The top of the stack.
    #[state(range = 0..MAX_NODES)]
    pub top: Option<usize>,
    /// Reference of each node.
    #[state(max_len = MAX_NODES, range = 0..MAX_NODES)]
    pub next: Vec<Option<usize>>,
    /// Each thread.
    #[state(each = "thread", symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<Thread>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Treiber)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It calls push with a node that may be used.
    #[rule(source = "Treiber, push, call")]
    InvokePush {
        /// The thread.
        #[process]
        thread: usize,
        /// The node.
        #[action(range = 0..system.nodes)]
        node: usize,
    },
    /// Of a push it reads the top.
    #[rule(source = "Treiber, push, load")]
    PushRead(#[process] usize),
    /// It has its node refer to the top that it has read.
    #[rule(source = "Treiber, push, store")]
    PushLink(#[process] usize),
    /// The top is still the one that it has read: it is its node from now on.
    #[rule(source = "Treiber, push, compare and swap")]
    PushSwap(#[process] usize),
    /// The top is another one.
    #[rule(source = "Treiber, push, compare and swap")]
    PushFail(#[process] usize),
    /// Its push returns.
    #[rule(source = "Treiber, push, return")]
    ReturnPush(#[process] usize),
    /// It calls pop.
    #[rule(source = "Treiber, pop, call")]
    InvokePop(#[process] usize),
    /// Of a pop it reads the top.
    #[rule(source = "Treiber, pop, load")]
    PopRead(#[process] usize),
    /// It reads to what the top refers.
    #[rule(source = "Treiber, pop, load of the reference")]
    PopLink(#[process] usize),
    /// The top is still the one that it has read: it is what that one referred to from now on.
    #[rule(source = "Treiber, pop, compare and swap")]
    PopSwap(#[process] usize),
    /// The top is another one.
    #[rule(source = "Treiber, pop, compare and swap")]
    PopFail(#[process] usize),
    /// Its pop returns.
    #[rule(source = "Treiber, pop, return")]
    ReturnPop(#[process] usize),
    /// It lets go of the node that it has.
    #[rule(source = "Treiber, between calls")]
    Drop(#[process] usize),
}

impl Action {
    /// The thread that takes the step.
    pub fn thread(self) -> usize {
        match self {
            Self::InvokePush { thread, .. }
            | Self::PushRead(thread)
            | Self::PushLink(thread)
            | Self::PushSwap(thread)
            | Self::PushFail(thread)
            | Self::ReturnPush(thread)
            | Self::InvokePop(thread)
            | Self::PopRead(thread)
            | Self::PopLink(thread)
            | Self::PopSwap(thread)
            | Self::PopFail(thread)
            | Self::ReturnPop(thread)
            | Self::Drop(thread) => thread,
        }
    }
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

    /// True if it has a reference to a node.
    fn refers_to(self, node: usize) -> bool {
        let read = match self {
            Self::PushRead { top, .. } | Self::PushLinked { top, .. } => [top, None],
            Self::PopRead(top) => [Some(top), None],
            Self::PopLinked { top, next } => [Some(top), next],
            _ => [None, None],
        };
        self.own() == Some(node) || read.contains(&Some(node))
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

impl State {
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
        (self.top == read).then(|| self.top = top)
    }

    fn may_use(&self, node: usize, reuses: Reuses) -> bool {
        let is_held = |thread: &Thread| match reuses {
            Reuses::Unreferenced => thread.refers_to(node),
            Reuses::Freed => thread.own() == Some(node),
        };
        !self.stack().contains(&node) && !self.threads.iter().any(is_held)
    }
}

impl TransitionSystem for Treiber {
    type State = State;
    type Action = Action;
    type Observation = Vec<Shown>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            top: None,
            next: vec![None; self.nodes],
            threads: vec![Thread::Idle; self.threads],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        use Thread::{
            Has, Idle, Pop, PopLinked, PopRead, Popped, Push, PushLinked, PushRead, Pushed,
        };
        let thread = action.thread();
        let top = state.top;
        state.threads[thread] = match (*action, state.threads[thread]) {
            (Action::InvokePush { node, .. }, Idle) => {
                state.may_use(node, self.reuses).then_some(Push(node))?
            }
            (Action::PushRead(_), Push(node)) => PushRead { node, top },
            (Action::PushLink(_), PushRead { node, top }) => {
                state.next[node] = top;
                PushLinked { node, top }
            }
            (Action::PushSwap(_), PushLinked { node, top }) => {
                state.swap(top, Some(node))?;
                Pushed
            }
            (Action::PushFail(_), PushLinked { node, top: read }) => {
                (top != read).then_some(Push(node))?
            }
            (Action::ReturnPush(_), Pushed) => Idle,
            (Action::InvokePop(_), Idle) => Pop,
            (Action::PopRead(_), Pop) => top.map_or(Popped(None), PopRead),
            (Action::PopLink(_), PopRead(top)) => {
                let next = state.next[top];
                PopLinked { top, next }
            }
            (Action::PopSwap(_), PopLinked { top, next }) => {
                state.swap(Some(top), next)?;
                Popped(Some(top))
            }
            (Action::PopFail(_), PopLinked { top: read, .. }) => {
                (top != Some(read)).then_some(Pop)?
            }
            (Action::ReturnPop(_), Popped(node)) => node.map_or(Idle, Has),
            (Action::Drop(_), Has(_)) => Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &State) -> Vec<Shown> {
        state.threads.iter().map(|thread| thread.shown()).collect()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let stack = Row::new().queue("stack", state.stack());
        Some(draw_by_rows(self, state)?.row(stack))
    }
}
