//! Validators of recorded histories.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::InputError;
use super::parameters::Parameters;
use refmap::explore::Limit;
use refmap::report::Report;
use refmap_histories::{
    Header, History, HistoryError, Interrupted, Observed, Problem, Settings, TraceError,
    Validation, validate, validate_trace,
};

type Answer = Result<Report, ValidatorError>;
type Run = dyn Fn(History<&mut dyn BufRead>, &Settings<'_>) -> Answer + Send + Sync;
type RunTrace = dyn Fn(&Value, &Settings<'_>) -> Answer + Send + Sync;

/// Validator: a specification with an adapter for events.
#[derive(Serialize)]
pub struct Validator {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line: the specification of which a history must be a behaviour.
    pub about: &'static str,
    /// Source.
    pub source: &'static str,
    #[serde(skip)]
    run: Box<Run>,
    #[serde(skip)]
    trace: Box<RunTrace>,
}

/// Greatest size of a trace of states in bytes; a trace is read as a whole.
const LONGEST_TRACE: u64 = 64 << 20;

/// Error: a history has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum ValidatorError {
    /// The history is malformed.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The file is not a trace of this specification.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// The trace is not valid JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The trace is too large.
    #[error("a trace has at most {LONGEST_TRACE} bytes")]
    LongTrace,
    /// The validator requires a header, which a trace of states does not have.
    #[error("a trace of states has no parameters: {0}")]
    Instance(#[source] InputError),
    /// The header requests an unsupported instance.
    #[error("line 1: {0}")]
    Header(#[source] InputError),
}

impl Validator {
    /// Creates a validator. The parameters of a header are the fields of `P`, each with a long name, and are read by the grammar
    /// that reads the arguments of a check. `adapter` builds the specification of them; it rejects combinations that are in
    /// range individually but inconsistent. A trace of states has no header, and is validated against the specification that
    /// `adapter` builds of no parameters.
    ///
    /// ```
    /// use refmap_cli::catalogue::{InputError, Validator, number};
    /// use refmap_cli::clap;
    /// # use refmap_histories::Observed;
    ///
    /// #[derive(Clone, clap::Args)]
    /// struct Parameters {
    ///     /// slots of the queue
    ///     #[arg(long, value_parser = number::<u32>(1..=1024))]
    ///     slots: u32,
    /// }
    ///
    /// # fn of<O: Observed>(queue: impl Fn(u32) -> Result<O, InputError> + Send + Sync + 'static) -> Validator {
    /// Validator::new("queue", "a queue of bounded length", "its manual", move |of: &Parameters| {
    ///     queue(of.slots)
    /// })
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a field of `P` has no long name.
    pub fn new<P: Args, O: Observed>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        adapter: impl Fn(&P) -> Result<O, InputError> + Send + Sync + 'static,
    ) -> Self {
        let parameters = Parameters::of::<P>();
        let adapter = move |given: &Map<String, Value>| {
            let read = parameters.read_values(name, given);
            read.and_then(|read| adapter(&read.of()?))
        };
        let adapter = Arc::new(adapter);
        let of_trace = Arc::clone(&adapter);
        Self {
            name,
            about,
            source,
            run: Box::new(move |history, settings| {
                let parameters = history.header().parameters.clone();
                let observed = adapter(&parameters).map_err(ValidatorError::Header)?;
                let validation = validate(&observed, history.events(), settings)?;
                let report = validation.report().claiming(about, source);
                Ok(report.named(name, parameters))
            }),
            trace: Box::new(move |trace, settings| {
                let observed = of_trace(&Map::new()).map_err(ValidatorError::Instance)?;
                let validation = validate_trace(observed.specification(), trace, settings)?;
                let report = validation.report().claiming(about, source);
                Ok(report.named(name, Map::<String, Value>::new()))
            }),
        }
    }

    /// Adds a second validator, `other`, for the histories that `is_other` selects by their headers. The name, the
    /// summary, the source and the handling of traces, which have no header, remain those of this validator.
    #[must_use]
    pub fn or(
        self,
        is_other: impl Fn(&Header) -> bool + Send + Sync + 'static,
        other: Self,
    ) -> Self {
        let run = self.run;
        Self {
            run: Box::new(move |history, settings| {
                if is_other(history.header()) {
                    (other.run)(history, settings)
                } else {
                    run(history, settings)
                }
            }),
            ..self
        }
    }

    /// Decides whether the history in `input` is a behaviour. If a limit is reached before it has a header
    /// ([`Source`](refmap_histories::Source)), the report says only that.
    ///
    /// # Errors
    ///
    /// If the history is malformed, or its header requests an unsupported instance.
    pub fn run(
        &self,
        input: &mut dyn BufRead,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        match History::open(input) {
            Ok(history) => (self.run)(history, settings),
            Err(HistoryError {
                problem: Problem::Interrupted(limit),
                ..
            }) => Ok(self.unread(limit)),
            Err(error) => Err(error.into()),
        }
    }

    /// Report of a history, or a trace, of which a limit left nothing to be read.
    pub fn unread(&self, limit: Limit) -> Report {
        let report = Validation::unread(limit).report();
        report.named(self.name, Map::<String, Value>::new())
    }

    /// Decides whether the ITF trace in `input` is a behaviour.
    ///
    /// # Errors
    ///
    /// If the input is not a trace of the specification's states.
    pub fn run_trace(
        &self,
        input: &mut dyn BufRead,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        let mut bounded = input.take(LONGEST_TRACE);
        let read = serde_json::from_reader(&mut bounded);
        if bounded.limit() == 0 {
            return Err(ValidatorError::LongTrace);
        }
        match read {
            Ok(trace) => (self.trace)(&trace, settings),
            Err(error) if error.is_io() => {
                let error = io::Error::from(error);
                match Interrupted::in_error(&error) {
                    Some(limit) => Ok(self.unread(limit)),
                    None => Err(ValidatorError::Io(error)),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Validator({:?})", self.name)
    }
}
