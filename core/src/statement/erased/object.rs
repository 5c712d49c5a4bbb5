//! Methods of a system, and of a view of one, without types, and what a system says about itself. Nothing here knows the trait of
//! systems, which speaks of views.

use serde_json::Value;

use super::value::{ErasedAction, ErasedObservation, ErasedState};
use crate::state::{Kept, NameVisitor, Shape, Sink, Source};
use crate::statement::asked::model_call::named;
use crate::statement::drawing::Drawing;
use crate::statement::fairness::Fairness;
use crate::statement::kind::ObligationKind;
use crate::statement::rule::{Process, Rule, RuleId};

/// The methods of a system, of whatever types; see [`TransitionSystem`](crate::TransitionSystem).
pub(crate) trait SystemObject: Sync {
    fn initial(&self, visit: &mut dyn FnMut(ErasedState));
    fn fire(&self, action: &ErasedAction, state: &mut ErasedState) -> Option<()>;
    fn candidates(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction));
    fn next(&self, from: &ErasedState, visit: &mut dyn FnMut(ErasedAction, &ErasedState));
    fn observe(&self, state: &ErasedState) -> ErasedObservation;
    fn rules(&self) -> &[Rule];
    fn rule(&self, action: &ErasedAction) -> RuleId;
    fn process(&self, action: &ErasedAction) -> Process;
    fn inputs(&self, action: &ErasedAction) -> ErasedAction;
    fn may_stop(&self, state: &ErasedState) -> bool;
    fn fairness(&self) -> Vec<Fairness>;
    fn caveats(&self) -> Caveats<'_, ErasedState>;
    fn show(&self, state: &ErasedState) -> Value;
    fn draw(&self, state: &ErasedState) -> Option<Drawing>;
    fn is_initial(&self, state: &ErasedState) -> bool;
    fn allows(&self, from: &ErasedState, action: &ErasedAction, to: &ErasedState) -> bool;
    fn type_name(&self) -> &'static str;
    /// True if every action has a range, so that candidates are derived.
    fn derives_candidates(&self) -> bool;
    fn visit_names(&self, state: &mut ErasedState, visit: &mut dyn NameVisitor);
    fn visit_action_names(&self, action: &mut ErasedAction, visit: &mut dyn NameVisitor);
    /// Form in which states are kept: whether they can be written.
    fn kept(&self) -> Kept;
    /// Shape of the states.
    fn shape(&self) -> Shape;
    /// True if it is known that a state is read back as it is written.
    fn is_exact(&self) -> bool;
    fn write(&self, state: &ErasedState, sink: &mut dyn Sink);
    fn read(&self, source: &mut dyn Source) -> ErasedState;
}

/// Facts of an instance that are seldom to be said; see [`TransitionSystem::caveats`](crate::TransitionSystem::caveats). Each is none, by default.
///
/// ```
/// use refmap::Caveats;
/// use refmap::obligation::ObligationKind;
///
/// let own = Caveats::default()
///     .bounded("each loop once", |turns: &u8| if *turns == 1 { vec!["writer"] } else { Vec::new() })
///     .doubted(|| vec!["a processor may speculate".to_owned()])
///     .undecided([ObligationKind::Environment], "steps are run together");
/// // The same of a system whose states have one of these.
/// let all = own.of(|(turns, _): &(u8, bool)| turns);
/// assert_eq!(all.bound(), Some("each loop once"));
/// assert_eq!(all.cut_off(&(1, true)), ["writer"]);
/// ```
#[must_use]
pub struct Caveats<'a, T> {
    bound: Option<(String, StoppedThreads<'a, T>)>,
    doubts: Option<Doubts<'a>>,
    undecided: Vec<(ObligationKind, &'static str)>,
    view: Option<View<'a>>,
}

type Doubts<'a> = Box<dyn Fn() -> Vec<String> + Send + Sync + 'a>;

/// The names of the threads that a bound has stopped in a state.
type StoppedThreads<'a, T> = Box<dyn Fn(&T) -> Vec<&'a str> + Send + Sync + 'a>;

impl<T> Default for Caveats<'_, T> {
    fn default() -> Self {
        Self {
            bound: None,
            doubts: None,
            undecided: Vec::new(),
            view: None,
        }
    }
}

impl<'a, T> Caveats<'a, T> {
    /// With a bound on the runs of the instance beside its size: `each loop once`. `cut_off` names the threads that it has stopped in a
    /// state: what they would have done besides is not looked at, and a report says so, with the bound.
    pub fn bounded(
        mut self,
        bound: impl Into<String>,
        cut_off: impl Fn(&T) -> Vec<&'a str> + Send + Sync + 'a,
    ) -> Self {
        self.bound = Some((bound.into(), Box::new(cut_off)));
        self
    }

    /// With doubts whether a verdict on the system is one on what it stands for: behaviours that it leaves out, a sentence each, which
    /// a report has as warnings.
    pub fn doubted(mut self, doubts: impl Fn() -> Vec<String> + Send + Sync + 'a) -> Self {
        self.doubts = Some(Box::new(doubts));
        self
    }

    /// With a reason why obligations of some kinds cannot be decided on the system as an implementation: on a *view*, which is made of
    /// another system and stands for it. Of one whose steps are run together, say, `environment`, where it has not been shown that
    /// this keeps every choice open. They are then `incomplete` with this reason, and refused where they are named. Of two reasons the
    /// last one is told.
    pub fn undecided(
        mut self,
        kinds: impl IntoIterator<Item = ObligationKind>,
        reason: &'static str,
    ) -> Self {
        let kinds = kinds.into_iter();
        self.undecided.extend(kinds.map(|kind| (kind, reason)));
        self
    }

    /// With the description of the system as a view of another one: that with an auxiliary variable.
    pub(crate) fn viewed(mut self, view: &'a dyn ViewObject) -> Self {
        self.view = Some(View(view));
        self
    }

    /// The same of a system that is made of this one; `part` is the state of this one that a state of it has.
    ///
    /// A system that is made of a view, and has its states and actions, hands on that it is one: a check decides the side conditions of
    /// the variable, and asks the system without it where a guess may be wrong.
    pub fn of<U>(self, part: impl Fn(&U) -> &T + Send + Sync + 'a) -> Caveats<'a, U>
    where
        T: 'a,
    {
        let bound = self.bound.map(|(bound, cut_off)| {
            let of_part: StoppedThreads<'a, U> = Box::new(move |state| cut_off(part(state)));
            (bound, of_part)
        });
        Caveats {
            bound,
            doubts: self.doubts,
            undecided: self.undecided,
            view: self.view,
        }
    }

    /// The bound on the runs of the instance.
    pub fn bound(&self) -> Option<&str> {
        self.bound.as_ref().map(|(bound, _)| &**bound)
    }

    /// The names of the threads that the bound has stopped in a state.
    pub fn cut_off(&self, state: &T) -> Vec<&'a str> {
        match &self.bound {
            Some((_, cut_off)) => named("`caveats`", || cut_off(state)),
            None => Vec::new(),
        }
    }

    /// The doubts.
    pub fn doubts(&self) -> Vec<String> {
        let doubts = self.doubts.as_ref();
        doubts.map_or_else(Vec::new, |doubts| named("`caveats`", doubts))
    }

    /// Reason why obligations of a kind cannot be decided, if they cannot.
    pub(crate) fn reason(&self, kind: ObligationKind) -> Option<&'static str> {
        let mut undecided = self.undecided.iter().rev();
        let own = undecided.find(|(other, _)| *other == kind);
        own.map(|(_, reason)| *reason)
    }

    /// The description as a view.
    pub(crate) fn view(&self) -> Option<View<'a>> {
        self.view
    }
}

/// Description of a system as a view of another one, its base.
///
/// It is made by the systems of [`auxiliary`](crate::auxiliary) alone: that a view is one of its base is by construction, or is a side condition.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(&'a dyn ViewObject);

impl<'a> View<'a> {
    pub fn object(self) -> &'a dyn ViewObject {
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
