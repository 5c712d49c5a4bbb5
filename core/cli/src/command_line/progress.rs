//! Progress display: a line that is redrawn on a terminal; elsewhere a line per minute.
//!
//! A model may print while the line stands. The line fills the width of the terminal, so that a print begins below it; and it
//! is one line, so that no redraw moves up over what was printed.

mod line;
mod running;
mod state;

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::line::{Measured, line};
use self::running::Running;
use self::state::State;
use refmap::explore::{Limits, Progress};
use refmap::internal::resident_bytes;

/// Interval between two redraws on a terminal.
const DRAWN: Duration = Duration::from_millis(100);
/// Interval between two lines elsewhere.
const WRITTEN: Duration = Duration::from_secs(60);
/// Columns of the spinner and the space behind it, and of one that stays free.
const SPINNER: usize = 3;

/// Progress display on standard error, until it is dropped. It runs in a thread of its own, since some long
/// operations report no progress.
pub(super) struct Bar {
    shared: Arc<Shared>,
    shows: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    begun: Instant,
    state: Mutex<State>,
    line: Option<ProgressBar>,
}

impl Bar {
    /// Creates a display for one job, or for a given number of counted jobs, each under these limits.
    pub fn new(quiet: bool, label: &str, total: usize, limits: Limits) -> Self {
        let state = State {
            label: label.to_owned(),
            done: (0, total),
            limits,
            ..State::default()
        };
        if quiet {
            return Self::showing(None, state, None);
        }
        if !io::stderr().is_terminal() {
            return Self::showing(None, state, Some((WRITTEN, Box::new(io::stderr()))));
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        line.set_style(
            ProgressStyle::with_template("{spinner} {msg}").expect("the template is well formed"),
        );
        Self::showing(Some(line), state, None)
    }

    /// Creates a display that redraws a line, writes lines at intervals, or is off.
    fn showing(
        line: Option<ProgressBar>,
        state: State,
        lines: Option<(Duration, Box<dyn Write + Send>)>,
    ) -> Self {
        let shared = Arc::new(Shared {
            begun: Instant::now(),
            state: Mutex::new(state),
            line,
        });
        let show = Arc::clone(&shared);
        let shows: Option<Box<dyn FnOnce() + Send>> = match (&shared.line, lines) {
            (Some(_), _) => Some(Box::new(move || show.draw())),
            (None, Some((pause, output))) => Some(Box::new(move || show.write(pause, output))),
            (None, None) => None,
        };
        Self {
            shared,
            shows: Mutex::new(shows.map(thread::spawn)),
        }
    }

    /// Reports the progress of a running job.
    pub fn show(&self, label: &str, progress: &Progress) {
        let mut state = self.shared.state();
        let mut running = state.running.iter_mut();
        match running.find(|running| running.label == label) {
            Some(running) => running.update(progress),
            None => state.running.push(Running::new(label, progress)),
        }
    }

    /// Counts one more completed job.
    pub fn done(&self, label: &str) {
        let mut state = self.shared.state();
        state.done.0 += 1;
        state.running.retain(|running| running.label != label);
    }

    /// Hides the line while `write` writes.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.shared.line {
            Some(line) => line.suspend(write),
            None => write(),
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.shared.state().ended = true;
        let mut shows = self.shows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shows) = shows.take() {
            shows.thread().unpark();
            let _ = shows.join();
        }
        if let Some(line) = &self.shared.line {
            line.finish_and_clear();
        }
    }
}

/// Removes the line, however the command ends.
impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an interval; returns whether there is something to display afterwards.
    fn waits(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        loop {
            if self.state().ended {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::park_timeout(left);
        }
    }

    fn draw(&self) {
        let Some(line) = &self.line else { return };
        while self.waits(DRAWN) {
            let columns = terminal_size::terminal_size_of(io::stderr());
            let columns = columns.map_or(80, |(width, _)| usize::from(width.0));
            line.set_message(self.line(Some(columns.saturating_sub(SPINNER))));
            line.tick();
        }
    }

    fn write(&self, pause: Duration, mut output: Box<dyn Write + Send>) {
        while self.waits(pause) {
            let _ = writeln!(output, "{}", self.line(None));
        }
    }

    fn line(&self, columns: Option<usize>) -> String {
        let measured = Measured {
            elapsed: self.begun.elapsed(),
            memory_bytes: resident_bytes(),
        };
        line(&self.state(), measured, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::internal::explore::Phase;

    pub fn progress(phase: Phase) -> Progress {
        Progress {
            phase,
            states: 20_000,
            transitions: 50_000,
            depth: 7,
            frontier: 1_500,
            elapsed: Duration::from_secs(10),
            work: None,
            disk: None,
            peers: None,
        }
    }

    /// Output of a test.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Lines also appear if the job reports no progress, as while threads run.
    #[test]
    fn where_there_is_no_terminal_lines_are_written_now_and_then() {
        let lines = Lines::default();
        let pause = Duration::from_millis(5);
        let state = State {
            label: "stress x".to_owned(),
            ..State::default()
        };
        let bar = Bar::showing(None, state, Some((pause, Box::new(lines.clone()))));
        let written = || String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let wait_for = |part: &str| {
            let begun = Instant::now();
            while !written().contains(part) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{}", written());
                thread::sleep(pause);
            }
        };
        wait_for("stress x, ");
        bar.show("stress x", &progress(Phase::Environment));
        wait_for("stress x: deciding environment");
        bar.clear();
        let before = written();
        thread::sleep(10 * pause);
        assert_eq!(written(), before, "nothing is written any more");
        assert!(before.lines().count() >= 2);
        // A command shorter than the interval writes no line.
        let lines = Lines::default();
        let output = Box::new(lines.clone());
        Bar::showing(None, State::default(), Some((WRITTEN, output))).clear();
        assert!(lines.0.lock().unwrap().is_empty());
    }
}
