//! Drawing by rows: of a state whose system does not say how it is drawn.

use serde_json::Value;

use super::{Drawing, Entry, Row, Shown};
use crate::state::{Drawn, DrawnField};
use crate::statement::shown::value::compact;

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
        rows.add("", &[], state, drawn, None);
        Some(rows.drawn())
    }

    /// The drawing of what members share, and of members, each with a row of its own that has its number.
    pub(crate) fn of_members(
        shared: &Value,
        drawn: Drawn,
        one: &str,
        members: &[Value],
        each_drawn: Drawn,
    ) -> Self {
        let mut rows = Rows {
            rows: vec![(String::new(), Vec::new())],
        };
        if !shared.is_null() {
            rows.add("", &[], shared, drawn, None);
        }
        for (number, member) in members.iter().enumerate() {
            rows.add(&format!("{one} {number}"), &[], member, each_drawn, None);
        }
        rows.drawn()
    }
}

/// Content of a row's entry, and the names of the fields on the way to it.
struct Located<'s> {
    way: Vec<&'s str>,
    shows: Shown,
}

impl Located<'_> {
    /// The name of its field.
    fn field(&self) -> &str {
        self.way.last().copied().unwrap_or_default()
    }
}

/// Rows that are being made, each with its name, that of the system first.
struct Rows<'s> {
    rows: Vec<(String, Vec<Located<'s>>)>,
}

impl<'s> Rows<'s> {
    fn drawn(self) -> Drawing {
        let rows = self.rows.into_iter();
        let rows = rows.map(|(name, located)| named(name, &located));
        Drawing {
            nodes: Vec::new(),
            rows: rows.filter(|row| !row.entries.is_empty()).collect(),
            is_by_default: true,
        }
    }

    /// Adds the value at `way` to a row: its fields, its elements to the rows of members, or itself.
    fn add(
        &mut self,
        row: &str,
        way: &[&'s str],
        value: &'s Value,
        drawn: Drawn,
        each: Option<&'static str>,
    ) {
        let texts = |elements: &[Value]| elements.iter().map(compact).collect();
        let shows = match (drawn, value) {
            (Drawn::Fields(fields), Value::Object(values)) => {
                for (name, value) in values {
                    let field = DrawnField::find(fields, name);
                    let drawn = field.map_or(Drawn::Whole, |field| field.drawn);
                    let each = field.and_then(|field| field.each);
                    self.add(row, &[way, &[name]].concat(), value, drawn, each);
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
                        self.add(&row, way, element, *of, None);
                    }
                    return;
                }
                Shown::Queue(texts(elements))
            }
            (Drawn::Set, Value::Array(elements)) => Shown::Set(texts(elements)),
            _ => Shown::Value(compact(value)),
        };
        let entry = Located {
            way: way.to_vec(),
            shows,
        };
        match self.rows.iter_mut().find(|(name, _)| name == row) {
            Some((_, entries)) => entries.push(entry),
            None => self.rows.push((row.to_owned(), vec![entry])),
        }
    }
}

/// A row whose entries have the names of their fields, and the whole way where two fields have one name. What is named as its row is
/// needs no name: `threads` of `thread 0`.
fn named(name: String, located: &[Located<'_>]) -> Row {
    let kind = name.split(' ').next().unwrap_or_default();
    let entries = located.iter().map(|one| {
        let field = one.field();
        let after_kind = field.strip_prefix(kind).filter(|_| !kind.is_empty());
        let others = located.iter().filter(|other| other.field() == field);
        let name = if matches!(after_kind, Some("" | "s" | "es")) {
            String::new()
        } else if others.count() == 1 {
            field.to_owned()
        } else {
            one.way.join(".")
        };
        Entry {
            name,
            shows: one.shows.clone(),
        }
    });
    Row {
        entries: entries.collect(),
        name,
    }
}
