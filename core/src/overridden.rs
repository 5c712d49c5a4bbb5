//! Methods derived from `next` and `initial` that a system overrides.

use crate::derived::{Derived, is_overridden};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::visit::visit_offers;

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

    /// Those of `system`, which are called once. `name` is that of the type of which it is asked, where the system hands calls on
    /// to another one. Panics of the model are passed on.
    pub fn of<S: TransitionSystem>(
        system: &S,
        name: &'static str,
        state: &StateOf<S>,
        action: &ActionOf<S>,
    ) -> Self {
        Self {
            is_initial: is_overridden(name, Derived::IsInitial, "`is_initial`", || {
                system.is_initial(state);
            }),
            successor: is_overridden(name, Derived::Successor, "`successor`", || {
                system.successor(state, action);
            }),
            allows: is_overridden(name, Derived::Allows, "`allows`", || {
                system.allows(state, action, state);
            }),
            offers: is_overridden(name, Derived::Offers, "`offers`", || {
                visit_offers(system, state, &mut |_| ());
            }),
        }
    }

    /// Whether something is that is derived from `next`.
    pub fn of_steps(self) -> bool {
        self.successor || self.allows || self.offers
    }
}

#[cfg(test)]
mod tests {
    use std::any::type_name;

    use super::*;
    use crate::derived::is_watched;
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
        assert_eq!(
            Overridden::of(&System(None), type_name::<System>(), &0, &()),
            none
        );
        for of in [None, Some(Derived::Allows)] {
            let outer = Overridden {
                is_initial: true,
                allows: true,
                ..none
            };
            assert_eq!(
                Overridden::of(&Outer(System(of)), type_name::<Outer>(), &0, &()),
                outer
            );
        }
        assert!(!is_watched());
    }
}
