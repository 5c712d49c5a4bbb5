//! Rows of a picture, broken into lines.

use refmap::drawing::{Row, Shown};

use super::measures::{CHARACTER, WIDTH, cut, text_width};

/// Height of a line of a row.
pub const LINE: f64 = 20.0;
/// Left end of the entries of a row.
const ENTRIES: f64 = 92.0;
/// Gap between two entries.
const GAP: f64 = 12.0;
/// Width of the cell of a queue, at least.
const CELL: f64 = 22.0;

/// Piece of a row.
pub struct Piece<'r> {
    /// The number of its entry.
    pub entry: usize,
    /// The line of the row, and the distance from the left.
    pub line: usize,
    pub x: f64,
    pub width: f64,
    pub what: What<'r>,
}

/// Content of a piece.
pub enum What<'r> {
    /// The name of an entry.
    Name(&'r str),
    /// A value or a set.
    Value(String),
    /// An element of a queue; none if the queue is empty.
    Cell(Option<String>),
}

/// The pieces of a row, broken into lines between entries and between the elements of a queue.
pub fn pieces(row: &Row) -> Vec<Piece<'_>> {
    let left = if row.name.is_empty() { 2.0 } else { ENTRIES };
    let (mut line, mut x) = (0, left);
    let mut pieces = Vec::new();
    for (number, entry) in row.entries.iter().enumerate() {
        let mut parts = Vec::new();
        if !entry.name.is_empty() {
            parts.push((text_width(&entry.name) + 6.0, What::Name(&entry.name)));
        }
        let mut value = |text: String| {
            let text = cut(&text, ((WIDTH - left) / CHARACTER) as usize);
            parts.push((text_width(&text), What::Value(text)));
        };
        match &entry.shows {
            Shown::Value(text) => value(text.clone()),
            Shown::Set(elements) => value(format!("{{{}}}", elements.join(", "))),
            Shown::Queue(elements) if elements.is_empty() => parts.push((CELL, What::Cell(None))),
            Shown::Queue(elements) => {
                let cells = elements.iter();
                let most = ((WIDTH - ENTRIES - 8.0) / CHARACTER) as usize;
                parts.extend(cells.map(|text| {
                    let text = cut(text, most);
                    (cell_width(&text), What::Cell(Some(text)))
                }));
            }
        }
        // A name stays with what follows it.
        let first_value = parts
            .last()
            .map_or(0.0, |_| parts[parts.len().min(2) - 1].0);
        for (width, what) in parts {
            let needed = match what {
                What::Name(_) => width + first_value,
                _ => width,
            };
            if x > left && x + needed > WIDTH {
                line += 1;
                x = left;
            }
            pieces.push(Piece {
                entry: number,
                line,
                x,
                width,
                what,
            });
            x += width;
        }
        x += GAP;
    }
    pieces
}

/// The lines that a row takes.
pub fn lines(row: &Row) -> usize {
    pieces(row).last().map_or(1, |piece| piece.line + 1)
}

/// Width of the cell of a queue.
fn cell_width(text: &str) -> f64 {
    (text_width(text) + 8.0).clamp(CELL, WIDTH - ENTRIES)
}
