//! Processes that are threads of a test.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{scope, spawn};
use std::time::Duration;

use refmap::internal::explore::Peers;
use refmap_distributed::{ConnectError, Connected, Greeting, Hosts, Patience, connect, connect_on};

/// Result of a function, which fails if it takes too long.
pub fn within<T: Send + 'static>(seconds: u64, function: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = channel();
    let thread = spawn(move || send.send(function()));
    match receive.recv_timeout(Duration::from_secs(seconds)) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
    }
}

pub fn greeting() -> Greeting {
    Greeting {
        version: "1.0".into(),
        search: "a test".into(),
    }
}

/// Listeners of processes, and their addresses.
pub fn listeners(processes: usize) -> (Vec<TcpListener>, Hosts) {
    let listeners: Vec<_> = (0..processes)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let lines: Vec<_> = listeners
        .iter()
        .map(|listener| listener.local_addr().unwrap().to_string())
        .collect();
    (listeners, Hosts::read(&lines.join("\n")).unwrap())
}

/// Patience that lasts for every test.
pub const PATIENT: Patience = Patience {
    meeting: Duration::from_secs(20),
    silence: Duration::from_secs(20),
};

/// Patience with a silence of so many milliseconds.
pub fn silent_for(milliseconds: u64) -> Patience {
    Patience {
        silence: Duration::from_millis(milliseconds),
        ..PATIENT
    }
}

pub fn meet(
    listener: TcpListener,
    hosts: &Hosts,
    process: usize,
    greeting: &Greeting,
) -> Result<Connected, ConnectError> {
    connect_on(listener, hosts, process, greeting, PATIENT, &|| false)
}

/// Connected processes.
pub fn group(processes: usize) -> Vec<Connected> {
    let (listeners, hosts) = listeners(processes);
    let hosts = &hosts;
    scope(|scope| {
        let threads = listeners.into_iter().enumerate();
        let threads: Vec<_> = threads
            .map(|(process, it)| {
                scope.spawn(move || meet(it, hosts, process, &greeting()).unwrap())
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// Variable by which a process that is not a thread learns the hosts.
const HOSTS: &str = "REFMAP_DISTRIBUTED_TEST_HOSTS";

/// Listeners of all processes but the last one, which is not a thread, and exchanges words until one of the others is lost.
pub fn with_other(processes: usize) -> (Vec<TcpListener>, Hosts, Child) {
    let (mut listeners, hosts) = listeners(processes);
    let lines: Vec<_> = listeners
        .iter()
        .map(|listener| listener.local_addr().unwrap().to_string())
        .collect();
    // The other one listens at its address by itself.
    listeners.pop();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "processes::other"])
        .env(HOSTS, lines.join("\n"))
        .stdout(Stdio::null());
    (listeners, hosts, command.spawn().unwrap())
}

/// The process that is not a thread. Without hosts it is a test like others, and empty.
#[test]
fn other() {
    let Ok(hosts) = std::env::var(HOSTS) else {
        return;
    };
    let hosts = Hosts::read(&hosts).unwrap();
    let last = hosts.processes() - 1;
    let process = connect(&hosts, last, &greeting(), PATIENT, &|| false).unwrap();
    while process
        .exchange(vec![vec![1; 50_000]; hosts.processes()])
        .is_ok()
    {}
}

/// Sends a signal to a process.
#[cfg(unix)]
pub fn signal(name: &str, process: &Child) {
    let mut command = Command::new("kill");
    command.args([name, &process.id().to_string()]);
    assert!(command.status().unwrap().success());
}

/// Runs each process in a thread; returns their results.
pub fn each<T: Send>(
    processes: Vec<Connected>,
    run: impl Fn(usize, Connected) -> T + Sync,
) -> Vec<T> {
    let run = &run;
    scope(|scope| {
        let threads: Vec<_> = processes
            .into_iter()
            .enumerate()
            .map(|(number, process)| scope.spawn(move || run(number, process)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}
