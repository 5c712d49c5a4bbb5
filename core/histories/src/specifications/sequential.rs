//! Sequential objects: a state, calls, and what each call does to the state and answers.

use refmap::drawing::Drawing;
use refmap::{Action, State};
use serde::de::DeserializeOwned;

use super::answer::AnswerTo;
use super::operation::Called;

/// Sequential object: a state, calls, and what each call does to the state and answers.
///
/// [`Operations`] of it is a transition system, of which an action is a call with its answer, and what a history is validated against.
///
/// ```
/// use refmap::{State, TransitionSystem, steps};
/// use refmap_histories::calls;
/// use refmap_histories::specifications::{Answer, Operation, Operations, Sequential};
///
/// /// Ticket machine.
/// struct Tickets;
///
/// /// Tickets that were drawn.
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Drawn {
///     number: u64,
/// }
///
/// calls! {
///     /// Call of a ticket machine.
///     #[rule(process = "thread", source = "this example")]
///     pub enum Call -> u64 {
///         /// Draws a ticket; answers its number.
///         Draw -> Value,
///         /// Begins again, if a ticket was drawn; answers nothing.
///         Reset -> Nothing,
///     }
/// }
///
/// impl Sequential for Tickets {
///     type State = Drawn;
///     type Call = Call;
///     type Answer = Answer<u64>;
///
///     fn initial(&self) -> Drawn {
///         Drawn { number: 0 }
///     }
///
///     fn execute(&self, call: &Call, state: &mut Drawn) -> Option<Answer<u64>> {
///         match call {
///             Call::Draw => state.number += 1,
///             Call::Reset if state.number == 0 => return None,
///             Call::Reset => state.number = 0,
///         }
///         Some(match call {
///             Call::Draw => Answer::Value(state.number),
///             Call::Reset => Answer::Nothing,
///         })
///     }
/// }
///
/// let draw = Operation { call: Call::Draw, answer: Answer::Value(1) };
/// let tickets = Operations(Tickets);
/// assert_eq!(steps(&tickets, &Tickets.initial()), [(draw, Drawn { number: 1 })]);
/// ```
pub trait Sequential: Sized + Sync {
    /// State of the object.
    type State: State<Operations<Self>>;
    /// Call, with its arguments. Mostly it is stated by [`calls!`](crate::calls).
    type Call: Action<()> + DeserializeOwned;
    /// Answer to a call, mostly an [`Answer`](super::Answer).
    type Answer: AnswerTo<Self::Call>;

    /// The state at first.
    fn initial(&self) -> Self::State;

    /// Carries out a call, and answers it. None if the call is not possible, as to take a lock that is held; what has changed by then
    /// is put back.
    fn execute(&self, call: &Self::Call, state: &mut Self::State) -> Option<Self::Answer>;

    /// Visits the calls that are tried in a state, each once: those of a model, and those that an event may be that was not recorded. By
    /// default those whose arguments are in the ranges of their fields.
    ///
    /// # Panics
    ///
    /// By default, if a field of a call has no range.
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        if let Some(field) = Self::Call::WITHOUT_RANGE {
            panic!("{field} has no range, `#[action(range = …)]`, and `calls` is not overridden");
        }
        Self::Call::candidates(&(), visit);
    }

    /// Visits the answers that a call may have in a state besides the one with which it is [executed](Self::execute), where the object
    /// leaves its result open. None, by default. It may visit an answer several times.
    fn other_answers(
        &self,
        _call: &Self::Call,
        _from: &Self::State,
        _visit: &mut impl FnMut(Self::Answer),
    ) {
    }

    /// Carries out a call that has one of these other answers. By default it leaves the state as it is.
    fn execute_with(&self, _call: &Self::Call, _answer: &Self::Answer, _state: &mut Self::State) {}

    /// Visits all answers that a call may have in a state, each once. Derived from [`execute`](Self::execute) and
    /// [`other_answers`](Self::other_answers).
    fn answers(&self, from: &Self::State, call: &Self::Call, visit: &mut impl FnMut(Self::Answer)) {
        let answer = self.execute(call, &mut from.clone());
        answer.iter().cloned().for_each(&mut *visit);
        let mut others = Vec::new();
        self.other_answers(call, from, &mut |other| {
            if answer.as_ref() != Some(&other) && !others.contains(&other) {
                others.push(other);
            }
        });
        others.into_iter().for_each(visit);
    }

    /// True if a call leaves every state as it is.
    fn only_looks(&self, _call: &Self::Call) -> bool {
        false
    }

    /// True if two calls commute wherever both are possible, with any answers, and answers of neither depend on the other:
    /// neither makes the other possible or impossible, and both orders lead to the same state. Two that [only look](Self::only_looks)
    /// do, whatever is said here.
    fn commute(&self, _one: &Self::Call, _other: &Self::Call) -> bool {
        false
    }

    /// Foresight of states from which an operation never becomes possible. None, by default.
    fn foresight(&self) -> impl Foresight<Self> {}

    /// Name of the part of the object that a call concerns, such as a key, if each call concerns one, and no part depends on another.
    fn part(&self, _call: &Self::Call) -> Option<String> {
        None
    }

    /// Reason why a call is not possible in a state. Asked only if it is not.
    fn obstacle(&self, _from: &Self::State, _call: &Self::Call) -> Option<String> {
        None
    }

    /// Drawing of a state, as a person would make it. None, by default: it is drawn by rows.
    fn draw(&self, _state: &Self::State) -> Option<Drawing> {
        None
    }
}

/// Calls of an object, and the kind of the answers to each: an enum whose variants are the calls, and its [`Answered`].
///
/// The name of the enum is followed by the type of the values in answers ([`NoValue`] if there are none), and each call by its
/// [`AnswerKind`]:
///
/// ```
/// use refmap_histories::calls;
/// use refmap_histories::specifications::{AnswerKind, Answered, Value};
///
/// calls! {
///     /// Call of a box.
///     #[derive(Copy)]
///     #[rule(process = "thread", source = "this example")]
///     pub enum Call<V: Value> -> V {
///         /// Puts a value into the box; answers whether it was empty.
///         Put(V) -> Is,
///         /// Takes the value out, and answers it; nothing if the box is empty.
///         Take -> ValueOrNothing,
///     }
/// }
///
/// assert_eq!(Call::Put(3).kind(), AnswerKind::Is);
/// assert_eq!(serde_json::to_string(&Call::Put(3)).unwrap(), r#"{"put":3}"#);
/// ```
///
/// In JSON, calls and fields have the names that they have here in snake case. A call is an [`Action`](refmap::Action): each variant is a rule.
///
/// [`Answered`]: crate::specifications::Answered
/// [`AnswerKind`]: crate::specifications::AnswerKind
/// [`NoValue`]: crate::specifications::NoValue
#[macro_export]
macro_rules! calls {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident
        $(<$($parameter:ident: $bound:ident $(+ $more:ident)*),+>)? -> $value:ty {
            $(
                $(#[$of_call:meta])*
                $call:ident $(($($unnamed:tt)*))? $({$($named:tt)*})? -> $kind:ident
            ),+ $(,)?
        }
    ) => {
        #[derive(
            Clone, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize, ::refmap::Action,
        )]
        #[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
        $(#[$attribute])*
        $visibility enum $name $(<$($parameter: $bound $(+ $more)*),+>)? {
            $($(#[$of_call])* $call $(($($unnamed)*))? $({$($named)*})?),+
        }

        impl $(<$($parameter: $bound $(+ $more)*),+>)? $crate::specifications::Answered
            for $name $(<$($parameter),+>)?
        {
            type Value = $value;

            fn kind(&self) -> $crate::specifications::AnswerKind {
                match self {
                    $(Self::$call { .. } => $crate::specifications::AnswerKind::$kind),+
                }
            }
        }
    };
}

/// Transition system of a sequential object: an action is a call with its answer, and the state is seen whole. Its histories are linearizable.
///
/// In a history an operation takes effect at once, between its begin and its end. One that was not recorded (`null`) is any of the
/// object's [calls](Sequential::calls), so these have to have all values that such an operation may have had; of what was recorded nothing depends on them.
///
/// Source: Herlihy & Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12(3), 1990.
///
/// ```
/// use refmap::Verdict;
/// use refmap_histories::specifications::{Operations, Queue};
/// use refmap_histories::{History, Settings, validate};
///
/// let history = r#"{"history":"refmap","version":1}
/// {"thread":0,"place":0,"begin":10,"end":40,"event":{"call":{"push":1}}}
/// {"thread":1,"place":0,"begin":20,"end":30,"event":{"call":{"push":2}}}
/// {"thread":1,"place":1,"begin":50,"end":60,"event":{"call":"pop","answer":2}}
/// {"thread":0,"place":1,"begin":70,"end":80,"event":{"call":"pop","answer":1}}
/// {"history":"end","events":4}
/// "#;
/// let queue = Operations(Queue::<u64>::default());
/// let history = History::open(history.as_bytes())?;
/// let validation = validate(&queue, history.events(), &Settings::default())?;
/// assert_eq!(validation.verdict(), Verdict::Holds);
/// # Ok::<(), refmap_histories::HistoryError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Operations<S>(pub S);

/// Recorded operation of an object.
type Recorded<S> = Called<<S as Sequential>::Call, <S as Sequential>::Answer>;

/// Foresight of states of an object: some are hopeless for an operation, and a search for an order goes on from others.
pub trait Foresight<S: Sequential> {
    /// True if an operation may tell of states that they are [hopeless](Self::is_hopeless): a read, say, which confirms the order of
    /// the writes before it.
    fn confirms(&self, _operation: &Recorded<S>) -> bool {
        false
    }

    /// True if `other` may matter to whether a state is hopeless for an operation.
    fn matters(&self, _operation: &Recorded<S>, _other: &Recorded<S>) -> bool {
        true
    }

    /// True if a state is hopeless for an operation, which has to take place: if no sequence of others leads to a state in which it
    /// is possible. Of these, `others` visits those that [matter](Self::matters). Each may take place once or not at all, in any
    /// order; the operation itself may be among them. An answer that is missing may be any.
    fn is_hopeless<'e>(
        &self,
        _from: &S::State,
        _operation: &Recorded<S>,
        _others: impl Iterator<Item = &'e Recorded<S>> + Clone,
    ) -> bool {
        false
    }
}

/// None.
impl<S: Sequential> Foresight<S> for () {}
