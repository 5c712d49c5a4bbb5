//! Check: a refinement with parameters.

use std::fmt;

use clap::Args;
use serde::Serialize;

use super::abilities::{Abilities, validate};
use super::error::InputError;
use super::parameters::{Arguments, Parameters};
#[cfg(feature = "inclusion")]
use refmap::inclusion::{Comparison, Inclusion};
use refmap::internal::explore::Unreturned;
use refmap::internal::{calling, catch};
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
    pub parameters: Parameters,
    /// Name of the members of which there may be any number, if there are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any_number_of: Option<&'static str>,
    #[serde(skip)]
    build: Box<Build>,
}

/// No parameters.
#[derive(Clone, Copy, Debug, Args)]
pub struct Nothing;

impl Check {
    /// Creates a check. Its parameters are the fields of `P`, each with a long name. `build` makes the instance of them, and a
    /// [`Checker`](refmap::obligation::Checker) of it; it rejects combinations of arguments that are in range individually but
    /// inconsistent.
    ///
    /// # Panics
    ///
    /// If a field of `P` has no long name.
    pub fn new<P: Args>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        build: impl Fn(&P) -> Result<Box<dyn Checkable>, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters: Parameters::of::<P>(),
            any_number_of: None,
            build: Box::new(move |arguments| build(&arguments.of()?)),
        }
    }

    /// The same check, which can be asked of every number of these members: the name of its [crowd](refmap::crowd::Crowd::members), and of the
    /// parameter that says how many there are, if it has one.
    #[must_use]
    pub fn any_number_of(mut self, members: &'static str) -> Self {
        self.any_number_of = Some(members);
        self
    }

    /// Runs the check.
    ///
    /// # Errors
    ///
    /// If the arguments or the settings are inconsistent.
    pub fn run(
        &self,
        arguments: &Arguments,
        settings: &Settings<'_>,
    ) -> Result<Report, InputError> {
        let report = panicking(|| {
            let instance = self.build(arguments)?;
            validate(&*instance, settings)?;
            Ok(instance.check(settings)?)
        })?;
        Ok(self.report(arguments, report))
    }

    /// Report of a run that a call of the model holds up which does not return.
    pub(crate) fn unreturned(&self, arguments: &Arguments, unreturned: &Unreturned) -> Report {
        self.report(arguments, unreturned.report())
    }

    fn report(&self, arguments: &Arguments, report: Report) -> Report {
        let report = report.claiming(self.about, self.source);
        let mut values = arguments.values().clone();
        if let Some(every_number) = &report.every_number {
            // That there are so many is what is not said.
            values.shift_remove(&every_number.members);
        }
        report.named(self.name, values)
    }

    /// Compares its two systems without the mapping.
    ///
    /// # Errors
    ///
    /// If the arguments are inconsistent, a function of the model panics, or a folder cannot be used as the settings say.
    #[cfg(feature = "inclusion")]
    pub fn include(
        &self,
        arguments: &Arguments,
        comparison: &Comparison<'_>,
    ) -> Result<Inclusion, InputError> {
        panicking(|| Ok(self.build(arguments)?.include(comparison)?))
    }

    /// The check of the instance of these arguments.
    ///
    /// # Errors
    ///
    /// If the arguments are inconsistent.
    pub fn build(&self, arguments: &Arguments) -> Result<Box<dyn Checkable>, InputError> {
        calling("the function that makes the instance", || {
            panicking(|| (self.build)(arguments))
        })
    }

    /// Questions that an instance of the check can be asked: the one with the arguments by default, or one that differs from it in a single choice or
    /// flag. Where there is no such instance, all of them.
    pub(crate) fn abilities(&self) -> Abilities {
        Abilities::of(self.instances())
    }

    /// The instance with the arguments by default, and those that differ from it in one choice or flag. What has no default has its first value.
    pub(super) fn instances(&self) -> impl Iterator<Item = Box<dyn Checkable>> {
        let parameters = &self.parameters;
        let required: Vec<String> = parameters
            .iter()
            .filter_map(|parameter| parameter.first_if_required())
            .collect();
        let others = parameters.iter().flat_map(|parameter| {
            let without = required.iter().filter(|word| !parameter.is_given_by(word));
            let without: Vec<String> = without.cloned().collect();
            let values = parameter.other_values().into_iter();
            values.map(move |value| [&without[..], &[value]].concat())
        });
        let others: Vec<Vec<String>> = others.collect();
        let lines = [required].into_iter().chain(others);
        lines.filter_map(|words| {
            let arguments = self.parameters.read_words(self.name, words).ok()?;
            self.build(&arguments).ok()
        })
    }

    /// Reads arguments as they are typed to a shell: `--nodes 3 --colours white`. The others have their defaults.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default.
    pub fn arguments(&self, line: &str) -> Result<Arguments, InputError> {
        self.parameters.read(self.name, line)
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
