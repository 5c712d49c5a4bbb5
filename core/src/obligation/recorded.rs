//! The graph that a search recorded.

use crate::explore::Graph;

/// The graph of a search: whether there was room for it, and whether it is complete.
pub(super) enum Recorded<'a> {
    Graph(&'a Graph),
    /// The part of it whose states were expanded before a limit or a violation ended the search.
    Explored(&'a Graph),
    /// There was no room for more than so many steps.
    TooLarge(u64),
    Incomplete,
}

impl<'a> Recorded<'a> {
    /// The graph, if it is complete; otherwise why nothing can be decided on it.
    pub fn complete(&self) -> Result<&'a Graph, String> {
        match self {
            Self::Graph(graph) => Ok(graph),
            Self::TooLarge(steps) => Err(format!(
                "not evaluated: there was no room for the graph, which takes some 4 bytes a step, beyond {steps} steps"
            )),
            Self::Explored(_) | Self::Incomplete => {
                Err("not evaluated: it needs the complete graph".to_owned())
            }
        }
    }

    /// The graph as far as it was recorded, if it was.
    pub fn explored(&self) -> Option<&'a Graph> {
        match self {
            Self::Graph(graph) | Self::Explored(graph) => Some(graph),
            Self::TooLarge(_) | Self::Incomplete => None,
        }
    }
}
