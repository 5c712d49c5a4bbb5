//! Translation of a thread of a litmus test.
//!
//! A value of an instruction of some width is held in *normal form*: of the width of a whole register with its sign,
//! and of a smaller one without. An address fits a whole register only; cut to fewer bits, it is a fault.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Problem, ReadError};
use super::flag_effects::read_later;
use super::flags::{Condition, Flag, Flags, Relation};
use super::instruction::{Cell, Count, Instruction, Lock, Operation, Shift};
use super::names::Names;
use super::operand::{Address, Operand};
use super::register::Name;
use crate::{
    Afterwards, Expression, Fence, Integer, Label, Operator, Place, Register, Returned, Sign,
    ThreadBuilder, Update, Value,
};

/// Translates a thread, whose registers `observed` are kept.
pub(super) fn thread(
    names: &Names,
    number: usize,
    observed: &BTreeSet<&'static str>,
    cells: &[Cell],
    builder: &mut ThreadBuilder<'_>,
) -> Result<(), ReadError> {
    let mut registers = BTreeMap::new();
    // Kept registers come first, in the order of the columns.
    for name in observed {
        let value = names.register(number, name).initial;
        let register = builder.register_with(*name, value, Afterwards::Kept);
        registers.insert(*name, register);
    }
    let mut labels = BTreeMap::new();
    let mut positions = BTreeMap::new();
    for (at, cell) in cells.iter().enumerate() {
        for name in &cell.labels {
            if labels.insert(name.as_str(), builder.label()).is_some() {
                return Err(Problem::Twice(format!("the label {name:?}")).on(cell.line));
            }
            positions.insert(name.as_str(), at);
        }
    }
    let read_later = read_later(cells, &positions)?;
    let mut translator = Translator {
        names,
        thread: number,
        registers,
        flags: BTreeMap::new(),
        labels,
        end: builder.label(),
        scratch: [builder.register("value read"), builder.register("result")],
        read_later: Flags::default(),
        t: builder,
    };
    for (cell, read_later) in cells.iter().zip(read_later) {
        for label in &cell.labels {
            let label = translator.labels[label.as_str()];
            translator.t.place(label);
        }
        translator.read_later = read_later;
        if let Some(instruction) = &cell.instruction {
            translator.instruction(instruction, cell.line)?;
        }
    }
    let end = translator.end;
    translator.t.place(end);
    Ok(())
}

struct Translator<'a, 'b, 'c> {
    names: &'a Names,
    thread: usize,
    registers: BTreeMap<&'static str, Register>,
    flags: BTreeMap<Flag, Register>,
    labels: BTreeMap<&'a str, Label>,
    /// End of the thread.
    end: Label,
    scratch: [Register; 2],
    /// Flags that are read behind the instruction under translation.
    read_later: Flags,
    t: &'b mut ThreadBuilder<'c>,
}

/// Bits of a value of this width, below 64.
fn mask(bits: u32) -> i64 {
    (1 << bits) - 1
}

fn apply(operator: Operator, left: &Expression, right: impl Into<Expression>) -> Expression {
    Expression::of(operator, left.clone(), right)
}

/// Operands and result of an addition, subtraction or logical operation, in normal form.
struct Computed<'a> {
    operation: Operation,
    bits: u32,
    left: &'a Expression,
    right: &'a Expression,
    result: &'a Expression,
}

impl Translator<'_, '_, '_> {
    fn register(&mut self, name: Name) -> Register {
        if let Some(register) = self.registers.get(name.whole) {
            return *register;
        }
        let value = self.names.register(self.thread, name.whole).initial;
        let register = self
            .t
            .register_with(name.whole, value, Afterwards::Forgotten);
        self.registers.insert(name.whole, register);
        register
    }

    fn flag(&mut self, flag: Flag) -> Register {
        let t = &mut self.t;
        *self
            .flags
            .entry(flag)
            .or_insert_with(|| t.register(flag.name()))
    }

    fn is_whole(&self, bits: u32) -> bool {
        bits == self.names.architecture.bits()
    }

    /// Normal form of a value of which only the lowest bits count.
    fn normal(&self, bits: u32, value: impl Into<Expression>) -> Expression {
        let value = value.into();
        match (self.is_whole(bits), value) {
            (true, Expression::Constant(constant)) => {
                Expression::Constant(self.names.architecture.word().keep(constant))
            }
            (true, value) if bits == 64 => value,
            (true, value) => value.keep(self.names.architecture.word()),
            (false, Expression::Constant(Value::Number(number))) => (number & mask(bits)).into(),
            (false, value) => value & mask(bits),
        }
    }

    /// Value in normal form, as a number with a sign.
    fn signed(&self, bits: u32, value: &Expression) -> Expression {
        let sign = Sign::Signed;
        if self.is_whole(bits) {
            value.clone()
        } else {
            value.clone().keep(Integer { bits, sign })
        }
    }

    /// Value in normal form, as a number without a sign, if it has fewer than 64 bits.
    fn unsigned(&self, bits: u32, value: &Expression) -> Expression {
        if self.is_whole(bits) && bits < 64 {
            value.clone() & mask(bits)
        } else {
            value.clone()
        }
    }

    /// 1 if `left` is less than `right` as a number without a sign, otherwise 0.
    fn is_below(&self, bits: u32, left: &Expression, right: &Expression) -> Expression {
        let [left, right] = [left, right].map(|value| match bits {
            // Flipping the highest bit turns the order without a sign into the one with a sign.
            64 => apply(Operator::Xor, value, i64::MIN),
            _ => self.unsigned(bits, value),
        });
        left.is_less_than(right)
    }

    fn is_negative(&self, bits: u32, value: &Expression) -> Expression {
        self.signed(bits, value).is_less_than(0)
    }

    /// Value of a register, or of a part of it, in normal form.
    fn part(&mut self, name: Name) -> Expression {
        let register = self.register(name);
        let value = match name.from {
            0 => register.into(),
            from => register >> i64::from(from),
        };
        // What is written to a whole register is in normal form.
        if self.is_whole(name.bits) {
            value
        } else {
            self.normal(name.bits, value)
        }
    }

    /// Writes to a register, or to a part of it: a 32-bit write clears the upper half, a narrower one leaves the rest
    /// alone.
    fn write(&mut self, name: Name, value: impl Into<Expression>) {
        let value = self.written(name, value.into());
        let register = self.register(name);
        self.t.assign(register, value);
    }

    /// Contents of the whole register after a write to a part of it.
    fn written(&mut self, name: Name, value: Expression) -> Expression {
        let register = self.register(name);
        let value = self.normal(name.bits, value);
        match name.bits {
            32.. => value,
            bits => {
                let rest = register & !(mask(bits) << name.from);
                match name.from {
                    0 => rest | value,
                    from => rest | (value << i64::from(from)),
                }
            }
        }
    }

    /// Place of an access, which checks the width when it is performed if the address does not tell the variable.
    fn place(&mut self, address: &Address, bits: u32) -> Place {
        Place::from(self.address(address)).of_width(bits)
    }

    /// Value of an address. The layout of variables is unspecified, so arithmetic on an address yields no other
    /// variable.
    fn address(&mut self, address: &Address) -> Expression {
        let variable = address.variable.as_ref();
        let variable = variable.map(|name| self.names.variable(name).location.address());
        let base = address.base.map(|base| self.part(base));
        let index = address.index.map(|(index, factor)| {
            let index = self.part(index);
            match factor {
                1 => index,
                _ => apply(Operator::Multiply, &index, factor),
            }
        });
        let offset = (address.offset != 0).then(|| Expression::from(address.offset as i64));
        let parts = [variable, base, index, offset].into_iter().flatten();
        let sum = parts.reduce(|sum, part| apply(Operator::AddNumbers, &sum, part));
        sum.unwrap_or_else(|| 0.into())
    }

    /// Value of an operand in normal form; a load comes first if it is in memory.
    fn value(&mut self, operand: &Operand, bits: u32) -> Expression {
        match operand {
            Operand::Register(name) => self.part(*name),
            Operand::Number(number) => self.normal(bits, *number as i64),
            Operand::Address(name) => {
                let address = self.names.variable(name).location.address();
                self.normal(bits, address)
            }
            Operand::Memory(address) => {
                let (place, into) = (self.place(address, bits), self.scratch[0]);
                self.t.load(into, place);
                self.normal(bits, into)
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, line: usize) -> Result<(), ReadError> {
        let resolved = |width: &Option<u32>| width.expect("every width is resolved");
        match instruction {
            Instruction::Nothing => (),
            Instruction::Fence => self.t.fence(Fence::Full),
            Instruction::Return => self.t.jump(self.end),
            Instruction::Move { width, to, from } => self.moves(resolved(width), to, from),
            Instruction::Extend {
                to,
                from,
                width,
                sign,
            } => {
                let bits = resolved(width);
                let value = self.value(from, bits);
                let value = match sign {
                    Sign::Signed => self.signed(bits, &value),
                    Sign::Unsigned => value,
                };
                self.write(*to, value);
            }
            Instruction::AddressOf { to, of } => {
                let value = self.address(of);
                self.write(*to, value);
            }
            Instruction::Exchange { width, to, from } => self.exchange(resolved(width), to, *from),
            Instruction::ExchangeAdd {
                lock,
                width,
                to,
                from,
            } => self.exchange_add(*lock, resolved(width), to, *from),
            Instruction::CompareExchange {
                lock,
                width,
                to,
                from,
            } => self.compare_exchange(*lock, resolved(width), to, *from),
            Instruction::Arithmetic {
                lock,
                operation,
                width,
                to,
                from,
            } => self.arithmetic(*lock, *operation, resolved(width), to, from),
            Instruction::Shift {
                shift,
                width,
                to,
                count,
            } => self.shift(*shift, resolved(width), to, *count),
            Instruction::Compare { width, left, right } => {
                let bits = resolved(width);
                // At most one of them is in memory, so one scratch register is enough.
                let (left, right) = (self.value(left, bits), self.value(right, bits));
                self.compared(bits, &left, &right);
            }
            Instruction::Test { width, left, right } => {
                let bits = resolved(width);
                let (left, right) = (self.value(left, bits), self.value(right, bits));
                let result = apply(Operator::And, &left, right.clone());
                self.computed(&Computed {
                    operation: Operation::And,
                    bits,
                    left: &left,
                    right: &right,
                    result: &result,
                });
            }
            Instruction::Set(condition, to) => {
                let value = self.condition(*condition);
                self.put(8, to, value);
            }
            Instruction::MoveIf {
                condition,
                width,
                to,
                from,
            } => {
                let condition = self.condition(*condition);
                let value = self.value(from, resolved(width));
                let old = self.part(*to);
                self.write(*to, condition.select(value, old));
            }
            Instruction::Jump(label) => {
                let label = self.label(label, line)?;
                self.t.jump(label);
            }
            Instruction::JumpIf(condition, label) => {
                let label = self.label(label, line)?;
                let stays = self.condition(Condition {
                    holds: !condition.holds,
                    ..*condition
                });
                self.t.branch_unless(stays, label);
            }
        }
        Ok(())
    }

    fn label(&self, name: &str, line: usize) -> Result<Label, ReadError> {
        let label = self.labels.get(name).copied();
        label.ok_or_else(|| Problem::NoLabel(name.to_owned()).on(line))
    }

    /// 1 if the condition holds, otherwise 0.
    fn condition(&mut self, condition: Condition) -> Expression {
        let mut flag = |flag| Expression::from(self.flag(flag));
        let relation = match condition.relation {
            Relation::Equal => flag(Flag::Zero),
            Relation::Negative => flag(Flag::Sign),
            Relation::Below => flag(Flag::Carry),
            Relation::Overflow => flag(Flag::Overflow),
            Relation::BelowOrEqual => flag(Flag::Carry) | flag(Flag::Zero),
            Relation::Less => flag(Flag::Sign).differs(flag(Flag::Overflow)),
            Relation::LessOrEqual => {
                flag(Flag::Zero) | flag(Flag::Sign).differs(flag(Flag::Overflow))
            }
        };
        if condition.holds {
            relation
        } else {
            relation.is_false()
        }
    }

    /// Sets a flag that is read later.
    fn set(&mut self, flag: Flag, value: impl FnOnce(&mut Self) -> Expression) {
        if self.read_later.has(flag) {
            let value = value(self);
            let register = self.flag(flag);
            self.t.assign(register, value);
        }
    }

    /// Sets the flags after a comparison.
    fn compared(&mut self, bits: u32, left: &Expression, right: &Expression) {
        let result = apply(Operator::SubtractNumbers, left, right.clone());
        let result = self.normal(bits, result);
        self.flags_but_zero(&Computed {
            operation: Operation::Subtract,
            bits,
            left,
            right,
            result: &result,
        });
        self.set(Flag::Zero, |_| left.clone().equals(right.clone()));
    }

    /// Sets the flags after an operation.
    fn computed(&mut self, of: &Computed<'_>) {
        self.flags_but_zero(of);
        self.set(Flag::Zero, |_| of.result.clone().equals(0));
    }

    fn flags_but_zero(&mut self, of: &Computed<'_>) {
        let (bits, left, right, result) = (of.bits, of.left, of.right, of.result);
        self.set(Flag::Sign, |this| this.is_negative(bits, result));
        match of.operation {
            Operation::Increment | Operation::Decrement => (),
            operation => self.set(Flag::Carry, |this| match operation {
                Operation::Add => this.is_below(bits, result, right),
                Operation::Subtract | Operation::Negate => this.is_below(bits, left, right),
                _ => 0.into(),
            }),
        }
        self.set(Flag::Overflow, |this| {
            let operands = match of.operation {
                Operation::Add | Operation::Increment => right,
                Operation::Subtract | Operation::Decrement | Operation::Negate => left,
                _ => return 0.into(),
            };
            // The sign of the result differs from those of the operands, which agree; those of a subtraction are the
            // result and what is subtracted.
            let other = match of.operation {
                Operation::Add | Operation::Increment => apply(Operator::Xor, left, result.clone()),
                _ => apply(Operator::Xor, left, right.clone()),
            };
            let both = apply(Operator::Xor, operands, result.clone()) & other;
            this.is_negative(bits, &both)
        });
    }

    fn moves(&mut self, bits: u32, to: &Operand, from: &Operand) {
        match (to, from) {
            (Operand::Register(to), Operand::Memory(from))
                if self.is_whole(bits) && self.is_held_alike(from) =>
            {
                let (place, into) = (self.place(from, bits), self.register(*to));
                self.t.load(into, place);
            }
            (Operand::Register(_) | Operand::Memory(_), _) => {
                let value = self.value(from, bits);
                self.put(bits, to, value);
            }
            (other, _) => unreachable!("{other:?} is no destination"),
        }
    }

    /// True if memory at `address` holds values of a whole register as the register does.
    fn is_held_alike(&self, address: &Address) -> bool {
        match &address.variable {
            _ if self.is_whole(64) => true,
            Some(name) => self.names.variable(name).integer.sign == Sign::Signed,
            None => false,
        }
    }

    /// Writes to a register or to memory.
    fn put(&mut self, bits: u32, to: &Operand, value: Expression) {
        match to {
            Operand::Register(to) => self.write(*to, value),
            Operand::Memory(to) => {
                let place = self.place(to, bits);
                self.t.store(place, value);
            }
            other => unreachable!("{other:?} is no destination"),
        }
    }

    fn exchange(&mut self, bits: u32, to: &Operand, from: Name) {
        let [old, _] = self.scratch;
        let value = self.part(from);
        match to {
            Operand::Memory(to) => {
                let place = self.place(to, bits);
                self.t.exchange(old, place, value);
                self.write(from, old);
            }
            Operand::Register(to) => {
                let other = self.part(*to);
                self.t.assign(old, value);
                self.write(from, other);
                self.write(*to, old);
            }
            other => unreachable!("{other:?} is no destination"),
        }
    }

    fn exchange_add(&mut self, lock: Lock, bits: u32, to: &Operand, from: Name) {
        let [old, result] = self.scratch;
        let value = self.part(from);
        match to {
            Operand::Memory(to) => {
                let place = self.place(to, bits);
                let read = self.normal(bits, old);
                let sum = self.normal(bits, apply(Operator::AddNumbers, &read, value.clone()));
                match lock {
                    Lock::Locked => {
                        let returned = Some((old, Returned::Old));
                        let update = Update::Fetch(Operator::AddNumbers, value.clone());
                        self.t.update(returned, place, update);
                        self.t.assign(result, sum);
                    }
                    Lock::Unlocked => {
                        self.t.load(old, place.clone());
                        self.t.assign(result, sum);
                        self.t.store(place, result);
                    }
                }
                self.added(bits, &read, &value, &result.into());
                self.write(from, old);
            }
            Operand::Register(to) => {
                let other = self.part(*to);
                self.t.assign(old, other.clone());
                let sum = self.normal(bits, apply(Operator::AddNumbers, &other, value.clone()));
                self.t.assign(result, sum);
                self.added(bits, &other, &value, &result.into());
                self.write(from, old);
                self.write(*to, result);
            }
            other => unreachable!("{other:?} is no destination"),
        }
    }

    fn added(&mut self, bits: u32, left: &Expression, right: &Expression, result: &Expression) {
        self.computed(&Computed {
            operation: Operation::Add,
            bits,
            left,
            right,
            result,
        });
    }

    fn arithmetic(
        &mut self,
        lock: Lock,
        operation: Operation,
        bits: u32,
        to: &Operand,
        from: &Operand,
    ) {
        let [old, result] = self.scratch;
        let operator = match operation {
            Operation::Add | Operation::Increment => Operator::AddNumbers,
            Operation::Subtract | Operation::Decrement | Operation::Negate => {
                Operator::SubtractNumbers
            }
            Operation::And => Operator::And,
            Operation::Or => Operator::Or,
            Operation::Xor | Operation::Not => Operator::Xor,
        };
        let (left, right) = match to {
            Operand::Register(name) => {
                // The difference of a register from itself is 0, even if it holds an address.
                let own = self.register(*name).into();
                let cancels = matches!(operation, Operation::Xor | Operation::Subtract);
                if cancels && to == from {
                    (own, Expression::from(self.register(*name)))
                } else {
                    (self.part(*name), self.value(from, bits))
                }
            }
            _ => (self.normal(bits, old), self.value(from, bits)),
        };
        let (left, right) = match operation {
            Operation::Negate => (0.into(), left),
            _ => (left, right),
        };
        let value = self.normal(bits, apply(operator, &left, right.clone()));
        match to {
            Operand::Register(name) => {
                self.t.assign(result, value);
                self.after(operation, bits, &left, &right);
                self.write(*name, result);
            }
            Operand::Memory(address) => {
                let place = self.place(address, bits);
                match lock {
                    Lock::Locked => {
                        let returned = Some((old, Returned::Old));
                        let update = Update::Fetch(operator, right.clone());
                        self.t.update(returned, place, update);
                        self.t.assign(result, value);
                    }
                    Lock::Unlocked => {
                        self.t.load(old, place.clone());
                        self.t.assign(result, value);
                        self.t.store(place, result);
                    }
                }
                self.after(operation, bits, &left, &right);
            }
            other => unreachable!("{other:?} is no destination"),
        }
    }

    /// Sets the flags after an arithmetic instruction, whose result is in the second scratch register.
    fn after(&mut self, operation: Operation, bits: u32, left: &Expression, right: &Expression) {
        if operation != Operation::Not {
            let [_, result] = self.scratch;
            self.computed(&Computed {
                operation,
                bits,
                left,
                right,
                result: &result.into(),
            });
        }
    }

    fn shift(&mut self, shift: Shift, bits: u32, to: &Operand, count: Count) {
        let [old, result] = self.scratch;
        let most = Count::most(Some(bits));
        let by = match count {
            Count::Number(_) => count.masked(Some(bits)).into(),
            Count::Register => self.part(self.names.architecture.count()) & most,
        };
        let value = match to {
            Operand::Register(name) => self.part(*name),
            _ => self.normal(bits, old),
        };
        let shifted = match shift {
            Shift::Left => apply(Operator::ShiftLeft, &value, by.clone()),
            Shift::Right => {
                let value = self.unsigned(bits, &value);
                apply(Operator::ShiftRightLogical, &value, by.clone())
            }
            Shift::Arithmetic => {
                let value = self.signed(bits, &value);
                apply(Operator::ShiftRight, &value, by.clone())
            }
        };
        let shifted = self.normal(bits, shifted);
        match to {
            Operand::Register(name) => {
                self.t.assign(result, shifted);
                self.shifted(shift, bits, &value, count, &by);
                self.write(*name, result);
            }
            Operand::Memory(address) => {
                let place = self.place(address, bits);
                self.t.load(old, place.clone());
                self.t.assign(result, shifted);
                self.t.store(place, result);
                self.shifted(shift, bits, &value, count, &by);
            }
            other => unreachable!("{other:?} is no destination"),
        }
    }

    /// Sets the flags after a shift of `value`, whose result is in the second scratch register.
    fn shifted(
        &mut self,
        shift: Shift,
        bits: u32,
        value: &Expression,
        count: Count,
        by: &Expression,
    ) {
        let result = Expression::from(self.scratch[1]);
        if count == Count::Register {
            // A count of 0 leaves the flags alone; the others are undefined for some counts.
            for flag in [Flag::Zero, Flag::Sign] {
                self.set(flag, |this| {
                    let new = match flag {
                        Flag::Zero => result.clone().equals(0),
                        _ => this.is_negative(bits, &result),
                    };
                    by.clone().select(new, this.flag(flag))
                });
            }
            return;
        }
        let count = count.masked(Some(bits));
        if count == 0 {
            return;
        }
        self.set(Flag::Zero, |_| result.clone().equals(0));
        self.set(Flag::Sign, |this| this.is_negative(bits, &result));
        // The bit that was moved out last.
        let carry = |this: &Self| {
            let (value, from) = match shift {
                Shift::Left => (value.clone(), i64::from(bits) - count),
                Shift::Right => (value.clone(), count - 1),
                Shift::Arithmetic => (this.signed(bits, value), count - 1),
            };
            apply(Operator::ShiftRight, &value, from) & 1
        };
        self.set(Flag::Carry, |this| carry(this));
        self.set(Flag::Overflow, |this| match shift {
            Shift::Left => this.is_negative(bits, &result).differs(carry(this)),
            Shift::Right => this.is_negative(bits, value),
            Shift::Arithmetic => 0.into(),
        });
    }

    fn compare_exchange(&mut self, lock: Lock, bits: u32, to: &Address, from: Name) {
        let [old, equal] = self.scratch;
        let accumulator = self.names.architecture.accumulator(bits);
        let (place, value) = (self.place(to, bits), self.part(from));
        let expected = self.part(accumulator);
        let read = self.normal(bits, old);
        let is_equal = expected.clone().equals(read.clone());
        match lock {
            Lock::Locked => {
                let returned = Some((old, Returned::Old));
                let expected = expected.clone();
                self.t.compare_and_swap(returned, place, expected, value);
                self.t.assign(equal, is_equal);
            }
            Lock::Unlocked => {
                self.t.load(old, place.clone());
                self.t.assign(equal, is_equal);
                self.t.when(equal, |t| t.store(place, value));
            }
        }
        self.compared(bits, &expected, &read);
        // On success the accumulator is not written to: the upper half of a 64-bit register stays.
        let register = self.register(accumulator);
        let written = self.written(accumulator, old.into());
        let kept = Expression::from(equal).select(register, written);
        self.t.assign(register, kept);
    }
}
