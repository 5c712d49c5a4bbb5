//! Silence of another process: for how long nothing has come from it while this one was awake.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time between two signs of life of a process that has nothing to say.
pub(crate) const BEAT: Duration = Duration::from_millis(200);

/// Time between two looks at whether another process has said something.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Silence of a process.
#[derive(Debug)]
pub(crate) struct Silence {
    /// Silence that is too long.
    most: Duration,
    lasts: Duration,
    looked: Instant,
    /// Time of the day when it began.
    since: SystemTime,
}

impl Silence {
    pub fn new(most: Duration) -> Self {
        Self {
            most,
            lasts: Duration::ZERO,
            looked: Instant::now(),
            since: SystemTime::now(),
        }
    }

    /// Ends it: something has come.
    pub fn end(&mut self) {
        *self = Self::new(self.most);
    }

    /// Counts the time since the last look; returns the reason for which the process is lost, if that is too long.
    pub fn look(&mut self) -> Option<String> {
        // As long as this process was stopped itself, or its machine slept, it could not hear anything.
        self.lasts += self.looked.elapsed().min(2 * LOOK);
        self.looked = Instant::now();
        (self.lasts >= self.most).then(|| {
            let seconds = self.most.as_secs_f64();
            let time = time_of_day(self.since);
            format!("it has said nothing for {seconds} seconds, since {time} UTC")
        })
    }
}

/// Time of the day, of the world's clock.
fn time_of_day(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let [hours, minutes, seconds] = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{hours:02}:{minutes:02}:{seconds:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_the_day_has_two_digits_each() {
        let at = |seconds| time_of_day(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "00:00:00");
        assert_eq!(at(3 * 86_400 + 23 * 3600 + 59 * 60 + 58), "23:59:58");
        assert_eq!(at(3600 + 2 * 60 + 3), "01:02:03");
    }

    #[test]
    fn time_in_which_this_process_was_stopped_does_not_count() {
        let mut silence = Silence::new(2 * LOOK + LOOK);
        let hour = Duration::from_secs(3600);
        silence.looked = Instant::now().checked_sub(hour).expect("it is later");
        assert_eq!(silence.look(), None, "it was stopped for an hour");
        silence.looked = Instant::now().checked_sub(LOOK).expect("it is later");
        let reason = silence.look().expect("it is too long");
        assert!(
            reason.starts_with("it has said nothing for 0.3 seconds, since "),
            "{reason}"
        );
        silence.since = UNIX_EPOCH;
        silence.end();
        silence.looked = Instant::now().checked_sub(LOOK).expect("it is later");
        assert_eq!(silence.look(), None, "something has come");
        assert!(silence.since > UNIX_EPOCH, "another silence has begun");
    }
}
