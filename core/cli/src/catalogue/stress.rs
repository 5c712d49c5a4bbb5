//! Stress runs: an implementation on real threads, driven for a while.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Arguments, InputError, Parameter, arguments};
use refmap::report::Report;

type Run =
    dyn Fn(&Arguments, &StressSettings<'_>) -> Result<StressReport, InputError> + Send + Sync;

/// An implementation on real threads that can be driven for a while.
#[derive(Serialize)]
pub struct StressRun {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is driven, and what is looked for, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters, in the order in which they are listed.
    pub parameters: Vec<Parameter>,
    #[serde(skip)]
    run: Box<Run>,
}

/// How long, from which seed, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub struct StressSettings<'a> {
    /// How long it is driven, at most, in seconds; making a failure small and recording it come on top.
    pub seconds: f64,
    /// What determines the programs. Schedules are the machine's, so a seed does not determine what
    /// comes of them.
    pub seed: u64,
    /// Where a recorded history is to go.
    pub record: Option<&'a Path>,
    /// Set when the user asks to stop.
    pub cancel: &'a AtomicBool,
}

/// What came of a stress run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StressReport {
    /// The report of the architecture page. Its evidence is sampled, so it never says that anything
    /// holds; its transitions are the operations carried out, and its coverage says of what kind.
    #[serde(flatten)]
    pub report: Report,
    /// What was counted.
    pub counts: Map<String, Value>,
    /// The failure that was found, made small; null if none was.
    pub failure: Option<StressFailure>,
    /// The history that was recorded; null if none was.
    pub recorded: Option<RecordedHistory>,
}

/// A failure of a stress run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StressFailure {
    /// What was seen.
    pub seen: String,
    /// After how many seconds it was seen; making it small took longer.
    pub after_seconds: f64,
    /// The smallest program that was found to fail, a line a thread.
    pub program: Vec<String>,
    /// How many operations it has.
    pub operations: usize,
    /// How many the random program had of which it is what is left.
    pub operations_before: usize,
    /// How often it failed when it was played again.
    pub failed: u32,
    /// … of how many times.
    pub played: u32,
    /// The arguments of a command that plays it again, behind the name of the program.
    pub command: Vec<String>,
}

/// A history that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedHistory {
    /// Where it is.
    pub file: PathBuf,
    /// How many events it has.
    pub events: u64,
    /// Whether it is of a play that failed. A failure that takes luck may not come about again.
    pub fails: bool,
    /// What recording costs: how many times as long an operation takes.
    pub overhead: Option<f64>,
}

impl StressRun {
    /// A stress run. `run` drives the implementation; arguments that are each in range and do not fit
    /// together are its to refuse. Parameters that its report has take the place of arguments.
    pub fn new(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        parameters: Vec<Parameter>,
        run: impl Fn(&Arguments, &StressSettings<'_>) -> Result<StressReport, InputError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters,
            run: Box::new(run),
        }
    }

    /// Drives it, at `given` arguments and at the defaults of the others.
    ///
    /// # Errors
    ///
    /// If an argument is unknown or out of range, or a file cannot be written.
    pub fn run(
        &self,
        given: &[(&str, Value)],
        settings: &StressSettings<'_>,
    ) -> Result<StressReport, InputError> {
        let arguments = arguments(self.name, &self.parameters, given)?;
        let mut report = (self.run)(&arguments, settings)?;
        let mut parameters = arguments.0;
        parameters.insert("seconds".to_owned(), settings.seconds.into());
        parameters.insert("seed".to_owned(), settings.seed.into());
        // What follows from another argument is not what it would be by default.
        parameters.extend(std::mem::take(&mut report.report.parameters));
        report.report = report
            .report
            .named(&format!("stress {}", self.name), parameters);
        Ok(report)
    }
}

impl fmt::Debug for StressRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StressRun({:?})", self.name)
    }
}
