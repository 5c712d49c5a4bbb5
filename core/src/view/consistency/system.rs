//! A system that is asked again about a state.

use std::sync::OnceLock;

use super::difference::{asked_twice, difference, is_reordered, same, told_apart};
use super::inconsistency::Inconsistency;
use super::sample::some_of;
use crate::statement::asked::disagreement::{Disagreement, StateWithSteps};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::asked::overridden::Overridden;
use crate::statement::erased::{ErasedObservation, ErasedState, ErasedStep, ErasedSystem};
use crate::statement::rule::RuleId;
use crate::statement::shown::number::counted;
use crate::statement::system::steps;

/// Name of a system, and of what of it is asked again, as faults have them.
pub(crate) struct SystemName {
    /// The system: `implementation`, say.
    pub system: &'static str,
    pub initial: &'static str,
    pub next: &'static str,
    pub observe: &'static str,
    pub rule: &'static str,
    pub process: &'static str,
    pub clone_of_state: &'static str,
    pub clone_of_action: &'static str,
    pub states: &'static str,
}

impl SystemName {
    /// Names of an implementation.
    pub const IMPLEMENTATION: Self = Self {
        system: "implementation",
        initial: "`initial` of the implementation",
        next: "`next` of the implementation",
        observe: "`observe` of the implementation",
        rule: "`rule` of the implementation",
        process: "`process` of the implementation",
        clone_of_state: "`clone` of a state",
        clone_of_action: "`clone` of an action",
        states: "states of the implementation",
    };
    /// Names of a specification.
    pub const SPECIFICATION: Self = Self {
        system: "specification",
        initial: "`initial` of the specification",
        next: "`next` of the specification",
        observe: "`observe` of the specification",
        rule: "`rule` of the specification",
        process: "`process` of the specification",
        clone_of_state: "`clone` of a state of the specification",
        clone_of_action: "`clone` of an action of the specification",
        states: "states of the specification",
    };
}

/// A system that is asked again.
pub(crate) struct SystemAgain<'a> {
    system: ErasedSystem<'a>,
    name: SystemName,
    /// Methods that it overrides, found out when they are first asked for.
    overridden: OnceLock<Overridden>,
}

impl<'a> SystemAgain<'a> {
    pub fn new(system: ErasedSystem<'a>, name: SystemName) -> Self {
        Self {
            system,
            name,
            overridden: OnceLock::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &SystemName {
        &self.name
    }

    /// Asks again for the steps of a state, of which there were so many. Those that are known and their rules, as far as these are, are
    /// compared; where none is, they are asked for twice.
    pub fn steps(
        &self,
        state: &ErasedState,
        count: usize,
        known: &[ErasedStep],
        rules: &[usize],
    ) -> Result<Vec<ErasedStep>, Inconsistency> {
        let system = &self.system;
        let SystemName {
            clone_of_state,
            clone_of_action,
            rule,
            process,
            ..
        } = self.name;
        let cloned = |state: &ErasedState| named(clone_of_state, || state.clone());
        same(clone_of_state, state, &cloned(state))?;
        let next = || named(self.name.next, || steps(system, state));
        let again = next();
        let once_more;
        let mut first = known;
        if known.is_empty() {
            once_more = next();
            first = &once_more;
        }
        let show = |step: Option<&(_, _)>| match step {
            Some((action, to)) => format!("{action:?} to {to:?}"),
            None => "none".to_owned(),
        };
        let not_a_function = |first, again| Inconsistency::NotAFunction {
            function: self.name.next.to_owned(),
            first,
            again,
        };
        if again.len() != count {
            let [first, again] = [count, again.len()].map(|count| counted(count as u64, "step"));
            return Err(not_a_function(first, again));
        }
        // What is known are clones.
        for (action, to) in &again {
            let clone = named(clone_of_action, || action.clone());
            same(clone_of_action, action, &clone)?;
            same(clone_of_state, to, &cloned(to))?;
        }
        let mut positions = 0..again.len().max(first.len());
        if let Some(at) = positions.find(|&at| first.get(at) != again.get(at)) {
            return Err(not_a_function(show(first.get(at)), show(again.get(at))));
        }
        for (position, (action, _)) in first.iter().enumerate() {
            asked_twice(rule, || system.call_rule(action))?;
            if let Some(first) = rules.get(position) {
                same(rule, &RuleId(*first), &system.call_rule(action))?;
            }
            asked_twice(process, || system.call_process(action))?;
        }
        Ok(again)
    }

    /// Asks again what a state shows, which is compared with what it showed as `Debug` has it, if that is known.
    pub fn observation(
        &self,
        state: &ErasedState,
        known: Option<&str>,
    ) -> Result<ErasedObservation, Inconsistency> {
        let observe = || self.system.call_observe(state);
        asked_twice(self.name.observe, observe)?;
        let observation = observe();
        if let Some(first) = known {
            let again = named("`Debug` of an observation", || format!("{observation:?}"));
            if !is_reordered(first, &again) {
                return Err(Inconsistency::NotAFunction {
                    function: self.name.observe.to_owned(),
                    first: first.to_owned(),
                    again,
                });
            }
        }
        Ok(observation)
    }

    /// Methods that the system overrides, which are asked of a state with these steps.
    pub fn overridden(&self, state: &ErasedState, next: &[ErasedStep]) -> Overridden {
        let overridden = next.first().map(|(action, _)| {
            let object = self.system.0;
            let of = || {
                let derives = object.derives_candidates();
                Overridden::of(&self.system, object.type_name(), derives, state, action)
            };
            *self.overridden.get_or_init(of)
        });
        overridden.unwrap_or(Overridden::ALL)
    }

    /// Disagreement of what is overridden with the steps of the state of this number; `beyond` is told what is said of steps that `next`
    /// does not visit.
    pub fn disagreement(
        &self,
        state: &ErasedState,
        next: &[ErasedStep],
        number: u64,
        beyond: &mut impl FnMut(Disagreement),
    ) -> Option<Disagreement> {
        let at = StateWithSteps {
            system: &self.system,
            from: state,
            offered: next,
            overridden: self.overridden(state, next),
        };
        let few = some_of(next, number).map(|(action, _)| action);
        at.disagreement(few, std::slice::from_ref(state), &mut |_, found| {
            beyond(found);
        })
    }

    /// Difference between two states that are equal, if they show one, or, where that is asked, functions of the system do.
    pub fn unequal(
        &self,
        kept: &ErasedState,
        to: &ErasedState,
        asks: bool,
    ) -> Option<Inconsistency> {
        let system = &self.system;
        let shown = (!system.are_alike(kept, to)).then(|| difference(kept, to));
        let told = || {
            if !asks {
                None
            } else if system.call_observe(kept) != system.call_observe(to) {
                Some(told_apart("observe", kept, to))
            } else {
                let differ = steps(system, kept) != steps(system, to);
                differ.then(|| told_apart("next", kept, to))
            }
        };
        let difference = shown.flatten().or_else(told)?;
        Some(Inconsistency::Equal {
            what: self.name.states,
            difference,
        })
    }
}
