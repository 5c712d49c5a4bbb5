//! Drawing of a state: nodes with edges between them, and rows of values, sets and queues.
//!
//! A system describes its states once ([`TransitionSystem::draw`](crate::TransitionSystem::draw)), or they are drawn by rows. The terminal
//! shows the description as text, which is its [`Display`]; `refmap-cli` makes a picture of it.
//!
//! ```
//! use refmap::drawing::{Drawing, Node, Row, Shade};
//!
//! let heap = Drawing::default()
//!     .node(Node::new(0).shade(Shade::Black).root().to("next", 1))
//!     .node(Node::new(1).shade(Shade::White).null("next"))
//!     .row(Row::of("mutator").set("roots", [0]).queue("pending", ["0.next := null"]));
//! assert_eq!(
//!     heap.to_string(),
//!     "0 ● root → next 1   1 ○ → next null\nmutator  roots {0}  pending: 0.next := null"
//! );
//! ```

mod by_rows;

use std::fmt::{self, Display, Formatter};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

/// Drawing of a state, as a person would make it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Drawing {
    /// The nodes: objects, cells, processes. A picture places the nodes of a behaviour by their identities, so that none
    /// moves from one state to the next.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nodes: Vec<Node>,
    /// The rows: of the system, and of each process.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rows: Vec<Row>,
    /// True if the system does not say how its states are drawn, so that the rows are those of their fields.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_by_default: bool,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Node {
    /// Its identity, which is shown: the same in all states of a behaviour.
    pub id: String,
    /// Its colour.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shade: Option<Shade>,
    /// True if it is a root.
    #[serde(skip_serializing_if = "is_false", default)]
    pub root: bool,
    /// True if it is absent: free memory, a process that has stopped.
    #[serde(skip_serializing_if = "is_false", default)]
    pub absent: bool,
    /// Other things to be known of it, in words: `garbage`, `held by 1`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub marks: Vec<String>,
    /// Its slots, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub slots: Vec<Slot>,
}

/// Colour of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Shade {
    /// ○
    White,
    /// ◐
    Grey,
    /// ●
    Black,
}

/// Slot of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Slot {
    /// Its name; empty if it needs none.
    pub name: String,
    /// Its content.
    pub holds: Held,
}

/// Content of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// A reference to the node of this identity: an edge.
    Node(String),
    /// No reference.
    Null,
    /// A value.
    Value(String),
}

/// A row of a drawing: what belongs together, as the registers and the store buffer of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Row {
    /// The process, or what the entries belong to; empty for the system.
    pub name: String,
    /// The entries, in their order.
    pub entries: Vec<Entry>,
}

/// Entry of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Entry {
    /// Its name; empty if it needs none.
    pub name: String,
    /// Its content.
    pub shows: Shown,
}

/// Content of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// A value.
    Value(String),
    /// A set, of which the order means nothing.
    Set(Vec<String>),
    /// A queue, a list or a buffer, its first element first.
    Queue(Vec<String>),
}

impl Drawing {
    /// Its text, for those who see the fields of the state beside it: none if it is by default, and would repeat them.
    pub fn text(&self) -> Option<String> {
        (!self.is_by_default).then(|| self.to_string())
    }

    /// Adds a node.
    #[must_use]
    pub fn node(self, node: Node) -> Self {
        self.nodes([node])
    }

    /// Adds nodes.
    #[must_use]
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.nodes.extend(nodes);
        self.is_by_default = false;
        self
    }

    /// Adds a row.
    #[must_use]
    pub fn row(mut self, row: Row) -> Self {
        self.rows.push(row);
        self.is_by_default = false;
        self
    }
}

impl Node {
    /// A node without slots.
    pub fn new(id: impl Display) -> Self {
        Self {
            id: id.to_string(),
            shade: None,
            root: false,
            absent: false,
            marks: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Colours it.
    #[must_use]
    pub fn shade(mut self, shade: Shade) -> Self {
        self.shade = Some(shade);
        self
    }

    /// Makes it a root.
    #[must_use]
    pub fn root(mut self) -> Self {
        self.root = true;
        self
    }

    /// Makes it absent.
    #[must_use]
    pub fn absent(mut self) -> Self {
        self.absent = true;
        self
    }

    /// Marks it with a word.
    #[must_use]
    pub fn mark(mut self, word: impl Display) -> Self {
        self.marks.push(word.to_string());
        self
    }

    /// Adds a slot that refers to the node `id`.
    #[must_use]
    pub fn to(self, slot: impl Display, id: impl Display) -> Self {
        self.slot(slot, Held::Node(id.to_string()))
    }

    /// Adds a slot that refers to no node.
    #[must_use]
    pub fn null(self, slot: impl Display) -> Self {
        self.slot(slot, Held::Null)
    }

    /// Adds a slot that refers to the node `id`, if there is one.
    #[must_use]
    pub fn maybe(self, slot: impl Display, id: Option<impl Display>) -> Self {
        match id {
            Some(id) => self.to(slot, id),
            None => self.null(slot),
        }
    }

    /// Adds a slot that holds a value.
    #[must_use]
    pub fn value(self, slot: impl Display, value: impl Display) -> Self {
        self.slot(slot, Held::Value(value.to_string()))
    }

    fn slot(mut self, name: impl Display, holds: Held) -> Self {
        let name = name.to_string();
        self.slots.push(Slot { name, holds });
        self
    }
}

impl Row {
    /// A row of the system itself, which has no name.
    pub fn new() -> Self {
        Self::default()
    }

    /// A row of this name.
    pub fn of(name: impl Display) -> Self {
        Self {
            name: name.to_string(),
            entries: Vec::new(),
        }
    }

    /// Adds a value.
    #[must_use]
    pub fn value(self, name: impl Display, value: impl Display) -> Self {
        self.entry(name, Shown::Value(value.to_string()))
    }

    /// Adds a set.
    #[must_use]
    pub fn set<T: Display>(
        self,
        name: impl Display,
        elements: impl IntoIterator<Item = T>,
    ) -> Self {
        self.entry(name, Shown::Set(texts(elements)))
    }

    /// Adds a queue, its first element first.
    #[must_use]
    pub fn queue<T: Display>(
        self,
        name: impl Display,
        elements: impl IntoIterator<Item = T>,
    ) -> Self {
        self.entry(name, Shown::Queue(texts(elements)))
    }

    fn entry(mut self, name: impl Display, shows: Shown) -> Self {
        let name = name.to_string();
        self.entries.push(Entry { name, shows });
        self
    }
}

fn texts<T: Display>(elements: impl IntoIterator<Item = T>) -> Vec<String> {
    elements.into_iter().map(|one| one.to_string()).collect()
}

impl Shade {
    /// The circle that stands for it in a text.
    pub fn glyph(self) -> char {
        match self {
            Self::White => '○',
            Self::Grey => '◐',
            Self::Black => '●',
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Grey => "grey",
            Self::Black => "black",
        }
    }
}

/// The drawing as text: the nodes and the row of the system on the first line, and a line for each row that has a name.
///
/// Three spaces separate nodes, and two the entries of a row: parts that stay together where a line has to be broken.
impl Display for Drawing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (named, of_system): (Vec<_>, Vec<_>) =
            self.rows.iter().partition(|row| !row.name.is_empty());
        let nodes = self.nodes.iter().map(Node::to_string);
        let entries = of_system.iter().flat_map(|row| &row.entries);
        let first: Vec<_> = nodes.chain(entries.map(Entry::to_string)).collect();
        let mut lines: Vec<String> = if first.is_empty() {
            Vec::new()
        } else {
            vec![first.join("   ")]
        };
        lines.extend(named.iter().map(|row| {
            let entries = row.entries.iter().map(Entry::to_string);
            let parts: Vec<_> = std::iter::once(row.name.clone()).chain(entries).collect();
            parts.join("  ")
        }));
        f.write_str(&lines.join("\n"))
    }
}

/// `0 ● root → 1 2`.
impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        if let Some(shade) = self.shade {
            write!(f, " {}", shade.glyph())?;
        }
        if self.root {
            f.write_str(" root")?;
        }
        self.marks
            .iter()
            .try_for_each(|word| write!(f, " {word}"))?;
        if !self.slots.is_empty() {
            f.write_str(" →")?;
        }
        self.slots.iter().try_for_each(|slot| write!(f, " {slot}"))
    }
}

/// Content of the slot, after its name where it has one.
impl Display for Slot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let space = if self.name.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.name, self.holds)
    }
}

impl Display for Held {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(text) | Self::Value(text) => f.write_str(text),
            Self::Null => f.write_str("null"),
        }
    }
}

/// `phase Mark`, `roots {0, 1}`, `free list: 2, 1`.
impl Display for Entry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        let space = if name.is_empty() { "" } else { " " };
        match &self.shows {
            Shown::Value(value) => write!(f, "{name}{space}{value}"),
            Shown::Set(elements) => write!(f, "{name}{space}{{{}}}", elements.join(", ")),
            Shown::Queue(elements) => {
                let elements = if elements.is_empty() {
                    "empty".to_owned()
                } else {
                    elements.join(", ")
                };
                let colon = if name.is_empty() { "" } else { ": " };
                write!(f, "{name}{colon}{elements}")
            }
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_drawn_on_one_line_and_each_process_on_one() {
        let drawing = Drawing::default()
            .node(Node::new(0).root().to("", 1).null(""))
            .node(Node::new(1).mark("garbage").value("x", 7))
            .row(Row::new().value("phase", "Mark").queue("free list", [2, 1]))
            .row(
                Row::of("collector")
                    .set("W", [0; 0])
                    .queue("pending", [0; 0]),
            );
        assert_eq!(
            drawing.to_string(),
            "0 root → 1 null   1 garbage → x 7   phase Mark   free list: 2, 1\n\
             collector  W {}  pending: empty"
        );
        assert_eq!(Drawing::default().to_string(), "");
    }
}
