//! Catalogue of named checks and claims.
//!
//! A *check* is a refinement with parameters; a *claim* is a check at certain arguments with its required verdict
//! and its source. One catalogue serves the command line, its default run, the tests and the documentation, so that
//! every claim is checked.

mod abilities;
mod check;
mod claim;
mod error;
mod expectation;
#[cfg(feature = "programs")]
mod fences;
#[cfg(feature = "histories")]
mod object;
mod parameters;
#[cfg(feature = "histories")]
mod ready;
#[cfg(feature = "histories")]
mod stress;
pub mod table;
#[cfg(feature = "histories")]
mod translated;
#[cfg(feature = "histories")]
mod validator;
mod values;

pub use crate::shell::WordsError;
pub(crate) use abilities::{Abilities, Ability, validate};
pub use check::{Check, Nothing};
pub use claim::Claim;
pub(crate) use claim::{Read, patterns};
pub use error::{ClaimError, ClaimErrors, InputError, RowError};
pub use expectation::{Expectation, ExpectationError};
#[cfg(feature = "programs")]
pub use fences::{Comparison, FenceProblem, FenceReport, PublishedFences};
pub(crate) use parameters::one_line;
pub use parameters::{Arguments, Parameter, ParameterKind, Parameters};
#[cfg(feature = "histories")]
pub(crate) use stress::Attendance;
#[cfg(feature = "histories")]
pub use stress::{RecordedHistory, StressFailure, StressReport, StressRun, StressSettings};
#[cfg(feature = "histories")]
pub use validator::{Validator, ValidatorError};
pub(crate) use values::whole_number;
pub use values::{Choice, Number, choice, number};

#[cfg(feature = "histories")]
use std::sync::LazyLock;

use refmap::internal::nearest;
use refmap::obligation::Settings;
use refmap::report::Report;
use table::{Published, Rows, Table};

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
    #[cfg(feature = "programs")]
    pub fences: Vec<FenceProblem>,
    /// The stress runs, in the order in which they are listed.
    #[cfg(feature = "histories")]
    pub stress: Vec<StressRun>,
    /// The validators of recorded histories, in the order in which they are listed.
    #[cfg(feature = "histories")]
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

    /// The validators of this catalogue, and then those of the ready specifications whose names it does not take.
    #[cfg(feature = "histories")]
    pub fn all_validators(&self) -> impl Iterator<Item = &Validator> {
        static READY: LazyLock<Vec<Validator>> = LazyLock::new(ready::ready);
        let is_free = |ready: &&Validator| {
            let mut own = self.validators.iter();
            !own.any(|own| own.name == ready.name)
        };
        self.validators.iter().chain(READY.iter().filter(is_free))
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
        let settings = claim.settings(&settings);
        validate(&*check, &settings)?;
        claim.validate_expectation(&check.declared(&settings)?)
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

    /// The error of a check, with the checks that can be asked, where it was refused since it cannot.
    pub(crate) fn with_able(&self, refused: &str, error: InputError) -> InputError {
        let Some(ability) = Ability::missing(&error) else {
            return error;
        };
        let able = self.checks.iter();
        let able = able.filter(|check| check.instances().any(|one| ability.is_of(&*one)));
        let able = able.map(|check| match check.name {
            name if name == refused => format!("{name} with other arguments"),
            name => name.to_owned(),
        });
        InputError::Unable {
            option: ability.option(),
            able: able.collect(),
            error: Box::new(error),
        }
    }
}
