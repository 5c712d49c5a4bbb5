//! The pass over all type-correct states: tests every step from those that satisfy the invariants.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use foldhash::HashMap;

use super::examination::{Examination, FailingInvariants, carefully};
use super::findings::Findings;
use crate::obligation::found::TellProgress;
use crate::obligation::settings::Settings;
use crate::statement::asked::calls::{Function, Stage, Watched, WorkerPosition, call};
use crate::statement::asked::model_call::{CallEnd, catch, interruptible, named};
use crate::statement::asked::type_correct::{Choices, TypeCorrect};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::StateOf;
use crate::walk::explore::Work;
use crate::walk::parallel::{WorkItems, run_in_parallel};

/// Type-correct states that a worker takes at a time.
const CHUNK: u64 = 4096;
/// States between two looks at the clock.
const PATIENCE: u64 = 256;

/// The type-correct state of some choices.
pub(in crate::obligation) fn make<S: TypeCorrect>(system: &S, choices: &mut Choices) -> StateOf<S> {
    system.type_correct(choices)
}

/// Passes over all type-correct states of the implementation, and looks for the states `reached` among those that
/// satisfy the invariants.
pub(in crate::obligation) fn decide<R: Refinement>(
    refinement: &R,
    invariants: &[Invariant<R::Implementation>],
    reached: &[StateOf<R::Implementation>],
    settings: &Settings<'_>,
    tell: TellProgress<'_>,
) -> Findings
where
    R::Implementation: TypeCorrect,
{
    let started = Instant::now();
    let out_of_time = || {
        let limit = settings.limits.out_of_time(&settings.watch, started);
        limit.is_some()
    };
    let mut all = Findings::new(invariants.len());
    let limits = &settings.limits;
    let Some(examination) =
        Examination::begin(refinement, invariants, limits, &out_of_time, &mut all)
    else {
        return all;
    };
    let count = || {
        let mut choices = Choices::of(0);
        let make = || refinement.implementation().type_correct(&mut choices);
        let function = || Function::named("`type_correct`");
        call(function, None, || named("`type_correct`", make));
        choices.combinations()
    };
    let total = match catch(count) {
        Ok(Some(total)) => total,
        Ok(None) => {
            all.too_many = true;
            return all;
        }
        Err(panic) => {
            all.unmade = Some((0, panic));
            return all;
        }
    };
    let pass = InductionPass {
        examination,
        total,
        reached: reached.iter().zip(0..).collect(),
    };
    let shares = WorkItems::new(total.div_ceil(CHUNK) as usize);
    let work = |worker| {
        let mut findings = Findings::new(invariants.len());
        let position = Arc::new(WorkerPosition::default());
        if let Some(watched) = Watched::of_this_thread() {
            watched.position(&position);
        }
        while let Some(share) = shares.take() {
            let start = share as u64 * CHUNK;
            if worker == 0 {
                tell(Some(Work {
                    unit: "type-correct states",
                    done: start,
                    total,
                }));
            }
            let numbers = start..total.min(start + CHUNK);
            pass.chunk(numbers, &position, &mut findings);
            position.set(0, Stage::Idle);
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

/// Pass over the type-correct states.
struct InductionPass<'a, R: Refinement> {
    examination: Examination<'a, R>,
    /// Number of type-correct states.
    total: u64,
    /// States that were reached, with their places.
    reached: HashMap<&'a StateOf<R::Implementation>, usize>,
}

impl<R: Refinement> InductionPass<'_, R>
where
    R::Implementation: TypeCorrect,
{
    /// Tests the states of these numbers, up to the first one of which none can be made.
    fn chunk(&self, numbers: Range<u64>, position: &WorkerPosition, findings: &mut Findings) {
        // PERF: one guard for the making of all states; what is asked of them has guards of its own.
        let at = Cell::new(numbers.start);
        let made = interruptible(|| {
            let mut choices = Choices::of(numbers.start);
            for number in numbers {
                at.set(number);
                position.set(number, Stage::Making);
                if number.is_multiple_of(PATIENCE) {
                    self.examination.pause();
                }
                let make = || {
                    self.examination
                        .refinement
                        .implementation()
                        .type_correct(&mut choices)
                };
                let from = named("`type_correct`", make);
                choices.advance(self.total);
                self.test(number, &from, findings);
            }
        });
        match made {
            Ok(()) => (),
            Err(CallEnd::Panicked(panic)) => {
                // A worker takes its chunks in their order.
                findings.unmade.get_or_insert((at.get(), panic));
            }
            Err(CallEnd::BrokenOff) => findings.cut_short = true,
        }
    }

    fn test(&self, number: u64, from: &StateOf<R::Implementation>, findings: &mut Findings) {
        findings.states += 1;
        match carefully(number, &mut findings.unrepeated, |care| {
            self.examination.failing(care, from)
        }) {
            FailingInvariants::None => {
                findings.satisfying += 1;
                findings.met.extend(self.reached.get(from));
                self.examination.induct(number, from, findings);
            }
            FailingInvariants::One(left_out) if findings.needed[left_out].is_none() => {
                let failing = carefully(number, &mut findings.unrepeated, |care| {
                    self.examination.fails_without(care, left_out, from)
                });
                findings.needed[left_out] = failing.map(|goal| (number, goal));
            }
            FailingInvariants::One(_) | FailingInvariants::Several => (),
        }
    }
}
