//! Steps of the specification from the mapped states that a worker met last.
//!
//! PERF: what is derived of a specification enumerates its steps for each step of the implementation; from a mapped state they
//! are the same each time, and mostly the state is that of the step before.

use std::any::type_name;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::derived::{Derived, is_overridden};
use crate::model_call::named;
use crate::system::{ActionOf, StateOf, StepOf, TransitionSystem};
use crate::visit::visit_steps;

/// Mapped states whose steps are kept.
const STATES: usize = 256;
/// The most steps of a state that are kept.
const MOST_STEPS: usize = 64;

/// Steps of a specification, from some of its states.
pub(super) struct KnownSteps<S: TransitionSystem> {
    /// By a hash of the state, the last one that was met with its steps.
    known: Vec<Option<Known<S>>>,
    hasher: FixedState,
    /// False if it is not worth it: a state has too many steps.
    is_worth_it: bool,
}

/// A state, and its steps.
struct Known<S: TransitionSystem> {
    state: StateOf<S>,
    steps: Vec<StepOf<S>>,
}

/// True if `allows` of a specification compares with the steps that `next` visits.
pub(super) fn is_derived<S: TransitionSystem>(
    specification: &S,
    state: &StateOf<S>,
    action: &ActionOf<S>,
) -> bool {
    let name = type_name::<S>();
    let allows = || {
        specification.allows(state, action, state);
    };
    let successor = || {
        specification.successor(state, action);
    };
    !is_overridden(name, Derived::Allows, "`allows`", allows)
        && !is_overridden(name, Derived::Successor, "`successor`", successor)
}

impl<S: TransitionSystem> KnownSteps<S> {
    pub fn new() -> Self {
        Self {
            known: Vec::new(),
            hasher: FixedState::default(),
            is_worth_it: true,
        }
    }

    /// Whether the specification, of which `allows` is derived, takes a step from `from` to `to`; none if there are too many
    /// steps to keep.
    pub fn allow(
        &mut self,
        specification: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Option<bool> {
        if !self.is_worth_it {
            return None;
        }
        if self.known.is_empty() {
            self.known.resize_with(STATES, || None);
        }
        let hash = named("`hash` of a state of the specification", || {
            self.hasher.hash_one(from)
        });
        let place = &mut self.known[hash as usize % STATES];
        let is_it = |known: &Known<S>| {
            named("`eq` of a state of the specification", || {
                known.state == *from
            })
        };
        if !place.as_ref().is_some_and(is_it) {
            let steps = steps(specification, from);
            if steps.len() > MOST_STEPS {
                self.is_worth_it = false;
                return None;
            }
            let state = named("`clone` of a state of the specification", || from.clone());
            *place = Some(Known { state, steps });
        }
        let Known { steps, .. } = place.as_ref()?;
        Some(named(
            "`eq` of an action or a state of the specification",
            || {
                let mut steps = steps.iter();
                let first = steps.find(|(offered, _)| offered == action);
                first.is_some_and(|(_, target)| target == to)
            },
        ))
    }
}

/// The steps of a state, of which as many are visited as there are, and one more is kept than may be.
#[inline(never)]
fn steps<S: TransitionSystem>(specification: &S, from: &StateOf<S>) -> Vec<StepOf<S>> {
    let mut steps = Vec::new();
    named("`next` of the specification", || {
        visit_steps(specification, from, &mut |action, to| {
            if steps.len() <= MOST_STEPS {
                steps.push((action, to));
            }
        });
    });
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::rule::{Rule, RuleId};

    /// A graph, of which a state is a number; an action may be offered twice.
    struct Graph(Vec<Vec<(u8, u32)>>);

    impl TransitionSystem for Graph {
        type State = u32;
        type Action = u8;
        type Observation = ();

        fn rules(&self) -> &[Rule] {
            const { &[Rule::new("go", "walker", "a test")] }
        }

        fn rule_of(&self, _: &u8) -> RuleId {
            RuleId(0)
        }

        fn initial(&self, visit: &mut impl FnMut(u32)) {
            visit(0);
        }

        fn next(&self, from: &u32, visit: &mut impl FnMut(u8, u32)) {
            for (action, to) in &self.0[*from as usize] {
                visit(*action, *to);
            }
        }

        fn observe(&self, _: &u32) {}
    }

    fn drawn(generator: &mut Generator, most_steps: usize) -> Graph {
        const STATES: usize = 1000;
        let mut steps = || {
            let count = generator.below(most_steps + 1);
            let mut step = || (generator.below(6) as u8, generator.below(STATES) as u32);
            (0..count).map(|_| step()).collect()
        };
        Graph((0..STATES).map(|_| steps()).collect())
    }

    /// More states than are kept, in turns that come back to some of them.
    #[test]
    fn known_steps_allow_what_the_specification_does() {
        let generator = &mut Generator::new(3);
        let graph = drawn(generator, 5);
        let mut known = KnownSteps::new();
        let mut answers = [0; 2];
        for turn in 0..200_000 {
            let near = if turn % 3 == 0 { 1000 } else { 20 };
            let from = generator.below(near) as u32;
            let steps = &graph.0[from as usize];
            let (mut action, mut to) = (generator.below(6) as u8, generator.below(1000) as u32);
            if generator.below(2) == 0 && !steps.is_empty() {
                (action, to) = steps[generator.below(steps.len())];
            }
            let allowed = graph.allows(&from, &action, &to);
            assert_eq!(known.allow(&graph, &from, &action, &to), Some(allowed));
            answers[usize::from(allowed)] += 1;
        }
        assert!(answers.iter().all(|count| *count > 10_000), "{answers:?}");
    }

    #[test]
    fn too_many_steps_are_not_kept() {
        let generator = &mut Generator::new(5);
        let graph = drawn(generator, 3 * MOST_STEPS);
        let mut known = KnownSteps::new();
        let mut states = 0..1000;
        let first = states.find(|from| known.allow(&graph, from, &0, &0).is_none());
        let first = first.expect("a state has too many");
        assert!(graph.0[first as usize].len() > MOST_STEPS);
        assert!(states.all(|from| known.allow(&graph, &from, &0, &0).is_none()));
    }

    #[test]
    fn what_is_derived_is_told_from_what_is_stated() {
        struct Stated(Graph);
        impl TransitionSystem for Stated {
            type State = u32;
            type Action = u8;
            type Observation = ();

            fn rules(&self) -> &[Rule] {
                self.0.rules()
            }

            fn rule_of(&self, action: &u8) -> RuleId {
                self.0.rule_of(action)
            }

            fn initial(&self, visit: &mut impl FnMut(u32)) {
                self.0.initial(visit);
            }

            fn next(&self, from: &u32, visit: &mut impl FnMut(u8, u32)) {
                self.0.next(from, visit);
            }

            fn observe(&self, state: &u32) {
                self.0.observe(state);
            }

            fn allows(&self, from: &u32, action: &u8, to: &u32) -> bool {
                self.0.allows(from, action, to)
            }
        }
        let graph = || drawn(&mut Generator::new(7), 5);
        assert!(is_derived(&graph(), &0, &0));
        assert!(!is_derived(&Stated(graph()), &0, &0));
    }
}
