//! Work of a command that calls a user's model, which may not return.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::error::CommandError;
use super::program::Program;
use super::status::Status;
use super::visible::tell;
use crate::watchdogs::Watchdogs;
use refmap::explore::{Limits, Watchdog};
use refmap::internal::explore::Unreturned;

/// Time between two looks at the watchdogs.
const PERIOD: Duration = Duration::from_millis(50);
/// Bytes of the stack of the thread that works: as many as the first thread of a process has by default.
const STACK: usize = 8 << 20;

/// Call of a model that does not return, and the label of its check.
pub(super) struct HeldUp {
    pub label: String,
    pub by: Unreturned,
}

impl HeldUp {
    /// Tells it on standard error, of a command that has no report to tell it in.
    pub fn tell(&self) {
        tell(&self.to_string());
    }

    /// The same, as results in JSON have it.
    pub fn json(&self) -> Value {
        let mut called = json!(self.by.report().unreturned);
        called["of"] = self.label.as_str().into();
        called
    }
}

impl Display for HeldUp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { label, by } = self;
        write!(f, "{label}: ended by {}: {by}", by.limit)
    }
}

/// Does the work of a command, and then the rest of it with what the work comes to. A call of the model that does not return once a limit is
/// reached, or the command is cancelled, cannot be ended: the rest is then done beside it, and the process is ended, if it is the
/// program's own.
pub(super) fn attended<T: Send>(
    program: Program<'_>,
    label: &str,
    limits: Limits,
    cancel: &AtomicBool,
    work: impl FnOnce(&Watchdog) -> T + Send,
    rest: impl FnOnce(Result<T, HeldUp>) -> Result<Status, CommandError>,
) -> Result<Status, CommandError> {
    let watchdogs = &Watchdogs::default();
    let work = |_: &dyn Fn(Infallible)| watchdogs.watching(label, limits, work);
    let rest = |(), done| rest(done);
    attended_parts(
        program,
        watchdogs,
        cancel,
        (),
        work,
        |(), none| match none {},
        rest,
    )
}

/// The same of work that has its parts shown on the way, on this thread, to a state that the rest takes.
pub(super) fn attended_parts<S, P: Send, R: Send, T: Send>(
    program: Program<'_>,
    watchdogs: &Watchdogs,
    cancel: &AtomicBool,
    mut state: S,
    work: impl FnOnce(&dyn Fn(P) -> R) -> T + Send,
    mut show: impl FnMut(&mut S, P) -> R,
    rest: impl FnOnce(S, Result<T, HeldUp>) -> Result<Status, CommandError>,
) -> Result<Status, CommandError> {
    let Some(end) = program.end else {
        let done = {
            let shown = RefCell::new((&mut state, &mut show));
            work(&|part| {
                let (state, show) = &mut *shown.borrow_mut();
                show(state, part)
            })
        };
        return rest(state, Ok(done));
    };
    // The rest takes the state beside work that does not return, or behind it.
    let mut left = Some((state, rest));
    let done = thread::scope(|scope| {
        let (sender, parts) = mpsc::channel::<(P, mpsc::Sender<R>)>();
        let work = move || {
            work(&|part| {
                let (reply, answer) = mpsc::channel();
                let shown = sender.send((part, reply)).ok().and(answer.recv().ok());
                shown.expect("parts are shown as long as work is done")
            })
        };
        let worker = thread::Builder::new().stack_size(STACK);
        let worker = match worker.spawn_scoped(scope, work) {
            Ok(worker) => worker,
            Err(error) => return Err(CommandError::Thread(error)),
        };
        let mut looked = Instant::now();
        loop {
            match parts.recv_timeout(PERIOD) {
                Ok((part, reply)) => {
                    if let Some((state, _)) = &mut left {
                        // That nobody waits for it is a worker that has panicked.
                        let _ = reply.send(show(state, part));
                    }
                }
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if looked.elapsed() < PERIOD {
                continue;
            }
            looked = Instant::now();
            if let Some((label, by)) = watchdogs.unreturned(cancel)
                && let Some((state, rest)) = left.take()
            {
                end(rest(state, Err(HeldUp { label, by })));
            }
        }
        Ok(worker.join())
    });
    let (state, rest) = left.expect("the process ends where the rest is taken");
    match done? {
        Ok(done) => rest(state, Ok(done)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
