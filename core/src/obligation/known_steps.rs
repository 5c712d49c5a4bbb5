//! Steps of the specification from the mapped state of which the steps are looked at.
//!
//! PERF: what is derived of a specification enumerates its steps for each step of the implementation, and those of one state
//! begin in one mapped state. Nothing is kept for the next state: that two mapped states are equal is a claim of the model.

use std::any::type_name;

use crate::derived::{Derived, is_overridden};
use crate::model_call::named;
use crate::system::{ActionOf, StateOf, StepOf, TransitionSystem};
use crate::visit::visit_steps;

/// The most steps of a state that are kept.
const MOST_STEPS: usize = 64;

/// Steps of a specification, from one of its states.
pub(super) struct KnownSteps<S: TransitionSystem> {
    /// Steps in the order of `next`, if they were asked for.
    steps: Vec<StepOf<S>>,
    is_known: bool,
    /// False once a state has had too many.
    is_worth_it: bool,
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
            steps: Vec::new(),
            is_known: false,
            is_worth_it: true,
        }
    }

    /// Forgets the steps: another state is looked at.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// True if the specification, of which `allows` is derived, takes a step from `from` to `to`; none if there are too many
    /// steps to keep. It is asked about one `from` until it is told to [`forget`](Self::forget).
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
        if !self.is_known {
            self.enumerate(specification, from);
            self.is_worth_it = self.steps.len() <= MOST_STEPS;
            self.is_known = self.is_worth_it;
            if !self.is_worth_it {
                return None;
            }
        }
        Some(named(
            "`eq` of an action or a state of the specification",
            || {
                let mut steps = self.steps.iter();
                let first = steps.find(|(offered, _)| offered == action);
                first.is_some_and(|(_, target)| target == to)
            },
        ))
    }

    /// Visits all steps of a state, and keeps one more than may be kept at most.
    #[inline(never)]
    fn enumerate(&mut self, specification: &S, from: &StateOf<S>) {
        let steps = &mut self.steps;
        named("`next` of the specification", || {
            steps.clear();
            visit_steps(specification, from, &mut |action, to| {
                if steps.len() <= MOST_STEPS {
                    steps.push((action, to));
                }
            });
        });
    }
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

    /// Many steps are asked about at each of many states.
    #[test]
    fn known_steps_allow_what_the_specification_does() {
        let generator = &mut Generator::new(3);
        let graph = drawn(generator, 5);
        let mut known = KnownSteps::new();
        let mut answers = [0; 2];
        let mut from = 0;
        for _ in 0..200_000 {
            if generator.below(4) == 0 {
                from = generator.below(1000) as u32;
                known.forget();
            }
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
        let first = states.find(|from| {
            known.forget();
            known.allow(&graph, from, &0, &0).is_none()
        });
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
