//! Observed transition systems (Σ, Σₒ, I, N, π).
//!
//! Source: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, Definitions 1 and 4.
//! Left out: everything that is done *with* a system. Exploring, replaying, printing are functions
//! over the trait.

use std::fmt::Debug;
use std::hash::Hash;

use serde_json::Value;

use crate::state::State;
use crate::state::hiding::Hiding;
use crate::statement::action::Action;
use crate::statement::asked::derived::{Derived, runs};
use crate::statement::asked::model_call::{Culprit, Name, break_off, until_enough};
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::drawing::Drawing;
use crate::statement::erased::Caveats;
use crate::statement::fairness::Fairness;
use crate::statement::shown::json::json;

/// States after which it pays to break an enumeration off.
const WORTH_BREAKING_OFF: u32 = 64;

/// An observed transition system (Σ, Σₒ, I, N, π).
///
/// An action determines its target: [`fire`](Self::fire) says which, and whether there is one. A specification may leave the
/// result of an action open, if it overrides [`allows`](Self::allows).
///
/// ```
/// use refmap::{Action, State, TransitionSystem, guard, steps};
///
/// /// Threads that increment a counter, each in two steps.
/// struct Threads(usize);
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// #[state(system = Threads)]
/// struct Memory {
///     #[state(range = 0..4)]
///     counter: u8,
///     #[state(len = system.0, range = 0..4)]
///     read: Vec<Option<u8>>,
/// }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
/// #[action(system = Threads)]
/// #[rule(process = "thread")]
/// #[process(0..system.0)]
/// enum Step {
///     Read(#[process] usize),
///     Write(#[process] usize),
/// }
///
/// impl TransitionSystem for Threads {
///     type State = Memory;
///     type Action = Step;
///     type Observation = u8;
///
///     fn initial(&self, visit: &mut impl FnMut(Memory)) {
///         visit(Memory { counter: 0, read: vec![None; self.0] });
///     }
///
///     fn fire(&self, step: &Step, memory: &mut Memory) -> Option<()> {
///         match *step {
///             Step::Read(thread) => {
///                 guard("the thread has not read", memory.read[thread].is_none())?;
///                 memory.read[thread] = Some(memory.counter);
///             }
///             Step::Write(thread) => memory.counter = (memory.read[thread].take()? + 1) % 4,
///         }
///         Some(())
///     }
///
///     fn observe(&self, memory: &Memory) -> u8 {
///         memory.counter
///     }
/// }
///
/// let threads = Threads(2);
/// let initial = Memory { counter: 0, read: vec![None, None] };
/// let steps = steps(&threads, &initial);
/// assert_eq!(steps.len(), 2);
/// assert_eq!(steps[1], (Step::Read(1), Memory { counter: 0, read: vec![None, Some(0)] }));
/// ```
pub trait TransitionSystem: Sync {
    /// One configuration, an element of Σ. Equal states are the same state. The fields that its
    /// `Serialize` shows are what reports speak of, unless [`show`](Self::show) says otherwise.
    type State: State<Self>;
    /// The label of a step: the rule that fired, with its arguments.
    type Action: Action<Self>;
    /// Type of what can be observed of a state from outside of the system, an element of Σₒ.
    type Observation: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// Visits every initial state (I).
    fn initial(&self, visit: &mut impl FnMut(Self::State));

    /// Guard, then effect on `state`, of the rule that `action` names (N). None if it is not enabled; what has changed by then is
    /// put back.
    fn fire(&self, action: &Self::Action, state: &mut Self::State) -> Option<()>;

    /// Observation of `state`: what can be seen of it (π).
    fn observe(&self, state: &Self::State) -> Self::Observation;

    /// Visits the actions that are tried in `from`, each once: all that are enabled there, and others. By default those whose
    /// arguments are in the ranges of their fields, in every state.
    ///
    /// # Panics
    ///
    /// By default, if a field of an action has no range.
    #[inline(always)]
    fn candidates(&self, _from: &Self::State, visit: &mut impl FnMut(Self::Action)) {
        if let Some(field) = const { Self::Action::WITHOUT_RANGE } {
            if runs::<Self>(Derived::Candidates) {
                return;
            }
            without_range(field);
        }
        Self::Action::candidates(self, visit);
    }

    /// Visits every step enabled in `from`, each with the action that labels it. By default the candidates that fire.
    ///
    /// A system that takes several rules in one step overrides it, and [`fire`](Self::fire) says the same of each step: by itself, or
    /// by [`fire_by_next`].
    #[inline(always)]
    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        runs::<Self>(Derived::Next);
        let mut state = from.clone();
        let candidates = Name::of("`candidates`");
        self.candidates(from, &mut |action| {
            let function = Name::of("`fire`");
            let culprit = Culprit(&action);
            let fired = self.fire(&action, &mut state);
            std::mem::forget(culprit);
            function.returned();
            if fired.is_some() {
                visit(action, &state);
            }
            state.assign(from);
        });
        candidates.returned();
    }

    /// True if `state` may be without a step: a program that has ended, say. Never, by default.
    fn may_stop(&self, _state: &Self::State) -> bool {
        false
    }

    /// The fairness conditions that its behaviours meet. None, by default: then a behaviour may stop anywhere.
    ///
    /// Those of an implementation are assumed; those of a specification are to be shown, as `fairness:NAME`.
    fn fairness(&self) -> Vec<Fairness> {
        Vec::new()
    }

    /// Facts of the instance that are seldom to be said: a bound on its runs, doubts, what is not decided on it. None, by default. A system
    /// that is made of another one hands on what that says, by [`Caveats::of`].
    fn caveats(&self) -> Caveats<'_, Self::State> {
        Caveats::default()
    }

    /// `state` as reports show it: its fields. By default those that its `Serialize` shows. A program counter says more as the
    /// label, or the instruction, that stands there.
    fn show(&self, state: &Self::State) -> Value {
        json(state)
    }

    /// Drawing of `state`, as a person would make it, which counterexamples show beside its fields: as text on a terminal, as a
    /// picture on a page. By default a picture alone, [by rows](draw_by_rows).
    fn draw(&self, state: &Self::State) -> Option<Drawing> {
        draw_by_rows(self, state)
    }

    /// True if `state` is initial. Derived from [`initial`](Self::initial).
    fn is_initial(&self, state: &Self::State) -> bool {
        runs::<Self>(Derived::IsInitial);
        // Counters of the initial states have begun anew, and are those of the state nevertheless.
        let _shown = Hiding::suspend_if_hidden();
        is_visited(state, |visit| visit_initial(self, visit))
    }

    /// True if (`from`, `action`, `to`) is a step. Derived from [`fire`](Self::fire).
    #[inline]
    fn allows(&self, from: &Self::State, action: &Self::Action, to: &Self::State) -> bool {
        runs::<Self>(Derived::Allows);
        successor(self, from, action).is_some_and(|target| target == *to)
    }
}
/// PERF: apart, since it is never so.
#[cold]
pub(crate) fn without_range(field: &str) -> ! {
    panic!(
        "`candidates` are not derived of {field}, which has no range: say one at each field of an action, `#[action(range = …)]` or \
         `#[process(…)]`, or override `candidates`"
    )
}

/// True if `state` is one of those that `visit_all` visits.
pub(crate) fn is_visited<T: PartialEq>(
    state: &T,
    visit_all: impl FnOnce(&mut dyn FnMut(T)),
) -> bool {
    let mut found = false;
    let mut after = 0;
    until_enough(|| {
        visit_all(&mut |visited| {
            // PERF: a few states more are shown sooner than their enumeration is broken off.
            after += u32::from(found);
            found = found || visited == *state;
            if after == WORTH_BREAKING_OFF {
                break_off();
            }
        });
    });
    found
}

/// The drawing of a state by rows, which a system has that does not say how its states are drawn: a set is a set, a vector or a deque a
/// queue, and other fields are values.
///
/// A field with an element for each member, `#[state(each = "client")]`, has its elements in rows `client 0`, `client 1`, … . Where `each` is
/// not said, the rows of a field that is `symmetric` are `member 0`, …, and those of an array, or of a vector of which `len` is said, `[0]`, …,
/// if its elements are more than values. Not drawn is a state without fields, or one that does not derive [`State`].
pub fn draw_by_rows<S: TransitionSystem + ?Sized>(system: &S, state: &S::State) -> Option<Drawing> {
    Drawing::by_rows(&system.show(state), S::State::DRAWN)
}

/// The states of a system.
pub type StateOf<S> = <S as TransitionSystem>::State;
/// The actions of a system.
pub type ActionOf<S> = <S as TransitionSystem>::Action;
/// The observations of a system.
pub type ObservationOf<S> = <S as TransitionSystem>::Observation;
/// A step from a state that is known: the action, and the state to which it leads.
pub type StepOf<S> = (ActionOf<S>, StateOf<S>);

/// The state to which an action leads from another one, if it is enabled there.
#[inline]
pub fn successor<S: TransitionSystem + ?Sized>(
    system: &S,
    from: &StateOf<S>,
    action: &ActionOf<S>,
) -> Option<StateOf<S>> {
    let mut to = from.clone();
    system.fire(action, &mut to)?;
    Some(to)
}

/// Fires an action as `next` has it: the first step of `state` that it labels. It is the [`fire`](TransitionSystem::fire) of a system that
/// states its steps by `next` alone, as one does that joins several rules in one step.
pub fn fire_by_next<S: TransitionSystem>(
    system: &S,
    action: &ActionOf<S>,
    state: &mut StateOf<S>,
) -> Option<()> {
    let mut target = None;
    visit_steps(system, state, &mut |offered, to| {
        if offered == *action && target.is_none() {
            target = Some(to.clone());
        }
    });
    *state = target?;
    Some(())
}

/// All steps from a state, in the order of `next`. For tests and explanations; a hot loop visits.
pub fn steps<S: TransitionSystem>(system: &S, from: &S::State) -> Vec<StepOf<S>> {
    let mut steps = Vec::new();
    visit_steps(system, from, &mut |action, to| {
        steps.push((action, to.clone()))
    });
    steps
}

/// The first initial state that a system visits, if it has one. Panics of the model are passed on.
pub fn first_initial<S: TransitionSystem>(system: &S) -> Option<StateOf<S>> {
    let mut first = None;
    until_enough(|| {
        visit_initial(system, &mut |state| {
            first.get_or_insert(state);
            break_off();
        });
    });
    first
}
