//! Named liveness properties of a system's behaviours.
//!
//! Source: Lamport, *The Temporal Logic of Actions*, section 5.1; Alpern & Schneider, *Defining Property*.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::statement::asked::calls::{Function, call};
use crate::statement::asked::model_call::named;
use crate::statement::erased::ErasedState;
use crate::statement::invariant::Predicate;
use crate::statement::kind::ObligationKind;
use crate::statement::system::{StateOf, TransitionSystem};

const PROPERTY: &str = "a liveness property";

/// A named liveness property of the behaviours of `S`, which meet the system's [fairness](TransitionSystem::fairness).
///
/// ```
/// use refmap::{Property, TransitionSystem};
///
/// /// Of a system that counts those who wait.
/// fn properties<S: TransitionSystem<State = u8>>() -> Vec<Property<S>> {
///     let some = |waiting: &u8| *waiting > 0;
///     let none = |waiting: &u8| *waiting == 0;
///     vec![
///         Property::leads_to("served", "all who wait are served", some, none),
///         Property::always_eventually("asked", "there is always more to do", some),
///     ]
/// }
/// ```
pub struct Property<S: TransitionSystem> {
    name: Cow<'static, str>,
    source: Cow<'static, str>,
    formula: Formula,
    premise: Option<Predicate<StateOf<S>>>,
    conclusion: Predicate<StateOf<S>>,
}

/// Formula over the premise and the conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    LeadsTo,
    Eventually,
    AlwaysEventually,
    EventuallyAlways,
}

impl Formula {
    /// The obligation that a property of this form is.
    pub fn kind(self) -> ObligationKind {
        match self {
            Self::LeadsTo => ObligationKind::LeadsTo,
            Self::Eventually => ObligationKind::Eventually,
            Self::AlwaysEventually => ObligationKind::AlwaysEventually,
            Self::EventuallyAlways => ObligationKind::EventuallyAlways,
        }
    }
}

impl<S: TransitionSystem> Property<S> {
    /// Whenever `premise` holds, `conclusion` holds then or later. The property has a name, and where it comes from or what
    /// it is for.
    pub fn leads_to(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        premise: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            premise: Some(Arc::new(premise)),
            ..Self::of(Formula::LeadsTo, name, source, conclusion)
        }
    }

    /// `conclusion` holds at some time.
    pub fn eventually(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::of(Formula::Eventually, name, source, conclusion)
    }

    /// `conclusion` holds infinitely often.
    pub fn always_eventually(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::of(Formula::AlwaysEventually, name, source, conclusion)
    }

    /// From some time on `conclusion` holds for ever: in every behaviour, whatever happens in it.
    pub fn eventually_always(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::of(Formula::EventuallyAlways, name, source, conclusion)
    }

    /// If `premise` holds at some time, then from some time on `conclusion` holds for ever. The premise need not go on
    /// holding, and the conclusion may still be false for a while after it; of a behaviour in which the premise never holds
    /// nothing is said. The obligation is one of `eventually-always:NAME`, and fails if the premise holds in no state that is
    /// reached.
    ///
    /// ```
    /// use refmap::{Property, TransitionSystem};
    ///
    /// /// Of a system whose states are how many servers have failed, and whether there is a leader.
    /// fn property<S: TransitionSystem<State = (u8, bool)>>() -> Property<S> {
    ///     let calm = |(failed, _): &(u8, bool)| *failed == 1;
    ///     let led = |(_, leader): &(u8, bool)| *leader;
    ///     Property::eventually_always_after("led", "a leader stays after the only failure", calm, led)
    /// }
    /// ```
    pub fn eventually_always_after(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        premise: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            premise: Some(Arc::new(premise)),
            ..Self::eventually_always(name, source, conclusion)
        }
    }

    fn of(
        formula: Formula,
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        conclusion: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            formula,
            premise: None,
            conclusion: Arc::new(conclusion),
        }
    }

    /// Its name, unique among the properties of its form.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Source from which it comes, or its purpose.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn formula(&self) -> Formula {
        self.formula
    }

    /// True if the property has a premise.
    pub(crate) fn has_premise(&self) -> bool {
        self.premise.is_some()
    }

    /// True if the premise holds in a state; false if the property has none.
    pub(crate) fn premise_holds(&self, state: &StateOf<S>) -> bool {
        named(PROPERTY, || {
            self.premise.as_ref().is_some_and(|premise| premise(state))
        })
    }

    /// True if the conclusion holds in a state.
    pub(crate) fn conclusion_holds(&self, state: &StateOf<S>) -> bool {
        named(PROPERTY, || (self.conclusion)(state))
    }

    /// The same property under another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// The property of `T` that says of the images of its states under `map` what this one says.
    pub fn pull_back<T: TransitionSystem>(
        &self,
        map: impl Fn(&StateOf<T>) -> StateOf<S> + Send + Sync + 'static,
    ) -> Property<T> {
        let map = Arc::new(map);
        self.through(|predicate| {
            let map = map.clone();
            Arc::new(move |state| predicate(&map(state)))
        })
    }

    /// The same property of a system whose states have no type.
    pub(crate) fn erased<T: TransitionSystem<State = ErasedState>>(&self) -> Property<T> {
        self.through(|predicate| {
            let name = self.name.clone();
            Arc::new(move |state: &ErasedState| {
                let function = || Function::Property(name.clone());
                call(function, Some(state), || predicate(state.get()))
            })
        })
    }

    /// The same property of predicates that are made of its own.
    fn through<T: TransitionSystem>(
        &self,
        made: impl Fn(Predicate<StateOf<S>>) -> Predicate<StateOf<T>>,
    ) -> Property<T> {
        let through = |predicate: &Predicate<StateOf<S>>| made(predicate.clone());
        Property {
            name: self.name.clone(),
            source: self.source.clone(),
            formula: self.formula,
            premise: self.premise.as_ref().map(through),
            conclusion: through(&self.conclusion),
        }
    }
}

impl<S: TransitionSystem> Clone for Property<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            source: self.source.clone(),
            formula: self.formula,
            premise: self.premise.clone(),
            conclusion: self.conclusion.clone(),
        }
    }
}

impl<S: TransitionSystem> fmt::Debug for Property<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.formula.kind(), self.name)
    }
}
