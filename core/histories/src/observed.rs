//! What the events of a history say about a specification.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use refmap::{ActionOf, StateOf, TransitionSystem};

/// When an event takes effect: when the specification takes the step that the event shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Between its begin and its end.
    Within,
    /// After its begin and before the next [`Draining`](Self::Draining) event of its thread, in the
    /// order of the thread's delayed events: a store that goes through a store buffer.
    Delayed,
    /// Between its begin and its end, when all delayed events of its thread have taken effect: a fence,
    /// or an access that is locked.
    Draining,
}

/// An event, and what its own thread knows.
#[derive(Debug)]
pub struct Happening<'a, E> {
    /// The thread.
    pub thread: u32,
    /// Its place in the order of its thread.
    pub place: u64,
    /// What happened.
    pub event: &'a E,
    /// The delayed events of the same thread that came before it and have not taken effect, the oldest
    /// first. A load that looks into its own thread's store buffer looks here.
    pub pending: &'a [&'a E],
}

/// What a specification is to be told of a history: which actions an event shows, when it takes
/// effect, and what the specification may do in between that no event shows.
///
/// The specification's state is copied at every step: a large one should share what does not change.
///
/// Only actions are named. The specification itself takes them, so that a wrong answer can refuse
/// histories, or accept them for a wrong reason, and cannot make up a step that the specification
/// does not have.
pub trait Observed: Sync {
    /// The specification. Its `successor` is asked at every step: see that it is fast.
    type Specification: TransitionSystem;
    /// What an event says. `null` stands for an event that was not recorded, so no value of this type
    /// may be written as `null`.
    type Event: Clone + Debug + Serialize + DeserializeOwned;

    /// The specification.
    fn specification(&self) -> &Self::Specification;

    /// Visits every action that `happening` may show in `from`; `None` if it may show that nothing
    /// changes. What it visits need not be enabled. An event that is recorded in part (a result is
    /// missing, say) shows every action that fits what there is of it.
    fn shows(
        &self,
        from: &StateOf<Self::Specification>,
        happening: &Happening<'_, Self::Event>,
        visit: &mut impl FnMut(Option<ActionOf<Self::Specification>>),
    );

    /// Visits every action that an event of `thread` may show in `from` of which nothing was recorded.
    /// Every action of the specification's `next`, by default. What it visits need not be enabled.
    ///
    /// A specification that does not know its threads beforehand has to say here what one of them may
    /// do. What is left out refuses histories; an action that `thread` cannot take accepts some wrongly.
    fn unrecorded(
        &self,
        from: &StateOf<Self::Specification>,
        _thread: u32,
        visit: &mut impl FnMut(ActionOf<Self::Specification>),
    ) {
        self.specification()
            .next(from, &mut |action, _| visit(action));
    }

    /// Visits every action that the specification may take in `from` without an event: a memory's
    /// commit, say. None, by default. What can be reached by these alone has to be finite.
    fn internal(
        &self,
        _from: &StateOf<Self::Specification>,
        _visit: &mut impl FnMut(ActionOf<Self::Specification>),
    ) {
    }

    /// When `event` takes effect. Within its interval, by default.
    fn effect(&self, _event: &Self::Event) -> Effect {
        Effect::Within
    }

    /// Whether `event` never changes anything: all that it may ever show is `None`, as a load or a fence
    /// does. Never, by default.
    ///
    /// The search takes such an event as soon as it can, which loses nothing, and is then spared all
    /// the orders in which it comes later. Where stores are delayed that is the difference between
    /// some configurations and very many.
    fn only_looks(&self, _event: &Self::Event) -> bool {
        false
    }

    /// Whether the two events may change places wherever both can come, whichever threads they are of:
    /// neither enables the other or takes that away, and both orders lead to the same state. Two
    /// accesses of different places do, and two loads. Never, by default.
    ///
    /// The search leaves out orders that differ by such places only. An adapter with
    /// [internal](Self::internal) actions has to leave this as it is, since those may depend on either.
    fn commute(&self, _one: &Self::Event, _other: &Self::Event) -> bool {
        false
    }

    /// Why `happening` is not possible in `from`, in a few words. Asked only where it is not.
    fn refusal(
        &self,
        _from: &StateOf<Self::Specification>,
        _happening: &Happening<'_, Self::Event>,
    ) -> String {
        "the specification has no such step here".to_owned()
    }

    /// Whether a history without such an event says nothing worth knowing. All events are interesting,
    /// by default.
    fn is_interesting(&self, _event: &Self::Event) -> bool {
        true
    }

    /// Whether something of `event` was not recorded, so that the search fills it in. Never, by
    /// default.
    fn is_partial(&self, _event: &Self::Event) -> bool {
        false
    }

    /// An event in a few words. As JSON, by default.
    fn describe(&self, event: &Self::Event) -> String {
        let value = serde_json::to_value(event);
        value.map_or_else(
            |_| format!("{event:?}"),
            |value| refmap::report::layout::plain(&value),
        )
    }
}
