//! A refinement mapping as a table, grouped by the fields that decide each part of an image.
//!
//! Fields are those of states as reports show them; a state that shows none is one value.

use std::fmt::{self, Display};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde::Serialize;
use serde_json::Value;

use crate::state::numbered::Numbered;
use crate::statement::shown::json::is_marked;
use crate::statement::shown::value::compact;

/// States above which no table is made: it would take longer than the decision.
pub(super) const MOST_STATES: usize = 200_000;

/// Lines of a part that are shown.
const MOST_LINES: usize = 20;

/// A refinement mapping as a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Number of states of the implementation that have an image.
    pub states: u64,
    /// The parts of an image; none if there are too many states to say them.
    pub parts: Option<Vec<Part>>,
}

/// Part of an image, by the fields of the implementation's state that decide it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its path: `image.memory`.
    pub part: String,
    /// The fields that decide it, by their paths, as `state.memory`: none of them can be left out, and there are none if it is always the
    /// same.
    pub by: Vec<String>,
    /// One line a combination of their values that is reached; none if the part is a copy of the field.
    pub cases: Option<Vec<Case>>,
}

/// Line of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Case {
    /// Values of the fields.
    pub values: Vec<Value>,
    /// The value of the part.
    pub image: Value,
}

impl Table {
    /// The table of some states and their images, in the same order.
    pub(super) fn new(states: &[Value], images: &[Value]) -> Self {
        let mut grouping = Grouping::default();
        grouping.find_columns("state".to_owned(), &states.iter().collect::<Vec<_>>());
        if !images.is_empty() {
            grouping.find_parts("image".to_owned(), &images.iter().collect::<Vec<_>>());
        }
        Self {
            states: states.len() as u64,
            parts: Some(grouping.parts),
        }
    }
}

/// Field of the implementation's states: the number of its value in each.
struct Column {
    path: String,
    values: Vec<u32>,
    /// True if it has no fields that are columns.
    is_leaf: bool,
}

/// Table under construction.
#[derive(Default)]
struct Grouping {
    /// Values by number, as which they are compared.
    values: Numbered<Value>,
    columns: Vec<Column>,
    parts: Vec<Part>,
}

impl Grouping {
    fn numbers(&mut self, values: &[&Value]) -> Vec<u32> {
        let numbers = values.iter();
        numbers
            .map(|value| match self.values.find(*value) {
                Some(number) => number,
                None => self.values.number((*value).clone()),
            })
            .collect()
    }

    /// Notes the fields that all states have, each after those that have it.
    fn find_columns(&mut self, path: String, states: &[&Value]) {
        let fields = fields(states);
        let column = Column {
            path: path.clone(),
            values: self.numbers(states),
            is_leaf: fields.is_empty(),
        };
        self.columns.push(column);
        for (name, of_field) in fields {
            self.find_columns(format!("{path}{name}"), &of_field);
        }
    }

    /// Notes the parts of some images, as small as all have them, unless one is a constant or a copy before.
    fn find_parts(&mut self, path: String, images: &[&Value]) {
        let numbers = self.numbers(images);
        let is_constant = numbers.iter().all(|number| *number == numbers[0]);
        let copied = self.columns.iter().find(|column| column.values == numbers);
        let fields = fields(images);
        let (by, cases) = match copied {
            _ if is_constant => (Vec::new(), Some(self.cases(&numbers, &[]))),
            Some(column) => (vec![column.path.clone()], None),
            None if fields.is_empty() => {
                let by = deciding(&numbers, &self.columns);
                let paths = by.iter().map(|column| column.path.clone());
                (paths.collect(), Some(self.cases(&numbers, &by)))
            }
            None => {
                for (name, of_field) in fields {
                    self.find_parts(format!("{path}{name}"), &of_field);
                }
                return;
            }
        };
        let part = path;
        self.parts.push(Part { part, by, cases });
    }

    /// The value for each combination of the values of some fields, in the order of the states.
    fn cases(&self, images: &[u32], by: &[&Column]) -> Vec<Case> {
        let mut met = HashSet::new();
        let lines = images.iter().enumerate().map(|(row, image)| {
            let values: Vec<u32> = by.iter().map(|column| column.values[row]).collect();
            (values, *image)
        });
        let value = |number: u32| self.values.values()[number as usize].clone();
        let new = lines.filter(|line| met.insert(line.clone()));
        new.map(|(values, image)| Case {
            values: values.into_iter().map(value).collect(),
            image: value(image),
        })
        .collect()
    }
}

/// The fields or the items that some values have in common, by their ways: none if they differ in these.
fn fields<'v>(values: &[&'v Value]) -> Vec<(String, Vec<&'v Value>)> {
    let all: Vec<Vec<(String, &Value)>> = values.iter().copied().map(ways).collect();
    let names = |at: usize| all[at].iter().map(|(way, _)| way);
    if (1..all.len()).any(|at| !names(at).eq(names(0))) {
        return Vec::new();
    }
    let common = all.first().into_iter().flatten().enumerate();
    let of_all = |at: usize| all.iter().map(|ways| ways[at].1).collect();
    common
        .map(|(at, (way, _))| (way.clone(), of_all(at)))
        .collect()
}

/// The fields or the items of a value, by their ways.
fn ways(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(fields) if !is_marked(value) => fields
            .iter()
            .map(|(name, value)| (format!(".{name}"), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, value)| (format!("[{at}]"), value))
            .collect(),
        _ => Vec::new(),
    }
}

/// Columns that decide a value, none of which can be left out: one if one does.
fn deciding<'c>(values: &[u32], columns: &'c [Column]) -> Vec<&'c Column> {
    let decide = |chosen: &[&Column]| {
        let mut images = HashMap::new();
        values.iter().enumerate().all(|(row, value)| {
            let key: Vec<u32> = chosen.iter().map(|column| column.values[row]).collect();
            images.entry(key).or_insert(value) == &value
        })
    };
    let mut chosen: Vec<&Column> = columns.iter().filter(|column| column.is_leaf).collect();
    if let Some(one) = chosen.iter().find(|column| decide(&[**column])) {
        return vec![*one];
    }
    for at in (0..chosen.len()).rev() {
        let mut others = chosen.clone();
        others.remove(at);
        if decide(&others) {
            chosen = others;
        }
    }
    chosen
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parts {
            Some(parts) => parts.iter().try_for_each(|part| part.fmt(f)),
            None => f.write_str("too many states for a table\n"),
        }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, by, cases } = self;
        let by = by.join(", ");
        match cases.as_deref() {
            None => writeln!(f, "{part} = {by}"),
            Some([Case { values, image }]) if values.is_empty() => {
                writeln!(f, "{part} = {}", compact(image))
            }
            Some(cases) => {
                writeln!(f, "{part}, by {by}:")?;
                for Case { values, image } in cases.iter().take(MOST_LINES) {
                    let values: Vec<String> = values.iter().map(compact).collect();
                    writeln!(f, "    {} → {}", values.join(", "), compact(image))?;
                }
                match cases.len().checked_sub(MOST_LINES) {
                    Some(more) if more > 0 => writeln!(f, "    and {more} lines more"),
                    _ => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A constant, a copy, a part that one field decides, and one that takes two.
    #[test]
    fn parts_are_by_the_fields_that_decide_them() {
        let rows = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let states = rows.map(|(a, b)| json!({"a": a, "b": [b, 7], "s": "x"}));
        let images = rows.map(|(a, b)| json!({"k": 5, "b": [b, 7], "n": 1 - a, "x": a ^ b}));
        let told = "image.k = 5\nimage.b = state.b\nimage.n, by state.a:\n    0 → 1\n    1 → 0\n\
                    image.x, by state.a, state.b[0]:\n    0, 0 → 0\n    0, 1 → 1\n    1, 0 → 1\n    1, 1 → 0\n";
        assert_eq!(Table::new(&states, &images).to_string(), told);
    }

    /// Variants and lists of different forms, and states that show the same of which the images differ.
    #[test]
    fn what_has_no_fields_is_one_value() {
        let states = [json!({"on": {"n": 1}}), json!("off"), json!("off")];
        let images = [json!([1, 2]), json!([]), json!([3])];
        let told = "image, by state:\n    on(n=1) → [1 2]\n    off → []\n    off → [3]\n";
        assert_eq!(Table::new(&states, &images).to_string(), told);
        let none = Table::new(&[], &[]);
        assert_eq!((none.states, none.parts), (0, Some(Vec::new())));
    }
}
