//! Views: what a system with an auxiliary variable has beside it, without the types of its states.

use crate::erased::{ErasedAction, ErasedState, SystemObject};
use crate::model_call::{break_off, named, until_enough};
use crate::system::{StateOf, TransitionSystem};

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
    /// True if a stutter is under way in a state: nothing else happens there.
    fn is_stuttering(&self, _state: &ErasedState) -> bool {
        false
    }
    /// True if the variable chooses what the base chooses later.
    fn guesses(&self) -> bool {
        !self.conditions().is_empty()
    }
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

    /// True if a stutter is under way in a state of the outermost view, in it or one below.
    pub fn is_stuttering(&self, state: &ErasedState) -> bool {
        let mut state = state.clone();
        self.views.iter().any(|view| {
            let is_stuttering = view.object().is_stuttering(&state);
            state = view.object().base_state(&state);
            is_stuttering
        })
    }

    /// True if a state of the outermost view is one in which the base has a step.
    fn goes_on(&self, state: &ErasedState) -> bool {
        let state = self.state(state);
        let mut goes_on = false;
        until_enough(|| {
            self.system.next(&state, &mut |_, _| {
                goes_on = true;
                break_off();
            });
        });
        goes_on
    }

    /// True if one of the variables predicts: a prediction may be wrong, and then nothing comes of its states.
    pub fn predicts(&self) -> bool {
        let mut views = self.views.iter();
        views.any(|view| {
            let conditions = view.object().conditions();
            conditions.contains(&SideCondition::BackwardTotal)
        })
    }

    /// True if one of the variables chooses before the base does: a prediction, or a stutter before an action.
    pub fn guesses(&self) -> bool {
        let mut views = self.views.iter();
        views.any(|view| view.object().guesses())
    }

    /// The state of the outermost view without the guesses on top of it.
    pub fn without_guesses(&self, state: &ErasedState) -> ErasedState {
        let guesses = self.views.iter().take_while(|view| view.object().guesses());
        guesses.fold(state.clone(), |state, view| {
            view.object().base_state(&state)
        })
    }
}

/// True if a system is a view, and in a state of it the system below has a step. Whether the state itself has one does not
/// matter: a guess that is wrong may leave it without.
#[cold]
pub(crate) fn base_goes_on<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> bool {
    let goes_on = |view| Base::of(view).goes_on(&ErasedState::of(state));
    named("`view` or `next` of the implementation", || {
        system.view().is_some_and(goes_on)
    })
}
