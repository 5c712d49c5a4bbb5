//! Views of sequential objects: objects that are made of another one.
//!
//! Left out: a relaxed order (k-out-of-order), and a length that is approximate.

use std::collections::HashSet;

use refmap::{
    ActionOf, Drawing, ObservationOf, Process, Rule, RuleId, State, StateOf, TransitionSystem,
};
use serde_json::Value;

use super::operation::Operation;
use super::sequential::Sequential;

/// View of an object in which calls may be refused: a call that is possible may, instead of what it does, have the answer that it
/// has if it fails, and leave the state as it is. So a weak compare-and-swap fails spuriously:
///
/// ```
/// use refmap::{TransitionSystem, steps};
/// use refmap_histories::specifications::{Answer, MayRefuse, Operation, Register, register::Call};
///
/// let weak = MayRefuse {
///     object: Register { initial: 1, values: vec![1, 2] },
///     refusal: |call| matches!(call, Call::CompareAndSwap { .. }).then_some(Answer::Is(false)),
/// };
/// weak.initial(&mut |one| {
///     let call = Call::CompareAndSwap { from: 1, to: 2 };
///     let refused = Operation { call, answer: Answer::Is(false) };
///     assert_eq!(weak.object.successor(&one, &refused), None);
///     assert_eq!(weak.successor(&one, &refused), Some(one));
/// });
/// ```
///
/// Of the object it has the rules, their processes, and how states are shown and drawn; it has no fairness.
#[derive(Clone, Copy, Debug)]
pub struct MayRefuse<S: Sequential> {
    /// The object.
    pub object: S,
    /// Answer of a call that is refused, if it may be. Where the object itself has this answer it has to leave its state as it is.
    pub refusal: fn(&S::Call) -> Option<S::Answer>,
}

impl<S: Sequential> MayRefuse<S> {
    /// Checks that an operation which looks like a refusal leaves the state as it is.
    ///
    /// # Panics
    ///
    /// If it does not: then the operation does not determine its target.
    fn check(&self, from: &StateOf<S>, operation: &ActionOf<S>, to: &StateOf<S>) {
        let is_refusal = (self.refusal)(&operation.call).as_ref() == Some(&operation.answer);
        assert!(
            !is_refusal || from == to,
            "{operation:?} is a refusal, and changes the state"
        );
    }

    fn answers_of_object(&self, from: &StateOf<S>, call: &S::Call) -> Vec<S::Answer> {
        let mut answers = Vec::new();
        self.object
            .answers(from, call, &mut |answer| answers.push(answer));
        answers
    }
}

impl<S: Sequential> TransitionSystem for MayRefuse<S>
where
    StateOf<S>: State<Self>,
{
    type State = StateOf<S>;
    type Action = ActionOf<S>;
    type Observation = ObservationOf<S>;

    fn initial(&self, visit: &mut impl FnMut(StateOf<S>)) {
        self.object.initial(visit);
    }

    fn next(&self, from: &StateOf<S>, visit: &mut impl FnMut(ActionOf<S>, StateOf<S>)) {
        let mut refused = HashSet::new();
        self.object.next(from, &mut |operation, to| {
            self.check(from, &operation, &to);
            let call = operation.call.clone();
            visit(operation, to);
            if let Some(answer) = (self.refusal)(&call)
                && !self.answers_of_object(from, &call).contains(&answer)
                && refused.insert(call.clone())
            {
                visit(Operation { call, answer }, from.clone());
            }
        });
    }

    fn observe(&self, state: &StateOf<S>) -> ObservationOf<S> {
        self.object.observe(state)
    }

    fn rules(&self) -> &[Rule] {
        self.object.rules()
    }

    fn rule_of(&self, operation: &ActionOf<S>) -> RuleId {
        self.object.rule_of(operation)
    }

    fn process_of(&self, operation: &ActionOf<S>) -> Process {
        self.object.process_of(operation)
    }

    fn may_stop(&self, state: &StateOf<S>) -> bool {
        self.object.may_stop(state)
    }

    fn show(&self, state: &StateOf<S>) -> Value {
        self.object.show(state)
    }

    fn draw(&self, state: &StateOf<S>) -> Option<Drawing> {
        self.object.draw(state)
    }

    fn successor(&self, from: &StateOf<S>, operation: &ActionOf<S>) -> Option<StateOf<S>> {
        if let Some(to) = self.object.successor(from, operation) {
            self.check(from, operation, &to);
            return Some(to);
        }
        let Operation { call, answer } = operation;
        let is_refusal = (self.refusal)(call).as_ref() == Some(answer);
        let is_possible = is_refusal && !self.answers_of_object(from, call).is_empty();
        is_possible.then(|| from.clone())
    }
}

/// Calls that commute in the object commute here: a refusal is possible where the call is, and changes nothing.
impl<S: Sequential> Sequential for MayRefuse<S>
where
    StateOf<S>: State<Self>,
{
    type Call = S::Call;
    type Answer = S::Answer;

    fn answers(&self, from: &StateOf<S>, call: &S::Call, visit: &mut impl FnMut(S::Answer)) {
        let answers = self.answers_of_object(from, call);
        let refusal = (self.refusal)(call);
        let refusal = refusal.filter(|refusal| !answers.is_empty() && !answers.contains(refusal));
        answers.into_iter().chain(refusal).for_each(visit);
    }

    fn only_looks(&self, call: &S::Call) -> bool {
        self.object.only_looks(call)
    }

    fn commute(&self, one: &S::Call, other: &S::Call) -> bool {
        self.object.commute(one, other)
    }

    fn part(&self, call: &S::Call) -> Option<String> {
        self.object.part(call)
    }

    fn obstacle(&self, from: &StateOf<S>, call: &S::Call) -> Option<String> {
        self.object.obstacle(from, call)
    }
}
