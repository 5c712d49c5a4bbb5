//! Guarded commands: a rule at a program location, `guard → effect`, as the figures write them.
//!
//! Location, guard and effect stand together and in the figures' order:
//! `at(location).when(guard).then(effect)`. All rules are fired here, so a mutant of any of them can be
//! generated mechanically, to test which mutants the obligations detect.

use refmap::RuleId;

/// A mutant: a rule with a seeded fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mutant {
    pub rule: RuleId,
    /// The seeded fault.
    pub mutation: Mutation,
}

/// Mutation operators on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum Mutation {
    /// The guard is dropped: the rule is enabled at its location.
    DropGuard,
    /// The guard is negated.
    NegateGuard,
    /// The effect is dropped, the change of location included.
    DropEffect,
}

/// A rule about to be fired in a state, which it changes.
pub struct Command<'a, S> {
    s: &'a mut S,
    enabled: bool,
    mutation: Option<Mutation>,
}

impl<'a, S> Command<'a, S> {
    /// The rule numbered `rule`, in `s`.
    #[inline]
    pub fn new(s: &'a mut S, mutant: Option<Mutant>, rule: RuleId) -> Self {
        Self {
            s,
            enabled: true,
            mutation: mutant
                .filter(|mutant| mutant.rule == rule)
                .map(|mutant| mutant.mutation),
        }
    }

    /// The location: no mutation moves a rule.
    #[inline]
    pub fn at(mut self, here: impl FnOnce(&S) -> bool) -> Self {
        self.enabled = here(self.s);
        self
    }

    /// The guard; evaluated only at the rule's location, where it is defined.
    #[inline]
    pub fn when(mut self, guard: impl FnOnce(&S) -> bool) -> Self {
        self.enabled = self.enabled
            && match self.mutation {
                Some(Mutation::DropGuard) => true,
                Some(Mutation::NegateGuard) => !guard(self.s),
                Some(Mutation::DropEffect) | None => guard(self.s),
            };
        self
    }

    /// Applies the effect, if the rule is enabled.
    #[inline]
    pub fn then(self, effect: impl FnOnce(&mut S)) -> Option<()> {
        if self.enabled && self.mutation != Some(Mutation::DropEffect) {
            effect(self.s);
        }
        self.enabled.then_some(())
    }
}
