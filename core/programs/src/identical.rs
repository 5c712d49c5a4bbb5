//! Programs of any number of threads that have the same code, as crowds.
//!
//! A thread is the program of one, and its steps are those of that program's [`Machine`]. What the threads have together is memory; of each other they know what
//! they read of it at once, and that a reservation is lost where another one writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use refmap::crowd::{Crowd, CrowdRefinement, Moment, Others, StateOfCrowd};
use refmap::drawing::Drawing;
use refmap::{AbstractSteps, Caveats, Rule, RuleId, TransitionSystem};
use serde::Serialize;
use serde_json::json;

use super::behaviour::Behaviours;
use super::ends::TooManyStates;
use super::expression::{Expression, Location, Value};
use super::machine::{Action, Machine, Show, Shown};
use super::model::MemoryModel;
use super::program::{Instruction, LoadKind, Program, Snapshot};
use super::state::{Progress, State, ThreadState};

/// A program of any number of identical threads under a memory model. Each is to output only what a thread of another program outputs under SC.
///
/// Both programs have one thread, of which there are any number. Threads of the specification share nothing: what one may output does not depend on another one.
///
/// A lock that a thread takes, or finds taken; of whatever number of threads, no assertion fails:
///
/// ```
/// use refmap::{Settings, Verdict, check_any_number};
/// use refmap_programs::{Fence, IdenticalThreads, MemoryModel, ProgramBuilder};
///
/// let mut program = ProgramBuilder::new("lock");
/// let (lock, inside) = (program.location("lock", 0), program.location("inside", 0));
/// let own = program.location_of_each_thread("times inside", 0);
/// program.thread("thread", |t| {
///     let (taken, found, times) = (t.register("taken"), t.register("found"), t.register("times"));
///     t.cas(taken, lock, 0, 1);
///     t.when(taken, |t| {
///         t.load(found, inside);
///         t.assert(found.equals(0));
///         t.store(inside, 1);
///         t.load(times, own);
///         t.store(own, times + 1);
///         t.store(inside, 0);
///         t.fence(Fence::Release);
///         t.store(lock, 0);
///     });
/// });
/// let mut nothing = ProgramBuilder::new("nothing");
/// nothing.thread("thread", |_| ());
///
/// let threads = IdenticalThreads::new(program.build()?, MemoryModel::PsoFull, nothing.build()?)?;
/// let report = check_any_number(&threads, &Settings::default())?;
/// assert_eq!(report.verdict, Some(Verdict::Holds));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IdenticalThreads {
    implementation: Threads,
    specification: EachShows,
}

/// States of a thread of a specification, at most.
const MOST_STATES: u64 = 1_000_000;

/// Error: a program is none of any number of threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAlike {
    /// It has several threads by name.
    #[error("{program:?} has {threads} threads, and not the one of which there are any number")]
    Several {
        /// The program.
        program: String,
        /// Number of its threads.
        threads: usize,
    },
    /// Its loops have a bound, at which a thread is cut off.
    #[error(
        "loops of {program:?} have a bound: any number of threads are said to end, or to loop without one"
    )]
    Bounded {
        /// The program.
        program: String,
    },
    /// Threads of a specification share a location.
    #[error(
        "threads of the specification share {location:?}: what one may output does not depend on another one"
    )]
    Shares {
        /// Name of the location.
        location: String,
    },
    /// A thread of a specification has too many states.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
}

impl IdenticalThreads {
    /// Claims that each thread of `program` under `model` outputs only what one of `specification` does.
    ///
    /// # Errors
    ///
    /// If a program has several threads, or loops with a bound; if threads of the specification share a location, or one has more than a million states.
    ///
    /// # Panics
    ///
    /// As [`Machine::new`].
    pub fn new(
        program: Program,
        model: MemoryModel,
        specification: Program,
    ) -> Result<Self, NotAlike> {
        let mut shared = specification.variables.iter();
        if let Some(shared) = shared.find(|variable| !variable.of_each_thread) {
            return Err(NotAlike::Shares {
                location: shared.name.clone(),
            });
        }
        of_one_thread(&specification)?;
        let behaviours = Behaviours::of(specification, MemoryModel::Sc, MOST_STATES)?;
        Ok(Self {
            implementation: Threads::new(program, model)?,
            specification: EachShows(Arc::new(behaviours)),
        })
    }
}

/// Tests that a program is one of any number of threads.
fn of_one_thread(program: &Program) -> Result<(), NotAlike> {
    let name = || program.name.clone();
    match program.threads.len() {
        1 if program.has_loop() && program.backward_jumps.is_some() => {
            Err(NotAlike::Bounded { program: name() })
        }
        1 => Ok(()),
        threads => Err(NotAlike::Several {
            program: name(),
            threads,
        }),
    }
}

impl CrowdRefinement for IdenticalThreads {
    type Implementation = Threads;
    type Specification = EachShows;

    fn implementation(&self) -> Threads {
        self.implementation.clone()
    }

    fn specification(&self) -> EachShows {
        self.specification.clone()
    }

    fn map(&self, _: &Box<[Value]>) {}

    fn map_member(&self, memory: &Box<[Value]>, thread: &OneThread) -> Shown {
        self.implementation.shown(memory, thread)
    }

    /// A step simulates the output that it adds; most steps add none and stutter.
    fn abstract_steps(
        &self,
        from: Moment<'_, Threads>,
        _: &Action,
        to: Moment<'_, Threads>,
    ) -> AbstractSteps<Show> {
        let Threads { machine, .. } = &self.implementation;
        let [from, to] = [from, to].map(|moment| {
            let thread = moment.me.expect("each step is one of a thread");
            self.implementation.alone(moment.shared, thread)
        });
        machine.shown_by(&from, &to).into()
    }
}

/// The threads of a program of one, any number of them, under a memory model.
#[derive(Clone, Debug)]
pub struct Threads {
    machine: Arc<Machine>,
    /// Threads that do nothing, each with the reservation of a location that all share, if a thread makes reservations: which they lose tells where is written.
    witnesses: Arc<[Arc<ThreadState>]>,
}

/// A thread, with the locations that it has for itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct OneThread {
    /// Its state.
    #[serde(flatten)]
    pub thread: Arc<ThreadState>,
    /// Contents of its own locations.
    pub memory: Box<[Value]>,
}

impl Threads {
    /// Any number of threads that have the code of the one of `program`.
    ///
    /// # Errors
    ///
    /// If the program has several threads, or loops with a bound.
    ///
    /// # Panics
    ///
    /// As [`Machine::new`].
    pub fn new(program: Program, model: MemoryModel) -> Result<Self, NotAlike> {
        of_one_thread(&program)?;
        let machine = Machine::new(program, model);
        let program = machine.program();
        let reserves = |instruction: &Instruction| {
            let kind = LoadKind::Linked;
            matches!(instruction, Instruction::Load { kind: other, .. } if *other == kind)
        };
        let mut witnesses = Vec::new();
        if program.threads[0].code.iter().any(reserves) {
            let variables = program.variables.iter().zip(0..);
            let shared = variables.filter(|(variable, _)| !variable.of_each_thread);
            witnesses.extend(shared.map(|(_, location)| Arc::new(witness(Location(location)))));
        }
        Ok(Self {
            machine: Arc::new(machine),
            witnesses: witnesses.into(),
        })
    }

    /// Snapshots of what others have for themselves that the instruction of this number reads, or the block that begins there.
    fn of_others(&self, at: u16) -> impl Iterator<Item = &Snapshot> {
        let program = self.machine.program();
        let code = program.threads[0].code.get(usize::from(at)..);
        let code = code.unwrap_or_default();
        let end = match code.first() {
            Some(Instruction::Atomic { end }) => end - usize::from(at),
            _ => code.len().min(1),
        };
        let read =
            code[..end]
                .iter()
                .filter_map(|instruction| match instruction.place()?.address() {
                    Expression::Constant(Value::Address(location)) => program.snapshot(*location),
                    _ => None,
                });
        read.filter(|snapshot| program.is_of_others(snapshot))
    }

    /// Place of a location that each thread has for itself among all of these.
    fn place_of_own(&self, location: Location) -> u16 {
        let variables = self.machine.program().variables.iter();
        let before = variables.take(usize::from(location.0));
        before.filter(|variable| variable.of_each_thread).count() as u16
    }

    /// The state of the program of one thread in which this is the one, and no others are.
    fn alone(&self, shared: &[Value], thread: &OneThread) -> State {
        let (mut shared, mut own) = (shared.iter(), thread.memory.iter());
        let variables = self.machine.program().variables.iter();
        let memory = variables.map(|variable| {
            let value = if variable.of_each_thread {
                own.next()
            } else {
                shared.next()
            };
            *value.expect("each location has a content")
        });
        State {
            memory: memory.collect(),
            threads: Box::from([Arc::clone(&thread.thread)]),
        }
    }

    /// The parts of a state of the program of one thread.
    ///
    /// # Panics
    ///
    /// If what threads share holds the address of a location that each has for itself.
    fn parts(&self, state: &State) -> (Box<[Value]>, OneThread) {
        let program = self.machine.program();
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (variable, value) in program.variables.iter().zip(&state.memory) {
            if variable.of_each_thread {
                own.push(*value);
                continue;
            }
            if let Value::Address(Location(of)) = value {
                let of_each = program.variables.get(usize::from(*of));
                if let Some(of_each) = of_each.filter(|variable| variable.of_each_thread) {
                    panic!(
                        "{:?}, which all threads share, holds the address of {:?}, which each has for itself: of whose is not known",
                        variable.name, of_each.name
                    );
                }
            }
            shared.push(*value);
        }
        let thread = OneThread {
            thread: Arc::clone(&state.threads[0]),
            memory: own.into(),
        };
        (shared.into(), thread)
    }

    /// Outputs of a thread, and how it ended, as it shows them.
    fn shown(&self, shared: &[Value], thread: &OneThread) -> Shown {
        self.machine.observe(&self.alone(shared, thread)).remove(0)
    }
}

/// A thread that has reserved a location.
fn witness(location: Location) -> ThreadState {
    ThreadState {
        next: 0,
        progress: Progress::Running,
        backward_jumps: 0,
        registers: Box::from([]),
        pending: Vec::new(),
        reservation: Some(location),
        output: Vec::new(),
    }
}

/// The rules are those of the program.
impl refmap::Action<Threads> for Action {
    fn rules(threads: &Threads) -> &[Rule] {
        <Self as refmap::Action<Machine>>::rules(&threads.machine)
    }

    fn rule(&self, threads: &Threads) -> RuleId {
        refmap::Action::<Machine>::rule(self, &threads.machine)
    }
}

impl Crowd for Threads {
    type Shared = Box<[Value]>;
    type Member = OneThread;
    type Action = Action;
    type Observation = Shown;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Box<[Value]>, &[OneThread])) {
        self.machine.initial(&mut |state| {
            let (memory, thread) = self.parts(&state);
            visit(memory, &[thread]);
        });
    }

    fn fire(
        &self,
        action: &Action,
        memory: &mut Box<[Value]>,
        me: &mut OneThread,
        others: &mut Others<'_, OneThread>,
    ) -> Option<()> {
        let mut state = self.alone(memory, me);
        if !self.witnesses.is_empty() {
            let threads = state.threads.iter().chain(&*self.witnesses);
            state.threads = threads.cloned().collect();
        }
        for snapshot in self.of_others(action.instruction) {
            let is = snapshot.of.iter().any(|location| {
                let asked = (self.place_of_own(*location), snapshot.is, snapshot.value);
                let some = others.some_with(asked, |other, (place, is, value)| {
                    is.is_true(other.memory[usize::from(*place)], *value)
                });
                some.is_some()
            });
            state.memory[usize::from(snapshot.location.0)] = Value::Number(i64::from(is));
        }
        self.machine.fire(action, &mut state)?;
        for snapshot in self.of_others(action.instruction) {
            state.memory[usize::from(snapshot.location.0)] = Value::default();
        }
        (*memory, *me) = self.parts(&state);
        for (before, after) in self.witnesses.iter().zip(&state.threads[1..]) {
            if let (Some(location), None) = (before.reservation, after.reservation) {
                others.each_with(location, |other, location| {
                    if other.thread.reservation == Some(*location) {
                        Arc::make_mut(&mut other.thread).lose(*location);
                    }
                });
            }
        }
        Some(())
    }

    fn candidates(
        &self,
        memory: &Box<[Value]>,
        me: Option<&OneThread>,
        visit: &mut impl FnMut(Action),
    ) {
        let Some(me) = me else { return };
        let mut state = self.alone(memory, me);
        let pending = me.thread.pending.iter().map(|pending| pending.at);
        let read = pending.chain([me.thread.next]);
        let read = read.flat_map(|at| self.of_others(at));
        let read: BTreeSet<_> = read
            .map(|snapshot| usize::from(snapshot.location.0))
            .collect();
        let mut seen = Vec::new();
        // Others are not known here: each snapshot of them may be either.
        for answers in 0..1_u64 << read.len() {
            for (bit, at) in read.iter().enumerate() {
                state.memory[*at] = Value::Number((answers >> bit & 1) as i64);
            }
            self.machine.next(&state, &mut |action, _| {
                if !seen.contains(&action) {
                    seen.push(action.clone());
                    visit(action);
                }
            });
        }
    }

    fn observe_member(&self, memory: &Box<[Value]>, thread: &OneThread) -> Option<Shown> {
        Some(self.shown(memory, thread))
    }

    fn may_stop(&self, memory: &Box<[Value]>, thread: &OneThread) -> bool {
        self.machine.may_stop(&self.alone(memory, thread))
    }

    /// Loops have no bound, so that there are doubts alone.
    fn caveats(&self) -> Caveats<'_, StateOfCrowd<Self>> {
        Caveats::default().doubted(|| self.machine.caveats().doubts())
    }

    fn show(&self, state: &StateOfCrowd<Self>) -> serde_json::Value {
        let threads = state.members.iter().map(|thread| {
            let mut shown = self.machine.show(&self.alone(&state.shared, thread));
            let mut shown = shown["threads"][0].take();
            if !thread.memory.is_empty() {
                shown["memory"] = json!(thread.memory);
            }
            shown
        });
        let threads: Vec<_> = threads.collect();
        json!({ "memory": state.shared, "threads": threads })
    }

    fn draw(&self, state: &StateOfCrowd<Self>) -> Option<Drawing> {
        let alone = |thread| self.alone(&state.shared, thread).memory;
        let drawing = self.machine.draw_memory(&alone(state.members.first()?));
        let threads = state.members.iter().enumerate();
        let threads = threads.map(|(number, thread)| {
            let name = format!("thread {number}");
            let memory = alone(thread);
            self.machine.draw_thread(0, &name, &thread.thread, &memory)
        });
        Some(threads.fold(drawing, Drawing::row))
    }
}

/// Specification of threads by what each may output, whatever the others do.
#[derive(Clone, Debug)]
pub struct EachShows(Arc<Behaviours>);

impl Crowd for EachShows {
    type Shared = ();
    type Member = Shown;
    type Action = Show;
    type Observation = Shown;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[Shown])) {
        let mut all = Vec::new();
        self.0.initial(&mut |mut shown| all.append(&mut shown));
        visit((), &all);
    }

    fn fire(
        &self,
        show: &Show,
        (): &mut (),
        me: &mut Shown,
        _: &mut Others<'_, Shown>,
    ) -> Option<()> {
        let mut shown = vec![std::mem::take(me)];
        self.0.fire(show, &mut shown)?;
        *me = shown.remove(0);
        Some(())
    }

    fn candidates(&self, (): &(), me: Option<&Shown>, visit: &mut impl FnMut(Show)) {
        if let Some(me) = me {
            self.0.candidates(&vec![me.clone()], visit);
        }
    }

    fn observe_member(&self, (): &(), shown: &Shown) -> Option<Shown> {
        Some(shown.clone())
    }

    fn may_stop(&self, (): &(), _: &Shown) -> bool {
        true
    }
}
