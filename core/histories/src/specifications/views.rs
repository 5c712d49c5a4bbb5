//! Views of sequential objects: objects that are made of another one, with more answers.

use std::collections::HashSet;

use refmap::{
    ActionOf, Drawing, ObservationOf, Process, Rule, RuleId, State, StateOf, TransitionSystem,
};
use serde_json::Value;

use super::operation::{Called, Operation};
use super::sequential::Sequential;

/// States, rules and pictures of a view, in its `TransitionSystem`: those of the object.
macro_rules! of_the_object {
    () => {
        fn initial(&self, visit: &mut impl FnMut(StateOf<S>)) {
            self.object.initial(visit);
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
    };
}

/// Claims of a view about its calls, in its `Sequential`: those of the object.
macro_rules! claims_of_the_object {
    () => {
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
    };
}

/// Answers of an object.
fn answers_of<S: Sequential>(object: &S, from: &StateOf<S>, call: &S::Call) -> Vec<S::Answer> {
    let mut answers = Vec::new();
    object.answers(from, call, &mut |answer| answers.push(answer));
    answers
}

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
}

impl<S: Sequential> TransitionSystem for MayRefuse<S>
where
    StateOf<S>: State<Self>,
{
    type State = StateOf<S>;
    type Action = ActionOf<S>;
    type Observation = ObservationOf<S>;

    fn next(&self, from: &StateOf<S>, visit: &mut impl FnMut(ActionOf<S>, StateOf<S>)) {
        let mut refused = HashSet::new();
        self.object.next(from, &mut |operation, to| {
            self.check(from, &operation, &to);
            let call = operation.call.clone();
            visit(operation, to);
            if let Some(answer) = (self.refusal)(&call)
                && !answers_of(&self.object, from, &call).contains(&answer)
                && refused.insert(call.clone())
            {
                visit(Operation { call, answer }, from.clone());
            }
        });
    }

    of_the_object!();

    fn successor(&self, from: &StateOf<S>, operation: &ActionOf<S>) -> Option<StateOf<S>> {
        if let Some(to) = self.object.successor(from, operation) {
            self.check(from, operation, &to);
            return Some(to);
        }
        let Operation { call, answer } = operation;
        let is_refusal = (self.refusal)(call).as_ref() == Some(answer);
        let is_possible = is_refusal && !answers_of(&self.object, from, call).is_empty();
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
        let answers = answers_of(&self.object, from, call);
        let refusal = (self.refusal)(call);
        let refusal = refusal.filter(|refusal| !answers.is_empty() && !answers.contains(refusal));
        answers.into_iter().chain(refusal).for_each(visit);
    }

    claims_of_the_object!();

    /// A refusal is possible in any state in which the call is, and confirms none.
    fn confirms(&self, operation: &Called<S::Call, S::Answer>) -> bool {
        let refusal = (self.refusal)(&operation.call);
        (refusal.is_none() || operation.answer != refusal) && self.object.confirms(operation)
    }

    fn matters(
        &self,
        operation: &Called<S::Call, S::Answer>,
        other: &Called<S::Call, S::Answer>,
    ) -> bool {
        self.object.matters(operation, other)
    }

    /// Others that are refused are others that do not take place.
    fn is_hopeless<'e>(
        &self,
        from: &StateOf<S>,
        operation: &Called<S::Call, S::Answer>,
        others: impl Iterator<Item = &'e Called<S::Call, S::Answer>> + Clone,
    ) -> bool {
        self.confirms(operation) && self.object.is_hopeless(from, operation, others)
    }
}

/// View of an object in which calls that only look may answer something near: a sum of counters that are read one after the other, a
/// length, a snapshot that is not atomic.
///
/// ```
/// use refmap_histories::specifications::{Answer, Approximate, Counter, Operation, counter::Call};
/// use refmap::TransitionSystem;
///
/// let sum = Approximate {
///     object: Counter { initial: 5, values: vec![1] },
///     near: |_, answer| match *answer {
///         Answer::Value(exact) => (exact - 1..=exact + 1).map(Answer::Value).collect(),
///         _ => Vec::new(),
///     },
/// };
/// sum.initial(&mut |five| {
///     let read = |number| Operation { call: Call::Read, answer: Answer::Value(number) };
///     assert_eq!(sum.successor(&five, &read(6)), Some(five));
///     assert_eq!(sum.successor(&five, &read(7)), None);
/// });
/// ```
///
/// Near is near the answer at one time within the call. An answer that was right at some such time needs no view: it is linearizable.
/// Of the object it has the rules, their processes, and how states are shown and drawn; it has no fairness.
#[derive(Clone, Copy, Debug)]
pub struct Approximate<S: Sequential> {
    /// The object.
    pub object: S,
    /// Answers that such a call may have besides this one. Of other calls it is not asked.
    pub near: fn(&S::Call, &S::Answer) -> Vec<S::Answer>,
}

impl<S: Sequential> Approximate<S> {
    /// Answers that the object itself does not have, each once.
    fn others(&self, call: &S::Call, exact: &[S::Answer]) -> Vec<S::Answer> {
        let mut others = Vec::new();
        if self.object.only_looks(call) {
            let near = exact.iter().flat_map(|answer| (self.near)(call, answer));
            for answer in near {
                if !exact.contains(&answer) && !others.contains(&answer) {
                    others.push(answer);
                }
            }
        }
        others
    }
}

impl<S: Sequential> TransitionSystem for Approximate<S>
where
    StateOf<S>: State<Self>,
{
    type State = StateOf<S>;
    type Action = ActionOf<S>;
    type Observation = ObservationOf<S>;

    fn next(&self, from: &StateOf<S>, visit: &mut impl FnMut(ActionOf<S>, StateOf<S>)) {
        let mut looked = HashSet::new();
        self.object.next(from, &mut |operation, to| {
            let call = operation.call.clone();
            visit(operation, to);
            if self.object.only_looks(&call) && looked.insert(call.clone()) {
                let exact = answers_of(&self.object, from, &call);
                for answer in self.others(&call, &exact) {
                    let call = call.clone();
                    visit(Operation { call, answer }, from.clone());
                }
            }
        });
    }

    of_the_object!();

    fn successor(&self, from: &StateOf<S>, operation: &ActionOf<S>) -> Option<StateOf<S>> {
        let Operation { call, answer } = operation;
        self.object.successor(from, operation).or_else(|| {
            let exact = answers_of(&self.object, from, call);
            let is_near = self.others(call, &exact).contains(answer);
            is_near.then(|| from.clone())
        })
    }
}

/// Calls that commute in the object commute here: one that looks, and commutes, has the same answer before and after.
impl<S: Sequential> Sequential for Approximate<S>
where
    StateOf<S>: State<Self>,
{
    type Call = S::Call;
    type Answer = S::Answer;

    fn answers(&self, from: &StateOf<S>, call: &S::Call, visit: &mut impl FnMut(S::Answer)) {
        let exact = answers_of(&self.object, from, call);
        let others = self.others(call, &exact);
        exact.into_iter().chain(others).for_each(visit);
    }

    claims_of_the_object!();
}
