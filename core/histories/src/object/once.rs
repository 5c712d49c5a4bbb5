//! One run with its validation.

use std::sync::Arc;

use refmap::internal::catch;
use refmap::report::Verdict;

use super::Object;
use super::case::Case;
use super::concurrent::EventOf;
use super::crew::{self, Choices};
use super::fault::Fault;
use super::judge::judge;
use super::kind::Run;
use super::program::Program;
use super::record::Record;
use super::run::Running;
use crate::{Event, Recorder, Validation};

/// One run.
pub(super) struct Once<O: Object> {
    /// The record of it.
    pub events: Vec<Event<EventOf<O>>>,
    /// Fault in which it ended.
    pub fault: Option<Fault>,
    /// Validation of the record; none if that is malformed, or not known.
    pub validation: Option<Validation>,
}

impl<O: Object> Once<O> {
    /// A run on real threads.
    pub fn on_threads(
        case: &Case<'_, O>,
        recorder: Recorder<EventOf<O>>,
        choices: Vec<Choices>,
        ahead: u64,
    ) -> Self {
        let record = Arc::new(Record::of(choices.len(), recorder));
        let running = match catch(|| Running::new(&case.object, &record)) {
            Ok(running) => Arc::new(running),
            Err(panic) => {
                return Self {
                    events: Vec::new(),
                    fault: Some(Fault::made_nothing(&panic.to_string())),
                    validation: None,
                };
            }
        };
        let fault = crew::run(case, &running, choices, ahead);
        let has_hung = |fault: &Fault| fault.verdict == Verdict::Incomplete;
        if fault.as_ref().is_some_and(has_hung) {
            // What its threads have not handed over is not known, so that nothing can be said of the rest.
            return Self {
                events: record.history(),
                fault,
                validation: None,
            };
        }
        Self::judged(case, Run::Threads, record.history(), fault)
    }

    /// A run with this record.
    pub fn judged(
        case: &Case<'_, O>,
        run: Run,
        events: Vec<Event<EventOf<O>>>,
        fault: Option<Fault>,
    ) -> Self {
        let (validation, malformed) =
            match judge::<O>(&case.specification, case.effort.patience, run, &events) {
                Ok(validation) => (Some(validation), None),
                Err(malformed) => (None, Some(malformed)),
            };
        Self {
            events,
            fault: fault.or(malformed),
            validation,
        }
    }

    /// A run of a program on real threads that are one, or of which times do not matter.
    pub fn of_program(case: &Case<'_, O>, program: &Program, ahead: u64) -> Self {
        let choices = program.threads.iter().map(|calls| -> Choices {
            let calls = calls.clone();
            Box::new(calls.into_iter())
        });
        let recorder = Recorder::counting();
        Self::on_threads(case, recorder, choices.collect(), ahead)
    }

    /// True unless the run is permitted, or not decided within the limits.
    pub fn is_wrong(&self) -> bool {
        let against = self.validation.as_ref().is_some_and(Validation::is_against);
        self.fault.is_some() || against
    }

    /// True if threads did not return in time.
    pub fn has_hung(&self) -> bool {
        let fault = self.fault.as_ref();
        fault.is_some_and(|fault| fault.verdict == Verdict::Incomplete)
    }
}
