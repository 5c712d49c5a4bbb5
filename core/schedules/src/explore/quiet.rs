//! Panics of executions, which are evidence and not printed.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are those of an execution.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    /// Place of this thread's last panic within an execution.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs executions on the calling thread. Their panics are not printed.
pub(super) fn quietly<R>(run: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            QUIET.set(self.0);
        }
    }
    install();
    let _restored = Restored(QUIET.replace(true));
    run()
}

/// Installs the panic hook that keeps executions quiet, once, outside of those of the schedulers.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        // Shuttle installs a hook at its first execution, which prints; it is dropped.
        #[cfg(feature = "shuttle")]
        shuttle::Runner::new(
            super::under_shuttle::Nothing::default(),
            shuttle::Config::new(),
        )
        .run(|| ());
        drop(panic::take_hook());
        panic::set_hook(Box::new(move |info| {
            if QUIET.try_with(Cell::get).unwrap_or(false) {
                remember(info);
            } else {
                before(info);
            }
        }));
    });
}

fn remember(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    let _ = PLACE.try_with(|last| last.replace(place));
}

/// The message of a panic, and its place.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let message = if let Some(message) = payload.downcast_ref::<&'static str>() {
        message
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message
    } else {
        "a value that is no text"
    };
    match PLACE.take() {
        Some(place) => format!("{message} ({place})"),
        None => message.into(),
    }
}
