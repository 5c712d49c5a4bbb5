//! Views: what a system with an auxiliary variable has beside it, without the types of its states.

use crate::erased::{ErasedAction, ErasedState, SystemObject};

/// Description of a system as a view of another one, its base; see [`TransitionSystem::view`](crate::TransitionSystem::view).
///
/// It is made by the systems of this module alone: that a view is one of its base is by construction, or is a side condition.
#[derive(Clone, Copy)]
pub struct View<'a>(&'a dyn ViewObject);

impl<'a> View<'a> {
    pub(crate) fn new(view: &'a dyn ViewObject) -> Self {
        Self(view)
    }

    pub(crate) fn object(self) -> &'a dyn ViewObject {
        self.0
    }
}

/// Side condition of an auxiliary variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SideCondition {
    /// Of prophecy, at each initial state of the base: every possible prediction is offered.
    Initial,
    /// Of prophecy, at each state of the base: there is a possible prediction for each open key.
    NonEmpty,
    /// Of prophecy, at each step of the base: whatever is predicted after it, something is predicted before it with which the
    /// step is taken.
    BackwardTotal,
    /// Of stuttering, at each state and each step of the base: the value that a stutter begins with is counted down.
    Terminates,
    /// Of stuttering, at each state of the base: an action before which it stutters is enabled.
    Enabled,
}

/// Outcome of a side condition at a state or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It holds, in so many cases.
    Holds(u64),
    /// It does not, and why.
    Fails(String),
    /// It was not found out, and why.
    Open(String),
}

/// Receives the outcomes of side conditions.
pub(crate) type Tell<'a> = dyn FnMut(SideCondition, Outcome) + 'a;

/// A view, of whatever types. Its side conditions are asked of the states and steps of the base, never of its own: the pair of a
/// state and a value that is missing in the view is not reached there.
pub(crate) trait ViewObject: Sync {
    /// Name of the kind of variable.
    fn variable(&self) -> &'static str;
    /// The system without the variable.
    fn base(&self) -> &dyn SystemObject;
    /// The state of the base that a state has.
    fn base_state(&self, state: &ErasedState) -> ErasedState;
    /// The action of the base that an action takes; none if it stutters.
    fn base_action(&self, action: &ErasedAction) -> Option<ErasedAction>;
    /// States of the view that have a state of the base, until `enough` says so: with each value that the variable may have there.
    /// False if the values are not known from the state alone.
    fn lifts(&self, base: &ErasedState, enough: &mut dyn FnMut(ErasedState) -> bool) -> bool;
    /// Side conditions that the variable has.
    fn conditions(&self) -> &'static [SideCondition];
    /// Tests them at an initial state of the base, beside what is tested there as at every state.
    fn test_initial(&self, _base: &ErasedState, _tell: &mut Tell<'_>) {}
    /// Tests them at a state of the base.
    fn test_state(&self, _base: &ErasedState, _tell: &mut Tell<'_>) {}
    /// Tests them at a step of the base.
    fn test_step(
        &self,
        _from: &ErasedState,
        _action: &ErasedAction,
        _to: &ErasedState,
        _tell: &mut Tell<'_>,
    ) {
    }
}

/// The system below all views of a system.
#[derive(Clone)]
pub(crate) struct Base<'a> {
    /// The views, the outermost first. There is one at least.
    pub views: Vec<View<'a>>,
    /// The system, which is no view.
    pub system: &'a dyn SystemObject,
}

impl<'a> Base<'a> {
    /// The one of a view.
    pub fn of(view: View<'a>) -> Self {
        let mut views = vec![view];
        let mut system = view.object().base();
        while let Some(view) = system.view() {
            views.push(view);
            system = view.object().base();
        }
        Self { views, system }
    }

    /// State of the base that a state of the outermost view has.
    pub fn state(&self, state: &ErasedState) -> ErasedState {
        let mut views = self.views.iter();
        let first = views.next().expect("there is a view");
        let state = first.object().base_state(state);
        views.fold(state, |state, view| view.object().base_state(&state))
    }

    /// Action of the base that an action of the outermost view takes; none if one of the views stutters.
    pub fn action(&self, action: &ErasedAction) -> Option<ErasedAction> {
        let mut views = self.views.iter();
        let first = views.next().expect("there is a view");
        let action = first.object().base_action(action)?;
        views.try_fold(action, |action, view| view.object().base_action(&action))
    }

    /// True if one of the variables is a guess of what comes: a state may then be without a step, or without some, that the base
    /// has.
    pub fn guesses(&self) -> bool {
        let mut views = self.views.iter();
        views.any(|view| !view.object().conditions().is_empty())
    }
}
