//! Test in a process of its own, for an object that may end the process.
//!
//! The process is the test binary once more, with the name of the test that is running. It tells in a file which run it is at and, at its
//! end, what it found.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use refmap::report::Verdict;
use serde::{Deserialize, Serialize};

use super::kind::Run;
use super::tested::{Part, Tested};
use super::trials;
use super::{Effort, Finding, Object};

/// Variable with the file in which the process tells what it does.
const FILE: &str = "REFMAP_OBJECT_FILE";
/// Variable with the name of a test, where that cannot be told from the name of its thread.
const NAME: &str = "NEXTEST_TEST_NAME";
/// Interval at which it is asked whether the process has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// Number of times that a process may take as long as a call may before it is ended: it ends by itself when a thread hangs.
const PATIENCE: u32 = 6;

/// Content of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    /// The run that it is at.
    Begins(String),
    /// The result.
    Ends(Box<Tested>),
}

/// Tries an object with this effort in a process of its own, so that a crash is a finding, too. To be called by a test function, as its
/// only test of an object: the process is the binary of that test, which runs the test by its name.
///
/// # Panics
///
/// If the process cannot be started: then the name of the test may not be known, which is that of its thread, as it is unless tests run
/// on one thread, or that in `NEXTEST_TEST_NAME`.
pub fn test_in_child<O: Object>(object: O, effort: &Effort) -> Tested {
    if let Some(file) = env::var_os(FILE) {
        let file = PathBuf::from(file);
        let tested = trials::test(object, effort, &|run| {
            // Without it the run is only not told.
            let _ = told(&file, &Told::Begins(run.to_owned()));
            true
        });
        let is_told = told(&file, &Told::Ends(Box::new(tested))).is_ok();
        // Threads that hang end with it.
        process::exit(i32::from(!is_told));
    }
    let current = thread::current();
    let name = current.name().filter(|name| *name != "main");
    let name = name.map(str::to_owned).or_else(|| env::var(NAME).ok());
    let name = name.expect("the name of the test is that of its thread, or in `NEXTEST_TEST_NAME`");
    match run(&name, effort) {
        Ok(tested) => tested,
        Err(error) => panic!("the process of the test cannot be started: {error}"),
    }
}

/// Writes a file as a whole, so that a process that ends leaves the last one.
fn told(file: &Path, told: &Told) -> io::Result<()> {
    let next = file.with_extension("next");
    fs::write(&next, serde_json::to_vec(told)?)?;
    fs::rename(next, file)
}

fn run(name: &str, effort: &Effort) -> io::Result<Tested> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let directory = env::temp_dir().join(format!("refmap-object-{process}-{number}"));
    fs::create_dir_all(&directory)?;
    let file = directory.join("told");
    let mut child = Command::new(env::current_exe()?)
        .args([
            name,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FILE, &file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let read = || -> Option<Told> { serde_json::from_slice(&fs::read(&file).ok()?).ok() };
    let mut latest = (None, Instant::now());
    let ended = loop {
        if let Some(status) = child.try_wait()? {
            break Ok(status);
        }
        let now = fs::read(&file).ok();
        if now != latest.0 {
            latest = (now, Instant::now());
        }
        if latest.1.elapsed() > effort.patience * PATIENCE {
            child.kill()?;
            child.wait()?;
            break Err(());
        }
        thread::sleep(PAUSE);
    };
    let told = read();
    // What is left in the directory of temporary files is no result.
    let _ = fs::remove_dir_all(&directory);
    Ok(match told {
        Some(Told::Ends(tested)) => *tested,
        Some(Told::Begins(run)) => ended_in(&run, ended, effort),
        None => ended_in("nothing that was told", ended, effort),
    })
}

/// Result of a process that has ended, or was ended, in a run.
fn ended_in(run: &str, ended: Result<ExitStatus, ()>, effort: &Effort) -> Tested {
    let (told, verdict) = match ended {
        Ok(status) => (
            format!("the process ended with {status} in run: {run}"),
            Verdict::Violated,
        ),
        Err(()) => (
            format!("the process has hung, or is slow, and was ended in run: {run}"),
            Verdict::Incomplete,
        ),
    };
    let mut part = Part::of_process();
    part.found(Finding::bare(Run::Process, verdict, told));
    Tested {
        seed: effort.seed,
        parts: vec![part],
        left_out: Vec::new(),
    }
}
