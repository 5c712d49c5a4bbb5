//! The subject of a check: a refinement with what its systems have beside them, without the types of their states.
//!
//! What is generic here is all of a check that is compiled for each model: the two passes that ask it by the million, and a table
//! of its functions.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::error::CheckError;
use super::found::{Tell, Totals};
use super::induction::{self, Enumerated, Findings, WrittenNumber};
use super::obligations::Counts;
use super::recorded::Recorded;
use super::settings::Settings;
use super::visitor::{Plan, Tester};
use crate::erased::{
    ErasedAction, ErasedState, ErasedSystem, RefinementObject, SystemObject, erased_steps,
};
use crate::explore::{
    End, Explored, Means, NoOutcome, Options, Origin, Predecessor, Record, StateId, States,
    explore_on, published,
};
use crate::state::{Kept, Limits, Shape, State};
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::calls::{Batched, Function, Of, call};
use crate::statement::asked::model_call::{UNNAMED, catch_seldom, named};
use crate::statement::asked::type_correct::{Choices, TypeCorrect};
use crate::statement::constraint::Constraint;
use crate::statement::invariant::Invariant;
use crate::statement::property::Property;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::Process;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::symmetry::{
    Asymmetry, ByName, ByNameOf, Lifting, Quotient, Quotienting, Symmetric, Tested, TestedQuotient,
};

/// A refinement of whatever types, and what its systems have beside them.
pub(super) trait Subject: RefinementObject {
    /// Shape of the states of the implementation.
    fn shape(&self) -> Shape;
    /// Form in which they are kept.
    fn kept(&self) -> Kept;
    /// Identifies states that differ by a permutation, in all that comes.
    fn identify(&self) -> Result<(), CheckError>;
    /// The quotient by which they are identified.
    fn symmetry<'x>(&self) -> &dyn Lifting<ErasedSystem<'x>>;
    /// Tests the permutations on a state; see [`TestedQuotient`].
    fn asymmetry(&self, state: &ErasedState, turn: usize, out_of_time: &dyn Fn() -> bool)
    -> Tested;
    /// The state of a published batch of a search that has this place in it.
    fn published(&self, batched: &Batched, place: usize) -> Option<ErasedState>;
    /// Searches the reachable states of the implementation, with means beside memory.
    fn search<'s>(
        &'s self,
        plan: &Plan<'_>,
        settings: &Settings<'_>,
        record: Record,
        means: Means<'_>,
    ) -> Result<Searched<'s>, NoOutcome>;
    /// The same refinement, if its implementation enumerates its type-correct states.
    fn inductive(&self) -> Option<&dyn Enumerated>;
}

/// Findings of a search.
pub(super) struct Searched<'s> {
    pub counts: Counts,
    pub totals: Totals,
    pub recorded: Recorded,
    /// The inputs of actions of the environment, by their numbers in labels.
    pub inputs: Vec<ErasedAction>,
    pub states: Box<dyn States<ErasedSystem<'s>> + 's>,
}

/// Functions that pass over all type-correct states of an implementation, make one of choices, and write one as numbers.
pub(super) struct Passes<R: Refinement> {
    decide: induction::Decide<R>,
    make: fn(&R::Implementation, &mut Choices) -> StateOf<R::Implementation>,
    numbers: induction::Numbers<R::Implementation>,
}

impl<R: Refinement<Implementation: TypeCorrect>> Passes<R> {
    /// Those of `R`.
    pub fn new() -> Self {
        Self {
            decide: induction::decide::<R>,
            make: induction::make::<R::Implementation>,
            numbers: induction::numbers::<R::Implementation>,
        }
    }
}

impl<R: Refinement> Clone for Passes<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Refinement> Copy for Passes<R> {}

/// Function that makes the quotient of the implementation by the symmetry that a refinement's systems have in common.
pub(super) type QuotientOf<R> =
    for<'s> fn(&'s <R as Refinement>::Implementation) -> Box<dyn TestedQuotient<R> + 's>;

/// Makes a quotient.
pub(super) fn quotient<R>(system: &R::Implementation) -> Box<dyn TestedQuotient<R> + '_>
where
    R: Refinement,
    R::Implementation: Symmetric,
    R::Specification: Symmetric<Permutation = <R::Implementation as Symmetric>::Permutation>,
{
    let quotient = Quotient::of(system);
    Box::new(Identified { system, quotient })
}

/// A system whose states are identified.
struct Identified<'s, S: Symmetric> {
    system: &'s S,
    quotient: Quotient<S>,
}

impl<R> TestedQuotient<R> for Identified<'_, R::Implementation>
where
    R: Refinement,
    R::Implementation: Symmetric,
    R::Specification: Symmetric<Permutation = <R::Implementation as Symmetric>::Permutation>,
{
    fn quotient(&self) -> &dyn Quotienting<R::Implementation> {
        &self.quotient
    }

    fn erased<'x>(&self) -> &dyn Lifting<ErasedSystem<'x>> {
        self
    }

    fn asymmetry(
        &self,
        refinement: &R,
        invariants: &[Invariant<R::Implementation>],
        state: &StateOf<R::Implementation>,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested {
        self.quotient
            .asymmetry(refinement, invariants, state, turn, out_of_time)
    }
}

/// A refinement, and what it declares once for a check.
pub(super) struct Typed<'a, R: Refinement> {
    refinement: &'a R,
    invariants: Vec<Invariant<R::Implementation>>,
    constraint: Option<Constraint<R::Implementation>>,
    passes: Option<Passes<R>>,
    make_quotient: Option<QuotientOf<R>>,
    identified: OnceLock<IdentifiedBy<'a, R>>,
}

/// Reason why states are identified.
enum IdentifiedBy<'a, R: Refinement> {
    /// Permutations that the systems list.
    Hand(Box<dyn TestedQuotient<R> + 'a>),
    /// The names in states.
    Name(ByName, ByNameOf<R::Implementation>),
}

/// Runs what a model declares beside its states; no counterexample could show its panic.
pub(super) fn declared<T>(function: &str, declare: impl FnOnce() -> T) -> Result<T, CheckError> {
    let (mut declare, mut result) = (Some(declare), None);
    run_declared(function, &mut || {
        result = declare.take().map(|declare| declare())
    })?;
    Ok(result.expect("it has returned"))
}

/// The same of whatever it returns: compiled once.
fn run_declared(function: &str, declare: &mut dyn FnMut()) -> Result<(), CheckError> {
    let called = catch_seldom(|| {
        let declare = || named(function, declare);
        if function == UNNAMED {
            // All of a check, each of whose calls is named by itself.
            return declare();
        }
        let function = || Function::Named(Cow::Owned(function.to_owned()), Of::Model);
        call(function, None, declare)
    });
    called.map_err(|panic| CheckError::Panicked(Box::new(panic)))
}

/// The names in the states of a system.
fn names_of(system: &ErasedSystem<'_>) -> Result<ByName, CheckError> {
    let names = declared("`visit_names` of a state", || ByName::of(system))?;
    names.ok_or(CheckError::NotSymmetric)
}

impl<'a, R: Refinement> Typed<'a, R> {
    /// Asks a refinement for its invariants and its constraint.
    pub fn new(
        refinement: &'a R,
        passes: Option<Passes<R>>,
        make_quotient: Option<QuotientOf<R>>,
    ) -> Result<Self, CheckError> {
        let shape =
            || StateOf::<R::Implementation>::shape(refinement.implementation(), Limits::NONE);
        let shape = declared("`shape` of a state", shape)?;
        if let Some(wrong) = shape.error() {
            return Err(CheckError::WrongLimits(Box::new(wrong.clone())));
        }
        Ok(Self {
            refinement,
            invariants: declared("`invariants`", || refinement.invariants())?,
            constraint: declared("`constraint`", || refinement.constraint())?,
            passes,
            make_quotient,
            identified: OnceLock::new(),
        })
    }

    fn identified(&self) -> &IdentifiedBy<'a, R> {
        self.identified.get().expect("states are identified")
    }
}

impl<R: Refinement> RefinementObject for Typed<'_, R> {
    fn implementation(&self) -> &dyn SystemObject {
        self.refinement.implementation()
    }

    fn specification(&self) -> &dyn SystemObject {
        self.refinement.specification()
    }

    fn map(&self, state: &ErasedState) -> ErasedState {
        ErasedState::from(self.refinement.map(state.get()))
    }

    fn abstract_steps(
        &self,
        from: &ErasedState,
        action: &ErasedAction,
        to: &ErasedState,
    ) -> AbstractSteps<ErasedAction> {
        let steps = self
            .refinement
            .abstract_steps(from.get(), action.get(), to.get());
        steps.map(ErasedAction::from)
    }

    fn invariants<'x>(&self) -> Vec<Invariant<ErasedSystem<'x>>> {
        self.invariants.iter().map(Invariant::erased).collect()
    }

    fn constraint<'x>(&self) -> Option<Constraint<ErasedSystem<'x>>> {
        self.constraint.as_ref().map(Constraint::erased)
    }

    fn liveness<'x>(&self) -> Vec<Property<ErasedSystem<'x>>> {
        let properties = self.refinement.liveness();
        properties.iter().map(Property::erased).collect()
    }

    fn environment(&self) -> &[Process] {
        self.refinement.environment()
    }

    fn at_rest(&self, state: &ErasedState, process: Process) -> bool {
        self.refinement.at_rest(state.get(), process)
    }

    fn acts_for(&self, process: Process) -> Process {
        self.refinement.acts_for(process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.refinement.waivers()
    }
}

impl<R: Refinement> Subject for Typed<'_, R> {
    fn shape(&self) -> Shape {
        StateOf::<R::Implementation>::shape(self.refinement.implementation(), Limits::NONE)
    }

    fn kept(&self) -> Kept {
        StateOf::<R::Implementation>::KEPT
    }

    fn identify(&self) -> Result<(), CheckError> {
        let system = self.refinement.implementation();
        let identified = match self.make_quotient {
            Some(make) => IdentifiedBy::Hand(declared("`permutations`", || make(system))?),
            None => {
                let names = names_of(&ErasedSystem::alone(system))?;
                let of_search = ByNameOf::new(&names);
                IdentifiedBy::Name(names, of_search)
            }
        };
        self.identified.get_or_init(|| identified);
        Ok(())
    }

    fn symmetry<'x>(&self) -> &dyn Lifting<ErasedSystem<'x>> {
        match self.identified() {
            IdentifiedBy::Hand(quotient) => quotient.erased(),
            IdentifiedBy::Name(names, _) => names,
        }
    }

    fn asymmetry(
        &self,
        state: &ErasedState,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> Tested {
        match self.identified() {
            IdentifiedBy::Hand(quotient) => quotient.asymmetry(
                self.refinement,
                &self.invariants,
                state.get(),
                turn,
                out_of_time,
            ),
            IdentifiedBy::Name(names, _) => names.asymmetry(self, state, turn, out_of_time),
        }
    }

    fn search<'s>(
        &'s self,
        plan: &Plan<'_>,
        settings: &Settings<'_>,
        record: Record,
        means: Means<'_>,
    ) -> Result<Searched<'s>, NoOutcome> {
        let constraint = self.constraint.as_ref();
        let tester = Tester::new(plan, self.refinement, &self.invariants, constraint);
        let options = Options {
            threads: settings.threads,
            limits: settings.limits,
            watch: settings.watch,
            record,
            storage: settings.storage,
            symmetry: self.identified.get().map(|identified| match identified {
                IdentifiedBy::Hand(quotient) => quotient.quotient(),
                IdentifiedBy::Name(_, names) => names as _,
            }),
        };
        let system = self.refinement.implementation();
        let explored = explore_on(system, &tester, &options, means)?;
        Ok(Searched {
            totals: totals(&explored),
            recorded: Recorded::of(explored.graph, explored.graph_too_large, explored.end),
            inputs: ErasedAction::all(tester.inputs.all()),
            counts: explored.tally.counts,
            states: Box::new(ErasedStates {
                system,
                states: explored.reached,
            }),
        })
    }

    fn published(&self, batched: &Batched, place: usize) -> Option<ErasedState> {
        published(self.refinement.implementation(), batched, place)
    }

    fn inductive(&self) -> Option<&dyn Enumerated> {
        self.passes.is_some().then_some(self as _)
    }
}

impl<R: Refinement> Enumerated for Typed<'_, R> {
    fn induct(&self, reached: &[ErasedState], settings: &Settings<'_>, tell: Tell<'_>) -> Findings {
        let passes = self.passes.as_ref().expect("states are enumerated");
        let typed = |state: &ErasedState| state.get::<StateOf<R::Implementation>>().clone();
        let reached: Vec<_> = reached.iter().map(typed).collect();
        (passes.decide)(self.refinement, &self.invariants, &reached, settings, tell)
    }

    fn make(&self, choices: &mut Choices) -> ErasedState {
        let passes = self.passes.as_ref().expect("states are enumerated");
        let make = || (passes.make)(self.refinement.implementation(), choices);
        ErasedState::from(call(|| Function::named("`type_correct`"), None, make))
    }

    fn numbers(&self, state: &ErasedState) -> Option<Vec<WrittenNumber>> {
        let passes = self.passes.as_ref().expect("states are enumerated");
        (passes.numbers)(self.refinement.implementation(), state.get())
    }
}

impl<'x, S: Symmetric> Quotienting<ErasedSystem<'x>> for Identified<'_, S> {
    fn canonical(&self, _: &ErasedSystem<'x>, state: &ErasedState) -> ErasedState {
        ErasedState::from(self.quotient.canonical(self.system, state.get()))
    }

    fn strange(&self) -> Option<Asymmetry> {
        self.quotient.strange()
    }
}

impl<'x, S: Symmetric> Lifting<ErasedSystem<'x>> for Identified<'_, S> {
    fn lift(
        &self,
        _: &ErasedSystem<'x>,
        representatives: Trace<ErasedSystem<'x>>,
    ) -> Result<Trace<ErasedSystem<'x>>, Asymmetry> {
        let state = |state: &ErasedState| state.get::<StateOf<S>>().clone();
        let action = |action: &ErasedAction| action.get::<ActionOf<S>>().clone();
        let steps = representatives.steps.iter();
        let representatives = Trace {
            initial: state(&representatives.initial),
            steps: steps.map(|(by, to)| (action(by), state(to))).collect(),
        };
        let lifted = self.quotient.lift(self.system, representatives)?;
        Ok(Trace {
            initial: ErasedState::from(lifted.initial),
            steps: erased_steps(lifted.steps),
        })
    }

    fn permutations(&self) -> usize {
        self.quotient.permutations()
    }

    fn shifts(&self) -> bool {
        self.quotient.shifts()
    }
}

/// The states that a search of a system reached.
struct ErasedStates<'s, S: TransitionSystem> {
    system: &'s S,
    states: Box<dyn States<S>>,
}

impl<'x, S: TransitionSystem> States<ErasedSystem<'x>> for ErasedStates<'_, S> {
    fn len(&self) -> usize {
        self.states.len()
    }

    fn state(&self, _: &ErasedSystem<'x>, id: StateId) -> Option<ErasedState> {
        self.states.state(self.system, id).map(ErasedState::from)
    }

    fn length(&self, id: StateId) -> u32 {
        self.states.length(id)
    }

    fn origin(&self, id: StateId) -> Origin<'_, ErasedSystem<'x>> {
        match self.states.origin(id) {
            Origin::Initial => Origin::Initial,
            Origin::OneOf(sources) => Origin::OneOf(sources),
            Origin::FromLevelBefore => Origin::FromLevelBefore,
            Origin::Behaviour(_) => unreachable!("a search keeps no behaviours"),
        }
    }

    fn search_back(
        &self,
        _: &ErasedSystem<'x>,
        id: StateId,
        leads: &mut dyn FnMut(&ErasedState) -> Option<u32>,
    ) -> Option<Predecessor> {
        self.states.search_back(self.system, id, &mut |state| {
            leads(&ErasedState::from(state.clone()))
        })
    }
}

/// The figures of a search.
fn totals<S: TransitionSystem, T>(explored: &Explored<S, T>) -> Totals {
    let misfit = explored.initial_misfit.as_ref();
    Totals {
        complete: explored.is_complete(),
        cut: None,
        limit_process: explored.limit_process,
        limit: match explored.end {
            End::Limit(limit) => Some(limit),
            End::Complete | End::Stopped | End::Panicked => None,
        },
        initial_states: explored.initial_states,
        states: explored.states() as u64,
        transitions: explored.transitions,
        depth: explored.depth,
        unexamined: explored.unexamined,
        seconds: explored.seconds,
        peak_memory_bytes: explored.peak_memory_bytes,
        kept: Some(explored.kept),
        panic: explored.panic.clone(),
        strange: explored.strange.clone(),
        written: explored.written.clone(),
        spilled: explored.spilled.clone(),
        initial_misfit: misfit.map(|(state, error)| {
            format!("an initial state cannot be packed: {error}; it is {state:?}")
        }),
    }
}
