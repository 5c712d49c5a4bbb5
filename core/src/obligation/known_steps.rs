//! Steps of the specification from mapped states that were met.
//!
//! PERF: what is derived of a specification enumerates its steps for each step of the implementation, and those of one state
//! begin in one mapped state; many states are mapped to one. States are told from one another by the words that are written
//! of them, where these are exact. Where they are not, nothing is kept for the next state: that two mapped states are equal
//! would be a claim of the model.

use std::any::type_name;

use crate::derived::{Derived, is_overridden};
use crate::explore::{Form, MOST_WORDS, exact_form, exact_words};
use crate::model_call::named;
use crate::system::{ActionOf, StateOf, StepOf, TransitionSystem};
use crate::visit::visit_steps;

/// The most steps of a state that are kept.
const MOST_STEPS: usize = 64;
/// Number of slots for states that have words, as a power of two.
const LOG_SLOTS: u32 = 11;

/// Steps of a specification, from some of its states.
pub(super) struct KnownSteps<S: TransitionSystem> {
    /// Form of the states, if their words are exact; not found out before the first question.
    form: Option<Form>,
    /// Slots for states by a hash of their words; or one alone.
    slots: Vec<Slot<S>>,
    /// Place of the slot that has the steps of the state asked about.
    at: Option<usize>,
    /// False once a state has had too many.
    is_worth_it: bool,
}

/// Steps of one state, in the order of `next`.
struct Slot<S: TransitionSystem> {
    /// Words of the state, if it has some, and if its steps are known.
    words: Option<[u64; MOST_WORDS]>,
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
            form: None,
            slots: Vec::new(),
            at: None,
            is_worth_it: true,
        }
    }

    /// Tells that another state will be asked about.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.at = None;
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
        let at = match self.at {
            Some(at) => at,
            None => {
                let at = self.find(specification, from);
                self.is_worth_it = self.slots[at].steps.len() <= MOST_STEPS;
                if !self.is_worth_it {
                    return None;
                }
                *self.at.insert(at)
            }
        };
        let steps = &self.slots[at].steps;
        Some(named(
            "`eq` of an action or a state of the specification",
            || {
                let first = steps.iter().find(|(offered, _)| offered == action);
                first.is_some_and(|(_, target)| target == to)
            },
        ))
    }

    /// The place of the slot that has the steps of a state.
    #[inline(never)]
    fn find(&mut self, specification: &S, from: &StateOf<S>) -> usize {
        if self.slots.is_empty() {
            self.form = named("`shape` of a state of the specification", || {
                exact_form(specification)
            });
            let slots = if self.form.is_some() {
                1 << LOG_SLOTS
            } else {
                1
            };
            let slot = || Slot {
                words: None,
                steps: Vec::new(),
            };
            self.slots.resize_with(slots, slot);
        }
        let words = self.form.and_then(|form| {
            named("`write` of a state of the specification", || {
                exact_words(specification, form, from)
            })
        });
        let place = words.map_or(0, place_of);
        let slot = &mut self.slots[place];
        if words.is_none() || slot.words != words {
            // Where `next` panics the steps are known of no state.
            slot.words = None;
            enumerate(specification, from, &mut slot.steps);
            slot.words = words;
        }
        place
    }
}

/// Place of the slot of a state with these words.
fn place_of([low, high]: [u64; MOST_WORDS]) -> usize {
    // Odd numbers without a pattern, so that the upper bits of the product depend on all bits of the words.
    let mixed = (low ^ high.rotate_left(32).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> (u64::BITS - LOG_SLOTS)) as usize
}

/// Visits all steps of a state, and keeps one more than may be kept at most.
fn enumerate<S: TransitionSystem>(
    specification: &S,
    from: &StateOf<S>,
    steps: &mut Vec<StepOf<S>>,
) {
    named("`next` of the specification", || {
        steps.clear();
        visit_steps(specification, from, &mut |action, to| {
            if steps.len() <= MOST_STEPS {
                steps.push((action, to));
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::rule::{Rule, RuleId};
    use crate::state::State;
    use std::hash::{Hash, Hasher};

    /// A graph, of which a state has a number; an action may be offered twice.
    struct Graph<T> {
        steps: Vec<Vec<(u8, T)>>,
        state: fn(&T) -> u32,
    }

    impl<T: State<Graph<T>>> TransitionSystem for Graph<T> {
        type State = T;
        type Action = u8;
        type Observation = ();

        fn rules(&self) -> &[Rule] {
            const { &[Rule::new("go", "walker", "a test")] }
        }

        fn rule_of(&self, _: &u8) -> RuleId {
            RuleId(0)
        }

        fn initial(&self, visit: &mut impl FnMut(T)) {
            self.steps[0].iter().for_each(|(_, to)| visit(to.clone()));
        }

        fn next(&self, from: &T, visit: &mut impl FnMut(u8, T)) {
            for (action, to) in &self.steps[(self.state)(from) as usize] {
                visit(*action, to.clone());
            }
        }

        fn observe(&self, _: &T) {}
    }

    const STATES: usize = 10_000;

    fn drawn<T>(
        generator: &mut Generator,
        most_steps: usize,
        make: fn(u32) -> T,
        state: fn(&T) -> u32,
    ) -> Graph<T> {
        let mut steps = || {
            let count = generator.below(most_steps + 1);
            let mut step = || {
                (
                    generator.below(6) as u8,
                    make(generator.below(STATES) as u32),
                )
            };
            (0..count).map(|_| step()).collect()
        };
        let steps = (0..STATES).map(|_| steps()).collect();
        Graph { steps, state }
    }

    fn numbers(generator: &mut Generator, most_steps: usize) -> Graph<u32> {
        drawn(generator, most_steps, |number| number, |number| *number)
    }

    /// Many steps are asked about at each of many states, of which a few are met again and again.
    fn ask<T: State<Graph<T>>>(make: fn(u32) -> T, state: fn(&T) -> u32) {
        let generator = &mut Generator::new(3);
        let graph = drawn(generator, 5, make, state);
        let mut known = KnownSteps::new();
        let mut answers = [0; 2];
        let mut from = make(0);
        for _ in 0..200_000 {
            if generator.below(4) == 0 {
                let among = [20, STATES][generator.below(2)];
                from = make(generator.below(among) as u32);
                known.forget();
            }
            let steps = &graph.steps[state(&from) as usize];
            let (mut action, mut to) = (
                generator.below(6) as u8,
                make(generator.below(STATES) as u32),
            );
            if generator.below(2) == 0 && !steps.is_empty() {
                (action, to) = steps[generator.below(steps.len())].clone();
            }
            let allowed = graph.allows(&from, &action, &to);
            assert_eq!(known.allow(&graph, &from, &action, &to), Some(allowed));
            answers[usize::from(allowed)] += 1;
        }
        assert!(answers.iter().all(|count| *count > 10_000), "{answers:?}");
    }

    #[test]
    fn known_steps_allow_what_the_specification_does() {
        ask(|number| number, |number| *number);
        ask(
            |number| [u64::from(number) << 40, 7],
            |[number, _]| (number >> 40) as u32,
        );
        // Two words, of which either is the only one that tells states apart.
        ask(
            |number| [7, u64::from(number) << 40],
            |[_, number]| (number >> 40) as u32,
        );
        ask(
            |number| [u64::from(number) % 100, u64::from(number) / 100],
            |[low, high]| (high * 100 + low) as u32,
        );
    }

    /// A state that says that it equals every other with a number as even as its own.
    #[derive(Clone, Debug, serde::Serialize)]
    struct Vague(u32);

    impl PartialEq for Vague {
        fn eq(&self, other: &Self) -> bool {
            self.0 % 2 == other.0 % 2
        }
    }

    impl Eq for Vague {}

    impl Hash for Vague {
        fn hash<H: Hasher>(&self, hasher: &mut H) {
            (self.0 % 2).hash(hasher);
        }
    }

    impl<S: ?Sized> State<S> for Vague {}

    /// Nothing is concluded from what a model calls equal.
    #[test]
    fn steps_are_those_of_the_state_and_not_of_one_that_equals_it() {
        ask(Vague, |state| state.0);
    }

    #[test]
    fn too_many_steps_are_not_kept() {
        let generator = &mut Generator::new(5);
        let graph = numbers(generator, 3 * MOST_STEPS);
        let mut known = KnownSteps::new();
        let mut states = 0..1000;
        let first = states.find(|from| {
            known.forget();
            known.allow(&graph, from, &0, &0).is_none()
        });
        let first = first.expect("a state has too many");
        assert!(graph.steps[first as usize].len() > MOST_STEPS);
        assert!(states.all(|from| known.allow(&graph, &from, &0, &0).is_none()));
    }

    #[test]
    fn what_is_derived_is_told_from_what_is_stated() {
        struct Stated(Graph<u32>);
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
        let graph = || numbers(&mut Generator::new(7), 5);
        assert!(is_derived(&graph(), &0, &0));
        assert!(!is_derived(&Stated(graph()), &0, &0));
    }
}
