//! Panics of the threads of the transport, which nobody is to read.

use std::sync::Once;
use std::thread;

/// Name of the thread that makes the exchanges.
pub(crate) const EXCHANGE: &str = "refmap:exchange";

/// Beginning of the names of timely's threads.
const OF_TIMELY: &str = "timely:";

/// Has nothing written of a panic of such a thread: that it has ended is a loss, which is told as one.
pub(crate) fn keep_quiet() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_of_transport(thread::current().name()) {
                previous(info);
            }
        }));
    });
}

fn is_of_transport(name: Option<&str>) -> bool {
    name.is_some_and(|name| name == EXCHANGE || name.starts_with(OF_TIMELY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_transport_are_known_by_their_names() {
        for name in [EXCHANGE, "timely:send-1", "timely:recv-63"] {
            assert!(is_of_transport(Some(name)), "{name}");
        }
        for name in ["main", "refmap:exchange-2", "work"] {
            assert!(!is_of_transport(Some(name)), "{name}");
        }
        assert!(!is_of_transport(None));
    }
}
