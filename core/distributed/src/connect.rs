//! Connecting: the processes find each other, and agree on what they search.
//!
//! Each process listens, and connects to those of lower numbers. Nothing blocks: what could (names of hosts, and connecting) has threads
//! of its own, each connection has a [`Hello`] that arrives, and all of them are looked at in turn, so that a stranger that says
//! nothing keeps nobody waiting.
//!
//! Two processes that have met say a byte to each other now and then, until each has met all others: so one that is stopped meanwhile
//! is noticed. The last of these bytes says that the sender is ready, and what follows is a [`Wire`](crate::wire::Wire)'s.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::hello::{Arriving, Hello, NoHello, PROTOCOL};
use crate::silence::{BEAT, Silence};
use crate::{ConnectError, Connected, Greeting, Hosts};

/// Time between two looks at the connections.
const TURN: Duration = Duration::from_millis(5);

/// Time between two attempts to connect to a process.
const RETRY: Duration = Duration::from_millis(100);

/// Time of an attempt to connect to a process.
const ATTEMPT: Duration = Duration::from_secs(1);

/// Time after which a client is dropped whose hello is not complete, unless less silence of a process is too long.
const SILENCE: Duration = Duration::from_secs(5);

/// Greatest number of clients whose hello is not complete; the oldest is dropped.
const CLIENTS: usize = 128;

/// Bytes of a process that has not met all others, and of one that has.
const MEETING: u8 = 0;
const READY: u8 = 1;

/// Times for which processes wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Time that all have to connect.
    pub meeting: Duration,
    /// Time after which one that gives no sign of life is lost. Signs come five times a second.
    pub silence: Duration,
}

/// Connects a process with all others, which it waits for.
///
/// # Errors
///
/// If the arguments are wrong, if the process cannot listen at its address, if one of the others does not come in time or searches
/// something else, or if it is cancelled.
pub fn connect(
    hosts: &Hosts,
    process: usize,
    greeting: &Greeting,
    patience: Patience,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Connected, ConnectError> {
    check(hosts, process, greeting)?;
    if hosts.processes() == 1 {
        return Ok(Connected::new(process, vec![None], patience.silence)?);
    }
    let text = hosts.address(process).to_owned();
    let resolved = apart(move || resolve(&text))?;
    let own = loop {
        match resolved.try_recv() {
            Ok(found) => break found.map_err(|cause| unresolved(hosts, process, cause))?,
            Err(_) if cancelled() => return Err(ConnectError::Cancelled),
            Err(_) => sleep(TURN),
        }
    };
    let listener =
        TcpListener::bind(&own[..]).map_err(|cause| cannot_listen(hosts, process, cause))?;
    connect_on(listener, hosts, process, greeting, patience, cancelled)
}

/// Connects a process that listens already: its own address among the hosts is the one at which the others find it.
///
/// # Errors
///
/// As [`connect`].
pub fn connect_on(
    listener: TcpListener,
    hosts: &Hosts,
    process: usize,
    greeting: &Greeting,
    patience: Patience,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Connected, ConnectError> {
    check(hosts, process, greeting)?;
    listener
        .set_nonblocking(true)
        .map_err(|cause| cannot_listen(hosts, process, cause))?;
    let hello = Hello {
        processes: hosts.processes(),
        process,
        to: process,
        twice: false,
        greeting: greeting.clone(),
    };
    let lower = (0..process).map(|to| Outgoing {
        to,
        addresses: Vec::new(),
        next: Instant::now(),
        attempt: None,
        client: None,
    });
    let mut meeting = Meeting {
        hosts,
        listener,
        hello,
        silence: patience.silence,
        incoming: Vec::new(),
        outgoing: lower.collect(),
        met: (0..hosts.processes()).map(|_| None).collect(),
    };
    let start = Instant::now();
    while !meeting.turn()? {
        if cancelled() {
            return Err(ConnectError::Cancelled);
        }
        if start.elapsed() >= patience.meeting {
            return Err(ConnectError::Missing {
                processes: meeting.missing().collect(),
                patience: patience.meeting,
            });
        }
        sleep(TURN);
    }
    let met = meeting.met.into_iter();
    let sockets: Vec<_> = met.map(|met| met.map(|met| met.stream)).collect();
    for socket in sockets.iter().flatten() {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
    }
    Ok(Connected::new(process, sockets, patience.silence)?)
}

/// Result of work that may block, in a thread of its own.
fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<Receiver<T>> {
    let (send, receive) = channel();
    let work = move || {
        // Nobody may wait for it any more.
        let _ = send.send(work());
    };
    thread::Builder::new()
        .name("refmap:connect".to_owned())
        .spawn(work)?;
    Ok(receive)
}

/// Refuses arguments that are wrong.
fn check(hosts: &Hosts, process: usize, greeting: &Greeting) -> Result<(), ConnectError> {
    let processes = hosts.processes();
    if process >= processes {
        return Err(ConnectError::NoProcess { process, processes });
    }
    greeting.check()
}

/// Addresses of a process.
fn resolve(address: &str) -> io::Result<Vec<SocketAddr>> {
    let found: Vec<_> = address.to_socket_addrs()?.collect();
    if found.is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(found)
}

fn unresolved(hosts: &Hosts, process: usize, cause: io::Error) -> ConnectError {
    ConnectError::Unresolved {
        process,
        address: hosts.address(process).to_owned(),
        cause,
    }
}

fn cannot_listen(hosts: &Hosts, process: usize, cause: io::Error) -> ConnectError {
    ConnectError::Listen {
        process,
        address: hosts.address(process).to_owned(),
        cause,
    }
}

/// Connection on which a hello is awaited.
struct Client {
    stream: TcpStream,
    arriving: Arriving,
    since: Instant,
}

impl Client {
    fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            arriving: Arriving::default(),
            since: Instant::now(),
        })
    }

    fn read(&mut self) -> Result<Option<Hello>, NoHello> {
        self.arriving.read(&self.stream)
    }
}

/// Connection to a process of a lower number.
struct Outgoing {
    to: usize,
    /// Its addresses, once they are known.
    addresses: Vec<SocketAddr>,
    /// Time of the next attempt.
    next: Instant,
    /// Attempt that is under way.
    attempt: Option<Receiver<io::Result<Called>>>,
    client: Option<(Client, Silence)>,
}

/// Outcome of an attempt to connect, and the addresses that were tried.
struct Called {
    addresses: Vec<SocketAddr>,
    stream: Option<TcpStream>,
}

/// Tries the addresses of a process, which are looked for where they are not known.
fn call(text: &str, mut addresses: Vec<SocketAddr>) -> io::Result<Called> {
    if addresses.is_empty() {
        addresses = resolve(text)?;
    }
    let mut tried = addresses.iter();
    let stream = tried.find_map(|address| TcpStream::connect_timeout(address, ATTEMPT).ok());
    Ok(Called { addresses, stream })
}

/// Connection that is agreed on.
struct Met {
    stream: TcpStream,
    silence: Silence,
    /// Time when something was said to the other process last.
    told: Option<Instant>,
    /// Whether this process has said that it is ready, and whether the other one has.
    is_told: bool,
    is_ready: bool,
}

impl Met {
    fn new(stream: TcpStream, silence: Duration) -> Self {
        Self {
            stream,
            silence: Silence::new(silence),
            told: None,
            is_told: false,
            is_ready: false,
        }
    }

    /// Tells the other process that this one is there, or that it is ready.
    fn tell(&mut self, byte: u8) {
        let is_late = self.told.is_none_or(|told| told.elapsed() >= BEAT);
        if self.is_told || !(is_late || byte == READY) {
            return;
        }
        // That it cannot be written is seen where it is read.
        if (&self.stream).write(&[byte]).is_ok() {
            self.told = Some(Instant::now());
            self.is_told = byte == READY;
        }
    }

    /// Hears what the other process has told.
    fn hear(&mut self, process: usize) -> Result<(), ConnectError> {
        let mut byte = [0];
        loop {
            // Behind the last byte are those of frames.
            let read = if self.is_ready {
                self.stream.peek(&mut byte)
            } else {
                self.stream.read(&mut byte)
            };
            match read {
                Ok(0) => return Err(ConnectError::Lost { process }),
                Ok(_) => {
                    self.silence.end();
                    if self.is_ready {
                        return Ok(());
                    }
                    self.is_ready = byte == [READY];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return match self.silence.look() {
                        Some(reason) => Err(ConnectError::Silent { process, reason }),
                        None => Ok(()),
                    };
                }
                Err(_) => return Err(ConnectError::Lost { process }),
            }
        }
    }
}

/// Meeting of a process with the others.
struct Meeting<'a> {
    hosts: &'a Hosts,
    listener: TcpListener,
    /// Hello of this process.
    hello: Hello,
    /// Silence of a process that is too long.
    silence: Duration,
    incoming: Vec<Client>,
    outgoing: Vec<Outgoing>,
    /// Connections that are agreed on, by the number of the other process.
    met: Vec<Option<Met>>,
}

impl Meeting<'_> {
    /// Numbers of the processes that are not met yet.
    fn missing(&self) -> impl Iterator<Item = usize> {
        let missing = |&other: &usize| other != self.hello.process && self.met[other].is_none();
        (0..self.met.len()).filter(missing)
    }

    /// Looks at all connections once; returns whether all processes are met, and have met all others.
    fn turn(&mut self) -> Result<bool, ConnectError> {
        self.accept()?;
        for mut client in std::mem::take(&mut self.incoming) {
            match client.read() {
                Ok(Some(hello)) => self.welcome(client.stream, hello)?,
                Ok(None) if client.since.elapsed() < SILENCE.min(self.silence) => {
                    self.incoming.push(client)
                }
                Err(NoHello::Protocol(there)) => {
                    let _ = self.hello.send(&client.stream);
                    let address = client
                        .stream
                        .peer_addr()
                        .map_or_else(|_| "?".to_owned(), |address| address.to_string());
                    return Err(ConnectError::OtherProtocol {
                        address,
                        there,
                        here: PROTOCOL,
                    });
                }
                Ok(None) | Err(NoHello::Foreign | NoHello::Ended) => {}
            }
        }
        for mut outgoing in std::mem::take(&mut self.outgoing) {
            match self.approach(&mut outgoing)? {
                Some(stream) => self.met[outgoing.to] = Some(Met::new(stream, self.silence)),
                None => self.outgoing.push(outgoing),
            }
        }
        let byte = match self.missing().next() {
            Some(_) => MEETING,
            None => READY,
        };
        let mut are_ready = byte == READY;
        for (process, met) in self.met.iter_mut().enumerate() {
            if let Some(met) = met {
                met.tell(byte);
                met.hear(process)?;
                are_ready &= met.is_ready && met.is_told;
            }
        }
        Ok(are_ready)
    }

    /// Takes the clients that have come.
    fn accept(&mut self) -> Result<(), ConnectError> {
        for _ in 0..CLIENTS {
            match self.listener.accept() {
                Ok((stream, _)) => self.incoming.extend(Client::new(stream)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(cannot_listen(self.hosts, self.hello.process, error)),
            }
        }
        let excess = self.incoming.len().saturating_sub(CLIENTS);
        self.incoming.drain(..excess);
        Ok(())
    }

    /// Answers the hello of a process that has connected.
    fn welcome(&mut self, stream: TcpStream, hello: Hello) -> Result<(), ConnectError> {
        let from = hello.process;
        let differs = self.differs(&hello).or_else(|| {
            let (sought, found) = (hello.to, self.hello.process);
            (sought != found).then_some(ConnectError::OtherOrder {
                from,
                sought,
                found,
            })
        });
        let twice = differs.is_none() && self.met.get(from).is_some_and(Option::is_some);
        let answered = Hello {
            to: from,
            twice,
            ..self.hello.clone()
        }
        .send(&stream);
        match differs {
            Some(differs) => Err(differs),
            None if twice => Err(ConnectError::Twice { process: from }),
            None => {
                // No process of this protocol connects to one of a higher number.
                if answered.is_ok() && (self.hello.process + 1..self.met.len()).contains(&from) {
                    self.met[from] = Some(Met::new(stream, self.silence));
                }
                Ok(())
            }
        }
    }

    /// Connects to a process, sends it a hello and reads its answer, as far as that goes now.
    fn approach(&self, outgoing: &mut Outgoing) -> Result<Option<TcpStream>, ConnectError> {
        let to = outgoing.to;
        let address = || self.hosts.address(to).to_owned();
        if outgoing.client.is_none() {
            self.try_to_call(outgoing)?;
        }
        let Some((client, silence)) = &mut outgoing.client else {
            return Ok(None);
        };
        let hello = match client.read() {
            Ok(Some(hello)) => hello,
            // It may be stopped: the operating system connects with it nevertheless.
            Ok(None) => {
                let reason = silence.look();
                let silent = |reason| ConnectError::Silent {
                    process: to,
                    reason,
                };
                return reason.map_or(Ok(None), |reason| Err(silent(reason)));
            }
            Err(NoHello::Ended) => {
                outgoing.client = None;
                return Ok(None);
            }
            Err(NoHello::Foreign) => {
                return Err(ConnectError::Foreign {
                    process: to,
                    address: address(),
                });
            }
            Err(NoHello::Protocol(there)) => {
                return Err(ConnectError::OtherProtocol {
                    address: address(),
                    there,
                    here: PROTOCOL,
                });
            }
        };
        if let Some(differs) = self.differs(&hello) {
            Err(differs)
        } else if hello.process != to {
            Err(ConnectError::OtherOrder {
                from: self.hello.process,
                sought: to,
                found: hello.process,
            })
        } else if hello.twice {
            Err(ConnectError::Twice {
                process: self.hello.process,
            })
        } else {
            Ok(outgoing.client.take().map(|(client, _)| client.stream))
        }
    }

    /// Goes on with the attempt to connect to a process, or begins one.
    fn try_to_call(&self, outgoing: &mut Outgoing) -> Result<(), ConnectError> {
        let to = outgoing.to;
        let Some(attempt) = &outgoing.attempt else {
            if outgoing.next <= Instant::now() {
                let addresses = outgoing.addresses.clone();
                let text = self.hosts.address(to).to_owned();
                outgoing.attempt = Some(apart(move || call(&text, addresses))?);
            }
            return Ok(());
        };
        let called = match attempt.try_recv() {
            Ok(called) => called.map_err(|cause| unresolved(self.hosts, to, cause))?,
            Err(TryRecvError::Empty) => return Ok(()),
            Err(TryRecvError::Disconnected) => {
                return Err(ConnectError::Io(io::Error::other(
                    "a thread that connects has ended",
                )));
            }
        };
        outgoing.attempt = None;
        outgoing.addresses = called.addresses;
        outgoing.next = Instant::now() + RETRY;
        // That it has ended is seen the next time.
        let client = called.stream.and_then(|stream| self.greet(stream, to).ok());
        outgoing.client = client.map(|client| (client, Silence::new(self.silence)));
        Ok(())
    }

    /// Sends a hello.
    fn greet(&self, stream: TcpStream, to: usize) -> io::Result<Client> {
        let client = Client::new(stream)?;
        // A port at which nobody listens can be connected with itself.
        if client.stream.local_addr()? == client.stream.peer_addr()? {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        Hello {
            to,
            ..self.hello.clone()
        }
        .send(&client.stream)?;
        Ok(client)
    }

    /// Difference to another process, because of which they do not search together.
    fn differs(&self, other: &Hello) -> Option<ConnectError> {
        let values = |hello: &Hello| {
            let Greeting { version, search } = hello.greeting.clone();
            [
                ("version", version),
                ("number of processes", hello.processes.to_string()),
                ("search", search),
            ]
        };
        let (there, here) = (values(other), values(&self.hello));
        let mut both = there.into_iter().zip(here);
        let ((what, there), (_, here)) = both.find(|(there, here)| there != here)?;
        Some(ConnectError::Other {
            process: other.process,
            what,
            there,
            here,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process is found at any of its addresses.
    #[test]
    fn every_address_is_tried() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let nobody = SocketAddr::from(([127, 0, 0, 1], 9));
        for addresses in [
            vec![here],
            vec![here, nobody],
            vec![nobody, here],
            vec![nobody, nobody, here],
        ] {
            let called = call("no.such.host.invalid:1", addresses.clone()).unwrap();
            let found = called.stream.map(|stream| stream.peer_addr().unwrap());
            assert_eq!(found, Some(here), "{addresses:?}");
            assert_eq!(called.addresses, addresses);
        }
        let called = call("no.such.host.invalid:1", vec![nobody]).unwrap();
        assert!(called.stream.is_none());
    }
}
