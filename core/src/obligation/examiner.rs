//! What looks at each state and step, and tests the obligations there.

use std::fmt::Debug;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use foldhash::{HashMap, HashSet, HashSetExt};

use super::Until;
use super::environment::Label;
use super::selection::{Kind, Row};
use super::tally::{
    AGENCY, Claim, During, Fault, INITIALITY, INVARIANTS, OBSERVATION, Offers, SIMULATION, Tally,
    earlier,
};
use crate::explore::{Panic, Place, Visitor};
use crate::invariant::{Invariant, PredicateOf};
use crate::packed::PackingError;
use crate::refinement::Refinement;
use crate::symmetry::{Tested, TestedQuotient, is_in_turn};
use crate::system::{ActionOf, Process, RuleId, StateOf, TransitionSystem, steps};

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
    /// Those of them that are checked.
    chosen: Vec<Chosen<'a, R>>,
    pub rows: &'a [Row],
    pub wants: Wants,
    pub until: Until,
    pub environment: &'a [Process],
    /// Whether something bounds the runs of the implementation, which may stop threads.
    is_bounded: bool,
    /// The inputs with which steps were answered, in the order in which they turned up.
    pub inputs: Mutex<Vec<ActionOf<R::Abstract>>>,
    /// Where states are identified by a symmetry: the quotient, with the test that it is one.
    pub symmetry: Option<&'a dyn TestedQuotient<R>>,
    /// Whether the model is asked again in a sample of the states.
    pub asks_again: bool,
    /// Whether these are states of random walks.
    pub walks: bool,
    /// Whether states are kept as fingerprints.
    pub fingerprints: bool,
    pub started: Instant,
    /// How many nanoseconds it took to compare methods of the specification.
    pub spent: AtomicU64,
    /// The initial states of the specification, unless they are too many; made when they are first asked for.
    pub initial_of_specification: OnceLock<Option<HashSet<StateOf<R::Abstract>>>>,
    /// Whether to stop what takes long.
    pub out_of_time: &'a (dyn Fn() -> bool + Sync),
}

/// An invariant that is checked.
///
/// PERF: its predicates are asked of every state, and found here without a detour.
struct Chosen<'a, R: Refinement> {
    /// Its place among all invariants.
    place: usize,
    premise: Option<&'a PredicateOf<R::Concrete>>,
    conclusion: &'a PredicateOf<R::Concrete>,
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
                .map(|(place, invariant)| {
                    let (premise, conclusion) = invariant.predicates();
                    Chosen {
                        place,
                        premise,
                        conclusion,
                    }
                })
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
            is_bounded: refinement.implementation().bound().is_some(),
            inputs: Mutex::new(Vec::new()),
            symmetry: None,
            asks_again: true,
            walks: false,
            fingerprints: false,
            started: Instant::now(),
            spent: AtomicU64::new(0),
            initial_of_specification: OnceLock::new(),
            out_of_time: &|| false,
        }
    }

    /// Asks again whether the invariants hold that are checked, beside what was answered `first`.
    pub(super) fn chosen_again<'s>(
        &'s self,
        state: &'s StateOf<R::Concrete>,
        first: &'s [bool],
    ) -> impl Iterator<Item = (&'s str, &'s bool, impl Fn() -> bool)> {
        let asked = self.chosen.iter().zip(first);
        asked.map(move |(chosen, first)| {
            let invariant = &self.invariants[chosen.place];
            (invariant.name(), first, move || invariant.holds(state))
        })
    }

    /// Counts a step for its rule, and says which that is.
    #[inline(always)]
    fn count(&self, tally: &mut Tally<R>, action: &ActionOf<R::Concrete>) -> usize {
        let RuleId(rule) = self.refinement.implementation().rule_of(action);
        match tally.fired.get_mut(rule) {
            Some(fired) => *fired += 1,
            None => no_such_rule(rule, action, tally.fired.len()),
        }
        rule
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
        tally: &mut Tally<R>,
        (place, rule): (Place, usize),
        (from, image): (&StateOf<R::Concrete>, &StateOf<R::Abstract>),
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> u32 {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        tally.during = During::Answer;
        let answer = self.refinement.answer(from, action, to);
        if let Some(heard) = &mut tally.again.heard {
            heard.answers.push(answer.clone());
        }
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
                let RuleId(rule) = specification.rule_of(abstract_action);
                match tally.simulated.get_mut(rule) {
                    Some(simulated) => *simulated += 1,
                    None => no_such_rule(rule, abstract_action, specification.rules().len()),
                }
            }
            let process = specification.process_of(abstract_action);
            if self.environment_index(process).is_some() {
                tally.test(AGENCY, place, agent().is(process));
                if self.wants.labels {
                    input = Some(self.input(&mut tally.inputs, abstract_action));
                }
            } else if self.is_beside_environment(process) {
                tally.again.processes.insert(process);
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
    pub(super) fn environment_index(&self, process: Process) -> Option<usize> {
        let mut environment = self.environment.iter();
        environment.position(|other| other.is(process))
    }

    /// Whether the environment has others of the kind of `process`, which is none of it.
    pub(super) fn is_beside_environment(&self, process: Process) -> bool {
        let mut environment = self.environment.iter();
        environment.any(|other| other.name == process.name)
    }
}

#[cold]
#[inline(never)]
fn no_such_rule(rule: usize, action: &impl Debug, rules: usize) -> ! {
    panic!("rule_of answers {rule} for {action:?}, and there are {rules} rules");
}

impl<R: Refinement> Visitor<R::Concrete> for Examiner<'_, R> {
    type Tally = Tally<R>;
    type Image = Option<StateOf<R::Abstract>>;

    fn tally(&self) -> Self::Tally {
        let rules = [
            self.refinement.implementation().rules().len(),
            self.refinement.specification().rules().len(),
        ];
        Tally {
            claims: vec![Claim::default(); self.chosen.len()],
            ..Tally::new(self.rows.len(), rules, self.invariants.len())
        }
    }

    fn merge(&self, into: &mut Self::Tally, from: Self::Tally) {
        for (invariant, claim) in self.chosen.iter().zip(&from.claims) {
            into.checked[INVARIANTS + invariant.place] += claim.tested;
            into.applied[invariant.place] += claim.applied;
        }
        into.add(from);
    }

    fn examine(&self, tally: &mut Self::Tally, place: Place, state: &StateOf<R::Concrete>) {
        self.listen(tally, place);
        if !self.wants.anything {
            return;
        }
        tally.offered = Offers::default();
        tally.perhaps_twice = false;
        if let Some(symmetry) = self.symmetry.filter(|_| is_in_turn(place.state.0)) {
            tally.during = During::Symmetry;
            let turn = place.state.0 as usize;
            let stop = self.out_of_time;
            match symmetry.asymmetry(self.refinement, self.invariants, state, turn, stop) {
                Tested::Unchanged => tally.tested_symmetry += 1,
                Tested::Changed(found) => {
                    tally.tested_symmetry += 1;
                    tally.blame(place, Fault::Asymmetry(found));
                }
                Tested::CutShort => (),
            }
        }
        for (invariant, claim) in self.chosen.iter().zip(&mut tally.claims) {
            tally.during = During::Invariant(invariant.place);
            let applies = invariant.premise.is_none_or(|premise| premise(state));
            claim.applied += u64::from(applies);
            let holds = !applies || (invariant.conclusion)(state);
            claim.tested += 1;
            if !holds {
                earlier(&mut tally.first[INVARIANTS + invariant.place], Some(place));
            }
            if let Some(heard) = &mut tally.again.heard {
                heard.invariants.push(holds);
            }
        }
        tally.during = During::Next;
    }

    #[inline(always)]
    fn image(&self, tally: &mut Self::Tally, state: &StateOf<R::Concrete>) -> Self::Image {
        if !self.wants.image {
            return None;
        }
        tally.during = During::Map;
        let image = self.refinement.map(state);
        if let Some(heard) = &mut tally.again.heard {
            heard.image = Some(image.clone());
        }
        tally.during = During::Next;
        Some(image)
    }

    #[inline(always)]
    fn examine_image(
        &self,
        tally: &mut Self::Tally,
        place: Place,
        state: &StateOf<R::Concrete>,
        image: &Self::Image,
    ) {
        let Some(image) = image else {
            return;
        };
        if self.wants.observation {
            tally.during = During::Observe;
            let shown = self.refinement.specification().observe(image);
            let own = self.refinement.implementation().observe(state);
            let same = shown == own;
            if let Some(heard) = &mut tally.again.heard {
                heard.shown = Some(format!("{own:?}"));
            }
            tally.test(OBSERVATION, place, same);
        }
        if place.length == 0 {
            tally.during = During::IsInitial;
            let initial = self.refinement.specification().is_initial(image);
            tally.test(INITIALITY, place, initial);
        }
        tally.during = During::Next;
    }

    #[inline(always)]
    fn offered(&self, tally: &mut Self::Tally, action: &ActionOf<R::Concrete>) {
        if self.wants.anything {
            tally.perhaps_twice |= tally.offered.note(action);
        }
    }

    #[inline]
    fn looks_at_steps(&self) -> bool {
        self.wants.anything
    }

    #[inline(always)]
    fn taken(&self, tally: &mut Self::Tally, action: &ActionOf<R::Concrete>) {
        self.count(tally, action);
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
        if let Some(heard) = &mut tally.again.heard {
            heard.steps.push((action.clone(), to.clone()));
        }
        let rule = self.count(tally, action);
        if let Some(heard) = &mut tally.again.heard {
            heard.rules.push(rule);
        }
        let (from, image) = from;
        match image {
            Some(image) if self.wants.simulation => {
                self.simulation(tally, (place, rule), (from, image), action, to)
            }
            _ => 0,
        }
    }

    #[inline(always)]
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
        }
        // Beside a thread that was stopped another one may go on for ever.
        if count == 0 || self.is_bounded {
            tally.note_cut_off(implementation.cut_off(state), count == 0);
        }
        tally.test(deadlock, place, count > 0 || implementation.may_stop(state));
        if tally.perhaps_twice {
            let mut actions = HashSet::new();
            let twice = steps(implementation, state)
                .into_iter()
                .position(|(action, _)| !actions.insert(action));
            if let Some(position) = twice {
                tally.blame(place.of_step(position as u32), Fault::OfferedTwice);
            }
        }
        if let Some(heard) = tally.again.heard.take()
            && let Err(fault) = self.ask_again(tally, place, state, &heard, count)
        {
            tally.blame(place, fault);
        }
    }

    fn mispacked(&self, tally: &mut Self::Tally, place: Place, error: PackingError) {
        tally.blame(place, Fault::Mispacked(error));
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
