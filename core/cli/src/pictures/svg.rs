//! Picture of a drawing, as SVG.

use std::fmt::{self, Display, Formatter};

use refmap::drawing::{Drawing, Held, Node, Row};

use super::canvas::{
    Area, Canvas, HEAD, LINE, Piece, SLOTS, WIDTH, What, pieces, slot_text, slot_width,
};
use super::escape::Escaped;

/// How a shape looks where the style of the page is left out: on white, as text is black then.
const OUTLINE: &str = r##"fill="none" stroke="#000""##;
/// The same of a whole picture, in which text is as large as the layout supposes.
pub const PLAIN: &str = r#"font-size="11""#;

/// A drawing on its canvas. What differs from the drawing before is emphasised.
pub struct Picture<'d> {
    pub canvas: &'d Canvas,
    pub drawing: &'d Drawing,
    pub before: Option<&'d Drawing>,
}

/// Part of a picture: what is often the same from state to state.
pub struct Part<'p>(&'p Picture<'p>, Of<'p>);

enum Of<'p> {
    Node(&'p Node, Area),
    Edges,
    Row(&'p Row),
}

impl Display for Part<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Of::Node(node, area) => self.0.node(f, node, area),
            Of::Edges => {
                let mut nodes = self.0.nodes();
                nodes.try_for_each(|(node, area)| self.0.edges(f, node, area))
            }
            Of::Row(row) => self.0.row(f, row),
        }
    }
}

impl Picture<'_> {
    /// The parts of the picture, from the back to the front.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let nodes = self.nodes().map(|(node, area)| Of::Node(node, area));
        let rows = self.drawing.rows.iter().map(Of::Row);
        let parts = nodes.chain([Of::Edges]).chain(rows);
        parts.map(|of| Part(self, of))
    }

    fn nodes(&self) -> impl Iterator<Item = (&Node, Area)> {
        let nodes = self.drawing.nodes.iter();
        nodes.filter_map(|node| Some((node, self.canvas.node(&node.id)?)))
    }
}

impl Picture<'_> {
    fn node_before(&self, id: &str) -> Option<&Node> {
        self.before?.nodes.iter().find(|node| node.id == id)
    }

    fn node(&self, f: &mut Formatter<'_>, node: &Node, area: Area) -> fmt::Result {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        let before = self.node_before(&node.id);
        let is_other = before.is_some_and(|before| {
            (before.shade, before.root, before.absent, &before.marks)
                != (node.shade, node.root, node.absent, &node.marks)
        });
        let mut class = node.shade.map_or("n", |shade| shade.name()).to_owned();
        if node.root {
            class.push_str(" root");
        }
        if node.absent {
            class.push_str(" absent");
        }
        if is_other {
            class.push_str(" ch");
        }
        write!(
            f,
            r#"<g class="{class}" text-anchor="middle"><rect {OUTLINE} x="{left:.0}" y="{top:.0}" width="{width:.0}" height="{HEAD}" rx="6"/>"#
        )?;
        text(f, "id", (x, top + 16.0), &node.id)?;
        if node.root {
            text(f, "mark", (x, top - 5.0), "root")?;
        }
        if !node.marks.is_empty() {
            let below = top + height + 12.0;
            text(f, "mark", (x, below), &node.marks.join(", "))?;
        }
        for (slot, at) in node.slots.iter().zip(slot_places(node, area)) {
            let was = before.and_then(|node| node.slots.get(at.number));
            let changed = was.is_some_and(|was| was != slot);
            let class = if changed { "slot ch" } else { "slot" };
            write!(
                f,
                r#"<rect class="{class}" {OUTLINE} x="{:.0}" y="{:.0}" width="{:.0}" height="{SLOTS}"/>"#,
                at.x - at.width / 2.0,
                at.top,
                at.width
            )?;
            let class = if changed { "s ch" } else { "s" };
            text(f, class, (at.x, at.top + 13.0), &slot_text(slot))?;
        }
        f.write_str("</g>")
    }

    fn edges(&self, f: &mut Formatter<'_>, node: &Node, area: Area) -> fmt::Result {
        let before = self.node_before(&node.id);
        for (slot, at) in node.slots.iter().zip(slot_places(node, area)) {
            let Held::Node(to) = &slot.holds else {
                continue;
            };
            let Some(target) = self.canvas.node(to) else {
                continue;
            };
            let was = before.and_then(|node| node.slots.get(at.number));
            let class = match was.is_some_and(|was| was != slot) {
                true => "e ch",
                false => "e",
            };
            let path = match *to == node.id {
                true => to_itself(at, target),
                false => across(at, target),
            };
            write!(f, r#"<path class="{class}" {OUTLINE} d="{path}"/>"#)?;
        }
        Ok(())
    }

    fn row(&self, f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
        let top = self.canvas.row(&row.name);
        let before = self.before.map(|before| {
            let mut rows = before.rows.iter();
            rows.find(|other| other.name == row.name)
        });
        if !row.name.is_empty() {
            text(f, "row", (2.0, top + 14.0), &row.name)?;
        }
        for piece in pieces(row) {
            let entry = row.entries.get(piece.entry);
            let was = before.map(|before| before.and_then(|row| row.entries.get(piece.entry)));
            let changed = was.is_some_and(|was| was != entry);
            self.piece(f, &piece, top, changed)?;
        }
        Ok(())
    }

    fn piece(
        &self,
        f: &mut Formatter<'_>,
        piece: &Piece<'_>,
        top: f64,
        changed: bool,
    ) -> fmt::Result {
        let top = top + LINE * piece.line as f64;
        let (x, width, below) = (piece.x, piece.width, top + 14.0);
        let changed = if changed { " ch" } else { "" };
        match &piece.what {
            What::Name(name) => text(f, "name", (x, below), name),
            What::Value(value) => text(f, &format!("v{changed}"), (x, below), value),
            What::Cell(element) => {
                let none = if element.is_none() { " none" } else { "" };
                write!(
                    f,
                    r#"<rect class="cell{changed}{none}" {OUTLINE} x="{x:.0}" y="{:.0}" width="{width:.0}" height="16"/>"#,
                    top + 2.0
                )?;
                match element {
                    Some(element) => text(f, "c", (x + width / 2.0, below), element),
                    None => Ok(()),
                }
            }
        }
    }
}

fn text(f: &mut Formatter<'_>, class: &str, (x, y): (f64, f64), text: &str) -> fmt::Result {
    let text = Escaped(text);
    write!(
        f,
        r#"<text class="{class}" x="{x:.0}" y="{y:.0}">{text}</text>"#
    )
}

/// Place of a slot's box.
#[derive(Clone, Copy)]
struct SlotPlace {
    number: usize,
    x: f64,
    top: f64,
    width: f64,
}

fn slot_places(node: &Node, area: Area) -> impl Iterator<Item = SlotPlace> {
    let total: f64 = node.slots.iter().map(slot_width).sum();
    let top = area.y - area.height / 2.0 + HEAD;
    let mut left = area.x - total / 2.0;
    node.slots.iter().enumerate().map(move |(number, slot)| {
        let width = slot_width(slot);
        let x = left + width / 2.0;
        left += width;
        SlotPlace {
            number,
            x,
            top,
            width,
        }
    })
}

/// From a slot to another node: a curve, so that edges there and back, and edges of neighbouring slots, are told apart.
fn across(from: SlotPlace, target: Area) -> String {
    let slot = Area {
        x: from.x,
        y: from.top + SLOTS / 2.0,
        width: from.width,
        height: SLOTS,
    };
    let start = border(slot, (target.x, target.y));
    let (dx, dy) = (target.x - start.0, target.y - start.1);
    let distance = dx.hypot(dy).max(1.0);
    let bend = 14.0 + 9.0 * from.number as f64;
    let middle = (
        start.0 + dx / 2.0 - dy / distance * bend,
        start.1 + dy / 2.0 + dx / distance * bend,
    );
    let end = border(target, middle);
    format!(
        "M{:.0} {:.0}Q{:.0} {:.0} {:.0} {:.0}",
        start.0, start.1, middle.0, middle.1, end.0, end.1
    )
}

/// From a slot to its own node: a loop at its side.
fn to_itself(from: SlotPlace, node: Area) -> String {
    let side = if from.x < node.x { -1.0 } else { 1.0 };
    let start = (from.x, from.top + SLOTS);
    let edge = node.x + side * node.width / 2.0;
    let far = edge + side * (22.0 + 7.0 * from.number as f64);
    let end = (edge, node.y - node.height / 2.0 + HEAD / 2.0);
    format!(
        "M{:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}",
        start.0,
        start.1,
        far,
        start.1 + 12.0,
        far,
        end.1 - 8.0,
        end.0,
        end.1
    )
}

/// Where the line from a point to the centre of a node meets its border.
fn border(node: Area, from: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (from.0 - node.x, from.1 - node.y);
    let (half_width, half_height) = (node.width / 2.0 + 1.0, node.height / 2.0 + 1.0);
    let scale = (half_width / dx.abs().max(0.01)).min(half_height / dy.abs().max(0.01));
    (node.x + dx * scale, node.y + dy * scale)
}

/// The size of a canvas, as attributes.
pub fn size(canvas: &Canvas) -> String {
    let height = canvas.height();
    format!(r#"viewBox="0 0 {WIDTH:.0} {height:.0}" width="{WIDTH:.0}" height="{height:.0}""#)
}

/// The marker with which edges end, for one use a page.
pub const ARROW: &str = r#"<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker>"#;
