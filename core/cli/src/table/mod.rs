//! Tables: one check at many combinations of its parameters.
//!
//! A table either *asks* what becomes of each combination ([`Sweep`]), or *says* it, beside what was published
//! ([`Published`]). The default run decides what is said.

mod published;
mod sweep;

use serde_json::{Value, json};

pub use published::{
    Axis, Cell, DecidedCells, Expected, Failing, Outcome, Published, PublishedRow,
};
pub use sweep::{Instance, Row, Sweep, SweptRow, combinations, rows};

use crate::catalogue::{Catalogue, InputError};
use crate::in_order::in_order;
use refmap::obligation::Settings;

/// Arguments of a check.
pub type Given = Vec<(&'static str, Value)>;

/// A check at many combinations of its parameters.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it compares, in a line.
    pub about: &'static str,
    /// The name of the check.
    pub check: &'static str,
    /// The combinations.
    pub rows: Rows,
}

/// The rows of a table.
#[derive(Clone, Debug)]
pub enum Rows {
    /// What becomes of each is asked.
    Sweep(Sweep),
    /// What becomes of each is known, and claimed.
    Published(Published),
}

/// A row that was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// A row of a sweep.
    Swept(SweptRow),
    /// A row of a published table.
    Cells(DecidedCells),
}

impl Decided {
    /// The row, if it is one of a sweep.
    pub fn swept(&self) -> Option<&SweptRow> {
        match self {
            Self::Swept(row) => Some(row),
            Self::Cells(_) => None,
        }
    }

    /// The row, if it is one of a published table.
    pub fn cells(&self) -> Option<&DecidedCells> {
        match self {
            Self::Cells(row) => Some(row),
            Self::Swept(_) => None,
        }
    }
}

impl Table {
    /// How many rows there are.
    pub fn height(&self) -> usize {
        match &self.rows {
            Rows::Sweep(sweep) => sweep.rows.len(),
            Rows::Published(published) => published.rows.len(),
        }
    }

    /// Decides every row, and shows each to `visit`, in order; it says whether to go on. Rows are decided
    /// by as many workers as `settings` say, each by one, so that as many explorations are in memory at a
    /// time. Of a sweep the obligations, the symmetry and when to stop are the table's and not those of the settings.
    ///
    /// # Errors
    ///
    /// If the check or an argument is not what the catalogue has.
    ///
    /// # Panics
    ///
    /// If a row of a published table says nothing of a column.
    pub fn decide<E: From<InputError>>(
        &self,
        catalogue: &Catalogue,
        settings: &Settings<'_>,
        mut visit: impl FnMut(Decided) -> Result<bool, E>,
    ) -> Result<(), E> {
        let check = catalogue.check(self.check)?;
        let alone = Settings {
            threads: 1,
            ..settings.clone()
        };
        let decide = |number: usize| match &self.rows {
            Rows::Sweep(sweep) => {
                let row = sweep.row(check, &sweep.rows[number], &alone);
                row.map(Decided::Swept)
            }
            Rows::Published(published) => {
                let row = published.row(check, &published.rows[number], &alone);
                row.map(Decided::Cells)
            }
        };
        let begin: Vec<usize> = (0..self.height()).collect();
        let decide = |number| Some(decide(number));
        in_order(settings.threads, &begin, decide, |_, row| visit(row?))
    }

    /// What the table is, as JSON.
    pub(crate) fn head(&self) -> Value {
        let mut head = json!({"name": self.name, "about": self.about});
        if let Rows::Published(published) = &self.rows {
            head["source"] = published.source.into();
        }
        head["check"] = self.check.into();
        if let Rows::Published(published) = &self.rows {
            head["columns"] = json!(published.columns);
            head["parts"] = json!(published.parts);
        }
        head
    }

    /// Decided rows as JSON, and how many were not decided.
    pub(crate) fn json(&self, rows: &[Decided], left: usize) -> Value {
        match &self.rows {
            Rows::Sweep(_) => {
                let rows: Vec<_> = rows.iter().filter_map(Decided::swept).collect();
                json!({"table": self.head(), "rows": rows, "not_run": left})
            }
            Rows::Published(published) => {
                let mut printed = published.json(rows.iter().filter_map(Decided::cells));
                printed["not_run"] = left.into();
                printed
            }
        }
    }
}
