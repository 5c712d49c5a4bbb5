//! Effect of a signal on a command, and none where the command is to ignore it.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

const HUP: u32 = 1;
const INT: u32 = 2;
const TERM: u32 = 15;

/// A check that takes long, started by a shell that first does as `first` says. It has its handlers.
pub fn long_check(first: &str, more: &[&str]) -> Child {
    let check = "check ben-ari-3 --nodes 6 --sons 2 --max-seconds 120 --threads 1";
    started(first, check, more)
}

/// A command that is started by a shell that first does as `first` says. It has its handlers.
pub fn started(first: &str, words: &str, more: &[&str]) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first}\nexec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_refmap"));
    command
        .args(words.split(' '))
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = command.spawn().expect("the program runs");
    let has_handlers =
        || mask(&child, "SigCgt").is_some_and(|caught| caught & 1 << (TERM - 1) != 0);
    for _ in 0..1000 {
        if has_handlers() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(has_handlers(), "the program handles no signal to terminate");
    child
}

/// A set of signals, as the system tells it of a process.
fn mask(child: &Child, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let mut lines = status.lines().filter_map(|line| line.split_once(":\t"));
    let (_, mask) = lines.find(|(of, _)| *of == name)?;
    u64::from_str_radix(mask, 16).ok()
}

pub fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.expect("signals can be sent").success());
}

/// Its report is partial, and so is its status.
pub fn is_partial(child: Child) {
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).expect("it prints a report");
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["limit"], "cancelled");
}

/// `nohup` starts a program with the signal to hang up ignored.
#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let mut child = long_check("trap '' HUP", &["--json"]);
    let of = |name| mask(&child, name).expect("the program runs");
    assert_eq!(of("SigIgn") & 1 << (HUP - 1), 1 << (HUP - 1));
    assert_eq!(of("SigCgt") & 1 << (HUP - 1), 0);
    send("-HUP", &child);
    thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().expect("it can be asked").is_none());
    send("-TERM", &child);
    is_partial(child);
}

#[test]
fn signals_that_are_not_ignored_end_in_a_partial_report() {
    for (signal, number) in [("-HUP", HUP), ("-INT", INT), ("-TERM", TERM)] {
        let mut child = long_check("", &["--json"]);
        let ignored = mask(&child, "SigIgn").expect("the program runs");
        if ignored >> (number - 1) & 1 == 1 {
            // These tests were started in the background, where a shell ignores some.
            eprintln!("{signal} is ignored by these tests, and is not sent");
            child.kill().expect("it runs");
            child.wait().expect("it was killed");
            continue;
        }
        send(signal, &child);
        is_partial(child);
    }
}
