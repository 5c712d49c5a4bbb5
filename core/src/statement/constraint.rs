//! State constraints: predicates that bound exploration.
//!
//! Source: Lamport, *Specifying Systems*, section 14.3.1 (`CONSTRAINT` of TLC).
//! Left out: constraints on steps. A constraint is part of a check's instance and never of a system: a specification that is
//! constrained as an implementation allows what it allows.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::statement::asked::calls::{Function, call};
use crate::statement::asked::model_call::named;
use crate::statement::erased::ErasedState;
use crate::statement::invariant::PredicateOf;
use crate::statement::system::{StateOf, TransitionSystem};

/// A named predicate on the states of `S` that bounds exploration: only from states that satisfy it steps are taken.
///
/// A state outside of it, to which a step leads, is looked at like any other and is not expanded. It is counted apart, and so
/// are the steps that lead to it.
///
/// ```
/// # use refmap::TransitionSystem;
/// # struct Counter;
/// # impl TransitionSystem for Counter {
/// #     type State = u8;
/// #     type Action = &'static str;
/// #     type Observation = u8;
/// #     fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0); }
/// #     fn fire(&self, _: &&'static str, _: &mut u8) -> Option<()> { None }
/// #     fn observe(&self, state: &u8) -> u8 { *state }
/// # }
/// use refmap::Constraint;
///
/// let constraint = Constraint::<Counter>::new("counters up to 2", |counter| *counter <= 2);
/// assert!(constraint.contains(&2) && !constraint.contains(&3));
/// ```
pub struct Constraint<S: TransitionSystem> {
    name: Cow<'static, str>,
    within: Arc<PredicateOf<S>>,
}

impl<S: TransitionSystem> Constraint<S> {
    /// A constraint, with the name by which verdicts speak of it: the bound that it sets, as `counters up to 2`.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        within: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            within: Arc::new(within),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if `state` satisfies it.
    pub fn contains(&self, state: &StateOf<S>) -> bool {
        named("the constraint", || (self.within)(state))
    }

    /// The constraint of `T` that a state satisfies if its image under `map` satisfies this one.
    pub fn pull_back<T: TransitionSystem>(
        &self,
        map: impl Fn(&StateOf<T>) -> StateOf<S> + Send + Sync + 'static,
    ) -> Constraint<T> {
        let within = self.within.clone();
        Constraint {
            name: self.name.clone(),
            within: Arc::new(move |state| within(&map(state))),
        }
    }

    /// The same constraint of a system whose states have no type.
    pub(crate) fn erased<T: TransitionSystem<State = ErasedState>>(&self) -> Constraint<T> {
        let (name, within) = (self.name.clone(), self.within.clone());
        Constraint {
            name: self.name.clone(),
            within: Arc::new(move |state: &ErasedState| {
                let function = || Function::Constraint(name.clone());
                call(function, Some(state), || within(state.get()))
            }),
        }
    }

    /// The constraint of the states that satisfy both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (own, others) = (self.within, other.within);
        Self {
            name: Cow::Owned(format!("{}, {}", self.name, other.name)),
            within: Arc::new(move |state| own(state) && others(state)),
        }
    }
}

impl<S: TransitionSystem> Clone for Constraint<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            within: self.within.clone(),
        }
    }
}

impl<S: TransitionSystem> fmt::Debug for Constraint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Constraint({:?})", self.name)
    }
}
