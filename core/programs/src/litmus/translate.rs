//! Translation of a litmus test into a program and a condition.

use std::collections::BTreeSet;

use super::error::{Problem, ReadError};
use super::limits::BACKWARD_JUMPS;
use super::names::{Names, names};
use super::number::fit;
use super::parser::Source;
use super::proposition::{Condition, Equation, Literal, Observed, Proposition};
use super::test::{Column, ColumnSource, Test};
use super::thread::thread;
use crate::{ProgramBuilder, Value};

/// Translates a test.
pub(super) fn test(mut source: Source) -> Result<Test, ReadError> {
    let names = names(&mut source)?;
    let mut builder = ProgramBuilder::new(source.name.clone());
    builder.backward_jumps(BACKWARD_JUMPS);
    for (name, variable) in names.variables() {
        builder.typed_location(name.clone(), variable.initial, variable.integer);
    }

    // Printed columns come first, in the order in which they are printed.
    let shown = source.observed.iter().map(|shown| &shown.observed);
    let mut shown: BTreeSet<Observed> = shown.cloned().collect();
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
        |condition: &Condition| condition.resolve(&|equation| names.equation(&columns, equation));
    Ok(Test {
        condition: resolve(&source.condition)?,
        filter: source.filter.as_ref().map(resolve).transpose()?,
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

impl Names {
    fn column(&self, observed: Observed, kept: &[Vec<&'static str>]) -> Column {
        let source = match &observed {
            Observed::Register(thread, name) => {
                let position = kept[*thread].iter().position(|kept| kept == name);
                ColumnSource::Kept(*thread, position.expect("what is looked at is kept"))
            }
            Observed::Variable(name) => ColumnSource::Memory(self.variable(name).location),
        };
        Column {
            source,
            integer: self.integer(&observed),
            observed,
        }
    }

    fn equation(&self, columns: &[Column], equation: &Equation) -> Result<Proposition, ReadError> {
        let column = |observed: &Observed| {
            let position = columns
                .iter()
                .position(|column| column.observed == *observed);
            position.expect("what is asked for is looked at")
        };
        let left = column(&equation.left);
        let integer = columns[left].integer;
        match &equation.right {
            Literal::Of(right) => {
                let right = column(right);
                let bits = columns[right].integer.bits;
                if bits == integer.bits {
                    return Ok(Proposition::Same(left, right, integer));
                }
                Err(Problem::Compared {
                    left: columns[left].observed.to_string(),
                    left_bits: integer.bits,
                    right: columns[right].observed.to_string(),
                    right_bits: bits,
                }
                .on(equation.line))
            }
            Literal::Address(name) => {
                let address = Value::Address(self.variable(name).location);
                Ok(Proposition::Is(left, address))
            }
            Literal::Number(number) => {
                let number = fit(*number, integer.bits);
                let number = number.map_err(|problem| problem.on(equation.line))?;
                Ok(Proposition::Is(left, integer.keep(Value::Number(number))))
            }
        }
    }
}
