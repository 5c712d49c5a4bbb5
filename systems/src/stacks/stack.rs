//! A stack on which each call takes effect in one step, between its invocation and its return.
//!
//! Source: Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, ACM TOPLAS 12, 1990: the condition, for a stack.

use refmap::TransitionSystem;
use serde::Serialize;

use super::{MAX_NODES, MAX_THREADS};

/// The stack, with its callers.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of threads.
    pub threads: usize,
}

/// Call of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// None.
    Idle,
    /// A push of this node that has not taken effect.
    Push(#[state(range = 0..MAX_NODES)] usize),
    /// A push that has.
    Pushed,
    /// A pop that has not taken effect.
    Pop,
    /// A pop that has, with the node that it takes, or none.
    Popped(#[state(range = 0..MAX_NODES)] Option<usize>),
    /// None; the thread has the node that its last one has returned.
    Has(#[state(range = 0..MAX_NODES)] usize),
}

/// Call as its caller knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// None.
    Idle,
    /// A push that has not returned.
    Pushing,
    /// A pop that has not returned.
    Popping,
    /// None; the thread has this node.
    Has(usize),
}

/// The stack and the calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The nodes on the stack, the top first.
    #[state(max_len = MAX_NODES, range = 0..MAX_NODES)]
    pub stack: Vec<usize>,
    /// The call of each thread.
    #[state(each = "thread", symmetric, max_len = MAX_THREADS)]
    pub calls: Vec<Call>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Stack)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It calls push with a node that nobody has and that is not on the stack.
    #[rule(source = "Herlihy & Wing, invocation")]
    InvokePush {
        /// The thread.
        #[process]
        thread: usize,
        /// The node.
        #[action(range = 0..system.nodes)]
        node: usize,
    },
    /// Its push takes effect.
    #[rule(source = "Herlihy & Wing, linearization")]
    Push(#[process] usize),
    /// Its push returns.
    #[rule(source = "Herlihy & Wing, response")]
    ReturnPush(#[process] usize),
    /// It calls pop.
    #[rule(source = "Herlihy & Wing, invocation")]
    InvokePop(#[process] usize),
    /// Its pop takes effect.
    #[rule(source = "Herlihy & Wing, linearization")]
    Pop(#[process] usize),
    /// Its pop returns.
    #[rule(source = "Herlihy & Wing, response")]
    ReturnPop(#[process] usize),
    /// It lets go of the node that it has.
    #[rule(source = "Herlihy & Wing, between calls")]
    Drop(#[process] usize),
}

impl Call {
    /// The node that the thread has for itself.
    pub fn node(self) -> Option<usize> {
        match self {
            Self::Push(node) | Self::Has(node) => Some(node),
            Self::Popped(node) => node,
            Self::Idle | Self::Pushed | Self::Pop => None,
        }
    }

    /// The call as its caller knows it.
    pub fn shown(self) -> Shown {
        match self {
            Self::Idle => Shown::Idle,
            Self::Push(_) | Self::Pushed => Shown::Pushing,
            Self::Pop | Self::Popped(_) => Shown::Popping,
            Self::Has(node) => Shown::Has(node),
        }
    }
}

impl State {
    fn go(&mut self, thread: usize, from: Call, to: Call) -> Option<()> {
        let call = &mut self.calls[thread];
        (*call == from).then(|| *call = to)
    }

    /// True if nobody has a node, and it is not on the stack.
    fn is_free(&self, node: usize) -> bool {
        let mut held = self.calls.iter().filter_map(|call| call.node());
        !self.stack.contains(&node) && held.all(|other| other != node)
    }
}

impl TransitionSystem for Stack {
    type State = State;
    type Action = Action;
    type Observation = Vec<Shown>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            stack: Vec::new(),
            calls: vec![Call::Idle; self.threads],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::InvokePush { thread, node } => {
                let is_idle = state.calls[thread] == Call::Idle;
                (is_idle && state.is_free(node)).then_some(())?;
                state.calls[thread] = Call::Push(node);
            }
            Action::Push(thread) => {
                let Call::Push(node) = state.calls[thread] else {
                    return None;
                };
                state.calls[thread] = Call::Pushed;
                state.stack.insert(0, node);
            }
            Action::ReturnPush(thread) => state.go(thread, Call::Pushed, Call::Idle)?,
            Action::InvokePop(thread) => state.go(thread, Call::Idle, Call::Pop)?,
            Action::Pop(thread) => {
                let top = state.stack.first().copied();
                state.go(thread, Call::Pop, Call::Popped(top))?;
                state.stack.drain(..1.min(state.stack.len()));
            }
            Action::ReturnPop(thread) => {
                let Call::Popped(node) = state.calls[thread] else {
                    return None;
                };
                state.calls[thread] = node.map_or(Call::Idle, Call::Has);
            }
            Action::Drop(thread) => {
                let Call::Has(_) = state.calls[thread] else {
                    return None;
                };
                state.calls[thread] = Call::Idle;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Vec<Shown> {
        state.calls.iter().map(|call| call.shown()).collect()
    }
}
