//! Losses of processes, and ends without one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use crate::processes::{each, greeting, group, meet, with_other, within};
use refmap::internal::explore::{Peers, PeersError};
use refmap::random::Generator;

fn lost(error: &PeersError) -> usize {
    match error {
        PeersError::Lost { process, .. } => *process,
        other => panic!("{other}"),
    }
}

/// The loss is that of the process that has stopped, also for those that first notice that another one leaves because of it.
#[test]
fn a_process_that_stops_is_lost_for_all_others() {
    within(120, || {
        for attempt in 0..20 {
            let processes = 2 + attempt % 4;
            let stopping = attempt % processes;
            let words = |round: usize| vec![vec![3; [0, 10, 100_000][round % 3]]; processes];
            let errors = each(group(processes), |own, process| {
                for round in 0.. {
                    if own == stopping && round == attempt {
                        return None;
                    }
                    if let Err(error) = process.exchange(words(round)) {
                        let again = Instant::now();
                        assert_eq!(process.exchange(words(round)), Err(error.clone()));
                        assert_eq!(process.finish(), Err(error.clone()));
                        assert!(again.elapsed() < Duration::from_secs(2));
                        return Some((round, error));
                    }
                }
                None
            });
            for (own, error) in errors.into_iter().enumerate() {
                match error {
                    None => assert_eq!(own, stopping),
                    Some((round, error)) => {
                        // The last exchange of the process that stops may fail for others, although it was complete.
                        assert!(
                            round == attempt || round + 1 == attempt,
                            "{round} of {attempt}"
                        );
                        assert_eq!(lost(&error), stopping, "{error}");
                        assert_eq!(
                            error.to_string(),
                            format!("process {stopping} was lost: it has stopped before the end")
                        );
                    }
                }
            }
        }
    });
}

/// Those that wait learn the loss at once.
#[test]
fn a_loss_wakes_those_that_wait() {
    within(60, || {
        let waited = each(group(3), |own, process| {
            if own == 2 {
                sleep(Duration::from_millis(300));
                drop(process);
                return Duration::ZERO;
            }
            let start = Instant::now();
            assert_eq!(
                lost(&process.exchange(vec![vec![1; 500_000]; 3]).unwrap_err()),
                2
            );
            start.elapsed()
        });
        for waited in &waited[..2] {
            assert!(
                *waited > Duration::from_millis(200) && *waited < Duration::from_secs(5),
                "{waited:?}"
            );
        }
    });
}

#[test]
fn a_process_that_panics_is_lost() {
    within(60, || {
        let mut processes = group(2);
        let panics = processes.pop().unwrap();
        let thread = std::thread::spawn(move || {
            let _process = panics;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(thread.join().is_err());
        assert_eq!(
            lost(&processes[0].exchange(vec![vec![]; 2]).unwrap_err()),
            1
        );
    });
}

#[test]
fn no_end_is_a_loss() {
    within(240, || {
        for attempt in 0..60 {
            let processes = 2 + attempt as usize % 4;
            each(group(processes), |own, process| {
                let mut random = Generator::new(attempt * 10 + own as u64);
                for _ in 0..2 {
                    process.exchange(vec![vec![own as u64]; processes]).unwrap();
                }
                if random.below(2) == 0 {
                    sleep(Duration::from_micros(random.below(20_000) as u64));
                }
                process.finish().unwrap();
                if random.below(2) == 0 {
                    sleep(Duration::from_micros(random.below(20_000) as u64));
                }
                let after = process.exchange(vec![vec![]; processes]).unwrap_err();
                assert_eq!(
                    after,
                    PeersError::Lost {
                        process: own,
                        reason: "it has finished".into()
                    }
                );
            });
        }
    });
}

/// A finish is an exchange like others for a process that is lost before.
#[test]
fn finishing_with_a_process_that_stops_is_a_loss() {
    within(60, || {
        let results = each(
            group(3),
            |own, process| if own == 1 { Ok(()) } else { process.finish() },
        );
        assert_eq!(
            results
                .iter()
                .map(|result| result.as_ref().err().map(lost))
                .collect::<Vec<_>>(),
            [Some(1), None, Some(1)]
        );
    });
}

/// The threads of processes that have finished end.
#[cfg(target_os = "linux")]
#[test]
fn no_thread_is_left_after_a_finish() {
    within(60, || {
        let threads = || {
            let names = std::fs::read_dir("/proc/self/task").unwrap();
            let name = |task: std::io::Result<std::fs::DirEntry>| {
                std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
            };
            // Processes of this test alone have such numbers.
            names
                .filter_map(name)
                .filter(|name| {
                    ["timely:send-8\n", "timely:recv-8\n", "refmap:beat-8\n"].contains(&&name[..])
                })
                .count()
        };
        let nine = group(9);
        let start = Instant::now();
        while threads() < 24 {
            // A thread has its name a moment after it has started.
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "there are {} threads",
                threads()
            );
        }
        each(nine, |_, process| process.finish().unwrap());
        let start = Instant::now();
        while threads() > 0 {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{} threads are left",
                threads()
            );
            sleep(Duration::from_millis(20));
        }
    });
}

/// A process that is killed says nothing, but the operating system closes its connections.
#[test]
fn a_process_that_is_killed_is_lost_for_all_others() {
    within(120, || {
        for exchanges in [1, 2, 5, 9, 20] {
            let (listeners, hosts, mut killed) = with_other(3);
            let hosts = &hosts;
            let made = &AtomicU64::new(0);
            scope(|scope| {
                let threads = listeners.into_iter().enumerate();
                let threads: Vec<_> = threads
                    .map(|(own, listener)| {
                        scope.spawn(move || {
                            let process = meet(listener, hosts, own, &greeting()).unwrap();
                            loop {
                                if let Err(error) = process.exchange(vec![vec![1; 50_000]; 3]) {
                                    return error;
                                }
                                made.fetch_add(1, Ordering::Relaxed);
                            }
                        })
                    })
                    .collect();
                while made.load(Ordering::Relaxed) < exchanges {
                    sleep(Duration::from_micros(50));
                }
                killed.kill().unwrap();
                killed.wait().unwrap();
                for thread in threads {
                    let error = thread.join().unwrap();
                    assert_eq!(lost(&error), 2, "{error}");
                }
            });
        }
    });
}
