//! Sequential objects: transition systems whose actions are operations.

use refmap::{Action, ActionOf, StateOf, TransitionSystem, offer};
use serde::de::DeserializeOwned;

use super::answer::AnswerTo;
use super::operation::{Called, Operation};

/// Transition system whose actions are operations: a sequential object.
///
/// A call that is not possible in a state, as a lock that is held, has no answer there. An operation determines its target.
pub trait Sequential:
    TransitionSystem<Action = Operation<<Self as Sequential>::Call, <Self as Sequential>::Answer>>
{
    /// Call, with its arguments. Its rules are those of the system.
    type Call: Action + DeserializeOwned;
    /// Answer to a call.
    type Answer: AnswerTo<Self::Call>;

    /// Visits the answers that a call may have in a state: those with which [`successor`](TransitionSystem::successor) takes it.
    fn answers(
        &self,
        from: &StateOf<Self>,
        call: &Self::Call,
        visit: &mut impl FnMut(Self::Answer),
    );

    /// True if a call leaves every state as it is.
    fn only_looks(&self, _call: &Self::Call) -> bool {
        false
    }

    /// True if two calls commute wherever both are possible, with any answers, and answers of neither depend on the other:
    /// neither makes the other possible or impossible, and both orders lead to the same state.
    fn commute(&self, _one: &Self::Call, _other: &Self::Call) -> bool {
        false
    }

    /// True if an operation may tell of states that they are [hopeless](Self::is_hopeless): a read, say, which confirms the order of
    /// the writes before it.
    fn confirms(&self, _operation: &Called<Self::Call, Self::Answer>) -> bool {
        false
    }

    /// True if `other` may matter to whether a state is hopeless for an operation.
    fn matters(
        &self,
        _operation: &Called<Self::Call, Self::Answer>,
        _other: &Called<Self::Call, Self::Answer>,
    ) -> bool {
        true
    }

    /// True if a state is hopeless for an operation, which has to take place: if no sequence of others leads to a state in which it
    /// is possible. Of these, `before` visits those that [matter](Self::matters). Each may take place once or not at all, in any
    /// order; the operation itself may be among them. An answer that is missing may be any.
    fn is_hopeless<'e>(
        &self,
        _from: &StateOf<Self>,
        _operation: &Called<Self::Call, Self::Answer>,
        _before: impl Iterator<Item = &'e Called<Self::Call, Self::Answer>> + Clone,
    ) -> bool {
        false
    }

    /// Name of the part of the object that a call concerns, such as a key, if each call concerns one, and no part depends on another.
    fn part(&self, _call: &Self::Call) -> Option<String> {
        None
    }

    /// Reason why a call is not possible in a state. Asked only if it is not.
    fn obstacle(&self, _from: &StateOf<Self>, _call: &Self::Call) -> Option<String> {
        None
    }
}

/// Sequential object of which a call has at most one answer in a state, stated as a program: all that this module has.
pub(super) trait Deterministic: Sequential {
    /// Visits the calls with arguments of the domain, each once.
    fn calls(&self, visit: &mut impl FnMut(Self::Call));

    /// Executes a call; `None` if it is not possible, and then `state` is as it was.
    fn execute(&self, state: &mut StateOf<Self>, call: &Self::Call) -> Option<Self::Answer>;
}

/// Steps of a deterministic object: [`TransitionSystem::next`].
pub(super) fn next<D: Deterministic>(
    object: &D,
    from: &StateOf<D>,
    visit: &mut impl FnMut(ActionOf<D>, StateOf<D>),
) {
    object.calls(&mut |call| {
        let mut to = from.clone();
        if let Some(answer) = object.execute(&mut to, &call) {
            offer(visit, Operation { call, answer }, || Some(to));
        }
    });
}

/// Target of an operation of a deterministic object: [`TransitionSystem::successor`].
pub(super) fn successor<D: Deterministic>(
    object: &D,
    from: &StateOf<D>,
    operation: &ActionOf<D>,
) -> Option<StateOf<D>> {
    let mut to = from.clone();
    let answer = object.execute(&mut to, &operation.call)?;
    (answer == operation.answer).then_some(to)
}

/// The only answer of a deterministic object, if the call is possible: [`Sequential::answers`].
pub(super) fn answers<D: Deterministic>(
    object: &D,
    from: &StateOf<D>,
    call: &D::Call,
    visit: &mut impl FnMut(D::Answer),
) {
    let mut state = from.clone();
    object.execute(&mut state, call).into_iter().for_each(visit);
}

/// Steps and observations of a deterministic object, in its `TransitionSystem`: it is seen whole.
macro_rules! executed_steps {
    () => {
        fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, Self::State)) {
            $crate::specifications::sequential::next(self, from, visit);
        }

        fn observe(&self, state: &Self::State) -> Self::Observation {
            Self::State::clone(state)
        }

        fn successor(&self, from: &Self::State, operation: &Self::Action) -> Option<Self::State> {
            $crate::specifications::sequential::successor(self, from, operation)
        }
    };
}

/// Answers of a deterministic object, in its `Sequential`.
macro_rules! executed_answers {
    () => {
        fn answers(
            &self,
            from: &refmap::StateOf<Self>,
            call: &Self::Call,
            visit: &mut impl FnMut(Self::Answer),
        ) {
            $crate::specifications::sequential::answers(self, from, call, visit);
        }
    };
}

pub(super) use {executed_answers, executed_steps};
