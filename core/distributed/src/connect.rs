//! Connecting: the processes find each other, and agree on what they search.
//!
//! Each process listens, and connects to those of lower numbers. Nothing blocks for long: each connection has a [`Hello`] that arrives,
//! and all of them are looked at in turn, so that a stranger that says nothing keeps nobody waiting.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::hello::{Arriving, Hello, NoHello, PROTOCOL};
use crate::{ConnectError, Connected, Greeting, Hosts};

/// Time between two looks at the connections.
const TURN: Duration = Duration::from_millis(5);

/// Time between two attempts to connect to a process.
const RETRY: Duration = Duration::from_millis(100);

/// Time of an attempt to connect to a process.
const ATTEMPT: Duration = Duration::from_secs(1);

/// Time after which a client is dropped whose hello is not complete.
const SILENCE: Duration = Duration::from_secs(5);

/// Greatest number of clients whose hello is not complete; the oldest is dropped.
const CLIENTS: usize = 128;

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
    patience: Duration,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Connected, ConnectError> {
    check(hosts, process, greeting)?;
    if hosts.processes() == 1 {
        return Ok(Connected::new(process, vec![None])?);
    }
    let own = resolve(hosts, process)?;
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
    patience: Duration,
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
    let lower = (0..process).map(|to| {
        Ok(Outgoing {
            to,
            addresses: resolve(hosts, to)?,
            next: Instant::now(),
            client: None,
        })
    });
    let mut meeting = Meeting {
        hosts,
        listener,
        hello,
        incoming: Vec::new(),
        outgoing: lower.collect::<Result<_, ConnectError>>()?,
        met: (0..hosts.processes()).map(|_| None).collect(),
    };
    let start = Instant::now();
    while !meeting.turn()? {
        if cancelled() {
            return Err(ConnectError::Cancelled);
        }
        if start.elapsed() >= patience {
            return Err(ConnectError::Missing {
                processes: meeting.missing().collect(),
                patience,
            });
        }
        sleep(TURN);
    }
    for socket in meeting.met.iter().flatten() {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
    }
    Ok(Connected::new(process, meeting.met)?)
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
fn resolve(hosts: &Hosts, process: usize) -> Result<Vec<SocketAddr>, ConnectError> {
    let address = hosts.address(process);
    let found = address
        .to_socket_addrs()
        .map(|addresses| addresses.collect::<Vec<_>>());
    match found {
        Ok(addresses) if !addresses.is_empty() => Ok(addresses),
        Ok(_) => Err(ErrorKind::NotFound.into()),
        Err(error) => Err(error),
    }
    .map_err(|cause| ConnectError::Unresolved {
        process,
        address: address.to_owned(),
        cause,
    })
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
    addresses: Vec<SocketAddr>,
    /// Time of the next attempt.
    next: Instant,
    client: Option<Client>,
}

/// Meeting of a process with the others.
struct Meeting<'a> {
    hosts: &'a Hosts,
    listener: TcpListener,
    /// Hello of this process.
    hello: Hello,
    incoming: Vec<Client>,
    outgoing: Vec<Outgoing>,
    /// Connections that are agreed on, by the number of the other process.
    met: Vec<Option<TcpStream>>,
}

impl Meeting<'_> {
    /// Numbers of the processes that are not met yet.
    fn missing(&self) -> impl Iterator<Item = usize> {
        let missing = |&other: &usize| other != self.hello.process && self.met[other].is_none();
        (0..self.met.len()).filter(missing)
    }

    /// Looks at all connections once; returns whether all processes are met.
    fn turn(&mut self) -> Result<bool, ConnectError> {
        self.accept()?;
        for mut client in std::mem::take(&mut self.incoming) {
            match client.read() {
                Ok(Some(hello)) => self.welcome(client.stream, hello)?,
                Ok(None) if client.since.elapsed() < SILENCE => self.incoming.push(client),
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
                Some(socket) => self.met[outgoing.to] = Some(socket),
                None => self.outgoing.push(outgoing),
            }
        }
        match (0..self.met.len()).find(|&other| self.met[other].as_ref().is_some_and(has_ended)) {
            Some(process) => Err(ConnectError::Lost { process }),
            None => Ok(self.missing().next().is_none()),
        }
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
                    self.met[from] = Some(stream);
                }
                Ok(())
            }
        }
    }

    /// Connects to a process, sends it a hello and reads its answer, as far as that goes now.
    fn approach(&self, outgoing: &mut Outgoing) -> Result<Option<TcpStream>, ConnectError> {
        let to = outgoing.to;
        let address = || self.hosts.address(to).to_owned();
        if outgoing.client.is_none() && outgoing.next <= Instant::now() {
            outgoing.client = outgoing
                .addresses
                .iter()
                .find_map(|address| self.call(address, to).ok());
            outgoing.next = Instant::now() + RETRY;
        }
        let Some(client) = &mut outgoing.client else {
            return Ok(None);
        };
        let hello = match client.read() {
            Ok(Some(hello)) => hello,
            Ok(None) => return Ok(None),
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
            Ok(outgoing.client.take().map(|client| client.stream))
        }
    }

    /// Connects to an address, and sends a hello.
    fn call(&self, address: &SocketAddr, to: usize) -> io::Result<Client> {
        let client = Client::new(TcpStream::connect_timeout(address, ATTEMPT)?)?;
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

/// Whether a connection, which does not block, has ended.
fn has_ended(stream: &TcpStream) -> bool {
    match stream.peek(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}
