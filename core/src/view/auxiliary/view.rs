//! The system below views.

use crate::statement::asked::model_call::{break_off, named, until_enough};
use crate::statement::erased::{
    ErasedAction, ErasedState, Plain, SideCondition, SystemObject, View,
};

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
        while let Some(view) = system.caveats().view() {
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

/// True if there is a view, and in a state of it the system below has a step. Whether the state itself has one does not
/// matter: a guess that is wrong may leave it without.
#[cold]
pub(crate) fn base_goes_on<T: Plain>(view: Option<View<'_>>, state: &T) -> bool {
    let goes_on = |view| Base::of(view).goes_on(&ErasedState::of(state));
    named("`next` of the implementation", || view.is_some_and(goes_on))
}
