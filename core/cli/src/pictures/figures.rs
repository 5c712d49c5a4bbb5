//! Figures of a page: the pictures of drawings, with what changed in words.

use std::collections::HashMap;
use std::fmt::Write;

use refmap::drawing::{Drawing, Node};

use super::escape::Escaped;
use super::svg::{PLAIN, Picture, size};

/// Length of SVG that is not worth a reference.
const SHORT: usize = 60;

/// The parts of a page's pictures, each written once: where it comes again, the first one is referred to.
#[derive(Default)]
pub struct Figures(HashMap<String, usize>);

impl Figures {
    /// Adds the figure of a picture under a title, with what differs from the drawing before.
    pub fn add(&mut self, html: &mut String, title: &str, picture: &Picture<'_>) {
        let Picture {
            canvas,
            drawing,
            before,
        } = *picture;
        let content = self.picture(picture);
        let words = before.map(|before| changed(before, drawing));
        let words = words.unwrap_or_default();
        let _ = write!(
            html,
            "<figure><svg role=\"img\" {} {PLAIN}><title>{title}</title><desc>{}</desc>{content}</svg>",
            size(canvas),
            Escaped(drawing),
        );
        if !words.is_empty() {
            let _ = write!(
                html,
                "<figcaption>{}</figcaption>",
                Escaped(words.join("; "))
            );
        }
        html.push_str("</figure>");
    }

    /// A picture, as a whole or part by part.
    fn picture(&mut self, picture: &Picture<'_>) -> String {
        let parts: Vec<String> = picture.parts().map(|part| part.to_string()).collect();
        self.once(&parts.concat(), |figures| {
            let parts = parts.iter();
            parts
                .map(|part| figures.once(part, |_| part.clone()))
                .collect()
        })
    }

    /// The picture `svg`: as `written` where it comes for the first time, and then a reference to it.
    fn once(&mut self, svg: &str, written: impl FnOnce(&mut Self) -> String) -> String {
        // What is short is no longer than a reference to it.
        if svg.len() < SHORT {
            return svg.to_owned();
        }
        if let Some(number) = self.0.get(svg) {
            return format!("<use href=\"#g{number}\"/>");
        }
        let number = self.0.len();
        self.0.insert(svg.to_owned(), number);
        format!("<g id=\"g{number}\">{}</g>", written(self))
    }
}

/// Differences between two drawings, in words.
fn changed(before: &Drawing, after: &Drawing) -> Vec<String> {
    let mut words = Vec::new();
    for node in &after.nodes {
        let id = &node.id;
        let Some(was) = before.nodes.iter().find(|was| was.id == *id) else {
            words.push(format!("{id} is new"));
            continue;
        };
        let told = |node: &Node| {
            let head = Node {
                slots: Vec::new(),
                ..node.clone()
            };
            let text = head.to_string();
            if node.absent {
                format!("{text} (absent)")
            } else {
                text
            }
        };
        if told(was) != told(node) {
            words.push(format!("{} is now {}", told(was), told(node)));
        }
        for (number, slot) in node.slots.iter().enumerate() {
            let name = if slot.name.is_empty() {
                number.to_string()
            } else {
                slot.name.clone()
            };
            match was.slots.get(number) {
                Some(was) if was.holds != slot.holds => {
                    words.push(format!("{id}.{name}: {} → {}", was.holds, slot.holds));
                }
                Some(_) => (),
                None => words.push(format!("{id}.{name}: {}", slot.holds)),
            }
        }
    }
    for node in &before.nodes {
        if !after.nodes.iter().any(|other| other.id == node.id) {
            words.push(format!("{} is gone", node.id));
        }
    }
    for row in &after.rows {
        let was = before.rows.iter().find(|was| was.name == row.name);
        for (number, entry) in row.entries.iter().enumerate() {
            let was = was.and_then(|row| row.entries.get(number));
            if was.is_some_and(|was| was != entry) {
                let of = if row.name.is_empty() { "" } else { ": " };
                words.push(format!("{}{of}{entry}", row.name));
            }
        }
    }
    words
}
