//! Methods of a system, and of a view of one, without types. Nothing here knows the trait of systems, which speaks of
//! views.

use serde_json::Value;

use super::value::{ErasedAction, ErasedObservation, ErasedState};
use crate::drawing::Drawing;
use crate::obligation::ObligationKind;
use crate::state::NameVisitor;
use crate::statement::fairness::Fairness;
use crate::statement::rule::{Process, Rule, RuleId};

/// The methods of a system, of whatever types; see [`TransitionSystem`](crate::TransitionSystem).
pub(crate) trait SystemObject: Sync {
    fn initial(&self, visit: &mut dyn FnMut(ErasedState));
    fn fire(&self, action: &ErasedAction, state: &mut ErasedState) -> Option<()>;
    fn candidates(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction));
    fn next(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction, &ErasedState));
    fn observe(&self, state: &ErasedState) -> ErasedObservation;
    fn rules(&self) -> &[Rule];
    fn rule_of(&self, action: &ErasedAction) -> RuleId;
    fn process_of(&self, action: &ErasedAction) -> Process;
    fn may_stop(&self, state: &ErasedState) -> bool;
    fn fairness(&self) -> Vec<Fairness>;
    fn bound(&self) -> Option<String>;
    fn cut_off(&self, state: &ErasedState) -> Vec<&str>;
    fn doubts(&self) -> Vec<String>;
    fn undecided(&self, obligation: ObligationKind) -> Option<&'static str>;
    fn view(&self) -> Option<View<'_>>;
    fn show(&self, state: &ErasedState) -> Value;
    fn draw(&self, state: &ErasedState) -> Option<Drawing>;
    fn inputs(&self, action: &ErasedAction) -> ErasedAction;
    fn is_initial(&self, state: &ErasedState) -> bool;
    fn successor(&self, from: &ErasedState, action: &ErasedAction) -> Option<ErasedState>;
    fn allows(&self, from: &ErasedState, action: &ErasedAction, to: &ErasedState) -> bool;
    fn offers(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction));
    fn type_name(&self) -> &'static str;
    /// True if every action has a range, so that candidates are derived.
    fn derives_candidates(&self) -> bool;
    fn visit_names(&self, state: &mut ErasedState, visit: &mut dyn NameVisitor);
    fn visit_action_names(&self, action: &mut ErasedAction, visit: &mut dyn NameVisitor);
    /// True if two states are known to be the same in every variable, from how they are written.
    fn are_alike(&self, one: &ErasedState, other: &ErasedState) -> bool;
}

/// Description of a system as a view of another one, its base; see [`TransitionSystem::view`](crate::TransitionSystem::view).
///
/// It is made by the systems of [`auxiliary`](crate::auxiliary) alone: that a view is one of its base is by construction, or is a side condition.
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
