//! Texts in data, which can be replaced in place.
//!
//! PERF: what would read the data again from its serialised form, with each text escaped, is a sixteenth of what this crate compiles.

use std::mem::take;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// Number of lines that a text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    One,
    Several,
}

/// Visitor of texts.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(Lines, &mut String);

/// Data with texts, of which every one is visited: [`derive(Texts)`](refmap_derive::Texts).
pub(crate) trait Texts {
    /// Visits each text. One that is no part of other data has the lines `of`.
    fn each_text(&mut self, of: Lines, visit: Visit<'_>);
}

impl Texts for String {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        visit(of, self);
    }
}

impl<T: Texts> Texts for Option<T> {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        if let Some(inner) = self {
            inner.each_text(of, visit);
        }
    }
}

impl<T: Texts> Texts for Box<T> {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        (**self).each_text(of, visit);
    }
}

impl<T: Texts> Texts for Vec<T> {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        for inner in self {
            inner.each_text(of, visit);
        }
    }
}

impl Texts for PathBuf {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        // Of others the text that is shown is made by who shows it.
        if let Some(text) = self.to_str() {
            let mut text = text.to_owned();
            visit(of, &mut text);
            *self = text.into();
        }
    }
}

impl Texts for Map<String, Value> {
    fn each_text(&mut self, _: Lines, visit: Visit<'_>) {
        let given = take(self);
        self.extend(given.into_iter().map(|(mut name, mut value)| {
            // A variable of a model may have the name of a field.
            let of = match name.as_str() {
                "drawing" | "abstract_drawing" | "explanation" => Lines::Several,
                _ => Lines::One,
            };
            value.each_text(of, visit);
            visit(Lines::One, &mut name);
            (name, value)
        }));
    }
}

impl Texts for Value {
    fn each_text(&mut self, of: Lines, visit: Visit<'_>) {
        match self {
            Self::String(text) => text.each_text(of, visit),
            Self::Array(items) => items.each_text(of, visit),
            Self::Object(fields) => fields.each_text(of, visit),
            Self::Null | Self::Bool(_) | Self::Number(_) => (),
        }
    }
}

/// Data without a text.
macro_rules! no_texts {
    ($($type:ty),*) => {
        $(impl Texts for $type {
            fn each_text(&mut self, _: Lines, _: Visit<'_>) {}
        })*
    };
}

no_texts!(bool, u32, u64, usize, f64);
