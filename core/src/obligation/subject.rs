//! The subject of a check: a refinement with what its systems have beside them, without the types of their states.
//!
//! What is generic here is all of a check that is compiled for each model: the two passes that ask it by the million, and a table
//! of its functions.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::error::CheckError;
use super::found::{TellProgress, Totals};
use super::induction::{self, Enumerated, Findings, WrittenNumber};
use super::obligations::ObligationCounts;
use super::recorded::RecordedGraph;
use super::settings::Settings;
use super::visitor::{Plan, Tester};
use crate::report::Report;
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::calls::{Function, Of, call};
use crate::statement::asked::model_call::{UNNAMED, catch_seldom, named};
use crate::statement::asked::type_correct::{Choices, TypeCorrect};
use crate::statement::constraint::Constraint;
use crate::statement::erased::{
    ErasedAction, ErasedState, ErasedSystem, RefinementObject, SystemObject,
};
use crate::statement::invariant::Invariant;
use crate::statement::property::Property;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::Process;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::view::symmetry::{ByName, ExchangesTested, Quotient};
use crate::walk::explore::Asymmetry;
use crate::walk::explore::{
    End, Explored, Means, NoOutcome, Options, Origin, Record, StateId, States, explore_on,
};

/// A refinement of whatever types, and what its systems have beside them.
pub(super) trait Subject: RefinementObject {
    /// Identifies states that differ by their names alone, in all that comes.
    fn identify(&self) -> Result<(), CheckError>;
    /// The names by which they are.
    fn symmetry(&self) -> &ByName;
    /// Tests exchanges of names on a state; see [`ByName::asymmetry`].
    fn asymmetry(
        &self,
        state: &ErasedState,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> ExchangesTested;
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

/// Exhaustive search of one instance.
pub(super) type Alike<'s> = &'s dyn Fn(&dyn Subject, &Settings<'_>) -> Result<Report, CheckError>;

/// Question for names about the instance of a check.
pub(super) type AskNames<'q> = &'q dyn Fn(&dyn Subject) -> Result<Vec<String>, CheckError>;

/// Function that asks such a question of the instance of a check.
pub(super) type InstanceNames<'s> = &'s dyn Fn(AskNames<'_>) -> Result<Vec<String>, CheckError>;

/// Findings of a search.
pub(super) struct Searched<'s> {
    pub counts: ObligationCounts,
    pub totals: Totals,
    pub recorded: RecordedGraph,
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

/// A refinement, and what it declares once for a check.
pub(super) struct Typed<'a, R: Refinement> {
    refinement: &'a R,
    invariants: Vec<Invariant<R::Implementation>>,
    constraint: Option<Constraint<R::Implementation>>,
    passes: Option<Passes<R>>,
    /// The names by which states are identified, for what has no types and for the search.
    identified: OnceLock<(ByName, Quotient<R::Implementation>)>,
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
    pub fn new(refinement: &'a R, passes: Option<Passes<R>>) -> Result<Self, CheckError> {
        let shape = || {
            let system: &dyn SystemObject = refinement.implementation();
            system.shape()
        };
        let shape = declared("`shape` of a state", shape)?;
        if let Some(wrong) = shape.error() {
            return Err(CheckError::WrongLimits(Box::new(wrong.clone())));
        }
        Ok(Self {
            refinement,
            invariants: declared("`invariants`", || refinement.invariants())?,
            constraint: declared("`constraint`", || refinement.constraint())?,
            passes,
            identified: OnceLock::new(),
        })
    }

    fn names(&self) -> &ByName {
        let identified = self.identified.get();
        &identified.expect("states are identified").0
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
    fn identify(&self) -> Result<(), CheckError> {
        let names = names_of(&ErasedSystem::alone(self.refinement.implementation()))?;
        let of_search = Quotient::by(&names);
        self.identified.get_or_init(|| (names, of_search));
        Ok(())
    }

    fn symmetry(&self) -> &ByName {
        self.names()
    }

    fn asymmetry(
        &self,
        state: &ErasedState,
        turn: usize,
        out_of_time: &dyn Fn() -> bool,
    ) -> ExchangesTested {
        self.names().asymmetry(self, state, turn, out_of_time)
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
            symmetry: self.identified.get().map(|(_, names)| names as _),
        };
        let system = self.refinement.implementation();
        let explored = explore_on(system, &tester, &options, means)?;
        Ok(Searched {
            totals: totals(&explored),
            recorded: RecordedGraph::of(explored.graph, explored.graph_too_large, explored.end),
            inputs: ErasedAction::all(tester.inputs.all()),
            counts: explored.tally.counts,
            states: Box::new(ErasedStates {
                system,
                states: explored.reached,
            }),
        })
    }

    fn inductive(&self) -> Option<&dyn Enumerated> {
        self.passes.is_some().then_some(self as _)
    }
}

impl<R: Refinement> Enumerated for Typed<'_, R> {
    fn induct(
        &self,
        reached: &[ErasedState],
        settings: &Settings<'_>,
        tell: TellProgress<'_>,
    ) -> Findings {
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

/// Looks for a state of `states`, or an initial one, in which an exchange of the names in the states of the implementation and of the
/// specification changes something: `next`, `may_stop`, `map`, `abstract_steps`, `observe`, the constraint and the
/// specification's `is_initial` have to commute with it, invariants may only change places with each other, and what stands for
/// a state has to be of its class. Of several answers between the same abstract states any will do, if they are of
/// one rule and one process, and simulate as little or as much.
/// Not every exchanged initial state of the implementation need be initial: what is reached from it is what
/// is reached from the other one, exchanged.
///
/// An observation is exchanged by exchanging the mapped state, so it needs no names of its own.
///
/// # Errors
///
/// If a function that declares something of the model panics, or the initial states have no names.
pub fn asymmetry<'a, R: Refinement>(
    refinement: &R,
    states: impl IntoIterator<Item = &'a StateOf<R::Implementation>>,
) -> Result<Option<Asymmetry>, CheckError> {
    let subject = Typed::new(refinement, None)?;
    subject.identify()?;
    let states = states.into_iter().map(ErasedState::of);
    Ok(subject.names().asymmetry_of(&subject, states))
}

/// Tests a state, of which the number is `turn`.
#[cfg(test)]
pub(crate) fn tested_in_turn<R: Refinement>(
    refinement: &R,
    state: &StateOf<R::Implementation>,
    turn: usize,
) -> ExchangesTested {
    let subject = Typed::new(refinement, None).expect("it declares nothing that is wrong");
    subject.identify().expect("there are names");
    subject.asymmetry(&ErasedState::of(state), turn, &|| false)
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
            Origin::Behaviour(_) => unreachable!("a search keeps no behaviours"),
        }
    }
}

/// The figures of a search.
pub(super) fn totals<S: TransitionSystem, T>(explored: &Explored<S, T>) -> Totals {
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
        written: explored.written.clone(),
        spilled: explored.spilled.clone(),
        initial_misfit: misfit.map(|(state, error)| {
            format!("an initial state cannot be packed: {error}; it is {state:?}")
        }),
    }
}
