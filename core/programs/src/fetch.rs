//! Fetching: the thread-local part of execution, which does not access memory.
//!
//! A thread fetches eagerly up to the next undecided branch or assertion, atomic block, choice, or its end. Nothing
//! behind an undecided branch is fetched, so there is no speculation. Computations on registers happen immediately,
//! or as soon as their operands are known. All of this is deterministic and local, so it is part of the preceding
//! step; performing an access is a step of its own.

use refmap::IndexSet;

use super::code::Code;
use super::expression::{Expression, Fault, Register, Value};
use super::model::MemoryModel;
use super::program::{Fence, Instruction, Program};
use super::state::{Operand, Pending, Progress, ThreadState};

/// Fetcher of one thread: its code, and the context that fetching needs.
#[derive(Clone, Copy)]
pub(super) struct Fetcher<'a> {
    pub program: &'a Program,
    /// The code of the thread.
    pub code: &'a Code,
    /// The memory model.
    pub model: MemoryModel,
}

impl Fetcher<'_> {
    /// Runs the thread up to its next step.
    pub fn run(self, thread: &mut ThreadState) {
        self.resolve(thread);
        while self.fetch(thread) {}
        self.forget(thread);
    }

    /// Value that `register` held when `pending` was fetched, if it is known.
    fn operand(self, pending: &Pending, register: Register) -> Option<Value> {
        let reads = &self.code.reads[usize::from(pending.at)];
        let position = reads.iter().position(|read| *read == register)?;
        pending.operands[position].value()
    }

    /// Value of an expression of a pending instruction, if it is known.
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

    /// Fence of the pending instruction, if it is one.
    pub fn fence(&self, pending: &Pending) -> Option<Fence> {
        match self.instruction(pending) {
            Instruction::Fence { fence, .. } => Some(*fence),
            _ => None,
        }
    }

    /// True if the fence must still wait for an access before `position`.
    fn holds(&self, thread: &ThreadState, position: usize, fence: Fence) -> bool {
        thread.pending[..position].iter().any(|pending| {
            let kind = self.instruction(pending).access();
            kind.is_some_and(|kind| fence.holds_back(kind))
        })
    }

    /// Computes values whose operands are known, and removes fences that delay nothing.
    fn resolve(self, thread: &mut ThreadState) {
        let mut position = 0;
        let mut undecided_output = false;
        while position < thread.pending.len() {
            let pending = &thread.pending[position];
            let result = match self.instruction(pending) {
                Instruction::Assign { value, .. } => self.evaluate(pending, value),
                Instruction::Output(value) => {
                    if undecided_output {
                        Ok(None)
                    } else {
                        match self.evaluate(pending, value) {
                            Ok(Some(value)) => {
                                thread.output.push(value);
                                Ok(Some(Value::default()))
                            }
                            other => {
                                undecided_output = true;
                                other
                            }
                        }
                    }
                }
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

    /// Stops the thread at a fault: the pending instructions from `position` on are never performed.
    pub fn stop(self, thread: &mut ThreadState, position: usize, fault: Fault) {
        thread.progress = Progress::Faulty(fault);
        thread.pending.truncate(position);
        thread.registers.fill(Operand::Known(Value::default()));
    }

    /// Fetches one instruction, and returns whether another may follow.
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
                // A copy depends on the same pending instruction as the original.
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
                if matters {
                    self.enqueue(thread, at)
                } else {
                    at + 1
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

    /// Continues with instruction `next`, unless the bound on backward jumps forbids it. Without a bound a backward jump
    /// waits for the accesses for which all later ones wait: no step is lost, and a loop that reads is not fetched for ever.
    pub fn go_to(self, thread: &mut ThreadState, next: usize) -> bool {
        if next <= usize::from(thread.next) {
            match self.program.backward_jumps {
                Some(most) if thread.backward_jumps == most => {
                    thread.progress = Progress::CutOff;
                    return false;
                }
                Some(_) => thread.backward_jumps += 1,
                None if self.holds_later(thread) => return false,
                None => (),
            }
        }
        thread.next = next as u16;
        true
    }

    /// True if an access is pending for which every later one waits.
    fn holds_later(self, thread: &ThreadState) -> bool {
        let mut pending = thread.pending.iter();
        pending.any(|pending| {
            let kind = self.instruction(pending).access();
            kind.is_some_and(|kind| self.model.orders_all_behind(kind))
        })
    }

    /// Appends an instruction to the queue with the contents of its registers. Its target register now waits for
    /// its result.
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

    /// Clears dead registers and removes computations without dependents, so that states which differ in nothing
    /// else are equal.
    fn forget(self, thread: &mut ThreadState) {
        let needed = match thread.progress {
            Progress::Running => self.code.needed[usize::from(thread.next)],
            Progress::CutOff | Progress::Failed(_) | Progress::Faulty(_) => IndexSet::EMPTY,
        };
        for (number, register) in thread.registers.iter_mut().enumerate() {
            if !needed.contains(number) {
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
