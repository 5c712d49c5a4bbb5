//! Processes that are there and say nothing: stopped ones, and those behind a network that drops what they say.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep, spawn};
use std::time::{Duration, Instant};

use crate::processes::{greeting, group, listeners, meet, signal, silent_for, with_other, within};
use refmap::internal::explore::{Peers, PeersError};
use refmap_distributed::{ConnectError, Hosts, connect_on};

/// The number of the process that was lost, and the reason.
fn lost(error: PeersError) -> (usize, String) {
    match error {
        PeersError::Lost { process, reason } => (process, reason),
        other => panic!("{other}"),
    }
}

fn is_silence(reason: &str) -> bool {
    reason.starts_with("it has said nothing for 0.6 seconds, since ") && reason.ends_with(" UTC")
}

/// Those that wait for it name it, and since when it is silent, and they do so in time.
#[test]
fn a_process_that_is_stopped_is_lost_for_all_others() {
    within(60, || {
        let (listeners, hosts, mut stopped) = with_other(3);
        let hosts = &hosts;
        scope(|scope| {
            let threads = listeners.into_iter().enumerate();
            let threads: Vec<_> = threads
                .map(|(own, listener)| {
                    scope.spawn(move || {
                        let process =
                            connect_on(listener, hosts, own, &greeting(), silent_for(600), &|| {
                                false
                            })
                            .unwrap();
                        loop {
                            if let Err(error) = process.exchange(vec![vec![1; 50_000]; 3]) {
                                return (Instant::now(), lost(error));
                            }
                        }
                    })
                })
                .collect();
            sleep(Duration::from_millis(100));
            let begun = Instant::now();
            signal("-STOP", &stopped);
            for thread in threads {
                let (ended, (process, reason)) = thread.join().unwrap();
                assert_eq!(process, 2, "{reason}");
                assert!(is_silence(&reason), "{reason}");
                assert!(ended.duration_since(begun) < Duration::from_secs(5));
            }
            stopped.kill().unwrap();
            stopped.wait().unwrap();
        });
    });
}

/// A pause that is shorter than what is too long is none.
#[test]
fn a_process_that_goes_on_is_not_lost() {
    within(60, || {
        let (mut listeners, hosts, mut other) = with_other(2);
        let process = meet(listeners.remove(0), &hosts, 0, &greeting()).unwrap();
        for _ in 0..3 {
            process.exchange(vec![vec![1]; 2]).unwrap();
            signal("-STOP", &other);
            sleep(Duration::from_millis(100));
            signal("-CONT", &other);
            process.exchange(vec![vec![1; 50_000]; 2]).unwrap();
        }
        drop(process);
        other.wait().unwrap();
    });
}

/// A process that is stopped before all have met is noticed while others are still waited for.
#[test]
fn a_process_that_is_stopped_while_others_are_missing_is_lost() {
    within(60, || {
        let (mut listeners, hosts, mut stopped) = with_other(3);
        let first = listeners.remove(0);
        let has_met = AtomicBool::new(false);
        scope(|scope| {
            let waiting = scope.spawn(|| {
                let cancelled = || {
                    has_met.store(true, Ordering::Relaxed);
                    false
                };
                connect_on(first, &hosts, 0, &greeting(), silent_for(600), &cancelled).unwrap_err()
            });
            // The process that is stopped may not have come yet, and comes then when it goes on.
            while !has_met.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(5));
            }
            sleep(Duration::from_millis(500));
            signal("-STOP", &stopped);
            let error = waiting.join().unwrap();
            let ConnectError::Silent { process, reason } = error else {
                panic!("{error}");
            };
            assert_eq!(process, 2);
            assert!(is_silence(&reason), "{reason}");
        });
        stopped.kill().unwrap();
        stopped.wait().unwrap();
    });
}

/// The operating system accepts connections for a process that is stopped.
#[test]
fn a_listener_that_says_nothing_is_no_process() {
    within(60, || {
        let (mut listeners, hosts) = listeners(2);
        let second = listeners.pop().unwrap();
        let error =
            connect_on(second, &hosts, 1, &greeting(), silent_for(600), &|| false).unwrap_err();
        let message = error.to_string();
        let expected = "process 0 was lost before all had connected: it has said nothing for 0.6 \
                        seconds, since ";
        assert!(message.starts_with(expected), "{message}");
    });
}

/// A network between two processes, which can be cut: connections stay, and nothing arrives.
struct Network {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Network {
    fn to(address: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let network = Self {
            address: listener.local_addr().unwrap(),
            is_cut: Arc::default(),
        };
        let is_cut = Arc::clone(&network.is_cut);
        spawn(move || {
            for near in listener.incoming() {
                let (near, far) = (near.unwrap(), TcpStream::connect(address).unwrap());
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let is_cut = Arc::clone(&is_cut);
                    spawn(move || forward(from, to, &is_cut));
                }
            }
        });
        network
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 1 << 12];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if is_cut.load(Ordering::Relaxed) {
            // As long as the test lasts.
            sleep(Duration::from_secs(60));
        }
        if to.write_all(&bytes[..read]).is_err() {
            return;
        }
    }
}

/// Each finds the other one lost, in the midst of what it sends.
#[test]
fn a_connection_without_a_network_is_lost_at_both_ends() {
    within(60, || {
        let (listeners, real) = listeners(2);
        let mut addresses = listeners.iter().map(|one| one.local_addr().unwrap());
        let (first, second) = (addresses.next().unwrap(), addresses.next().unwrap());
        let network = Network::to(first);
        let through = Hosts::read(&format!("{}\n{second}", network.address)).unwrap();
        scope(|scope| {
            let all = listeners.into_iter().zip([&real, &through]).enumerate();
            let threads: Vec<_> = all
                .map(|(own, (listener, hosts))| {
                    let is_cut = &network.is_cut;
                    scope.spawn(move || {
                        let process =
                            connect_on(listener, hosts, own, &greeting(), silent_for(600), &|| {
                                false
                            })
                            .unwrap();
                        for round in 0.. {
                            if round == 3 {
                                is_cut.store(true, Ordering::Relaxed);
                            }
                            if let Err(error) = process.exchange(vec![vec![1; 300_000]; 2]) {
                                assert!(round >= 2, "{error}");
                                return lost(error);
                            }
                        }
                        unreachable!("there is no last round")
                    })
                })
                .collect();
            for (own, thread) in threads.into_iter().enumerate() {
                let (process, reason) = thread.join().unwrap();
                assert_eq!(process, 1 - own, "{reason}");
                assert!(is_silence(&reason), "{reason}");
            }
        });
    });
}

/// A reason for which a process leaves reaches all others, which wait for it.
#[test]
fn who_leaves_says_why() {
    within(60, || {
        let mut all = group(3).into_iter();
        let leaving = all.next().unwrap();
        let waiting: Vec<_> = all
            .map(|process| spawn(move || process.exchange(vec![vec![1; 10]; 3]).unwrap_err()))
            .collect();
        let reason = "a long reason ".repeat(1024 / 14);
        leaving.leave(&reason);
        let own = leaving.exchange(vec![vec![]; 3]).unwrap_err();
        let others = waiting.into_iter().map(|thread| thread.join().unwrap());
        for error in others.chain([own]) {
            assert_eq!(lost(error), (0, reason.clone()));
        }
    });
}

/// One that waits asks the others to hurry, and gives up the one that has not come.
#[test]
fn who_waits_can_give_up() {
    within(60, || {
        let mut all: Vec<_> = group(3).into_iter().map(Arc::new).collect();
        let (late, second, first) = (all.pop().unwrap(), all.pop().unwrap(), all.pop().unwrap());
        let waiting = [&first, &second].map(|process| {
            let process = Arc::clone(process);
            spawn(move || process.exchange(vec![vec![1; 10]; 3]).unwrap_err())
        });
        assert!(!late.is_hurried() && !first.is_hurried());
        first.hurry();
        let begun = Instant::now();
        while !(late.is_hurried() && second.is_hurried()) {
            assert!(begun.elapsed() < Duration::from_secs(5), "nobody hurries");
            sleep(Duration::from_millis(1));
        }
        assert!(!first.is_hurried(), "it hurries by itself");
        // A sign of life of the second one, which has come.
        sleep(Duration::from_millis(450));
        first.give_up("it is too late".to_owned());
        for thread in waiting {
            let reason = "it is too late".to_owned();
            assert_eq!(lost(thread.join().unwrap()), (2, reason));
        }
        let (process, reason) = lost(late.exchange(vec![vec![]; 3]).unwrap_err());
        assert!(process < 2, "{process}");
        assert_eq!(reason, "it has lost this process: it is too late");
    });
}

/// Hosts that do not answer an attempt to connect keep nobody who is cancelled, however many they are.
#[test]
#[cfg(target_os = "linux")]
fn connecting_to_what_does_not_answer_can_be_cancelled() {
    within(20, || {
        // As long as nobody accepts them, so many connections and no more are taken.
        let full = || TcpListener::bind("127.0.0.1:0").unwrap();
        let full = [full(), full(), full()];
        let addresses = full.each_ref().map(|one| one.local_addr().unwrap());
        let _held: Vec<_> = addresses
            .iter()
            .map(|address| {
                let call = || TcpStream::connect_timeout(address, Duration::from_millis(50)).ok();
                let held: Vec<_> = std::iter::from_fn(call).take(250).collect();
                assert!(held.len() < 250);
                held
            })
            .collect();
        let lines = addresses.map(|address| address.to_string());
        let hosts = Hosts::read(&format!("{}\n127.0.0.1:9", lines.join("\n"))).unwrap();
        let own = TcpListener::bind("127.0.0.1:0").unwrap();
        let begun = Instant::now();
        let cancelled = || begun.elapsed() > Duration::from_millis(50);
        let patience = silent_for(10_000);
        let error = connect_on(own, &hosts, 3, &greeting(), patience, &cancelled).unwrap_err();
        assert!(matches!(error, ConnectError::Cancelled), "{error}");
        assert!(
            begun.elapsed() < Duration::from_millis(900),
            "{:?}",
            begun.elapsed()
        );
    });
}
