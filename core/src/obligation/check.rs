//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::hash::BuildHasher;
use std::sync::Mutex;
use std::time::Instant;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::environment::Label;
use super::induction;
use super::judge::Judge;
use super::sampled::sampled;
use super::selection::{CheckError, Kind, Row, rows};
use super::{Search, Settings, Until};
use crate::explore::{Panic, Place, Record, Visitor, explore};
use crate::invariant::Invariant;
use crate::refinement::Refinement;
use crate::report::Report;
use crate::system::{ActionOf, Process, RuleId, StateOf, TransitionSystem, steps};
use crate::type_correct::TypeCorrect;

/// Discharges the obligations of `refinement` on all reachable states of its instance.
///
/// The report has neither a name nor parameters: see [`Report::named`].
///
/// # Errors
///
/// If `settings` name an obligation that the refinement does not have, or the refinement
/// contradicts itself (two invariants of one name, a waiver for an unknown rule).
pub fn check<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError> {
    run(refinement, settings, None)
}

/// The same for a refinement whose implementation enumerates its type-correct states: `inductive:*`
/// can be chosen.
///
/// # Errors
///
/// As [`check`].
pub fn check_with_induction<R: Refinement>(
    refinement: &R,
    settings: &Settings<'_>,
) -> Result<Report, CheckError>
where
    R::Concrete: TypeCorrect,
{
    let induction = Enumerated {
        decide: induction::decide::<R>,
        state: induction::state::<R::Concrete>,
    };
    run(refinement, settings, Some(induction))
}

/// What it takes to decide `inductive:*`, where the implementation enumerates its type-correct
/// states.
pub(super) struct Enumerated<R: Refinement> {
    pub decide: Decide<R>,
    pub state: fn(&R::Concrete, u64) -> StateOf<R::Concrete>,
}

/// A pass over all type-correct states.
type Decide<R> =
    fn(&R, &[Invariant<<R as Refinement>::Concrete>], &Settings<'_>) -> induction::Findings;

fn run<R: Refinement>(
    refinement: &R,
    settings: &Settings<'_>,
    enumerated: Option<Enumerated<R>>,
) -> Result<Report, CheckError> {
    let started = Instant::now();
    let invariants = refinement.invariants();
    let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
    let rows = rows(refinement, &names, settings, enumerated.is_some())?;
    let mut examiner = Examiner::new(refinement, &invariants, &rows, settings.until);
    if let Search::Walks(walks) = settings.search {
        examiner.wants.labels = false;
        let mut report = sampled(&examiner, walks, settings, enumerated);
        report.seconds = started.elapsed().as_secs_f64();
        return Ok(report);
    }
    let record = if examiner.wants.environment {
        Record::Graph
    } else {
        Record::States
    };
    let explored = explore(
        refinement.implementation(),
        &examiner,
        settings.threads,
        settings.limits,
        settings.watch,
        record,
    );
    let mut report = Judge::new(&examiner, &explored, settings, enumerated).report();
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// What has to be computed for the obligations chosen.
#[derive(Clone, Copy)]
pub(super) struct Wants {
    /// Anything at all.
    pub anything: bool,
    /// f(s) for each state.
    pub image: bool,
    pub observation: bool,
    /// The step correspondence; other obligations rest on it.
    pub simulation: bool,
    pub environment: bool,
    /// What each step means to the environment, to be kept with it.
    pub labels: bool,
}

/// The visitor that tests the obligations.
pub(super) struct Examiner<'a, R: Refinement> {
    pub refinement: &'a R,
    pub invariants: &'a [Invariant<R::Concrete>],
    pub rows: &'a [Row],
    pub wants: Wants,
    pub until: Until,
    pub environment: &'a [Process],
    /// The inputs with which steps were answered, in the order in which they turned up.
    pub inputs: Mutex<Vec<ActionOf<R::Abstract>>>,
    pub hasher: RandomState,
}

/// Which function of the model is running, to be named if it panics.
#[derive(Clone, Copy, Debug)]
pub(super) enum During {
    Map,
    Observe,
    IsInitial,
    Invariant(usize),
    Next,
    Answer,
    Allows,
}

/// What is wrong with a model itself.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Panic(During, Panic),
    OfferedTwice,
}

/// Rows with a fixed place.
const OBSERVATION: usize = 0;
const INITIALITY: usize = 1;
pub(super) const SIMULATION: usize = 2;
const AGENCY: usize = 3;
pub(super) const INVARIANTS: usize = 4;

pub(super) struct Tally<A> {
    /// Per row, how often it was tested.
    pub checked: Vec<u64>,
    /// Per row, the first place where it fails.
    pub first: Vec<Option<Place>>,
    /// Per rule of the implementation, the first place where `simulation` fails by it.
    pub failed: Vec<Option<Place>>,
    /// Per rule of the implementation, its transitions.
    pub fired: Vec<u64>,
    /// Per rule of the specification, the transitions that simulate it.
    pub simulated: Vec<u64>,
    /// Per invariant, the states of which it claims something.
    pub applied: Vec<u64>,
    pub deadlocks: u64,
    pub fault: Option<(Place, Fault)>,
    pub during: During,
    /// Bits of the hashes of the actions that this state has offered so far.
    pub offered: [u64; 16],
    pub perhaps_twice: bool,
    /// The numbers of inputs, as far as this worker has asked for them.
    pub inputs: HashMap<A, u32>,
}

/// The earlier of two places.
fn earlier(place: &mut Option<Place>, other: Option<Place>) {
    *place = match (*place, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}

fn add(into: &mut [u64], from: &[u64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}

impl<'a, R: Refinement> Examiner<'a, R> {
    pub fn new(
        refinement: &'a R,
        invariants: &'a [Invariant<R::Concrete>],
        rows: &'a [Row],
        until: Until,
    ) -> Self {
        let chosen =
            |wanted: fn(Kind) -> bool| rows.iter().any(|row| row.selected && wanted(row.kind));
        let environment = chosen(|kind| matches!(kind, Kind::Environment(_) | Kind::AtRest));
        let simulation = environment
            || chosen(|kind| matches!(kind, Kind::Simulation | Kind::Agency | Kind::Coverage));
        let observation = chosen(|kind| kind == Kind::Observation);
        let initiality = chosen(|kind| kind == Kind::Initiality);
        Self {
            refinement,
            invariants,
            rows,
            wants: Wants {
                anything: chosen(|kind| !matches!(kind, Kind::Model | Kind::Inductive(_))),
                image: simulation || observation || initiality,
                observation,
                simulation,
                environment,
                labels: environment,
            },
            until,
            environment: refinement.environment(),
            inputs: Mutex::new(Vec::new()),
            hasher: RandomState::default(),
        }
    }

    /// The number of an action's inputs.
    fn input(
        &self,
        known: &mut HashMap<ActionOf<R::Abstract>, u32>,
        action: &ActionOf<R::Abstract>,
    ) -> u32 {
        let inputs = self.refinement.specification().inputs(action);
        *known.entry(inputs).or_insert_with_key(|inputs| {
            let mut all = self.inputs.lock().expect("no holder of this lock panics");
            let number = all.iter().position(|other| other == inputs);
            number.unwrap_or_else(|| {
                all.push(inputs.clone());
                all.len() - 1
            }) as u32
        })
    }

    /// Which of the environment's processes `process` is.
    fn environment_index(&self, process: Process) -> Option<usize> {
        self.environment.iter().position(|other| *other == process)
    }
}

impl<R: Refinement> Visitor<R::Concrete> for Examiner<'_, R> {
    type Tally = Tally<ActionOf<R::Abstract>>;
    type Image = Option<StateOf<R::Abstract>>;

    fn tally(&self) -> Self::Tally {
        let rules = self.refinement.implementation().rules().len();
        Tally {
            checked: vec![0; self.rows.len()],
            first: vec![None; self.rows.len()],
            failed: vec![None; rules],
            fired: vec![0; rules],
            simulated: vec![0; self.refinement.specification().rules().len()],
            applied: vec![0; self.invariants.len()],
            deadlocks: 0,
            fault: None,
            during: During::Next,
            offered: [0; 16],
            perhaps_twice: false,
            inputs: HashMap::new(),
        }
    }

    fn merge(&self, into: &mut Self::Tally, from: Self::Tally) {
        add(&mut into.checked, &from.checked);
        add(&mut into.fired, &from.fired);
        add(&mut into.simulated, &from.simulated);
        add(&mut into.applied, &from.applied);
        into.deadlocks += from.deadlocks;
        for (place, other) in into.first.iter_mut().zip(from.first) {
            earlier(place, other);
        }
        for (place, other) in into.failed.iter_mut().zip(from.failed) {
            earlier(place, other);
        }
        into.fault = into
            .fault
            .take()
            .into_iter()
            .chain(from.fault)
            .min_by_key(|(place, _)| *place);
    }

    fn examine(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Concrete>,
    ) -> Self::Image {
        tally.offered = [0; 16];
        tally.perhaps_twice = false;
        let mut image = None;
        if self.wants.image {
            tally.during = During::Map;
            let mapped = self.refinement.map(state);
            if self.wants.observation {
                tally.during = During::Observe;
                let shown = self.refinement.specification().observe(&mapped);
                let same = shown == self.refinement.implementation().observe(state);
                tally.test(OBSERVATION, place, same);
            }
            if place.length == 0 {
                tally.during = During::IsInitial;
                let initial = self.refinement.specification().is_initial(&mapped);
                tally.test(INITIALITY, place, initial);
            }
            image = Some(mapped);
        }
        for (index, invariant) in self.invariants.iter().enumerate() {
            if self.rows[INVARIANTS + index].selected {
                tally.during = During::Invariant(index);
                let applies = invariant.applies(state);
                tally.applied[index] += u64::from(applies);
                let holds = !applies || invariant.concludes(state);
                tally.test(INVARIANTS + index, place, holds);
            }
        }
        tally.during = During::Next;
        image
    }

    fn offered(&self, tally: &mut Self::Tally, action: &ActionOf<R::Concrete>) {
        if self.wants.anything {
            tally.note_offer(self.hasher.hash_one(action));
        }
    }

    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        from: (&StateOf<R::Concrete>, &Self::Image),
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> u32 {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        let (from, image) = from;
        let RuleId(rule) = implementation.rule_of(action);
        let rules = tally.fired.len();
        assert!(
            rule < rules,
            "rule_of answers {rule} for {action:?}, and there are {rules} rules"
        );
        tally.fired[rule] += 1;
        if !self.wants.anything {
            return 0;
        }
        let Some(image) = image.as_ref().filter(|_| self.wants.simulation) else {
            return 0;
        };

        tally.during = During::Answer;
        let answer = self.refinement.answer(from, action, to);
        tally.during = During::Map;
        let target = self.refinement.map(to);
        tally.during = During::Allows;
        let simulates = match &answer {
            Some(abstract_action) => specification.allows(image, abstract_action, &target),
            None => *image == target,
        };
        tally.test(SIMULATION, place, simulates);
        if !simulates {
            earlier(&mut tally.failed[rule], Some(place));
        }

        let agent = self.refinement.acts_for(implementation.process_of(action));
        let mut input = None;
        if let Some(abstract_action) = &answer {
            if simulates {
                tally.simulated[specification.rule_of(abstract_action).0] += 1;
            }
            let process = specification.process_of(abstract_action);
            if self.environment_index(process).is_some() {
                tally.test(AGENCY, place, agent == process);
                if self.wants.labels {
                    input = Some(self.input(&mut tally.inputs, abstract_action));
                }
            }
        }
        tally.during = During::Next;
        Label {
            agent: self.environment_index(agent),
            visible: answer.is_some(),
            input,
        }
        .encode()
    }

    fn leave(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Concrete>,
        count: u32,
    ) {
        let implementation = self.refinement.implementation();
        let deadlock = self.rows.len() - 3;
        tally.deadlocks += u64::from(count == 0);
        tally.test(deadlock, place, count > 0 || implementation.may_stop(state));
        if tally.perhaps_twice {
            let mut actions = HashSet::new();
            let twice = steps(implementation, state)
                .into_iter()
                .position(|(action, _)| !actions.insert(action));
            if let Some(position) = twice {
                let step = Place {
                    length: place.length + 1,
                    step: Some(position as u32),
                    ..place
                };
                tally.blame(step, Fault::OfferedTwice);
            }
        }
    }

    fn panicked(&self, tally: &mut Self::Tally, place: Place, panic: Panic) {
        tally.blame(place, Fault::Panic(tally.during, panic));
    }

    fn stop(&self, tally: &Self::Tally) -> Option<u32> {
        if self.until == Until::End {
            return None;
        }
        let violations = self
            .rows
            .iter()
            .zip(&tally.first)
            .filter(|(row, _)| row.selected)
            .filter_map(|(_, place)| *place);
        violations.map(|place| place.length).min()
    }
}

impl<A> Tally<A> {
    fn test(&mut self, row: usize, place: Place, holds: bool) {
        self.checked[row] += 1;
        if !holds {
            earlier(&mut self.first[row], Some(place));
        }
    }

    fn blame(&mut self, place: Place, fault: Fault) {
        let model = self.first.len() - 1;
        earlier(&mut self.first[model], Some(place));
        if self.fault.as_ref().is_none_or(|(first, _)| place < *first) {
            self.fault = Some((place, fault));
        }
    }

    /// PERF: 1024 bits tell apart nearly always the actions of one state; where they do not, the
    /// actions themselves are compared.
    fn note_offer(&mut self, hash: u64) {
        let bit = 1 << (hash & 63);
        let word = &mut self.offered[(hash >> 6) as usize & 15];
        self.perhaps_twice |= *word & bit != 0;
        *word |= bit;
    }
}
