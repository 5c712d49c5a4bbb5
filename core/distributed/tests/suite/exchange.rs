//! Exchanges of words, compared with a plain model.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::processes::{PATIENT, each, greeting, group, meet, with_other, within};
use refmap::internal::explore::Peers;
use refmap::random::Generator;
use refmap_distributed::{Hosts, connect};

/// Words that one process sends to another one in a round: any process can say what they are.
fn words(round: u64, from: usize, to: usize) -> Vec<u64> {
    let mut random = Generator::new(round << 32 | (from as u64) << 16 | to as u64);
    let length = match random.below(8) {
        0..3 => 0,
        3..6 => random.below(100),
        6 => random.below(40_000),
        // The lengths around that of a piece, and of several.
        _ => (random.below(5) * ((1 << 15) - 64) + random.below(3)).saturating_sub(1),
    };
    (0..length).map(|_| random.bits()).collect()
}

fn rounds(processes: usize, rounds: u64) {
    within(240, move || {
        each(group(processes), |own, process| {
            assert_eq!((process.process(), process.processes()), (own, processes));
            for round in 0..rounds {
                let received = process
                    .exchange((0..processes).map(|to| words(round, own, to)).collect())
                    .unwrap();
                assert!(
                    received
                        == (0..processes)
                            .map(|from| words(round, from, own))
                            .collect::<Vec<_>>()
                );
            }
            process.finish().unwrap();
        });
    });
}

#[test]
fn two_processes_exchange_what_a_model_says() {
    rounds(2, 300);
}

#[test]
fn four_processes_exchange_what_a_model_says() {
    rounds(4, 100);
}

#[test]
fn seven_processes_exchange_what_a_model_says() {
    rounds(7, 40);
}

#[test]
fn one_process_needs_no_connection() {
    let hosts = Hosts::read("no.such.host.invalid:1").unwrap();
    let alone = connect(&hosts, 0, &greeting(), PATIENT, &|| false).unwrap();
    assert_eq!(alone.exchange(vec![vec![1, 2]]).unwrap(), [[1, 2]]);
    alone.finish().unwrap();
}

#[test]
fn a_message_may_be_large() {
    within(120, || {
        each(group(3), |own, process| {
            // More than 256 pieces from the first process.
            let length = |from| if from == 0 { 8_400_000 } else { 500_000 };
            let message = |from: u64| {
                (0..length(from))
                    .map(|word| word * 7 + from)
                    .collect::<Vec<u64>>()
            };
            let mut words = vec![Vec::new(); 3];
            words[(own + 1) % 3] = message(own as u64);
            let received = process.exchange(words).unwrap();
            let from = (own + 2) % 3;
            assert!(received[from] == message(from as u64));
            assert!(received[own].is_empty() && received[(own + 1) % 3].is_empty());
            process.finish().unwrap();
        });
    });
}

#[test]
fn all_wait_for_one_that_sleeps() {
    within(60, || {
        let waited = each(group(3), |own, process| {
            let start = Instant::now();
            if own == 1 {
                sleep(Duration::from_millis(300));
            }
            assert_eq!(
                process
                    .exchange(vec![vec![own as u64; 200_000]; 3])
                    .unwrap()[2],
                vec![2; 200_000]
            );
            let waited = start.elapsed();
            process.finish().unwrap();
            waited
        });
        assert!(
            waited
                .iter()
                .all(|waited| *waited >= Duration::from_millis(250)),
            "{waited:?}"
        );
    });
}

/// A process that waits for another one leaves the processor to others.
#[cfg(target_os = "linux")]
#[test]
fn waiting_takes_no_time_of_the_processor() {
    /// Time that the processor has spent on a process, in hundredths of a second.
    fn ticks(process: u32) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let fields: Vec<_> = stat[stat.rfind(')').unwrap()..].split(' ').collect();
        fields[12].parse::<u64>().unwrap() + fields[13].parse::<u64>().unwrap()
    }
    within(60, || {
        let (mut listeners, hosts, mut other) = with_other(2);
        let process = meet(listeners.remove(0), &hosts, 0, &greeting()).unwrap();
        for _ in 0..3 {
            process.exchange(vec![vec![]; 2]).unwrap();
        }
        sleep(Duration::from_millis(300));
        let before = ticks(other.id());
        sleep(Duration::from_secs(1));
        let spent = ticks(other.id()) - before;
        drop(process);
        other.wait().unwrap();
        assert!(spent < 10, "{spent} hundredths of a second");
    });
}

#[test]
#[should_panic(expected = "there are words for each process")]
fn words_for_too_few_processes_are_refused() {
    let _ = group(2)[0].exchange(vec![Vec::new()]);
}
