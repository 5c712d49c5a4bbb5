//! Views of sequential objects: objects that are made of another one, with more answers.

use refmap::State;
use refmap::drawing::Drawing;

use super::operation::{Called, Operation};
use super::sequential::{Foresight, Operations, Sequential};

/// Functions of a view, in its `Sequential`, that are those of the object.
macro_rules! of_the_object {
    () => {
        type State = S::State;
        type Call = S::Call;
        type Answer = S::Answer;

        fn initial(&self) -> S::State {
            self.object.initial()
        }

        fn execute(&self, call: &S::Call, state: &mut S::State) -> Option<S::Answer> {
            self.object.execute(call, state)
        }

        fn calls(&self, visit: &mut impl FnMut(S::Call)) {
            self.object.calls(visit);
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

        fn obstacle(&self, from: &S::State, call: &S::Call) -> Option<String> {
            self.object.obstacle(from, call)
        }

        fn draw(&self, state: &S::State) -> Option<Drawing> {
            self.object.draw(state)
        }
    };
}

/// View of an object in which calls may be refused: a call that is possible may, instead of what it does, have the answer that it
/// has if it fails, and leave the state as it is. So a weak compare-and-swap fails spuriously:
///
/// ```
/// use refmap::successor;
/// use refmap_histories::specifications::{
///     Answer, MayRefuse, Operation, Operations, Register, Sequential, register::Call,
/// };
///
/// let register = Register { initial: 1, values: vec![1, 2] };
/// let weak = MayRefuse {
///     object: register.clone(),
///     refusal: |call| matches!(call, Call::CompareAndSwap { .. }).then_some(Answer::Is(false)),
/// };
/// let one = register.initial();
/// let call = Call::CompareAndSwap { from: 1, to: 2 };
/// let refused = Operation { call, answer: Answer::Is(false) };
/// assert_eq!(successor(&Operations(register), &one, &refused), None);
/// assert_eq!(successor(&Operations(weak), &one, &refused), Some(one));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MayRefuse<S: Sequential> {
    /// The object.
    pub object: S,
    /// Answer of a call that is refused, if it may be. Where the object itself has this answer it has to leave its state as it is.
    pub refusal: fn(&S::Call) -> Option<S::Answer>,
}

/// Calls that commute in the object commute here: a refusal is possible where the call is, and changes nothing.
impl<S: Sequential> Sequential for MayRefuse<S>
where
    S::State: State<Operations<Self>>,
{
    of_the_object!();

    /// # Panics
    ///
    /// If what looks like a refusal changes the state: then an operation does not determine its target.
    fn other_answers(&self, call: &S::Call, from: &S::State, visit: &mut impl FnMut(S::Answer)) {
        self.object.other_answers(call, from, visit);
        let mut to = from.clone();
        if let Some(refusal) = (self.refusal)(call)
            && let Some(answer) = self.object.execute(call, &mut to)
        {
            let operation = Operation { call, answer };
            assert!(
                operation.answer != refusal || to == *from,
                "{operation:?} is a refusal, and changes the state"
            );
            visit(refusal);
        }
    }

    fn execute_with(&self, call: &S::Call, answer: &S::Answer, state: &mut S::State) {
        if (self.refusal)(call).as_ref() != Some(answer) {
            self.object.execute_with(call, answer, state);
        }
    }

    fn foresight(&self) -> impl Foresight<Self> {
        Unrefused(self)
    }
}

/// Foresight of an object in which calls may be refused. Others that are refused are others that do not take place.
struct Unrefused<'a, S: Sequential>(&'a MayRefuse<S>);

impl<S: Sequential> Foresight<MayRefuse<S>> for Unrefused<'_, S>
where
    S::State: State<Operations<MayRefuse<S>>>,
{
    /// A refusal is possible in any state in which the call is, and confirms none.
    fn confirms(&self, operation: &Called<S::Call, S::Answer>) -> bool {
        let refusal = (self.0.refusal)(&operation.call);
        (refusal.is_none() || operation.answer != refusal)
            && self.0.object.foresight().confirms(operation)
    }

    fn matters(
        &self,
        operation: &Called<S::Call, S::Answer>,
        other: &Called<S::Call, S::Answer>,
    ) -> bool {
        self.0.object.foresight().matters(operation, other)
    }

    fn is_hopeless<'e>(
        &self,
        from: &S::State,
        operation: &Called<S::Call, S::Answer>,
        others: impl Iterator<Item = &'e Called<S::Call, S::Answer>> + Clone,
    ) -> bool {
        let foresight = self.0.object.foresight();
        self.confirms(operation) && foresight.is_hopeless(from, operation, others)
    }
}

/// View of an object in which calls that only look may answer something near: a sum of counters that are read one after the other, a
/// length, a snapshot that is not atomic.
///
/// ```
/// use refmap::successor;
/// use refmap_histories::specifications::{
///     Answer, Approximate, Counter, Operation, Operations, Sequential, counter::Call,
/// };
///
/// let sum = Operations(Approximate {
///     object: Counter { initial: 5, values: vec![1] },
///     near: |_, answer| match *answer {
///         Answer::Value(exact) => (exact - 1..=exact + 1).map(Answer::Value).collect(),
///         _ => Vec::new(),
///     },
/// });
/// let five = sum.0.initial();
/// let read = |number| Operation { call: Call::Read, answer: Answer::Value(number) };
/// assert_eq!(successor(&sum, &five, &read(6)), Some(five));
/// assert_eq!(successor(&sum, &five, &read(7)), None);
/// ```
///
/// Near is near the answer at one time within the call. An answer that was right at some such time needs no view: it is linearizable.
#[derive(Clone, Copy, Debug)]
pub struct Approximate<S: Sequential> {
    /// The object.
    pub object: S,
    /// Answers that such a call may have besides this one. Of other calls it is not asked.
    pub near: fn(&S::Call, &S::Answer) -> Vec<S::Answer>,
}

/// Calls that commute in the object commute here: one that looks, and commutes, has the same answer before and after.
impl<S: Sequential> Sequential for Approximate<S>
where
    S::State: State<Operations<Self>>,
{
    of_the_object!();

    fn other_answers(&self, call: &S::Call, from: &S::State, visit: &mut impl FnMut(S::Answer)) {
        self.object.other_answers(call, from, visit);
        if self.object.only_looks(call) {
            self.object.answers(from, call, &mut |answer| {
                (self.near)(call, &answer).into_iter().for_each(&mut *visit);
            });
        }
    }

    fn execute_with(&self, call: &S::Call, answer: &S::Answer, state: &mut S::State) {
        if !self.object.only_looks(call) {
            self.object.execute_with(call, answer, state);
        }
    }
}
