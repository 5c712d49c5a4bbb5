//! Several processes on the command line: they say what one says, one that is lost ends all, and what does not fit is refused.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use refmap::random::Generator;
use serde_json::Value;
use tempfile::tempdir;

use crate::program::{refmap, status, text};

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
    compare("ben-ari --nodes 3 --sons 2 --roots 1", &[2, 4, 7]);
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
        .args(words.split(' '))
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
    for (seed, check) in (1..).zip([
        "ben-ari-3 --nodes 4 --sons 1",
        "ben-ari-3 --nodes 4 --sons 1 --figure-14 as-printed --keep-going",
    ]) {
        let resumed = killed(check, 4, seed);
        assert!(resumed > 0, "{check}");
    }
}

#[test]
#[ignore = "minutes"]
#[cfg(target_os = "linux")]
fn slow_a_large_search_of_several_processes_is_killed_at_twenty_moments() {
    let resumed = killed("ben-ari-3 --nodes 5 --sons 1", 20, 3);
    assert!(resumed > 5, "{resumed}");
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

/// Each process of a list says the same.
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
        assert!(told.contains("ben-ari --nodes=4"), "{told}");
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
        &format!("{check} --processes 2 --order depth-first"),
        "breadth first",
    );
    let wrong = folder.path().join("wrong");
    fs::write(&wrong, "127.0.0.1:80\nnowhere\n").expect("there is room for a file");
    let wrong = wrong.display();
    refused(&format!("{check} --hosts {wrong} --process 0"), "line 2");
}
