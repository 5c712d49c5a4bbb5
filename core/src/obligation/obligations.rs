//! The obligations of a check, in the order of the report: what each is, its file says.
//!
//! To add one: write its file beside the others (`observation` is one that is tested at states, `agency` one at steps, `deadlock`
//! one at the end of a state, and `coverage` one that is judged when the search is over), declare it in `mod`, give it a kind
//! in `kind`, and a field here. What is left, its counters, its test, its rows and its judgement, the compiler asks for: nothing here
//! leaves a field out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agency::{Agency, Owner};
use super::auxiliary::{self, Auxiliary};
use super::choice::{Choice, RowNames};
use super::constraint;
use super::coverage::{self, Coverage};
use super::deadlock::{self, Deadlock};
use super::environment::{self, Environment};
use super::error::CheckError;
use super::found::SearchResult;
use super::induction::{self, InductionRows};
use super::initiality::{self, Initiality};
use super::invariant::{self, Invariants};
use super::label::Label;
use super::liveness::LivenessRows;
use super::model::{self, Model};
use super::observation::{self, ObservationRow};
use super::recorded::RecordedGraph;
use super::row::{Judged, ObligationRow};
use super::settings::{self, Search, Settings};
use super::simulation::{self, SimulationRow, TestedStep};
use super::tested::Tested;
use super::undecided::Undecided;
use crate::report::Counterexample;
use crate::state::numbered::MetNumbers;
use crate::statement::asked::model_call::named;
use crate::statement::erased::{Caveats, ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::invariant::Invariant;
use crate::statement::kind::ObligationKind;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ObservationOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::{Place, Spilling, StateId, Storage};
use foldhash::HashMapExt;

/// The obligations of a refinement, those chosen marked.
#[derive(Clone)]
pub(super) struct Obligations<'a> {
    pub observation: ObservationRow,
    pub initiality: Initiality,
    pub simulation: SimulationRow,
    pub agency: Agency<'a>,
    pub invariants: Invariants,
    pub induction: InductionRows,
    pub auxiliary: Auxiliary<'a>,
    pub environment: Environment<'a>,
    pub liveness: LivenessRows,
    pub deadlock: Deadlock,
    pub coverage: Coverage,
    pub model: Model,
    /// Kinds that cannot be decided, and why.
    pub undecided: Undecided,
}

/// An obligation that fails at a state or a step, so that one behaviour shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Observation,
    Initiality,
    /// By a step of this rule of the implementation.
    Simulation(usize),
    Agency,
    /// By its place among the refinement's invariants.
    Invariant(usize),
    Deadlock,
    Model,
}

/// Counters of a worker for each obligation that is tested on the way.
pub(super) struct ObligationCounts {
    pub observation: Tested,
    pub initiality: Tested,
    pub simulation: simulation::SimulationCounts,
    pub agency: Tested,
    /// One for each invariant that is checked.
    pub invariants: Vec<invariant::InvariantCounts>,
    pub constraint: constraint::ConstraintCounts,
    /// The labels that this worker has met.
    pub labels: MetNumbers<Label>,
    /// The abstract states between that this worker has met.
    pub between: MetNumbers<Vec<ErasedState>>,
    pub deadlock: deadlock::DeadlockCounts,
    pub coverage: coverage::CoverageCounts,
    pub model: model::ModelFindings,
}

/// Counters that a checkpoint keeps.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedCounts {
    observation: Tested,
    initiality: Tested,
    simulation: simulation::SimulationCounts,
    agency: Tested,
    invariants: Vec<invariant::InvariantCounts>,
    constraint: constraint::ConstraintCounts,
    deadlock: deadlock::DeadlockCounts,
    coverage: coverage::CoverageCounts,
    model: model::SavedModel,
}

impl ObligationCounts {
    /// Nothing, of so many rules of the implementation and of the specification.
    pub fn new(rules: [usize; 2], invariants: Vec<invariant::InvariantCounts>) -> Self {
        let [concrete, abstracted] = rules;
        Self {
            observation: Tested::default(),
            initiality: Tested::default(),
            simulation: simulation::SimulationCounts::new(concrete),
            agency: Tested::default(),
            invariants,
            constraint: constraint::ConstraintCounts::default(),
            labels: MetNumbers::new(),
            between: MetNumbers::new(),
            deadlock: deadlock::DeadlockCounts::default(),
            coverage: coverage::CoverageCounts::new(rules),
            model: model::ModelFindings::new(abstracted),
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        // All are named, so that one that is not added does not compile.
        let Self {
            observation,
            initiality,
            simulation,
            agency,
            invariants,
            constraint,
            labels: _,
            between: _,
            deadlock,
            coverage,
            model,
        } = other;
        self.observation.add(observation);
        self.initiality.add(initiality);
        self.simulation.add(simulation);
        self.agency.add(agency);
        invariant::InvariantCounts::add(&mut self.invariants, &invariants);
        self.constraint.add(&constraint);
        self.deadlock.add(deadlock);
        self.coverage.add(&coverage);
        self.model.add(model);
    }

    /// Data of them that are kept or told.
    pub fn save(&self) -> Value {
        let saved = SavedCounts {
            observation: self.observation,
            initiality: self.initiality,
            simulation: self.simulation.clone(),
            agency: self.agency,
            invariants: self.invariants.clone(),
            constraint: self.constraint.clone(),
            deadlock: self.deadlock.clone(),
            coverage: self.coverage.clone(),
            model: self.model.save(),
        };
        serde_json::to_value(saved).expect("counters are values")
    }

    /// Takes what was kept of the counters of the same obligations, and says whether it was.
    pub fn load(&mut self, saved: &Value) -> bool {
        let Ok(saved) = serde_json::from_value::<SavedCounts>(saved.clone()) else {
            return false;
        };
        let SavedCounts {
            observation,
            initiality,
            simulation,
            agency,
            invariants,
            constraint,
            deadlock,
            coverage,
            model,
        } = saved;
        let places = |all: &[invariant::InvariantCounts]| {
            all.iter().map(|one| one.place).collect::<Vec<_>>()
        };
        let is_of_these = simulation.failed.len() == self.simulation.failed.len()
            && places(&invariants) == places(&self.invariants)
            && coverage.is_of(&self.coverage);
        self.observation = observation;
        self.initiality = initiality;
        self.simulation = simulation;
        self.agency = agency;
        self.invariants = invariants;
        self.constraint = constraint;
        self.deadlock = deadlock;
        self.coverage = coverage;
        self.model.load(model);
        is_of_these
    }

    /// The first place of a failure.
    pub fn first(&self, failure: Failure) -> Option<Place> {
        match failure {
            Failure::Observation => self.observation.first,
            Failure::Initiality => self.initiality.first,
            Failure::Simulation(rule) => self.simulation.failed[rule],
            Failure::Agency => self.agency.first,
            Failure::Invariant(place) => {
                let mut invariants = self.invariants.iter();
                let counts = invariants.find(|counts| counts.place == place);
                counts.and_then(|counts| counts.tested.first)
            }
            Failure::Deadlock => self.deadlock.tested.first,
            Failure::Model => self.model.first(),
        }
    }

    /// Says that a failure that was found comes first at another place.
    pub fn set_first(&mut self, failure: Failure, other: Place) {
        let first = match failure {
            Failure::Observation => &mut self.observation.first,
            Failure::Initiality => &mut self.initiality.first,
            Failure::Simulation(rule) => &mut self.simulation.failed[rule],
            Failure::Agency => &mut self.agency.first,
            Failure::Invariant(place) => {
                let mut invariants = self.invariants.iter_mut();
                match invariants.find(|counts| counts.place == place) {
                    Some(counts) => &mut counts.tested.first,
                    None => return,
                }
            }
            Failure::Deadlock => &mut self.deadlock.tested.first,
            Failure::Model => {
                if let Some((first, _)) = &mut self.model.fault {
                    *first = other;
                }
                return;
            }
        };
        *first = Some(other);
    }

    /// The states at which there are failures.
    pub fn mentioned(&self) -> Vec<StateId> {
        self.failures().map(|(_, place)| place.state).collect()
    }

    /// Gives the states at which there are failures other numbers.
    pub fn renumber(&mut self, number: &dyn Fn(StateId) -> StateId) {
        let failures: Vec<_> = self.failures().collect();
        for (failure, place) in failures {
            let state = number(place.state);
            self.set_first(failure, Place { state, ..place });
        }
    }

    /// Failures, whether or not they are chosen, in the order of the report.
    pub fn failures(&self) -> impl Iterator<Item = (Failure, Place)> {
        let single = |failure| (failure, self.first(failure));
        let definition_6 = [Failure::Observation, Failure::Initiality].map(single);
        let rules = self.simulation.failed.iter().enumerate();
        let rules = rules.map(|(rule, first)| (Failure::Simulation(rule), *first));
        let invariants = self.invariants.iter();
        let invariants =
            invariants.map(|counts| (Failure::Invariant(counts.place), counts.tested.first));
        let rest = [Failure::Deadlock, Failure::Model].map(single);
        definition_6
            .into_iter()
            .chain(rules)
            .chain([single(Failure::Agency)])
            .chain(invariants)
            .chain(rest)
            .filter_map(|(failure, first)| Some((failure, first?)))
    }
}

/// Findings of what is decided when the search is over.
pub(super) struct Afterwards<'d, 'f> {
    pub recorded: &'d RecordedGraph,
    pub auxiliary: &'d auxiliary::AuxiliaryFindings,
    pub environment: &'d environment::EnvironmentOutcome<ErasedRefinement<'f>>,
    /// Rows of liveness.
    pub liveness: Vec<Judged>,
    /// Findings of the pass over type-correct states, or why there are none.
    pub induction: Result<&'d induction::InductionOutcome<'f>, &'static str>,
}

impl<'a> Obligations<'a> {
    /// Those of `refinement`, as `settings` choose them.
    pub fn new<R: Refinement>(
        refinement: &'a R,
        invariants: &[Invariant<R::Implementation>],
        settings: &Settings<'_>,
        is_enumerated: bool,
    ) -> Result<Self, CheckError> {
        if settings.induction != settings::Induction::Omitted && !is_enumerated {
            return Err(CheckError::NotEnumerated);
        }
        let implementation = refinement.implementation();
        let undecided = Undecided::of(implementation, settings);
        let choice = &Choice::new(settings, undecided);
        let obligations = Self {
            observation: ObservationRow::new(choice),
            initiality: Initiality::new(choice),
            simulation: SimulationRow::new(choice),
            agency: Agency::new(refinement, choice),
            invariants: Invariants::new(invariants, choice)?,
            induction: InductionRows::new(invariants, is_enumerated, choice),
            auxiliary: Auxiliary::new(implementation, choice),
            environment: named("`environment`, `acts_for` or `rules`", || {
                Environment::new(refinement, choice)
            })?,
            liveness: named("`fairness`, `liveness` or `rules`", || {
                LivenessRows::new(refinement, choice)
            })?,
            deadlock: Deadlock::new(choice),
            coverage: named("`waivers` or `rules`", || Coverage::new(refinement, choice))?,
            model: Model::new(choice),
            undecided,
        };
        validate(settings)?;
        obligations.validate_names(settings, is_enumerated)?;
        Ok(obligations)
    }

    /// Whether the names that a user chose are names of these.
    fn validate_names(
        &self,
        settings: &Settings<'_>,
        is_enumerated: bool,
    ) -> Result<(), CheckError> {
        let has_invariants = !self.invariants.rows.is_empty();
        let groups = [
            Some(ObligationKind::Environment),
            has_invariants.then_some(ObligationKind::Invariant),
            is_enumerated.then_some(ObligationKind::Inductive),
        ];
        let mut all = self.clone();
        let names = RowNames {
            rows: all
                .rows_mut()
                .map(|row| (row.name.clone(), row.is_chosen()))
                .collect(),
            groups: groups.into_iter().flatten().collect(),
            always: ObligationKind::Model,
            undecided: &self.undecided,
        };
        names.validate(settings)
    }

    /// The names of the rows that are chosen, in the order of the report.
    pub fn chosen(&self) -> Vec<String> {
        let mut all = self.clone();
        let chosen = all.rows_mut().filter(|row| row.is_chosen());
        chosen.map(|row| row.name.clone()).collect()
    }

    /// Their rows, in the order of the report.
    fn rows_mut(&mut self) -> impl Iterator<Item = &mut ObligationRow> {
        // All are named, so that one without rows does not compile.
        let Self {
            observation,
            initiality,
            simulation,
            agency,
            invariants,
            induction,
            auxiliary,
            environment,
            liveness,
            deadlock,
            coverage,
            model,
            undecided: _,
        } = self;
        [
            &mut observation.row,
            &mut initiality.row,
            &mut simulation.row,
            &mut agency.row,
        ]
        .into_iter()
        .chain(&mut invariants.rows)
        .chain(induction.rows_mut())
        .chain(auxiliary.rows_mut())
        .chain(environment.rows_mut())
        .chain(liveness.rows_mut())
        .chain([&mut deadlock.row, &mut coverage.row, &mut model.row])
    }

    /// Whether something is chosen that is decided on the complete graph, and can be.
    pub fn need_graph(&self) -> bool {
        self.environment.needs_graph() || self.liveness.needs_graph() || self.coverage.needs_graph()
    }

    /// Failures of these, in the order of the report.
    pub fn failures(&self, counts: &ObligationCounts) -> impl Iterator<Item = (Failure, Place)> {
        let failures = counts.failures();
        failures.filter(|(failure, _)| self.is_chosen(*failure))
    }

    /// Of all these only the one that fails: what a model does wrong may show in any of them.
    pub fn only(&self, failure: Failure) -> Self {
        let mut only = self.clone();
        if failure == Failure::Model {
            return only;
        }
        only.rows_mut().for_each(|row| row.selected = false);
        only.row_mut(failure).selected = true;
        only
    }

    /// Whether what fails is chosen.
    pub fn is_chosen(&self, failure: Failure) -> bool {
        match failure {
            Failure::Observation => self.observation.row.selected,
            Failure::Initiality => self.initiality.row.selected,
            Failure::Simulation(_) => self.simulation.row.selected,
            Failure::Agency => self.agency.row.selected,
            Failure::Invariant(place) => self.invariants.rows[place].selected,
            Failure::Deadlock => self.deadlock.row.selected,
            Failure::Model => self.model.row.selected,
        }
    }

    /// Tests a state beside its image, and says what it shows if that was tested.
    #[inline(always)]
    pub fn test_state<R: Refinement>(
        &self,
        refinement: &R,
        counts: &mut ObligationCounts,
        place: Place,
        state: &StateOf<R::Implementation>,
        image: &StateOf<R::Specification>,
    ) -> Option<ObservationOf<R::Implementation>> {
        let is_observed = self.observation.row.selected;
        let shown = is_observed.then(|| {
            ObservationRow::test(refinement, &mut counts.observation, place, state, image)
        });
        Initiality::test(refinement, &mut counts.initiality, place, image);
        shown
    }

    /// Tests a step for which is known whether it simulates what is said.
    #[inline(always)]
    pub fn test_step<R: Refinement>(
        &self,
        refinement: &R,
        counts: &mut ObligationCounts,
        place: Place,
        step: &TestedStep<'_, R>,
    ) {
        let specification = refinement.specification();
        for (number, action) in step.answer.actions().iter().enumerate() {
            if step.simulates {
                counts
                    .coverage
                    .simulate(specification, action, || step.changes(number));
            }
            let owner = self.agency.owner(specification, action);
            Agency::test(refinement, &mut counts.agency, place, step.action, owner);
            if let Owner::LeftOut(process) = owner {
                counts.model.acts(process);
            }
        }
    }

    /// Tests a state of which it is known how many steps it has.
    #[inline(always)]
    pub fn test_end<S: TransitionSystem>(
        &self,
        implementation: &S,
        caveats: &Caveats<'_, StateOf<S>>,
        counts: &mut ObligationCounts,
        place: Place,
        state: &StateOf<S>,
        steps: u32,
    ) {
        let counts = &mut counts.deadlock;
        self.deadlock
            .test(implementation, caveats, counts, place, state, steps);
    }

    /// Rows of all but [`Model`], each judged, in the order of the report; and doubts about the rules of the specification.
    pub fn judge<'f>(
        &self,
        counts: &ObligationCounts,
        invariants: &[Invariant<ErasedSystem<'f>>],
        afterwards: Afterwards<'_, 'f>,
        found: &SearchResult<'_, ErasedRefinement<'f>>,
    ) -> (Vec<Judged>, Vec<String>) {
        // All are named, so that one that is not judged does not compile.
        let Self {
            observation,
            initiality,
            simulation,
            agency,
            invariants: of_invariants,
            induction,
            auxiliary,
            environment,
            liveness: _,
            deadlock,
            coverage,
            model: _,
            undecided: _,
        } = self;
        let mut rows = Vec::new();
        rows.extend(observation.judge(counts.observation, found));
        rows.extend(initiality.judge(counts.initiality, found));
        rows.extend(simulation.judge(&counts.simulation, found));
        rows.extend(agency.judge(counts.agency, found));
        rows.extend(of_invariants.judge(invariants, &counts.invariants, found));
        rows.extend(induction.judge(afterwards.induction, invariants, found));
        rows.extend(auxiliary.judge(afterwards.auxiliary));
        rows.extend(environment.judge(afterwards.environment, found));
        rows.extend(afterwards.liveness);
        rows.extend(deadlock.judge(&counts.deadlock, found));
        let coverage = coverage.judge(&counts.coverage, afterwards.recorded, found);
        rows.extend(coverage.judged);
        (rows, coverage.doubts)
    }

    /// Explanation of a failure by the last step of a behaviour; none of a fault of the model, which is found by asking it
    /// again.
    pub fn explain<R: Refinement>(
        &self,
        failure: Failure,
        refinement: &R,
        invariants: &[Invariant<R::Implementation>],
        trace: &Trace<R::Implementation>,
    ) -> Option<Counterexample> {
        Some(match failure {
            Failure::Observation => observation::explain(refinement, trace),
            Failure::Initiality => initiality::explain(refinement, trace),
            Failure::Simulation(_) => simulation::explain(refinement, trace),
            Failure::Agency => self.agency.explain(refinement, trace),
            Failure::Invariant(place) => invariant::explain(refinement, trace, &invariants[place]),
            Failure::Deadlock => deadlock::explain(refinement, trace),
            Failure::Model => return None,
        })
    }

    /// The name of what fails.
    pub fn name(&self, failure: Failure) -> String {
        self.clone().row_mut(failure).name.clone()
    }

    fn row_mut(&mut self, failure: Failure) -> &mut ObligationRow {
        match failure {
            Failure::Observation => &mut self.observation.row,
            Failure::Initiality => &mut self.initiality.row,
            Failure::Simulation(_) => &mut self.simulation.row,
            Failure::Agency => &mut self.agency.row,
            Failure::Invariant(place) => &mut self.invariants.rows[place],
            Failure::Deadlock => &mut self.deadlock.row,
            Failure::Model => &mut self.model.row,
        }
    }
}

/// Whether the settings make sense by themselves.
fn validate(settings: &Settings<'_>) -> Result<(), CheckError> {
    if let Some(seconds) = settings.limits.seconds
        && (seconds.is_nan() || seconds < 0.0)
    {
        return Err(CheckError::NoTime {
            seconds: seconds.to_string(),
        });
    }
    if let settings::Induction::Sampled(samples) = settings.induction
        && samples.samples == 0
    {
        return Err(CheckError::NoSamples);
    }
    if settings.checkpoints.is_some() && settings.search != Search::Exhaustive {
        return Err(CheckError::CheckpointsOfWalks);
    }
    let is_packed = settings.storage == Storage::Packed;
    if settings.spill.is_some() && !(is_packed && settings.search == Search::Exhaustive) {
        return Err(CheckError::SpilledUnpacked);
    }
    let is_exhaustive = settings.search == Search::Exhaustive;
    if settings.peers.is_some() && !(is_packed && is_exhaustive) {
        return Err(CheckError::Together);
    }
    let is_bounded = |spill: &Spilling| spill.from_bytes.or(settings.limits.memory_bytes).is_some();
    if !settings.spill.as_ref().is_none_or(is_bounded) {
        return Err(CheckError::SpilledWithoutLimit);
    }
    Ok(())
}
