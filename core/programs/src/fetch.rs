//! Fetching: what a thread does by itself, without touching memory.
//!
//! A thread fetches eagerly up to the next branch or assertion that is not decided, atomic block,
//! choice, or its end; nothing behind an undecided branch is fetched, so nothing is speculated. What
//! it computes with registers it computes at once, or as soon as they are known. All of this is
//! deterministic and nobody else's business, so it belongs to the step before it, and performing an
//! access is a step of its own.

use super::code::Code;
use super::expression::{Expression, Fault, Register, Value};
use super::program::{Fence, Instruction, Program};
use super::state::{Operand, Pending, Progress, ThreadState};

/// A thread's code, and what it has to know of the program.
#[derive(Clone, Copy)]
pub(super) struct Fetcher<'a> {
    /// The program.
    pub program: &'a Program,
    /// The code of the thread.
    pub code: &'a Code,
}

impl Fetcher<'_> {
    /// Brings the thread to where only a step can take it further.
    pub fn run(self, thread: &mut ThreadState) {
        self.resolve(thread);
        while self.fetch(thread) {}
        self.forget(thread);
    }

    /// What `register` held when `pending` was fetched, if that is known by now.
    fn operand(self, pending: &Pending, register: Register) -> Option<Value> {
        let reads = &self.code.reads[usize::from(pending.at)];
        let position = reads.iter().position(|read| *read == register)?;
        pending.operands[position].value()
    }

    /// The value of an expression of a pending instruction, if it is known by now.
    pub fn evaluate(
        self,
        pending: &Pending,
        expression: &Expression,
    ) -> Result<Option<Value>, Fault> {
        expression.evaluate(&|register| self.operand(pending, register))
    }

    fn instruction(&self, pending: &Pending) -> &Instruction {
        &self.code.instructions[usize::from(pending.at)]
    }

    /// The fence that is pending, if it is one.
    pub fn fence(&self, pending: &Pending) -> Option<Fence> {
        match self.instruction(pending) {
            Instruction::Fence { fence, .. } => Some(*fence),
            _ => None,
        }
    }

    /// Whether something before `position` has to be performed before the fence lets anything pass.
    fn holds(&self, thread: &ThreadState, position: usize, fence: Fence) -> bool {
        thread.pending[..position].iter().any(|pending| {
            let kind = self.instruction(pending).access();
            kind.is_some_and(|kind| fence.holds_back(kind))
        })
    }

    /// Computes what can be computed by now, and drops fences that hold nothing back any more.
    fn resolve(self, thread: &mut ThreadState) {
        let mut position = 0;
        let mut undecided_output = false;
        while position < thread.pending.len() {
            let pending = &thread.pending[position];
            let result = match self.instruction(pending) {
                Instruction::Assign { value, .. } => self.evaluate(pending, value),
                Instruction::Output(value) => match undecided_output {
                    true => Ok(None),
                    false => match self.evaluate(pending, value) {
                        Ok(Some(value)) => {
                            thread.output.push(value);
                            Ok(Some(Value::default()))
                        }
                        other => {
                            undecided_output = true;
                            other
                        }
                    },
                },
                Instruction::Fence { fence, .. } => {
                    let done = !self.holds(thread, position, *fence);
                    Ok(done.then(Value::default))
                }
                _ => Ok(None),
            };
            match result {
                Ok(Some(value)) => thread.settle(position, value),
                Ok(None) => position += 1,
                Err(fault) => self.stop(thread, position, fault),
            }
        }
    }

    /// Stops a thread at what it cannot compute: what is pending at `position` and behind it will
    /// never be performed.
    pub fn stop(self, thread: &mut ThreadState, position: usize, fault: Fault) {
        thread.progress = Progress::Faulty(fault);
        thread.pending.truncate(position);
        thread.registers.fill(Operand::Known(Value::default()));
    }

    /// Fetches one instruction, and says whether there may be another.
    fn fetch(self, thread: &mut ThreadState) -> bool {
        let at = usize::from(thread.next);
        if thread.progress != Progress::Running || at == self.code.end() {
            return false;
        }
        let held = |register: Register| thread.registers[usize::from(register.0)];
        let value =
            |expression: &Expression| expression.evaluate(&|register| held(register).value());
        let next = match &self.code.instructions[at] {
            Instruction::Assign { into, value: of } => match (of, value(of)) {
                // A copy waits for what the original waits for.
                (Expression::Register(from), _) => {
                    thread.registers[usize::from(into.0)] = held(*from);
                    at + 1
                }
                (_, Ok(Some(value))) => {
                    thread.registers[usize::from(into.0)] = Operand::Known(value);
                    at + 1
                }
                (_, Ok(None)) => self.enqueue(thread, at),
                (_, Err(fault)) => {
                    self.stop(thread, thread.pending.len(), fault);
                    return false;
                }
            },
            Instruction::Output(shown) => {
                let waits = thread
                    .pending
                    .iter()
                    .any(|pending| matches!(self.instruction(pending), Instruction::Output(_)));
                match value(shown) {
                    Ok(Some(value)) if !waits => {
                        thread.output.push(value);
                        at + 1
                    }
                    Ok(_) => self.enqueue(thread, at),
                    Err(fault) => {
                        self.stop(thread, thread.pending.len(), fault);
                        return false;
                    }
                }
            }
            Instruction::Fence { fence, place } => {
                let matters =
                    self.program.stands(*place) && self.holds(thread, thread.pending.len(), *fence);
                match matters {
                    true => self.enqueue(thread, at),
                    false => at + 1,
                }
            }
            Instruction::Jump(target) => *target,
            Instruction::Branch {
                condition,
                otherwise,
            } => match value(condition) {
                Ok(Some(Value::Number(0))) => *otherwise,
                Ok(Some(_)) => at + 1,
                Ok(None) => return false,
                Err(fault) => {
                    self.stop(thread, thread.pending.len(), fault);
                    return false;
                }
            },
            Instruction::Assert(condition) => match value(condition) {
                Ok(Some(Value::Number(0))) => {
                    thread.progress = Progress::Failed(thread.next);
                    return false;
                }
                Ok(Some(_)) => at + 1,
                Ok(None) => return false,
                Err(fault) => {
                    self.stop(thread, thread.pending.len(), fault);
                    return false;
                }
            },
            Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreConditional { .. }
            | Instruction::Update { .. } => self.enqueue(thread, at),
            Instruction::Choose { .. } | Instruction::Atomic { .. } => return false,
            Instruction::Require(_) => unreachable!("it stands in an atomic block"),
        };
        self.go_to(thread, next)
    }

    /// Goes on with instruction `next`, unless that is to jump back once too often.
    pub fn go_to(self, thread: &mut ThreadState, next: usize) -> bool {
        if next <= usize::from(thread.next) {
            if thread.backward_jumps == self.program.backward_jumps {
                thread.progress = Progress::CutOff;
                return false;
            }
            thread.backward_jumps += 1;
        }
        thread.next = next as u16;
        true
    }

    /// Puts an instruction at the end of the queue, with what its registers hold; its result, if it
    /// has one, is awaited from now on.
    fn enqueue(self, thread: &mut ThreadState, at: usize) -> usize {
        let held = |register: &Register| thread.registers[usize::from(register.0)];
        let operands = self.code.reads[at].iter().map(held).collect();
        if let Some(target) = self.code.instructions[at].target() {
            let position = thread.pending.len() as u16;
            thread.registers[usize::from(target.0)] = Operand::Awaited(position);
        }
        thread.pending.push(Pending {
            at: at as u16,
            operands,
        });
        at + 1
    }

    /// Clears registers that are needed no longer, and drops computations that nobody waits for, so
    /// that states that differ in nothing else are the same.
    fn forget(self, thread: &mut ThreadState) {
        let needed = match thread.progress {
            Progress::Running => self.code.needed[usize::from(thread.next)],
            Progress::CutOff | Progress::Failed(_) | Progress::Faulty(_) => 0,
        };
        for (number, register) in thread.registers.iter_mut().enumerate() {
            if needed >> number & 1 == 0 {
                *register = Operand::Known(Value::default());
            }
        }
        for position in (0..thread.pending.len()).rev() {
            let computes = matches!(
                self.instruction(&thread.pending[position]),
                Instruction::Assign { .. }
            );
            if computes && !thread.is_awaited(position) {
                thread.settle(position, Value::default());
            }
        }
    }
}
