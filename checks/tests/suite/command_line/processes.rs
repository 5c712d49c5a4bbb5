//! Several processes on the command line: they say what one says, one that is lost ends all, and what does not fit is refused.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use refmap::random::Generator;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::has;
use crate::program::{refmap, status, text};

/// A check that takes some seconds.
const LARGE: &str = "ben-ari --nodes 3 --sons 2 --roots 1 --keep-going";

/// Time after which a process that should have ended is taken to hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The report of a command, without what differs from run to run.
fn report(output: &Output) -> Value {
    let mut report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let fields = report.as_object_mut().expect("a report is an object");
    for name in [
        "seconds",
        "peak_memory_bytes",
        "threads",
        "processes",
        "checkpoints",
    ] {
        fields.remove(name);
    }
    report
}

/// The same without the choice among the nearest violations, and what needs the graph.
fn without_choice(mut report: Value) -> Value {
    for name in [
        "counterexample",
        "verdict",
        "asked_again",
        "warnings",
        "symmetry",
    ] {
        report[name].take();
    }
    let rows = report["obligations"]
        .as_array_mut()
        .expect("there are rows");
    rows.retain(|row| {
        !row["name"]
            .as_str()
            .expect("a name")
            .starts_with("environment")
    });
    for row in rows {
        for shown in row["counterexamples"].as_array_mut().into_iter().flatten() {
            let length = shown["length"].take();
            *shown = length;
        }
    }
    report
}

fn check(words: &str) -> Value {
    report(&refmap(&format!("check {words} --json")))
}

/// Any number of processes says the same, and one process the same but for the choice.
fn compare(words: &str, numbers: &[u32]) {
    let plain = without_choice(check(words));
    let one = check(&format!("{words} --processes 1"));
    assert_eq!(without_choice(one.clone()), plain, "{words}");
    for processes in numbers {
        let found = check(&format!("{words} --processes {processes}"));
        assert_eq!(found, one, "{words}, {processes} processes");
    }
}

#[test]
fn any_number_of_processes_says_the_same() {
    compare("ben-ari --nodes 3 --sons 1 --roots 1", &[2, 7]);
    compare("ben-ari-3 --nodes 4 --sons 1 --figure-14 as-printed", &[3]);
    let quotient = "tso --granularity reduced --without insertion-barrier --obligations \
                    observation,initiality,simulation,agency,deadlock --symmetry full";
    compare(quotient, &[2]);
    compare("tso --mutators 1 --max-depth 30", &[2]);
}

#[test]
#[ignore = "minutes"]
fn slow_any_number_of_processes_says_the_same_of_a_large_check() {
    compare("ben-ari --nodes 5 --sons 1 --roots 1", &[2, 4, 7]);
}

/// A command that runs.
fn start(words: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_refmap"))
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs")
}

/// Numbers of the processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("there are processes");
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |number: &u32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // Behind the name come the state and the number of the parent.
        let behind = stat.rsplit(')').next().unwrap_or_default();
        behind.split_whitespace().nth(1) == Some(&of.to_string())
    };
    numbers.filter(is_child).collect()
}

fn kill(process: u32) {
    let done = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    assert!(done.expect("there is `kill`").success());
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_there(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"));
    // One that nobody has waited for yet has ended.
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_lost_ends_all_with_one_message() {
    let folder = tempdir().expect("there is room for a folder");
    let kept = folder.path().join("kept");
    let words = "ben-ari --nodes 3 --sons 2 --roots 1 --keep-going";
    let begun = start(&format!(
        "check {words} --processes 3 --json --checkpoint {} --every 0",
        kept.display()
    ));
    wait_until("no checkpoint", || kept.join("checkpoint").exists());
    let others = children(begun.id());
    assert_eq!(others.len(), 2);
    kill(others[1]);
    let output = begun.wait_with_output().expect("it ends");
    let told = text(&output.stderr);
    assert_eq!(status(&output), 3, "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(
        told.contains("was lost") && told.contains("--resume"),
        "{told}"
    );
    assert!(output.stdout.is_empty());
    wait_until("a process goes on", || !is_there(others[0]));
    let resumed = check_resumed(&kept, "--processes 2");
    assert_eq!(
        without_choice(resumed),
        without_choice(check(words)),
        "{words}"
    );
}

fn check_resumed(kept: &Path, words: &str) -> Value {
    let words = format!("check ben-ari --resume {} --json {words}", kept.display());
    report(&refmap(words.trim_end()))
}

/// A search whose first process is killed, again and again, goes on in another number of processes.
fn killed(words: &str, kills: u32, seed: u64) -> u32 {
    let mut generator = Generator::new(seed);
    let folder = tempdir().expect("there is room for a folder");
    let kept = folder.path().join("kept");
    let begun = Instant::now();
    let expected = check(&format!("{words} --processes 2"));
    let longest = begun.elapsed() * 2 / (kills + 2);
    let name = words.split(' ').next().expect("a check has a name");
    let mut resumed = 0;
    for kill in 0..=kills {
        let is_there = kept.join("checkpoint").exists();
        resumed += u32::from(is_there);
        if !is_there {
            let _ = fs::remove_dir_all(&kept);
        }
        let of = if is_there {
            format!("{name} --resume {}", kept.display())
        } else {
            format!("{words} --checkpoint {}", kept.display())
        };
        let processes = [1, 2, 3, 0][generator.below(4)];
        let by = match processes {
            0 => String::new(),
            _ => format!(" --processes {processes}"),
        };
        let mut child = start(&format!("check {of} --every 0.001 --json{by}"));
        let begun = Instant::now();
        let while_it_runs = longest.mul_f64(generator.below(1000) as f64 / 1000.0);
        while kill < kills
            && begun.elapsed() < while_it_runs
            && child.try_wait().expect("it can be asked").is_none()
        {
            thread::sleep(Duration::from_millis(2));
        }
        if kill < kills && child.try_wait().expect("it can be asked").is_none() {
            let others = children(child.id());
            child.kill().expect("it can be killed");
            child.wait().expect("it has ended");
            for other in others {
                wait_until("a process goes on", || !self::is_there(other));
            }
            continue;
        }
        let found = report(&child.wait_with_output().expect("the program ends"));
        assert_eq!(without_choice(found), without_choice(expected), "{words}");
        return resumed;
    }
    unreachable!("the last one is not killed")
}

#[test]
#[cfg(target_os = "linux")]
fn a_search_of_several_processes_that_is_killed_goes_on() {
    let check = "ben-ari-3 --nodes 4 --sons 1 --figure-14 as-printed --keep-going";
    let resumed = killed(check, 2, 2);
    assert!(resumed > 0, "{resumed}");
}

#[test]
#[ignore = "minutes"]
#[cfg(target_os = "linux")]
fn slow_a_large_search_of_several_processes_is_killed_at_twenty_moments() {
    let resumed = killed("ben-ari-3 --nodes 4 --sons 1", 4, 1);
    assert!(resumed > 0, "{resumed}");
    let resumed = killed("ben-ari-3 --nodes 5 --sons 1", 20, 3);
    assert!(resumed > 5, "{resumed}");
}

/// Sends a signal to a process.
fn signal(name: &str, process: u32) {
    let done = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(done.expect("there is `kill`").success());
}

/// Ends a command whose second process is stopped; returns what it told, and the time that this took.
#[cfg(target_os = "linux")]
fn ends_without(begun: Child, stopped: u32, meanwhile: impl FnOnce(u32)) -> (String, Duration) {
    signal("-STOP", stopped);
    let since = Instant::now();
    meanwhile(begun.id());
    let output = begun.wait_with_output().expect("it ends");
    let time = since.elapsed();
    let told = text(&output.stderr);
    assert_eq!(status(&output), 3, "{told}");
    assert!(output.stdout.is_empty());
    wait_until("a process goes on", || !is_there(stopped));
    (told, time)
}

/// A process that is stopped is named, with the time since which it says nothing, and there is a checkpoint.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_stopped_ends_all() {
    let folder = tempdir().expect("there is room for a folder");
    let kept = folder.path().join("kept");
    let begun = start(&format!(
        "check {LARGE} --processes 3 --peer-timeout 1 --json --checkpoint {} --every 0",
        kept.display()
    ));
    wait_until("no checkpoint", || kept.join("checkpoint").exists());
    let others = children(begun.id());
    let (told, time) = ends_without(begun, others[1], |_| ());
    assert_eq!(told.lines().count(), 1, "{told}");
    let silent = "it has said nothing for 1 seconds, since ";
    let resumes = "the search is incomplete, and --resume ";
    assert!(told.contains(silent) && told.contains(resumes), "{told}");
    assert!(told.starts_with("error: process "), "{told}");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

/// The limits and the user of a process hold while it waits for one that is stopped.
#[test]
#[cfg(target_os = "linux")]
fn limits_hold_while_others_are_waited_for() {
    let ends = |words: &str, meanwhile: fn(u32), reason: &str| {
        let begun = start(&format!("check {LARGE} --processes 2 --json {words}"));
        wait_until("no process", || !children(begun.id()).is_empty());
        let other = children(begun.id())[0];
        // It searches.
        wait_until("it has not begun", || ticks(other) > 10);
        let (told, time) = ends_without(begun, other, meanwhile);
        assert!(
            told.contains("process 1 was lost: it did not come within 1.5 seconds after"),
            "{words}: {told}"
        );
        assert!(told.contains(reason), "{words}: {told}");
        assert!(
            told.trim_end().ends_with("the search is incomplete"),
            "{told}"
        );
        assert!(time < Duration::from_secs(4), "{words}: {time:?}");
    };
    ends("--max-seconds 1", |_| (), "the limit of 1 s");
    ends("", |process| signal("-TERM", process), "cancellation");
}

/// Hundredths of a second that the processor has spent on a process.
#[cfg(target_os = "linux")]
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let fields = behind.split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// Limits and the user hold while processes that are not there are waited for.
#[test]
fn limits_hold_while_processes_connect() {
    let folder = tempdir().expect("there is room for a folder");
    let hosts = hosts(3, folder.path());
    let waits = |words: &str| {
        start(&format!(
            "check ben-ari --hosts {hosts} --process 1 {words}"
        ))
    };
    let ends = |process: Child, reason: &str| {
        let begun = Instant::now();
        let output = process.wait_with_output().expect("it ends");
        let told = text(&output.stderr);
        assert_eq!(status(&output), 3, "{told}");
        assert_eq!(told.trim_end(), format!("error: {reason}"));
        assert!(begun.elapsed() < Duration::from_secs(5));
    };
    let limited = waits("--max-seconds 0.3");
    ends(
        limited,
        "without processes 0, 2: they did not connect within 0.3 seconds",
    );
    let interrupted = waits("");
    thread::sleep(Duration::from_millis(300));
    signal("-TERM", interrupted.id());
    ends(
        interrupted,
        "interrupted before all processes had connected",
    );
}

/// Whenever a process is killed, what reaches the terminal is a sentence.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_killed_at_any_moment_is_told_in_a_sentence() {
    let mut generator = Generator::new(5);
    let words = "check ben-ari-3 --nodes 3 --sons 1 --without environment --processes 3 --json";
    let begun = Instant::now();
    assert_eq!(status(&refmap(words)), 0);
    let longest = begun.elapsed();
    let mut lost = 0;
    for _ in 0..12 {
        let begun = start(words);
        let pause = longest.mul_f64(generator.below(1000) as f64 / 1000.0);
        thread::sleep(pause);
        let others = children(begun.id());
        if !others.is_empty() {
            // It may have ended meanwhile.
            let other = others[generator.below(others.len())].to_string();
            let _ = Command::new("kill")
                .args(["-9", &other])
                .stderr(Stdio::null())
                .status();
        }
        let output = begun.wait_with_output().expect("it ends");
        let told = text(&output.stderr);
        assert!(
            !told.contains("panicked") && !told.contains("RUST_BACKTRACE"),
            "{told}"
        );
        if status(&output) == 0 {
            continue;
        }
        assert_eq!(status(&output), 3, "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(
            told.contains("was lost") || told.contains("was killed by signal 9"),
            "{told}"
        );
        lost += 1;
    }
    assert!(lost > 2, "{lost}");
}

/// A list of so many hosts, all of them this machine.
fn hosts(processes: usize, folder: &Path) -> String {
    let listeners = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0"));
    let listeners: Vec<_> = listeners.map(|one| one.expect("there is a port")).collect();
    let addresses = listeners.iter().map(|one| one.local_addr());
    let lines = addresses.map(|one| format!("{} # of a test\n", one.expect("it has an address")));
    let path = folder.join("hosts");
    fs::write(&path, lines.collect::<String>()).expect("there is room for a file");
    path.display().to_string()
}

/// Machines of unequal memory search together, each within its own; one that reaches its limit is named.
#[test]
fn machines_of_unequal_memory_search_together() {
    let folder = tempdir().expect("there is room for a folder");
    let run = |limits: [&str; 2]| {
        let hosts = hosts(2, folder.path());
        let processes = [0, 1].map(|process| {
            let limit = limits[process];
            start(&format!(
                "check ben-ari-3 --nodes 3 --sons 1 --without environment --json --hosts {hosts} --process {process} {limit}"
            ))
        });
        processes.map(|process| {
            let output = process.wait_with_output().expect("it ends");
            (status(&output), report(&output))
        })
    };
    for (status, report) in run(["--max-memory 4GiB", "--max-memory 2GiB --max-seconds 600"]) {
        assert_eq!((status, report.get("limit")), (0, Some(&Value::Null)));
    }
    for (status, report) in run(["--max-memory 4GiB", "--max-memory 1MiB"]) {
        assert_eq!(status, 3);
        assert_eq!(report["limit"], json!({"memory_bytes": 1 << 20}));
        assert_eq!(report["limit_process"], 1);
    }
}

#[test]
fn processes_of_a_list_of_hosts_say_the_same() {
    let folder = tempdir().expect("there is room for a folder");
    let hosts = hosts(3, folder.path());
    let words = "ben-ari-3 --nodes 3 --sons 2 --figure-14 as-printed";
    let processes: Vec<_> = (0..3)
        .map(|process| {
            start(&format!(
                "check {words} --json --hosts {hosts} --process {process}"
            ))
        })
        .collect();
    let expected = check(&format!("{words} --processes 2"));
    for process in processes {
        let output = process.wait_with_output().expect("it ends");
        assert_eq!(status(&output), 1, "{}", text(&output.stderr));
        assert_eq!(report(&output), expected);
    }
}

#[test]
fn processes_that_search_something_else_are_refused() {
    let folder = tempdir().expect("there is room for a folder");
    let hosts = hosts(2, folder.path());
    let first = start(&format!("check ben-ari --hosts {hosts} --process 0"));
    let other = start(&format!(
        "check ben-ari --nodes 4 --hosts {hosts} --process 1"
    ));
    for process in [first, other] {
        let output = process.wait_with_output().expect("it ends");
        let told = text(&output.stderr);
        assert_eq!(status(&output), 2, "{told}");
        has(&told, "ben-ari --nodes=4");
    }
    let refused = |words: &str, message: &str| {
        let output = refmap(words);
        let told = text(&output.stderr);
        assert_eq!(status(&output), 2, "{words}: {told}");
        assert!(told.contains(message), "{words}: {told}");
    };
    let check = "check ben-ari";
    refused(&format!("{check} --processes 0"), "0 is not in 1..=64");
    refused(&format!("{check} --hosts {hosts}"), "--process");
    refused(&format!("{check} --hosts {hosts} --process 2"), "2");
    refused(&format!("{check} --hosts /nowhere --process 0"), "/nowhere");
    refused(&format!("{check} --processes 2 --walks 3"), "--walks");
    refused(
        &format!("{check} --processes 2 --storage whole"),
        "pack their states",
    );
    refused(&format!("{check} --peer-timeout 5"), "--processes");
    refused(
        &format!("{check} --processes 2 --peer-timeout 0"),
        "0 is not in 1..=86400",
    );
    let wrong = folder.path().join("wrong");
    let long = "# a comment\n".repeat(100_000);
    for (list, message) in [
        ("127.0.0.1:80\nnowhere\n", "line 2"),
        (&*long, "a list of hosts has less than 1048576 bytes"),
    ] {
        fs::write(&wrong, list).expect("there is room for a file");
        let wrong = wrong.display();
        refused(&format!("{check} --hosts {wrong} --process 0"), message);
    }
}
