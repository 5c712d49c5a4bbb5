//! Named checks and the claims made of them.
//!
//! A *check* is a refinement with parameters; a *claim* is a check at certain arguments with the
//! verdict that it must have, and who says so. One catalogue serves the command line, its default
//! run, the tests and the documentation, so that nothing is claimed that is not checked.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::obligation::{CheckError, Induction, Selection, Settings, Until, nearest};
use crate::report::{Report, Verdict};
use crate::table::Table;

/// Checks and claims.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The checks, in the order in which they are listed.
    pub checks: Vec<Check>,
    /// The claims, in the order in which they are made.
    pub claims: Vec<Claim>,
    /// The tables, in the order in which they are listed.
    pub tables: Vec<Table>,
}

impl Catalogue {
    /// The check of a name.
    ///
    /// # Errors
    ///
    /// If there is none; with the name most like it.
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
    /// If the claim's check or arguments are not what the catalogue has.
    pub fn run(&self, claim: &Claim, settings: &Settings<'_>) -> Result<Report, InputError> {
        let settings = Settings {
            obligations: claim.obligations.clone(),
            induction: claim.induction,
            until: claim.until,
            ..settings.clone()
        };
        self.check(claim.check)?.run(&claim.arguments, &settings)
    }
}

type Run = dyn Fn(&Arguments, &Settings<'_>) -> Result<Report, InputError> + Send + Sync;

/// A refinement with parameters.
#[derive(Serialize)]
pub struct Check {
    /// Its name on the command line.
    pub name: &'static str,
    /// What refines what, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters, in the order in which they are listed.
    pub parameters: Vec<Parameter>,
    #[serde(skip)]
    run: Box<Run>,
}

impl Check {
    /// A check. `run` builds the instance from its arguments and calls [`crate::check`]; arguments
    /// that are each in range and do not fit together are its to refuse.
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

    /// Runs the check at `given` arguments and at the defaults of the others.
    ///
    /// # Errors
    ///
    /// If an argument is unknown or out of range, or `settings` do not fit.
    pub fn run(
        &self,
        given: &[(&str, Value)],
        settings: &Settings<'_>,
    ) -> Result<Report, InputError> {
        let arguments = self.arguments(given)?;
        let report = (self.run)(&arguments, settings)?;
        Ok(report.named(self.name, arguments.0))
    }

    /// The value of every parameter: as given, or its default.
    ///
    /// # Errors
    ///
    /// If an argument is unknown or out of range.
    pub fn arguments(&self, given: &[(&str, Value)]) -> Result<Arguments, InputError> {
        for (name, _) in given {
            if !self
                .parameters
                .iter()
                .any(|parameter| parameter.name == *name)
            {
                let known = || self.parameters.iter().map(|parameter| parameter.name);
                return Err(InputError::UnknownParameter {
                    check: self.name,
                    name: (*name).to_owned(),
                    nearest: nearest(name, known()),
                    known: known().collect(),
                });
            }
        }
        let mut arguments = Map::new();
        for parameter in &self.parameters {
            let given = given.iter().rev().find(|(name, _)| *name == parameter.name);
            let value = match given {
                Some((_, value)) => parameter.accept(value)?,
                None => parameter.default(),
            };
            arguments.insert(parameter.name.to_owned(), value);
        }
        Ok(Arguments(arguments))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Check({:?})", self.name)
    }
}

/// A parameter of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What it means, in a line.
    pub help: &'static str,
    /// What values it takes.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// What values a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A number from `least` to `most`.
    Number {
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// The value if none is given.
        default: u64,
    },
    /// One of several names.
    Choice {
        /// The names.
        values: &'static [&'static str],
        /// The value if none is given.
        default: &'static str,
    },
    /// A flag, which is given or not; not, by default.
    Flag,
}

impl Parameter {
    /// A number.
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

    /// One of several names, the first of which is the default.
    ///
    /// # Panics
    ///
    /// If there is no name.
    pub fn choice(name: &'static str, values: &'static [&'static str], help: &'static str) -> Self {
        let default = values.first().expect("a choice has a value to choose");
        Self {
            name,
            help,
            kind: ParameterKind::Choice { values, default },
        }
    }

    /// A flag.
    pub fn flag(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind: ParameterKind::Flag,
        }
    }

    fn default(&self) -> Value {
        match self.kind {
            ParameterKind::Number { default, .. } => default.into(),
            ParameterKind::Choice { default, .. } => default.into(),
            ParameterKind::Flag => false.into(),
        }
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
            },
        })
    }
}

/// The value of every parameter of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// The value of a number.
    ///
    /// # Panics
    ///
    /// If the check has no number of that name that fits `T`.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> T {
        self.0
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|number| T::try_from(number).ok())
            .unwrap_or_else(|| panic!("the check declares a number {name:?} of fitting range"))
    }

    /// The value of a choice.
    ///
    /// # Panics
    ///
    /// If the check has no choice of that name.
    pub fn choice(&self, name: &str) -> &str {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("the check declares a choice {name:?}"))
    }

    /// Whether a flag is given.
    ///
    /// # Panics
    ///
    /// If the check has no flag of that name.
    pub fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_else(|| panic!("the check declares a flag {name:?}"))
    }
}

/// Why a check cannot be run as asked.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A check that the catalogue does not have.
    #[error("there is no check {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownCheck {
        /// The name given.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// A parameter that the check does not have.
    #[error("{check} has no parameter {name:?}{}; there are: {}", hint(.nearest), .known.join(", "))]
    UnknownParameter {
        /// The check.
        check: &'static str,
        /// The name given.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// A value that the parameter does not take.
    #[error("{parameter} is {given}, and must be {allowed}")]
    BadArgument {
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        given: String,
        /// What values it takes.
        allowed: String,
    },
    /// Arguments that do not fit together.
    #[error(transparent)]
    Instance(Box<dyn std::error::Error + Send + Sync>),
    /// Settings that the refinement does not allow.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl InputError {
    /// Arguments that do not fit together, and why.
    pub fn instance(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Instance(Box::new(error))
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// A check at certain arguments, what must come of it, and who says so.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// The name of the check.
    pub check: &'static str,
    /// Its arguments; other parameters have their defaults.
    #[serde(serialize_with = "as_map")]
    pub arguments: Vec<(&'static str, Value)>,
    /// The obligations checked.
    #[serde(serialize_with = "as_options")]
    pub obligations: Selection,
    /// Whether `inductive:*` is decided as well.
    #[serde(skip)]
    pub induction: Induction,
    /// How far the check goes.
    #[serde(skip)]
    pub until: Until,
    /// What must come of it.
    pub expect: Expectation,
    /// The paper, section or figure it rests on.
    pub source: &'static str,
    /// What that says, or what there is to learn.
    pub says: &'static str,
}

/// What must come of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    /// The obligation of the counterexample.
    pub by: Option<&'static str>,
    /// The length of the counterexample.
    pub length: Option<usize>,
    /// Other obligations that are violated too.
    pub also: Vec<&'static str>,
    /// Distinct reachable states.
    pub states: Option<u64>,
    /// Transitions.
    pub transitions: Option<u64>,
    /// Whether every rule and every premise must be exercised.
    pub all_exercised: bool,
}

fn as_map<S: serde::Serializer>(
    arguments: &[(&'static str, Value)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(arguments.iter().map(|(name, value)| (name, value)))
}

fn as_options<S: serde::Serializer>(
    obligations: &Selection,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match obligations {
        Selection::Default => serializer.serialize_str("all"),
        Selection::Nothing => serializer.serialize_str("none"),
        Selection::Only(names) => serializer.collect_seq(names),
    }
}

impl Claim {
    /// The claim that a check holds.
    pub fn holds(check: &'static str, arguments: Vec<(&'static str, Value)>) -> Self {
        Self::new(check, arguments, Verdict::Holds)
    }

    /// The claim that a check is violated, by a shortest counterexample to the obligation `by`.
    pub fn violated(
        check: &'static str,
        arguments: Vec<(&'static str, Value)>,
        by: &'static str,
    ) -> Self {
        let mut claim = Self::new(check, arguments, Verdict::Violated);
        claim.expect.by = Some(by);
        claim
    }

    fn new(check: &'static str, arguments: Vec<(&'static str, Value)>, verdict: Verdict) -> Self {
        Self {
            check,
            arguments,
            obligations: Selection::Default,
            induction: Induction::Omitted,
            until: Until::FirstViolation,
            expect: Expectation {
                verdict,
                by: None,
                length: None,
                also: Vec::new(),
                states: None,
                transitions: None,
                all_exercised: false,
            },
            source: "",
            says: "",
        }
    }

    /// Where the claim comes from, and what is said there.
    #[must_use]
    pub fn source(mut self, source: &'static str, says: &'static str) -> Self {
        (self.source, self.says) = (source, says);
        self
    }

    /// The exact number of states.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.expect.states = Some(states);
        self
    }

    /// The exact size of the state space.
    #[must_use]
    pub fn counts(mut self, states: u64, transitions: u64) -> Self {
        self.expect.states = Some(states);
        self.expect.transitions = Some(transitions);
        self
    }

    /// The length of the counterexample.
    #[must_use]
    pub fn length(mut self, length: usize) -> Self {
        self.expect.length = Some(length);
        self
    }

    /// Obligations that are violated besides: the check goes on to the end.
    #[must_use]
    pub fn also(mut self, obligations: &[&'static str]) -> Self {
        self.expect.also = obligations.to_vec();
        self.until = Until::End;
        self
    }

    /// Only these obligations.
    #[must_use]
    pub fn only(mut self, obligations: &[&str]) -> Self {
        self.obligations = Selection::only(obligations.iter().copied());
        self
    }

    /// The invariants are inductive, and suffice.
    #[must_use]
    pub fn inductively(mut self) -> Self {
        self.induction = Induction::Included;
        self
    }

    /// Every rule of the implementation fires, and every premise of an invariant is true somewhere.
    #[must_use]
    pub fn exercising_all(mut self) -> Self {
        self.expect.all_exercised = true;
        self
    }

    /// Where `report` differs from what is claimed; nothing if it is as claimed.
    pub fn differences(&self, report: &Report) -> Vec<String> {
        let mut differences = Vec::new();
        let mut expect = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        let found = report.verdict.map_or("none".to_owned(), |v| v.to_string());
        expect("verdict", self.expect.verdict.to_string(), found);
        let counterexample = report.counterexample.as_ref();
        let obligation = counterexample.map_or("none", |found| found.obligation.as_str());
        if let Some(by) = self.expect.by {
            expect("violated obligation", by.to_owned(), obligation.to_owned());
        }
        if let Some(length) = self.expect.length {
            let found = counterexample.map_or("none".to_owned(), |found| found.length.to_string());
            expect("length", length.to_string(), found);
        }
        for also in &self.expect.also {
            let found = report.violated().any(|name| name == *also);
            expect(also, true.to_string(), found.to_string());
        }
        if let Some(states) = self.expect.states {
            expect("states", states.to_string(), report.states.to_string());
        }
        if let Some(transitions) = self.expect.transitions {
            let found = report.transitions.to_string();
            expect("transitions", transitions.to_string(), found);
        }
        if self.expect.all_exercised {
            expect("unexercised", String::new(), report.unexercised.join(", "));
        }
        differences
    }

    /// The arguments as on the command line, after `refmap`.
    pub fn command(&self) -> String {
        let mut words = vec!["check".to_owned(), self.check.to_owned()];
        for (name, value) in &self.arguments {
            match value {
                Value::Bool(true) => words.push(format!("--{name}")),
                Value::Bool(false) => (),
                Value::String(choice) => words.push(format!("--{name} {choice}")),
                number => words.push(format!("--{name} {number}")),
            }
        }
        match &self.obligations {
            Selection::Default => (),
            Selection::Nothing => words.push("--obligations none".to_owned()),
            Selection::Only(names) => words.push(format!("--obligations {}", names.join(","))),
        }
        if self.induction == Induction::Included {
            words.push("--inductive".to_owned());
        }
        if self.until == Until::End {
            words.push("--keep-going".to_owned());
        }
        words.join(" ")
    }
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
}
