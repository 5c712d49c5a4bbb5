//! Connected processes, which exchange words.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, mem};

use refmap::internal::explore::{Peers, PeersError};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;

use crate::panics::{EXCHANGE, keep_quiet};
use crate::status::Status;
use crate::wire::{Connection, Wire};
use crate::worker::{self, Words};

/// Buffers of 1 MiB that each connection keeps when they are empty.
const SPARE_BUFFERS: usize = 8;

/// Time that a process spends on saying why it leaves.
const LEAVING: Duration = Duration::from_millis(300);

/// Process that is connected with all others of its search.
///
/// A process that is dropped without [`Connected::finish`] is lost for the others.
#[derive(Debug)]
pub struct Connected {
    process: usize,
    processes: usize,
    /// Connections with the others, by their numbers.
    connections: Vec<Arc<Connection>>,
    status: Arc<Status>,
    exchanges: Mutex<Exchanges>,
}

/// Exchanges of a process: whether it can make more of them.
#[derive(Debug)]
enum Exchanges {
    Alone,
    /// A thread makes them.
    Open(Worker),
    /// It makes none, for this reason.
    Closed(PeersError),
}

/// Thread that makes the exchanges.
#[derive(Debug)]
struct Worker {
    requests: Sender<Words>,
    answers: Receiver<Result<Words, PeersError>>,
    thread: JoinHandle<()>,
}

impl Connected {
    /// Process with connections to all others, by their numbers; there is none to itself.
    /// One that says nothing for as long as `silence` is lost.
    pub(crate) fn new(
        process: usize,
        sockets: Vec<Option<TcpStream>>,
        silence: Duration,
    ) -> io::Result<Self> {
        keep_quiet();
        let processes = sockets.len();
        let status = Arc::new(Status::new(processes));
        let mut connections = Vec::new();
        let mut wires = Vec::new();
        for (other, socket) in sockets.into_iter().enumerate() {
            let connection = socket.map(|socket| Arc::new(Connection::new(other, socket)));
            wires.push(
                connection
                    .clone()
                    .map(|it| Wire::new(process, it, Arc::clone(&status), silence))
                    .transpose()?,
            );
            connections.extend(connection);
        }
        for connection in &connections {
            Arc::clone(connection).beat(process, Arc::clone(&status))?;
        }
        let exchanges = match processes {
            1 => Exchanges::Alone,
            _ => Exchanges::Open(Worker::start(process, wires, Arc::clone(&status))?),
        };
        Ok(Self {
            process,
            processes,
            connections,
            status,
            exchanges: Mutex::new(exchanges),
        })
    }

    /// Ends the search of this process. It waits until the others do, and none of them takes it for lost. Exchanges then fail.
    ///
    /// # Errors
    ///
    /// If a process was lost before.
    pub fn finish(&self) -> Result<(), PeersError> {
        let nothing = || vec![Vec::new(); self.processes];
        self.exchange(nothing())?;
        // All have begun to finish. A process that goes from now on has, or will have, no need of this one.
        self.status.end();
        self.exchange(nothing())?;
        self.close(self.exchanges(), self.lost_itself("it has finished"));
        Ok(())
    }

    /// Leaves the search, and tells the others why: for them this process is lost. It may be called while it waits for them; exchanges
    /// then fail.
    pub fn leave(&self, reason: &str) {
        self.status.gone(self.process, reason);
        self.tell(self.process, reason);
    }

    /// Tells the others that this process leaves, because of the loss of one.
    fn tell(&self, lost: usize, reason: &str) {
        let until = Instant::now() + LEAVING;
        // One that is lost may not read, and then there is no time left for the others.
        let is_lost = |connection: &&Arc<Connection>| connection.process() == lost;
        let (gone, others): (Vec<_>, Vec<_>) = self.connections.iter().partition(is_lost);
        let all = others.into_iter().chain(gone);
        all.for_each(|connection| connection.leave(lost, reason, until));
    }

    fn exchanges(&self) -> MutexGuard<'_, Exchanges> {
        self.exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Loss of this process.
    fn lost_itself(&self, reason: &str) -> PeersError {
        PeersError::Lost {
            process: self.process,
            reason: reason.to_owned(),
        }
    }

    /// Makes no more exchanges, and says so to the others unless all have finished.
    fn close(&self, mut exchanges: MutexGuard<'_, Exchanges>, reason: PeersError) {
        if !self.status.ending()
            && let PeersError::Lost { process, reason } = &reason
        {
            self.tell(*process, reason);
        }
        if let Exchanges::Open(worker) = mem::replace(&mut *exchanges, Exchanges::Closed(reason)) {
            worker.end();
        }
    }
}

impl Peers for Connected {
    fn processes(&self) -> usize {
        self.processes
    }

    fn process(&self) -> usize {
        self.process
    }

    /// # Panics
    ///
    /// If there are not words for each process.
    fn exchange(&self, words: Words) -> Result<Words, PeersError> {
        assert_eq!(
            words.len(),
            self.processes,
            "there are words for each process"
        );
        let exchanges = self.exchanges();
        self.status.begin(self.process);
        let received = match &*exchanges {
            Exchanges::Alone => return Ok(words),
            Exchanges::Closed(reason) => return Err(reason.clone()),
            Exchanges::Open(worker) => worker.exchange(words),
        };
        let received = received
            .unwrap_or_else(|| Err(self.lost_itself("its thread that exchanges words has ended")));
        if let Err(reason) = &received {
            self.close(exchanges, reason.clone());
        }
        received
    }

    fn hurry(&self) {
        if self.status.hurry() {
            self.connections.iter().for_each(|one| one.beat_now());
        }
    }

    fn is_hurried(&self) -> bool {
        self.status.is_hurried()
    }

    fn give_up(&self, reason: String) {
        self.status.gone(self.status.latest(self.process), reason);
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let exchanges = self.exchanges();
        if matches!(*exchanges, Exchanges::Open(_)) {
            let reason = self
                .status
                .loss()
                .unwrap_or_else(|| self.lost_itself("it has stopped before the end"));
            self.close(exchanges, reason);
        }
    }
}

impl Worker {
    /// Starts the threads of timely, and the one of its worker.
    fn start(process: usize, wires: Vec<Option<Wire>>, status: Arc<Status>) -> io::Result<Self> {
        let mut hooks = Hooks::default();
        hooks.refill.limit = Some(SPARE_BUFFERS);
        let inner = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, guard) =
            initialize_networking_from_sockets(inner, wires, process, 1, hooks)?;
        // Its threads end by themselves, or are parked when a process is lost: none is waited for.
        mem::forget(guard);
        let builder = builders
            .into_iter()
            .next()
            .ok_or_else(|| io::Error::other("timely has made no worker"))?;
        let (requests, of_requests) = channel();
        let (to_answers, answers) = channel();
        let thread = std::thread::Builder::new()
            .name(EXCHANGE.to_owned())
            .spawn(move || worker::run(builder, status, &of_requests, &to_answers))?;
        Ok(Self {
            requests,
            answers,
            thread,
        })
    }

    /// Makes an exchange, unless the thread has ended.
    fn exchange(&self, words: Words) -> Option<Result<Words, PeersError>> {
        self.requests.send(words).ok()?;
        self.answers.recv().ok()
    }

    /// Ends the thread, and with it those of timely that send.
    fn end(self) {
        drop(self.requests);
        // It has panicked, or has not: it is gone.
        let _ = self.thread.join();
    }
}
