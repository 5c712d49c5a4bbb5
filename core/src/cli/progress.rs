//! Progress on a terminal; nothing where there is none.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::explore::Progress;

/// A line on standard error that shows how far an exploration has come.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub fn new(quiet: bool, label: &str) -> Self {
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(
            ProgressStyle::with_template("{spinner} {prefix}  {msg}")
                .expect("the template is well formed"),
        );
        bar.set_prefix(label.to_owned());
        Self(bar)
    }

    pub fn show(&self, progress: &Progress) {
        if self.0.is_hidden() {
            return;
        }
        let rate = progress.states as f64 / progress.elapsed.as_secs_f64().max(1e-3);
        self.0.set_message(format!(
            "{} states, {} transitions, depth {}, {} states/s",
            HumanCount(progress.states),
            HumanCount(progress.transitions),
            progress.depth,
            HumanCount(rate as u64),
        ));
        self.0.tick();
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
