//! Tables: a check at many combinations of its parameters.
//!
//! Arguments are written as they are typed to a shell: `--nodes 3 --colours white`.
//!
//! A table either *reports* the result of each combination ([`Sweep`]), or *claims* it, beside the published result
//! ([`Published`]). The default run decides the claims.

mod published;
mod sweep;

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

pub use published::{
    Axis, Cell, DecidedCells, Expected, Failing, Outcome, Published, PublishedRow,
};
pub use sweep::{Instance, Row, Sweep, SweptRow, combinations, rows};

use crate::catalogue::{Check, InputError};
use crate::in_order::{InOrder, in_parallel};
use crate::watchdogs::Watchdogs;
use refmap::obligation::Settings;

/// Table: a check at many combinations of its parameters.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line.
    pub about: &'static str,
    /// Name of the check.
    pub check: &'static str,
    /// Combinations.
    pub rows: Rows,
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub enum Rows {
    /// A sweep, whose results are reported.
    Sweep(Sweep),
    /// A published table, whose results are claimed.
    Published(Published),
}

/// Decided row.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// Row of a sweep.
    Swept(SweptRow),
    /// Row of a published table.
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
    /// Number of rows.
    pub fn height(&self) -> usize {
        match &self.rows {
            Rows::Sweep(sweep) => sweep.rows.len(),
            Rows::Published(published) => published.rows.len(),
        }
    }

    /// Tests whether every row can be decided by `check`, which the table names.
    ///
    /// # Errors
    ///
    /// If the check rejects an argument, or a row of a published table has no expectation for some column.
    pub fn validate(&self, check: &Check) -> Result<(), InputError> {
        match &self.rows {
            Rows::Sweep(sweep) => sweep.validate(check),
            Rows::Published(published) => published.validate(check),
        }
    }

    /// Decides every row by `check`, which the table names, and passes each to `visit`, in order; `visit` returns
    /// whether to continue. As many rows are decided in parallel as `settings` has threads, each by one worker, so
    /// that as many explorations are in memory at a time. For a sweep, the table determines the obligations, the
    /// symmetry and when to stop, not the settings.
    ///
    /// # Errors
    ///
    /// If the check rejects an argument.
    ///
    /// # Panics
    ///
    /// If the table is of another check, or a row of a published table has no expectation for some column.
    pub fn decide<E: From<InputError>>(
        &self,
        check: &Check,
        settings: &Settings<'_>,
        mut visit: impl FnMut(Decided) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut rows = InOrder::default();
        self.decide_watched(check, settings, &Watchdogs::default(), |number, row| {
            rows.add(number, row);
            while let Some((_, row)) = rows.next() {
                if !visit(row?)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// The same, of checks that are watched. Each row is passed on as soon as it is decided or refused, with its number. After one that is
    /// refused none begins; those before it have begun, and are decided.
    pub(crate) fn decide_watched<E>(
        &self,
        check: &Check,
        settings: &Settings<'_>,
        watchdogs: &Watchdogs,
        visit: impl FnMut(usize, Result<Decided, InputError>) -> Result<bool, E>,
    ) -> Result<(), E> {
        assert_eq!(check.name, self.check, "a table is decided by its check");
        let alone = Settings {
            threads: 1,
            ..settings.clone()
        };
        let decide_row = |number: usize| match &self.rows {
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
        let is_refused = AtomicBool::new(false);
        let decide = |number| {
            if is_refused.load(Ordering::Relaxed) {
                return None;
            }
            let label = format!("table {}: {}", self.name, self.given(number));
            let limits = settings.limits;
            let label = label.trim_end_matches(": ");
            let row = watchdogs.watching(label, limits, |_| decide_row(number));
            is_refused.fetch_or(row.is_err(), Ordering::Relaxed);
            Some(row)
        };
        in_parallel(settings.threads, &begin, decide, visit)
    }

    /// Arguments of a row.
    fn given(&self, number: usize) -> &str {
        match &self.rows {
            Rows::Sweep(sweep) => &sweep.rows[number].given,
            Rows::Published(published) => &published.rows[number].given,
        }
    }

    /// Describes the table as JSON.
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

    /// Serializes decided rows as JSON, with the number of undecided ones.
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
