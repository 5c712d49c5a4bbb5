//! Canvas: where the parts of a behaviour's drawings are, the same in all of its states.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use refmap::drawing::{Drawing, Node};

use super::layout::{Layout, Place};
use super::row::{LINE, lines};

/// The most nodes that are drawn.
pub const MOST_NODES: usize = 12;

/// Place and size of each part, for all drawings of a behaviour.
#[derive(Debug, Default)]
pub struct Canvas {
    nodes: BTreeMap<Identity, Place>,
    /// Nodes that are not drawn, since there are too many.
    pub left_out: usize,
    /// The rows, in their order, each with the lines that it takes at most.
    rows: Vec<(String, usize)>,
    nodes_height: f64,
    /// The most characters of a text at a node.
    pub characters: usize,
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
        let mut states: BTreeMap<Identity, Vec<&Node>> = BTreeMap::new();
        let mut first: BTreeMap<&str, &Node> = BTreeMap::new();
        let mut changing = BTreeSet::new();
        let mut rows: Vec<(String, usize)> = Vec::new();
        for drawing in drawings {
            for node in &drawing.nodes {
                let of = states.entry(Identity(node.id.clone())).or_default();
                if of.last() != Some(&node) {
                    of.push(node);
                }
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
        let mut order: Vec<&Identity> = states.keys().collect();
        order.sort_by_key(|identity| !changing.contains(&*identity.0));
        let drawn: BTreeSet<Identity> = order.into_iter().take(MOST_NODES).cloned().collect();
        let left_out = states.len() - drawn.len();
        states.retain(|identity, _| drawn.contains(identity));
        let (identities, states): (Vec<_>, Vec<_>) = states.into_iter().unzip();
        let layout = Layout::of(&states);
        Self {
            nodes: identities.into_iter().zip(layout.places).collect(),
            left_out,
            rows,
            nodes_height: layout.height,
            characters: layout.characters,
        }
    }

    /// Place of a node, if it is drawn.
    pub fn node(&self, id: &str) -> Option<&Place> {
        self.nodes.get(&Identity(id.to_owned()))
    }

    /// Upper end of a row.
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
