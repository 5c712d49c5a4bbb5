//! Refinement between programs, with respect to the outputs of their threads.
//!
//! The outputs that a program may produce are collected from all its states. They form a specification, whose steps
//! each add output of one thread. So an algorithm under a weak memory model is compared with another program, or
//! with itself under SC, which decides robustness.
//!
//! The comparison covers what is output, not when: a program refines another if whatever it has output can be
//! continued to an output of the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::ends::{TooManyStates, reachable};
use super::expression::Value;
use super::machine::{End, Machine, Observation, Show, Shown};
use super::model::MemoryModel;
use super::program::Program;
use super::state::State;
use refmap::drawing::Drawing;
use refmap::{AbstractSteps, Caveats, Refinement, TransitionSystem, successor};

/// Specification given by all outputs that a program may produce.
#[derive(Debug)]
pub struct Behaviours {
    /// Permitted outputs, closed under prefixes. Their order is the same in every run.
    allowed: HashSet<Observation, FixedState>,
    /// Values that some thread outputs.
    values: BTreeSet<Value>,
    /// Description of the program's bound, and the threads that it cut off in some run: their further outputs are
    /// not among the permitted ones.
    bound: Option<String>,
    cut_off: BTreeSet<String>,
}

impl Behaviours {
    /// Collects the outputs of `program` under `model`.
    ///
    /// # Errors
    ///
    /// If the program has more than `limit` states.
    pub fn of(program: Program, model: MemoryModel, limit: u64) -> Result<Self, TooManyStates> {
        let machine = Machine::new(program, model);
        let mut allowed = HashSet::default();
        let mut values = BTreeSet::new();
        let mut cut_off = BTreeSet::new();
        for state in reachable(&machine, limit)? {
            cut_off.extend(machine.cut_off(&state).into_iter().map(str::to_owned));
            let shown = machine.observe(&state);
            values.extend(
                shown
                    .iter()
                    .flat_map(|thread| thread.output.iter().copied()),
            );
            allow(shown, &mut allowed);
        }
        Ok(Self {
            allowed,
            values,
            bound: machine.bound().filter(|_| !cut_off.is_empty()),
            cut_off,
        })
    }

    /// Visits what `thread` may show in `from` behind the output `so_far`, and then end.
    fn extensions(
        &self,
        from: &Observation,
        thread: u16,
        so_far: &[Value],
        visit: &mut impl FnMut(Show),
    ) {
        let show = |output: Vec<Value>, end| Show {
            thread,
            more: Shown { output, end },
        };
        for end in [End::Ended, End::Failed, End::Faulty] {
            visit(show(so_far.to_vec(), end));
        }
        let values = self.values.iter();
        let further = values.map(|value| show([so_far, &[*value]].concat(), End::None));
        // Permitted outputs are closed under prefixes: behind others there are none.
        let further: Vec<_> = further
            .filter(|step| successor(self, from, step).is_some())
            .collect();
        further.iter().cloned().for_each(&mut *visit);
        for step in further {
            self.extensions(from, thread, &step.more.output, visit);
        }
    }
}

/// Adds `shown` and all its prefixes.
fn allow(shown: Observation, allowed: &mut HashSet<Observation, FixedState>) {
    if !allowed.insert(shown.clone()) {
        return;
    }
    for thread in 0..shown.len() {
        let mut less = shown.clone();
        let of = &mut less[thread];
        let shortened = match of.end {
            End::None => of.output.pop().is_some(),
            _ => {
                of.end = End::None;
                true
            }
        };
        if shortened {
            allow(less, allowed);
        }
    }
}

impl TransitionSystem for Behaviours {
    type State = Observation;
    type Action = Show;
    type Observation = Observation;

    /// Visits every permitted output: what a thread outputs before its first step may be visible in the initial
    /// state.
    fn initial(&self, visit: &mut impl FnMut(Observation)) {
        self.allowed.iter().cloned().for_each(visit);
    }

    fn is_initial(&self, state: &Observation) -> bool {
        self.allowed.contains(state)
    }

    fn fire(&self, Show { thread, more }: &Show, shown: &mut Observation) -> Option<()> {
        let of = shown.get_mut(usize::from(*thread))?;
        let shows = !more.output.is_empty() || more.end != End::None;
        if !shows || of.end != End::None {
            return None;
        }
        of.output.extend(&more.output);
        of.end = more.end;
        self.allowed.contains(shown).then_some(())
    }

    fn candidates(&self, from: &Observation, visit: &mut impl FnMut(Show)) {
        for thread in 0..from.len() as u16 {
            self.extensions(from, thread, &[], visit);
        }
    }

    fn observe(&self, state: &Observation) -> Observation {
        state.clone()
    }

    fn draw(&self, shown: &Observation) -> Option<Drawing> {
        let threads = shown.iter().enumerate();
        let threads = threads.map(|(thread, shown)| shown.row(thread));
        Some(threads.fold(Drawing::default(), Drawing::row))
    }

    fn may_stop(&self, _: &Observation) -> bool {
        true
    }

    /// A bound cuts off the threads that were cut off in some run: which runs produced an output is not recorded.
    fn caveats(&self) -> Caveats<'_, Observation> {
        let Some(bound) = &self.bound else {
            return Caveats::default();
        };
        Caveats::default().bounded(bound, |_| self.cut_off.iter().map(String::as_str).collect())
    }
}

/// Refinement: a program under a memory model outputs only what a specification permits.
#[derive(Debug)]
pub struct ProgramRefinement {
    implementation: Machine,
    specification: Arc<Behaviours>,
}

impl ProgramRefinement {
    /// Claims that `program` under `model` outputs only what `specification` permits.
    pub fn new(
        program: Program,
        model: MemoryModel,
        specification: impl Into<Arc<Behaviours>>,
    ) -> Self {
        Self {
            implementation: Machine::new(program, model),
            specification: specification.into(),
        }
    }

    /// The same where the threads of the program are identical, so that a rule is one of all of them.
    #[must_use]
    pub fn of_identical_threads(self) -> Self {
        Self {
            implementation: self.implementation.of_one_code(),
            ..self
        }
    }

    /// Claims that `program` is robust: under `model` it outputs only what it outputs under SC.
    ///
    /// # Errors
    ///
    /// If the program has more than `limit` states under SC.
    pub fn robust(program: Program, model: MemoryModel, limit: u64) -> Result<Self, TooManyStates> {
        let specification = Behaviours::of(program.clone(), MemoryModel::Sc, limit)?;
        Ok(Self::new(program, model, specification))
    }
}

impl Refinement for ProgramRefinement {
    type Implementation = Machine;
    type Specification = Behaviours;

    fn implementation(&self) -> &Machine {
        &self.implementation
    }

    fn specification(&self) -> &Behaviours {
        &self.specification
    }

    fn map(&self, state: &State) -> Observation {
        self.implementation.observe(state)
    }

    /// A step simulates the output that it adds; most steps add none and stutter.
    fn abstract_steps(&self, from: &State, _: &super::Action, to: &State) -> AbstractSteps<Show> {
        self.implementation.shown_by(from, to).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fence, Presence, ProgramBuilder};
    use refmap::{Evidence, Settings, Verdict, check};

    const STATES: u64 = 100_000;

    /// Each thread writes its flag and outputs the value that it reads of the other's.
    fn store_buffering() -> Program {
        let mut program = ProgramBuilder::new("store buffering");
        let flags = [program.location("x", 0), program.location("y", 0)];
        for me in 0..2 {
            program.thread(format!("P{me}"), |t| {
                let r = t.register("r");
                t.store(flags[me], 1);
                t.fence_at("between", Fence::Full, Presence::Absent);
                t.load(r, flags[1 - me]);
                t.output(r);
            });
        }
        program.build().expect("it is well formed")
    }

    fn verdict(refinement: &ProgramRefinement) -> (Verdict, Vec<String>) {
        let report = check(refinement, &Settings::default()).expect("it is checked");
        let violated = report.violated().map(str::to_owned).collect();
        (report.verdict.expect("it is decided"), violated)
    }

    #[test]
    fn store_buffering_is_robust_with_a_fence_and_only_then() {
        let robust = |program: Program, model| {
            verdict(&ProgramRefinement::robust(program, model, STATES).expect("it is small"))
        };
        let fenced = store_buffering()
            .with_fences(["between"])
            .expect("it is a place");
        for model in MemoryModel::ALL {
            assert_eq!(robust(fenced.clone(), model), (Verdict::Holds, vec![]));
            let expected = match model {
                MemoryModel::Sc => (Verdict::Holds, vec![]),
                _ => (Verdict::Violated, vec!["simulation".to_owned()]),
            };
            assert_eq!(robust(store_buffering(), model), expected);
        }
    }

    /// One thread waits for a value that is never written; the other writes and outputs what it wrote.
    fn endless() -> Program {
        let mut program = ProgramBuilder::new("endless");
        program.backward_jumps(2);
        let (x, never) = (program.location("x", 0), program.location("never", 0));
        program.thread("waiting", |t| {
            let r = t.register("r");
            t.repeat_until(r.equals(1), |t| t.load(r, never));
        });
        program.thread("ending", |t| {
            let r = t.register("r");
            t.store(x, 1);
            t.load(r, x);
            t.output(r);
        });
        program.build().expect("it is well formed")
    }

    /// The report names the thread that was cut off beside its verdict.
    #[test]
    fn a_thread_that_never_ends_is_cut_off_and_the_report_says_so() {
        for model in MemoryModel::ALL {
            let refinement = ProgramRefinement::robust(endless(), model, STATES);
            let refinement = refinement.expect("it is small");
            let report = check(&refinement, &Settings::default()).expect("it is checked");
            assert_eq!(report.verdict, Some(Verdict::Holds));
            let cut_off = report.cut_off.as_ref().expect("it is said");
            assert_eq!(cut_off.threads, ["waiting"]);
            assert_eq!(cut_off.states, report.deadlocks);
            assert_eq!(report.evidence, Evidence::Bounded);
            let headline = "holds, 2 backward jumps a thread: waiting was cut off, bounded";
            assert!(report.to_string().contains(headline), "{report}");
        }
        let refinement = ProgramRefinement::robust(store_buffering(), MemoryModel::Sc, STATES);
        let refinement = refinement.expect("it is small");
        let report = check(&refinement, &Settings::default()).expect("it is checked");
        assert_eq!(report.cut_off, None);
        let json = serde_json::to_value(&report).expect("it is plain data");
        assert!(json.get("cut_off").is_none());
    }

    /// A program with less output refines only a program that may end without more output.
    #[test]
    fn silence_is_no_refinement() {
        let mut silent = ProgramBuilder::new("silence");
        silent.thread("P0", |_| ());
        silent.thread("P1", |_| ());
        let silent = silent.build().expect("it is well formed");
        let specification = Behaviours::of(store_buffering(), MemoryModel::Sc, STATES);
        let specification = specification.expect("it is small");
        let refinement = ProgramRefinement::new(silent, MemoryModel::Sc, specification);
        let (verdict, violated) = verdict(&refinement);
        assert_eq!(verdict, Verdict::Violated);
        assert_eq!(violated, ["initiality"]);
    }

    #[test]
    fn a_failed_assertion_is_no_refinement() {
        let program = |asserted: i64| {
            let mut program = ProgramBuilder::new("assertion");
            let x = program.location("x", 0);
            program.thread("P0", |t| {
                let r = t.register("r");
                t.load(r, x);
                t.assert(r.equals(asserted));
            });
            program.build().expect("it is well formed")
        };
        let specification = Behaviours::of(program(0), MemoryModel::Sc, STATES);
        let specification = specification.expect("it is small");
        let refinement = ProgramRefinement::new(program(1), MemoryModel::Sc, specification);
        assert_eq!(verdict(&refinement).0, Verdict::Violated);
    }
}
