//! Handling of the signals that ask the program to end.

use std::ffi::c_int;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

#[cfg(unix)]
const SIGNALS: [c_int; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [c_int; 2] = [SIGINT, SIGTERM];

/// Installs handlers: a first signal sets `cancelled`, and a second one ends the process at once, with the status
/// that a shell gives to a process ended by that signal. A signal that the parent process set to be ignored, as
/// `nohup` does, stays ignored.
pub(super) fn watch(cancelled: &'static AtomicBool) {
    for signal in SIGNALS {
        if is_ignored(signal) {
            continue;
        }
        // Handlers run in the order of registration, so the first signal finds the flag unset. Without a handler a
        // signal ends the process, which is the default.
        let _ = flag::register_conditional_shutdown(signal, 128 + signal, cancelled)
            .and_then(|_| flag::register(signal, cancelled));
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
