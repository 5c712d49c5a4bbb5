//! Parts of a state that are drawn by rows where its system does not say how it is drawn.

/// Drawing of the values of a type, as a part of a row.
#[derive(Clone, Copy, Debug)]
pub enum Drawn {
    /// As a value.
    Whole,
    /// As a set.
    Set,
    /// As a queue; its elements, where each belongs to a member, as this says.
    Queue(&'static Drawn),
    /// As a queue of the same length in all states.
    Array(&'static Drawn),
    /// Field by field.
    Fields(&'static [DrawnField]),
}

/// Field of a struct that is drawn field by field.
#[derive(Clone, Copy, Debug)]
pub struct DrawnField {
    /// Its name.
    pub name: &'static str,
    /// The kind of members of which each has an element, as `#[state(each = …)]` says; empty if it has as many elements in all
    /// states, and it is not said of what.
    pub each: Option<&'static str>,
    /// Its type.
    pub drawn: Drawn,
}

impl DrawnField {
    /// The field of this name, which may be one of a field that is flattened.
    pub(crate) fn find(fields: &'static [Self], name: &str) -> Option<&'static Self> {
        let own = fields.iter().find(|field| field.name == name);
        own.or_else(|| {
            fields.iter().find_map(|field| match field.drawn {
                Drawn::Fields(flattened) => Self::find(flattened, name),
                _ => None,
            })
        })
    }
}
