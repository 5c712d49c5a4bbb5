//! A level of the refinement: the mutators of Fig. 8 beside a collector, in which alone the levels differ.
//!
//! Source: Havelund & Shankar, section 6 and Appendix A.3.

use std::marker::PhantomData;

use refmap::drawing::Drawing;
use refmap::state::NameVisitor;
use refmap::{Choices, Fairness, Process, Rule, RuleId, TransitionSystem, TypeCorrect};

use super::command::{Command, Mutant};
use super::drawing;
use super::memory::Memory;
use super::mutator::{self, MutatorRules, Numbers, Step};
use super::scope::Scope;
use super::shape::Node;
use super::shared::Shared;

/// A collector [Figs. 9, 12 and 14], known by its actions: the variables of its level, and its rules.
pub trait Collector: refmap::Action<Level<Self>> + Copy {
    /// A state of the level: CHI, the variables of Fig. 6, and those of the collector alone.
    type State: refmap::State<Level<Self>> + Copy + AsRef<Shared> + AsMut<Shared>;

    /// The initial state with these variables.
    fn starting(shared: Shared) -> Self::State;

    /// Visits the steps that are tried in `from`: all that are enabled, and others.
    #[inline]
    fn tried(level: &Level<Self>, _from: &Self::State, visit: &mut impl FnMut(Self)) {
        Self::candidates(level, visit);
    }

    /// Fires the rule of this action [the figure of the level] in the state of `command`.
    fn fire(self, scope: &Scope, command: Command<'_, Self::State>) -> Option<()>;

    /// A state within the ranges of the figure.
    fn type_correct(level: &Level<Self>, choices: &mut Choices) -> Self::State;

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
        let mut level = Self {
            scope,
            mutant: None,
            rules: mutator::rules(scope.mutator),
            numbers: Numbers::new(scope.mutator),
            collector: PhantomData,
        };
        let mut of_collector = A::rules(&level).to_vec();
        A::cite(&scope, &mut of_collector);
        level.rules.append(&mut of_collector);
        level
    }

    /// Fires a step; `accessible` says of a node whether the memory makes it so.
    #[inline(always)]
    fn take(
        &self,
        step: &Step<A>,
        s: &mut A::State,
        accessible: impl Fn(Node) -> bool,
    ) -> Option<()> {
        match *step {
            Step::Mutator(action) => self.mutators().fire(action, s.as_mut(), accessible),
            Step::Collector(action) => {
                let rule = self.numbers.of_collector(action.rule(self));
                action.fire(&self.scope, Command::new(s, self.mutant, rule))
            }
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

/// The rules depend on the order of the mutator's steps, and a single mutator has no number.
impl<A: Collector> refmap::Action<Level<A>> for Step<A> {
    fn rules(level: &Level<A>) -> &[Rule] {
        &level.rules
    }

    #[inline]
    fn rule(&self, level: &Level<A>) -> RuleId {
        match self {
            Self::Mutator(action) => {
                let number = level.numbers.of_mutator(*action);
                number.expect("a step of its order is taken")
            }
            Self::Collector(action) => level.numbers.of_collector(action.rule(level)),
        }
    }

    #[inline]
    fn process(&self, level: &Level<A>) -> Process {
        match self {
            Self::Mutator(action) => {
                let mut process = action.process(&level.scope);
                process.number = process.number.filter(|_| level.scope.mutators > 1);
                process
            }
            Self::Collector(action) => action.process(level),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        match self {
            Self::Mutator(action) => refmap::Action::<Scope>::visit_names(action, visit),
            Self::Collector(action) => action.visit_names(visit),
        }
    }
}

impl<A: Collector> TransitionSystem for Level<A> {
    type State = A::State;
    type Action = Step<A>;
    type Observation = Memory;

    fn initial(&self, visit: &mut impl FnMut(A::State)) {
        Shared::initial(&self.scope)
            .map(A::starting)
            .for_each(visit);
    }

    #[inline]
    fn candidates(&self, from: &A::State, visit: &mut impl FnMut(Step<A>)) {
        let mut mutators = |action| visit(Step::Mutator(action));
        self.mutators().candidates(from.as_ref(), &mut mutators);
        A::tried(self, from, &mut |action| visit(Step::Collector(action)));
    }

    #[inline]
    fn fire(&self, step: &Step<A>, s: &mut A::State) -> Option<()> {
        let m = s.as_ref().m;
        self.take(step, s, |k| m.is_accessible(k))
    }

    /// PERF: most steps of a state redirect a cell to an accessible node, and which nodes are so is found out once for all.
    fn next(&self, from: &A::State, visit: &mut impl FnMut(Step<A>, &A::State)) {
        let accessible = from.as_ref().m.accessible();
        let mut s = *from;
        self.candidates(from, &mut |step| {
            let taken = self.take(&step, &mut s, |k| accessible.contains(k));
            if taken.is_some() {
                visit(step, &s);
            }
            s = *from;
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
}

impl<A: Collector> TypeCorrect for Level<A> {
    fn type_correct(&self, choices: &mut Choices) -> A::State {
        A::type_correct(self, choices)
    }
}
