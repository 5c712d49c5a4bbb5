//! Translation of a litmus test into a program and a condition.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Problem, ReadError};
use super::instruction::{Cell, Instruction, Lock, Operand};
use super::limits::{BACKWARD_JUMPS, MOST_LOCATIONS};
use super::parser::{InitialTarget, Source};
use super::proposition::{Condition, Literal, Observed, Proposition};
use super::register::{Architecture, Name};
use super::test::{Column, ColumnSource, Test};
use crate::{
    Afterwards, Expression, Fence, Integer, Label, Location, Operator, Place, ProgramBuilder,
    Register, Returned, Sign, ThreadBuilder, Update, Value,
};

/// Symbol table of a test.
struct Names {
    architecture: Architecture,
    variables: BTreeMap<String, (Location, Integer)>,
    registers: BTreeMap<(usize, &'static str), (Value, Integer)>,
    /// Common type of everything that a pointer may point to, if there is one.
    pointed: Option<Integer>,
}

/// Translates a test.
pub(super) fn test(source: Source) -> Result<Test, ReadError> {
    let mut builder = ProgramBuilder::new(source.name.clone());
    builder.backward_jumps(BACKWARD_JUMPS);
    let names = names(&source, &mut builder)?;

    // Printed columns come first, in the order in which they are printed.
    let mut shown: BTreeSet<Observed> = source.observed.iter().cloned().collect();
    let observe = |condition: &Condition, into: &mut BTreeSet<Observed>| {
        condition.visit(
            &mut |observed| {
                into.insert(observed.clone());
            },
            &mut |_| (),
        );
    };
    observe(&source.condition, &mut shown);
    let mut hidden = BTreeSet::new();
    if let Some(filter) = &source.filter {
        observe(filter, &mut hidden);
    }
    let columns: Vec<Observed> = shown
        .iter()
        .chain(hidden.difference(&shown))
        .cloned()
        .collect();

    let mut kept = Vec::new();
    for (number, cells) in source.threads.iter().enumerate() {
        let observed = columns.iter().filter_map(|column| match column {
            Observed::Register(thread, name) if *thread == number => Some(*name),
            _ => None,
        });
        let observed: BTreeSet<_> = observed.collect();
        let mut result = Ok(());
        builder.thread(format!("P{number}"), |t| {
            result = thread(&names, number, &observed, cells, t);
        });
        result?;
        kept.push(observed.into_iter().collect::<Vec<_>>());
    }
    let columns = columns
        .into_iter()
        .map(|observed| names.column(observed, &kept));
    let columns: Vec<_> = columns.collect();
    let resolve =
        |condition: &Condition| condition.resolve(&|left, right| names.atom(&columns, left, right));
    Ok(Test {
        condition: resolve(&source.condition),
        filter: source.filter.as_ref().map(resolve),
        program: builder
            .build()
            .map_err(|error| Problem::from(error).on(source.tail_line))?,
        name: source.name,
        quantifier: source.quantifier,
        condition_text: source.condition_text,
        shown: shown.len(),
        columns,
    })
}

/// Declares every variable that occurs, in the order of names, and collects the initial values of registers.
fn names(source: &Source, builder: &mut ProgramBuilder) -> Result<Names, ReadError> {
    let mut mentioned = BTreeSet::new();
    let mut mention = |literal: &Literal| {
        if let Literal::Address(name) = literal {
            mentioned.insert(name.clone());
        }
    };
    for item in &source.initial {
        mention(&item.value);
    }
    for condition in [Some(&source.condition), source.filter.as_ref()]
        .into_iter()
        .flatten()
    {
        condition.visit(&mut |_| (), &mut mention);
    }
    let mut observed = |observed: &Observed| {
        if let Observed::Variable(name) = observed {
            mentioned.insert(name.clone());
        }
    };
    source.observed.iter().for_each(&mut observed);
    for condition in [Some(&source.condition), source.filter.as_ref()]
        .into_iter()
        .flatten()
    {
        condition.visit(&mut observed, &mut |_| ());
    }
    for cell in source.threads.iter().flatten() {
        for operand in cell.operands() {
            if let Operand::Variable(name) | Operand::Address(name) = operand {
                mentioned.insert(name.clone());
            }
        }
    }
    for item in &source.initial {
        if let InitialTarget::Variable(name) = &item.target {
            mentioned.insert(name.clone());
        }
    }
    // Checked before numbering, since a text can contain more names than there are numbers.
    if mentioned.len() > MOST_LOCATIONS {
        return Err(Problem::TooMany {
            what: "locations",
            most: MOST_LOCATIONS,
        }
        .on(source.tail_line));
    }
    // Locations first, since their addresses are values.
    let locations: BTreeMap<String, Location> = mentioned
        .into_iter()
        .zip(0..)
        .map(|(name, number)| (name, Location(number)))
        .collect();
    let value = |literal: &Literal| match literal {
        Literal::Address(name) => Value::Address(locations[name]),
        Literal::Number(number) => Value::Number(*number),
        Literal::Of(_) => unreachable!("no initial value is that of something else"),
    };
    let mut initial: BTreeMap<&str, (Value, Integer)> = BTreeMap::new();
    let mut registers = BTreeMap::new();
    for item in &source.initial {
        let integer = item.integer.unwrap_or(Integer::I32);
        let value = integer.keep(value(&item.value));
        let twice = match &item.target {
            InitialTarget::Variable(name) => {
                initial.insert(name, (value, integer)).map(|_| name.clone())
            }
            InitialTarget::Register(thread, register) => {
                if *thread >= source.threads.len() as u64 {
                    return Err(Problem::NoThread(*thread).on(item.line));
                }
                registers
                    .insert((*thread as usize, register.whole), (value, integer))
                    .map(|_| format!("{thread}:{}", register.whole))
            }
        };
        if let Some(name) = twice {
            return Err(Problem::Twice(name).on(item.line));
        }
    }
    let mut variables = BTreeMap::new();
    for (name, location) in &locations {
        let known = initial.get(&**name).copied();
        let (value, integer) = known.unwrap_or((Value::default(), Integer::I32));
        builder.typed_location(name.clone(), value, integer);
        variables.insert(name.clone(), (*location, integer));
    }
    // Arithmetic on an address yields no other variable, so a pointer holds one of the given addresses.
    let given = source.initial.iter().filter_map(|item| match &item.value {
        Literal::Address(name) => Some(name),
        _ => None,
    });
    let operands = source.threads.iter().flatten().flat_map(Cell::operands);
    let taken = operands.filter_map(|operand| match operand {
        Operand::Address(name) => Some(name),
        _ => None,
    });
    let mut pointed = given.chain(taken).map(|name| variables[name].1);
    let first = pointed.next().unwrap_or(Integer::I32);
    let pointed = pointed.all(|integer| integer == first).then_some(first);
    Ok(Names {
        pointed,
        architecture: source.architecture,
        variables,
        registers,
    })
}

impl Names {
    fn register(&self, thread: usize, name: &'static str) -> (Value, Integer) {
        let known = self.registers.get(&(thread, name)).copied();
        known.unwrap_or((Value::default(), Integer::I32))
    }

    fn column(&self, observed: Observed, kept: &[Vec<&'static str>]) -> Column {
        match &observed {
            Observed::Register(thread, name) => {
                let position = kept[*thread].iter().position(|kept| kept == name);
                Column {
                    source: ColumnSource::Kept(
                        *thread,
                        position.expect("what is looked at is kept"),
                    ),
                    integer: self.register(*thread, name).1,
                    observed,
                }
            }
            Observed::Variable(name) => {
                let (location, integer) = self.variables[name];
                Column {
                    source: ColumnSource::Memory(location),
                    integer,
                    observed,
                }
            }
        }
    }

    fn atom(&self, columns: &[Column], left: &Observed, right: &Literal) -> Proposition {
        let column = |observed: &Observed| {
            let position = columns
                .iter()
                .position(|column| column.observed == *observed);
            position.expect("what is asked for is looked at")
        };
        let left = column(left);
        match right {
            Literal::Of(right) => Proposition::Same(left, column(right)),
            Literal::Address(name) => Proposition::Is(left, Value::Address(self.variables[name].0)),
            Literal::Number(number) => {
                Proposition::Is(left, columns[left].integer.keep(Value::Number(*number)))
            }
        }
    }
}

impl Cell {
    fn operands(&self) -> Vec<&Operand> {
        match &self.instruction {
            Some(
                Instruction::Move(a, b)
                | Instruction::Exchange(a, b)
                | Instruction::Arithmetic(_, _, a, b)
                | Instruction::CompareExchange(_, a, b)
                | Instruction::Compare(a, b),
            ) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

fn thread(
    names: &Names,
    number: usize,
    observed: &BTreeSet<&'static str>,
    cells: &[Cell],
    builder: &mut ThreadBuilder<'_>,
) -> Result<(), ReadError> {
    let mut registers = BTreeMap::new();
    // Kept registers come first, in the order of the columns.
    for name in observed {
        let (value, _) = names.register(number, name);
        let register = builder.register_with(*name, value, Afterwards::Kept);
        registers.insert(*name, register);
    }
    let mut labels = BTreeMap::new();
    for cell in cells {
        for name in &cell.labels {
            if labels.insert(name.as_str(), builder.label()).is_some() {
                return Err(Problem::Twice(format!("the label {name:?}")).on(cell.line));
            }
        }
    }
    let zero = builder.register("zero flag");
    let mut translator = Translator {
        names,
        thread: number,
        registers,
        labels,
        zero,
        scratch: [builder.register("value read"), builder.register("result")],
        t: builder,
    };
    for cell in cells {
        for label in &cell.labels {
            let label = translator.labels[label.as_str()];
            translator.t.place(label);
        }
        if let Some(instruction) = &cell.instruction {
            translator.instruction(instruction, cell.line)?;
        }
    }
    Ok(())
}

struct Translator<'a, 'b, 'c> {
    names: &'a Names,
    thread: usize,
    registers: BTreeMap<&'static str, Register>,
    labels: BTreeMap<&'a str, Label>,
    /// Zero flag: whether the last result was zero.
    zero: Register,
    scratch: [Register; 2],
    t: &'b mut ThreadBuilder<'c>,
}

impl Translator<'_, '_, '_> {
    fn register(&mut self, name: Name) -> Register {
        if let Some(register) = self.registers.get(name.whole) {
            return *register;
        }
        let (value, _) = self.names.register(self.thread, name.whole);
        let register = self
            .t
            .register_with(name.whole, value, Afterwards::Forgotten);
        self.registers.insert(name.whole, register);
        register
    }

    fn integer(&self, name: Name) -> Integer {
        self.names.register(self.thread, name.whole).1
    }

    /// Value of a register, or of a part of it.
    fn part(&mut self, name: Name) -> Expression {
        let (register, integer) = (self.register(name), self.integer(name));
        match name.bits < integer.bits {
            true => Expression::from(register).keep(Integer {
                bits: name.bits,
                sign: Sign::Signed,
            }),
            false => register.into(),
        }
    }

    /// Writes to a register, or to a part of it: a 32-bit write clears the upper half, a narrower one leaves it.
    fn write(&mut self, name: Name, value: impl Into<Expression>) {
        let value = value.into();
        let (register, integer) = (self.register(name), self.integer(name));
        let value = match name.bits {
            32 if integer.bits > 32 => value.keep(Integer {
                bits: 32,
                sign: Sign::Unsigned,
            }),
            32.. => value,
            bits => {
                let mask = (1_i64 << bits) - 1;
                (Expression::from(register) & !mask) | (value & mask)
            }
        };
        self.t.assign(register, value.keep(integer));
    }

    fn place(&mut self, operand: &Operand) -> Place {
        match operand {
            Operand::Variable(name) => self.names.variables[name].0.into(),
            Operand::Pointed(name) => self.register(*name).into(),
            other => unreachable!("{other:?} is not in memory"),
        }
    }

    /// Value of an operand; a load comes first if it is in memory.
    fn value(&mut self, operand: &Operand) -> Expression {
        match operand {
            Operand::Register(name) => self.part(*name),
            Operand::Number(number) => (*number).into(),
            Operand::Address(name) => self.names.variables[name].0.address(),
            Operand::Variable(_) | Operand::Pointed(_) => {
                let (place, into) = (self.place(operand), self.scratch[0]);
                self.t.load(into, place);
                into.into()
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, line: usize) -> Result<(), ReadError> {
        match instruction {
            Instruction::Nothing => (),
            Instruction::Fence => self.t.fence(Fence::Full),
            Instruction::Move(to, from) => self.moves(to, from),
            Instruction::Exchange(to, Operand::Register(from)) => self.exchange(to, *from),
            Instruction::Exchange(_, other) => unreachable!("{other:?} is not a register"),
            Instruction::Arithmetic(lock, operator, to, from) => {
                self.arithmetic(*lock, *operator, to, from, line)?;
            }
            Instruction::CompareExchange(lock, to, Operand::Register(from)) => {
                self.compare_exchange(*lock, to, *from, line)?;
            }
            Instruction::CompareExchange(_, _, other) => {
                unreachable!("{other:?} is not a register")
            }
            Instruction::Compare(left, right) => {
                let integer = self.compared(left, right, line)?;
                // At most one of them is in memory, so one scratch register is enough.
                let (left, right) = (self.value(left), self.value(right));
                let equal = left.keep(integer).equals(right.keep(integer));
                self.t.assign(self.zero, equal);
            }
            Instruction::Jump(label) => {
                let label = self.label(label, line)?;
                self.t.jump(label);
            }
            Instruction::JumpIf(zero, label) => {
                let label = self.label(label, line)?;
                let stays = match zero {
                    true => self.zero.is_false(),
                    false => self.zero.into(),
                };
                self.t.branch_unless(stays, label);
            }
        }
        Ok(())
    }

    fn label(&self, name: &str, line: usize) -> Result<Label, ReadError> {
        let label = self.labels.get(name).copied();
        label.ok_or_else(|| Problem::NoLabel(name.to_owned()).on(line))
    }

    fn moves(&mut self, to: &Operand, from: &Operand) {
        match to {
            Operand::Register(to) if from.is_memory() && to.bits >= self.integer(*to).bits => {
                let (place, into) = (self.place(from), self.register(*to));
                self.t.load(into, place);
                let integer = self.integer(*to);
                if self.known(from) != Some(integer) {
                    self.t.assign(into, Expression::from(into).keep(integer));
                }
            }
            Operand::Register(to) => {
                let value = self.value(from);
                self.write(*to, value);
            }
            _ => {
                let (place, value) = (self.place(to), self.value(from));
                self.t.store(place, value);
            }
        }
    }

    /// Type of a comparison: that of the narrower register, or of the memory operand.
    fn compared(&self, left: &Operand, right: &Operand, line: usize) -> Result<Integer, ReadError> {
        let integer = |operand: &Operand| -> Result<Integer, ReadError> {
            Ok(match operand {
                Operand::Register(name) if name.bits < self.integer(*name).bits => Integer {
                    bits: name.bits,
                    sign: Sign::Signed,
                },
                Operand::Register(name) => self.integer(*name),
                operand if operand.is_memory() => self.stored(operand, line)?,
                _ => Integer::I64,
            })
        };
        let (left, right) = (integer(left)?, integer(right)?);
        Ok(match right.bits < left.bits {
            true => right,
            false => left,
        })
    }

    /// Type of a memory operand, if it is known.
    fn known(&self, operand: &Operand) -> Option<Integer> {
        match operand {
            Operand::Variable(name) => Some(self.names.variables[name].1),
            _ => self.names.pointed,
        }
    }

    /// Type of a memory operand whose value decides the flags.
    fn stored(&self, operand: &Operand, line: usize) -> Result<Integer, ReadError> {
        let known = self.known(operand);
        known.ok_or_else(|| Problem::PointerTypes.on(line))
    }

    fn exchange(&mut self, to: &Operand, from: Name) {
        let [old, _] = self.scratch;
        let value = self.part(from);
        match to {
            Operand::Register(to) => {
                let other = self.part(*to);
                self.t.assign(old, value);
                self.write(from, other);
                self.write(*to, old);
            }
            _ => {
                let place = self.place(to);
                self.t.exchange(old, place, value);
                self.write(from, old);
            }
        }
    }

    fn arithmetic(
        &mut self,
        lock: Lock,
        operator: Operator,
        to: &Operand,
        from: &Operand,
        line: usize,
    ) -> Result<(), ReadError> {
        let [old, result] = self.scratch;
        if let Operand::Register(to) = to {
            let left = self.part(*to);
            let right = self.value(from);
            self.write(*to, Expression::of(operator, left, right));
            let written = self.part(*to);
            self.t.assign(self.zero, written.equals(0));
            return Ok(());
        }
        let (place, value) = (self.place(to), self.value(from));
        let integer = self.stored(to, line)?;
        match lock {
            Lock::Locked => {
                let returned = Some((old, Returned::Old));
                let update = Update::Fetch(operator, value.clone());
                self.t.update(returned, place, update);
                self.t.assign(result, Expression::of(operator, old, value));
            }
            Lock::Unlocked => {
                self.t.load(old, place.clone());
                self.t.assign(result, Expression::of(operator, old, value));
                self.t.store(place, result);
            }
        }
        // The location truncates the stored value; the flag is that of the truncated value.
        let left = Expression::from(result).keep(integer);
        self.t.assign(self.zero, left.equals(0));
        Ok(())
    }

    fn compare_exchange(
        &mut self,
        lock: Lock,
        to: &Operand,
        from: Name,
        line: usize,
    ) -> Result<(), ReadError> {
        let [old, _] = self.scratch;
        let accumulator = Name {
            whole: self.names.architecture.accumulator(),
            bits: from.bits,
        };
        let (place, value) = (self.place(to), self.part(from));
        let expected = self.part(accumulator).keep(self.stored(to, line)?);
        match lock {
            Lock::Locked => {
                let returned = Some((old, Returned::Old));
                self.t
                    .compare_and_swap(returned, place, expected.clone(), value);
                self.t.assign(self.zero, expected.equals(old));
            }
            Lock::Unlocked => {
                self.t.load(old, place.clone());
                self.t.assign(self.zero, expected.equals(old));
                self.t.when(self.zero, |t| t.store(place, value));
            }
        }
        // On success the accumulator already holds the value that was read.
        self.write(accumulator, old);
        Ok(())
    }
}
