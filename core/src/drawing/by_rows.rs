//! Drawing by rows: of a state whose system does not say how it is drawn.

use serde_json::Value;

use super::{Drawing, Entry, Row, Shown};
use crate::report::value::compact;
use crate::state::{Drawn, DrawnField};

impl Drawing {
    /// The drawing of a state that is shown as `state`: a row for each member, with its elements of the fields that have one for each,
    /// and a row of the system with the other fields. None if it has no fields.
    pub(crate) fn by_rows(state: &Value, drawn: Drawn) -> Option<Self> {
        let Drawn::Fields(_) = drawn else {
            return None;
        };
        let mut rows = Rows {
            rows: vec![(String::new(), Vec::new())],
        };
        rows.add("", &[], state, (drawn, None));
        let rows = rows.rows.into_iter().map(named);
        Some(Self {
            nodes: Vec::new(),
            rows: rows.filter(|row| !row.entries.is_empty()).collect(),
            is_by_default: true,
        })
    }
}

/// Entry of a row, behind the way to its field.
type Located<'s> = (Vec<&'s str>, Shown);

/// Rows that are being made, that of the system first.
struct Rows<'s> {
    rows: Vec<(String, Vec<Located<'s>>)>,
}

impl<'s> Rows<'s> {
    /// Adds the value at `way` to a row: its fields, its elements to the rows of members, or itself.
    fn add(
        &mut self,
        row: &str,
        way: &[&'s str],
        value: &'s Value,
        (drawn, each): (Drawn, Option<&'static str>),
    ) {
        let texts = |elements: &[Value]| elements.iter().map(compact).collect();
        let shows = match (drawn, value) {
            (Drawn::Fields(fields), Value::Object(values)) => {
                for (name, value) in values {
                    let field = DrawnField::find(fields, name);
                    let drawn = field.map_or((Drawn::Whole, None), |one| (one.drawn, one.each));
                    self.add(row, &[way, &[name]].concat(), value, drawn);
                }
                return;
            }
            (Drawn::Queue(of) | Drawn::Array(of), Value::Array(elements)) => {
                let is_array = matches!(drawn, Drawn::Array(_));
                let each = each.or(is_array.then_some("")).filter(|_| row.is_empty());
                // Values without a name stand better side by side.
                let is_told = |kind: &&str| !kind.is_empty() || !matches!(of, Drawn::Whole);
                if let Some(kind) = each.filter(is_told) {
                    for (number, element) in elements.iter().enumerate() {
                        let row = match kind {
                            "" => format!("[{number}]"),
                            _ => format!("{kind} {number}"),
                        };
                        self.add(&row, way, element, (*of, None));
                    }
                    return;
                }
                Shown::Queue(texts(elements))
            }
            (Drawn::Set, Value::Array(elements)) => Shown::Set(texts(elements)),
            _ => Shown::Value(compact(value)),
        };
        let entry = (way.to_vec(), shows);
        match self.rows.iter_mut().find(|(name, _)| name == row) {
            Some((_, entries)) => entries.push(entry),
            None => self.rows.push((row.to_owned(), vec![entry])),
        }
    }
}

/// A row whose entries have the names of their fields, and the whole way where two fields have one name. What is named as its row is
/// needs no name: `threads` of `thread 0`.
fn named((name, located): (String, Vec<Located<'_>>)) -> Row {
    let last = |way: &[&str]| way.last().copied().unwrap_or_default().to_owned();
    let named = |(way, shows): &Located<'_>| {
        let short = last(way);
        let kind = name.split(' ').next().unwrap_or_default();
        let after_kind = short.strip_prefix(kind).filter(|_| !kind.is_empty());
        let is_its_name = matches!(after_kind, Some("" | "s" | "es"));
        let others = located.iter().filter(|(other, _)| last(other) == short);
        Entry {
            name: match others.count() {
                _ if is_its_name => String::new(),
                1 => short,
                _ => way.join("."),
            },
            shows: shows.clone(),
        }
    };
    Row {
        entries: located.iter().map(named).collect(),
        name: name.clone(),
    }
}
