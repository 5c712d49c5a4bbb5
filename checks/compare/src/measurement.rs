//! One run of a program, and what it took: the same way for every program, as the operating system
//! says when the process is gone.

use std::io::{Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use wait4::Wait4;

use super::failure::Failure;

/// Resources a process took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// By the clock, from its start to its end.
    pub seconds: f64,
    pub user_seconds: f64,
    pub system_seconds: f64,
    /// The most memory that was resident at a time.
    pub peak_bytes: u64,
}

/// Outcome of a process.
pub struct Run {
    pub measurement: Measurement,
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// The best of several runs, since what disturbs a run only adds to what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    pub seconds: f64,
    /// Of the run with the least user and system time together.
    pub user_seconds: f64,
    /// User and system time together.
    pub cpu_seconds: f64,
    /// The most of all runs: memory is not disturbed, it is needed.
    pub peak_bytes: u64,
}

impl Measurement {
    /// User and system time.
    pub fn cpu_seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

impl Best {
    /// The best of `runs`; none if there were none.
    pub fn of(runs: &[Measurement]) -> Option<Self> {
        let least =
            |a: &&Measurement, b: &&Measurement| a.cpu_seconds().total_cmp(&b.cpu_seconds());
        let cheapest = runs.iter().min_by(least)?;
        Some(Self {
            seconds: runs.iter().map(|run| run.seconds).fold(f64::MAX, f64::min),
            user_seconds: cheapest.user_seconds,
            cpu_seconds: cheapest.cpu_seconds(),
            peak_bytes: runs.iter().map(|run| run.peak_bytes).max()?,
        })
    }
}

/// Runs `command` to its end. `program` is what a failure calls it.
pub fn run(program: &str, command: &mut Command) -> Result<Run, Failure> {
    let failed = |error| Failure::Start {
        program: program.to_owned(),
        error,
    };
    // A file, since a pipe that nobody empties would stop the program.
    let mut stderr_file = tempfile::tempfile().map_err(failed)?;
    let stderr_of_child = stderr_file.try_clone().map_err(failed)?;
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(stderr_of_child))
        .spawn()
        .map_err(failed)?;
    let mut stdout = String::new();
    let mut pipe = child.stdout.take().expect("it was asked for");
    let read = pipe.read_to_string(&mut stdout);
    let used = child.wait4().map_err(failed)?;
    let seconds = started.elapsed().as_secs_f64();
    read.map_err(failed)?;
    let mut stderr = String::new();
    stderr_file.rewind().map_err(failed)?;
    stderr_file.read_to_string(&mut stderr).map_err(failed)?;
    Ok(Run {
        measurement: Measurement {
            seconds,
            user_seconds: used.rusage.utime.as_secs_f64(),
            system_seconds: used.rusage.stime.as_secs_f64(),
            peak_bytes: used.rusage.maxrss,
        },
        status: used.status,
        stdout,
        stderr,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn measurement(seconds: f64, user_seconds: f64, peak_bytes: u64) -> Measurement {
        Measurement {
            seconds,
            user_seconds,
            system_seconds: 0.5,
            peak_bytes,
        }
    }

    #[test]
    fn the_best_is_the_cheapest_with_the_memory_of_the_greediest() {
        let runs = [
            measurement(1.0, 3.0, 7),
            measurement(2.0, 2.0, 8),
            measurement(3.0, 4.0, 9),
        ];
        let best = Best {
            seconds: 1.0,
            user_seconds: 2.0,
            cpu_seconds: 2.5,
            peak_bytes: 9,
        };
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            assert_eq!(
                Best::of(&order.map(|run| runs[run])),
                Some(best),
                "{order:?}"
            );
        }
        assert_eq!(Best::of(&[]), None);
    }

    #[test]
    fn a_process_is_measured_and_its_output_kept() {
        let mut these = Command::new(std::env::current_exe().expect("it runs"));
        let run = run("these tests", these.arg("--no-such-option")).expect("it starts");
        assert_eq!(run.status.code(), Some(101));
        assert!(run.stderr.contains("no-such-option"), "{}", run.stderr);
        assert!(run.stdout.is_empty());
        assert!(run.measurement.peak_bytes > 0 && run.measurement.seconds > 0.0);
    }

    #[test]
    fn a_program_that_is_not_there_is_a_failure() {
        let outcome = run("none", &mut Command::new("/no/such/program"));
        assert!(matches!(outcome, Err(Failure::Start { .. })));
    }
}
