//! Greetings of processes, and of strangers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use crate::processes::{PATIENT, greeting, listeners, meet, silent_for, within};
use refmap::internal::explore::Peers;
use refmap_distributed::{ConnectError, Connected, Greeting, Hosts, Patience, connect, connect_on};

/// Head of a hello by hand: protocol, processes, process, to, verdict, lengths of the texts.
fn hello(numbers: [u32; 7]) -> Vec<u8> {
    let mut bytes = b"refmap\r\n".to_vec();
    numbers
        .iter()
        .for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// Connects two processes while strangers speak to the first one.
fn among(strangers: impl Fn(SocketAddr) -> Vec<TcpStream> + Send + 'static) {
    within(60, move || {
        let (mut listeners, hosts) = listeners(2);
        let (second, first) = (listeners.pop().unwrap(), listeners.pop().unwrap());
        let address = first.local_addr().unwrap();
        let hosts = &hosts;
        scope(|scope| {
            let first = scope.spawn(move || meet(first, hosts, 0, &greeting()).unwrap());
            let held = strangers(address);
            sleep(Duration::from_millis(100));
            let start = Instant::now();
            let second = meet(second, hosts, 1, &greeting()).unwrap();
            let first = first.join().unwrap();
            assert!(
                start.elapsed() < Duration::from_secs(4),
                "strangers keep processes waiting"
            );
            scope.spawn(move || first.finish().unwrap());
            second.finish().unwrap();
            drop(held);
        });
    });
}

fn speaking(bytes: &[u8]) -> impl Fn(SocketAddr) -> Vec<TcpStream> + Send + 'static {
    let bytes = bytes.to_vec();
    move |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&bytes).unwrap();
        vec![stream]
    }
}

#[test]
fn a_stranger_is_dropped() {
    among(|address| {
        let mut streams = speaking(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")(address);
        streams[0]
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let end = streams[0].read(&mut [0; 10]);
        assert!(
            matches!(end, Ok(0))
                || end.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
        );
        streams
    });
}

#[test]
fn garbage_is_dropped() {
    among(speaking(&[0xff; 3000]));
}

#[test]
fn a_silent_client_keeps_nobody_waiting() {
    among(|address| {
        (0..300)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect()
    });
}

#[test]
fn half_a_hello_keeps_nobody_waiting() {
    among(speaking(&hello([2, 2, 1, 0, 0, 3, 6])[..20]));
    among(speaking(&hello([2, 2, 1, 0, 0, 3, 6])));
}

#[test]
fn a_client_that_has_gone_is_forgotten() {
    among(|address| {
        drop(speaking(b"refm")(address));
        Vec::new()
    });
}

#[test]
fn lengths_of_texts_are_limited() {
    among(speaking(&hello([2, 2, 1, 0, 0, u32::MAX, 6])));
    among(speaking(&hello([2, 2, 1, 0, 0, 3, u32::MAX])));
    among(speaking(&hello([2, 2, 1, 0, 0, 3, (1 << 16) + 1])));
}

#[test]
fn a_silent_client_is_dropped_in_time() {
    within(60, || {
        let (mut listeners, hosts) = listeners(2);
        let first = listeners.remove(0);
        let mut stranger = TcpStream::connect(first.local_addr().unwrap()).unwrap();
        scope(|scope| {
            let missing = scope.spawn(|| {
                connect_on(
                    first,
                    &hosts,
                    0,
                    &greeting(),
                    Patience {
                        meeting: Duration::from_millis(1500),
                        ..silent_for(300)
                    },
                    &|| false,
                )
                .unwrap_err()
            });
            let start = Instant::now();
            assert_eq!(stranger.read(&mut [0; 10]).unwrap(), 0);
            assert!(start.elapsed() < Duration::from_millis(1400));
            assert!(
                matches!(missing.join().unwrap(), ConnectError::Missing { processes, .. } if processes == [1])
            );
        });
    });
}

/// Errors of two processes with these greetings, and lists of hosts.
fn errors(numbers: [usize; 2], greetings: [Greeting; 2], counts: [usize; 2]) -> [ConnectError; 2] {
    within(60, move || {
        let lines: Vec<_> = listeners(3)
            .0
            .iter()
            .map(|listener| listener.local_addr().unwrap().to_string())
            .collect();
        let hosts = counts.map(|count| Hosts::read(&lines[..count].join("\n")).unwrap());
        scope(|scope| {
            let threads = [0, 1].map(|at| {
                let (hosts, greeting, number) = (&hosts[at], &greetings[at], numbers[at]);
                scope.spawn(move || {
                    connect(hosts, number, greeting, PATIENT, &|| false).unwrap_err()
                })
            });
            threads.map(|thread| thread.join().unwrap())
        })
    })
}

#[test]
fn other_greetings_are_errors_of_both() {
    let other = |version: &str, search: &str| Greeting {
        version: version.into(),
        search: search.into(),
    };
    let [first, second] = errors([0, 1], [greeting(), other("2.0", "other")], [2, 2]);
    assert_eq!(
        first.to_string(),
        "process 1 was started otherwise: its version is `2.0`, and that of this process is `1.0`"
    );
    assert_eq!(
        second.to_string(),
        "process 0 was started otherwise: its version is `1.0`, and that of this process is `2.0`"
    );
    let [first, second] = errors([0, 1], [greeting(), other("1.0", "other")], [2, 2]);
    assert_eq!(
        first.to_string(),
        "process 1 was started otherwise: its search is `other`, and that of this process is `a test`"
    );
    assert_eq!(
        second.to_string(),
        "process 0 was started otherwise: its search is `a test`, and that of this process is `other`"
    );
    // Searches that differ in the last of as many bytes as are sent.
    let [one, two] = ["1", "2"].map(|end| "x".repeat((1 << 16) - 1) + end);
    let [first, second] = errors([0, 1], [other("1.0", &one), other("1.0", &two)], [2, 2]);
    let expected =
        |there: &str, here: &str| format!("`{there}`, and that of this process is `{here}`");
    assert!(first.to_string().ends_with(&expected(&two, &one)));
    assert!(second.to_string().ends_with(&expected(&one, &two)));
    let [first, second] = errors([0, 1], [greeting(), greeting()], [2, 3]);
    assert_eq!(
        first.to_string(),
        "process 1 was started otherwise: its number of processes is `3`, and that of this process is `2`"
    );
    assert_eq!(
        second.to_string(),
        "process 0 was started otherwise: its number of processes is `2`, and that of this process is `3`"
    );
}

#[test]
fn other_orders_are_errors_of_both() {
    within(60, || {
        let (listeners, hosts) = listeners(3);
        let addresses: Vec<_> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().to_string())
            .collect();
        let other =
            Hosts::read(&[&addresses[1][..], &addresses[0], &addresses[2]].join("\n")).unwrap();
        let mut listeners = listeners.into_iter();
        let (first, second) = (listeners.next().unwrap(), listeners.next().unwrap());
        scope(|scope| {
            // Process 1 of the one list, which stands second in it, is where process 0 of the other list should be.
            let second = scope.spawn(|| meet(second, &hosts, 1, &greeting()).unwrap_err());
            let third = scope
                .spawn(|| meet(listeners.next().unwrap(), &other, 2, &greeting()).unwrap_err());
            let expected =
                "process 2 looks for process 0 where process 1 is: their lists of hosts differ";
            assert_eq!(third.join().unwrap().to_string(), expected);
            // It is process 1 only while process 0 does not answer.
            assert_eq!(second.join().unwrap().to_string(), expected);
            drop(first);
        });
    });
}

#[test]
fn a_number_is_given_once() {
    within(60, || {
        let (mut listeners, hosts) = listeners(3);
        let first = listeners.remove(0);
        let hosts = &hosts;
        scope(|scope| {
            let first = scope.spawn(move || meet(first, hosts, 0, &greeting()).unwrap_err());
            let ones = [(); 2].map(|()| {
                scope.spawn(move || {
                    meet(
                        TcpListener::bind("127.0.0.1:0").unwrap(),
                        hosts,
                        1,
                        &greeting(),
                    )
                    .unwrap_err()
                })
            });
            assert_eq!(
                first.join().unwrap().to_string(),
                "there are two processes 1"
            );
            let mut ones = ones.map(|one| one.join().unwrap().to_string());
            ones.sort();
            assert_eq!(
                ones,
                [
                    "process 0 was lost before all had connected",
                    "there are two processes 1"
                ]
            );
        });
    });
}

#[test]
fn another_protocol_is_an_error() {
    within(60, || {
        let (mut listeners, hosts) = listeners(2);
        let first = listeners.remove(0);
        let stranger = speaking(&hello([3, 9, 9, 9, 9, 9, 9]))(first.local_addr().unwrap());
        let error = meet(first, &hosts, 0, &greeting()).unwrap_err();
        assert!(
            matches!(
                error,
                ConnectError::OtherProtocol {
                    there: 3,
                    here: 2,
                    ..
                }
            ),
            "{error}"
        );
        let mut answer = [0; 12];
        (&stranger[0]).read_exact(&mut answer).unwrap();
        assert_eq!(answer[..8], *b"refmap\r\n");
    });
}

#[test]
fn another_server_is_an_error() {
    within(60, || {
        let (mut listeners, hosts) = listeners(2);
        let (second, first) = (listeners.pop().unwrap(), listeners.pop().unwrap());
        let server = std::thread::spawn(move || {
            first
                .accept()
                .unwrap()
                .0
                .write_all(b"220 mail.example ESMTP\r\n")
                .unwrap()
        });
        let error = meet(second, &hosts, 1, &greeting()).unwrap_err();
        server.join().unwrap();
        assert!(
            matches!(error, ConnectError::Foreign { process: 0, .. }),
            "{error}"
        );
    });
}

#[test]
fn missing_processes_are_named() {
    let (mut listeners, hosts) = listeners(4);
    let second = listeners.remove(1);
    drop(listeners);
    let error = connect_on(
        second,
        &hosts,
        1,
        &greeting(),
        Patience {
            meeting: Duration::from_millis(300),
            ..PATIENT
        },
        &|| false,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "without processes 0, 2, 3: they did not connect within 0.3 seconds"
    );
}

#[test]
fn connecting_can_be_cancelled() {
    within(20, || {
        let (mut listeners, hosts) = listeners(2);
        let cancelled = AtomicBool::new(false);
        scope(|scope| {
            let first = listeners.remove(0);
            let waiting = scope.spawn(|| {
                let ask = || cancelled.load(Ordering::Relaxed);
                connect_on(first, &hosts, 0, &greeting(), PATIENT, &ask).unwrap_err()
            });
            sleep(Duration::from_millis(100));
            cancelled.store(true, Ordering::Relaxed);
            assert!(matches!(waiting.join().unwrap(), ConnectError::Cancelled));
        });
    });
}

#[test]
fn processes_may_come_late_and_in_any_order() {
    within(60, || {
        let lines: Vec<_> = listeners(3)
            .0
            .iter()
            .map(|listener| listener.local_addr().unwrap().to_string())
            .collect();
        let hosts = Hosts::read(&lines.join("\n")).unwrap();
        let hosts = &hosts;
        scope(|scope| {
            for (process, late) in [(0, 600), (1, 300), (2, 0)] {
                scope.spawn(move || {
                    sleep(Duration::from_millis(late));
                    let connected =
                        connect(hosts, process, &greeting(), PATIENT, &|| false).unwrap();
                    assert_eq!(
                        connected.exchange(vec![vec![process as u64]; 3]).unwrap(),
                        [[0], [1], [2]]
                    );
                    connected.finish().unwrap();
                });
            }
        });
    });
}

#[test]
fn wrong_arguments_are_refused() {
    let never = |hosts: &Hosts, process, greeting: &Greeting| -> String {
        connect(hosts, process, greeting, PATIENT, &|| false)
            .map(|_: Connected| ())
            .unwrap_err()
            .to_string()
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let hosts = Hosts::read(&format!("{address}\nno.such.host.invalid:1")).unwrap();
    assert_eq!(
        never(&hosts, 2, &greeting()),
        "there is no process 2: 2 processes are numbered from 0"
    );
    assert!(
        never(&hosts, 0, &greeting())
            .starts_with(&format!("process 0 cannot listen at `{address}`: "))
    );
    assert!(
        never(&hosts, 1, &greeting())
            .starts_with("`no.such.host.invalid:1` of process 1 has no address: ")
    );
    let long = Greeting {
        version: "1".into(),
        search: "x".repeat(65537),
    };
    assert_eq!(
        never(&hosts, 0, &long),
        "the search has 65537 bytes, and at most 65536 are sent"
    );
    let long = Greeting {
        version: "1".repeat(257),
        search: String::new(),
    };
    assert_eq!(
        never(&hosts, 0, &long),
        "the version has 257 bytes, and at most 256 are sent"
    );
}
