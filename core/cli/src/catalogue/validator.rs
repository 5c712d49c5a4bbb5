//! Specifications against which recorded histories are validated.

use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::InputError;
use refmap::report::Report;
use refmap_histories::{
    Header, History, HistoryError, Observed, Settings, TraceError, validate, validate_trace,
};

type Answer = Result<Report, ValidatorError>;
type Run = dyn Fn(History<&mut dyn BufRead>, &Settings<'_>) -> Answer + Send + Sync;
type RunTrace = dyn Fn(&Value, &Settings<'_>) -> Answer + Send + Sync;

/// A specification, and what events say about it.
#[derive(Serialize)]
pub struct Validator {
    /// Its name on the command line.
    pub name: &'static str,
    /// What a history has to be a behaviour of, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    #[serde(skip)]
    run: Box<Run>,
    #[serde(skip)]
    trace: Box<RunTrace>,
}

/// The most bytes of a trace of states, which is read as a whole.
const LONGEST_TRACE: u64 = 64 << 20;

/// Why a history has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum ValidatorError {
    /// The file is damaged.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// It is no trace, or one of something else.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A trace of states cannot be read.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It has more bytes than a trace may have.
    #[error("a trace has at most {LONGEST_TRACE} bytes")]
    LongTrace,
    /// A trace of states has no header, without which there is no instance.
    #[error("a trace of states has no parameters: {0}")]
    Instance(#[source] InputError),
    /// Its header asks for an instance that there is not.
    #[error("line 1: {0}")]
    Header(#[source] InputError),
}

impl Validator {
    /// A validator. `adapter` builds the specification from what the header of the history says; it
    /// has to refuse a header that it cannot use. A trace of states has no header, and is validated
    /// against what `adapter` makes of an empty one.
    pub fn new<O: Observed>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        adapter: impl Fn(&Header) -> Result<O, InputError> + Send + Sync + 'static,
    ) -> Self {
        let adapter = Arc::new(adapter);
        let of_trace = Arc::clone(&adapter);
        Self {
            name,
            about,
            source,
            run: Box::new(move |history, settings| {
                let parameters = history.header().parameters.clone();
                let observed = adapter(history.header()).map_err(ValidatorError::Header)?;
                let validation = validate(&observed, history.events(), settings)?;
                Ok(validation.report().named(name, parameters))
            }),
            trace: Box::new(move |trace, settings| {
                let observed = of_trace(&Header::default()).map_err(ValidatorError::Instance)?;
                let validation = validate_trace(observed.specification(), trace, settings)?;
                Ok(validation.report().named(name, Map::<String, Value>::new()))
            }),
        }
    }

    /// The same for histories of several kinds: those of which `is_other` says so, by their headers, are
    /// for `other` to decide. The name, what it is about and the source are this one's, and so is what is
    /// said of traces, which have no header.
    #[must_use]
    pub fn or(
        self,
        is_other: impl Fn(&Header) -> bool + Send + Sync + 'static,
        other: Self,
    ) -> Self {
        let run = self.run;
        Self {
            run: Box::new(move |history, settings| match is_other(history.header()) {
                true => (other.run)(history, settings),
                false => run(history, settings),
            }),
            ..self
        }
    }

    /// Whether the history that `input` has is a behaviour.
    ///
    /// # Errors
    ///
    /// If it is damaged, or its header asks for what there is not.
    pub fn run(
        &self,
        input: &mut dyn BufRead,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        (self.run)(History::open(input)?, settings)
    }

    /// Whether the ITF trace that `input` has is a behaviour.
    ///
    /// # Errors
    ///
    /// If it is no trace of the specification's states.
    pub fn run_trace(
        &self,
        input: &mut dyn BufRead,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        let mut bounded = input.take(LONGEST_TRACE);
        let trace = serde_json::from_reader(&mut bounded);
        match bounded.limit() {
            0 => Err(ValidatorError::LongTrace),
            _ => (self.trace)(&trace?, settings),
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Validator({:?})", self.name)
    }
}
