//! Examination of a state: which invariants it fails, and what fails after its steps.

use std::cell::Cell;

use foldhash::{HashSet, HashSetExt};

use super::findings::{Findings, Gap, Unrepeated};
use super::goal::Goal;
use crate::statement::asked::answer::{answer, unsimulated};
use crate::statement::asked::calls::{Function, Of, call, calls_back};
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::{
    CallEnd, UNNAMED, break_off, catch, interruptible, named,
};
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::walk::explore::{Limits, Panic};

/// Steps of one state, or initial states, between two looks at the clock.
const PATIENCE: u64 = 256;
/// Initial states between two looks at the memory.
const MORE_PATIENCE: u64 = 1 << 14;

/// Examination of states of a refinement's implementation.
pub(super) struct Examination<'a, R: Refinement> {
    pub refinement: &'a R,
    pub invariants: &'a [Invariant<R::Implementation>],
    /// The initial states. PERF: to make them anew for each state took a sixth of the time.
    pub initial: Option<HashSet<StateOf<R::Implementation>>>,
    /// Predicate: true if the examination has to stop. Asked of now and then, within a state too.
    pub out_of_time: &'a (dyn Fn() -> bool + Sync),
}

/// Treatment of panics of the model's functions.
pub(super) enum Care<'c> {
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
pub(super) fn carefully<T>(
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

/// Invariants that a state fails.
pub(super) enum FailingInvariants {
    None,
    One(usize),
    Several,
}

impl<'a, R: Refinement> Examination<'a, R> {
    /// Makes the initial states; none if there is no time for that. A panic on the way is noted in `findings`.
    pub fn begin(
        refinement: &'a R,
        invariants: &'a [Invariant<R::Implementation>],
        limits: &Limits,
        out_of_time: &'a (dyn Fn() -> bool + Sync),
        findings: &mut Findings,
    ) -> Option<Self> {
        let mut initial = HashSet::new();
        let mut shown: u64 = 0;
        let enumerated = interruptible(|| {
            let enumerate = |visit: &mut dyn FnMut(StateOf<R::Implementation>)| {
                let function = || Function::of("`initial`", Of::Implementation);
                call(function, None, || {
                    visit_initial(refinement.implementation(), visit)
                });
            };
            enumerate(&mut |state| {
                calls_back();
                initial.insert(state);
                shown += 1;
                let out_of_memory = || limits.out_of_memory().is_some();
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
            Err(CallEnd::Panicked(panic)) => {
                findings.unrepeated = Some((0, panic));
                None
            }
            Err(CallEnd::BrokenOff) => {
                findings.cut_short = true;
                return None;
            }
        };
        Some(Self {
            refinement,
            invariants,
            initial,
            out_of_time,
        })
    }

    /// Breaks off if it is time.
    pub fn pause(&self) {
        if (self.out_of_time)() {
            break_off();
        }
    }

    /// Number of invariants that a state fails, but for one that is `spared`, and whether it fails that one.
    pub fn broken(
        &self,
        care: &Care<'_>,
        state: &StateOf<R::Implementation>,
        spared: Option<usize>,
    ) -> (usize, bool) {
        let fails = |invariant: &Invariant<_>| {
            // An invariant that cannot be evaluated in a state does not hold there.
            !care.guarded(|| invariant.holds(state)).unwrap_or(false)
        };
        let others = self.invariants.iter().enumerate();
        let others = others.filter(|(index, _)| Some(*index) != spared);
        let broken = others.filter(|(_, invariant)| fails(invariant)).count();
        (
            broken,
            spared.is_some_and(|spared| fails(&self.invariants[spared])),
        )
    }

    /// An invariant that cannot be evaluated in a state does not hold there.
    pub fn failing(
        &self,
        care: &Care<'_>,
        state: &StateOf<R::Implementation>,
    ) -> FailingInvariants {
        let mut failing = FailingInvariants::None;
        for (index, invariant) in self.invariants.iter().enumerate() {
            if !care.guarded(|| invariant.holds(state)).unwrap_or(false) {
                match failing {
                    FailingInvariants::None => failing = FailingInvariants::One(index),
                    FailingInvariants::One(_) | FailingInvariants::Several => {
                        return FailingInvariants::Several;
                    }
                }
            }
        }
        failing
    }

    /// Tests every step from a state that satisfies all the invariants.
    pub fn induct(&self, number: u64, from: &StateOf<R::Implementation>, findings: &mut Findings) {
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
        from: &StateOf<R::Implementation>,
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
            let mut visit = |action, to: &StateOf<R::Implementation>| {
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
                    match care.guarded(|| invariant.holds(to)) {
                        Ok(true) => (),
                        Ok(false) => findings.note(goal, gap, None),
                        Err(panic) => findings.note(goal, gap, Some(panic)),
                    }
                }
                let Some(image) = &image else { return };
                match care.guarded(|| self.simulates(from, image, &action, to)) {
                    Ok(true) => (),
                    Ok(false) => findings.note(Goal::Simulation, gap, None),
                    Err(panic) => findings.note(Goal::Simulation, gap, Some(panic)),
                }
            };
            let mut visit = |action, to: &_| named(UNNAMED, || visit(action, to));
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
    pub fn fails_without(
        &self,
        care: &Care<'_>,
        left_out: usize,
        from: &StateOf<R::Implementation>,
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
                    .find(|(_, invariant)| !care.guarded(|| invariant.holds(to)).unwrap_or(false));
                failing = fails.map(|(place, _)| Goal::Invariant(place)).or_else(|| {
                    let simulates = care.guarded(|| self.simulates(from, &image, &action, to));
                    (!simulates.unwrap_or(false)).then_some(Goal::Simulation)
                });
            });
        });
        walked.map_or(Some(Goal::Simulation), |()| failing)
    }

    /// The image of a state, if it shows the same and is initial where the state is [Definition 6
    /// (1) and (2)].
    fn shows(&self, state: &StateOf<R::Implementation>) -> Option<StateOf<R::Specification>> {
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
        from: &StateOf<R::Implementation>,
        image: &StateOf<R::Specification>,
        action: &ActionOf<R::Implementation>,
        to: &StateOf<R::Implementation>,
    ) -> bool {
        let target = self.refinement.call_map(to);
        let answer = answer(self.refinement, image, from, action, to);
        unsimulated(self.refinement.specification(), &answer, image, &target).is_none()
    }
}
