//! Local transitions: a state of two components, and transitions that see and change one of them alone.
//!
//! In a composition of processes the transitions of some depend on few variables, their *projection* of the
//! state, and many states differ only in the others, their *context*. A system that is stated by its local
//! transitions gives these as functions of the projection, so that by their type they can neither read nor
//! write the context. Its states, its `next` and the `map` of a refinement are then made of these functions
//! here, and stated nowhere else. So a search computes and judges the local transitions of each projection
//! once, in whatever contexts it meets the projection.
//!
//! That this is sound is the frame rule. Let l → l' be a local transition, and let it be simulated by
//! l₁ → l₁', where l₁ and l₁' are the images of l and l': that is what `judge` tests. In every context c,
//! `next` takes (l, c) to (l', c), the images are (l₁, c₁) and (l₁', c₁) with the one image c₁ of c, and
//! `next` of the specification takes the one to the other, all by definition. And (l, c) has no other local
//! transition. Left to be tested is what types do not say: that the functions are functions, for which a
//! search computes some projections again.
//!
//! Source: Blom, van de Pol & Weber, *LTSmin: Distributed and Symbolic Reachability*, CAV 2010, whose groups
//! of transitions project a state to the variables on which they depend and cache what follows.

use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use crate::action::Action;
use crate::drawing::Drawing;
use crate::fairness::Fairness;
use crate::invariant::Invariant;
use crate::obligation::ObligationKind;
use crate::packed::{Fields, Layout, Packed};
use crate::property::Property;
use crate::refinement::{Refinement, Waiver};
use crate::rule::{Process, Rule, RuleId};
use crate::state::State;
use crate::system::{ActionOf, StateOf, TransitionSystem, is_visited};

/// A transition system that is stated by its local transitions, and by all others. It implements
/// [`TransitionSystem`], whose methods those of the same names are.
pub trait LocalTransitions: Sized + Sync + 'static {
    /// The variables that local transitions see and change.
    type Local: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static;
    /// The other variables.
    type Context: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static;
    /// The label of a local transition.
    type LocalAction: Action;
    /// The label of another one.
    type ContextAction: Action;
    /// All that can be observed of a state from outside of the system.
    type Observation: Clone + Eq + Hash + Debug;

    /// The rules: those of local transitions, and then those of the others.
    fn rules(&self) -> &[Rule];
    /// Visits every initial state.
    fn initial(&self, visit: &mut impl FnMut(Split<Self>));
    /// Visits every local transition that is enabled in `from`. A state's local transitions come first.
    fn next_local(
        &self,
        from: &Self::Local,
        visit: &mut impl FnMut(Self::LocalAction, Self::Local),
    );
    /// Visits every other transition that is enabled in `from`.
    fn next_context(
        &self,
        from: &Split<Self>,
        visit: &mut impl FnMut(Self::ContextAction, Split<Self>),
    );
    /// What can be observed of `state`.
    fn observe(&self, state: &Split<Self>) -> Self::Observation;

    /// The variables of `state` as reports show them: by default those of each component in a field of its own.
    fn show(state: &Split<Self>) -> impl Serialize {
        let Split { local, context } = state;
        Components { local, context }
    }

    /// The rule of which `action` is an instance.
    #[inline]
    fn rule_of(&self, action: &SplitActionOf<Self>) -> RuleId {
        action.rule()
    }

    /// The process that takes `action`.
    fn process_of(&self, action: &SplitActionOf<Self>) -> Process {
        action.process().unwrap_or_else(|| {
            let RuleId(rule) = LocalTransitions::rule_of(self, action);
            Process::new(LocalTransitions::rules(self)[rule].process)
        })
    }

    /// Whether `state` may be without a step.
    fn may_stop(&self, _state: &Split<Self>) -> bool {
        false
    }

    /// The fairness conditions that its behaviours meet.
    fn fairness(&self) -> Vec<Fairness> {
        Vec::new()
    }

    /// What bounds the runs of this instance beside its size.
    fn bound(&self) -> Option<String> {
        None
    }

    /// The names of the threads that the bound of the instance has stopped in `state`.
    fn cut_off(&self, _state: &Split<Self>) -> Vec<&str> {
        Vec::new()
    }

    /// What a person would draw of `state`.
    fn draw(&self, _state: &Split<Self>) -> Option<Drawing> {
        None
    }

    /// `action` with each of its results replaced by one fixed value.
    fn inputs(&self, action: &SplitActionOf<Self>) -> SplitActionOf<Self> {
        action.clone()
    }

    /// Whether `state` is initial. Derived from [`initial`](Self::initial).
    fn is_initial(&self, state: &Split<Self>) -> bool {
        is_visited(state, |visit| {
            LocalTransitions::initial(self, &mut |state| visit(state));
        })
    }

    /// Where a local transition leads, if it is enabled. Derived from [`next_local`](Self::next_local).
    fn local_successor(
        &self,
        from: &Self::Local,
        action: &Self::LocalAction,
    ) -> Option<Self::Local> {
        first_labelled(action, |visit| {
            self.next_local(from, &mut |action, to| visit(action, to));
        })
    }

    /// Where another one leads, if it is enabled. Derived from [`next_context`](Self::next_context).
    fn context_successor(
        &self,
        from: &Split<Self>,
        action: &Self::ContextAction,
    ) -> Option<Split<Self>> {
        first_labelled(action, |visit| {
            self.next_context(from, &mut |action, to| visit(action, to));
        })
    }

    /// Whether (`from`, `action`, `to`) is a local transition. Derived from
    /// [`local_successor`](Self::local_successor).
    #[inline]
    fn allows_local(
        &self,
        from: &Self::Local,
        action: &Self::LocalAction,
        to: &Self::Local,
    ) -> bool {
        let target = self.local_successor(from, action);
        target.is_some_and(|target| target == *to)
    }

    /// Whether (`from`, `action`, `to`) is another transition. Derived from
    /// [`context_successor`](Self::context_successor).
    #[inline]
    fn allows_context(
        &self,
        from: &Split<Self>,
        action: &Self::ContextAction,
        to: &Split<Self>,
    ) -> bool {
        let target = self.context_successor(from, action);
        target.is_some_and(|target| target == *to)
    }
}

/// The first target that is visited with the label `action`.
#[inline]
fn first_labelled<A: PartialEq, T>(
    action: &A,
    next: impl FnOnce(&mut dyn FnMut(A, T)),
) -> Option<T> {
    let mut target = None;
    next(&mut |offered, to| {
        if offered == *action && target.is_none() {
            target = Some(to);
        }
    });
    target
}

/// A state of two components.
pub struct Split<S: LocalTransitions> {
    /// What local transitions see and change: their projection of the state.
    pub local: S::Local,
    /// All else.
    pub context: S::Context,
}

/// The label of a transition: of a local one, or of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum SplitAction<L, C> {
    /// A local transition.
    Local(L),
    /// One that sees the context.
    Context(C),
}

/// The actions of a system that is stated by its local transitions.
pub type SplitActionOf<S> =
    SplitAction<<S as LocalTransitions>::LocalAction, <S as LocalTransitions>::ContextAction>;

/// Shows the action itself: its type says which component it is about.
impl<L: Debug, C: Debug> Debug for SplitAction<L, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(action) => action.fmt(f),
            Self::Context(action) => action.fmt(f),
        }
    }
}

#[derive(Serialize)]
struct Components<'s, L, C> {
    local: &'s L,
    context: &'s C,
}

impl<S: LocalTransitions> Clone for Split<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self {
            local: self.local.clone(),
            context: self.context.clone(),
        }
    }
}

impl<S: LocalTransitions<Local: Copy, Context: Copy>> Copy for Split<S> {}

impl<S: LocalTransitions> PartialEq for Split<S> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        // PERF: contexts are small, and compared first they leave the compiler more to fold.
        self.context == other.context && self.local == other.local
    }
}

impl<S: LocalTransitions> Eq for Split<S> {}

impl<S: LocalTransitions<Local: Ord, Context: Ord>> PartialOrd for Split<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is local comes first.
impl<S: LocalTransitions<Local: Ord, Context: Ord>> Ord for Split<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        let local = self.local.cmp(&other.local);
        local.then_with(|| self.context.cmp(&other.context))
    }
}

impl<S: LocalTransitions> Hash for Split<S> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.local.hash(hasher);
        self.context.hash(hasher);
    }
}

impl<S: LocalTransitions> Debug for Split<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("local", &self.local)
            .field("context", &self.context)
            .finish()
    }
}

impl<S: LocalTransitions> Serialize for Split<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        S::show(self).serialize(serializer)
    }
}

/// Packed states say themselves how: [`PackedLocal`].
impl<X: ?Sized, S: LocalTransitions> State<X> for Split<S> {}

/// The rules are those of both types of actions, one list after the other.
impl<L: Action, C: Action> Action for SplitAction<L, C> {
    #[inline]
    fn rule(&self) -> RuleId {
        match self {
            Self::Local(action) => action.rule(),
            Self::Context(action) => RuleId(L::rules().len() + action.rule().0),
        }
    }

    #[inline]
    fn process(&self) -> Option<Process> {
        match self {
            Self::Local(action) => action.process(),
            Self::Context(action) => action.process(),
        }
    }
}

impl<S: LocalTransitions> TransitionSystem for S {
    type State = Split<S>;
    type Action = SplitActionOf<S>;
    type Observation = S::Observation;

    fn rules(&self) -> &[Rule] {
        LocalTransitions::rules(self)
    }

    #[inline]
    fn rule_of(&self, action: &SplitActionOf<S>) -> RuleId {
        LocalTransitions::rule_of(self, action)
    }

    fn initial(&self, visit: &mut impl FnMut(Split<S>)) {
        LocalTransitions::initial(self, visit);
    }

    #[inline]
    fn next(&self, from: &Split<S>, visit: &mut impl FnMut(SplitActionOf<S>, Split<S>)) {
        self.next_local(&from.local, &mut |action, local| {
            let context = from.context.clone();
            visit(SplitAction::Local(action), Split { local, context });
        });
        self.next_context(from, &mut |action, to| {
            visit(SplitAction::Context(action), to);
        });
    }

    #[inline]
    fn observe(&self, state: &Split<S>) -> S::Observation {
        LocalTransitions::observe(self, state)
    }

    #[inline]
    fn process_of(&self, action: &SplitActionOf<S>) -> Process {
        LocalTransitions::process_of(self, action)
    }

    fn may_stop(&self, state: &Split<S>) -> bool {
        LocalTransitions::may_stop(self, state)
    }

    fn fairness(&self) -> Vec<Fairness> {
        LocalTransitions::fairness(self)
    }

    fn bound(&self) -> Option<String> {
        LocalTransitions::bound(self)
    }

    fn cut_off(&self, state: &Split<S>) -> Vec<&str> {
        LocalTransitions::cut_off(self, state)
    }

    fn draw(&self, state: &Split<S>) -> Option<Drawing> {
        LocalTransitions::draw(self, state)
    }

    fn inputs(&self, action: &SplitActionOf<S>) -> SplitActionOf<S> {
        LocalTransitions::inputs(self, action)
    }

    fn is_initial(&self, state: &Split<S>) -> bool {
        LocalTransitions::is_initial(self, state)
    }

    #[inline]
    fn successor(&self, from: &Split<S>, action: &SplitActionOf<S>) -> Option<Split<S>> {
        match action {
            SplitAction::Local(action) => {
                let local = self.local_successor(&from.local, action)?;
                let context = from.context.clone();
                Some(Split { local, context })
            }
            SplitAction::Context(action) => self.context_successor(from, action),
        }
    }

    #[inline]
    fn allows(&self, from: &Split<S>, action: &SplitActionOf<S>, to: &Split<S>) -> bool {
        match action {
            SplitAction::Local(action) => {
                from.context == to.context && self.allows_local(&from.local, action, &to.local)
            }
            SplitAction::Context(action) => self.allows_context(from, action, to),
        }
    }
}

/// A system of local transitions that says how its states are packed, one component after the other. It
/// implements [`Packed`].
pub trait PackedLocal: LocalTransitions {
    /// Where each variable is, the same for all states of the instance.
    fn layout(&self) -> &Layout;
    /// Passes each variable of `local` through `fields`, as [`Packed::fields`] does with those of a state.
    fn local_fields(&self, local: &Self::Local, fields: &mut impl Fields) -> Self::Local;
    /// The same of the other variables.
    fn context_fields(&self, context: &Self::Context, fields: &mut impl Fields) -> Self::Context;
}

impl<S: PackedLocal> Packed for S {
    fn layout(&self) -> &Layout {
        PackedLocal::layout(self)
    }

    #[inline(always)]
    fn fields(&self, state: &Split<S>, fields: &mut impl Fields) -> Split<S> {
        Split {
            local: self.local_fields(&state.local, fields),
            context: self.context_fields(&state.context, fields),
        }
    }
}

/// A refinement that maps the projection to the projection and the context to the context, and by which local
/// transitions simulate local transitions. It implements [`Refinement`], whose methods those of the same
/// names are.
pub trait LocalRefinement: Sync {
    /// The implementation.
    type Concrete: LocalTransitions;
    /// The specification.
    type Abstract: LocalTransitions<Observation = <Self::Concrete as LocalTransitions>::Observation>;

    /// The instance of the implementation.
    fn implementation(&self) -> &Self::Concrete;
    /// The instance of the specification.
    fn specification(&self) -> &Self::Abstract;

    /// The refinement mapping of the projection.
    fn map_local(&self, local: &LocalOf<Self::Concrete>) -> LocalOf<Self::Abstract>;
    /// The refinement mapping of the context.
    fn map_context(&self, context: &ContextOf<Self::Concrete>) -> ContextOf<Self::Abstract>;

    /// The abstract action that a local transition simulates, or `None` for a stutter.
    fn abstract_local_action(
        &self,
        from: &LocalOf<Self::Concrete>,
        action: &<Self::Concrete as LocalTransitions>::LocalAction,
        to: &LocalOf<Self::Concrete>,
    ) -> Option<<Self::Abstract as LocalTransitions>::LocalAction>;

    /// The abstract action that another transition simulates, or `None` for a stutter.
    fn abstract_context_action(
        &self,
        from: &Split<Self::Concrete>,
        action: &<Self::Concrete as LocalTransitions>::ContextAction,
        to: &Split<Self::Concrete>,
    ) -> Option<SplitActionOf<Self::Abstract>>;

    /// The implementation invariant.
    fn invariants(&self) -> Vec<Invariant<Self::Concrete>> {
        Vec::new()
    }

    /// What happens in the end, if the implementation meets its fairness conditions.
    fn liveness(&self) -> Vec<Property<Self::Concrete>> {
        Vec::new()
    }

    /// The processes of the specification that the implementation may not restrict.
    fn environment(&self) -> &[Process] {
        &[]
    }

    /// Whether the environment process is between two operations.
    fn at_rest(&self, _state: &Split<Self::Concrete>, _process: Process) -> bool {
        true
    }

    /// Why an obligation cannot be decided on this implementation, if it cannot.
    fn unsupported(&self, _obligation: ObligationKind) -> Option<&'static str> {
        None
    }

    /// The process on whose behalf `process` takes its steps.
    fn acts_for(&self, process: Process) -> Process {
        process
    }

    /// Rules of the specification that the implementation never simulates, and why that is right.
    fn waivers(&self) -> Vec<Waiver> {
        Vec::new()
    }
}

/// The projection of a system's states that local transitions see.
pub type LocalOf<S> = <S as LocalTransitions>::Local;
/// The context of the projection.
pub type ContextOf<S> = <S as LocalTransitions>::Context;

impl<R: LocalRefinement> Refinement for R {
    type Concrete = R::Concrete;
    type Abstract = R::Abstract;

    fn implementation(&self) -> &R::Concrete {
        LocalRefinement::implementation(self)
    }

    fn specification(&self) -> &R::Abstract {
        LocalRefinement::specification(self)
    }

    #[inline]
    fn map(&self, state: &Split<R::Concrete>) -> Split<R::Abstract> {
        Split {
            local: self.map_local(&state.local),
            context: self.map_context(&state.context),
        }
    }

    #[inline]
    fn abstract_action(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> Option<ActionOf<R::Abstract>> {
        match action {
            SplitAction::Local(action) => self
                .abstract_local_action(&from.local, action, &to.local)
                .map(SplitAction::Local),
            SplitAction::Context(action) => self.abstract_context_action(from, action, to),
        }
    }

    fn invariants(&self) -> Vec<Invariant<R::Concrete>> {
        LocalRefinement::invariants(self)
    }

    fn liveness(&self) -> Vec<Property<R::Concrete>> {
        LocalRefinement::liveness(self)
    }

    fn environment(&self) -> &[Process] {
        LocalRefinement::environment(self)
    }

    fn at_rest(&self, state: &StateOf<R::Concrete>, process: Process) -> bool {
        LocalRefinement::at_rest(self, state, process)
    }

    fn unsupported(&self, obligation: ObligationKind) -> Option<&'static str> {
        LocalRefinement::unsupported(self, obligation)
    }

    #[inline]
    fn acts_for(&self, process: Process) -> Process {
        LocalRefinement::acts_for(self, process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        LocalRefinement::waivers(self)
    }
}
