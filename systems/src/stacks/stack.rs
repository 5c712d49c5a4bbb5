//! A stack on which each call takes effect in one step, between its invocation and its return.
//!
//! Source: Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, ACM TOPLAS 12, 1990: the condition, for a stack.

use refmap::{Drawing, TransitionSystem, offer};
use serde::Serialize;

use super::{MAX_NODES, MAX_THREADS, drawing};

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
    #[state(symmetric, max_len = MAX_THREADS)]
    pub calls: Vec<Call>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It calls push with a node that nobody has and that is not on the stack.
    #[rule(source = "Herlihy & Wing, invocation")]
    InvokePush {
        /// The thread.
        #[process]
        thread: usize,
        /// The node.
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
    fn with(&self, thread: usize, call: Call) -> Self {
        let mut to = self.clone();
        to.calls[thread] = call;
        to
    }

    /// True if nobody has a node, and it is not on the stack.
    fn is_free(&self, node: usize) -> bool {
        let mut held = self.calls.iter().filter_map(|call| call.node());
        !self.stack.contains(&node) && held.all(|other| other != node)
    }

    fn step(&self, action: Action) -> Option<Self> {
        match action {
            Action::InvokePush { thread, node } => {
                let may = self.calls[thread] == Call::Idle && self.is_free(node);
                may.then(|| self.with(thread, Call::Push(node)))
            }
            Action::Push(thread) => {
                let Call::Push(node) = self.calls[thread] else {
                    return None;
                };
                let mut to = self.with(thread, Call::Pushed);
                to.stack.insert(0, node);
                Some(to)
            }
            Action::ReturnPush(thread) => {
                (self.calls[thread] == Call::Pushed).then(|| self.with(thread, Call::Idle))
            }
            Action::InvokePop(thread) => {
                (self.calls[thread] == Call::Idle).then(|| self.with(thread, Call::Pop))
            }
            Action::Pop(thread) => (self.calls[thread] == Call::Pop).then(|| {
                let top = self.stack.first().copied();
                let mut to = self.with(thread, Call::Popped(top));
                to.stack = self.stack.iter().skip(1).copied().collect();
                to
            }),
            Action::ReturnPop(thread) => match self.calls[thread] {
                Call::Popped(Some(node)) => Some(self.with(thread, Call::Has(node))),
                Call::Popped(None) => Some(self.with(thread, Call::Idle)),
                _ => None,
            },
            Action::Drop(thread) => {
                matches!(self.calls[thread], Call::Has(_)).then(|| self.with(thread, Call::Idle))
            }
        }
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for thread in 0..self.threads {
            for node in 0..self.nodes {
                let invoke = Action::InvokePush { thread, node };
                offer(visit, invoke, || from.step(invoke));
            }
            let steps = [
                Action::Push(thread),
                Action::ReturnPush(thread),
                Action::InvokePop(thread),
                Action::Pop(thread),
                Action::ReturnPop(thread),
                Action::Drop(thread),
            ];
            for action in steps {
                offer(visit, action, || from.step(action));
            }
        }
    }

    fn observe(&self, state: &State) -> Vec<Shown> {
        state.calls.iter().map(|call| call.shown()).collect()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(&state.stack, &state.calls))
    }
}
