//! A level of the refinement: the mutators of Fig. 8 beside a collector, in which alone the levels differ.
//!
//! Source: Havelund & Shankar, section 6 and Appendix A.3.

use std::marker::PhantomData;

use refmap::{
    Choices, Drawing, Fairness, Process, Rule, RuleId, TransitionSystem, TypeCorrect, offer_changed,
};

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::Memory;
use super::mutator::{self, MutatorRules, Numbers, Step};
use super::scope::Scope;
use super::shared::Shared;
use crate::heap;

/// A collector [Figs. 9, 12 and 14], known by its actions: the variables of its level, and its rules.
pub trait Collector: refmap::Action + Copy {
    /// A state of the level: CHI, the variables of Fig. 6, and those of the collector alone.
    type State: refmap::State<Level<Self>> + Copy + AsRef<Shared> + AsMut<Shared>;

    /// The initial state with these variables.
    fn starting(shared: Shared) -> Self::State;

    /// Visits the steps that may be enabled in `from`, and all that are.
    fn candidates(scope: &Scope, from: &Self::State, visit: &mut impl FnMut(Self));

    /// The rule of this action [the figure of the level]: whether it is enabled in the state of `command`, which it then
    /// changes.
    fn fire(self, scope: &Scope, command: Command<'_, Self::State>) -> bool;

    /// A state within the ranges of the figure.
    fn type_correct(level: &Level<Self>, choices: &mut Choices) -> Self::State;

    /// The same with the mutators renumbered, of which element m is the new number of mutator m: of an action that names none.
    #[must_use]
    fn permuted(self, _by: &[u8]) -> Self {
        self
    }

    /// Cites another text of the figure, where the instance follows one, and leaves out the last rules, where it has none of them.
    fn cite(_scope: &Scope, _rules: &mut Vec<Rule>) {}
}

/// The level with the collector whose actions are of type `A`.
pub struct Level<A> {
    /// The instance.
    pub scope: Scope,
    /// A seeded fault; `None` for the algorithm itself.
    pub mutant: Option<Mutant>,
    rules: Vec<Rule>,
    numbers: Numbers,
    collector: PhantomData<fn() -> A>,
}

impl<A: Collector> Level<A> {
    /// The level for an instance.
    pub fn new(scope: Scope) -> Self {
        let mut of_collector = A::rules().to_vec();
        A::cite(&scope, &mut of_collector);
        Self {
            scope,
            mutant: None,
            rules: [mutator::rules(scope.mutator), of_collector].concat(),
            numbers: Numbers::new(scope.mutator),
            collector: PhantomData,
        }
    }

    /// Whether the rule of `action` is enabled in `s`, which it then changes.
    #[inline]
    fn collector(&self, s: &mut A::State, action: A) -> bool {
        let command = Command::new(s, self.mutant, self.numbers.of_collector(&action));
        action.fire(&self.scope, command)
    }

    /// Whether the rule of `action` is enabled in `s`, which it then changes.
    #[inline]
    fn take(&self, s: &mut A::State, action: Step<A>) -> bool {
        match action {
            Step::Mutator(action) => self.mutators().take(s.as_mut(), action),
            Step::Collector(action) => self.collector(s, action),
        }
    }

    fn mutators(&self) -> MutatorRules {
        MutatorRules {
            scope: self.scope,
            mutant: self.mutant,
            numbers: self.numbers,
        }
    }
}

impl<A: Collector> From<Scope> for Level<A> {
    fn from(scope: Scope) -> Self {
        Self::new(scope)
    }
}

impl<A> AsRef<Scope> for Level<A> {
    fn as_ref(&self) -> &Scope {
        &self.scope
    }
}

impl<A: Collector> TransitionSystem for Level<A> {
    type State = A::State;
    type Action = Step<A>;
    type Observation = Memory;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    #[inline]
    fn rule_of(&self, action: &Step<A>) -> RuleId {
        self.numbers.of(action)
    }

    fn process_of(&self, action: &Step<A>) -> Process {
        heap::process_of(action, self.scope.mutators)
    }

    fn initial(&self, visit: &mut impl FnMut(A::State)) {
        Shared::initial(&self.scope)
            .map(A::starting)
            .for_each(visit);
    }

    #[inline]
    fn next(&self, from: &A::State, visit: &mut impl FnMut(Step<A>, A::State)) {
        self.mutators().steps(from, visit);
        A::candidates(&self.scope, from, &mut |action| {
            let step = Step::Collector(action);
            offer_changed(visit, step, from, |s| self.collector(s, action));
        });
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.scope.conditions(&self.rules)
    }

    fn observe(&self, state: &A::State) -> Memory {
        state.as_ref().m
    }

    fn draw(&self, state: &A::State) -> Option<Drawing> {
        let Shared { m, c, .. } = state.as_ref();
        Some(drawing::memory(m, Some(*c)))
    }

    fn is_initial(&self, state: &A::State) -> bool {
        let shared = *state.as_ref();
        *state == A::starting(shared) && shared.is_initial(&self.scope)
    }

    #[inline]
    fn successor(&self, from: &A::State, action: &Step<A>) -> Option<A::State> {
        let mut to = *from;
        self.take(&mut to, *action).then_some(to)
    }

    /// PERF: called at every step of the level below. The successor is compared in place, so it is not moved.
    #[inline]
    fn allows(&self, from: &A::State, action: &Step<A>, to: &A::State) -> bool {
        let mut s = *from;
        self.take(&mut s, *action) && s == *to
    }
}

impl<A: Collector> TypeCorrect for Level<A> {
    fn type_correct(&self, choices: &mut Choices) -> A::State {
        A::type_correct(self, choices)
    }
}
