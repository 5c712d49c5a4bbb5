//! Catalogue of named checks and claims.
//!
//! A *check* is a refinement with parameters; a *claim* is a check at certain arguments with its required verdict
//! and its source. One catalogue serves the command line, its default run, the tests and the documentation, so that
//! every claim is checked.

mod arguments;
mod check;
mod choice;
mod claim;
mod error;
mod fences;
mod parameter;
mod stress;
mod validator;

pub use arguments::Arguments;
pub use check::Check;
pub use choice::Choice;
pub(crate) use claim::patterns;
pub use claim::{Claim, Expectation};
pub use error::{ClaimError, ClaimErrors, InputError};
pub use fences::{Comparison, FenceProblem, FenceReport, PublishedFences};
pub use parameter::{Parameter, ParameterKind};
pub use stress::{RecordedHistory, StressFailure, StressReport, StressRun, StressSettings};
pub use validator::{Validator, ValidatorError};

use crate::table::{Published, Rows, Table};
use refmap::internal::nearest;
use refmap::obligation::Settings;
use refmap::report::Report;

/// Catalogue of checks and claims.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The checks, in the order in which they are listed.
    pub checks: Vec<Check>,
    /// The claims, in the order in which they are made.
    pub claims: Vec<Claim>,
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

    /// Tests whether a claim can be decided as it is stated: its check, its arguments, the instance that they make, its
    /// obligations and what it expects of them. Nothing is searched.
    ///
    /// # Errors
    ///
    /// Reason why it cannot be decided.
    pub fn validate_claim(&self, claim: &Claim) -> Result<(), InputError> {
        let check = self.check(claim.check)?.build(&claim.arguments)?;
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
        let refused = |command: String| move |error| ClaimError { command, error };
        let claims = self.claims.iter().map(|claim| {
            let valid = self.validate_claim(claim);
            valid.map_err(refused(claim.command()))
        });
        let tables = self.published().map(|(table, published)| {
            let valid = self.check(table.check);
            let valid = valid.and_then(|check| published.validate(check));
            valid.map_err(refused(format!("table {}", table.name)))
        });
        let errors: Vec<_> = claims.chain(tables).filter_map(Result::err).collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(ClaimErrors(errors))
        }
    }

    /// Runs the check of a claim.
    ///
    /// # Errors
    ///
    /// If the catalogue does not have the claim's check, or the check rejects its arguments.
    pub fn run(&self, claim: &Claim, settings: &Settings<'_>) -> Result<Report, InputError> {
        let check = self.check(claim.check)?;
        check.run(&claim.arguments, &claim.settings(settings))
    }
}
