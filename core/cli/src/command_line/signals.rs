//! Handling of the signals that ask the program to end.

use std::ffi::c_int;
use std::sync::atomic::AtomicBool;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(unix)]
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;

#[cfg(unix)]
use crate::temporary;

#[cfg(unix)]
const SIGNALS: [c_int; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [c_int; 2] = [SIGINT, SIGTERM];

/// Installs handlers: a first signal sets `cancelled`, and a second one ends the process at once, with the status
/// that a shell gives to a process ended by that signal, and without its temporary files. A signal that the parent process set to be
/// ignored, as `nohup` does, stays ignored.
pub(super) fn watch(cancelled: &'static AtomicBool) {
    let signals: Vec<c_int> = SIGNALS
        .into_iter()
        .filter(|signal| !is_ignored(*signal))
        .collect();
    // Without a handler a signal ends the process, which is the default.
    handle(&signals, cancelled);
}

/// A handler may remove no file, so a thread does.
#[cfg(unix)]
#[allow(unsafe_code)]
fn handle(signals: &[c_int], cancelled: &'static AtomicBool) {
    static RECEIVED: AtomicUsize = AtomicUsize::new(0);
    let count = || {
        RECEIVED.fetch_add(1, Ordering::SeqCst);
    };
    for signal in signals {
        let _ = flag::register(*signal, cancelled);
        // SAFETY: to add to an atomic number is all that the handler does, which is safe in any signal handler.
        let _ = unsafe { signal_hook::low_level::register(*signal, count) };
    }
    // Signals that come at once may be one to the thread, which is why they are counted.
    let Ok(mut received) = Signals::new(signals) else {
        return;
    };
    let end = move || {
        for signal in received.forever() {
            if RECEIVED.load(Ordering::SeqCst) > 1 {
                temporary::remove_all();
                signal_hook::low_level::exit(128 + signal);
            }
        }
    };
    // Where there is no thread a second signal does no more than the first.
    let _ = thread::Builder::new().name("signals".to_owned()).spawn(end);
}

#[cfg(not(unix))]
fn handle(signals: &[c_int], cancelled: &'static AtomicBool) {
    for signal in signals {
        // Handlers run in the order of registration, so the first signal finds the flag unset.
        let _ = flag::register_conditional_shutdown(*signal, 128 + *signal, cancelled);
        let _ = flag::register(*signal, cancelled);
    }
}

/// True if the process was started with this signal ignored. The standard library cannot say.
#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action `sigaction` only writes the current one to `action`, which is valid for writes.
    // All-zero bytes are a valid `libc::sigaction`, so `action` is initialised also where the call fails.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(not(unix))]
fn is_ignored(_signal: c_int) -> bool {
    false
}
