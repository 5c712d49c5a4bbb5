//! Symbol table of a litmus test: variables and registers with their types and initial values.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Problem, ReadError};
use super::instruction::{Instruction, Width};
use super::limits::MOST_LOCATIONS;
use super::number::{fit, fits};
use super::operand::{Address, Operand};
use super::parser::{InitialTarget, Source};
use super::proposition::{Literal, Observed};
use super::register::Architecture;
use crate::{Integer, Location, Sign, Value};

/// Register of a thread, by its whole name.
type RegisterKey = (usize, &'static str);

/// Symbol table.
pub(super) struct Names {
    pub architecture: Architecture,
    /// Variables, in the order of names, which is that of locations.
    variables: BTreeMap<String, Variable>,
    registers: BTreeMap<RegisterKey, Held>,
    /// Widths of the variables whose addresses are taken.
    pointed: BTreeSet<u32>,
}

/// Variable.
#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub location: Location,
    pub integer: Integer,
    pub initial: Value,
}

/// Register of a thread: what it holds at first, and the type in which its final value is shown.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub initial: Value,
    pub integer: Integer,
}

/// Declarations of an item, in the initial state and in the list of locations.
#[derive(Default)]
struct Declared {
    integer: Option<Integer>,
    initial: Option<Literal>,
    line: usize,
}

impl Declared {
    /// Adds a type from another place.
    fn with_type(&mut self, integer: Option<Integer>, name: &str) -> Result<(), Problem> {
        if integer.is_some() && self.integer.is_some() && self.integer != integer {
            return Err(Problem::TwoTypes(name.to_owned()));
        }
        self.integer = self.integer.or(integer);
        Ok(())
    }

    /// Least width that the initial value needs.
    fn needs(&self, architecture: Architecture) -> Option<u32> {
        match &self.initial {
            Some(Literal::Address(_)) => Some(architecture.bits()),
            Some(Literal::Number(number)) if !fits(*number, 32) => Some(64),
            Some(Literal::Number(0..256)) | None => None,
            // A part of an int would not have this value.
            Some(_) => Some(32),
        }
    }
}

/// Items that the initial state and the list of locations name.
#[derive(Default)]
struct Declarations {
    variables: BTreeMap<String, Declared>,
    registers: BTreeMap<RegisterKey, Declared>,
}

impl Declarations {
    fn of(source: &Source) -> Result<Self, ReadError> {
        let mut all = Self::default();
        for item in &source.initial {
            let declared = Declared {
                integer: item.integer,
                initial: Some(item.value.clone()),
                line: item.line,
            };
            let (before, name) = match &item.target {
                InitialTarget::Variable(name) => {
                    (all.variables.insert(name.clone(), declared), name.clone())
                }
                InitialTarget::Register(thread, register) => {
                    if *thread >= source.threads.len() as u64 {
                        return Err(Problem::NoThread(*thread).on(item.line));
                    }
                    let key = (*thread as usize, register.whole);
                    (all.registers.insert(key, declared), key_name(key))
                }
            };
            if before.is_some() {
                return Err(Problem::Twice(name).on(item.line));
            }
        }
        for shown in &source.observed {
            let (declared, name) = match &shown.observed {
                Observed::Variable(name) => {
                    (all.variables.entry(name.clone()).or_default(), name.clone())
                }
                Observed::Register(thread, register) => {
                    let key = (*thread, *register);
                    (all.registers.entry(key).or_default(), key_name(key))
                }
            };
            declared
                .with_type(shown.integer, &name)
                .map_err(|problem| problem.on(shown.line))?;
            if declared.line == 0 {
                declared.line = shown.line;
            }
        }
        Ok(all)
    }
}

fn key_name(key: RegisterKey) -> String {
    format!("{}:{}", key.0, key.1)
}

/// Variables that occur, and those whose addresses are taken.
struct Mentioned {
    all: BTreeSet<String>,
    taken: BTreeSet<String>,
}

fn mentioned(source: &Source) -> Mentioned {
    let mut all = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for item in &source.initial {
        if let InitialTarget::Variable(name) = &item.target {
            all.insert(name.clone());
        }
        if let Literal::Address(name) = &item.value {
            taken.insert(name.clone());
        }
    }
    for cell in source.threads.iter().flatten() {
        let Some(instruction) = &cell.instruction else {
            continue;
        };
        let accessed = instruction.accesses().into_iter();
        all.extend(accessed.filter_map(|(address, _)| address.variable.clone()));
        taken.extend(instruction.taken().cloned());
    }
    let conditions = [Some(&source.condition), source.filter.as_ref()];
    for condition in conditions.into_iter().flatten() {
        let mut names = Vec::new();
        condition.visit(
            &mut |observed| {
                if let Observed::Variable(name) = observed {
                    names.push(name.clone());
                }
            },
            &mut |_| (),
        );
        condition.visit(&mut |_| (), &mut |literal| {
            if let Literal::Address(name) = literal {
                names.push(name.clone());
            }
        });
        all.extend(names);
    }
    for shown in &source.observed {
        if let Observed::Variable(name) = &shown.observed {
            all.insert(name.clone());
        }
    }
    all.extend(taken.iter().cloned());
    Mentioned { all, taken }
}

/// Collects the names of a test with their types, and gives every access its width.
///
/// A variable without a type has the width of the accesses to it, and is an `int` if there are none. A register
/// without one is an `int`, and has 64 bits if it is used with them.
pub(super) fn names(source: &mut Source) -> Result<Names, ReadError> {
    let architecture = source.architecture;
    let declarations = Declarations::of(source)?;
    let Mentioned { all, taken } = mentioned(source);
    // Checked before numbering, since a text can contain more names than there are numbers.
    if all.len() > MOST_LOCATIONS {
        return Err(Problem::TooMany {
            what: "locations",
            most: MOST_LOCATIONS,
        }
        .on(source.tail_line));
    }
    let locations: BTreeMap<String, Location> = all
        .into_iter()
        .zip(0..)
        .map(|(name, number)| (name, Location(number)))
        .collect();
    let accesses = accesses(source);
    let mut variables = BTreeMap::new();
    for (name, location) in &locations {
        let declared = declarations.variables.get(name);
        let integer = declared.and_then(|declared| declared.integer);
        let integer = integer.unwrap_or_else(|| {
            let needs = declared.and_then(|declared| declared.needs(architecture));
            let reached = accesses
                .iter()
                .filter(|(address, _)| match &address.variable {
                    Some(accessed) => accessed == name,
                    None => taken.contains(name),
                });
            untyped(needs, reached.filter_map(|(_, width)| *width))
        });
        let initial = match declared {
            None => Value::default(),
            Some(declared) => {
                let value = initial(declared, integer, &locations)
                    .map_err(|problem| problem.on(declared.line))?;
                integer.keep(value)
            }
        };
        let variable = Variable {
            location: *location,
            integer,
            initial,
        };
        variables.insert(name.clone(), variable);
    }
    let pointed = taken.iter().map(|name| variables[name].integer.bits);
    let mut names = Names {
        architecture,
        pointed: pointed.collect(),
        variables,
        registers: BTreeMap::new(),
    };
    names.resolve(source)?;
    names.registers = registers(source, &declarations, &locations)?;
    Ok(names)
}

/// Accesses to memory, with the widths that instructions tell.
fn accesses(source: &Source) -> Vec<(Address, Width)> {
    let cells = source.threads.iter().flatten();
    let instructions = cells.filter_map(|cell| cell.instruction.as_ref());
    let accesses = instructions.flat_map(|instruction| instruction.accesses());
    accesses
        .map(|(address, width)| (address.clone(), width))
        .collect()
}

/// Type of a variable without one: that of its accesses, of which the widest decides.
fn untyped(needs: Option<u32>, accesses: impl Iterator<Item = u32>) -> Integer {
    match needs.into_iter().chain(accesses).max() {
        // Narrower accesses leave the higher bits of an int alone, which are 0.
        Some(bits @ (8 | 16)) => Integer {
            bits,
            sign: Sign::Unsigned,
        },
        Some(bits) => Integer {
            bits,
            sign: Sign::Signed,
        },
        None => Integer::I32,
    }
}

/// Initial value of an item of type `integer`.
fn initial(
    declared: &Declared,
    integer: Integer,
    locations: &BTreeMap<String, Location>,
) -> Result<Value, Problem> {
    Ok(match &declared.initial {
        None => Value::default(),
        Some(Literal::Address(name)) => Value::Address(locations[name]),
        Some(Literal::Number(number)) => Value::Number(fit(*number, integer.bits)?),
        Some(Literal::Of(_)) => unreachable!("no initial value is that of something else"),
    })
}

/// Registers that occur, with their types.
fn registers(
    source: &Source,
    declarations: &Declarations,
    locations: &BTreeMap<String, Location>,
) -> Result<BTreeMap<RegisterKey, Held>, ReadError> {
    let architecture = source.architecture;
    // Greatest widths with which registers are used.
    let mut used: BTreeMap<RegisterKey, u32> = BTreeMap::new();
    for (thread, cells) in source.threads.iter().enumerate() {
        let instructions = cells.iter().filter_map(|cell| cell.instruction.as_ref());
        for name in instructions.flat_map(|instruction| instruction.registers(architecture)) {
            let widest = used.entry((thread, name.whole)).or_default();
            *widest = name.bits.max(*widest);
        }
    }
    let keys: BTreeSet<_> = used
        .keys()
        .chain(declarations.registers.keys())
        .copied()
        .collect();
    let mut registers = BTreeMap::new();
    for key in keys {
        let used = used.get(&key).copied().unwrap_or_default();
        let unknown = Declared::default();
        let declared = declarations.registers.get(&key).unwrap_or(&unknown);
        let integer = declared.integer.unwrap_or_else(|| {
            let needs = declared.needs(architecture).unwrap_or(32);
            let bits = used.max(needs).min(architecture.bits());
            let sign = Sign::Signed;
            Integer { bits, sign }
        });
        let on = |problem: Problem| problem.on(declared.line);
        let wrong = match integer.bits {
            bits if bits > architecture.bits() => Some(architecture.bits()),
            bits if bits < used => Some(used),
            _ => None,
        };
        if let Some(used) = wrong {
            return Err(on(Problem::RegisterType {
                register: key_name(key),
                bits: integer.bits,
                used,
            }));
        }
        let value = initial(declared, integer, locations).map_err(on)?;
        let initial = architecture.word().keep(integer.keep(value));
        registers.insert(key, Held { initial, integer });
    }
    Ok(registers)
}

impl Names {
    /// Variable of this name, which occurs in the test.
    pub fn variable(&self, name: &str) -> Variable {
        self.variables[name]
    }

    /// Names of all variables with the variables, in the order of locations.
    pub fn variables(&self) -> impl Iterator<Item = (&String, &Variable)> {
        self.variables.iter()
    }

    /// Register of a thread.
    pub fn register(&self, thread: usize, name: &'static str) -> Held {
        let known = self.registers.get(&(thread, name)).copied();
        known.unwrap_or(Held {
            initial: Value::default(),
            integer: Integer::I32,
        })
    }

    /// Type of what is observed.
    pub fn integer(&self, observed: &Observed) -> Integer {
        match observed {
            Observed::Register(thread, name) => self.register(*thread, name).integer,
            Observed::Variable(name) => self.variable(name).integer,
        }
    }

    /// Gives every instruction its width, and checks numbers and accesses against it.
    fn resolve(&self, source: &mut Source) -> Result<(), ReadError> {
        for cell in source.threads.iter_mut().flatten() {
            let Some(instruction) = &mut cell.instruction else {
                continue;
            };
            let on = |problem: Problem| problem.on(cell.line);
            if let Some((address, None)) = instruction.accesses().first() {
                let bits = self.width_at(address).map_err(on)?;
                instruction.resolve(bits);
            }
            for (operand, width) in instruction.operands() {
                if let (Operand::Number(number), Some(bits)) = (operand, width) {
                    fit(*number, bits).map_err(on)?;
                }
            }
            if let Instruction::AddressOf { of, .. } = instruction
                && of.variable.is_some()
            {
                is_at_a_variable(of).map_err(on)?;
            }
            for (address, width) in instruction.accesses() {
                let bits = width.expect("every access has a width now");
                self.check(address, bits).map_err(on)?;
            }
        }
        Ok(())
    }

    /// Width of what is at an address.
    fn width_at(&self, address: &Address) -> Result<u32, Problem> {
        if let Some(name) = &address.variable {
            return Ok(self.variable(name).integer.bits);
        }
        let mut widths = self.pointed.iter();
        match (widths.next(), widths.next()) {
            (None, _) => Ok(32),
            (Some(bits), None) => Ok(*bits),
            (Some(_), Some(_)) => Err(Problem::PointerTypes),
        }
    }

    /// Checks that an access is to one whole variable, as far as the address tells. An access through a register
    /// checks the rest when it is performed.
    fn check(&self, address: &Address, bits: u32) -> Result<(), Problem> {
        is_at_a_variable(address)?;
        let Some(name) = &address.variable else {
            return if self.pointed.is_empty() || self.pointed.contains(&bits) {
                Ok(())
            } else {
                Err(Problem::PointerAccess { bits })
            };
        };
        let variable_bits = self.variable(name).integer.bits;
        if variable_bits == bits {
            return Ok(());
        }
        Err(Problem::Access {
            variable: name.clone(),
            variable_bits,
            bits,
        })
    }
}

/// Checks that no bytes lie between the address and a variable.
fn is_at_a_variable(address: &Address) -> Result<(), Problem> {
    match address.offset {
        0 => Ok(()),
        offset => Err(Problem::Offset(offset.to_string())),
    }
}
