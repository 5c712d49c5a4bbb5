//! Picture of a drawing, as SVG.

use std::fmt::{self, Display, Formatter};

use refmap::drawing::{Drawing, Held, Node, Row};

use super::canvas::Canvas;
use super::edge::{across, to_itself};
use super::escape::Escaped;
use super::layout::{Area, Place, head_text, marks_text, slot_text};
use super::measures::WIDTH;
use super::row::{LINE, Piece, What, pieces};

/// Attributes of a shape where the style of the page is left out: on white, since text is black then.
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
    Node(&'p Node, &'p Place),
    Edges,
    Row(&'p Row),
}

impl Display for Part<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Of::Node(node, place) => self.0.node(f, node, place),
            Of::Edges => {
                let mut nodes = self.0.nodes();
                nodes.try_for_each(|(node, place)| self.0.edges(f, node, place))
            }
            Of::Row(row) => self.0.row(f, row),
        }
    }
}

impl Picture<'_> {
    /// The parts of the picture, from the back to the front.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let nodes = self.nodes().map(|(node, place)| Of::Node(node, place));
        let rows = self.drawing.rows.iter().map(Of::Row);
        let parts = nodes.chain([Of::Edges]).chain(rows);
        parts.map(|of| Part(self, of))
    }

    fn nodes(&self) -> impl Iterator<Item = (&Node, &Place)> {
        let nodes = self.drawing.nodes.iter();
        nodes.filter_map(|node| Some((node, self.canvas.node(&node.id)?)))
    }
}

impl Picture<'_> {
    fn node_before(&self, id: &str) -> Option<&Node> {
        self.before?.nodes.iter().find(|node| node.id == id)
    }

    fn node(&self, f: &mut Formatter<'_>, node: &Node, place: &Place) -> fmt::Result {
        let Area {
            x, width, height, ..
        } = place.head;
        let (left, top) = (place.head.left(), place.head.top());
        let characters = self.canvas.characters;
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
            r#"<g class="{class}" text-anchor="middle"><rect {OUTLINE} x="{left:.0}" y="{top:.0}" width="{width:.0}" height="{height}" rx="6"/>"#
        )?;
        text(f, "id", (x, top + 16.0), &head_text(node, characters))?;
        if node.root {
            text(f, "mark", (x, place.whole.top() - 5.0), "root")?;
        }
        if !node.marks.is_empty() {
            let below = place.whole.bottom() + 12.0;
            text(f, "mark", (x, below), &marks_text(node, characters))?;
        }
        for (number, (slot, at)) in node.slots.iter().zip(&place.slots).enumerate() {
            let was = before.and_then(|node| node.slots.get(number));
            let changed = was.is_some_and(|was| was != slot);
            let class = if changed { "slot ch" } else { "slot" };
            write!(
                f,
                r#"<rect class="{class}" {OUTLINE} x="{:.0}" y="{:.0}" width="{:.0}" height="{:.0}"/>"#,
                at.left(),
                at.top(),
                at.width,
                at.height
            )?;
            let class = if changed { "s ch" } else { "s" };
            text(
                f,
                class,
                (at.x, at.top() + 13.0),
                &slot_text(slot, characters),
            )?;
        }
        f.write_str("</g>")
    }

    fn edges(&self, f: &mut Formatter<'_>, node: &Node, place: &Place) -> fmt::Result {
        let before = self.node_before(&node.id);
        for (number, slot) in node.slots.iter().enumerate() {
            let Held::Node(to) = &slot.holds else {
                continue;
            };
            let Some(target) = self.canvas.node(to) else {
                continue;
            };
            let was = before.and_then(|node| node.slots.get(number));
            let class = if was.is_some_and(|was| was != slot) {
                "e ch"
            } else {
                "e"
            };
            let path = if *to == node.id {
                to_itself(place, number)
            } else {
                across(place, number, target.whole)
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

/// The size of a canvas, as attributes.
pub fn size(canvas: &Canvas) -> String {
    let height = canvas.height();
    format!(r#"viewBox="0 0 {WIDTH:.0} {height:.0}" width="{WIDTH:.0}" height="{height:.0}""#)
}

/// The marker with which edges end, for one use a page.
pub const ARROW: &str = r#"<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker>"#;
