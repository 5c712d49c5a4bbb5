//! Validation of the native collector's histories against "collect only garbage".
//!
//! Each mutator is a thread of the history, and so is the collector. A store takes effect at the latest at the next
//! handshake of its mutator, which has a fence, and until then only its mutator reads it. Marking and
//! handshakes are stutters of the specification.

use refmap_histories::{Effect, Happening, NoSuch, Observed};
use refmap_systems::native::on_the_fly::{Event, Reference, Shape, ShapeError};
use refmap_systems::native::specification::{Action, CollectOnlyGarbage, Program};

use super::event_text::described;
use super::sizes::Sizes;

/// Correspondence of recorded events to steps of the specification.
pub struct ObservedHeap {
    specification: CollectOnlyGarbage,
}

impl ObservedHeap {
    /// Correspondence for a heap of this shape.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn new(shape: Shape) -> Result<Self, ShapeError> {
        let Shape { objects, fields } = shape.validate()?;
        Ok(Self {
            specification: CollectOnlyGarbage {
                // They join and leave.
                mutators: 0,
                objects,
                fields,
            },
        })
    }
}

/// The newest pending store of the thread to a field.
fn own(pending: &[&Event], at: (Reference, u32)) -> Option<Option<Reference>> {
    pending.iter().rev().find_map(|event| match **event {
        Event::Store { src, field, value } if (src, field) == at => Some(value),
        _ => None,
    })
}

impl Observed for ObservedHeap {
    type Specification = CollectOnlyGarbage;
    type Event = Event;

    fn specification(&self) -> &CollectOnlyGarbage {
        &self.specification
    }

    fn shows(
        &self,
        _: &Program,
        happening: &Happening<'_, Event>,
        visit: &mut impl FnMut(Option<Action>),
    ) {
        let mutator = happening.thread;
        match *happening.event {
            Event::Hold { reference } => visit(Some(Action::Hold { mutator, reference })),
            Event::Alloc {
                reference: Some(reference),
                ..
            } => visit(Some(Action::Alloc { mutator, reference })),
            Event::Load { src, field, value } => {
                let load = match own(happening.pending, (src, field)) {
                    Some(own) if own != value => return,
                    Some(_) => Action::LoadOwn {
                        mutator,
                        src,
                        value,
                    },
                    None => Action::Load {
                        mutator,
                        src,
                        field,
                        value,
                    },
                };
                visit(Some(load));
            }
            Event::Store { src, field, value } => {
                visit(Some(Action::Store { src, field, value }));
            }
            Event::Discard { reference } => visit(Some(Action::Discard { mutator, reference })),
            Event::Free { reference } => visit(Some(Action::Free { reference })),
            Event::Leave => visit(Some(Action::Leave { mutator })),
            _ => visit(None),
        }
    }

    /// Mutators join and leave, so the specification has no fixed number of them. Left out is a load of the thread's
    /// own pending store, if no mutator holds the value any more.
    fn unrecorded(&self, from: &Program, thread: u32, visit: &mut impl FnMut(Action)) {
        self.specification.steps_of(thread, from, visit);
    }

    fn check(&self, event: &Event) -> Result<(), NoSuch> {
        let CollectOnlyGarbage {
            objects, fields, ..
        } = self.specification;
        Sizes { objects, fields }.check(event)
    }

    fn effect(&self, event: &Event) -> Effect {
        match event {
            Event::Store { .. } => Effect::Delayed,
            // A fence comes before it, and the lock of the registry.
            Event::Fence | Event::Handshake { .. } | Event::Leave => Effect::Draining,
            _ => Effect::Within,
        }
    }

    /// Marking and handshakes.
    fn only_looks(&self, event: &Event) -> bool {
        !matches!(
            event,
            Event::Hold { .. }
                | Event::Alloc {
                    reference: Some(_),
                    ..
                }
                | Event::Load { .. }
                | Event::Store { .. }
                | Event::Discard { .. }
                | Event::Free { .. }
                | Event::Leave
        )
    }

    fn refusal(&self, from: &Program, happening: &Happening<'_, Event>) -> String {
        let mutator = happening.thread;
        let is_there = |reference: &Reference| from.heap.contains_key(reference);
        let held = |reference| {
            if from.holds(mutator, reference) {
                None
            } else {
                Some(format!("{reference} is no root of its thread"))
            }
        };
        match *happening.event {
            Event::Free { reference } => match from.path(reference) {
                _ if !is_there(&reference) => format!("{reference} is no object"),
                Some(path) => {
                    let path: Vec<_> = path.iter().map(Reference::to_string).collect();
                    format!("{reference} is reachable: {}", path.join(" → "))
                }
                None => "the collector may do it".to_owned(),
            },
            Event::Load { src, field, value } => held(src).unwrap_or_else(|| {
                let own = own(happening.pending, (src, field));
                let memory = from.heap.get(&src).and_then(|f| f.get(field as usize));
                let shown = |there: Option<Reference>| match there {
                    None => "null".to_owned(),
                    Some(there) if !is_there(&there) => format!("{there}, which was freed"),
                    Some(there) => there.to_string(),
                };
                match own.or(memory.copied()) {
                    None => format!("{src} has no field {field}, or was freed"),
                    Some(there) if there == value => format!("it reads {}", shown(there)),
                    Some(there) => format!("it would read {}", shown(there)),
                }
            }),
            Event::Store { src, value, .. } => {
                let mut used = [Some(src), value].into_iter().flatten();
                let freed = used.find(|reference| !is_there(reference));
                freed.map_or("there is no such field".to_owned(), |reference| {
                    format!("{reference} was freed")
                })
            }
            Event::Alloc {
                reference: Some(reference),
                ..
            } => format!("{reference} has been allocated before, or its slot is not free"),
            Event::Discard { reference } => held(reference).unwrap_or_default(),
            Event::Hold { reference } => format!("no mutator holds {reference}"),
            _ => "never".to_owned(),
        }
    }

    /// Frees: a history without them is vacuous.
    fn is_interesting(&self, event: &Event) -> bool {
        matches!(event, Event::Free { .. })
    }

    fn describe(&self, event: &Event) -> String {
        described(event)
    }
}
