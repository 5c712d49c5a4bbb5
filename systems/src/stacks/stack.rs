//! A stack on which each call takes effect in one step, between its invocation and its return.
//!
//! Source: Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, ACM TOPLAS 12, 1990: the condition, for a stack.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

use super::MAX_NODES;

/// The stack.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Number of nodes.
    pub nodes: usize,
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

/// The nodes on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Shared {
    /// The top first.
    #[state(max_len = MAX_NODES, range = 0..MAX_NODES)]
    pub stack: Vec<usize>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Stack)]
#[rule(process = "thread")]
pub enum Action {
    /// It calls push with a node that nobody has and that is not on the stack.
    #[rule(source = "Herlihy & Wing, invocation")]
    InvokePush(#[action(range = 0..system.nodes)] usize),
    /// Its push takes effect.
    #[rule(source = "Herlihy & Wing, linearization")]
    Push,
    #[rule(source = "Herlihy & Wing, response")]
    ReturnPush,
    /// It calls pop.
    #[rule(source = "Herlihy & Wing, invocation")]
    InvokePop,
    /// Its pop takes effect.
    #[rule(source = "Herlihy & Wing, linearization")]
    Pop,
    #[rule(source = "Herlihy & Wing, response")]
    ReturnPop,
    /// It lets go of the node that it has.
    #[rule(source = "Herlihy & Wing, between calls")]
    Drop,
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

impl Crowd for Stack {
    type Shared = Shared;
    type Member = Call;
    type Action = Action;
    type Observation = Shown;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Call])) {
        visit(Shared { stack: Vec::new() }, &[Call::Idle]);
    }

    fn fire(
        &self,
        action: &Action,
        Shared { stack }: &mut Shared,
        me: &mut Call,
        others: &mut Others<'_, Call>,
    ) -> Option<()> {
        *me = match (*action, *me) {
            (Action::InvokePush(node), Call::Idle) => {
                guard("the node is not on the stack", !stack.contains(&node))?;
                others.none_with(node, |call, node| call.node() == Some(*node))?;
                Call::Push(node)
            }
            (Action::Push, Call::Push(node)) => {
                stack.insert(0, node);
                Call::Pushed
            }
            (Action::ReturnPush, Call::Pushed) => Call::Idle,
            (Action::InvokePop, Call::Idle) => Call::Pop,
            (Action::Pop, Call::Pop) => {
                let top = stack.first().copied();
                stack.drain(..1.min(stack.len()));
                Call::Popped(top)
            }
            (Action::ReturnPop, Call::Popped(node)) => node.map_or(Call::Idle, Call::Has),
            (Action::Drop, Call::Has(_)) => Call::Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe_member(&self, _: &Shared, call: &Call) -> Option<Shown> {
        Some(call.shown())
    }
}
