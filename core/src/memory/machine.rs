//! A program that runs under a memory model, as a transition system.
//!
//! One semantics for all models: each thread performs what it has fetched out of order, as far as
//! the model's table lets it ([`MemoryModel::orders`]). An access waits for an earlier one of its
//! thread if the model says so, if a fence stands between them whose sides match, if it needs the
//! other's result, or if the other's location is not known yet. Memory is one: what is written is
//! seen by all other threads at once.
//!
//! Source: Ugawa, Abe & Maeda, section 3.1.
//!
//! Deviations. D1: a thread has one reservation, so its LLs and SCs are performed in program order,
//! and an LL does not take its value from a pending store; an SC does not fail without a reason. The
//! paper says nothing of either. D2: an assertion is decided before anything behind it is fetched,
//! as a branch is; the paper's is a full fence and may be left out. To leave one out, put it under a
//! choice. D3: a state in which a thread was cut off by the bound on backward jumps is one in which
//! the program may stop, whatever the other threads do: one of them may wait for it in vain. The
//! paper has no such bound. A program that stops too early is therefore not told from one that was
//! cut off, by the verdict; a report says which threads were cut off in how many states.

use std::fmt::{self, Display};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::code::Code;
use super::expression::{Expression, Fault, Location, Place, Register, Value};
use super::fetch::Fetcher;
use super::model::{AccessKind, MemoryModel};
use super::outcome::{Outcome, ThreadEnd, ThreadOutcome};
use super::program::{Afterwards, Instruction, LoadKind, Program, Returned, ThreadNames, Update};
use super::state::{Operand, Pending, Progress, State, ThreadState};
use crate::system::{Process, Rule, RuleId, TransitionSystem};

/// A program under a memory model. Its rules are the program's accesses, choices and atomic blocks,
/// each by its text.
#[derive(Debug)]
pub struct Machine {
    program: Program,
    model: MemoryModel,
    codes: Vec<Code>,
    rules: Vec<Rule>,
    /// Of each thread's instruction, the number of its rule.
    rule_of: Vec<Vec<usize>>,
    texts: Vec<Vec<Arc<str>>>,
}

/// A step: which thread performs which instruction, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The thread.
    pub thread: u16,
    /// The number of the instruction.
    pub instruction: u16,
    /// Its place among what is pending.
    pub position: u16,
    /// What comes of it.
    pub effect: Effect,
    /// The instruction as text.
    pub text: Arc<str>,
}

/// What comes of performing an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A value was read from memory.
    Read(Value),
    /// A value was read from the thread's own pending store.
    Forwarded(Value),
    /// A value was written.
    Wrote(Value),
    /// A value was read, and another one written in its place.
    Replaced(Value, Value),
    /// A value was read, and nothing written.
    Refused(Value),
    /// An SC failed: its reservation was lost.
    Lost,
    /// A value was chosen.
    Chose(Value),
    /// An atomic block ran.
    Ran,
    /// It cannot be computed.
    Faulted(Fault),
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.effect {
            Effect::Read(value) => write!(f, ", reads {value}"),
            Effect::Forwarded(value) => write!(f, ", forwards {value}"),
            Effect::Wrote(value) => write!(f, ", writes {value}"),
            Effect::Replaced(old, new) => write!(f, ", reads {old} and writes {new}"),
            Effect::Refused(old) => write!(f, ", reads {old} and fails"),
            Effect::Lost => f.write_str(", fails"),
            Effect::Chose(value) => write!(f, ", chooses {value}"),
            Effect::Ran => Ok(()),
            Effect::Faulted(fault) => write!(f, ", {fault}"),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What can be seen of a running program: of each thread what it has shown, and how it ended.
pub type Observation = Vec<Shown>;

/// What can be seen of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Shown {
    /// The values that it has shown, in program order.
    pub output: Vec<Value>,
    /// How it ended, if it has.
    pub end: End,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It has not, or was cut off, which nobody can tell from outside.
    #[default]
    None,
    /// It has performed everything.
    Ended,
    /// An assertion failed.
    Failed,
    /// It came to something that it cannot compute.
    Faulty,
}

/// Where a load takes its value from.
enum Origin {
    Memory,
    Own(Value),
}

impl Machine {
    /// `program` under `model`.
    pub fn new(program: Program, model: MemoryModel) -> Self {
        let mut rules = Vec::new();
        let (mut rule_of, mut texts) = (Vec::new(), Vec::new());
        for thread in &program.threads {
            let names = ThreadNames {
                program: &program,
                thread,
            };
            let mut numbers = Vec::new();
            let mut shown = Vec::new();
            // The end of the atomic block last seen: what is in it happens in its step.
            let mut block = 0;
            for (at, instruction) in thread.code.iter().enumerate() {
                numbers.push(rules.len());
                let text = instruction.show(&names);
                shown.push(Arc::from(text.as_str()));
                let is_step = match instruction {
                    Instruction::Choose { .. } => true,
                    Instruction::Atomic { end } => {
                        block = *end;
                        true
                    }
                    _ => at >= block && instruction.access().is_some(),
                };
                if is_step {
                    rules.push(Rule {
                        name: text.into(),
                        process: "thread",
                        source: format!("{}, {at}", thread.name).into(),
                    });
                }
            }
            rule_of.push(numbers);
            texts.push(shown);
        }
        Self {
            codes: program.threads.iter().map(Code::of).collect(),
            program,
            model,
            rules,
            rule_of,
            texts,
        }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The memory model.
    pub fn model(&self) -> MemoryModel {
        self.model
    }

    /// Whether `thread` of `state` has performed all that it has to.
    pub fn has_ended(&self, state: &State, thread: usize) -> bool {
        let of = &state.threads[thread];
        of.progress == Progress::Running
            && usize::from(of.next) == self.codes[thread].end()
            && of.pending.is_empty()
    }

    fn fetcher(&self, thread: usize) -> Fetcher<'_> {
        Fetcher {
            program: &self.program,
            code: &self.codes[thread],
        }
    }

    fn access(&self, thread: usize, pending: &Pending) -> Option<AccessKind> {
        self.codes[thread].instructions[usize::from(pending.at)].access()
    }

    /// The location that a pending access is to, if it is known by now.
    fn location(
        &self,
        thread: usize,
        pending: &Pending,
        place: &Place,
    ) -> Result<Option<Location>, Fault> {
        match self.fetcher(thread).evaluate(pending, &place.0)? {
            None => Ok(None),
            Some(address) => self.dereference(address).map(Some),
        }
    }

    fn dereference(&self, address: Value) -> Result<Location, Fault> {
        match address {
            Value::Number(_) => Err(Fault::NumberAsAddress),
            Value::Address(location) if usize::from(location.0) < self.program.variables.len() => {
                Ok(location)
            }
            Value::Address(_) => Err(Fault::NoSuchLocation),
        }
    }

    /// The place of an access.
    fn place(&self, thread: usize, pending: &Pending) -> &Place {
        match &self.codes[thread].instructions[usize::from(pending.at)] {
            Instruction::Load { from: place, .. }
            | Instruction::Store { to: place, .. }
            | Instruction::StoreConditional { to: place, .. }
            | Instruction::Update { at: place, .. } => place,
            other => unreachable!("{other:?} is not an access"),
        }
    }

    /// Whether the access at `position`, which is of `kind` and to `location`, may be performed, and
    /// where it takes its value from if it is a load: the one place in which accesses wait.
    fn origin(
        &self,
        state: &State,
        thread: usize,
        position: usize,
        kind: AccessKind,
        location: Location,
    ) -> Option<Origin> {
        let pending = &state.threads[thread].pending;
        let mut origin = Origin::Memory;
        let mut fences = Vec::new();
        for earlier in pending[..position].iter().rev() {
            if let Some(fence) = self.fetcher(thread).fence(earlier) {
                fences.push(fence);
                continue;
            }
            let Some(before) = self.access(thread, earlier) else {
                continue;
            };
            let fenced = fences
                .iter()
                .any(|fence| fence.holds_back(before) && fence.makes_wait(kind));
            if fenced || before.is_exclusive() && kind.is_exclusive() {
                return None;
            }
            let place = self.place(thread, earlier);
            // Where the address is not known, or makes no sense, it might have been this one.
            let known = self.location(thread, earlier, place).ok().flatten()?;
            if known != location {
                if self.model.orders(before, kind) {
                    return None;
                }
                continue;
            }
            if self.model.orders_same_location(before, kind) {
                return None;
            }
            // The latest of its own stores is the one to read from.
            if matches!(origin, Origin::Memory) {
                let Instruction::Store { value, .. } =
                    &self.codes[thread].instructions[usize::from(earlier.at)]
                else {
                    unreachable!("only plain stores are not waited for")
                };
                let value = self.fetcher(thread).evaluate(earlier, value).ok()??;
                origin = Origin::Own(self.kept(location, value));
            }
        }
        Some(origin)
    }

    fn kept(&self, location: Location, value: Value) -> Value {
        self.program.variables[usize::from(location.0)]
            .integer
            .keep(value)
    }

    /// Writes to memory; other threads lose their reservation for the location.
    fn write(&self, state: &mut State, thread: usize, location: Location, value: Value) -> Value {
        let value = self.kept(location, value);
        state.memory[usize::from(location.0)] = value;
        for other in 0..state.threads.len() {
            if other != thread && state.threads[other].reservation == Some(location) {
                state.thread_mut(other).reservation = None;
            }
        }
        value
    }

    /// Rule *perform*: a pending access that need not wait reads or writes memory.
    fn perform(&self, from: &State, thread: usize, position: usize) -> Option<(Effect, State)> {
        let pending = &from.threads[thread].pending[position];
        let instruction = &self.codes[thread].instructions[usize::from(pending.at)];
        let kind = instruction.access()?;
        if pending
            .operands
            .iter()
            .any(|operand| operand.value().is_none())
        {
            return None;
        }
        let place = self.place(thread, pending);
        let location = match self.location(thread, pending, place) {
            Ok(location) => location.expect("its operands are known"),
            // It waits for everything, so that the fault is not due to the order.
            Err(fault) => return (position == 0).then(|| self.fault(from, thread, 0, fault)),
        };
        let origin = self.origin(from, thread, position, kind, location)?;
        let value = |expression: &Expression| {
            let value = self.fetcher(thread).evaluate(pending, expression)?;
            Ok(value.expect("its operands are known"))
        };
        let mut to = from.clone();
        let done = self.apply(&mut to, thread, instruction, location, origin, &value);
        let (effect, result) = match done {
            Ok(done) => done,
            Err(fault) => return Some(self.fault(from, thread, position, fault)),
        };
        to.thread_mut(thread).settle(position, result);
        self.fetcher(thread).run(to.thread_mut(thread));
        Some((effect, to))
    }

    /// A thread that cannot perform what is pending at `position` stops there.
    fn fault(&self, from: &State, thread: usize, position: usize, fault: Fault) -> (Effect, State) {
        let mut to = from.clone();
        self.fetcher(thread)
            .stop(to.thread_mut(thread), position, fault);
        (Effect::Faulted(fault), to)
    }

    /// What an access does to memory, and its result.
    fn apply(
        &self,
        to: &mut State,
        thread: usize,
        instruction: &Instruction,
        location: Location,
        origin: Origin,
        value: &impl Fn(&Expression) -> Result<Value, Fault>,
    ) -> Result<(Effect, Value), Fault> {
        let old = to.memory[usize::from(location.0)];
        Ok(match instruction {
            Instruction::Load { kind, .. } => {
                if *kind == LoadKind::Linked {
                    to.thread_mut(thread).reservation = Some(location);
                }
                match origin {
                    Origin::Memory => (Effect::Read(old), old),
                    Origin::Own(value) => (Effect::Forwarded(value), value),
                }
            }
            Instruction::Store { value: stored, .. } => {
                let stored = self.write(to, thread, location, value(stored)?);
                (Effect::Wrote(stored), Value::default())
            }
            Instruction::StoreConditional { value: stored, .. } => {
                let stored = value(stored)?;
                let reserved = to.thread_mut(thread).reservation.take() == Some(location);
                match reserved {
                    true => {
                        let stored = self.write(to, thread, location, stored);
                        (Effect::Wrote(stored), Value::Number(1))
                    }
                    false => (Effect::Lost, Value::Number(0)),
                }
            }
            Instruction::Update { update, result, .. } => {
                let new = match update {
                    Update::CompareAndSwap { expected, desired } => {
                        let (expected, desired) = (value(expected)?, value(desired)?);
                        // What is expected is of the type of what it is compared with.
                        (old == self.kept(location, expected)).then_some(desired)
                    }
                    Update::Exchange(new) => Some(value(new)?),
                    Update::Fetch(operator, operand) => Some(operator.apply(old, value(operand)?)?),
                };
                let effect = match new {
                    Some(new) => Effect::Replaced(old, self.write(to, thread, location, new)),
                    None => Effect::Refused(old),
                };
                let result = match result {
                    Some((_, Returned::Success)) => Value::Number(i64::from(new.is_some())),
                    Some((_, Returned::Old)) | None => old,
                };
                (effect, result)
            }
            other => unreachable!("{other:?} is not an access"),
        })
    }

    /// Rule *choose*: the thread goes on with one of the values.
    fn choose(&self, from: &State, thread: usize, into: Register, value: Value) -> State {
        let mut to = from.clone();
        let chooser = to.thread_mut(thread);
        chooser.registers[usize::from(into.0)] = Operand::Known(value);
        chooser.next += 1;
        self.fetcher(thread).run(chooser);
        to
    }

    /// Rule *atomic*: with everything earlier performed, the block runs as one step, if what it
    /// requires is so.
    fn atomic(&self, from: &State, thread: usize, end: usize) -> Option<(Effect, State)> {
        if !from.threads[thread].pending.is_empty() {
            return None;
        }
        let mut to = from.clone();
        let mut at = usize::from(to.threads[thread].next) + 1;
        while at < end {
            match self.execute(&mut to, thread, at) {
                Ok(Some(next)) => at = next,
                Ok(None) => return None,
                Err(fault) => return Some(self.fault(from, thread, 0, fault)),
            }
            if to.threads[thread].progress != Progress::Running {
                break;
            }
        }
        let runner = to.thread_mut(thread);
        runner.next = end as u16;
        self.fetcher(thread).run(runner);
        Some((Effect::Ran, to))
    }

    /// Executes one instruction of an atomic block, and says which one comes next: none if the block
    /// may not run.
    fn execute(&self, to: &mut State, thread: usize, at: usize) -> Result<Option<usize>, Fault> {
        let registers = to.threads[thread].registers.clone();
        let value = |expression: &Expression| {
            let held = |register: Register| registers[usize::from(register.0)].value();
            Ok(expression.evaluate(&held)?.expect("nothing is pending"))
        };
        let is_false = |condition: &Expression| Ok(value(condition)? == Value::Number(0));
        let instruction = &self.codes[thread].instructions[at];
        let result = match instruction {
            Instruction::Assign {
                value: assigned, ..
            } => value(assigned)?,
            Instruction::Load { from: place, .. }
            | Instruction::Store { to: place, .. }
            | Instruction::StoreConditional { to: place, .. }
            | Instruction::Update { at: place, .. } => {
                let location = self.dereference(value(&place.0)?)?;
                self.apply(to, thread, instruction, location, Origin::Memory, &value)?
                    .1
            }
            Instruction::Output(shown) => {
                let shown = value(shown)?;
                to.thread_mut(thread).output.push(shown);
                shown
            }
            Instruction::Assert(condition) if is_false(condition)? => {
                to.thread_mut(thread).progress = Progress::Failed(at as u16);
                return Ok(Some(at));
            }
            Instruction::Require(condition) if is_false(condition)? => return Ok(None),
            Instruction::Branch {
                condition,
                otherwise,
            } if is_false(condition)? => return Ok(Some(*otherwise)),
            Instruction::Jump(target) => return Ok(Some(*target)),
            Instruction::Assert(_)
            | Instruction::Require(_)
            | Instruction::Branch { .. }
            | Instruction::Fence { .. } => return Ok(Some(at + 1)),
            Instruction::Choose { .. } | Instruction::Atomic { .. } => {
                unreachable!("no atomic block holds one")
            }
        };
        if let Some(target) = instruction.target() {
            to.thread_mut(thread).registers[usize::from(target.0)] = Operand::Known(result);
        }
        Ok(Some(at + 1))
    }

    fn action(&self, thread: usize, at: u16, position: usize, effect: Effect) -> Action {
        Action {
            thread: thread as u16,
            instruction: at,
            position: position as u16,
            effect,
            text: Arc::clone(&self.texts[thread][usize::from(at)]),
        }
    }
}

impl TransitionSystem for Machine {
    type State = State;
    type Action = Action;
    type Observation = Observation;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        RuleId(self.rule_of[usize::from(action.thread)][usize::from(action.instruction)])
    }

    fn process_of(&self, action: &Action) -> Process {
        Process::numbered("thread", action.thread)
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let memory = self.program.initial_memory().into();
        let threads = self.program.threads.iter().enumerate();
        let threads = threads.map(|(number, thread)| {
            let registers = thread.registers.iter();
            let mut state = ThreadState {
                next: 0,
                progress: Progress::Running,
                backward_jumps: 0,
                registers: registers
                    .map(|register| Operand::Known(register.initial))
                    .collect(),
                pending: Vec::new(),
                reservation: None,
                output: Vec::new(),
            };
            self.fetcher(number).run(&mut state);
            Arc::new(state)
        });
        visit(State {
            memory,
            threads: threads.collect(),
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for (thread, of) in from.threads.iter().enumerate() {
            for (position, pending) in of.pending.iter().enumerate() {
                if let Some((effect, to)) = self.perform(from, thread, position) {
                    visit(self.action(thread, pending.at, position, effect), to);
                }
            }
            let at = usize::from(of.next);
            if of.progress != Progress::Running || at == self.codes[thread].end() {
                continue;
            }
            let position = of.pending.len();
            match &self.codes[thread].instructions[at] {
                Instruction::Choose { into, values } => {
                    for value in values {
                        let action = self.action(thread, of.next, position, Effect::Chose(*value));
                        visit(action, self.choose(from, thread, *into, *value));
                    }
                }
                Instruction::Atomic { end } => {
                    if let Some((effect, to)) = self.atomic(from, thread, *end) {
                        visit(self.action(thread, of.next, position, effect), to);
                    }
                }
                _ => (),
            }
        }
    }

    fn observe(&self, state: &State) -> Observation {
        let threads = state.threads.iter().enumerate();
        let shown = threads.map(|(thread, of)| Shown {
            output: of.output.clone(),
            end: match of.progress {
                Progress::Running if self.has_ended(state, thread) => End::Ended,
                Progress::Running | Progress::CutOff => End::None,
                Progress::Failed(_) => End::Failed,
                Progress::Faulty(_) => End::Faulty,
            },
        });
        shown.collect()
    }

    /// Where every thread has ended or stopped; and where one was cut off, since another may wait for
    /// it in vain (deviation D3).
    fn may_stop(&self, state: &State) -> bool {
        let mut threads = state.threads.iter().enumerate();
        let cut_off = |of: &Arc<ThreadState>| of.progress == Progress::CutOff;
        state.threads.iter().any(cut_off)
            || threads.all(|(thread, of)| {
                of.progress != Progress::Running || self.has_ended(state, thread)
            })
    }

    fn cut_off(&self, state: &State) -> Vec<&str> {
        let threads = self.program.threads.iter().zip(&state.threads);
        threads
            .filter(|(_, of)| of.progress == Progress::CutOff)
            .map(|(stated, _)| stated.name.as_str())
            .collect()
    }

    fn draw(&self, state: &State) -> Option<String> {
        let variables = self.program.variables.iter().zip(&state.memory);
        let memory = variables
            .map(|(variable, value)| format!("{} {}", variable.name, self.program.show(*value)));
        let mut lines = vec![memory.collect::<Vec<_>>().join("  ")];
        for (thread, of) in state.threads.iter().enumerate() {
            lines.push(self.draw_thread(thread, of));
        }
        Some(lines.join("\n"))
    }
}

impl Machine {
    /// A thread on one line: where it is, its registers, and what it has not yet performed.
    fn draw_thread(&self, thread: usize, of: &ThreadState) -> String {
        let stated = &self.program.threads[thread];
        let mut parts = vec![format!("{}:", stated.name)];
        let needed = self.codes[thread].needed[usize::from(of.next)];
        for (number, (register, held)) in stated.registers.iter().zip(&of.registers).enumerate() {
            if needed >> number & 1 == 1 {
                let held = match held {
                    Operand::Known(value) => self.program.show(*value),
                    Operand::Awaited(_) => "?".to_owned(),
                };
                parts.push(format!("{} = {held}", register.name));
            }
        }
        for pending in &of.pending {
            let text = &self.texts[thread][usize::from(pending.at)];
            parts.push(format!("({text})"));
        }
        parts.push(match of.progress {
            Progress::Running if usize::from(of.next) == self.codes[thread].end() => {
                "at its end".to_owned()
            }
            Progress::Running => format!("at {}", self.texts[thread][usize::from(of.next)]),
            Progress::CutOff => "cut off".to_owned(),
            Progress::Failed(at) => format!("failed {}", self.texts[thread][usize::from(at)]),
            Progress::Faulty(fault) => fault.to_string(),
        });
        parts.join("  ")
    }

    /// What `state`, in which no step is left, shows of how the program ended.
    pub fn outcome(&self, state: &State) -> Outcome {
        let threads = state.threads.iter().enumerate();
        let threads = threads.map(|(thread, of)| ThreadOutcome {
            end: match of.progress {
                Progress::Running if self.has_ended(state, thread) => ThreadEnd::Ended,
                Progress::Running => ThreadEnd::Stuck,
                Progress::CutOff => ThreadEnd::CutOff,
                Progress::Failed(at) => ThreadEnd::Failed(at),
                Progress::Faulty(fault) => ThreadEnd::Faulty(fault),
            },
            output: of.output.clone(),
            kept: match self.has_ended(state, thread) {
                false => Vec::new(),
                true => {
                    let stated = self.program.threads[thread].registers.iter();
                    stated
                        .zip(&of.registers)
                        .filter(|(register, _)| register.afterwards == Afterwards::Kept)
                        .map(|(_, held)| held.value().expect("nothing is pending at the end"))
                        .collect()
                }
            },
        });
        Outcome {
            memory: state.memory.to_vec(),
            threads: threads.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ProgramBuilder;

    #[test]
    fn an_atomic_block_is_one_rule() {
        let mut program = ProgramBuilder::new("block");
        let x = program.location("x", 0);
        program.thread("a", |t| {
            let r = t.register("r");
            t.store(x, 1);
            t.atomic(|t| {
                t.load(r, x);
                t.store(x, r + 1);
            });
            t.load(r, x);
        });
        let program = program.build().expect("it is well formed");
        let machine = Machine::new(program, MemoryModel::Sc);
        let names: Vec<_> = machine.rules().iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["x := 1", "atomic", "r := x"]);
        // The rule of each step is the one that its instruction has.
        let mut state = None;
        machine.initial(&mut |initial| state = Some(initial));
        for name in names {
            let from = state.take().expect("there is a next state");
            machine.next(&from, &mut |action, to| {
                assert_eq!(machine.rules()[machine.rule_of(&action).0].name, name);
                state = Some(to);
            });
        }
    }
}
