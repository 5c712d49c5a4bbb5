//! Store-buffer semantics of SC, TSO and PSO: threads execute in program order, and stores wait in a buffer. It
//! shares the program text with [`Machine`](super::Machine) and no part of its execution, so that each is tested
//! against the other.
//!
//! Under TSO a thread's stores leave its buffer in FIFO order; under PSO only stores to the same location do. Under
//! SC there is no buffer. RMO delays loads, which store buffers cannot express: see
//! [`axiomatic`](super::axiomatic).
//!
//! Source: Owens, Sarkar & Sewell, *A Better x86 Memory Model: x86-TSO*, the abstract machine, for
//! TSO; the SPARC Architecture Manual, version 8, chapter 6, for PSO.

use serde::Serialize;

use super::expression::{Expression, Fault, Location, Place, Register, Value};
use super::model::MemoryModel;
use super::outcome::{Outcome, ThreadEnd, ThreadOutcome};
use super::program::{Afterwards, Fence, Instruction, LoadKind, Program, Returned, Update};
use refmap::TransitionSystem;

/// Program whose threads have store buffers.
#[derive(Debug)]
pub struct Buffered {
    program: Program,
    model: MemoryModel,
}

/// Error: store buffers do not explain this memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no store buffer explains the model {model}")]
pub struct NotBuffered {
    /// The model.
    pub model: MemoryModel,
}

/// State of the store-buffer machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    memory: Vec<Value>,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Thread {
    #[state(varint)]
    at: usize,
    #[state(varint)]
    jumps: u8,
    registers: Vec<Value>,
    buffer: Vec<Entry>,
    #[state(varint)]
    reservation: Option<Location>,
    output: Vec<Value>,
    stopped: Option<ThreadEnd>,
}

/// Entry of a store buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
enum Entry {
    Store(#[state(varint)] Location, Value),
    /// A fence that orders earlier stores before later accesses.
    Fence(Fence),
}

/// Action of the store-buffer machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "thread", source = "x86-TSO, abstract machine")]
pub enum Step {
    /// The thread executes its next instruction.
    Execute(usize),
    /// The thread executes its next instruction, a choice, with this value.
    Choose(usize, Value),
    /// The entry leaves the thread's buffer.
    #[rule(process = "buffer")]
    Drain(usize, usize),
}

impl Buffered {
    /// Builds the machine of `program` under `model`.
    ///
    /// # Errors
    ///
    /// If `model` is neither SC nor TSO nor PSO.
    pub fn new(program: Program, model: MemoryModel) -> Result<Self, NotBuffered> {
        match model {
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::PsoFull | MemoryModel::PsoNo => {
                Ok(Self { program, model })
            }
            MemoryModel::RmoFull | MemoryModel::RmoNo | MemoryModel::Ibm370 => {
                Err(NotBuffered { model })
            }
        }
    }

    /// Outcome of the program in the terminal state `state`.
    pub fn outcome(&self, state: &State) -> Outcome {
        let threads = state.threads.iter().zip(&self.program.threads);
        let threads = threads.map(|(thread, stated)| {
            let ended = thread.at == stated.code.len();
            let end = match thread.stopped {
                Some(stopped) => stopped,
                None if ended => ThreadEnd::Ended,
                None => ThreadEnd::Stuck,
            };
            let kept = stated.registers.iter().zip(&thread.registers);
            let kept = kept.filter(|(register, _)| register.afterwards == Afterwards::Kept);
            ThreadOutcome {
                end,
                output: thread.output.clone(),
                kept: match end {
                    ThreadEnd::Ended => kept.map(|(_, value)| *value).collect(),
                    _ => Vec::new(),
                },
            }
        });
        Outcome {
            memory: state.memory.clone(),
            threads: threads.collect(),
        }
    }

    /// True if stores leave the buffer in FIFO order.
    fn is_queue(&self) -> bool {
        self.model == MemoryModel::Tso
    }

    /// Executes the next instruction of a thread, if it is enabled; `chosen` is the value of a choice.
    fn execute(&self, to: &mut State, number: usize, chosen: Option<Value>) -> Option<()> {
        match (self.ahead(number, &to.threads[number])?, chosen) {
            (Instruction::Atomic { end }, None) => {
                if !to.threads[number].buffer.is_empty() {
                    return None;
                }
                to.threads[number].at += 1;
                while to.threads[number].at < *end && to.threads[number].stopped.is_none() {
                    self.one(to, number, None)?;
                    let buffer = std::mem::take(&mut to.threads[number].buffer);
                    for entry in buffer {
                        self.commit(to, number, entry);
                    }
                }
                Some(())
            }
            (Instruction::Choose { values, .. }, Some(value)) if values.contains(&value) => {
                self.one(to, number, chosen)
            }
            (Instruction::Choose { .. }, _) | (_, Some(_)) => None,
            (_, None) => self.one(to, number, None),
        }
    }

    /// The next instruction of a thread, if it has not stopped or ended.
    fn ahead(&self, number: usize, thread: &Thread) -> Option<&Instruction> {
        let code = &self.program.threads[number].code;
        let goes_on = thread.stopped.is_none();
        code.get(thread.at).filter(|_| goes_on)
    }

    /// Executes one instruction; stores enter the buffer.
    fn one(&self, to: &mut State, number: usize, chosen: Option<Value>) -> Option<()> {
        match self.instruction(to, number, chosen) {
            Ok(done) => done,
            Err(fault) => {
                to.threads[number].stopped = Some(ThreadEnd::Faulty(fault));
                Some(())
            }
        }
    }

    fn instruction(
        &self,
        to: &mut State,
        number: usize,
        chosen: Option<Value>,
    ) -> Result<Option<()>, Fault> {
        let thread = &to.threads[number];
        let at = thread.at;
        let registers = thread.registers.clone();
        let value = |expression: &Expression| {
            let held = |register: Register| Some(registers[usize::from(register.0)]);
            Ok(expression
                .evaluate(&held)?
                .expect("every register is known"))
        };
        let location = |place: &Place| self.program.dereference(place, value(&place.address)?);
        let mut next = at + 1;
        let mut result = None;
        match &self.program.threads[number].code[at] {
            Instruction::Assign { value: of, .. } => result = Some(value(of)?),
            Instruction::Load { from, kind, .. } => {
                let location = location(from)?;
                if self.is_fenced_off(thread, |fence| fence != Fence::Release) {
                    return Ok(None);
                }
                let own = latest(&thread.buffer, location);
                result = Some(match (kind, own) {
                    (LoadKind::Linked, Some(_)) => return Ok(None),
                    (LoadKind::Plain, Some(own)) => own,
                    (_, None) => to.memory[usize::from(location.0)],
                });
                if *kind == LoadKind::Linked {
                    to.threads[number].reservation = Some(location);
                }
            }
            Instruction::Store {
                to: place,
                value: of,
            } => {
                let store = Entry::Store(location(place)?, value(of)?);
                let store = self.kept(store);
                match self.model {
                    MemoryModel::Sc => self.commit(to, number, store),
                    _ => to.threads[number].buffer.push(store),
                }
            }
            Instruction::StoreConditional {
                to: place,
                value: of,
                ..
            } => {
                let (location, of) = (location(place)?, value(of)?);
                if self.must_drain(thread, location) {
                    return Ok(None);
                }
                let reserved = to.threads[number].reservation.take() == Some(location);
                if reserved {
                    let store = self.kept(Entry::Store(location, of));
                    self.commit(to, number, store);
                }
                result = Some(Value::Number(i64::from(reserved)));
            }
            Instruction::Update {
                at: place,
                update,
                result: returned,
            } => {
                let location = location(place)?;
                if self.must_drain(thread, location)
                    || self.model == MemoryModel::PsoFull && !thread.buffer.is_empty()
                {
                    return Ok(None);
                }
                let old = to.memory[usize::from(location.0)];
                let new = match update {
                    Update::CompareAndSwap { expected, desired } => {
                        let integer = self.program.variables[usize::from(location.0)].integer;
                        (integer.keep(value(expected)?) == old).then_some(value(desired)?)
                    }
                    Update::Exchange(new) => Some(value(new)?),
                    Update::Fetch(operator, by) => Some(operator.apply(old, value(by)?)?),
                };
                if let Some(new) = new {
                    let store = self.kept(Entry::Store(location, new));
                    self.commit(to, number, store);
                }
                result = Some(match returned {
                    Some((_, Returned::Success)) => Value::Number(i64::from(new.is_some())),
                    _ => old,
                });
            }
            Instruction::Fence { fence, place } => {
                // Every earlier access except stores has been performed, so without stores the fence orders
                // nothing.
                let matters = self.program.stands(*place) && *fence != Fence::Acquire;
                let buffer = &mut to.threads[number].buffer;
                if matters && !buffer.is_empty() {
                    buffer.push(Entry::Fence(*fence));
                }
            }
            Instruction::Branch {
                condition,
                otherwise,
            } => {
                if value(condition)? == Value::Number(0) {
                    next = *otherwise;
                }
            }
            Instruction::Jump(target) => next = *target,
            Instruction::Assert(condition) => {
                if value(condition)? == Value::Number(0) {
                    to.threads[number].stopped = Some(ThreadEnd::Failed(at as u16));
                    return Ok(Some(()));
                }
            }
            Instruction::Output(shown) => {
                let shown = value(shown)?;
                to.threads[number].output.push(shown);
            }
            Instruction::Choose { .. } => result = Some(chosen.expect("a value is chosen")),
            Instruction::Require(condition) => {
                if value(condition)? == Value::Number(0) {
                    return Ok(None);
                }
            }
            Instruction::Atomic { .. } => unreachable!("executed as one step"),
        }
        let thread = &mut to.threads[number];
        if let (Some(target), Some(result)) =
            (self.program.threads[number].code[at].target(), result)
        {
            thread.registers[usize::from(target.0)] = result;
        }
        if let Some(most) = self.program.backward_jumps
            && next <= at
        {
            if thread.jumps == most {
                thread.stopped = Some(ThreadEnd::CutOff);
                return Ok(Some(()));
            }
            thread.jumps += 1;
        }
        thread.at = next;
        Ok(Some(()))
    }

    /// True if the buffer still holds a fence that delays the next access.
    fn is_fenced_off(&self, thread: &Thread, stops: impl Fn(Fence) -> bool) -> bool {
        let mut entries = thread.buffer.iter();
        entries.any(|entry| matches!(entry, Entry::Fence(fence) if stops(*fence)))
    }

    /// True if an entry must leave the buffer before a direct write to memory at `location`.
    fn must_drain(&self, thread: &Thread, location: Location) -> bool {
        self.is_fenced_off(thread, |_| true)
            || latest(&thread.buffer, location).is_some()
            || self.is_queue() && !thread.buffer.is_empty()
    }

    fn kept(&self, entry: Entry) -> Entry {
        match entry {
            Entry::Store(location, value) => {
                let integer = self.program.variables[usize::from(location.0)].integer;
                Entry::Store(location, integer.keep(value))
            }
            fence => fence,
        }
    }

    fn commit(&self, to: &mut State, number: usize, entry: Entry) {
        let Entry::Store(location, value) = entry else {
            return;
        };
        to.memory[usize::from(location.0)] = value;
        self.program.take_snapshots(&mut to.memory);
        for (other, thread) in to.threads.iter_mut().enumerate() {
            if other != number && thread.reservation == Some(location) {
                thread.reservation = None;
            }
        }
    }

    /// Moves the entry at `position` out of the buffer, if it may overtake those before it.
    fn drain(&self, to: &mut State, number: usize, position: usize) -> Option<()> {
        let buffer = &to.threads[number].buffer;
        let entry = *buffer.get(position)?;
        let Entry::Store(location, _) = entry else {
            return None;
        };
        let blocked = buffer[..position].iter().any(|earlier| match earlier {
            Entry::Fence(_) => true,
            Entry::Store(other, _) => self.is_queue() || *other == location,
        });
        if blocked {
            return None;
        }
        self.commit(to, number, entry);
        let buffer = &mut to.threads[number].buffer;
        buffer.remove(position);
        while matches!(buffer.first(), Some(Entry::Fence(_))) {
            buffer.remove(0);
        }
        Some(())
    }
}

/// Value of the latest store to `location` in a buffer.
fn latest(buffer: &[Entry], location: Location) -> Option<Value> {
    buffer.iter().rev().find_map(|entry| match entry {
        Entry::Store(at, value) if *at == location => Some(*value),
        _ => None,
    })
}

impl TransitionSystem for Buffered {
    type State = State;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let threads = self.program.threads.iter().map(|thread| Thread {
            at: 0,
            jumps: 0,
            registers: thread.registers.iter().map(|of| of.initial).collect(),
            buffer: Vec::new(),
            reservation: None,
            output: Vec::new(),
            stopped: None,
        });
        visit(State {
            memory: self.program.initial_memory(),
            threads: threads.collect(),
        });
    }

    fn fire(&self, step: &Step, state: &mut State) -> Option<()> {
        match *step {
            Step::Execute(thread) => self.execute(state, thread, None),
            Step::Choose(thread, value) => self.execute(state, thread, Some(value)),
            Step::Drain(thread, position) => self.drain(state, thread, position),
        }
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Step)) {
        for (number, thread) in from.threads.iter().enumerate() {
            (0..thread.buffer.len()).for_each(|position| visit(Step::Drain(number, position)));
            match self.ahead(number, thread) {
                Some(Instruction::Choose { values, .. }) => {
                    let values = values.iter();
                    values.for_each(|value| visit(Step::Choose(number, *value)));
                }
                Some(_) => visit(Step::Execute(number)),
                None => (),
            }
        }
    }

    fn observe(&self, _: &State) {}

    fn may_stop(&self, _: &State) -> bool {
        true
    }
}
