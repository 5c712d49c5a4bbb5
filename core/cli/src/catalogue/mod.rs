//! Catalogue of named checks and claims.
//!
//! A *check* is a refinement with parameters; a *claim* is a check at certain arguments with its required verdict
//! and its source. One catalogue serves the command line, its default run, the tests and the documentation, so that
//! every claim is checked.

mod choice;
mod claim;
mod fences;
mod stress;
mod validator;

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Map, Value};

pub use choice::Choice;
pub use claim::{Claim, Expectation};
pub use fences::{Comparison, FenceProblem, FenceReport, PublishedFences};
pub use stress::{RecordedHistory, StressFailure, StressReport, StressRun, StressSettings};
pub use validator::{Validator, ValidatorError};

use crate::table::{Published, Rows, Table};
use refmap::obligation::{CheckError, Settings, nearest};
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

    /// Runs the check of a claim.
    ///
    /// # Errors
    ///
    /// If the catalogue does not have the claim's check, or the check rejects its arguments.
    pub fn run(&self, claim: &Claim, settings: &Settings<'_>) -> Result<Report, InputError> {
        let settings = Settings {
            obligations: claim.obligations.clone(),
            induction: claim.induction,
            until: claim.until,
            symmetry: claim.symmetry,
            ..settings.clone()
        };
        self.check(claim.check)?.run(&claim.arguments, &settings)
    }
}

type Run = dyn Fn(&Arguments, &Settings<'_>) -> Result<Report, InputError> + Send + Sync;

/// Refinement with parameters.
#[derive(Serialize)]
pub struct Check {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line: which system refines which.
    pub about: &'static str,
    /// Source.
    pub source: &'static str,
    /// Parameters, in the order in which they are listed.
    pub parameters: Vec<Parameter>,
    #[serde(skip)]
    run: Box<Run>,
}

impl Check {
    /// Creates a check. `run` builds the instance from its arguments and calls [`refmap::check`]; it rejects
    /// combinations of arguments that are in range individually but inconsistent.
    pub fn new(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        parameters: Vec<Parameter>,
        run: impl Fn(&Arguments, &Settings<'_>) -> Result<Report, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters,
            run: Box::new(run),
        }
    }

    /// Runs the check at `given` arguments and the defaults of the others.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default, or if `settings` are inconsistent.
    pub fn run(
        &self,
        given: &[(&str, Value)],
        settings: &Settings<'_>,
    ) -> Result<Report, InputError> {
        let arguments = self.arguments(given)?;
        let report = (self.run)(&arguments, settings)?;
        Ok(report.named(self.name, arguments.0))
    }

    /// Values of all parameters: as given, or the defaults.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default.
    pub fn arguments(&self, given: &[(&str, Value)]) -> Result<Arguments, InputError> {
        arguments(self.name, &self.parameters, given)
    }
}

/// Values of all parameters of the item `of`: as given, or the defaults.
fn arguments(
    of: &'static str,
    parameters: &[Parameter],
    given: &[(&str, Value)],
) -> Result<Arguments, InputError> {
    for (name, _) in given {
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            let known = || parameters.iter().map(|parameter| parameter.name);
            return Err(InputError::UnknownParameter {
                check: of,
                name: (*name).to_owned(),
                nearest: nearest(name, known()),
                known: known().collect(),
            });
        }
    }
    let mut arguments = Map::new();
    for parameter in parameters {
        let given = given.iter().rev().find(|(name, _)| *name == parameter.name);
        let value = match given {
            Some((_, value)) => parameter.accept(value)?,
            None => parameter.default()?,
        };
        arguments.insert(parameter.name.to_owned(), value);
    }
    Ok(Arguments(arguments))
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Check({:?})", self.name)
    }
}

/// Parameter of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Name, without dashes.
    pub name: &'static str,
    /// Description in one line.
    pub help: &'static str,
    /// Kind of its values.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// Kind of a parameter's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A number from `least` to `most`.
    Number {
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// Default value.
        default: u64,
    },
    /// One of several names.
    Choice {
        /// The names.
        values: Vec<&'static str>,
        /// The value if none is given; without one it has to be.
        default: Option<&'static str>,
    },
    /// A flag; off by default.
    Flag,
    /// A list of names; empty by default. The permitted names depend on other arguments, so the check rejects
    /// unknown ones.
    Names,
}

impl Parameter {
    /// Creates a number.
    pub fn number(
        name: &'static str,
        range: RangeInclusive<u64>,
        default: u64,
        help: &'static str,
    ) -> Self {
        let (least, most) = range.into_inner();
        Self {
            name,
            help,
            kind: ParameterKind::Number {
                least,
                most,
                default,
            },
        }
    }

    /// One of several names, the first of which is the default. Where they stand for values of a type, it is a
    /// [`Choice`].
    ///
    /// # Panics
    ///
    /// If there is no name.
    pub fn choice(name: &'static str, values: &[&'static str], help: &'static str) -> Self {
        let default = Some(*values.first().expect("a choice has a value to choose"));
        let values = values.to_vec();
        Self {
            name,
            help,
            kind: ParameterKind::Choice { values, default },
        }
    }

    /// One of several names, which has to be given.
    pub fn required(name: &'static str, values: &[&'static str], help: &'static str) -> Self {
        let (values, default) = (values.to_vec(), None);
        Self {
            name,
            help,
            kind: ParameterKind::Choice { values, default },
        }
    }

    /// Creates a flag.
    pub fn flag(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind: ParameterKind::Flag,
        }
    }

    /// Creates a list of names.
    pub fn names(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind: ParameterKind::Names,
        }
    }

    /// Default value.
    fn default(&self) -> Result<Value, InputError> {
        Ok(match &self.kind {
            ParameterKind::Number { default, .. } => (*default).into(),
            ParameterKind::Choice {
                default: Some(default),
                ..
            } => (*default).into(),
            ParameterKind::Choice {
                default: None,
                values,
            } => {
                return Err(InputError::MissingArgument {
                    parameter: self.name,
                    allowed: values.join(", "),
                });
            }
            ParameterKind::Flag => false.into(),
            ParameterKind::Names => Value::Array(Vec::new()),
        })
    }

    fn accept(&self, value: &Value) -> Result<Value, InputError> {
        let accepted = match &self.kind {
            ParameterKind::Number { least, most, .. } => value
                .as_u64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
            ParameterKind::Choice { values, .. } => value
                .as_str()
                .is_some_and(|choice| values.contains(&choice)),
            ParameterKind::Flag => value.is_boolean(),
            ParameterKind::Names => value
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string)),
        };
        if accepted {
            return Ok(value.clone());
        }
        Err(InputError::BadArgument {
            parameter: self.name,
            given: value.to_string(),
            allowed: match &self.kind {
                ParameterKind::Number { least, most, .. } => {
                    format!("a number from {least} to {most}")
                }
                ParameterKind::Choice { values, .. } => values.join(" or "),
                ParameterKind::Flag => "true or false".to_owned(),
                ParameterKind::Names => "a list of names".to_owned(),
            },
        })
    }
}

/// Values of all parameters of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Value of a number.
    ///
    /// # Panics
    ///
    /// If the check has no number of this name that fits `T`.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> T {
        self.0
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|number| T::try_from(number).ok())
            .unwrap_or_else(|| panic!("the check declares a number {name:?} of fitting range"))
    }

    /// Value of a choice.
    ///
    /// # Panics
    ///
    /// If the check has no choice of this name.
    pub fn choice(&self, name: &str) -> &str {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("the check declares a choice {name:?}"))
    }

    /// Values of a list of names.
    ///
    /// # Panics
    ///
    /// If the check has no list of names of this name.
    pub fn names(&self, name: &str) -> Vec<&str> {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .and_then(|names| names.iter().map(Value::as_str).collect())
            .unwrap_or_else(|| panic!("the check declares names {name:?}"))
    }

    /// Whether a flag is given.
    ///
    /// # Panics
    ///
    /// If the check has no flag of this name.
    pub fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_else(|| panic!("the check declares a flag {name:?}"))
    }
}

/// Error: a check cannot be run as requested.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The catalogue has no such check.
    #[error("there is no check {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownCheck {
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The check has no such parameter.
    #[error("{check} has no parameter {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownParameter {
        /// The check.
        check: &'static str,
        /// The given name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The parameter does not accept the value.
    #[error("{parameter} is {given}, and must be {allowed}")]
    BadArgument {
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        given: String,
        /// Permitted values.
        allowed: String,
    },
    /// A parameter without a default has no value.
    #[error("{parameter} is not given, and must be one of {allowed}")]
    MissingArgument {
        /// The parameter.
        parameter: &'static str,
        /// Permitted values.
        allowed: String,
    },
    /// The arguments are inconsistent.
    #[error(transparent)]
    Instance(Box<dyn std::error::Error + Send + Sync>),
    /// The refinement does not support the settings.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl InputError {
    /// Error for inconsistent arguments, with its cause.
    pub fn instance(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Instance(Box::new(error))
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_given_or_not() {
        let parameters = vec![Parameter::flag("loud", "how")];
        let check = Check::new("c", "", "", parameters, |_, _| unreachable!("not run"));
        let given = |given: &[(&str, Value)]| check.arguments(given).map(|all| all.flag("loud"));
        assert!(!given(&[]).unwrap());
        assert!(given(&[("loud", true.into())]).unwrap());
        let error = given(&[("loud", "very".into())]).unwrap_err();
        assert!(error.to_string().contains("must be true or false"));
        let command = |value: bool| Claim::holds("c", vec![("loud", value.into())]).command();
        assert_eq!(command(true), "check c --loud");
        assert_eq!(command(false), "check c");
    }

    #[test]
    fn names_are_given_one_by_one() {
        let parameters = vec![Parameter::names("without", "what")];
        let check = Check::new("c", "", "", parameters, |_, _| unreachable!("not run"));
        let given = |given: &[(&str, Value)]| {
            let arguments = check.arguments(given)?;
            Ok::<_, InputError>(arguments.names("without").join(" "))
        };
        let two = Value::from(vec!["a", "b"]);
        assert_eq!(given(&[]).unwrap(), "");
        assert_eq!(given(&[("without", two.clone())]).unwrap(), "a b");
        for wrong in [Value::from("a"), Value::from(vec![1])] {
            let error = given(&[("without", wrong)]).unwrap_err();
            assert!(error.to_string().contains("must be a list of names"));
        }
        let claim = Claim::holds("c", vec![("without", two)]);
        assert_eq!(claim.command(), "check c --without a --without b");
    }
}
