//! Semantics of performing an instruction or an atomic block.

use std::sync::Arc;

use super::{Effect, Machine};
use crate::expression::{Expression, Fault, Location, Place, Register, Value};
use crate::model::AccessKind;
use crate::program::{Instruction, LoadKind, Returned, Update};
use crate::state::{Operand, Pending, Progress, State, ThreadState};

/// Source of the value of a load.
enum Origin {
    Memory,
    Own(Value),
}

impl Machine {
    fn access(&self, thread: usize, pending: &Pending) -> Option<AccessKind> {
        self.codes[thread].instructions[usize::from(pending.at)].access()
    }

    /// Location of a pending access, if it is known.
    fn location(
        &self,
        thread: usize,
        pending: &Pending,
        place: &Place,
    ) -> Result<Option<Location>, Fault> {
        match self.fetcher(thread).evaluate(pending, &place.address)? {
            None => Ok(None),
            Some(address) => self.program.dereference(place, address).map(Some),
        }
    }

    /// Address expression of an access.
    fn place(&self, thread: usize, pending: &Pending) -> &Place {
        let instruction = &self.codes[thread].instructions[usize::from(pending.at)];
        instruction.place().expect("an access has one")
    }

    /// Decides whether the access at `position`, of kind `kind` to `location`, is enabled, and from where a load
    /// reads its value. All waiting between accesses is decided here.
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
            // An earlier access with an unknown or undefined address might be to this location.
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
            // The load reads from the latest of the thread's own stores.
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

    /// Writes to memory; other threads lose their reservations of the location.
    fn write(&self, state: &mut State, thread: usize, location: Location, value: Value) -> Value {
        let value = self.kept(location, value);
        state.memory[usize::from(location.0)] = value;
        self.program.take_snapshots(&mut state.memory);
        for other in 0..state.threads.len() {
            if other != thread && state.threads[other].reservation == Some(location) {
                state.thread_mut(other).lose(location);
            }
        }
        value
    }

    /// The choice or the atomic block at which a thread is, if it runs and is at one.
    pub(super) fn ahead(&self, thread: usize, of: &ThreadState) -> Option<&Instruction> {
        let code = &self.codes[thread];
        let at = usize::from(of.next);
        let runs = of.progress == Progress::Running && at != code.end();
        runs.then(|| &code.instructions[at])
    }

    /// Takes a step: that of the pending instruction at `position`, or behind these of the next one, with the value that is `chosen`.
    pub(super) fn take(
        &self,
        state: &mut State,
        thread: usize,
        position: usize,
        chosen: Option<Value>,
    ) -> Option<Effect> {
        let of = &state.threads[thread];
        if position < of.pending.len() {
            return self.perform(state, thread, position);
        }
        match self.ahead(thread, of)? {
            Instruction::Choose { into, values } => {
                let value = chosen.filter(|value| values.contains(value))?;
                Some(self.choose(state, thread, *into, value))
            }
            Instruction::Atomic { end } => self.atomic(state, thread, *end),
            _ => None,
        }
    }

    /// Rule *perform*: a pending access that need not wait reads or writes memory.
    fn perform(&self, state: &mut State, thread: usize, position: usize) -> Option<Effect> {
        let of = &state.threads[thread];
        let pending = &of.pending[position];
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
            // A fault happens only when everything earlier is performed, so that reordering cannot cause it.
            Err(fault) => return (position == 0).then(|| self.fault(state, thread, 0, fault)),
        };
        let origin = self.origin(state, thread, position, kind, location)?;
        let of = Arc::clone(of);
        let value = |expression: &Expression| {
            let value = self
                .fetcher(thread)
                .evaluate(&of.pending[position], expression)?;
            Ok(value.expect("its operands are known"))
        };
        let done = self.apply(state, thread, instruction, location, origin, &value);
        let (effect, result) = match done {
            Ok(done) => done,
            Err(fault) => return Some(self.fault(state, thread, position, fault)),
        };
        state.thread_mut(thread).settle(position, result);
        self.fetcher(thread).run(state.thread_mut(thread));
        Some(effect)
    }

    /// Stops the thread: the pending instruction at `position` is undefined.
    fn fault(&self, state: &mut State, thread: usize, position: usize, fault: Fault) -> Effect {
        self.fetcher(thread)
            .stop(state.thread_mut(thread), position, fault);
        Effect::Faulted(fault)
    }

    /// Effect of an access on memory, and its result.
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
                if reserved {
                    let stored = self.write(to, thread, location, stored);
                    (Effect::Wrote(stored), Value::Number(1))
                } else {
                    (Effect::Lost, Value::Number(0))
                }
            }
            Instruction::Update { update, result, .. } => {
                let new = match update {
                    Update::CompareAndSwap { expected, desired } => {
                        let (expected, desired) = (value(expected)?, value(desired)?);
                        // The expected value is converted to the type of the location before the comparison.
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

    /// Rule *choose*: the thread continues with one of the values.
    fn choose(&self, state: &mut State, thread: usize, into: Register, value: Value) -> Effect {
        let chooser = state.thread_mut(thread);
        chooser.registers[usize::from(into.0)] = Operand::Known(value);
        chooser.next += 1;
        self.fetcher(thread).run(chooser);
        Effect::Chose(value)
    }

    /// Rule *atomic*: once everything earlier is performed, the block runs as one step if its requirements hold.
    fn atomic(&self, state: &mut State, thread: usize, end: usize) -> Option<Effect> {
        if !state.threads[thread].pending.is_empty() {
            return None;
        }
        let from = state.clone();
        let mut at = usize::from(state.threads[thread].next) + 1;
        while at < end {
            match self.execute(state, thread, at) {
                Ok(Some(next)) => at = next,
                Ok(None) => return None,
                Err(fault) => {
                    *state = from;
                    return Some(self.fault(state, thread, 0, fault));
                }
            }
            if state.threads[thread].progress != Progress::Running {
                break;
            }
        }
        let runner = state.thread_mut(thread);
        runner.next = end as u16;
        self.fetcher(thread).run(runner);
        Some(Effect::Ran)
    }

    /// Executes one instruction of an atomic block and returns the next one; `None` if a requirement fails.
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
                let location = self.program.dereference(place, value(&place.address)?)?;
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
}
