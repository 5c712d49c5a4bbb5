//! End of the process: while a command is under way, no one but the program ends it. A model, or an object, that calls `exit` has no
//! verdict, whatever status it gives.
//!
//! An end that runs no handlers (`_exit`, `abort`, a signal) is not noticed here. A signal and `abort` are no success anyway.

use std::process;
#[cfg(unix)]
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::status::Status;
#[cfg(unix)]
use crate::temporary;

/// True while a command is under way.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);

/// Command under way, until it is dropped.
pub(super) struct UnderWay(());

impl UnderWay {
    /// Begins a command.
    pub fn begin() -> Self {
        watch();
        UNDER_WAY.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.store(false, Ordering::SeqCst);
    }
}

/// Ends the process with a status of the program, whatever is under way.
pub(super) fn exit(status: Status) -> ! {
    UNDER_WAY.store(false, Ordering::SeqCst);
    process::exit(status as i32)
}

/// Installs a handler that runs when something calls `exit`.
#[cfg(unix)]
#[allow(unsafe_code)]
fn watch() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: `ended` is a function of the program, so that it is there until the process ends, and it does not unwind. If there is no
        // room for another handler, an exit is not noticed.
        unsafe {
            libc::atexit(ended);
        }
    });
}

/// The standard library ends a process there without running handlers.
#[cfg(not(unix))]
fn watch() {}

/// Handler that turns an end which the program has not decided into a failure.
#[cfg(unix)]
#[allow(unsafe_code)]
extern "C" fn ended() {
    const MESSAGE: &str =
        "error: a function of the model ended the process by `exit`, so that there is no verdict\n";
    if UNDER_WAY.load(Ordering::SeqCst) {
        temporary::remove_all();
        // Another thread may hold the lock of standard error, and will not give it back.
        // SAFETY: `write` reads as many bytes as there are; `_exit` does not return, and runs no handler once more.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(Status::Unusable as i32);
        }
    }
}
