//! Canvas: where the parts of a behaviour's drawings are, the same in all of its states.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use refmap::drawing::{Drawing, Held, Node, Row, Shown, Slot};

/// Width of a picture, in the units of its view box.
pub const WIDTH: f64 = 380.0;
/// Height of a line of a row.
pub const LINE: f64 = 20.0;
/// Where the entries of a row begin.
const ENTRIES: f64 = 92.0;
/// Width of a character of the picture's font.
const CHARACTER: f64 = 6.6;
/// Gap between two entries.
const GAP: f64 = 12.0;
/// The most nodes that are drawn.
pub const MOST_NODES: usize = 12;
/// Width of the box of a slot, at least.
const SLOT: f64 = 22.0;
/// Height of a node without slots, and of its slots.
pub const HEAD: f64 = 24.0;
/// Height of the boxes of a node's slots.
pub const SLOTS: f64 = 18.0;

/// Place and size of each part, for all drawings of a behaviour.
#[derive(Debug, Default)]
pub struct Canvas {
    nodes: BTreeMap<Identity, Area>,
    /// Nodes that are not drawn, since there are too many.
    pub left_out: usize,
    /// The rows, in their order, each with the lines that it takes at most.
    rows: Vec<(String, usize)>,
    nodes_height: f64,
}

/// Centre and size of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Identity of a node; numbers are ordered as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity(String);

impl Ord for Identity {
    fn cmp(&self, other: &Self) -> Ordering {
        let number = |one: &Self| one.0.parse::<u64>().ok();
        match (number(self), number(other)) {
            (Some(a), Some(b)) => a.cmp(&b).then_with(|| self.0.cmp(&other.0)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for Identity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Canvas {
    /// The canvas on which all of these drawings fit.
    pub fn of<'d>(drawings: impl IntoIterator<Item = &'d Drawing> + Clone) -> Self {
        let mut sizes: BTreeMap<Identity, (f64, f64)> = BTreeMap::new();
        let mut first: BTreeMap<&str, &Node> = BTreeMap::new();
        let mut changing = BTreeSet::new();
        let mut rows: Vec<(String, usize)> = Vec::new();
        for drawing in drawings {
            for node in &drawing.nodes {
                let (width, height) = size(node);
                let of = sizes.entry(Identity(node.id.clone())).or_default();
                *of = (of.0.max(width), of.1.max(height));
                match first.get(&*node.id) {
                    Some(before) if *before != node => drop(changing.insert(&*node.id)),
                    Some(_) => (),
                    None => drop(first.insert(&node.id, node)),
                }
            }
            for row in &drawing.rows {
                let lines = lines(row);
                match rows.iter_mut().find(|(name, _)| *name == row.name) {
                    Some((_, most)) => *most = lines.max(*most),
                    None => rows.push((row.name.clone(), lines)),
                }
            }
        }
        // What changes in the behaviour is drawn first.
        let mut order: Vec<&Identity> = sizes.keys().collect();
        order.sort_by_key(|identity| !changing.contains(&*identity.0));
        let drawn: BTreeSet<Identity> = order.into_iter().take(MOST_NODES).cloned().collect();
        let left_out = sizes.len() - drawn.len();
        sizes.retain(|identity, _| drawn.contains(identity));
        let (nodes, nodes_height) = places(sizes);
        Self {
            nodes,
            left_out,
            rows,
            nodes_height,
        }
    }

    /// Where a node is, if it is drawn.
    pub fn node(&self, id: &str) -> Option<Area> {
        self.nodes.get(&Identity(id.to_owned())).copied()
    }

    /// Where a row begins.
    pub fn row(&self, name: &str) -> f64 {
        let above = self.rows.iter().take_while(|(other, _)| other != name);
        let lines: usize = above.map(|(_, lines)| lines).sum();
        self.nodes_height + LINE * lines as f64
    }

    /// The height of the whole.
    pub fn height(&self) -> f64 {
        let lines: usize = self.rows.iter().map(|(_, lines)| lines).sum();
        self.nodes_height + LINE * lines as f64 + 4.0
    }
}

fn size(node: &Node) -> (f64, f64) {
    let slots: f64 = node.slots.iter().map(slot_width).sum();
    let head = text_width(&node.id) + 14.0;
    let height = match node.slots.is_empty() {
        true => HEAD,
        false => HEAD + SLOTS,
    };
    (slots.max(head).max(34.0), height)
}

/// Width of the box of a slot.
pub fn slot_width(slot: &Slot) -> f64 {
    (text_width(&slot_text(slot)) + 8.0).max(SLOT)
}

/// What the box of a slot shows.
pub fn slot_text(slot: &Slot) -> String {
    match &slot.holds {
        Held::Null if slot.name.is_empty() => "∅".to_owned(),
        Held::Null => format!("{} ∅", slot.name),
        _ => slot.to_string(),
    }
}

/// Width of a text.
pub fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// Places on an ellipse, in the order of identities from the top; few on a line.
fn places(sizes: BTreeMap<Identity, (f64, f64)>) -> (BTreeMap<Identity, Area>, f64) {
    let count = sizes.len();
    if count == 0 {
        return (BTreeMap::new(), 2.0);
    }
    let widest = sizes.values().map(|size| size.0).fold(0.0, f64::max);
    let tallest = sizes.values().map(|size| size.1).fold(0.0, f64::max);
    // Room above for the word "root" and below for other marks.
    let (above, below) = (18.0, 20.0);
    let across = ((WIDTH - widest) / 2.0 - 24.0).max(30.0);
    let down = match count {
        1 | 2 => 0.0,
        3 | 4 => 62.0,
        5 | 6 => 80.0,
        7 | 8 => 100.0,
        _ => 128.0,
    };
    let centre = (WIDTH / 2.0, above + tallest / 2.0 + down);
    let place = |number: usize| match count {
        1 => centre,
        2 => (WIDTH * (0.28 + 0.44 * number as f64), centre.1),
        _ => {
            let angle = TAU * (number as f64 / count as f64 - 0.25);
            (
                centre.0 + across.min(150.0) * angle.cos(),
                centre.1 + down * angle.sin(),
            )
        }
    };
    let areas = sizes
        .into_iter()
        .enumerate()
        .map(|(number, (identity, size))| {
            let (x, y) = place(number);
            let (width, height) = size;
            let area = Area {
                x,
                y,
                width,
                height,
            };
            (identity, area)
        });
    // Room for loops of nodes to themselves.
    let height = centre.1 + down + tallest / 2.0 + below + 6.0;
    (areas.collect(), height)
}

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

/// What a piece shows.
pub enum What<'r> {
    /// The name of an entry.
    Name(&'r str),
    /// A value or a set.
    Value(String),
    /// An element of a queue; none if the queue is empty.
    Cell(Option<&'r str>),
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
            let text = cut(text, left);
            parts.push((text_width(&text), What::Value(text)));
        };
        match &entry.shows {
            Shown::Value(text) => value(text.clone()),
            Shown::Set(elements) => value(format!("{{{}}}", elements.join(", "))),
            Shown::Queue(elements) if elements.is_empty() => parts.push((SLOT, What::Cell(None))),
            Shown::Queue(elements) => {
                let cells = elements.iter();
                parts.extend(cells.map(|text| (cell_width(text), What::Cell(Some(text)))));
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

/// A text that fits into a line.
fn cut(text: String, left: f64) -> String {
    let most = ((WIDTH - left) / CHARACTER) as usize;
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text,
    }
}

fn lines(row: &Row) -> usize {
    pieces(row).last().map_or(1, |piece| piece.line + 1)
}

/// Width of the cell of a queue.
fn cell_width(text: &str) -> f64 {
    (text_width(text) + 8.0).clamp(SLOT, WIDTH - ENTRIES)
}
