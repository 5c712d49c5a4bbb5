//! Wires: the connections as timely dataflow sees them.
//!
//! Timely panics in its own threads when a connection ends, and its worker then waits for ever. A wire therefore never reports an error
//! to it: a loss is recorded in the [`Status`], what is written to a lost process is dropped, and a thread that reads from it is
//! parked for good.
//!
//! The bytes of timely travel in frames, so that a process can say that it is alive, that it has finished, or why it leaves: if process 0
//! leaves because it has lost process 2, then process 1 reports the loss of process 2, whichever it notices first.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::silence::{BEAT, LOOK, Silence};
use crate::status::{Beat, Status};

/// Greatest number of bytes in a frame.
const FRAME: usize = 1 << 16;

/// Length of a frame that says that the process has finished.
const FINISHED: u32 = u32::MAX;

/// Length of a frame that says why the process leaves: a number of a process, the length of a reason, and the reason.
const LEAVES: u32 = u32::MAX - 1;

/// Length of a frame that is a sign of life: a number of exchanges, and whether the others are to hurry.
const ALIVE: u32 = u32::MAX - 2;

/// Greatest number of bytes of a reason.
const REASON: usize = 1 << 10;

/// Connection with a process.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Number of that process.
    process: usize,
    socket: TcpStream,
    outgoing: Mutex<Outgoing>,
    /// Wakes the thread that gives signs of life.
    changed: Condvar,
}

/// The way to the other process.
#[derive(Debug, Default)]
struct Outgoing {
    /// Frame that is being written.
    frame: Vec<u8>,
    /// Whether nothing is written any more.
    is_closed: bool,
}

impl Connection {
    pub fn new(process: usize, socket: TcpStream) -> Self {
        Self {
            process,
            socket,
            outgoing: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Number of the other process.
    pub fn process(&self) -> usize {
        self.process
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a frame of timely's bytes; returns how many of them it has.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(FRAME)];
        self.write_frame(&mut self.outgoing(), bytes.len() as u32, bytes)?;
        Ok(bytes.len())
    }

    /// Starts the thread that gives signs of life of this process until the connection is closed.
    pub fn beat(self: Arc<Self>, own: usize, status: Arc<Status>) -> io::Result<()> {
        let name = format!("refmap:beat-{}", self.process);
        let beat = move || {
            let mut outgoing = self.outgoing();
            while !outgoing.is_closed {
                let Beat { begun, hurries } = status.beat(own);
                let mut content = begun.to_le_bytes().to_vec();
                content.push(hurries.into());
                // The thread that reads records a loss.
                let _ = self.write_frame(&mut outgoing, ALIVE, &content);
                let woken = self.changed.wait_timeout(outgoing, BEAT);
                outgoing = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        thread::Builder::new().name(name).spawn(beat).map(drop)
    }

    /// Has the next sign of life be given at once.
    pub fn beat_now(&self) {
        self.changed.notify_all();
    }

    /// Writes that this process has finished, and nothing after it.
    fn finish(&self) {
        let mut outgoing = self.outgoing();
        // A process that is gone need not know.
        let _ = self.write_frame(&mut outgoing, FINISHED, &[]);
        outgoing.is_closed = true;
        drop(outgoing);
        self.beat_now();
        let _ = self.socket.shutdown(Shutdown::Write);
    }

    /// Writes that this process leaves because of the loss of a process, and closes the connection. It is closed without a reason if
    /// the other process does not read until then.
    pub fn leave(&self, lost: usize, reason: &str, until: Instant) {
        let mut content = Vec::new();
        let reason = &reason.as_bytes()[..reason.len().min(REASON)];
        content.extend((lost as u32).to_le_bytes());
        content.extend((reason.len() as u32).to_le_bytes());
        content.extend(reason);
        let left = until.saturating_duration_since(Instant::now());
        // A time of nothing is none.
        let time = left.max(Duration::from_millis(1));
        let _ = self.socket.set_write_timeout(Some(time));
        if let Some(mut outgoing) = self.outgoing_until(until) {
            let _ = self.write_frame(&mut outgoing, LEAVES, &content);
            outgoing.is_closed = true;
        }
        // A thread that is writing gets an error.
        let _ = self.socket.shutdown(Shutdown::Both);
        self.outgoing().is_closed = true;
        self.beat_now();
    }

    /// The way to the other process, if nobody writes a frame any more at some time before that.
    fn outgoing_until(&self, until: Instant) -> Option<MutexGuard<'_, Outgoing>> {
        loop {
            match self.outgoing.try_lock() {
                Ok(outgoing) => return Some(outgoing),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn write_frame(&self, outgoing: &mut Outgoing, length: u32, content: &[u8]) -> io::Result<()> {
        if outgoing.is_closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let frame = &mut outgoing.frame;
        frame.clear();
        frame.extend(length.to_le_bytes());
        frame.extend(content);
        (&self.socket).write_all(frame)
    }
}

/// Bytes of a connection, which are waited for as long as the other process gives signs of life.
struct Incoming {
    socket: TcpStream,
    silence: Silence,
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.socket.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    if let Some(reason) = self.silence.look() {
                        return Err(io::Error::new(ErrorKind::TimedOut, reason));
                    }
                }
                read => {
                    self.silence.end();
                    return read;
                }
            }
        }
    }
}

/// Next frame that is read.
enum Frame {
    /// Bytes of timely.
    Bytes(usize),
    Alive(Beat),
    Finished,
    /// Loss of a process, because of which the other one leaves.
    Leaves(usize, String),
}

/// Connection with a process that never fails.
pub(crate) struct Wire {
    /// Number of this process.
    own: usize,
    connection: Arc<Connection>,
    status: Arc<Status>,
    /// Silence of a process that is too long.
    silence: Duration,
    reader: BufReader<Incoming>,
    /// Bytes of the frame that are not read yet.
    unread: usize,
    /// Whether nothing can be written any more.
    broken: bool,
}

impl Wire {
    pub fn new(
        own: usize,
        connection: Arc<Connection>,
        status: Arc<Status>,
        silence: Duration,
    ) -> io::Result<Self> {
        let socket = connection.socket.try_clone()?;
        socket.set_read_timeout(Some(LOOK))?;
        let incoming = Incoming {
            socket,
            silence: Silence::new(silence),
        };
        Ok(Self {
            own,
            connection,
            status,
            silence,
            reader: BufReader::with_capacity(FRAME, incoming),
            unread: 0,
            broken: false,
        })
    }

    /// Reads the head of a frame, and all of it unless it has bytes of timely.
    fn next_frame(&mut self) -> io::Result<Frame> {
        match read_number(&mut self.reader)? {
            FINISHED => Ok(Frame::Finished),
            ALIVE => {
                let (mut begun, mut hurries) = ([0; 8], [0]);
                self.reader.read_exact(&mut begun)?;
                self.reader.read_exact(&mut hurries)?;
                Ok(Frame::Alive(Beat {
                    begun: u64::from_le_bytes(begun),
                    hurries: hurries != [0],
                }))
            }
            LEAVES => {
                let lost = read_number(&mut self.reader)? as usize;
                let mut reason = vec![0; (read_number(&mut self.reader)? as usize).min(REASON)];
                self.reader.read_exact(&mut reason)?;
                Ok(Frame::Leaves(
                    lost,
                    String::from_utf8_lossy(&reason).into_owned(),
                ))
            }
            length if length as usize <= FRAME => Ok(Frame::Bytes(length as usize)),
            length => Err(io::Error::new(
                ErrorKind::InvalidData,
                format!("it sent a frame of {length} bytes"),
            )),
        }
    }

    /// Records that the other process is gone, and keeps timely's thread from learning it.
    fn gone(&self, error: &io::Error) -> ! {
        let reason = match error.kind() {
            ErrorKind::UnexpectedEof => "its connection has ended".to_owned(),
            _ => error.to_string(),
        };
        self.status.gone(self.connection.process, reason);
        park()
    }
}

/// Waits for ever.
fn park() -> ! {
    loop {
        thread::park();
    }
}

fn read_number(reader: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let other = self.connection.process;
        while self.unread == 0 {
            match self.next_frame() {
                Ok(Frame::Bytes(length)) => self.unread = length,
                Ok(Frame::Alive(beat)) => self.status.heard(other, beat),
                Ok(Frame::Finished) => {
                    self.status
                        .gone(other, "it has finished before this process");
                    // Timely has read its own end of the stream before this one.
                    return Ok(0);
                }
                Ok(Frame::Leaves(lost, reason)) => {
                    if lost == self.own {
                        let reason = format!("it has lost this process: {reason}");
                        self.status.gone(other, reason);
                    } else {
                        self.status.gone(lost, reason);
                    }
                    park()
                }
                Err(error) => self.gone(&error),
            }
        }
        match self.reader.fill_buf() {
            Ok([]) => self.gone(&ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => {
                let length = bytes.len().min(self.unread).min(buffer.len());
                buffer[..length].copy_from_slice(&bytes[..length]);
                self.reader.consume(length);
                self.unread -= length;
                Ok(length)
            }
            Err(error) => self.gone(&error),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.broken {
            match self.connection.write(bytes) {
                Ok(written) => return Ok(written),
                // The thread that reads records the loss: the other process may have said why it leaves.
                Err(_) => self.broken = true,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        Self::new(
            self.own,
            Arc::clone(&self.connection),
            Arc::clone(&self.status),
            self.silence,
        )
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.connection.socket.set_nonblocking(nonblocking)
    }

    /// Ends the connection, when timely has written its end of the stream.
    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        if self.status.ending() {
            self.connection.finish();
        }
        Ok(())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if thread::panicking() {
            // Timely cannot read what has come, and its thread has ended.
            self.status
                .gone(self.connection.process, "it has sent what cannot be read");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Way from process 0, and wire of process 1 at its other end.
    fn pair() -> (Arc<Connection>, Wire) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = Arc::new(Connection::new(0, listener.accept().unwrap().0));
        let status = Arc::new(Status::new(2));
        let wire = Wire::new(1, there, status, Duration::from_secs(20)).unwrap();
        (Arc::new(Connection::new(1, socket)), wire)
    }

    #[test]
    fn a_sign_of_life_arrives_as_it_was_given() {
        for begun in [0, 255, 256, 1 << 16, 1 << 32, u64::MAX] {
            for hurries in [false, true] {
                let (way, mut wire) = pair();
                let status = Arc::new(Status::new(2));
                let given = Beat { begun, hurries };
                status.heard(0, given);
                if hurries {
                    status.hurry();
                }
                Arc::clone(&way).beat(0, status).unwrap();
                for _ in 0..2 {
                    let frame = wire.next_frame();
                    assert!(matches!(frame, Ok(Frame::Alive(beat)) if beat == given));
                    way.beat_now();
                }
                way.finish();
            }
        }
    }

    /// A reason is cut at its limit and nowhere else.
    #[test]
    fn a_reason_arrives_as_it_was_given() {
        for (lost, length) in [(2, 0), (255, 255), (256, 300), (1 << 16, REASON)] {
            let reason: String = ('a'..='z').cycle().take(length).collect();
            for more in ["", "too long"].iter().take(1 + length / REASON) {
                let (way, mut wire) = pair();
                let until = Instant::now() + Duration::from_secs(20);
                way.leave(lost, &format!("{reason}{more}"), until);
                let Ok(Frame::Leaves(process, told)) = wire.next_frame() else {
                    panic!("it leaves");
                };
                assert_eq!((process, &told), (lost, &reason));
            }
        }
    }
}
