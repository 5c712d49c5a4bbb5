//! Validators of recorded histories.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::InputError;
use super::parameters::Parameters;
use super::translated::{Datum, Translated};
use refmap::internal::explore::Unreturned;
use refmap::internal::input::Interrupted;
use refmap::internal::{counted, grouped};
use refmap::report::Report;
use refmap::report::history::Criterion;
use refmap_histories::foreign::{self, Foreign, ForeignError, ForeignProblem, Format};
use refmap_histories::specifications::{Called, Operations, Sequential};
use refmap_histories::{
    Event, Header, History, HistoryError, Observed, Ordered, Problem, Settings, TraceError,
    Validation, validate, validate_apart, validate_objects, validate_trace,
};

type Answer = Result<Report, ValidatorError>;
type Run = dyn Fn(History<&mut dyn BufRead>, &Settings<'_>) -> Answer + Send + Sync;
type RunTrace = dyn Fn(&Value, &Map<String, Value>, &Settings<'_>) -> Answer + Send + Sync;
type RunForeign = dyn Fn(Vec<Foreign>, &Map<String, Value>, &Settings<'_>) -> Answer + Send + Sync;

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
    /// Reader of the histories of other tools, if the specification is an object of which they may be.
    #[serde(skip)]
    foreign: Option<Box<RunForeign>>,
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
    /// The parameters that were given of a trace of states, or of a history of another tool, which have no header, are none of the
    /// specification.
    #[error("{0} (the file has no parameters: --parameter NAME=VALUE gives one)")]
    Instance(#[source] InputError),
    /// Parameters were given of a history that has its own.
    #[error("line 1 has the parameters of the history, so that none can be given")]
    GivenTwice,
    /// The specification is none of an object of which the histories of other tools are.
    #[error(
        "{name} has no calls by which the histories of other tools go: only its own histories are validated"
    )]
    NotForeign {
        /// Name of the specification.
        name: &'static str,
    },
    /// The history of another tool is malformed.
    #[error(transparent)]
    Foreign(Box<ForeignError>),
    /// An operation of another tool's history is no call of the object.
    #[error("line {line}: {operation} is no call of {name}")]
    NoCall {
        /// Line of its invocation.
        line: u64,
        /// Its function, with its argument.
        operation: String,
        /// Name of the specification.
        name: &'static str,
    },
    /// An operation of another tool's history has an argument or an answer that the object does not have.
    #[error("line {line}: {reason}")]
    Call {
        /// Line of its invocation.
        line: u64,
        /// Message of the JSON reader.
        reason: serde_json::Error,
    },
    /// Some operations of a history have keys, and others have none.
    #[error("line {line}: the operation has no key, and others have one")]
    NoKey {
        /// Line of its invocation.
        line: u64,
    },
    /// The header requests an unsupported instance.
    #[error("line 1: {0}")]
    Header(#[source] InputError),
}

impl Validator {
    /// Creates a validator. The parameters of a header are the fields of `P`, each with a long name, and are read by the grammar
    /// that reads the arguments of a check. `adapter` builds the specification of them; it rejects combinations that are in
    /// range individually but inconsistent. A trace of states has no header, and is validated against the specification of the
    /// parameters that are given with it.
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
            trace: Box::new(move |trace, given, settings| {
                let observed = of_trace(given).map_err(ValidatorError::Instance)?;
                let validation = validate_trace(observed.specification(), trace, settings)?;
                let report = validation.report().claiming(about, source);
                Ok(report.named(name, given.clone()))
            }),
            foreign: None,
        }
    }

    /// Validator of a ready specification, which `build` makes of parameters and of values that calls may have. The histories of other
    /// tools are read by what `translate` makes of an operation.
    pub(super) fn of_object<P: Args + 'static, S: Sequential + 'static>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        build: fn(&P, Vec<Datum>) -> S,
        translate: fn(&Foreign) -> Option<Translated>,
    ) -> Self
    where
        S::Call: Send,
    {
        let parameters = Parameters::of::<P>();
        let foreign = move |operations: Vec<Foreign>,
                            given: &Map<String, Value>,
                            settings: &Settings<'_>| {
            let read = parameters.read_values(name, given);
            let instance = read.and_then(|read| read.of::<P>());
            let instance = instance.map_err(ValidatorError::Instance)?;
            let object = Operations(build(&instance, some_arguments(&operations)));
            let lines: Vec<u64> = operations.iter().map(|operation| operation.line).collect();
            let keys = keys(&operations)?;
            let clock = settings.clock();
            let mut events = Vec::with_capacity(operations.len());
            let mut places: HashMap<u32, u64> = HashMap::new();
            for operation in &operations {
                let Foreign { thread, line, .. } = *operation;
                if events.len().is_multiple_of(OPERATIONS)
                    && let Some(limit) = clock.out_of_time_or_memory()
                {
                    let [done, all] = [events.len(), operations.len()]
                        .map(|count| counted(count as u64, "operation"));
                    let far = format!("{limit} came when {done} of {all} were translated");
                    let unread = Validation::unread(settings.criterion, limit, far);
                    return Ok(unread.report().named(name, given.clone()));
                }
                let translated = translate(operation).ok_or_else(|| ValidatorError::NoCall {
                    line,
                    operation: format!("{} with {}", operation.function, operation.argument),
                    name,
                })?;
                let mut called = Map::new();
                called.insert("call".to_owned(), translated.call);
                if let Some(answer) = translated.answer {
                    called.insert("answer".to_owned(), answer);
                }
                let called = serde_json::from_value(Value::Object(called));
                let called: Called<S::Call, S::Answer> =
                    called.map_err(|reason| ValidatorError::Call { line, reason })?;
                let place = places.entry(thread).or_default();
                events.push(Event {
                    thread,
                    place: *place,
                    begin: operation.begin,
                    end: operation.end,
                    event: Some(called),
                });
                *place += 1;
            }
            drop(operations);
            let decided = match keys {
                Some(keys) => validate_objects(&object, events, &keys, settings),
                None => validate(&object, Ordered::of(events), settings),
            };
            let mut validation = decided.map_err(|error| error.with_lines(&lines))?;
            let word = "that the history is whole, which its format does not say";
            validation.taken_at_word.push(word.to_owned());
            let report = validation.with_lines(&lines).report();
            let report = report.claiming(about, source);
            Ok(report.named(name, given.clone()))
        };
        let own = move |of: &P| Ok(Operations(build(of, Vec::new())));
        let parameters = Parameters::of::<P>();
        let run = move |history: History<&mut dyn BufRead>, settings: &Settings<'_>| {
            let given = history.header().parameters.clone();
            let read = parameters.read_values(name, &given);
            let instance = read.and_then(|read| read.of::<P>());
            let instance = instance.map_err(ValidatorError::Header)?;
            let object = Operations(build(&instance, Vec::new()));
            // The values of a call that was not recorded are not known, and a history is not refused for want of them.
            let recorded = (2..).zip(history.events()).map(|(line, event)| {
                let event: Event<Called<S::Call, S::Answer>> = event?;
                let problem = Problem::NotRecorded;
                let is_recorded = event.event.is_some();
                is_recorded
                    .then_some(event)
                    .ok_or(HistoryError { line, problem })
            });
            let validation = validate_apart(&object, Ordered::new(recorded), settings)?;
            let report = validation.report().claiming(about, source);
            Ok(report.named(name, given))
        };
        Self {
            run: Box::new(run),
            foreign: Some(Box::new(foreign)),
            ..Self::new(name, about, source, own)
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
            Ok(history) if history.is_nothing() => Ok(self.of_nothing(settings)),
            Ok(history) => (self.run)(history, settings),
            Err(HistoryError {
                problem: Problem::Interrupted(interrupted),
                ..
            }) => Ok(self.unread(interrupted, None, settings)),
            Err(error) => Err(error.into()),
        }
    }

    /// Decides whether a history that another tool recorded is a behaviour. If `keyed`, each value in it is a pair of a key and a
    /// value, and each key an object of its own. The specification has the parameters `given`.
    ///
    /// # Errors
    ///
    /// If the history is malformed, or none of this object.
    pub fn run_foreign(
        &self,
        input: &mut dyn BufRead,
        format: Format,
        keyed: bool,
        given: &Map<String, Value>,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        let Some(run) = &self.foreign else {
            let mut beginning = input.take(BEGINNING);
            let read = foreign::read(&mut beginning, format, keyed);
            let is_nothing = read.is_ok_and(|operations| operations.is_empty());
            if is_nothing && beginning.limit() > 0 {
                return Ok(self.of_nothing(settings));
            }
            return Err(ValidatorError::NotForeign { name: self.name });
        };
        match foreign::read(input, format, keyed) {
            Ok(operations) => run(operations, given, settings),
            Err(ForeignError {
                line,
                problem: ForeignProblem::Interrupted(interrupted),
            }) => Ok(self.unread(interrupted, Some(line), settings)),
            Err(error) => Err(ValidatorError::Foreign(Box::new(error))),
        }
    }

    /// Report of a history of nothing, which says of no instance that it was recorded.
    fn of_nothing(&self, settings: &Settings<'_>) -> Report {
        let report = Validation::of_nothing(settings.criterion).report();
        report.named(self.name, Map::<String, Value>::new())
    }

    /// Report of a history, or a trace, of which a limit was reached before it was read to its end, at this line, if it has any.
    pub fn unread(
        &self,
        interrupted: Interrupted,
        line: Option<u64>,
        settings: &Settings<'_>,
    ) -> Report {
        let at = line.map_or_else(String::new, |line| format!(", at line {}", grouped(line)));
        let far = format!("{interrupted}{at}");
        let report = Validation::unread(settings.criterion, interrupted.limit, far).report();
        report.named(self.name, Map::<String, Value>::new())
    }

    /// Report of a run that a call of the specification holds up which does not return.
    pub(crate) fn unreturned(&self, criterion: Criterion, unreturned: &Unreturned) -> Report {
        let far = format!("{} came, and {unreturned}", unreturned.limit);
        let report = Report {
            unreturned: unreturned.report().unreturned,
            ..Validation::unread(criterion, unreturned.limit, far).report()
        };
        report.named(self.name, Map::<String, Value>::new())
    }

    /// Decides whether the ITF trace in `input` is a behaviour of the specification with the parameters `given`.
    ///
    /// # Errors
    ///
    /// If the input is not a trace of the specification's states.
    pub fn run_trace(
        &self,
        input: &mut dyn BufRead,
        given: &Map<String, Value>,
        settings: &Settings<'_>,
    ) -> Result<Report, ValidatorError> {
        let mut bounded = input.take(LONGEST_TRACE);
        let read = serde_json::from_reader(&mut bounded);
        if bounded.limit() == 0 {
            return Err(ValidatorError::LongTrace);
        }
        match read {
            Ok(trace) => (self.trace)(&trace, given, settings),
            Err(error) if error.is_io() => {
                let error = io::Error::from(error);
                match Interrupted::in_error(&error) {
                    Some(interrupted) => Ok(self.unread(interrupted, None, settings)),
                    None => Err(ValidatorError::Io(error)),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Greatest number of bytes that are read of a history that is refused, if it is not one of nothing.
const BEGINNING: u64 = 1 << 16;

/// Number of operations that are translated between two looks at the limits.
const OPERATIONS: usize = 1 << 12;

/// Greatest number of arguments of which the domain of a specification is made.
const MOST_ARGUMENTS: usize = 32;

/// The first arguments of calls, each once.
fn some_arguments(operations: &[Foreign]) -> Vec<Datum> {
    let mut some: Vec<Datum> = Vec::new();
    for operation in operations {
        let argument = Datum(operation.argument.clone());
        if !argument.0.is_null() && !some.contains(&argument) {
            some.push(argument);
        }
        if some.len() == MOST_ARGUMENTS {
            break;
        }
    }
    some
}

/// The key of each operation as text, if they have keys.
fn keys(operations: &[Foreign]) -> Result<Option<Vec<String>>, ValidatorError> {
    if operations.iter().all(|operation| operation.key.is_none()) {
        return Ok(None);
    }
    let keys = operations.iter().map(|operation| {
        let line = operation.line;
        let key = operation.key.as_ref().map(Value::to_string);
        key.ok_or(ValidatorError::NoKey { line })
    });
    keys.collect::<Result<_, _>>().map(Some)
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Validator({:?})", self.name)
    }
}
