//! Named state predicates.
//!
//! Source: Havelund & Shankar, Definition 3 and Appendix B.2.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::statement::asked::calls::{Function, call};
use crate::statement::asked::model_call::named_invariant;
use crate::statement::erased::ErasedState;
use crate::statement::system::{StateOf, TransitionSystem};

/// A predicate on the states of `S`.
pub(crate) type PredicateOf<S> = dyn Fn(&StateOf<S>) -> bool + Send + Sync;

/// A predicate that is shared.
pub(crate) type Predicate<T> = Arc<dyn Fn(&T) -> bool + Send + Sync>;

/// A named predicate on the states of `S`: `when` implies `holds`.
///
/// The premise is apart from the conclusion so that coverage can count how often it was true: an
/// implication whose premise never holds says nothing.
pub struct Invariant<S: TransitionSystem> {
    name: Cow<'static, str>,
    source: Cow<'static, str>,
    premise: Option<Predicate<StateOf<S>>>,
    holds: Predicate<StateOf<S>>,
}

impl<S: TransitionSystem> Invariant<S> {
    /// An invariant with its name, where it comes from or what it is for, and its predicate.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        source: impl Into<Cow<'static, str>>,
        holds: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            premise: None,
            holds: Arc::new(holds),
        }
    }

    /// The same, claimed only of the states that satisfy `premise`.
    #[must_use]
    pub fn when(mut self, premise: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static) -> Self {
        self.premise = Some(match self.premise.take() {
            None => Arc::new(premise),
            Some(earlier) => Arc::new(move |state| earlier(state) && premise(state)),
        });
        self
    }

    /// Its name, unique within a refinement.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Source from which it comes, or its purpose.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// True if it has a premise of its own.
    pub fn has_premise(&self) -> bool {
        self.premise.is_some()
    }

    /// True if something is claimed of `state`: the premise holds, or there is none.
    pub fn applies(&self, state: &StateOf<S>) -> bool {
        let applies = |premise: &Predicate<StateOf<S>>| premise(state);
        named_invariant(&self.name, || self.premise.as_ref().is_none_or(applies))
    }

    /// The predicates themselves, premise and conclusion.
    pub(crate) fn predicates(&self) -> (Option<&PredicateOf<S>>, &PredicateOf<S>) {
        (self.premise.as_deref(), &*self.holds)
    }

    /// The conclusion alone, whatever the premise.
    pub fn concludes(&self, state: &StateOf<S>) -> bool {
        named_invariant(&self.name, || (self.holds)(state))
    }

    /// True if `state` satisfies the implication.
    pub fn holds(&self, state: &StateOf<S>) -> bool {
        !self.applies(state) || self.concludes(state)
    }

    /// The invariant of `T` that holds of a state where this one holds of its image under `map`.
    pub fn pull_back<T: TransitionSystem>(
        &self,
        map: impl Fn(&StateOf<T>) -> StateOf<S> + Send + Sync + 'static,
    ) -> Invariant<T> {
        let map = Arc::new(map);
        self.through(|predicate| {
            let map = map.clone();
            Arc::new(move |state| predicate(&map(state)))
        })
    }

    /// The same invariant of a system whose states have no type.
    pub(crate) fn erased<T: TransitionSystem<State = ErasedState>>(&self) -> Invariant<T> {
        self.through(|predicate| {
            let name = self.name.clone();
            Arc::new(move |state: &ErasedState| {
                let function = || Function::Invariant(name.clone());
                call(function, Some(state), || predicate(state.get()))
            })
        })
    }

    /// The same invariant of predicates that are made of its own.
    fn through<T: TransitionSystem>(
        &self,
        made: impl Fn(Predicate<StateOf<S>>) -> Predicate<StateOf<T>>,
    ) -> Invariant<T> {
        let through = |predicate: &Predicate<StateOf<S>>| made(predicate.clone());
        Invariant {
            name: self.name.clone(),
            source: self.source.clone(),
            premise: self.premise.as_ref().map(through),
            holds: through(&self.holds),
        }
    }

    /// The same invariant under another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }
}

impl<S: TransitionSystem> Clone for Invariant<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            source: self.source.clone(),
            premise: self.premise.clone(),
            holds: self.holds.clone(),
        }
    }
}

impl<S: TransitionSystem> fmt::Debug for Invariant<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invariant({:?}, {:?})", self.name, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter that goes on.
    struct Counter;

    impl TransitionSystem for Counter {
        type State = u8;
        type Action = ();
        type Observation = u8;

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            visit(0);
        }
        fn fire(&self, (): &(), state: &mut u8) -> Option<()> {
            *state = state.wrapping_add(1);
            Some(())
        }
        fn observe(&self, state: &u8) -> u8 {
            *state
        }
    }

    fn table(invariant: &Invariant<Counter>) -> Vec<(bool, bool, bool)> {
        let row = |n| {
            let one = invariant;
            (one.applies(&n), one.concludes(&n), one.holds(&n))
        };
        (0..4).map(row).collect()
    }

    /// Premises add up, wherever they come from, and are asked of the image like the conclusion.
    #[test]
    fn a_premise_is_pulled_back_with_its_invariant() {
        let odd = Invariant::<Counter>::new("odd", "a test", |n: &u8| n % 2 == 1);
        assert!(!odd.has_premise());
        assert_eq!(
            table(&odd),
            [(true, false, false), (true, true, true)].repeat(2)
        );
        let above = odd.when(|n: &u8| *n > 0).when(|n: &u8| *n < 3);
        let expected = [
            (false, false, true),
            (true, true, true),
            (true, false, false),
            (false, true, true),
        ];
        assert_eq!(table(&above), expected);
        let pulled: Invariant<Counter> = above.pull_back(|n: &u8| 3 - n).renamed("pulled");
        assert_eq!((pulled.name(), pulled.source()), ("pulled", "a test"));
        assert!(pulled.has_premise());
        let turned: Vec<_> = expected.into_iter().rev().collect();
        assert_eq!(table(&pulled), turned);
        assert_eq!(table(&pulled.clone()), turned);
        let (premise, conclusion) = pulled.predicates();
        assert!(!premise.expect("it has one")(&0) && conclusion(&0));
    }
}
