//! A heap of three objects with one field each, and a specification whose collector frees only garbage.

use refmap::TransitionSystem;
use refmap::drawing::{Drawing, Node};
use refmap_histories::{Effect, Happening, Observed};
use serde::{Deserialize, Serialize};

use super::memory::Stores;

/// Number of objects.
pub const OBJECTS: usize = 3;

/// Operations of threads, and actions of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, refmap::Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[rule(process = "mutator", source = "test")]
pub enum Deed {
    /// The object becomes a root.
    Alloc {
        #[action(range = 0..OBJECTS)]
        object: usize,
    },
    /// The object is no longer a root.
    Discard {
        #[action(range = 0..OBJECTS)]
        object: usize,
    },
    Store {
        #[action(range = 0..OBJECTS)]
        object: usize,
        #[action(range = 0..OBJECTS)]
        to: Option<usize>,
    },
    Load {
        #[action(range = 0..OBJECTS)]
        object: usize,
        #[action(range = 0..OBJECTS)]
        to: Option<usize>,
    },
    /// Requires that the object is unreachable from the roots.
    #[rule(process = "collector")]
    Free {
        #[action(range = 0..OBJECTS)]
        object: usize,
    },
}

impl Deed {
    /// Store to the field of an object.
    pub fn store(object: usize, to: Option<usize>) -> Self {
        Self::Store { object, to }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Objects {
    pub allocated: [bool; OBJECTS],
    pub roots: [bool; OBJECTS],
    pub field: [Option<usize>; OBJECTS],
}

impl<S: ?Sized> refmap::State<S> for Objects {}

impl Objects {
    pub fn is_reachable(&self, object: usize) -> bool {
        (0..OBJECTS).filter(|root| self.roots[*root]).any(|root| {
            let mut at = Some(root);
            // A path longer than the number of objects repeats an object.
            for _ in 0..OBJECTS {
                match at {
                    Some(here) if here == object => return true,
                    Some(here) => at = self.field[here],
                    None => return false,
                }
            }
            false
        })
    }

    fn has(&self, object: usize) -> Option<()> {
        self.allocated[object].then_some(())
    }
}

/// Adapter for the heap, with immediate or delayed stores.
pub struct Heap(pub Stores);

impl TransitionSystem for Heap {
    type State = Objects;
    type Action = Deed;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Objects)) {
        visit(Objects::default());
    }

    fn fire(&self, deed: &Deed, heap: &mut Objects) -> Option<()> {
        match *deed {
            Deed::Alloc { object } => {
                (!heap.allocated[object]).then_some(())?;
                heap.allocated[object] = true;
                heap.roots[object] = true;
                heap.field[object] = None;
            }
            Deed::Discard { object } => {
                std::mem::take(&mut heap.roots[object]).then_some(())?;
            }
            Deed::Store { object, to } => {
                heap.has(object)?;
                to.map_or(Some(()), |to| heap.has(to))?;
                heap.field[object] = to;
            }
            Deed::Load { object, to } => {
                heap.has(object)?;
                (heap.field[object] == to).then_some(())?;
            }
            Deed::Free { object } => {
                heap.has(object)?;
                (!heap.is_reachable(object)).then_some(())?;
                heap.allocated[object] = false;
                heap.field[object] = None;
            }
        }
        Some(())
    }

    fn observe(&self, _: &Objects) {}

    fn draw(&self, state: &Objects) -> Option<Drawing> {
        let objects = (0..OBJECTS).filter(|object| state.allocated[*object]);
        let nodes = objects.map(|object| {
            let node = Node::new(object);
            let node = if state.roots[object] {
                node.root()
            } else {
                node
            };
            node.maybe("", state.field[object])
        });
        Some(Drawing::default().nodes(nodes))
    }
}

impl Observed for Heap {
    type Specification = Self;
    type Event = Deed;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Objects,
        happening: &Happening<'_, Deed>,
        visit: &mut impl FnMut(Option<Deed>),
    ) {
        let deed = happening.event;
        if let Deed::Load { object, to } = deed {
            let own = happening
                .pending
                .iter()
                .rev()
                .find_map(|store| match store {
                    Deed::Store { object: of, to } if of == object => Some(to),
                    _ => None,
                });
            if let Some(own) = own {
                if own == to && from.allocated[*object] {
                    visit(None);
                }
                return;
            }
        }
        visit(Some(deed.clone()));
    }

    fn effect(&self, deed: &Deed) -> Effect {
        match (self.0, deed) {
            (Stores::AtOnce, _) => Effect::Within,
            (_, Deed::Store { .. }) => Effect::Delayed,
            (_, Deed::Free { .. } | Deed::Alloc { .. }) => Effect::Draining,
            (_, Deed::Load { .. } | Deed::Discard { .. }) => Effect::Within,
        }
    }

    fn refusal(&self, from: &Objects, happening: &Happening<'_, Deed>) -> String {
        match *happening.event {
            Deed::Free { object } if from.is_reachable(object) => {
                format!("object {object} is reachable")
            }
            Deed::Alloc { object } => format!("object {object} is allocated already"),
            Deed::Load { object, .. } if from.allocated[object] => {
                "it has another value".to_owned()
            }
            _ => "it was never allocated, or is freed".to_owned(),
        }
    }

    fn is_interesting(&self, deed: &Deed) -> bool {
        matches!(deed, Deed::Free { .. } | Deed::Load { .. })
    }
}
