//! Adapter from the events of a history to the actions of a specification.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call::call;
use super::event::Event;
use super::problem::NoSuch;
use refmap::internal::visit_steps;
use refmap::{ActionOf, StateOf, TransitionSystem};

/// State of the specification.
pub(super) type State<O> = StateOf<<O as Observed>::Specification>;
/// Action of the specification.
pub(super) type Action<O> = ActionOf<<O as Observed>::Specification>;

/// Time at which an event takes effect, that is, at which the specification takes the step that the event shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Between its begin and its end.
    Within,
    /// After its begin and before the next [`Draining`](Self::Draining) event of its thread, in the order of the
    /// thread's delayed events: a store that goes through a store buffer.
    Delayed,
    /// Between its begin and its end, when all delayed events of its thread have taken effect: a fence, or a locked
    /// access.
    Draining,
}

/// Event with the context of its thread.
#[derive(Debug)]
pub struct Happening<'a, E> {
    /// The thread.
    pub thread: u32,
    /// Its position in its thread.
    pub place: u64,
    /// The event.
    pub event: &'a E,
    /// Earlier delayed events of the same thread that have not taken effect, oldest first. A load with store
    /// forwarding reads these.
    pub pending: &'a [&'a E],
}

impl<'a, E> Happening<'a, E> {
    pub(super) fn of(event: &Event<E>, what: &'a E, pending: &'a [&'a E]) -> Self {
        Self {
            thread: event.thread,
            place: event.place,
            event: what,
            pending,
        }
    }
}

/// Adapter from a history to a specification: the actions that an event shows, the time of its effect, and the
/// internal actions of the specification, which no event shows.
///
/// Every step copies the specification's state, so a large state should share what does not change.
///
/// The adapter only names actions, and the specification takes them. So a wrong adapter can reject histories, or
/// accept them for a wrong reason, but it cannot add a step to the specification.
pub trait Observed: Sync {
    /// The specification. Its `fire` is called at every step and should be fast.
    type Specification: TransitionSystem;
    /// Recorded content of an event. `null` denotes an event that was not recorded, so no value of this type may
    /// serialize as `null`.
    type Event: Clone + Debug + Serialize + DeserializeOwned;

    /// The specification.
    fn specification(&self) -> &Self::Specification;

    /// Visits every action that `happening` may show in `from`; `None` if it may leave the state unchanged. The
    /// visited actions need not be enabled. A partially recorded event (without its result, say) shows every action
    /// that is consistent with the recorded part.
    fn shows(
        &self,
        from: &StateOf<Self::Specification>,
        happening: &Happening<'_, Self::Event>,
        visit: &mut impl FnMut(Option<ActionOf<Self::Specification>>),
    );

    /// Visits every action that an unrecorded event of `thread` may show in `from`; by default, every action of the
    /// specification's `next`. The visited actions need not be enabled.
    ///
    /// A specification that does not know its threads in advance must override this with the actions of one thread.
    /// A missing action can reject valid histories; an action that `thread` cannot take can accept invalid ones.
    fn unrecorded(
        &self,
        from: &StateOf<Self::Specification>,
        _thread: u32,
        visit: &mut impl FnMut(ActionOf<Self::Specification>),
    ) {
        let specification = self.specification();
        visit_steps(specification, from, &mut |action, _| visit(action));
    }

    /// Visits every internal action that the specification may take in `from` without an event, such as a memory's
    /// commit; by default none. Only finitely many states may be reachable by these alone.
    fn internal(
        &self,
        _from: &StateOf<Self::Specification>,
        _visit: &mut impl FnMut(ActionOf<Self::Specification>),
    ) {
    }

    /// Time of the effect of `event`; by default, within its interval.
    fn effect(&self, _event: &Self::Event) -> Effect {
        Effect::Within
    }

    /// True if `event` is read-only: it can only show `None`, as a load or a fence. By default, no event is.
    ///
    /// The search takes such an event as soon as it can, which loses no order up to equivalence, and skips all
    /// orders in which it comes later. With delayed stores this reduces very many configurations to a few.
    fn only_looks(&self, _event: &Self::Event) -> bool {
        false
    }

    /// True if the two events commute wherever both are possible, for any threads: neither enables or disables the
    /// other, and both orders lead to the same state. For instance, two accesses to different locations commute,
    /// and two loads. By default, no events do.
    ///
    /// The search skips orders that differ only by swapping such events. An adapter with [internal](Self::internal)
    /// actions must keep the default, since internal actions may depend on either event.
    fn commute(&self, _one: &Self::Event, _other: &Self::Event) -> bool {
        false
    }

    /// True if `event` may tell of states that they are [hopeless](Self::is_hopeless): a read, say, which confirms the order of the
    /// writes before it. By default, no event does.
    fn confirms(&self, _event: &Self::Event) -> bool {
        false
    }

    /// True if `other` may matter to whether a state is hopeless for `event`. By default, every event does.
    fn matters(&self, _event: &Self::Event, _other: &Self::Event) -> bool {
        true
    }

    /// True if `from` is hopeless for `event`, which has to take place: if no sequence of other events leads to a state in which it
    /// is possible. Of these, `before` visits those that [matter](Self::matters). Each may take place once or not at all, in any
    /// order, by any thread; `event` itself may be among them. By default, no state is.
    ///
    /// The search asks where it would otherwise follow many orders, and drops those without hope. An adapter with
    /// [internal](Self::internal) actions must keep the default, since these may come in between.
    fn is_hopeless<'e>(
        &self,
        _from: &StateOf<Self::Specification>,
        _event: &Self::Event,
        _before: impl Iterator<Item = &'e Self::Event> + Clone,
    ) -> bool
    where
        Self::Event: 'e,
    {
        false
    }

    /// Name of the part of the object that `event` concerns, such as the key of a map, if the specification is made of parts of which
    /// none depends on another; by default none. [`validate_apart`](crate::validate_apart) decides the parts of a history apart.
    fn part(&self, _event: &Self::Event) -> Option<String> {
        None
    }

    /// Checks that `event` names only what the instance has: numbers of the header's sizes. Where it names something else,
    /// the history is malformed, and its line is told; no verdict is. Without this check, a number beyond a size has to be
    /// expected by every other function.
    ///
    /// # Errors
    ///
    /// The name that the instance does not have ([`NoSuch::unless`]).
    fn check(&self, _event: &Self::Event) -> Result<(), NoSuch> {
        Ok(())
    }

    /// Short reason why `happening` is impossible in `from`. Called only if it is.
    fn refusal(
        &self,
        _from: &StateOf<Self::Specification>,
        _happening: &Happening<'_, Self::Event>,
    ) -> String {
        "the specification has no such step here".to_owned()
    }

    /// True if the event makes a history worth validating: one without any such event is `incomplete`. By default,
    /// all events do.
    fn is_interesting(&self, _event: &Self::Event) -> bool {
        true
    }

    /// True if part of `event` was not recorded, so that the search fills it in. By default, no.
    fn is_partial(&self, _event: &Self::Event) -> bool {
        false
    }

    /// Short description of an event; by default its JSON.
    fn describe(&self, event: &Self::Event) -> String {
        refmap::internal::plain(&refmap::internal::json(event))
    }
}

/// True if the search has to fill in unrecorded information.
pub(super) fn is_partial<O: Observed>(observed: &O, event: &Event<O::Event>) -> bool {
    let what = event.event.as_ref();
    let is_partial = |what| call("`is_partial` of the adapter", || observed.is_partial(what));
    event.end.is_none() || what.is_none_or(is_partial)
}
