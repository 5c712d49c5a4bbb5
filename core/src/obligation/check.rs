//! The check of a refinement: one walk over the reachable states that tests all obligations as it
//! goes.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use std::time::Instant;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::environment::{self, Label};
use super::induction;
use super::judge::Judge;
use super::sampled::sampled;
use super::selection::{CheckError, Kind, Row, rows};
use super::{Search, Settings, Symmetry, Until};
use crate::explore::{Explored, Options, Panic, Place, Record, Visitor, explore, explore_packed};
use crate::invariant::Invariant;
use crate::packed::Packed;
use crate::refinement::Refinement;
use crate::report::Report;
use crate::symmetry::{Asymmetry, Quotient, Quotienting, Symmetric, asymmetry_in_turn, is_in_turn};
use crate::system::{ActionOf, Process, RuleId, StateOf, TransitionSystem, steps};
use crate::type_correct::TypeCorrect;

/// Discharges the obligations of `refinement` on all reachable states of its instance.
///
/// The report has neither a name nor parameters: see [`Report::named`].
///
/// # Errors
///
/// If `settings` name an obligation that the refinement does not have, or ask for what only a
/// [`Checker`] can be told of, or the refinement contradicts itself (two invariants of one name, a
/// waiver for an unknown rule).
pub fn check<R: Refinement>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError> {
    Checker::new(refinement).check(settings)
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
    Checker::new(refinement).inductive().check(settings)
}

/// A refinement, and what its systems have beside them: how states are packed, which of them are
/// type-correct, what can be exchanged.
///
/// ```no_run
/// # use refmap::{Packed, Refinement, Report, Settings, TypeCorrect};
/// # use refmap::obligation::{CheckError, Checker};
/// fn check<R>(refinement: &R, settings: &Settings<'_>) -> Result<Report, CheckError>
/// where
///     R: Refinement<Concrete: Packed + TypeCorrect>,
/// {
///     Checker::new(refinement).packed().inductive().check(settings)
/// }
/// ```
pub struct Checker<'a, R: Refinement> {
    refinement: &'a R,
    explore: Explore<R>,
    enumerated: Option<Enumerated<R>>,
    symmetry: Option<SymmetryOf<R>>,
}

/// A search of the states of a refinement's implementation.
type Explore<R> = for<'e> fn(
    &'e <R as Refinement>::Concrete,
    &'e Examiner<'_, R>,
    &'e Options<'_, <R as Refinement>::Concrete>,
) -> Found<R>;

/// What it finds.
type Found<R> = Explored<<R as Refinement>::Concrete, Tally<ActionOf<<R as Refinement>::Abstract>>>;

/// The symmetry that a refinement's systems have in common.
struct SymmetryOf<R: Refinement> {
    quotient: QuotientOf<R>,
    asymmetry: AsymmetryAt<R>,
}

/// Makes the quotient of the implementation.
type QuotientOf<R> = for<'s> fn(
    &'s <R as Refinement>::Concrete,
) -> Box<dyn Quotienting<<R as Refinement>::Concrete> + 's>;

/// Whether the symmetry is none, as a state of some number shows.
type AsymmetryAt<R> = fn(
    &R,
    &[Invariant<<R as Refinement>::Concrete>],
    &StateOf<<R as Refinement>::Concrete>,
    usize,
) -> Option<Asymmetry>;

/// What it takes to decide `inductive:*`, where the implementation enumerates its type-correct
/// states.
pub(super) struct Enumerated<R: Refinement> {
    pub decide: Decide<R>,
    pub state: fn(&R::Concrete, u64) -> StateOf<R::Concrete>,
}

/// A pass over all type-correct states.
type Decide<R> =
    fn(&R, &[Invariant<<R as Refinement>::Concrete>], &Settings<'_>) -> induction::Findings;

impl<'a, R: Refinement> Checker<'a, R> {
    /// A check of `refinement`, of whose systems nothing is known but that they are systems.
    pub fn new(refinement: &'a R) -> Self {
        Self {
            refinement,
            explore: |system, examiner, options| explore(system, examiner, options),
            enumerated: None,
            symmetry: None,
        }
    }

    /// States of the implementation are kept packed.
    #[must_use]
    pub fn packed(mut self) -> Self
    where
        R::Concrete: Packed,
    {
        self.explore = |system, examiner, options| explore_packed(system, examiner, options);
        self
    }

    /// `inductive:*` can be chosen.
    #[must_use]
    pub fn inductive(mut self) -> Self
    where
        R::Concrete: TypeCorrect,
    {
        self.enumerated = Some(Enumerated {
            decide: induction::decide::<R>,
            state: induction::state::<R::Concrete>,
        });
        self
    }

    /// States that differ by a permutation can be identified.
    #[must_use]
    pub fn symmetric(mut self) -> Self
    where
        R::Concrete: Symmetric,
        R::Abstract: Symmetric<Permutation = <R::Concrete as Symmetric>::Permutation>,
    {
        self.symmetry = Some(SymmetryOf {
            quotient: |system| Box::new(Quotient::of(system)),
            asymmetry: asymmetry_in_turn::<R>,
        });
        self
    }

    /// Discharges the obligations that `settings` choose.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn check(self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        let started = Instant::now();
        let refinement = self.refinement;
        let invariants = refinement.invariants();
        let names: Vec<_> = invariants.iter().map(Invariant::name).collect();
        let rows = rows(refinement, &names, settings, self.enumerated.is_some())?;
        let symmetry = match (settings.symmetry, self.symmetry) {
            (Symmetry::None, _) => None,
            (Symmetry::Full, Some(symmetry)) => Some(symmetry),
            (Symmetry::Full, None) => return Err(CheckError::NotSymmetric),
        };
        let quotient = symmetry
            .as_ref()
            .map(|symmetry| (symmetry.quotient)(refinement.implementation()));
        let mut examiner = Examiner::new(refinement, &invariants, &rows, settings.until);
        examiner.asymmetry = symmetry.map(|symmetry| symmetry.asymmetry);
        if let Search::Walks(walks) = settings.search {
            examiner.wants.labels = false;
            let mut report = sampled(&examiner, walks, settings, self.enumerated);
            report.seconds = started.elapsed().as_secs_f64();
            return Ok(report);
        }
        let undecidable = environment::undecidable(refinement, settings);
        let options = Options {
            threads: settings.threads,
            limits: settings.limits,
            watch: settings.watch,
            record: match examiner.wants.environment && undecidable.is_none() {
                true => Record::Graph,
                false => Record::States,
            },
            order: settings.order,
            storage: settings.storage,
            symmetry: quotient.as_deref(),
        };
        let explored = (self.explore)(refinement.implementation(), &examiner, &options);
        let symmetry = options.symmetry;
        let judge = Judge::new(&examiner, &explored, settings, symmetry, self.enumerated);
        let mut report = judge.report();
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }
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
    /// Those of them that are checked, with their places.
    chosen: Vec<(usize, &'a Invariant<R::Concrete>)>,
    pub rows: &'a [Row],
    pub wants: Wants,
    pub until: Until,
    pub environment: &'a [Process],
    /// The inputs with which steps were answered, in the order in which they turned up.
    pub inputs: Mutex<Vec<ActionOf<R::Abstract>>>,
    /// Where states are identified by a symmetry: the test that it is one.
    pub asymmetry: Option<AsymmetryAt<R>>,
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
    Symmetry,
}

/// What is wrong with a model itself.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Panic(During, Panic),
    OfferedTwice,
    Asymmetry(Asymmetry),
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
    /// States without a step in which a bound has stopped a thread, and the names of all such threads.
    pub cut_off: (u64, BTreeSet<String>),
    pub fault: Option<(Place, Fault)>,
    pub during: During,
    /// Bits of the hashes of the actions that this state has offered so far.
    pub offered: [u64; 16],
    pub perhaps_twice: bool,
    /// The numbers of inputs, as far as this worker has asked for them.
    pub inputs: HashMap<A, u32>,
    /// States on which the symmetry was tested.
    pub tested_symmetry: u64,
}

/// A hash that only says which actions to compare.
///
/// PERF: it is computed at every step, and a good one takes as long as half of a cheap rule.
#[derive(Default)]
struct Mixer(u64);

impl Mixer {
    #[inline]
    fn mix<A: Hash>(action: &A) -> u64 {
        let mut mixer = Self::default();
        action.hash(&mut mixer);
        // The upper bits are mixed best.
        mixer.0 >> 48
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u8(*byte);
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
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
            chosen: invariants
                .iter()
                .enumerate()
                .filter(|(index, _)| rows[INVARIANTS + index].selected)
                .collect(),
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
            asymmetry: None,
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

    /// Tests that a step of `rule` maps to what it is said to simulate, and says what it means to the
    /// environment.
    #[inline(never)]
    fn simulation(
        &self,
        tally: &mut Tally<ActionOf<R::Abstract>>,
        (place, rule): (Place, usize),
        (from, image): (&StateOf<R::Concrete>, &StateOf<R::Abstract>),
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> u32 {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
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

        let agent = || self.refinement.acts_for(implementation.process_of(action));
        let mut input = None;
        if let Some(abstract_action) = &answer {
            if simulates {
                tally.simulated[specification.rule_of(abstract_action).0] += 1;
            }
            let process = specification.process_of(abstract_action);
            if self.environment_index(process).is_some() {
                tally.test(AGENCY, place, agent().is(process));
                if self.wants.labels {
                    input = Some(self.input(&mut tally.inputs, abstract_action));
                }
            }
        }
        tally.during = During::Next;
        if !self.wants.labels {
            return 0;
        }
        Label {
            agent: self.environment_index(agent()),
            visible: answer.is_some(),
            input,
        }
        .encode()
    }

    /// Which of the environment's processes `process` is.
    fn environment_index(&self, process: Process) -> Option<usize> {
        let mut environment = self.environment.iter();
        environment.position(|other| other.is(process))
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
            cut_off: (0, BTreeSet::new()),
            fault: None,
            during: During::Next,
            offered: [0; 16],
            perhaps_twice: false,
            inputs: HashMap::new(),
            tested_symmetry: 0,
        }
    }

    fn merge(&self, into: &mut Self::Tally, from: Self::Tally) {
        add(&mut into.checked, &from.checked);
        add(&mut into.fired, &from.fired);
        add(&mut into.simulated, &from.simulated);
        add(&mut into.applied, &from.applied);
        into.deadlocks += from.deadlocks;
        into.cut_off.0 += from.cut_off.0;
        into.cut_off.1.extend(from.cut_off.1);
        into.tested_symmetry += from.tested_symmetry;
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
        if !self.wants.anything {
            return None;
        }
        tally.offered = [0; 16];
        tally.perhaps_twice = false;
        if let Some(asymmetry) = self.asymmetry.filter(|_| is_in_turn(place.state.0)) {
            tally.during = During::Symmetry;
            tally.tested_symmetry += 1;
            let turn = place.state.0 as usize;
            if let Some(found) = asymmetry(self.refinement, self.invariants, state, turn) {
                tally.blame(place, Fault::Asymmetry(found));
            }
        }
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
        for &(index, invariant) in &self.chosen {
            tally.during = During::Invariant(index);
            let applies = invariant.applies(state);
            tally.applied[index] += u64::from(applies);
            let holds = !applies || invariant.concludes(state);
            tally.test(INVARIANTS + index, place, holds);
        }
        tally.during = During::Next;
        image
    }

    #[inline(always)]
    fn offered(&self, tally: &mut Self::Tally, action: &ActionOf<R::Concrete>) {
        if self.wants.anything {
            tally.note_offer(Mixer::mix(action));
        }
    }

    #[inline(always)]
    fn step(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        from: (&StateOf<R::Concrete>, &Self::Image),
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> u32 {
        let implementation = self.refinement.implementation();
        let RuleId(rule) = implementation.rule_of(action);
        let rules = tally.fired.len();
        assert!(
            rule < rules,
            "rule_of answers {rule} for {action:?}, and there are {rules} rules"
        );
        tally.fired[rule] += 1;
        let (from, image) = from;
        match image {
            Some(image) if self.wants.simulation => {
                self.simulation(tally, (place, rule), (from, image), action, to)
            }
            _ => 0,
        }
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
        if count == 0 {
            tally.deadlocks += 1;
            tally.note_cut_off(implementation.cut_off(state));
        }
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

    fn note_cut_off(&mut self, threads: Vec<&str>) {
        let (states, names) = &mut self.cut_off;
        *states += u64::from(!threads.is_empty());
        for name in threads {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
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
