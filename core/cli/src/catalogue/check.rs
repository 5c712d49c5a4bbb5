//! Check: a refinement with parameters.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::arguments::Arguments;
use super::error::InputError;
use super::parameter::Parameter;
use refmap::internal::catch;
use refmap::obligation::{CheckError, Checkable, Settings};
use refmap::report::Report;

type Build = dyn Fn(&Arguments) -> Result<Box<dyn Checkable>, InputError> + Send + Sync;

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
    build: Box<Build>,
}

impl Check {
    /// Creates a check. `build` makes the instance of its arguments, and a [`Checker`](refmap::obligation::Checker) of it; it
    /// rejects combinations of arguments that are in range individually but inconsistent.
    pub fn new(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        parameters: Vec<Parameter>,
        build: impl Fn(&Arguments) -> Result<Box<dyn Checkable>, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters,
            build: Box::new(build),
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
        let report = panicking(|| Ok(self.instance(&arguments)?.check(settings)?))?;
        let report = report.claiming(self.about, self.source);
        Ok(report.named(self.name, arguments.0))
    }

    /// The check of the instance of `given` arguments and the defaults of the others.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), but for what is wrong with settings.
    pub fn build(&self, given: &[(&str, Value)]) -> Result<Box<dyn Checkable>, InputError> {
        self.instance(&self.arguments(given)?)
    }

    fn instance(&self, arguments: &Arguments) -> Result<Box<dyn Checkable>, InputError> {
        panicking(|| (self.build)(arguments))
    }

    /// Values of all parameters: as given, or the defaults.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default.
    pub fn arguments(&self, given: &[(&str, Value)]) -> Result<Arguments, InputError> {
        Arguments::of(self.name, &self.parameters, given)
    }
}

/// Runs what may panic: a panic is an error as any other, and the other claims are decided.
fn panicking<T>(run: impl FnOnce() -> Result<T, InputError>) -> Result<T, InputError> {
    catch(run).map_err(|panic| CheckError::Panicked(Box::new(panic)))?
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Check({:?})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Claim;

    #[test]
    fn a_flag_is_given_or_not() {
        let parameters = vec![Parameter::flag("loud", "how")];
        let check = Check::new("c", "", "", parameters, |_| unreachable!("not run"));
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
        let check = Check::new("c", "", "", parameters, |_| unreachable!("not run"));
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
