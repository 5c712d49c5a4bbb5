//! The pass over all type-correct states: tests every step from those that satisfy the invariants.

use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

use foldhash::{HashMap, HashSet, HashSetExt};

use super::goal::{Goal, PerGoal};
use crate::answer::{answer, unsimulated};
use crate::explore::{Panic, Work};
use crate::functions::{Functions, RefinementFunctions};
use crate::invariant::Invariant;
use crate::model_call::{Ended, UNNAMED, break_off, catch, interruptible, named};
use crate::obligation::found::Tell;
use crate::obligation::settings::Settings;
use crate::parallel::{WorkItems, run_in_parallel};
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::type_correct::{Choices, TypeCorrect, type_correct_states};
use crate::visit::{visit_initial, visit_steps};

/// Type-correct states that a worker takes at a time.
const CHUNK: u64 = 4096;
/// States, or steps of one state, between two looks at the clock.
const PATIENCE: u64 = 256;
/// Initial states between two looks at the memory.
const MORE_PATIENCE: u64 = 1 << 14;

/// Gap in an induction: the number of a type-correct state, and which of its steps; no step if the
/// state itself is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::obligation) struct Gap {
    pub number: u64,
    pub step: Option<u32>,
}

/// Findings of a pass over the type-correct states.
#[derive(Clone, Debug)]
pub(in crate::obligation) struct Findings {
    /// Type-correct states.
    pub states: u64,
    /// Type-correct states that satisfy all the invariants.
    pub satisfying: u64,
    /// Steps from these.
    pub steps: u64,
    /// The first gaps, each with what a function of the model panicked with if that was it.
    pub gaps: PerGoal<Option<(Gap, Option<Panic>)>>,
    /// Per invariant, the first state that shows that something fails without it, and what.
    pub needed: Vec<Option<(u64, Goal)>>,
    /// The first number of which `type_correct` made no state, and what it panicked with. Some numbers
    /// after it were left out.
    pub unmade: Option<(u64, Panic)>,
    /// Places of those reachable states that were looked for and are type-correct.
    pub met: HashSet<usize>,
    /// First state at which a function of the model panicked that did not panic when it was asked again.
    pub unrepeated: Unrepeated,
    /// True if the pass was cut short.
    pub cut_short: bool,
}

impl Findings {
    fn new(invariants: usize) -> Self {
        Self {
            states: 0,
            satisfying: 0,
            steps: 0,
            gaps: PerGoal::new(invariants),
            needed: vec![None; invariants],
            unmade: None,
            met: HashSet::new(),
            unrepeated: None,
            cut_short: false,
        }
    }

    fn merge(&mut self, other: Self) {
        self.states += other.states;
        self.satisfying += other.satisfying;
        self.steps += other.steps;
        for (gap, other) in self.gaps.iter_mut().zip(other.gaps) {
            let gaps = gap.take().into_iter().chain(other);
            *gap = gaps.min_by_key(|(gap, _)| *gap);
        }
        for (needed, other) in self.needed.iter_mut().zip(other.needed) {
            *needed = needed.take().into_iter().chain(other).min();
        }
        let unmade = self.unmade.take().into_iter().chain(other.unmade);
        self.unmade = unmade.min_by_key(|(number, _)| *number);
        self.met.extend(other.met);
        let unrepeated = self.unrepeated.take().into_iter().chain(other.unrepeated);
        self.unrepeated = unrepeated.min_by_key(|(number, _)| *number);
        self.cut_short |= other.cut_short;
    }

    /// True if every type-correct state was made and looked at.
    pub fn decided_all(&self) -> bool {
        self.unmade.is_none() && !self.cut_short
    }

    fn note(&mut self, goal: Goal, gap: Gap, panic: Option<Panic>) {
        let first = &mut self.gaps[goal];
        if first.as_ref().is_none_or(|(first, _)| gap < *first) {
            *first = Some((gap, panic));
        }
    }
}

/// The type-correct state of a number.
pub(in crate::obligation) fn state<S: TypeCorrect>(system: &S, number: u64) -> StateOf<S> {
    system.type_correct(&mut Choices::of(number))
}

/// Passes over all type-correct states of the implementation, and looks for the states `reached` among those that
/// satisfy the invariants.
pub(in crate::obligation) fn decide<R: Refinement>(
    refinement: &R,
    invariants: &[Invariant<R::Concrete>],
    reached: &[StateOf<R::Concrete>],
    settings: &Settings<'_>,
    tell: Tell<'_>,
) -> Findings
where
    R::Concrete: TypeCorrect,
{
    let started = Instant::now();
    let out_of_time = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let mut all = Findings::new(invariants.len());
    let mut initial = HashSet::new();
    let mut shown: u64 = 0;
    let enumerated = interruptible(|| {
        visit_initial(refinement.implementation(), &mut |state| {
            initial.insert(state);
            shown += 1;
            let out_of_memory = || settings.limits.out_of_memory().is_some();
            if shown.is_multiple_of(PATIENCE) && out_of_time()
                || shown.is_multiple_of(MORE_PATIENCE) && out_of_memory()
            {
                break_off();
            }
        });
    });
    let initial = match enumerated {
        Ok(()) => Some(initial),
        // Mostly it panics again where that is told.
        Err(Ended::Panicked(panic)) => {
            all.unrepeated = Some((0, panic));
            None
        }
        Err(Ended::BrokenOff) => {
            all.cut_short = true;
            return all;
        }
    };
    let count = || {
        named("`type_correct`", || {
            type_correct_states(refinement.implementation())
        })
    };
    let total = match catch(count) {
        Ok(total) => total,
        Err(panic) => {
            all.unmade = Some((0, panic));
            return all;
        }
    };
    let pass = Pass {
        refinement,
        invariants,
        total,
        initial,
        reached: reached.iter().zip(0..).collect(),
        out_of_time: &out_of_time,
    };
    let shares = WorkItems::new(total.div_ceil(CHUNK) as usize);
    let work = |worker| {
        let mut findings = Findings::new(invariants.len());
        while let Some(share) = shares.take() {
            let start = share as u64 * CHUNK;
            if worker == 0 {
                tell(Some(Work {
                    unit: "type-correct states",
                    done: start,
                    total,
                }));
            }
            pass.chunk(start..total.min(start + CHUNK), &mut findings);
            if findings.cut_short {
                break;
            }
        }
        findings
    };
    for findings in run_in_parallel(0..settings.threads.max(1), work) {
        all.merge(findings);
    }
    all
}

struct Pass<'a, R: Refinement> {
    refinement: &'a R,
    invariants: &'a [Invariant<R::Concrete>],
    /// Number of type-correct states.
    total: u64,
    /// The initial states. PERF: to make them anew for each state took a sixth of the time.
    initial: Option<HashSet<StateOf<R::Concrete>>>,
    /// States that were reached, with their places.
    reached: HashMap<&'a StateOf<R::Concrete>, usize>,
    /// Predicate: true if the pass has to stop. Asked of now and then, within a state too.
    out_of_time: &'a (dyn Fn() -> bool + Sync),
}

/// Treatment of panics of the model's functions.
enum Care<'c> {
    /// A panic is passed on.
    None,
    /// It is caught and noted.
    Catching(&'c Cell<bool>),
}

impl Care<'_> {
    /// Runs `model`, and catches its panic if that is to be done.
    fn guarded<T>(&self, model: impl FnOnce() -> T) -> Result<T, Panic> {
        match self {
            Self::None => Ok(model()),
            Self::Catching(panicked) => catch(model).inspect_err(|_| panicked.set(true)),
        }
    }
}

/// Runs `ask` without care, and where something panics once more with care. What panics then is told where it is asked for; what
/// does not is noted in `unrepeated`.
fn carefully<T>(
    number: u64,
    unrepeated: &mut Unrepeated,
    mut ask: impl FnMut(&Care<'_>) -> T,
) -> T {
    // PERF: one guard for all; a panic is rare, and then each function is asked again by itself.
    let panic = match catch(|| ask(&Care::None)) {
        Ok(answer) => return answer,
        Err(panic) => panic,
    };
    let panicked = Cell::new(false);
    let answer = ask(&Care::Catching(&panicked));
    if !panicked.get() && unrepeated.as_ref().is_none_or(|(first, _)| number < *first) {
        *unrepeated = Some((number, panic));
    }
    answer
}

/// The first number of a state at which a function panicked, and did not when it was asked again.
pub(in crate::obligation) type Unrepeated = Option<(u64, Panic)>;

/// Invariants that a state fails.
enum Failing {
    None,
    One(usize),
    Several,
}

impl<R: Refinement> Pass<'_, R>
where
    R::Concrete: TypeCorrect,
{
    /// Tests the states of these numbers, up to the first one of which none can be made.
    fn chunk(&self, numbers: Range<u64>, findings: &mut Findings) {
        // PERF: one guard for the making of all states; what is asked of them has guards of its own.
        let at = Cell::new(numbers.start);
        let made = interruptible(|| {
            let mut choices = Choices::of(numbers.start);
            for number in numbers {
                at.set(number);
                if number.is_multiple_of(PATIENCE) {
                    self.pause();
                }
                let make = || self.refinement.implementation().type_correct(&mut choices);
                let from = named("`type_correct`", make);
                choices.advance(self.total);
                self.test(number, &from, findings);
            }
        });
        match made {
            Ok(()) => (),
            Err(Ended::Panicked(panic)) => {
                // A worker takes its chunks in their order.
                findings.unmade.get_or_insert((at.get(), panic));
            }
            Err(Ended::BrokenOff) => findings.cut_short = true,
        }
    }

    /// Breaks off if it is time.
    fn pause(&self) {
        if (self.out_of_time)() {
            break_off();
        }
    }

    fn test(&self, number: u64, from: &StateOf<R::Concrete>, findings: &mut Findings) {
        findings.states += 1;
        match carefully(number, &mut findings.unrepeated, |care| {
            self.failing(care, from)
        }) {
            Failing::None => {
                findings.satisfying += 1;
                findings.met.extend(self.reached.get(from));
                self.induct(number, from, findings);
            }
            Failing::One(left_out) if findings.needed[left_out].is_none() => {
                let failing = carefully(number, &mut findings.unrepeated, |care| {
                    self.fails_without(care, left_out, from)
                });
                findings.needed[left_out] = failing.map(|goal| (number, goal));
            }
            Failing::One(_) | Failing::Several => (),
        }
    }

    /// An invariant that cannot be evaluated in a state does not hold there.
    fn failing(&self, care: &Care<'_>, state: &StateOf<R::Concrete>) -> Failing {
        let mut failing = Failing::None;
        for (index, invariant) in self.invariants.iter().enumerate() {
            if !care.guarded(|| invariant.holds(state)).unwrap_or(false) {
                match failing {
                    Failing::None => failing = Failing::One(index),
                    Failing::One(_) | Failing::Several => return Failing::Several,
                }
            }
        }
        failing
    }

    /// Tests every step from a state that satisfies all the invariants.
    fn induct(&self, number: u64, from: &StateOf<R::Concrete>, findings: &mut Findings) {
        let mut unrepeated = findings.unrepeated.take();
        // What is noted twice is noted once.
        carefully(number, &mut unrepeated, |care| {
            self.induct_with(care, number, from, findings)
        });
        findings.unrepeated = unrepeated;
    }

    fn induct_with(
        &self,
        care: &Care<'_>,
        number: u64,
        from: &StateOf<R::Concrete>,
        findings: &mut Findings,
    ) {
        let whole = Gap { number, step: None };
        // Without an image the steps still say whether the invariants are inductive.
        let image = care.guarded(|| self.shows(from)).unwrap_or_else(|panic| {
            findings.note(Goal::Simulation, whole, Some(panic));
            None
        });
        if image.is_none() {
            findings.note(Goal::Simulation, whole, None);
        }
        let mut step = 0;
        let walked = care.guarded(|| {
            let implementation = self.refinement.implementation();
            let mut visit = |action, to| {
                let gap = Gap {
                    number,
                    step: Some(step),
                };
                step += 1;
                if u64::from(step).is_multiple_of(PATIENCE) {
                    self.pause();
                }
                for (place, invariant) in self.invariants.iter().enumerate() {
                    let goal = Goal::Invariant(place);
                    match care.guarded(|| invariant.holds(&to)) {
                        Ok(true) => (),
                        Ok(false) => findings.note(goal, gap, None),
                        Err(panic) => findings.note(goal, gap, Some(panic)),
                    }
                }
                let Some(image) = &image else { return };
                match care.guarded(|| self.simulates(from, image, &action, &to)) {
                    Ok(true) => (),
                    Ok(false) => findings.note(Goal::Simulation, gap, None),
                    Err(panic) => findings.note(Goal::Simulation, gap, Some(panic)),
                }
            };
            let mut visit = |action, to| named(UNNAMED, || visit(action, to));
            named("`next`", || implementation.next(from, &mut visit));
        });
        findings.steps += u64::from(step);
        if let Err(panic) = walked {
            // Steps are unknown, so nothing is known to be inductive.
            for goal in Goal::all(self.invariants.len()) {
                findings.note(goal, whole, Some(panic.clone()));
            }
        }
    }

    /// Goal that fails in a state that satisfies all invariants but one: an invariant of the others, or the simulation.
    fn fails_without(
        &self,
        care: &Care<'_>,
        left_out: usize,
        from: &StateOf<R::Concrete>,
    ) -> Option<Goal> {
        let Ok(Some(image)) = care.guarded(|| self.shows(from)) else {
            return Some(Goal::Simulation);
        };
        let mut failing = None;
        let mut step: u64 = 0;
        let walked = care.guarded(|| {
            let implementation = self.refinement.implementation();
            visit_steps(implementation, from, &mut |action, to| {
                step += 1;
                if step.is_multiple_of(PATIENCE) {
                    self.pause();
                }
                if failing.is_some() {
                    return;
                }
                let others = self.invariants.iter().enumerate();
                let mut others = others.filter(|(index, _)| *index != left_out);
                let fails = others
                    .find(|(_, invariant)| !care.guarded(|| invariant.holds(&to)).unwrap_or(false));
                failing = fails.map(|(place, _)| Goal::Invariant(place)).or_else(|| {
                    let simulates = care.guarded(|| self.simulates(from, &image, &action, &to));
                    (!simulates.unwrap_or(false)).then_some(Goal::Simulation)
                });
            });
        });
        walked.map_or(Some(Goal::Simulation), |()| failing)
    }

    /// The image of a state, if it shows the same and is initial where the state is [Definition 6
    /// (1) and (2)].
    fn shows(&self, state: &StateOf<R::Concrete>) -> Option<StateOf<R::Abstract>> {
        let (implementation, specification) = (
            self.refinement.implementation(),
            self.refinement.specification(),
        );
        let image = self.refinement.call_map(state);
        let same = implementation.call_observe(state) == specification.call_observe(&image);
        let is_initial = match &self.initial {
            Some(initial) => initial.contains(state),
            None => implementation.call_is_initial(state),
        };
        (same && (!is_initial || specification.call_is_initial(&image))).then_some(image)
    }

    /// Definition 6 (3).
    fn simulates(
        &self,
        from: &StateOf<R::Concrete>,
        image: &StateOf<R::Abstract>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> bool {
        let target = self.refinement.call_map(to);
        let answer = answer(self.refinement, image, from, action, to);
        unsimulated(self.refinement.specification(), &answer, image, &target).is_none()
    }
}
