//! Progress on a terminal; nothing where there is none.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::explore::Progress;

/// Time between two drawings.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on standard error that shows how far an exploration has come.
pub(super) struct Bar {
    line: ProgressBar,
    drawn: Mutex<Instant>,
}

impl Bar {
    pub fn new(quiet: bool) -> Self {
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(
            ProgressStyle::with_template("{spinner} {prefix}  {msg}")
                .expect("the template is well formed"),
        );
        Self {
            line: bar,
            drawn: Mutex::new(Instant::now()),
        }
    }

    /// Shows how far one of the things that are under way has come, and which.
    pub fn show(&self, label: &str, progress: &Progress) {
        let mut drawn = self.drawn.lock().expect("no holder of this lock panics");
        if self.line.is_hidden() || drawn.elapsed() < PAUSE {
            return;
        }
        *drawn = Instant::now();
        let rate = progress.states as f64 / progress.elapsed.as_secs_f64().max(1e-3);
        self.line.set_prefix(label.to_owned());
        self.line.set_message(format!(
            "{} states, {} transitions, depth {}, {} states/s",
            HumanCount(progress.states),
            HumanCount(progress.transitions),
            progress.depth,
            HumanCount(rate as u64),
        ));
        self.line.tick();
    }

    /// Has something else written meanwhile.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        self.line.suspend(write)
    }

    /// Takes the line away for good.
    pub fn clear(&self) {
        self.line.finish_and_clear();
    }
}
