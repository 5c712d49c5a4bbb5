//! Check that a heap has what an event of the on-the-fly collector names: objects and fields of the instance's sizes.

use refmap_histories::NoSuch;
use refmap_systems::native::on_the_fly::{Event, Reference};

/// Sizes of a heap.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub objects: u32,
    pub fields: u32,
}

impl Sizes {
    /// Checks that the heap has every slot and every field that an event names. Any generation may come.
    pub fn check(self, event: &Event) -> Result<(), NoSuch> {
        let (references, field) = named(event);
        for Reference { slot, .. } in references.into_iter().flatten() {
            NoSuch::unless("slot", slot, self.objects)?;
        }
        field.map_or(Ok(()), |field| NoSuch::unless("field", field, self.fields))
    }
}

/// The references that an event names, and the field.
fn named(event: &Event) -> ([Option<Reference>; 3], Option<u32>) {
    match *event {
        Event::Join { .. }
        | Event::Asked { .. }
        | Event::Fence
        | Event::Handshake { .. }
        | Event::Ask { .. }
        | Event::Answered { .. }
        | Event::SetFm { .. }
        | Event::SetFa { .. }
        | Event::SetPhase { .. }
        | Event::Leave => ([None; 3], None),
        Event::Alloc { reference, .. } => ([reference, None, None], None),
        Event::Hold { reference }
        | Event::Discard { reference }
        | Event::Sense { reference, .. }
        | Event::Look { reference, .. }
        | Event::Test { reference, .. }
        | Event::Mark { reference, .. }
        | Event::Trace { reference }
        | Event::Free { reference } => ([Some(reference), None, None], None),
        Event::Load { src, field, value }
        | Event::Store { src, field, value }
        | Event::Scan { src, field, value } => ([Some(src), value, None], Some(field)),
        Event::Overwrite {
            src,
            field,
            was,
            value,
        } => ([Some(src), was, value], Some(field)),
    }
}
