//! Methods derived from `next` and `initial` that a system overrides.

use std::any::type_name;

use crate::statement::asked::derived::{Derived, is_overridden};
use crate::statement::asked::model_call::{break_off, until_enough};
use crate::statement::asked::visit::{visit_candidates, visit_steps};
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};

/// The derived methods that a system overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overridden {
    pub is_initial: bool,
    /// Candidates of the system are known: it overrides them, or its actions derive them.
    pub candidates: bool,
    pub next: bool,
    pub allows: bool,
}

impl Overridden {
    /// All of them, as far as is known; candidates are not known.
    pub const ALL: Self = Self {
        is_initial: true,
        candidates: false,
        next: true,
        allows: true,
    };

    /// Those of `system`, which are called once. `name` is that of the type of which it is asked, where the system hands calls on
    /// to another one, and `derives_candidates` says whether its actions derive candidates. Panics of the model are passed on.
    pub fn of<S: TransitionSystem>(
        system: &S,
        name: &'static str,
        derives_candidates: bool,
        state: &StateOf<S>,
        action: &ActionOf<S>,
    ) -> Self {
        let name = Some(name);
        Self {
            is_initial: is_overridden(name, Derived::IsInitial, "`is_initial`", || {
                system.is_initial(state);
            }),
            candidates: derives_candidates
                || is_overridden(name, Derived::Candidates, "`candidates`", || {
                    until_enough(|| visit_candidates(system, state, &mut |_| break_off()));
                }),
            next: is_overridden(name, Derived::Next, "`next`", || {
                until_enough(|| visit_steps(system, state, &mut |_, _| break_off()));
            }),
            allows: is_overridden(name, Derived::Allows, "`allows`", || {
                system.allows(state, action, state);
            }),
        }
    }

    /// True if a system leaves `allows` as it is derived from `fire`. Panics of the model are passed on.
    pub fn leaves_allows<S: TransitionSystem>(
        system: &S,
        state: &StateOf<S>,
        action: &ActionOf<S>,
    ) -> bool {
        !is_overridden(Some(type_name::<S>()), Derived::Allows, "`allows`", || {
            system.allows(state, action, state);
        })
    }

    /// Whether steps are stated in more than one way.
    pub fn of_steps(self) -> bool {
        self.allows || self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::type_name;

    use crate::statement::asked::derived::is_watched;
    use crate::statement::system::successor;

    /// Steps from 0 to 1, and overrides nothing.
    struct System(Option<Derived>);

    /// The same, handed on; how, its system says.
    struct Outer(System);

    impl TransitionSystem for System {
        type State = u8;
        type Action = ();
        type Observation = u8;

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            visit(0);
        }

        fn fire(&self, (): &(), state: &mut u8) -> Option<()> {
            (std::mem::replace(state, 1) == 0).then_some(())
        }

        fn observe(&self, state: &u8) -> u8 {
            *state
        }
    }

    impl TransitionSystem for Outer {
        type State = u8;
        type Action = ();
        type Observation = u8;

        fn initial(&self, visit: &mut impl FnMut(u8)) {
            self.0.initial(visit);
        }

        fn fire(&self, (): &(), state: &mut u8) -> Option<()> {
            self.0.fire(&(), state)
        }

        fn next(&self, from: &u8, visit: &mut impl FnMut((), &u8)) {
            self.0.next(from, visit);
        }

        fn observe(&self, state: &u8) -> u8 {
            *state
        }

        fn allows(&self, from: &u8, action: &(), to: &u8) -> bool {
            // An override may be made of what is derived, of this type and of another one.
            match self.0.0 {
                Some(Derived::Allows) => successor(self, from, action) == Some(*to),
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
            candidates: true,
            next: false,
            allows: false,
        };
        assert_eq!(
            Overridden::of(&System(None), type_name::<System>(), true, &0, &()),
            none
        );
        for of in [None, Some(Derived::Allows)] {
            let outer = Overridden {
                is_initial: true,
                next: true,
                allows: true,
                ..none
            };
            assert_eq!(
                Overridden::of(&Outer(System(of)), type_name::<Outer>(), true, &0, &()),
                outer
            );
        }
        assert!(!is_watched());
    }
}
