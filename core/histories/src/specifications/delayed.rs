//! Adapter for objects whose calls take effect later than they answer.

use refmap::{ActionOf, StateOf};

use crate::{Effect, Happening, NoSuch, Observed};

/// Adapter: some calls of an object take effect later than they answer, as a write to a buffer does.
///
/// Delayed calls of a thread take effect in their order, before its next [draining](Effect::Draining) call does. Until then no call sees
/// them, those of the same thread neither. A delayed call should answer nothing, since an answer is that of the time at which the call
/// takes effect.
///
/// ```
/// use refmap::Verdict;
/// use refmap_histories::specifications::{Delayed, Operations, Register, register::Call};
/// use refmap_histories::{Effect, History, Settings, validate};
///
/// let buffered = Delayed {
///     object: Operations(Register::<u64>::default()),
///     effect: |called| match called.call {
///         Call::Write(_) => Effect::Delayed,
///         Call::Read => Effect::Within,
///         Call::CompareAndSwap { .. } => Effect::Draining,
///     },
/// };
/// let history = r#"{"history":"refmap","version":1}
/// {"thread":0,"place":0,"begin":10,"end":20,"event":{"call":{"write":1}}}
/// {"thread":1,"place":0,"begin":30,"end":40,"event":{"call":"read","answer":0}}
/// {"thread":1,"place":1,"begin":50,"end":60,"event":{"call":"read","answer":1}}
/// {"history":"end","events":3}
/// "#;
/// let history = History::open(history.as_bytes())?;
/// let validation = validate(&buffered, history.events(), &Settings::default())?;
/// assert_eq!(validation.verdict(), Verdict::Holds);
/// # Ok::<(), refmap_histories::HistoryError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Delayed<O: Observed> {
    /// Adapter of the object.
    pub object: O,
    /// Time at which a call takes effect.
    pub effect: fn(&O::Event) -> Effect,
}

impl<O: Observed> Observed for Delayed<O> {
    type Specification = O::Specification;
    type Event = O::Event;

    fn specification(&self) -> &O::Specification {
        self.object.specification()
    }

    fn shows(
        &self,
        from: &StateOf<O::Specification>,
        happening: &Happening<'_, O::Event>,
        visit: &mut impl FnMut(Option<ActionOf<O::Specification>>),
    ) {
        self.object.shows(from, happening, visit);
    }

    fn unrecorded(
        &self,
        from: &StateOf<O::Specification>,
        thread: u32,
        visit: &mut impl FnMut(ActionOf<O::Specification>),
    ) {
        self.object.unrecorded(from, thread, visit);
    }

    fn internal(
        &self,
        from: &StateOf<O::Specification>,
        visit: &mut impl FnMut(ActionOf<O::Specification>),
    ) {
        self.object.internal(from, visit);
    }

    fn effect(&self, event: &O::Event) -> Effect {
        (self.effect)(event)
    }

    fn only_looks(&self, event: &O::Event) -> bool {
        self.object.only_looks(event)
    }

    fn commute(&self, one: &O::Event, other: &O::Event) -> bool {
        self.object.commute(one, other)
    }

    fn check(&self, event: &O::Event) -> Result<(), NoSuch> {
        self.object.check(event)
    }

    fn refusal(
        &self,
        from: &StateOf<O::Specification>,
        happening: &Happening<'_, O::Event>,
    ) -> String {
        self.object.refusal(from, happening)
    }

    fn is_interesting(&self, event: &O::Event) -> bool {
        self.object.is_interesting(event)
    }

    fn is_partial(&self, event: &O::Event) -> bool {
        self.object.is_partial(event)
    }

    fn describe(&self, event: &O::Event) -> String {
        self.object.describe(event)
    }
}
