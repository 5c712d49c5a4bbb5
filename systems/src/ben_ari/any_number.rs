//! The algorithm and the specification with any number of mutators, as crowds of these.
//!
//! A step of a mutator is that of a level which has this one alone, and a step of the collector that of a level which has none. A look at a mutator is a step in which
//! the collector meets this one.

use std::sync::Arc;

use refmap::crowd::{Crowd, Others, StateOfCrowd};
use refmap::drawing::Drawing;
use refmap::{Action, Rule, RuleId, TransitionSystem};

use super::level_0::{self, Level0};
use super::level_3::{self, Level3};
use super::locals::{Locals, Mutators};
use super::memory::{AppendToFree, Memory};
use super::mutator::Step;
use super::scope::Scope;
use super::shape::Shape;
use crate::unnumbered::Unnumbered;

/// A level with any number of mutators.
struct Levels<L> {
    /// The level without mutators,
    none: L,
    /// and with one.
    one: L,
}

impl<L> Levels<L> {
    fn new(scope: Scope, level: impl Fn(Scope) -> L) -> Arc<Self> {
        let [none, one] = [0, 1].map(|mutators| level(Scope { mutators, ..scope }));
        Arc::new(Self { none, one })
    }

    /// The one with a mutator, if there is one.
    fn with<M>(&self, me: Option<&M>) -> &L {
        match me {
            Some(_) => &self.one,
            None => &self.none,
        }
    }
}

/// Bounds of the memory, as a verdict names them.
fn bounds(scope: &Scope) -> String {
    let Shape { nodes, sons, roots } = scope.shape;
    format!("nodes {nodes}, sons {sons}, roots {roots}")
}

/// The algorithm with any number of mutators. What belongs to none is a state of [`Level3`] without mutators.
#[derive(Clone)]
pub struct AnyLevel3(Arc<Levels<Level3>>);

impl AnyLevel3 {
    /// The algorithm for an instance, whose number of mutators does not matter.
    pub fn new(scope: Scope) -> Self {
        Self(Levels::new(scope, Level3::new))
    }

    /// The state with one mutator, or none.
    pub fn with(shared: &level_3::State, me: Option<&Locals>) -> level_3::State {
        let mut state = *shared;
        state.shared.mutators = me.copied().into_iter().collect();
        state
    }

    /// The parts of a state with one mutator.
    fn parts(mut state: level_3::State) -> (level_3::State, Locals) {
        let me = state.shared.mutators[0];
        state.shared.mutators = Mutators::default();
        (state, me)
    }
}

/// The scope of a level without mutators.
impl AsRef<Scope> for AnyLevel3 {
    fn as_ref(&self) -> &Scope {
        &self.0.none.scope
    }
}

/// True if it takes a mutator: a step of one, or a look at one.
fn takes_mutator(step: &Step<level_3::Action>) -> bool {
    match step {
        Step::Mutator(_) => true,
        Step::Collector(action) => matches!(action, level_3::Action::LookAt { .. }),
    }
}

impl Action<AnyLevel3> for Unnumbered<Step<level_3::Action>> {
    fn rules(crowd: &AnyLevel3) -> &[Rule] {
        Step::rules(&crowd.0.one)
    }

    fn rule(&self, crowd: &AnyLevel3) -> RuleId {
        self.0.rule(&crowd.0.one)
    }
}

impl Crowd for AnyLevel3 {
    type Shared = level_3::State;
    type Member = Locals;
    type Action = Unnumbered<Step<level_3::Action>>;
    type Observation = Memory;

    fn members(&self) -> &str {
        "mutators"
    }

    fn bounds(&self) -> String {
        bounds(self.as_ref())
    }

    fn initial(&self, visit: &mut impl FnMut(level_3::State, &[Locals])) {
        self.0.one.initial(&mut |state| {
            let (shared, me) = Self::parts(state);
            visit(shared, &[me]);
        });
    }

    fn fire(
        &self,
        Unnumbered(step): &Self::Action,
        shared: &mut level_3::State,
        me: &mut Locals,
        _: &mut Others<'_, Locals>,
    ) -> Option<()> {
        if !takes_mutator(step) {
            return None;
        }
        let mut state = Self::with(shared, Some(me));
        self.0.one.fire(step, &mut state)?;
        (*shared, *me) = Self::parts(state);
        Some(())
    }

    /// Steps of the collector, which knows of mutators whether it has looked at all.
    fn act(
        &self,
        Unnumbered(step): &Self::Action,
        shared: &mut level_3::State,
        others: &mut Others<'_, Locals>,
    ) -> Option<()> {
        if takes_mutator(step) {
            return None;
        }
        let asked = shared.asks(self.as_ref());
        self.0.none.fire(step, shared)?;
        match asked {
            Some(asked) => others.none_with(asked, |locals, asked| asked.is(locals)),
            None => Some(()),
        }
    }

    fn candidates(
        &self,
        shared: &level_3::State,
        me: Option<&Locals>,
        visit: &mut impl FnMut(Self::Action),
    ) {
        let state = Self::with(shared, me);
        self.0.with(me).candidates(&state, &mut |step| {
            if takes_mutator(&step) == me.is_some() {
                visit(Unnumbered(step));
            }
        });
    }

    fn observe(&self, shared: &level_3::State) -> Option<Memory> {
        Some(self.0.none.observe(shared))
    }

    fn draw(&self, state: &StateOfCrowd<Self>) -> Option<Drawing> {
        self.0.none.draw(&state.shared)
    }
}

/// The specification with any number of mutators, of which there is nothing to know. Of the results that an append may have it takes that of the free list.
#[derive(Clone)]
pub struct AnyLevel0(Arc<Levels<Level0>>);

impl AnyLevel0 {
    /// The specification for an instance, whose number of mutators does not matter.
    pub fn new(scope: Scope) -> Self {
        Self(Levels::new(scope, |scope| Level0 {
            scope,
            append: AppendToFree::FreeList,
        }))
    }
}

/// The scope of a level without mutators.
impl AsRef<Scope> for AnyLevel0 {
    fn as_ref(&self) -> &Scope {
        &self.0.none.scope
    }
}

impl Action<AnyLevel0> for Unnumbered<level_0::Action> {
    fn rules(crowd: &AnyLevel0) -> &[Rule] {
        level_0::Action::rules(&crowd.0.one)
    }

    fn rule(&self, crowd: &AnyLevel0) -> RuleId {
        self.0.rule(&crowd.0.one)
    }
}

impl Crowd for AnyLevel0 {
    type Shared = Memory;
    type Member = ();
    type Action = Unnumbered<level_0::Action>;
    type Observation = Memory;

    fn members(&self) -> &str {
        "mutators"
    }

    fn bounds(&self) -> String {
        bounds(self.as_ref())
    }

    fn initial(&self, visit: &mut impl FnMut(Memory, &[()])) {
        self.0.none.initial(&mut |memory| visit(memory, &[()]));
    }

    fn fire(
        &self,
        Unnumbered(action): &Self::Action,
        memory: &mut Memory,
        (): &mut (),
        _: &mut Others<'_, ()>,
    ) -> Option<()> {
        match action {
            level_0::Action::Mutate { .. } => self.0.one.fire(action, memory),
            level_0::Action::Append { .. } => None,
        }
    }

    fn act(
        &self,
        Unnumbered(action): &Self::Action,
        memory: &mut Memory,
        _: &mut Others<'_, ()>,
    ) -> Option<()> {
        match action {
            level_0::Action::Mutate { .. } => None,
            level_0::Action::Append { .. } => self.0.none.fire(action, memory),
        }
    }

    fn candidates(&self, memory: &Memory, me: Option<&()>, visit: &mut impl FnMut(Self::Action)) {
        self.0.with(me).candidates(memory, &mut |action| {
            let is_of_mutator = matches!(action, level_0::Action::Mutate { .. });
            if is_of_mutator == me.is_some() {
                visit(Unnumbered(action));
            }
        });
    }

    fn observe(&self, memory: &Memory) -> Option<Memory> {
        Some(*memory)
    }

    fn draw(&self, state: &StateOfCrowd<Self>) -> Option<Drawing> {
        self.0.none.draw(&state.shared)
    }
}
