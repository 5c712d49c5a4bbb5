//! Progress display: a line that is redrawn on a terminal; elsewhere a line per minute.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use refmap::explore::{Phase, Progress};
use refmap::internal::resident_bytes;

/// Interval between two redraws on a terminal.
const DRAWN: Duration = Duration::from_millis(100);
/// Interval between two lines elsewhere.
const WRITTEN: Duration = Duration::from_secs(60);

/// Progress display on standard error, until it is dropped. It runs in a thread of its own, since some long
/// operations report no progress.
pub(super) struct Bar {
    shared: Arc<Shared>,
    shows: Option<JoinHandle<()>>,
}

struct Shared {
    begun: Instant,
    state: Mutex<State>,
    line: Option<ProgressBar>,
}

/// Displayed state.
#[derive(Default)]
struct State {
    /// Label of the running job; of several, the one that last reported progress.
    label: String,
    progress: Option<Progress>,
    /// Number of completed jobs, and of all jobs.
    done: (usize, usize),
    ended: bool,
}

impl Bar {
    /// Creates a display for one job, or for a given number of counted jobs.
    pub fn new(quiet: bool, label: &str, total: usize) -> Self {
        if quiet {
            return Self::showing(None, label, total, None);
        }
        if !io::stderr().is_terminal() {
            return Self::showing(None, label, total, Some((WRITTEN, Box::new(io::stderr()))));
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        line.set_style(
            ProgressStyle::with_template("{spinner} {wide_msg}")
                .expect("the template is well formed"),
        );
        Self::showing(Some(line), label, total, None)
    }

    /// Creates a display that redraws a line, writes lines at intervals, or is off.
    fn showing(
        line: Option<ProgressBar>,
        label: &str,
        total: usize,
        lines: Option<(Duration, Box<dyn Write + Send>)>,
    ) -> Self {
        let shared = Arc::new(Shared {
            begun: Instant::now(),
            state: Mutex::new(State {
                label: label.to_owned(),
                done: (0, total),
                ..State::default()
            }),
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
            shows: shows.map(thread::spawn),
        }
    }

    /// Reports the progress of a running job.
    pub fn show(&self, label: &str, progress: &Progress) {
        let mut state = self.shared.state();
        if state.label != label {
            label.clone_into(&mut state.label);
        }
        state.progress = Some(*progress);
    }

    /// Counts one more completed job.
    pub fn done(&self) {
        self.shared.state().done.0 += 1;
    }

    /// Hides the line while `write` writes.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.shared.line {
            Some(line) => line.suspend(write),
            None => write(),
        }
    }

    /// Removes the line.
    pub fn clear(self) {
        drop(self);
    }
}

/// Removes the line, however the command ends.
impl Drop for Bar {
    fn drop(&mut self) {
        self.shared.state().ended = true;
        if let Some(shows) = self.shows.take() {
            shows.thread().unpark();
            let _ = shows.join();
        }
        if let Some(line) = &self.shared.line {
            line.finish_and_clear();
        }
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
            line.set_message(self.told());
            line.tick();
        }
    }

    fn write(&self, pause: Duration, mut output: Box<dyn Write + Send>) {
        while self.waits(pause) {
            let _ = writeln!(output, "{}", self.told());
        }
    }

    fn told(&self) -> String {
        told(&self.state(), self.begun.elapsed(), resident_bytes())
    }
}

/// Formats the line: completed jobs, elapsed time, memory, running job and its progress, so that a narrow terminal
/// cuts off the least important part.
fn told(state: &State, elapsed: Duration, memory: Option<u64>) -> String {
    let (done, total) = state.done;
    let mut parts = Vec::new();
    if total > 0 {
        parts.push(format!("{done} of {total} done"));
    }
    parts.push(FormattedDuration(elapsed).to_string());
    parts.extend(memory.map(|memory| format!("{} MiB", memory >> 20)));
    match &state.progress {
        None => parts.push(state.label.clone()),
        Some(progress) => parts.push(format!("{}: {}", state.label, far(progress))),
    }
    parts.join(", ")
}

fn far(progress: &Progress) -> String {
    let states = HumanCount(progress.states);
    match progress.phase {
        Phase::Environment => format!("deciding environment on {states} states"),
        Phase::Liveness => format!("deciding liveness on {states} states"),
        Phase::Induction => format!("deciding inductive, after {states} states"),
        Phase::Search => {
            let rate = progress.states as f64 / progress.elapsed.as_secs_f64().max(1e-3);
            format!(
                "{states} states, frontier {}, depth {}, {} transitions, {} states/s",
                HumanCount(progress.frontier),
                progress.depth,
                HumanCount(progress.transitions),
                HumanCount(rate as u64),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: Phase) -> Progress {
        Progress {
            phase,
            states: 20_000,
            transitions: 50_000,
            depth: 7,
            frontier: 1_500,
            elapsed: Duration::from_secs(10),
        }
    }

    #[test]
    fn a_line_has_what_is_done_and_how_far_the_rest_is() {
        let mut state = State {
            label: "check x".to_owned(),
            ..State::default()
        };
        let told = |state: &State| told(state, Duration::from_millis(61_500), Some(3 << 20));
        assert_eq!(told(&state), "00:01:01, 3 MiB, check x");
        state.done = (3, 9);
        state.progress = Some(progress(Phase::Search));
        assert_eq!(
            told(&state),
            "3 of 9 done, 00:01:01, 3 MiB, check x: 20,000 states, frontier 1,500, depth 7, 50,000 \
             transitions, 2,000 states/s"
        );
        state.progress = Some(progress(Phase::Environment));
        assert!(told(&state).ends_with("check x: deciding environment on 20,000 states"));
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
        let bar = Bar::showing(None, "stress x", 0, Some((pause, Box::new(lines.clone()))));
        let written = || String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let wait_for = |part: &str| {
            let begun = Instant::now();
            while !written().contains(part) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{}", written());
                thread::sleep(pause);
            }
        };
        wait_for(", stress x\n");
        bar.show("stress x", &progress(Phase::Environment));
        wait_for("stress x: deciding environment");
        bar.clear();
        let before = written();
        thread::sleep(10 * pause);
        assert_eq!(written(), before, "nothing is written any more");
        assert!(before.lines().count() >= 2);
        // A command shorter than the interval writes no line.
        let lines = Lines::default();
        Bar::showing(None, "", 0, Some((WRITTEN, Box::new(lines.clone())))).clear();
        assert!(lines.0.lock().unwrap().is_empty());
    }
}
