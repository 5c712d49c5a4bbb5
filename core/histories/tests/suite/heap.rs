//! A heap of three objects with one field each, and a specification whose collector frees only garbage.

use refmap::drawing::{Drawing, Node};
use refmap::{Rule, RuleId, TransitionSystem};
use refmap_histories::{Effect, Happening, Observed};
use serde::{Deserialize, Serialize};

use super::memory::Stores;

/// Number of objects.
pub const OBJECTS: usize = 3;

/// Operations of threads, and actions of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// The object becomes a root.
    Alloc {
        object: usize,
    },
    /// The object is no longer a root.
    Discard {
        object: usize,
    },
    Store {
        object: usize,
        to: Option<usize>,
    },
    Load {
        object: usize,
        to: Option<usize>,
    },
    /// Requires that the object is unreachable from the roots.
    Free {
        object: usize,
    },
}

impl refmap::Action for Deed {}

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

    fn after(&self, deed: &Deed) -> Option<Self> {
        let mut to = self.clone();
        let enabled = match *deed {
            Deed::Alloc { object } => {
                to.allocated[object] = true;
                to.roots[object] = true;
                to.field[object] = None;
                !self.allocated[object]
            }
            Deed::Discard { object } => {
                to.roots[object] = false;
                self.roots[object]
            }
            Deed::Store { object, to: target } => {
                to.field[object] = target;
                self.allocated[object] && target.is_none_or(|target| self.allocated[target])
            }
            Deed::Load { object, to: target } => {
                self.allocated[object] && self.field[object] == target
            }
            Deed::Free { object } => {
                to.allocated[object] = false;
                to.field[object] = None;
                self.allocated[object] && !self.is_reachable(object)
            }
        };
        enabled.then_some(to)
    }
}

/// Adapter for the heap, with immediate or delayed stores.
pub struct Heap(pub Stores);

static RULES: [Rule; 5] = [
    Rule::new("alloc", "mutator", "test"),
    Rule::new("discard", "mutator", "test"),
    Rule::new("store", "mutator", "test"),
    Rule::new("load", "mutator", "test"),
    Rule::new("free", "collector", "test"),
];

impl TransitionSystem for Heap {
    type State = Objects;
    type Action = Deed;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        &RULES
    }

    fn rule_of(&self, deed: &Deed) -> RuleId {
        RuleId(match deed {
            Deed::Alloc { .. } => 0,
            Deed::Discard { .. } => 1,
            Deed::Store { .. } => 2,
            Deed::Load { .. } => 3,
            Deed::Free { .. } => 4,
        })
    }

    fn initial(&self, visit: &mut impl FnMut(Objects)) {
        visit(Objects::default());
    }

    fn next(&self, from: &Objects, visit: &mut impl FnMut(Deed, Objects)) {
        let mut deeds = Vec::new();
        for object in 0..OBJECTS {
            deeds.extend([
                Deed::Alloc { object },
                Deed::Discard { object },
                Deed::Free { object },
            ]);
            for to in [None, Some(0), Some(1), Some(2)] {
                deeds.extend([Deed::Store { object, to }, Deed::Load { object, to }]);
            }
        }
        for deed in deeds {
            if let Some(to) = from.after(&deed) {
                visit(deed, to);
            }
        }
    }

    fn observe(&self, _: &Objects) {}

    fn successor(&self, from: &Objects, deed: &Deed) -> Option<Objects> {
        from.after(deed)
    }

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
