//! Catalogue of named checks and claims.
//!
//! A *check* is a refinement with parameters; a *claim* is a check at certain arguments with its required verdict
//! and its source. One catalogue serves the command line, its default run, the tests and the documentation, so that
//! every claim is checked.

mod check;
mod claim;
mod error;
mod expectation;
mod fences;
mod parameters;
mod row;
mod stress;
mod validator;
mod values;

pub use crate::shell::WordsError;
pub use check::{Check, Nothing};
pub use claim::Claim;
pub(crate) use claim::patterns;
pub use error::{ClaimError, ClaimErrors, InputError};
pub use expectation::{Expectation, ExpectationError};
pub use fences::{Comparison, FenceProblem, FenceReport, PublishedFences};
pub(crate) use parameters::one_line;
pub use parameters::{Arguments, Parameter, ParameterKind, Parameters};
pub(crate) use row::Read;
pub use row::RowError;
pub use stress::{RecordedHistory, StressFailure, StressReport, StressRun, StressSettings};
pub use validator::{Validator, ValidatorError};
pub(crate) use values::whole_number;
pub use values::{Choice, Number, choice, number};

use crate::table::{Published, Rows, Table};
use refmap::internal::nearest;
use refmap::obligation::Settings;
use refmap::report::Report;

/// Catalogue of checks and claims.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The checks, in the order in which they are listed.
    pub checks: Vec<Check>,
    /// The page of claims, of which each row is read: see [`claims`](Self::claims).
    pub claims: String,
    /// The tables, in the order in which they are listed. A published one is a claim for each of its cells.
    pub tables: Vec<Table>,
    /// The programs for fence synthesis, in the order in which they are listed.
    pub fences: Vec<FenceProblem>,
    /// The stress runs, in the order in which they are listed.
    pub stress: Vec<StressRun>,
    /// The validators of recorded histories, in the order in which they are listed.
    pub validators: Vec<Validator>,
}

impl Catalogue {
    /// Published tables.
    pub fn published(&self) -> impl Iterator<Item = (&Table, &Published)> {
        self.tables.iter().filter_map(|table| match &table.rows {
            Rows::Published(published) => Some((table, published)),
            Rows::Sweep(_) => None,
        })
    }

    /// Looks up a check by name.
    ///
    /// # Errors
    ///
    /// If there is none; with the most similar name.
    pub fn check(&self, name: &str) -> Result<&Check, InputError> {
        self.checks
            .iter()
            .find(|check| check.name == name)
            .ok_or_else(|| InputError::UnknownCheck {
                name: name.to_owned(),
                nearest: nearest(name, self.checks.iter().map(|check| check.name)),
                known: self.checks.iter().map(|check| check.name).collect(),
            })
    }

    /// Reads the claims of the page, in the order of its rows.
    ///
    /// The page is a text in Markdown. Between its tables anything may stand that has no bar, and a table is
    ///
    /// ```text
    /// | claim | expected | source |
    /// |---|---|---|
    /// | `my-project check counter --threads 2` | holds, 12 states | this page: two threads and a lock |
    /// | `my-project check counter --lock absent` | violated by simulation after 4 steps | this page: an update is lost |
    /// ```
    ///
    /// A command is written as it is typed to a shell: the name of the program (or, in all rows, none), `check`, the name of a
    /// check, its arguments, and the options that say what is asked: obligations, limits of states and of depth, walks, symmetry
    /// and the like. A row `table NAME` is about a published table, and says what the table does. An expected result is a
    /// verdict, and what may follow it is, in this order,
    ///
    /// ```text
    /// by OBLIGATION   after N steps   , and by OBLIGATION, …   , N states   , N transitions   , all exercised
    /// ```
    ///
    /// An obligation whose name has a space, a comma or a quote is in single quotes. The source ends at the first `: `; a colon
    /// in the source has a backslash before it, and so has a bar anywhere.
    ///
    /// # Errors
    ///
    /// One for each row that is malformed, or has a check or an argument that the catalogue does not have.
    pub fn claims(&self) -> Result<Vec<Claim>, ClaimErrors> {
        let Read { claims, errors } = row::read(self);
        if errors.is_empty() {
            Ok(claims)
        } else {
            Err(ClaimErrors(errors))
        }
    }

    /// Tests whether a claim can be decided as it is stated: its check, the instance of its arguments, its obligations and what
    /// it expects of them. Nothing is searched.
    ///
    /// # Errors
    ///
    /// Reason why it cannot be decided.
    pub fn validate_claim(&self, claim: &Claim) -> Result<(), InputError> {
        let check = self.check(&claim.check)?.build(&claim.arguments)?;
        let settings = Settings {
            threads: 1,
            ..Settings::default()
        };
        claim.validate_expectation(&check.declared(&claim.settings(&settings))?)
    }

    /// Tests whether every claim and every published table can be decided as it is stated.
    ///
    /// # Errors
    ///
    /// Reasons, one for each that cannot be decided.
    pub fn validate(&self) -> Result<(), ClaimErrors> {
        let Read { errors, .. } = self.validated();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(ClaimErrors(errors))
        }
    }

    /// Rows of the page, and why rows and published tables cannot be decided as they are stated, in their order.
    pub(crate) fn validated(&self) -> Read {
        let Read { claims, mut errors } = row::read(self);
        errors.extend(claims.iter().filter_map(|claim| {
            let error = self.validate_claim(claim).err()?;
            Some(ClaimError {
                line: Some(claim.line),
                command: claim.command.clone(),
                error: error.into(),
            })
        }));
        errors.sort_by_key(|error| error.line);
        errors.extend(self.published().filter_map(|(table, published)| {
            let check = self.check(table.check);
            let error = check.and_then(|check| published.validate(check)).err()?;
            Some(ClaimError {
                line: None,
                command: format!("table {}", table.name),
                error: error.into(),
            })
        }));
        Read { claims, errors }
    }

    /// Runs the check of a claim.
    ///
    /// # Errors
    ///
    /// If the catalogue does not have the claim's check, or the check rejects its arguments.
    pub fn run(&self, claim: &Claim, settings: &Settings<'_>) -> Result<Report, InputError> {
        let check = self.check(&claim.check)?;
        check.run(&claim.arguments, &claim.settings(settings))
    }
}
