//! Text of reports and counterexamples for people.
//!
//! Width, colours and detail are values passed in; `Display` is plain text of 100 columns.

use std::fmt::{self, Display, Formatter};

use super::layout::{Colour, wrap};
use super::{Counterexample, Report};
use crate::statement::shown::visible::visible_data;

/// Options of the text of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// The most columns that a line takes.
    pub width: usize,
    /// Choice whether there are colours.
    pub colour: Colour,
    /// Detail in which each step is shown.
    pub detail: Detail,
}

/// Detail in which each step of a counterexample is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Changes; stutters on one line each, and whole states at the last step only.
    #[default]
    Changes,
    /// Whole states everywhere.
    WholeStates,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            width: 100,
            colour: Colour::default(),
            detail: Detail::default(),
        }
    }
}

/// A report or a counterexample, to be displayed in a given way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a, T> {
    pub(super) of: &'a T,
    pub(super) options: TextOptions,
}

/// The same, with nothing in it that would speak to the terminal.
struct PlainText<T> {
    of: T,
    options: TextOptions,
}

impl<T> Display for PlainText<T>
where
    for<'t> Text<'t, T>: Display,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = Text {
            of: &self.of,
            options: self.options,
        };
        text.fmt(f)
    }
}

impl Report {
    /// The report as text, written in this way.
    pub fn text(&self, options: TextOptions) -> impl Display {
        let of = visible_data(self);
        PlainText { of, options }
    }
}

impl Counterexample {
    /// The counterexample as text, written in this way.
    pub fn text(&self, options: TextOptions) -> impl Display {
        let of = visible_data(self);
        PlainText { of, options }
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.text(TextOptions::default()).fmt(f)
    }
}

impl Display for Counterexample {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.text(TextOptions::default()).fmt(f)
    }
}

impl<T> Text<'_, T> {
    /// A line, broken where it is too long, its further lines indented.
    pub(super) fn paragraph(
        &self,
        f: &mut Formatter<'_>,
        line: &str,
        indent: usize,
    ) -> fmt::Result {
        for line in wrap(line, self.options.width, indent) {
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
