//! Validation of histories of Ben-Ari's native collector against "collect only garbage".
//!
//! A redirection and an append each take effect within their interval. An append is several stores, to
//! inaccessible cells except for the last one, which makes the node accessible.

use refmap_histories::{Happening, NoSuch, Observed};
use refmap_systems::native::ben_ari::{Bounds, BoundsError, Event};
use refmap_systems::native::free_list::{Action, Cells, FreeList};

/// Correspondence of recorded events to steps of the specification.
pub struct ObservedMemory {
    specification: FreeList,
}

impl ObservedMemory {
    /// Correspondence for a memory of these bounds.
    ///
    /// # Errors
    ///
    /// If the bounds are not valid.
    pub fn new(bounds: Bounds) -> Result<Self, BoundsError> {
        let specification = FreeList {
            bounds: bounds.validate()?,
        };
        Ok(Self { specification })
    }
}

fn action_of(event: &Event) -> Action {
    match *event {
        Event::Redirect { node, son, to } => Action::Mutate { node, son, to },
        Event::Append { node } => Action::Append { node },
    }
}

impl Observed for ObservedMemory {
    type Specification = FreeList;
    type Event = Event;

    fn specification(&self) -> &FreeList {
        &self.specification
    }

    fn shows(
        &self,
        _: &Cells,
        happening: &Happening<'_, Event>,
        visit: &mut impl FnMut(Option<Action>),
    ) {
        visit(Some(action_of(happening.event)));
    }

    fn check(&self, event: &Event) -> Result<(), NoSuch> {
        let Bounds { nodes, sons, .. } = self.specification.bounds;
        match *event {
            Event::Append { node } => NoSuch::unless("node", node, nodes),
            Event::Redirect { node, son, to } => {
                NoSuch::unless("node", node, nodes)?;
                NoSuch::unless("son", son, sons)?;
                NoSuch::unless("node", to, nodes)
            }
        }
    }

    fn refusal(&self, from: &Cells, happening: &Happening<'_, Event>) -> String {
        match *happening.event {
            Event::Append { node } => match self.specification.path(from, node) {
                Some(path) => {
                    let path: Vec<_> = path.iter().map(u32::to_string).collect();
                    format!("node {node} is accessible: {}", path.join(" → "))
                }
                None => "the collector may do it".to_owned(),
            },
            Event::Redirect { to, .. } => format!("node {to} is not accessible"),
        }
    }

    /// Appends: a history without them is vacuous.
    fn is_interesting(&self, event: &Event) -> bool {
        matches!(event, Event::Append { .. })
    }

    fn describe(&self, event: &Event) -> String {
        match *event {
            Event::Redirect { node, son, to } => format!("redirect ({node}, {son}) to {to}"),
            Event::Append { node } => format!("append {node}"),
        }
    }
}
