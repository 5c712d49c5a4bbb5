//! Stress runs of an implementation on real threads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::InputError;
use super::parameters::{Arguments, Parameters};
use crate::watchdogs::Watchdogs;
use refmap::explore::{Limit, Limits};
use refmap::internal::calling;
use refmap::internal::explore::Unreturned;
use refmap::report::{Evidence, Report, Verdict};

type Run =
    dyn Fn(&Arguments, &StressSettings<'_>) -> Result<StressReport, InputError> + Send + Sync;

/// Implementation that can be stressed on real threads.
#[derive(Serialize)]
pub struct StressRun {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line: the implementation, and the failure that is searched for.
    pub about: &'static str,
    /// Source.
    pub source: &'static str,
    /// Parameters, in the order in which they are listed.
    pub parameters: Parameters,
    #[serde(skip)]
    run: Box<Run>,
}

/// Settings of a stress run.
#[derive(Clone, Copy, Debug)]
pub struct StressSettings<'a> {
    /// Greatest duration in seconds, without the time to minimize and record a failure.
    pub seconds: f64,
    /// Seed of the random programs. The machine chooses schedules, so a seed does not determine results.
    pub seed: u64,
    /// Path for a recorded history.
    pub record: Option<&'a Path>,
    /// Cancels the run when set.
    pub cancel: &'a AtomicBool,
    /// Command that attends to the run.
    pub(crate) attendance: Option<&'a Attendance>,
}

/// View that a command which attends to a stress run has of it.
#[derive(Default)]
pub(crate) struct Attendance {
    /// Watch over the implementation.
    pub watchdogs: Watchdogs,
    /// Report so far.
    noted: Mutex<Option<StressReport>>,
}

impl fmt::Debug for Attendance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attendance")
    }
}

impl<'a> StressSettings<'a> {
    /// Settings of a run that no command attends to.
    pub fn new(seconds: f64, seed: u64, cancel: &'a AtomicBool) -> Self {
        Self {
            seconds,
            seed,
            record: None,
            cancel,
            attendance: None,
        }
    }

    /// Runs the implementation. If it does not return `more` seconds after the time of the run, or soon after the run is cancelled, the
    /// command ends with what was [noted](Self::note) before. What a run does beside, as writing a history, may take its time.
    pub fn running<T>(&self, more: f64, run: impl FnOnce() -> T) -> T {
        let run = || calling("the run of the implementation", run);
        let Some(attendance) = self.attendance else {
            return run();
        };
        let limits = Limits {
            seconds: Some(self.seconds + more),
            ..Limits::default()
        };
        let watchdogs = &attendance.watchdogs;
        watchdogs.watching("stress", limits, |_| run())
    }

    /// Notes a report of what was seen so far, which is told if the implementation does not return from what follows.
    pub fn note(&self, report: StressReport) {
        if let Some(attendance) = self.attendance {
            let noted = attendance.noted.lock();
            *noted.unwrap_or_else(PoisonError::into_inner) = Some(report);
        }
    }

    fn noted(&self) -> Option<StressReport> {
        let noted = self.attendance?.noted.lock();
        noted.unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Result of a stress run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StressReport {
    /// Report. Its evidence is sampled, so its verdict is never `holds`; its transitions are the executed
    /// operations, and its coverage counts them by kind.
    #[serde(flatten)]
    pub report: Report,
    /// Counters.
    pub counts: Map<String, Value>,
    /// The minimized failure; null if none was found.
    pub failure: Option<StressFailure>,
    /// The recorded history; null if none was recorded.
    pub recorded: Option<RecordedHistory>,
    /// Error of writing the history, if it failed: what was found is told all the same.
    #[serde(skip)]
    pub unrecorded: Option<String>,
}

/// Failure of a stress run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StressFailure {
    /// Description of the failure.
    pub seen: String,
    /// Time until the failure was found, in seconds, without minimization.
    pub after_seconds: f64,
    /// The smallest program found that fails, one line per thread; of an object, the calls of the smallest impossible part in columns.
    pub program: Vec<String>,
    /// Number of its operations.
    pub operations: usize,
    /// Number of operations of the random program before minimization.
    pub operations_before: usize,
    /// Number of failures in repeated runs,
    pub failed: u32,
    /// of this many repeated runs; none of an object, of which the run that was seen is shown.
    pub played: u32,
    /// Arguments of a command that runs it again, without the name of the program.
    pub command: Vec<String>,
}

/// Recorded history file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedHistory {
    /// Path.
    pub file: PathBuf,
    /// Number of events.
    pub events: u64,
    /// True if the recorded run fails. A rare failure may not recur while recording.
    pub fails: bool,
    /// Recording overhead: the factor by which an operation takes longer.
    pub overhead: Option<f64>,
}

impl StressRun {
    /// Creates a stress run. Its parameters are the fields of `P`, each with a long name. `run` drives the implementation, by
    /// [`StressSettings::running`]; it rejects combinations of arguments that are in range individually but inconsistent. Parameters in its
    /// report replace the arguments.
    ///
    /// # Panics
    ///
    /// If a field of `P` has no long name.
    pub fn new<P: Args>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        run: impl Fn(&P, &StressSettings<'_>) -> Result<StressReport, InputError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters: Parameters::of::<P>(),
            run: Box::new(move |arguments, settings| run(&arguments.of()?, settings)),
        }
    }

    /// Reads arguments as they are typed to a shell.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default.
    pub fn arguments(&self, line: &str) -> Result<Arguments, InputError> {
        self.parameters.read(self.name, line)
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// If the arguments are inconsistent, or a file cannot be written.
    pub fn run(
        &self,
        arguments: &Arguments,
        settings: &StressSettings<'_>,
    ) -> Result<StressReport, InputError> {
        let report = (self.run)(arguments, settings)?;
        Ok(self.report(arguments, settings, report))
    }

    /// Report of a run that does not return: of what it has noted, if it has.
    pub(crate) fn unreturned(
        &self,
        arguments: &Arguments,
        settings: &StressSettings<'_>,
        unreturned: &Unreturned,
    ) -> StressReport {
        let mut of_the_call = Report {
            evidence: Evidence::Sampled,
            verdict: Some(Verdict::Incomplete),
            ..unreturned.report()
        };
        if let Some(Limit::Seconds(seconds)) = &mut of_the_call.limit {
            // As it was given, without the time that a run has to end.
            *seconds = settings.seconds;
        }
        let report = match settings.noted() {
            Some(noted) => StressReport {
                report: Report {
                    limit: of_the_call.limit,
                    unreturned: of_the_call.unreturned,
                    seconds: noted.report.seconds + of_the_call.seconds,
                    ..noted.report
                },
                ..noted
            },
            None => StressReport {
                report: of_the_call,
                counts: Map::new(),
                failure: None,
                recorded: None,
                unrecorded: None,
            },
        };
        self.report(arguments, settings, report)
    }

    fn report(
        &self,
        arguments: &Arguments,
        settings: &StressSettings<'_>,
        mut report: StressReport,
    ) -> StressReport {
        let mut parameters = arguments.values().clone();
        parameters.insert("seconds".to_owned(), settings.seconds.into());
        parameters.insert("seed".to_owned(), settings.seed.into());
        // A value derived from another argument replaces the default.
        parameters.extend(std::mem::take(&mut report.report.parameters));
        report.report = report
            .report
            .claiming(self.about, self.source)
            .named(&format!("stress {}", self.name), parameters);
        report
    }
}

impl fmt::Debug for StressRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StressRun({:?})", self.name)
    }
}
