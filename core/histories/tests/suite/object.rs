//! Tests of the test of objects: faulty objects, each with a sound twin, and objects of which nothing can be said.
//!
//! A fault is a value, and the twin is the same code without it.

mod counted;
mod crowded;
mod dropped;
mod fifo;
mod flags;
mod greedy;
mod lock;
mod mailbox;
mod monitor;
mod nightly;
mod odd;
mod pair;
mod permitted;
mod published;
mod relaxed;
mod ring;
mod semaphore;
mod spin;
mod spurious;
mod stack;
mod wire;

use std::time::Duration;

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{Effort, Finding, Run, Tested, repeat, test};

/// Reason why a lock is never poisoned.
const NEVER_POISONED: &str = "no thread panics with the lock";

/// The default effort, of a seed.
fn seeded(seed: u64) -> Effort {
    Effort {
        seed,
        ..Effort::default()
    }
}

/// Effort of a tenth of the runs.
fn little() -> Effort {
    Effort {
        alone: 5,
        runs: 10,
        programs: 15,
        tiny_programs: 2,
        executions: 2_000,
        ..Effort::default()
    }
}

/// The same, which does not wait long for what hangs.
fn impatient() -> Effort {
    Effort {
        patience: Duration::from_secs(1),
        ..little()
    }
}

/// Asserts that the sound twin is not refused.
///
/// The runs of real threads are few and long: a short one may be over before another processor begins with its part.
#[track_caller]
fn assert_sound(object: impl Object) {
    let effort = Effort {
        runs: 6,
        calls: 20_000,
        programs: 150,
        executions: 2_000,
        ..Effort::default()
    };
    test(object, &effort).assert_holds();
}

/// The finding, which has to be of this kind, and told in these words.
#[track_caller]
fn found(tested: &Tested, run: Run, words: &[&str]) -> Finding {
    assert_eq!(tested.verdict(), Verdict::Violated, "{tested}");
    let finding = tested.finding().expect("what is violated has a finding");
    assert_eq!(finding.run, run, "{tested}");
    for word in words {
        assert!(finding.told.contains(word), "{word:?} is missing: {tested}");
    }
    finding.clone()
}

/// Asserts that a fault is found under schedules and told in these words, that the schedule names the source in `file`, and that
/// it can be repeated.
#[track_caller]
fn assert_scheduled<O: Object + Clone>(object: O, file: &str, words: &[&str]) {
    let tested = test(object.clone(), &Effort::default());
    let finding = found(&tested, Run::Schedules, words);
    let schedule = finding.schedule.expect("it is of a schedule");
    assert!(schedule.contains(file), "{file} is missing: {schedule}");
    let run = finding.repeat.expect("it is of a schedule");
    found(&repeat(object, &run), Run::Schedules, words);
}

/// Asserts that nothing can be said of the object, and that this part tells why.
#[track_caller]
fn assert_vacuous(tested: &Tested, run: Run, reason: &str) {
    assert_eq!(tested.verdict(), Verdict::Incomplete, "{tested}");
    let part = tested.parts.iter().find(|part| part.run == run);
    let notes = &part.expect("it was tried").notes;
    let is_told = notes.iter().any(|note| note.contains(reason));
    assert!(is_told, "{reason:?} is missing: {tested}");
}
