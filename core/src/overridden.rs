//! Which of the methods that are derived from `next` and `initial` a system overrides.
//!
//! A trait does not tell, so each derived method says that it runs, while that is watched.

use std::any::type_name;
use std::cell::Cell;

use crate::model_call::named;
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::visit::visit_offers;

/// Derived method of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
    IsInitial,
    Successor,
    Allows,
    Offers,
}

thread_local! {
    /// The derived method that is watched, of the type of this name. A system that hands a call on to another type overrides it.
    static WATCHED: Cell<Option<(Derived, &'static str)>> = const { Cell::new(None) };
}

/// Says that a derived method runs, and is answered whether it is watched: then nobody needs its result.
/// PERF: in a search nothing is watched, and to see that takes a load that is in the cache.
#[inline]
pub(crate) fn is_watched<S: TransitionSystem + ?Sized>(method: Derived) -> bool {
    let is_watched = WATCHED.get() == Some((method, type_name::<S>()));
    if is_watched {
        WATCHED.set(None);
    }
    is_watched
}

/// The derived methods that a system overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overridden {
    pub is_initial: bool,
    pub successor: bool,
    pub allows: bool,
    pub offers: bool,
}

impl Overridden {
    /// All of them, as far as is known.
    pub const ALL: Self = Self {
        is_initial: true,
        successor: true,
        allows: true,
        offers: true,
    };

    /// Those of `system`, which are called once. Panics of the model are passed on.
    pub fn of<S: TransitionSystem>(system: &S, state: &StateOf<S>, action: &ActionOf<S>) -> Self {
        Self {
            is_initial: is_overridden::<S>(Derived::IsInitial, "`is_initial`", || {
                system.is_initial(state);
            }),
            successor: is_overridden::<S>(Derived::Successor, "`successor`", || {
                system.successor(state, action);
            }),
            allows: is_overridden::<S>(Derived::Allows, "`allows`", || {
                system.allows(state, action, state);
            }),
            offers: is_overridden::<S>(Derived::Offers, "`offers`", || {
                visit_offers(system, state, &mut |_| ());
            }),
        }
    }

    /// Whether something is that is derived from `next`.
    pub fn of_steps(self) -> bool {
        self.successor || self.allows || self.offers
    }
}

fn is_overridden<S: TransitionSystem>(method: Derived, name: &str, call: impl FnOnce()) -> bool {
    /// Watches until it is dropped, by a panic too.
    struct Watch;
    impl Drop for Watch {
        fn drop(&mut self) {
            WATCHED.set(None);
        }
    }
    let _watch = Watch;
    WATCHED.set(Some((method, type_name::<S>())));
    named(name, call);
    WATCHED.get().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Rule, RuleId};

    /// Steps from 0 to 1, and overrides nothing.
    struct System(Option<Derived>);

    /// The same, handed on; how, its system says.
    struct Outer(System);

    const RULES: &[Rule] = &[Rule::new("step", "one", "")];

    impl TransitionSystem for System {
        type State = u8;
        type Action = ();
        type Observation = u8;

        fn rules(&self) -> &[Rule] {
            RULES
        }

        fn rule_of(&self, (): &()) -> RuleId {
            RuleId(0)
        }

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            visit(0);
        }

        fn next(&self, from: &u8, visit: &mut impl FnMut((), u8)) {
            if *from == 0 {
                visit((), 1);
            }
        }

        fn observe(&self, state: &u8) -> u8 {
            *state
        }
    }

    impl TransitionSystem for Outer {
        type State = u8;
        type Action = ();
        type Observation = u8;

        fn rules(&self) -> &[Rule] {
            RULES
        }

        fn rule_of(&self, (): &()) -> RuleId {
            RuleId(0)
        }

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            self.0.initial(visit);
        }

        fn next(&self, from: &u8, visit: &mut impl FnMut((), u8)) {
            self.0.next(from, visit);
        }

        fn observe(&self, state: &u8) -> u8 {
            *state
        }

        fn allows(&self, from: &u8, action: &(), to: &u8) -> bool {
            // An override may be made of what is derived, of this type and of another one.
            match self.0.0 {
                Some(Derived::Allows) => self.successor(from, action) == Some(*to),
                _ => self.0.allows(from, action, to),
            }
        }

        fn is_initial(&self, state: &u8) -> bool {
            self.0.is_initial(state)
        }
    }

    #[test]
    fn what_a_type_overrides_is_told_from_what_is_derived() {
        let none = Overridden {
            is_initial: false,
            successor: false,
            allows: false,
            offers: false,
        };
        assert_eq!(Overridden::of(&System(None), &0, &()), none);
        for of in [None, Some(Derived::Allows)] {
            let outer = Overridden {
                is_initial: true,
                allows: true,
                ..none
            };
            assert_eq!(Overridden::of(&Outer(System(of)), &0, &()), outer);
        }
        assert_eq!(WATCHED.get(), None);
    }
}
