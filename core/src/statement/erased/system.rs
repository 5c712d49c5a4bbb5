//! Systems without the types of their states, actions and observations.

use std::any::type_name;

use serde_json::Value;

use super::object::{Caveats, SystemObject};
use super::value::{ErasedAction, ErasedObservation, ErasedState};
use crate::state::{
    BitReader, BitWriter, Code, Kept, Limits, NameVisitor, Shape, Sink, Source, State,
};
use crate::statement::action::Action;
use crate::statement::asked::calls::{Function, Of, call, calls_back};
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::{visit_candidates, visit_initial, visit_steps};
use crate::statement::drawing::Drawing;
use crate::statement::fairness::Fairness;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};

impl<S: TransitionSystem> SystemObject for S {
    fn initial(&self, visit: &mut dyn FnMut(ErasedState)) {
        visit_initial(self, &mut |state| visit(ErasedState::from(state)));
    }

    fn fire(&self, action: &ErasedAction, state: &mut ErasedState) -> Option<()> {
        TransitionSystem::fire(self, action.get(), state.get_mut())
    }

    fn candidates(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction)) {
        visit_candidates(self, from.get(), &mut |action| {
            visit(ErasedAction::from(action))
        });
    }

    fn next(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction, &ErasedState)) {
        visit_steps(self, from.get(), &mut |action, to| {
            visit(ErasedAction::from(action), &ErasedState::of(to));
        });
    }

    fn observe(&self, state: &ErasedState) -> ErasedObservation {
        ErasedObservation::from(TransitionSystem::observe(self, state.get()))
    }

    fn rules(&self) -> &[Rule] {
        ActionOf::<S>::rules(self)
    }

    fn rule(&self, action: &ErasedAction) -> RuleId {
        action.get::<ActionOf<S>>().rule(self)
    }

    fn process(&self, action: &ErasedAction) -> Process {
        action.get::<ActionOf<S>>().process(self)
    }

    fn inputs(&self, action: &ErasedAction) -> ErasedAction {
        ErasedAction::from(action.get::<ActionOf<S>>().inputs(self))
    }

    fn may_stop(&self, state: &ErasedState) -> bool {
        TransitionSystem::may_stop(self, state.get())
    }

    fn fairness(&self) -> Vec<Fairness> {
        TransitionSystem::fairness(self)
    }

    fn caveats(&self) -> Caveats<'_, ErasedState> {
        TransitionSystem::caveats(self).of(ErasedState::get)
    }

    fn show(&self, state: &ErasedState) -> Value {
        TransitionSystem::show(self, state.get())
    }

    fn draw(&self, state: &ErasedState) -> Option<Drawing> {
        TransitionSystem::draw(self, state.get())
    }

    fn is_initial(&self, state: &ErasedState) -> bool {
        TransitionSystem::is_initial(self, state.get())
    }

    fn allows(&self, from: &ErasedState, action: &ErasedAction, to: &ErasedState) -> bool {
        TransitionSystem::allows(self, from.get(), action.get(), to.get())
    }

    fn type_name(&self) -> &'static str {
        type_name::<S>()
    }

    fn derives_candidates(&self) -> bool {
        const { <ActionOf<S> as Action<S>>::WITHOUT_RANGE.is_none() }
    }

    fn visit_names(&self, state: &mut ErasedState, visit: &mut dyn NameVisitor) {
        state.get_mut::<StateOf<S>>().visit_names(visit);
    }

    fn visit_action_names(&self, action: &mut ErasedAction, visit: &mut dyn NameVisitor) {
        action.get_mut::<ActionOf<S>>().visit_names(visit);
    }

    fn kept(&self) -> Kept {
        StateOf::<S>::KEPT
    }

    fn shape(&self) -> Shape {
        StateOf::<S>::shape(self, Limits::NONE)
    }

    fn is_exact(&self) -> bool {
        StateOf::<S>::EXACT.is_exact()
    }

    fn write(&self, state: &ErasedState, mut sink: &mut dyn Sink) {
        let state: &StateOf<S> = state.get();
        state.write(self, Limits::NONE, &mut sink);
    }

    fn read(&self, mut source: &mut dyn Source) -> ErasedState {
        ErasedState::from(StateOf::<S>::read(self, Limits::NONE, &mut source))
    }
}

/// A system of whatever types, and which of a refinement's two it is.
#[derive(Clone, Copy)]
pub(crate) struct ErasedSystem<'a>(pub &'a dyn SystemObject, pub Of);

impl<'a> ErasedSystem<'a> {
    /// A system that is none of a refinement's two.
    pub fn alone(system: &'a dyn SystemObject) -> Self {
        Self(system, Of::Model)
    }

    /// The words of a state, if it can be written, and what is read back is known to be it.
    pub fn code(&self, state: &ErasedState) -> Option<Code> {
        if self.0.kept() == Kept::Whole {
            return None;
        }
        let mut writer = BitWriter::growing();
        named("`write` of a state", || self.0.write(state, &mut writer));
        let code = writer.code()?;
        let is_back = || {
            let back = self.of_words(code.words());
            named("`eq` of a state", || back == *state)
        };
        (self.0.is_exact() || is_back()).then_some(code)
    }

    /// The state of some words.
    pub fn of_words(&self, words: &[u64]) -> ErasedState {
        named("`read` of a state", || {
            self.0.read(&mut BitReader::new(words))
        })
    }

    /// True if two states are known to be the same in every variable, from how they are written.
    pub fn are_alike(&self, one: &ErasedState, other: &ErasedState) -> bool {
        let is_written = self.0.kept() == Kept::Encoded && self.0.is_exact();
        is_written
            && self
                .code(one)
                .is_some_and(|one| Some(one) == self.code(other))
    }

    /// Calls a function of the system, so that a thread that watches sees it.
    #[inline]
    fn call<T>(
        &self,
        function: &'static str,
        state: Option<&ErasedState>,
        ask: impl FnOnce(&'a dyn SystemObject) -> T,
    ) -> T {
        call(|| Function::of(function, self.1), state, || ask(self.0))
    }
}

/// A system without the types of its states and actions: what is asked of it is compiled once, and not for each system.
pub fn without_types<S: TransitionSystem>(system: &S) -> impl TransitionSystem {
    ErasedSystem::alone(system)
}

impl TransitionSystem for ErasedSystem<'_> {
    type State = ErasedState;
    type Action = ErasedAction;
    type Observation = ErasedObservation;

    fn initial(&self, visit: &mut impl FnMut(ErasedState)) {
        self.call("`initial`", None, |system| {
            system.initial(&mut |state| {
                calls_back();
                visit(state);
            });
        });
    }

    fn fire(&self, action: &ErasedAction, state: &mut ErasedState) -> Option<()> {
        let from = named("`clone` of a state", || state.clone());
        let fire = |system: &dyn SystemObject| system.fire(action, state);
        self.call("`fire`", Some(&from), fire)
    }

    fn candidates(&self, from: &ErasedState, visit: &mut impl FnMut(ErasedAction)) {
        self.call("`candidates`", Some(from), |system| {
            system.candidates(from, &mut |action| {
                calls_back();
                visit(action);
            });
        });
    }

    fn next(&self, from: &ErasedState, visit: &mut impl FnMut(ErasedAction, &ErasedState)) {
        self.call("`next`", Some(from), |system| {
            system.next(from, &mut |action, to| {
                calls_back();
                visit(action, to);
            });
        });
    }

    fn observe(&self, state: &ErasedState) -> ErasedObservation {
        self.call("`observe`", Some(state), |system| system.observe(state))
    }

    fn may_stop(&self, state: &ErasedState) -> bool {
        self.call("`may_stop`", Some(state), |system| system.may_stop(state))
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.call("`fairness`", None, |system| system.fairness())
    }

    fn caveats(&self) -> Caveats<'_, ErasedState> {
        self.call("`caveats`", None, |system| system.caveats())
    }

    fn show(&self, state: &ErasedState) -> Value {
        self.call("`show`, or `serialize`,", Some(state), |system| {
            system.show(state)
        })
    }

    fn draw(&self, state: &ErasedState) -> Option<Drawing> {
        self.call("`draw`", Some(state), |system| system.draw(state))
    }

    fn is_initial(&self, state: &ErasedState) -> bool {
        self.call("`is_initial`", Some(state), |system| {
            system.is_initial(state)
        })
    }

    fn allows(&self, from: &ErasedState, action: &ErasedAction, to: &ErasedState) -> bool {
        self.call("`allows`", Some(from), |system| {
            system.allows(from, action, to)
        })
    }
}

impl Action<ErasedSystem<'_>> for ErasedAction {
    fn rules<'s>(system: &'s ErasedSystem<'_>) -> &'s [Rule] {
        system.call("`rules`", None, |system| system.rules())
    }

    fn rule(&self, system: &ErasedSystem<'_>) -> RuleId {
        system.call("`rule`", None, |system| system.rule(self))
    }

    fn process(&self, system: &ErasedSystem<'_>) -> Process {
        system.call("`process`", None, |system| system.process(self))
    }

    fn inputs(&self, system: &ErasedSystem<'_>) -> Self {
        system.call("`inputs`", None, |system| system.inputs(self))
    }
}
